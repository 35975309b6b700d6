#include "cli/conform_report.h"

#include <string.h>

#include "cli/commands.h"
#include "cli/conform_ci.h"
#include "cli/text.h"

/* ---- Choosing ---- */

typedef void printer(const cli *c, const json_t *doc);

static printer print_text;

static const struct {
    const char *name;
    printer *print;                /* NULL: the document itself */
    void (*bail)(const char *why); /* NULL: a failure is told as ever */
} formats[] = {
    {"text", print_text, NULL},
    {"json", NULL, NULL},
    {"tap", cli_conform_tap, cli_conform_tap_bail},
    {"junit", cli_conform_junit, cli_conform_junit_bail},
};

enum { FORMATS = sizeof(formats) / sizeof(formats[0]) };

/* The number of the format that was asked for; FORMATS if there is none. */
static size_t chosen(const cli *c)
{
    const char *name = cli_text(c, CLI_FORMAT);
    size_t i = 0;

    while (name && i < FORMATS && strcmp(formats[i].name, name) != 0)
        i++;
    return i;
}

spv_err cli_conform_format(cli *c)
{
    size_t i = chosen(c);

    if (i == FORMATS)
        return cli_fail(c, SPV_INVAL,
                        "--format is text, json, tap or junit, not '%s'",
                        cli_text(c, CLI_FORMAT));
    if (c->json && cli_text(c, CLI_FORMAT) && formats[i].print)
        return cli_fail(c, SPV_INVAL,
                        "--json and --format %s exclude each other",
                        formats[i].name);
    if (cli_on(c, CLI_LIST) && formats[i].bail)
        return cli_fail(
            c, SPV_INVAL,
            "--list tells no results: its --format is text or json, "
            "not %s",
            formats[i].name);
    c->json |= !formats[i].print;
    return SPV_OK;
}

void cli_conform_bail(cli *c)
{
    size_t i = chosen(c);

    if (i == FORMATS || !formats[i].bail || c->json)
        return;
    cli_trouble_make_text(&c->trouble);
    formats[i].bail(c->trouble.text);
}

void cli_conform_took(const cli *c, json_t *doc, double seconds)
{
    if (formats[chosen(c)].print == cli_conform_junit)
        (void)json_object_set_new(doc, "seconds", json_real(seconds));
}

/* ---- Text ---- */

static bool begins_group(const json_t *checks, size_t i)
{
    const json_t *check = json_array_get(checks, i);
    const json_t *before = i > 0 ? json_array_get(checks, i - 1) : NULL;

    return !before || cli_conform_group(before) != cli_conform_group(check) ||
           strncmp(cli_doc_text(before, "id"), cli_doc_text(check, "id"),
                   (size_t)cli_conform_group(check)) != 0;
}

static void print_word(const cli *c, const json_t *check)
{
    static const struct {
        const char *result, *word, *color;
    } words[] = {{"pass", "pass", "\033[32m"},
                 {"fail", "FAIL", "\033[1;31m"},
                 {"skipped", "skip", "\033[33m"}};
    bool color = cli_has_color(c, stdout);

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (cli_conform_has(check, "result", words[i].result))
            (void)printf("  %s%s%s  ", color ? words[i].color : "",
                         words[i].word, color ? "\033[0m" : "");
}

/* Whole, for a person who does it again by hand. */
static void print_exchange(const json_t *exchange)
{
    const char *part = NULL;
    json_t *list = NULL;

    json_object_foreach((json_t *)exchange, part, list)
    {
        size_t i = 0;
        const json_t *m = NULL;

        json_array_foreach(list, i, m)(void) printf(
            "          %-8s  %s %s%s\n", part, cli_doc_text(m, "command"),
            cli_doc_text(m, "payload"),
            json_is_true(json_object_get(m, "optional")) ? " (or not)" : "");
    }
}

static void print_check(const cli *c, const json_t *check)
{
    print_word(c, check);
    (void)printf("%-38s %s\n", cli_doc_text(check, "id"),
                 cli_doc_text(check, "title"));
    if (cli_conform_has(check, "result", "fail"))
        (void)printf(
            "        %s: %s\n        %s\n", cli_doc_text(check, "severity"),
            cli_doc_text(check, "basis"), cli_doc_text(check, "detail"));
    else if (*json_string_value(json_object_get(check, "detail")))
        (void)printf("        %s\n", cli_doc_text(check, "detail"));
    if (c->level >= CLI_INFO)
        print_exchange(json_object_get(check, "exchange"));
}

static void print_node(const json_t *node)
{
    (void)printf("%s %s, protocol %lld, %s, ", cli_doc_text(node, "address"),
                 cli_doc_text(node, "user_agent"),
                 (long long)cli_doc_number(node, "protocol_version"),
                 cli_doc_text(node, "chain"));
    if (json_is_null(json_object_get(node, "height")))
        (void)printf("an empty chain\n");
    else
        (void)printf("height %lld; %lld blocks sampled\n",
                     (long long)cli_doc_number(node, "height"),
                     (long long)cli_doc_number(node, "blocks_sampled"));
}

static int count_failed_musts(const json_t *checks)
{
    size_t i = 0;
    const json_t *check = NULL;
    int n = 0;

    json_array_foreach(checks, i, check) n +=
        cli_conform_has(check, "result", "fail") &&
        cli_conform_has(check, "severity", "must");
    return n;
}

/* How many checks from `i` on are one group that is skipped for one reason. */
static size_t count_alike(const json_t *checks, size_t i)
{
    const json_t *first = json_array_get(checks, i);
    size_t n = 0;

    do {
        const json_t *check = json_array_get(checks, i + n);

        if (!cli_conform_has(check, "result", "skipped") ||
            !cli_conform_has(check, "detail", cli_doc_text(first, "detail")))
            return 0;
        n++;
    } while (i + n < json_array_size(checks) && !begins_group(checks, i + n));
    return n;
}

/* A group, whose first check is number `i`; the number of the next one. */
static size_t print_group(const cli *c, const json_t *checks, size_t i)
{
    const json_t *first = json_array_get(checks, i);
    size_t alike = count_alike(checks, i);

    (void)printf("\n%.*s\n", cli_conform_group(first),
                 cli_doc_text(first, "id"));
    if (alike > 1) {
        print_word(c, first);
        (void)printf("all %zu checks: %s\n", alike,
                     cli_doc_text(first, "detail"));
        return i + alike;
    }
    do
        print_check(c, json_array_get(checks, i++));
    while (i < json_array_size(checks) && !begins_group(checks, i));
    return i;
}

/* Blocks that --rpc adds are there in the next run too, and not added again;
 * transactions to relay come from it alone. */
static void print_end(const cli *c, const json_t *doc)
{
    const json_t *checks = json_object_get(doc, "checks");
    const char *unfinished =
        json_string_value(json_object_get(doc, "unfinished"));

    (void)printf(
        "\n%zu check%s: %lld passed, %lld failed (%d of them a must), "
        "%lld skipped (%lld of them a must for this node); --seed "
        "%lld %s\n",
        json_array_size(checks), json_array_size(checks) == 1 ? "" : "s",
        (long long)cli_doc_number(doc, "passed"),
        (long long)cli_doc_number(doc, "failed"), count_failed_musts(checks),
        (long long)cli_doc_number(doc, "skipped"),
        (long long)cli_doc_number(doc, "musts_untried"),
        (long long)cli_doc_number(doc, "seed"),
        cli_text(c, CLI_RPC)
            ? "without --rpc repeats this run but for relay.* and mempool.all"
            : "repeats this run");
    if (unfinished)
        (void)printf("%s\n", unfinished);
}

static void print_results(const cli *c, const json_t *doc)
{
    const json_t *checks = json_object_get(doc, "checks");
    size_t i = 0;

    print_node(json_object_get(doc, "node"));
    while (i < json_array_size(checks))
        i = print_group(c, checks, i);
    print_end(c, doc);
}

static void print_list(const json_t *checks)
{
    size_t i = 0;
    const json_t *check = NULL;

    json_array_foreach(checks, i, check)(void)
        printf("%-38s %-13s  %s\n%*s%s\n", cli_doc_text(check, "id"),
               cli_doc_text(check, "severity"), cli_doc_text(check, "title"),
               54, "", cli_doc_text(check, "basis"));
}

static void print_text(const cli *c, const json_t *doc)
{
    if (json_object_get(doc, "node"))
        print_results(c, doc);
    else
        print_list(json_object_get(doc, "checks"));
}

void cli_conform_text(const cli *c, const json_t *doc)
{
    formats[chosen(c)].print(c, doc);
}
