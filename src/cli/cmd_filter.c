#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <spv/filter.h>

#include "cli/commands.h"
#include "cli/decode.h"
#include "cli/filter_file.h"
#include "cli/filter_wish.h"
#include "cli/lines.h"
#include "cli/open.h"
#include "cli/text.h"
#include "cli/values.h"

/*
 * The filter commands that look at one, and how all of them show it. Those that
 * make one are in cmd_filter_build.c.
 */

static void warn_if_unfit(const cli *c, const json_t *doc)
{
    if (json_is_false(json_object_get(doc, "wire_ok")))
        cli_say(c, CLI_WARN,
                "no node should be sent this filter: it matches "
                "everything, or nothing");
}

/* A file that was written is answer enough. */
void cli_filter_hex_text(const cli *c, const json_t *doc)
{
    if (json_object_get(doc, "file")) {
        cli_say(c, CLI_INFO, "%s is written: %" PRId64 " bytes",
                cli_doc_text(doc, "file"), cli_doc_number(doc, "bytes"));
        return;
    }
    (void)printf("%s\n", cli_doc_text(doc, "payload"));
    warn_if_unfit(c, doc);
}

/* ---- test ---- */

/* A filter, and the lines that were asked about. */
typedef struct pass {
    cli *c;
    cli_filter filter;
    uint64_t tested;
    json_t *printed; /* the elements to print, or NULL: print at once */
} pass;

static spv_err keep_line(pass *p, const spv_element *line)
{
    json_t *text = json_stringn((const char *)line->bytes, line->len);

    if (json_array_append_new(p->printed, text) == 0)
        return SPV_OK;
    return cli_fail(p->c, SPV_MALFORMED, "--json shows lines of UTF-8 only");
}

static spv_err print_line(pass *p, const spv_element *line)
{
    if (p->printed)
        return keep_line(p, line);
    (void)fwrite(line->bytes, 1, line->len, stdout);
    (void)putc('\n', stdout);
    return SPV_OK;
}

/* A reader that has seen enough is nothing to speak of: it ends this program
 * as it would end any that stands in a pipe. */
static spv_err refuse_output(cli *c)
{
    if (errno == EPIPE) {
        (void)signal(SIGPIPE, SIG_DFL);
        (void)raise(SIGPIPE);
    }
    return cli_fail(c, SPV_IO, "cannot write to standard output: %s",
                    strerror(errno));
}

static spv_err test_batch(void *ctx, const cli_batch *batch)
{
    pass *p = ctx;
    bool found[CLI_BATCH];
    bool wanted = !cli_on(p->c, CLI_INVERT);
    spv_err err = SPV_OK;

    cli_filter_contains(&p->filter, found, batch->elements, batch->n);
    p->tested += batch->n;
    for (size_t i = 0; i < batch->n && err == SPV_OK; i++)
        if (found[i] == wanted)
            err = print_line(p, &batch->lines[i]);
    if (err == SPV_OK && ferror(stdout))
        return refuse_output(p->c);
    return err;
}

/* Lines are printed as they are tested, so there may be any number; a document
 * has to hold them all. A line of progress among them would be in the way. */
spv_err cli_filter_test(cli *c, json_t **doc)
{
    pass p = {.c = c};
    spv_err err = cli_filter_open_beside_lines(c, false, &p.filter);
    bool seen = isatty(STDOUT_FILENO) && !c->json;

    if (err == SPV_OK && c->json)
        p.printed = json_array();
    if (err == SPV_OK)
        err = cli_lines_each(c, 1, seen ? NULL : "testing", test_batch, &p);
    if (err == SPV_OK)
        *doc =
            json_pack("{s:o, s:b, s:O*}", "tested", cli_json_count(p.tested),
                      "inverted", cli_on(c, CLI_INVERT), "elements", p.printed);
    json_decref(p.printed);
    cli_filter_close(&p.filter);
    return err;
}

void cli_filter_test_text(const cli *c, const json_t *doc)
{
    cli_say(c, CLI_INFO, "%" PRId64 " elements tested",
            cli_doc_number(doc, "tested"));
}

/* ---- show, wallet ---- */

/* No filter knows what rate it was made for. At its best it is half full, and
 * each of k darts hits a set bit in one case of two. */
static double usual_rate(const json_t *doc)
{
    return pow(0.5, (double)cli_doc_number(doc, "hash_functions"));
}

static spv_err add_room(cli *c, json_t *doc, const cli_filter *f)
{
    double rate = 0;
    spv_err err = cli_rate_read(c, &rate);

    if (err != SPV_OK || !f->kind->room)
        return err;
    if (!cli_text(c, CLI_FP_RATE))
        rate = usual_rate(doc);
    (void)json_object_set_new(doc, "capacity_fp_rate", cli_json_real(rate));
    (void)json_object_set_new(doc, "capacity_left",
                              cli_json_count((uint64_t)f->kind->room(f, rate)));
    return SPV_OK;
}

spv_err cli_filter_show(cli *c, json_t **doc)
{
    cli_filter f = {0};
    spv_err err = cli_filter_open(c, 0, false, &f);

    if (err == SPV_OK) {
        *doc = f.kind->doc(&f);
        err = add_room(c, *doc, &f);
    }
    cli_filter_close(&f);
    return err;
}

/* For 'decode', which knows of no other kind. */
spv_err cli_filter_of_input(cli *c, spv_filter *out)
{
    cli_filter f;
    spv_err err = cli_filter_open(c, 0, false, &f);

    if (err == SPV_OK && f.kind == &cli_filter_wire) {
        *out = f.as.wire;
        return SPV_OK;
    }
    if (err == SPV_OK)
        err = cli_fail(c, SPV_INVAL, "%s is a saved filter, and no payload",
                       cli_filter_name(c, 0));
    cli_filter_close(&f);
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
        {"kind", "kind", CLI_AS_IS},
        {"hashing", "hashing", CLI_AS_IS},
        {"bytes", "bytes", CLI_AS_IS},
        {"bits", "bits", CLI_AS_IS},
        {"layers", "layers", CLI_AS_IS},
        {"buckets", "buckets", CLI_AS_IS},
        {"fingerprint_bits", "fingerprint bits", CLI_AS_IS},
        {"hash_functions", "hash functions", CLI_AS_IS},
        {"tweak", "tweak", CLI_AS_IS},
        {"flags", "flags", CLI_AS_FLAGS},
        {"bits_set", "bits set", CLI_AS_IS},
        {"stuck_counters", "stuck counters", CLI_AS_IS},
        {"remembers", "remembers at least", CLI_AS_IS},
        {"elements", "elements", CLI_AS_IS},
        {"estimated_elements", "elements, about", CLI_AS_IS},
        {"fill", "fill", CLI_AS_IS},
        {"fp_rate", "false positives", CLI_AS_IS},
        {"promised_fp_rate", "never more than", CLI_AS_IS},
        {"capacity_left", "room for", CLI_AS_IS},
        {"capacity_fp_rate", "at a rate of", CLI_AS_IS},
        {"wire_ok", "fit to be sent", CLI_AS_IS},
    };

    cli_print_fields(doc, CLI_FIELDS(fields));
    warn_if_unfit(c, doc);
}
