#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <spv/filter.h>
#include <spv/hex.h>

#include "cli/commands.h"
#include "cli/decode.h"
#include "cli/element.h"
#include "cli/input.h"
#include "cli/open.h"
#include "cli/text.h"
#include "cli/values.h"

static const double FP_RATE = 0.0001;

/* ---- Options ---- */

static spv_err read_rate(cli *c, double *out)
{
    const char *text = cli_text(c, CLI_FP_RATE);
    char *end = NULL;

    *out = FP_RATE;
    if (!text)
        return SPV_OK;
    *out = strtod(text, &end);
    if (end != text && *end == '\0' && *out > 0 && *out < 1)
        return SPV_OK;
    return cli_fail(c, SPV_INVAL,
                    "--fp-rate is a number above 0 and below 1, not '%s'",
                    text);
}

/* 0 when not given. */
static spv_err read_elements(cli *c, uint32_t *out)
{
    uint64_t n = 0;
    spv_err err = cli_number(c, CLI_ELEMENTS, 1, UINT32_MAX, 0, &n);

    *out = (uint32_t)n;
    return err;
}

static spv_err read_flags(cli *c, uint8_t *out)
{
    static const char *const names[] = {"none", "all", "p2pubkey"};
    const char *text = cli_text(c, CLI_FLAGS);
    uint64_t number = 0;

    *out = SPV_FILTER_UPDATE_NONE;
    for (uint8_t i = 0; text && i < 3; i++)
        if (strcmp(text, names[i]) == 0) {
            *out = i;
            return SPV_OK;
        }
    if (text && !cli_parse_number(&number, text, UINT8_MAX))
        return cli_fail(c, SPV_INVAL,
                        "--flags is none, all, p2pubkey or a number up to 255, "
                        "not '%s'",
                        text);
    *out = (uint8_t)number;
    return SPV_OK;
}

/* ---- size ---- */

spv_err cli_filter_size(cli *c, json_t **doc)
{
    uint32_t elements = 0;
    uint32_t funcs = 0;
    size_t bytes = 0;
    double rate = 0;
    double most = 0;
    spv_err err = read_elements(c, &elements);

    if (err == SPV_OK && elements == 0)
        err = cli_fail(c, SPV_INVAL, "'filter size' needs --elements N");
    if (err == SPV_OK)
        err = read_rate(c, &rate);
    if (err != SPV_OK)
        return err;
    err = spv_filter_size(&bytes, &funcs, elements, rate);
    if (err != SPV_OK)
        return cli_fail_plain(c, err);
    most = spv_filter_capacity(SPV_FILTER_BYTES_MAX, rate);
    *doc = json_pack(
        "{s:o, s:o, s:o, s:o, s:b, s:o, s:o}", "elements",
        cli_json_count(elements), "fp_rate", cli_json_real(rate), "bytes",
        cli_json_count(bytes), "hash_functions", cli_json_count(funcs),
        "capped", elements > most, "fp_rate_at_capacity",
        cli_json_real(spv_filter_rate_for(bytes, funcs, elements)),
        "elements_at_36000_bytes", cli_json_count((uint64_t)floor(most)));
    return SPV_OK;
}

void cli_filter_size_text(const cli *c, const json_t *doc)
{
    static const cli_field fields[] = {
        {"elements", "elements", CLI_AS_IS},
        {"fp_rate", "rate wanted", CLI_AS_IS},
        {"fp_rate_at_capacity", "rate when full", CLI_AS_IS},
        {"bytes", "bytes", CLI_AS_IS},
        {"hash_functions", "hash functions", CLI_AS_IS},
        {"capped", "capped", CLI_AS_IS},
        {"elements_at_36000_bytes", "most at this rate", CLI_AS_IS},
    };

    cli_print_fields(doc, CLI_FIELDS(fields));
    if (json_is_true(json_object_get(doc, "capped")))
        cli_say(c, CLI_WARN,
                "the protocol's 36,000 bytes are too few for this "
                "rate");
}

/* ---- build ---- */

/* Elements one after the other, each behind its length, until their number
 * is known. */
typedef struct element_list {
    cli *c;
    uint8_t *bytes;
    size_t len;
    size_t cap;
    uint32_t n;
} element_list;

static bool list_reserve(element_list *list, size_t more)
{
    size_t cap = list->cap ? list->cap : 4096;
    uint8_t *bytes = NULL;

    while (cap - list->len < more)
        cap *= 2;
    if (cap == list->cap)
        return true;
    bytes = realloc(list->bytes, cap);
    if (!bytes)
        return false;
    list->bytes = bytes;
    list->cap = cap;
    return true;
}

static spv_err list_line(void *ctx, char *line, size_t len)
{
    element_list *list = ctx;
    cli_element e;
    spv_err err = cli_element_parse(list->c, line, len, &e);

    if (err != SPV_OK || e.is_blank)
        return err;
    if (!list_reserve(list, sizeof(e.len) + e.len))
        return cli_fail_plain(list->c, SPV_NOMEM);
    memcpy(list->bytes + list->len, &e.len, sizeof(e.len));
    memcpy(list->bytes + list->len + sizeof(e.len), e.bytes, e.len);
    list->len += sizeof(e.len) + e.len;
    list->n++;
    return SPV_OK;
}

static void list_insert(const element_list *list, spv_filter *f)
{
    size_t len = 0;

    for (size_t at = 0; at < list->len; at += len) {
        memcpy(&len, list->bytes + at, sizeof(len));
        at += sizeof(len);
        spv_filter_insert(f, list->bytes + at, len);
    }
}

/* The protocol's limit is the filter's: past it the rate is not kept. */
static void warn_if_capped(const cli *c, uint32_t n, double rate,
                           const spv_filter *f)
{
    if (n > spv_filter_capacity(SPV_FILTER_BYTES_MAX, rate))
        cli_say(c, CLI_WARN,
                "36,000 bytes, the protocol's most, are too few: with %lu "
                "elements the rate is %.3g, not %.3g",
                (unsigned long)n, spv_filter_rate_for(f->len, f->hash_funcs, n),
                rate);
}

static spv_err build_from(cli *c, const element_list *list, json_t **doc)
{
    spv_filter f = {0};
    uint32_t elements = 0;
    uint64_t tweak = 0;
    uint8_t flags = 0;
    double rate = 0;
    spv_err err = read_elements(c, &elements);

    if (err == SPV_OK)
        err = read_rate(c, &rate);
    if (err == SPV_OK)
        err = cli_number(c, CLI_TWEAK, 0, UINT32_MAX, 0, &tweak);
    if (err == SPV_OK)
        err = read_flags(c, &flags);
    if (err == SPV_OK && list->n == 0 && elements == 0)
        err = cli_fail(c, SPV_INVAL,
                       "there are no elements to build a filter "
                       "of");
    if (err != SPV_OK)
        return err;
    elements = elements ? elements : list->n;
    err = spv_filter_init_for(&f, elements, rate, (uint32_t)tweak, flags);
    if (err != SPV_OK)
        return cli_fail_plain(c, err);
    warn_if_capped(c, elements, rate, &f);
    list_insert(list, &f);
    *doc = cli_filter_doc(&f);
    spv_filter_clear(&f);
    return SPV_OK;
}

spv_err cli_filter_build(cli *c, json_t **doc)
{
    element_list list = {.c = c};
    spv_err err = cli_element_check_form(c);

    if (err == SPV_OK)
        err = cli_input_lines(c, c->n_args, list_line, &list);
    if (err == SPV_OK)
        err = build_from(c, &list, doc);
    free(list.bytes);
    return err;
}

static void warn_if_unfit(const cli *c, const json_t *doc)
{
    if (!json_is_true(json_object_get(doc, "wire_ok")))
        cli_say(c, CLI_WARN,
                "no node should be sent this filter: it matches "
                "everything, or nothing");
}

void cli_filter_hex_text(const cli *c, const json_t *doc)
{
    (void)printf("%s\n", cli_doc_text(doc, "payload"));
    warn_if_unfit(c, doc);
}

/* ---- add, test, show ---- */

spv_err cli_filter_of_input(cli *c, spv_filter *out)
{
    uint8_t *bytes = NULL;
    size_t len = 0;
    spv_err err = cli_input_bytes(c, 0, &bytes, &len);

    if (err != SPV_OK)
        return err;
    err = spv_filter_decode(out, bytes, len);
    free(bytes);
    if (err == SPV_OK)
        return err;
    return cli_fail(c, err, "this is no filterload payload: %s",
                    spv_err_text(err));
}

/* A filter and what is done to it with each element. */
typedef struct pass {
    cli *c;
    spv_filter filter;
    uint64_t tested;
    json_t *printed; /* the elements to print, or NULL: print at once */
} pass;

/* Both the filter and its elements cannot come through one pipe. */
static spv_err begin_pass(cli *c, pass *p)
{
    spv_err err = cli_element_check_form(c);

    *p = (pass){.c = c};
    if (err == SPV_OK && strcmp(c->args[0], "-") == 0 && c->n_args == 1)
        err = cli_fail(c, SPV_INVAL,
                       "the filter and the elements cannot both "
                       "come from standard input");
    return err == SPV_OK ? cli_filter_of_input(c, &p->filter) : err;
}

static spv_err add_line(void *ctx, char *line, size_t len)
{
    pass *p = ctx;
    cli_element e;
    spv_err err = cli_element_parse(p->c, line, len, &e);

    if (err == SPV_OK && !e.is_blank)
        spv_filter_insert(&p->filter, e.bytes, e.len);
    return err;
}

spv_err cli_filter_add(cli *c, json_t **doc)
{
    pass p;
    spv_err err = begin_pass(c, &p);

    if (err == SPV_OK)
        err = cli_input_lines(c, 1, add_line, &p);
    if (err == SPV_OK)
        *doc = cli_filter_doc(&p.filter);
    spv_filter_clear(&p.filter);
    return err;
}

/* The line is printed as it came, and parsed in a copy. */
static spv_err test_line(void *ctx, char *line, size_t len)
{
    pass *p = ctx;
    char *copy = malloc(len + 1);
    cli_element e;
    bool found = false;
    spv_err err = SPV_OK;

    if (!copy)
        return cli_fail_plain(p->c, SPV_NOMEM);
    memcpy(copy, line, len + 1);
    err = cli_element_parse(p->c, copy, len, &e);
    found = err == SPV_OK && !e.is_blank &&
            spv_filter_contains(&p->filter, e.bytes, e.len);
    free(copy);
    if (err != SPV_OK || e.is_blank)
        return err;
    p->tested++;
    if (found == cli_on(p->c, CLI_INVERT))
        return SPV_OK;
    if (p->printed)
        return json_array_append_new(p->printed, json_stringn(line, len))
                   ? cli_fail(p->c, SPV_MALFORMED,
                              "--json shows lines of UTF-8 only")
                   : SPV_OK;
    (void)fwrite(line, 1, len, stdout);
    return putchar('\n') == EOF
               ? cli_fail(p->c, SPV_IO, "cannot write to standard output")
               : SPV_OK;
}

/* Lines are printed as they are tested, so there may be any number; a
 * document has to hold them all. */
spv_err cli_filter_test(cli *c, json_t **doc)
{
    pass p;
    spv_err err = begin_pass(c, &p);

    if (err == SPV_OK && c->json)
        p.printed = json_array();
    if (err == SPV_OK)
        err = cli_input_lines(c, 1, test_line, &p);
    if (err == SPV_OK)
        *doc =
            json_pack("{s:o, s:b, s:O*}", "tested", cli_json_count(p.tested),
                      "inverted", cli_on(c, CLI_INVERT), "elements", p.printed);
    json_decref(p.printed);
    spv_filter_clear(&p.filter);
    return err;
}

void cli_filter_test_text(const cli *c, const json_t *doc)
{
    cli_say(c, CLI_INFO, "%lld elements tested",
            (long long)cli_doc_number(doc, "tested"));
}

spv_err cli_filter_show(cli *c, json_t **doc)
{
    spv_filter f = {0};
    spv_err err = cli_filter_of_input(c, &f);

    if (err == SPV_OK)
        *doc = cli_filter_doc(&f);
    spv_filter_clear(&f);
    return err;
}

/* What the nodes are told of this wallet, decoys and all. */
spv_err cli_filter_wallet(cli *c, json_t **doc)
{
    spv_client *client = NULL;
    spv_filter f = {0};
    spv_err err = cli_open(c, &client);

    if (err != SPV_OK)
        return err;
    err = spv_client_filter(client, &f);
    if (err == SPV_OK)
        *doc = cli_filter_doc(&f);
    else
        (void)cli_fail_plain(c, err);
    spv_filter_clear(&f);
    spv_client_free(client);
    return err;
}

json_t *cli_filter_doc(const spv_filter *f)
{
    uint8_t payload[SPV_FILTER_PAYLOAD_MAX];
    size_t len = spv_filter_encode(payload, f);

    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:o}", "bytes",
        cli_json_count(f->len), "hash_functions", cli_json_count(f->hash_funcs),
        "tweak", cli_json_count(f->tweak), "flags", cli_json_count(f->flags),
        "bits_set", cli_json_count(spv_filter_bits_set(f)),
        "estimated_elements", cli_json_real(spv_filter_elements(f)), "fp_rate",
        cli_json_real(spv_filter_rate(f)), "wire_ok", spv_filter_wire_ok(f),
        "payload", cli_json_hex(payload, len));
}

void cli_filter_show_text(const cli *c, const json_t *doc)
{
    static const cli_field fields[] = {
        {"bytes", "bytes", CLI_AS_IS},
        {"hash_functions", "hash functions", CLI_AS_IS},
        {"tweak", "tweak", CLI_AS_IS},
        {"flags", "flags", CLI_AS_IS},
        {"bits_set", "bits set", CLI_AS_IS},
        {"estimated_elements", "elements, about", CLI_AS_IS},
        {"fp_rate", "false positives", CLI_AS_IS},
        {"wire_ok", "fit to be sent", CLI_AS_IS},
    };

    cli_print_fields(doc, CLI_FIELDS(fields));
    warn_if_unfit(c, doc);
}
