#include "cli/conform_report.h"

#include <string.h>

#include "cli/commands.h"
#include "cli/text.h"

/* ---- Choosing ---- */

typedef void printer(const cli *c, const json_t *doc);

static printer print_text, print_tap, print_junit;

static const struct {
    const char *name;
    printer *print; /* NULL: the document itself */
} formats[] = {
    {"text", print_text},
    {"json", NULL},
    {"tap", print_tap},
    {"junit", print_junit},
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
    c->json |= !formats[i].print;
    return SPV_OK;
}

/* ---- What all formats ask of a check ---- */

static bool has_result(const json_t *check, const char *result)
{
    return strcmp(cli_doc_text(check, "result"), result) == 0;
}

/* ---- Text ---- */

/* "match" of "match.txid". */
static int group_len(const json_t *check)
{
    return (int)strcspn(cli_doc_text(check, "id"), ".");
}

static bool begins_group(const json_t *checks, size_t i)
{
    const json_t *check = json_array_get(checks, i);
    const json_t *before = i > 0 ? json_array_get(checks, i - 1) : NULL;

    return !before || group_len(before) != group_len(check) ||
           strncmp(cli_doc_text(before, "id"), cli_doc_text(check, "id"),
                   (size_t)group_len(check)) != 0;
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
        if (has_result(check, words[i].result))
            (void)printf("  %s%s%s  ", color ? words[i].color : "",
                         words[i].word, color ? "\033[0m" : "");
}

static void print_check(const cli *c, const json_t *check)
{
    print_word(c, check);
    (void)printf("%-38s %s\n", cli_doc_text(check, "id"),
                 cli_doc_text(check, "title"));
    if (has_result(check, "fail"))
        (void)printf(
            "        %s: %s\n        %s\n", cli_doc_text(check, "severity"),
            cli_doc_text(check, "basis"), cli_doc_text(check, "detail"));
    else if (*json_string_value(json_object_get(check, "detail")))
        (void)printf("        %s\n", cli_doc_text(check, "detail"));
}

static void print_node(const json_t *node)
{
    (void)printf(
        "%s %s, protocol %lld, %s, height %lld; %lld blocks sampled\n",
        cli_doc_text(node, "address"), cli_doc_text(node, "user_agent"),
        (long long)cli_doc_number(node, "protocol_version"),
        cli_doc_text(node, "chain"), (long long)cli_doc_number(node, "height"),
        (long long)cli_doc_number(node, "blocks_sampled"));
}

static int count_failed_musts(const json_t *checks)
{
    size_t i = 0;
    const json_t *check = NULL;
    int n = 0;

    json_array_foreach(checks, i, check) n +=
        has_result(check, "fail") &&
        strcmp(cli_doc_text(check, "severity"), "must") == 0;
    return n;
}

static void print_results(const cli *c, const json_t *doc)
{
    const json_t *checks = json_object_get(doc, "checks");

    print_node(json_object_get(doc, "node"));
    for (size_t i = 0; i < json_array_size(checks); i++) {
        const json_t *check = json_array_get(checks, i);

        if (begins_group(checks, i))
            (void)printf("\n%.*s\n", group_len(check),
                         cli_doc_text(check, "id"));
        print_check(c, check);
    }
    (void)printf(
        "\n%zu checks: %lld passed, %lld failed (%d of them a must), "
        "%lld skipped; --seed %lld repeats this run\n",
        json_array_size(checks), (long long)cli_doc_number(doc, "passed"),
        (long long)cli_doc_number(doc, "failed"), count_failed_musts(checks),
        (long long)cli_doc_number(doc, "skipped"),
        (long long)cli_doc_number(doc, "seed"));
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

/* ---- TAP, version 13 ---- */

static void print_tap_check(size_t number, const json_t *check)
{
    (void)printf("%s %zu - %s: %s", has_result(check, "fail") ? "not ok" : "ok",
                 number, cli_doc_text(check, "id"),
                 cli_doc_text(check, "title"));
    if (has_result(check, "skipped"))
        (void)printf(" # SKIP %s", cli_doc_text(check, "detail"));
    (void)putchar('\n');
    if (has_result(check, "fail"))
        (void)printf("# %s: %s\n# %s\n", cli_doc_text(check, "severity"),
                     cli_doc_text(check, "basis"),
                     cli_doc_text(check, "detail"));
}

static void print_tap(const cli *c, const json_t *doc)
{
    const json_t *checks = json_object_get(doc, "checks");

    (void)c;
    if (!json_object_get(doc, "node")) {
        print_list(checks);
        return;
    }
    (void)printf("TAP version 13\n1..%zu\n", json_array_size(checks));
    for (size_t i = 0; i < json_array_size(checks); i++)
        print_tap_check(i + 1, json_array_get(checks, i));
    (void)printf("# seed %lld\n", (long long)cli_doc_number(doc, "seed"));
}

/* ---- JUnit ---- */

static void print_xml(const char *text)
{
    static const struct {
        char plain;
        const char *escaped;
    } table[] = {{'<', "&lt;"}, {'>', "&gt;"}, {'&', "&amp;"}, {'"', "&quot;"}};

    for (; *text; text++) {
        const char *escaped = NULL;

        for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
            if (table[i].plain == *text)
                escaped = table[i].escaped;
        if (escaped)
            (void)fputs(escaped, stdout);
        else
            (void)putchar(*text);
    }
}

static void print_attribute(const char *name, const char *value)
{
    (void)printf(" %s=\"", name);
    print_xml(value);
    (void)putchar('"');
}

static void print_junit_check(const json_t *check)
{
    const char *element = has_result(check, "fail") ? "failure" : "skipped";

    (void)printf("  <testcase");
    print_attribute("classname", cli_doc_text(check, "severity"));
    print_attribute("name", cli_doc_text(check, "id"));
    if (has_result(check, "pass")) {
        (void)puts("/>");
        return;
    }
    (void)printf(">\n    <%s", element);
    print_attribute("message", cli_doc_text(check, "detail"));
    (void)printf(">");
    print_xml(cli_doc_text(check, "basis"));
    (void)printf("</%s>\n  </testcase>\n", element);
}

static void print_junit(const cli *c, const json_t *doc)
{
    const json_t *checks = json_object_get(doc, "checks");

    (void)c;
    if (!json_object_get(doc, "node")) {
        print_list(checks);
        return;
    }
    (void)printf("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite "
                 "name=\"bip37\" tests=\"%zu\" failures=\"%lld\" "
                 "skipped=\"%lld\">\n",
                 json_array_size(checks),
                 (long long)cli_doc_number(doc, "failed"),
                 (long long)cli_doc_number(doc, "skipped"));
    for (size_t i = 0; i < json_array_size(checks); i++)
        print_junit_check(json_array_get(checks, i));
    (void)puts("</testsuite>");
}

void cli_conform_text(const cli *c, const json_t *doc)
{
    formats[chosen(c)].print(c, doc);
}
