#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <spv/filter_maths.h>

#include "cli/commands.h"
#include "cli/filter_wish.h"
#include "cli/outfile.h"
#include "cli/svg.h"
#include "cli/text.h"
#include "cli/values.h"

/*
 * filter size: how large a filter has to be. One filter is told of in full;
 * without numbers, or with ranges of them, there is a table.
 */

enum { LIST_MAX = 32 };

/* Values asked about, in the order they were written. */
typedef struct numbers {
    double at[LIST_MAX];
    size_t n;
    bool is_one; /* a single value, plainly written */
} numbers;

/* ---- Reading lists and ranges ---- */

typedef bool parse_number(double *out, const char *text);

static bool parse_count(double *out, const char *text)
{
    uint64_t n = 0;

    if (!cli_parse_number(&n, text, INT64_MAX) || n == 0)
        return false;
    *out = (double)n;
    return true;
}

static bool add_number(numbers *list, double value)
{
    if (list->n == LIST_MAX)
        return false;
    list->at[list->n++] = value;
    return true;
}

/* "A..B": A, ten times that (or a tenth), and so on, and B. */
static bool add_range(numbers *list, double from, double to)
{
    double step = from <= to ? 10 : 0.1;
    double sign = from <= to ? 1 : -1;

    while ((to - from) * sign > 1e-9 * to) {
        if (!add_number(list, from))
            return false;
        from *= step;
    }
    return add_number(list, to);
}

static bool add_item(numbers *list, char *item, parse_number *parse)
{
    char *dots = strstr(item, "..");
    double from = 0;
    double to = 0;

    if (!dots)
        return parse(&from, item) && add_number(list, from);
    *dots = '\0';
    return parse(&from, item) && parse(&to, dots + 2) &&
           add_range(list, from, to);
}

static bool parse_numbers(numbers *list, const char *text, parse_number *parse)
{
    char *copy = strdup(text);
    char *item = copy;
    bool good = copy != NULL;

    while (good && item) {
        char *comma = strchr(item, ',');

        if (comma)
            *comma = '\0';
        good = add_item(list, item, parse);
        item = comma ? comma + 1 : NULL;
    }
    list->is_one = !strchr(text, ',') && !strstr(text, "..");
    free(copy);
    return good;
}

static spv_err read_elements(cli *c, numbers *list)
{
    static const double usual[] = {100, 1e3, 1e4, 1e5, 1e6, 1e8};
    const char *text = cli_text(c, CLI_ELEMENTS);

    *list = (numbers){0};
    for (size_t i = 0; !text && i < sizeof(usual) / sizeof(usual[0]); i++)
        (void)add_number(list, usual[i]);
    if (!text || parse_numbers(list, text, parse_count))
        return SPV_OK;
    return cli_fail(c, SPV_INVAL,
                    "--elements is a whole number above 0, a list of them "
                    "(10,200), or a range (1000..1000000), not '%s'",
                    text);
}

static spv_err read_rates(cli *c, numbers *list, bool one_element)
{
    static const double usual[] = {0.01, 0.001, 0.0001, 0.000001};
    const char *text = cli_text(c, CLI_FP_RATE);

    *list = (numbers){.is_one = !text && one_element};
    if (list->is_one)
        (void)add_number(list, cli_fp_rate);
    for (size_t i = 0; list->n < 4 && !text && !list->is_one; i++)
        (void)add_number(list, usual[i]);
    if (!text || parse_numbers(list, text, cli_rate_parse))
        return SPV_OK;
    return cli_fail(c, SPV_INVAL,
                    "--fp-rate is a number above 0 and below 1, a list of them "
                    "(0.1,0.2), or a range (0.01..0.0001), not '%s'",
                    text);
}

/* ---- One filter ---- */

/* What BIP 37 makes of a wish, and what it would be without limits. */
typedef struct sizes {
    double elements;
    double rate;
    size_t bytes;
    uint32_t funcs;
    double fit;  /* elements that 36,000 bytes hold by BIP 37's formula */
    double most; /* those that keep the rate; 0: the rate takes no function */
    spv_filter_shape uncapped;
} sizes;

/* BIP 37 rounds functions down, to none where the rate is near one half and
 * above, and stops at 50: with those a full filter holds fewer elements. */
static double most_at(double fit, double p)
{
    spv_filter_shape whole = {.bits = SPV_FILTER_BYTES_MAX * 8};
    size_t bytes = 0;

    if (spv_filter_size(&bytes, &whole.hash_funcs,
                        (uint32_t)fmin(fit, UINT32_MAX), p) != SPV_OK ||
        whole.hash_funcs == 0)
        return 0;
    return whole.hash_funcs < SPV_FILTER_FUNCS_MAX
               ? fit
               : fmin(fit, spv_filter_shape_capacity(whole, p));
}

static spv_err size_one(cli *c, sizes *s, double n, double p)
{
    uint32_t counted = n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
    spv_err err = spv_filter_size(&s->bytes, &s->funcs, counted, p);

    s->elements = n;
    s->rate = p;
    s->fit = spv_filter_capacity(SPV_FILTER_BYTES_MAX, p);
    s->most = most_at(s->fit, p);
    if (err == SPV_OK)
        err = spv_filter_shape_for(&s->uncapped, (uint64_t)n, p);
    return err == SPV_OK ? err : cli_fail_plain(c, err);
}

static bool is_capped(const sizes *s)
{
    return s->elements > s->fit;
}

static double wire_rate(const void *ctx, double n)
{
    const sizes *s = ctx;

    return spv_filter_rate_for(s->bytes, s->funcs, n);
}

static double uncapped_rate(const void *ctx, double n)
{
    const sizes *s = ctx;

    return spv_filter_shape_rate(s->uncapped, n);
}

static json_t *size_doc(const sizes *s)
{
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
        "elements", cli_json_count((uint64_t)s->elements), "fp_rate",
        cli_json_real(s->rate), "bytes", cli_json_count(s->bytes),
        "hash_functions", cli_json_count(s->funcs), "capped", is_capped(s),
        "fp_rate_at_capacity", cli_json_real(wire_rate(s, s->elements)),
        "elements_at_36000_bytes",
        s->most > 0 ? cli_json_count((uint64_t)floor(s->most)) : json_null(),
        "uncapped_bytes", cli_json_count(s->uncapped.bits / 8), "uncapped_bits",
        cli_json_count(s->uncapped.bits), "uncapped_bits_per_element",
        cli_json_real((double)s->uncapped.bits / s->elements),
        "uncapped_hash_functions", cli_json_count(s->uncapped.hash_funcs),
        "uncapped_fp_rate", cli_json_real(uncapped_rate(s, s->elements)));
}

/* ---- The plot ---- */

static const char blue[] = "#1f5fa8";
static const char red[] = "#b3301c";

static void draw_wire(cli_svg *svg, const sizes *s)
{
    double rate = wire_rate(s, s->elements);
    char legend[96];
    char words[96];
    char bytes[32];
    char n[32];

    cli_svg_count(bytes, (double)s->bytes);
    (void)snprintf(legend, sizeof(legend), "BIP 37: %s bytes, k = %u%s", bytes,
                   (unsigned)s->funcs,
                   is_capped(s) ? " (the protocol's most)" : "");
    cli_svg_curve(svg, wire_rate, s, blue, legend);
    cli_svg_count(n, s->elements);
    (void)snprintf(words, sizeof(words), "%s element%s: %.3g", n,
                   s->elements > 1 ? "s" : "", rate);
    cli_svg_dot(svg, s->elements, rate, blue, words);
}

static void draw_uncapped(cli_svg *svg, const sizes *s)
{
    char legend[96];
    char bytes[32];

    cli_svg_count(bytes, (double)s->uncapped.bits / 8);
    (void)snprintf(legend, sizeof(legend), "no limit: %s bytes, k = %u", bytes,
                   (unsigned)s->uncapped.hash_funcs);
    cli_svg_curve(svg, uncapped_rate, s, red, legend);
    cli_svg_dot(svg, s->elements, uncapped_rate(s, s->elements), red, "");
}

/* Far enough to see where the rate goes, and deep enough that the legend has
 * room below the rate that is wanted. */
static void draw_chart(FILE *out, const void *subject)
{
    const sizes *s = subject;
    cli_svg svg = {.out = out,
                   .x_max = 3 * s->elements,
                   .decades = (int)floor(log10(s->rate) * 1.25) - 1};
    char title[96];
    char wanted[48];
    char n[32];

    cli_svg_count(n, s->elements);
    (void)snprintf(title, sizeof(title),
                   "How often a filter for %s element%s is wrong", n,
                   s->elements > 1 ? "s" : "");
    cli_svg_begin(&svg, title, "elements inserted", "false-positive rate");
    (void)snprintf(wanted, sizeof(wanted), "rate wanted: %.3g", s->rate);
    cli_svg_level(&svg, s->rate, wanted);
    if (is_capped(s))
        draw_uncapped(&svg, s);
    draw_wire(&svg, s);
    cli_svg_end(&svg);
}

/* ---- The command ---- */

static spv_err answer_one(cli *c, double n, double p, json_t **doc)
{
    const char *name = cli_text(c, CLI_SVG);
    cli_outfile file = {.fd = -1};
    sizes s;
    spv_err err = size_one(c, &s, n, p);

    if (err == SPV_OK && name)
        err = cli_outfile_plan(c, &file, name, cli_on(c, CLI_FORCE));
    if (err == SPV_OK && name)
        err = cli_outfile_draw(c, &file, draw_chart, &s);
    if (err == SPV_OK)
        *doc = size_doc(&s);
    if (err == SPV_OK && name)
        (void)json_object_set_new(*doc, "svg", json_string(name));
    cli_outfile_drop(&file);
    return err;
}

/* What so many bits for each element are good for, at the best number of
 * functions. */
static json_t *rates_doc(void)
{
    static const uint64_t bits[] = {4, 6, 8, 9, 10, 12, 14, 16, 20, 24, 29, 32};
    const double many = 1e6;
    json_t *rows = json_array();

    for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); i++) {
        spv_filter_shape shape = {.bits = bits[i] * (uint64_t)many};

        shape.hash_funcs = spv_filter_best_funcs(shape.bits, many);
        (void)json_array_append_new(
            rows, json_pack("{s:o, s:o, s:o}", "bits_per_element",
                            cli_json_count(bits[i]), "hash_functions",
                            cli_json_count(shape.hash_funcs), "fp_rate",
                            cli_json_real(spv_filter_shape_rate(shape, many))));
    }
    return rows;
}

static spv_err answer_table(cli *c, const numbers *elements,
                            const numbers *rates, json_t **doc)
{
    json_t *rows = json_array();
    spv_err err = SPV_OK;

    for (size_t i = 0; i < elements->n && err == SPV_OK; i++)
        for (size_t j = 0; j < rates->n && err == SPV_OK; j++) {
            sizes s;

            err = size_one(c, &s, elements->at[i], rates->at[j]);
            if (err == SPV_OK)
                (void)json_array_append_new(rows, size_doc(&s));
        }
    if (err == SPV_OK)
        *doc = json_pack("{s:O, s:o}", "sizes", rows, "rates", rates_doc());
    json_decref(rows);
    return err;
}

spv_err cli_filter_size(cli *c, json_t **doc)
{
    numbers elements;
    numbers rates;
    spv_err err = read_elements(c, &elements);

    if (err == SPV_OK)
        err = read_rates(c, &rates, elements.is_one);
    if (err != SPV_OK)
        return err;
    if (elements.is_one && rates.is_one)
        return answer_one(c, elements.at[0], rates.at[0], doc);
    if (cli_text(c, CLI_SVG))
        return cli_fail(c, SPV_INVAL,
                        "--svg draws one filter: --elements N "
                        "and --fp-rate P say which");
    return answer_table(c, &elements, &rates, doc);
}

/* ---- For people ---- */

static void say_limit(const cli *c, const json_t *doc, const char *limit)
{
    cli_say(c, CLI_NOTE,
            "%s, the protocol's most, are too few: with %lld elements the rate "
            "is %.3g, not %.3g",
            limit, (long long)cli_doc_number(doc, "elements"),
            json_real_value(json_object_get(doc, "fp_rate_at_capacity")),
            json_real_value(json_object_get(doc, "fp_rate")));
}

/* What came in the way of the rate that was wanted. */
static void say_limits(const cli *c, const json_t *doc)
{
    if (json_is_true(json_object_get(doc, "capped")))
        say_limit(c, doc, "36,000 bytes");
    else if (cli_doc_number(doc, "hash_functions") == SPV_FILTER_FUNCS_MAX &&
             cli_doc_number(doc, "uncapped_hash_functions") >
                 SPV_FILTER_FUNCS_MAX)
        say_limit(c, doc, "50 hash functions");
    if (cli_doc_number(doc, "hash_functions") == 0)
        cli_say(c, CLI_WARN,
                "BIP 37 gives this filter no hash function: it matches "
                "everything");
}

static void show_one(const cli *c, const json_t *doc)
{
    static const cli_field fields[] = {
        {"elements", "elements", CLI_AS_IS},
        {"fp_rate", "rate wanted", CLI_AS_IS},
        {"fp_rate_at_capacity", "rate when full", CLI_AS_IS},
        {"bytes", "bytes", CLI_AS_IS},
        {"hash_functions", "hash functions", CLI_AS_IS},
        {"capped", "capped", CLI_AS_IS},
        {"elements_at_36000_bytes", "most at this rate", CLI_AS_IS},
        {"uncapped_bytes", "bytes without a limit", CLI_AS_IS},
        {"uncapped_bits", "bits of these", CLI_AS_IS},
        {"uncapped_bits_per_element", "bits an element", CLI_AS_IS},
        {"uncapped_hash_functions", "their hash functions", CLI_AS_IS},
    };

    cli_print_fields(doc, CLI_FIELDS(fields));
    say_limits(c, doc);
}

static bool any_capped(const json_t *rows)
{
    size_t i = 0;
    const json_t *row = NULL;

    json_array_foreach(rows, i, row)
    {
        if (json_is_true(json_object_get(row, "capped")))
            return true;
    }
    return false;
}

static void show_table(const cli *c, const json_t *doc)
{
    static const cli_field sizes_fields[] = {
        {"elements", "elements", CLI_AS_IS},
        {"fp_rate", "rate wanted", CLI_AS_IS},
        {"uncapped_bits", "bits", CLI_AS_IS},
        {"uncapped_bits_per_element", "an element", CLI_AS_IS},
        {"uncapped_hash_functions", "k", CLI_AS_IS},
        {"bytes", "BIP 37 bytes", CLI_AS_IS},
        {"hash_functions", "k", CLI_AS_IS},
        {"fp_rate_at_capacity", "rate", CLI_AS_IS},
        {"capped", "capped", CLI_AS_IS},
    };
    static const cli_field rates_fields[] = {
        {"bits_per_element", "bits an element", CLI_AS_IS},
        {"hash_functions", "k", CLI_AS_IS},
        {"fp_rate", "rate", CLI_AS_IS},
    };
    const json_t *rows = json_object_get(doc, "sizes");

    cli_print_table(c, rows, CLI_FIELDS(sizes_fields));
    if (any_capped(rows))
        (void)printf("\ncapped: 36,000 bytes are the protocol's most, and "
                     "make the rate beside it.\n");
    (void)putchar('\n');
    cli_print_table(c, json_object_get(doc, "rates"), CLI_FIELDS(rates_fields));
}

void cli_filter_size_text(const cli *c, const json_t *doc)
{
    if (json_object_get(doc, "sizes"))
        show_table(c, doc);
    else
        show_one(c, doc);
}
