#include "cli/conform_ci.h"

#include <string.h>

#include "cli/text.h"

/* ---- What all formats ask of a check ---- */

bool cli_conform_has(const json_t *check, const char *key, const char *value)
{
    return strcmp(cli_doc_text(check, key), value) == 0;
}

int cli_conform_group(const json_t *check)
{
    return (int)strcspn(cli_doc_text(check, "id"), ".");
}

static bool has_failed(const json_t *check)
{
    return cli_conform_has(check, "result", "fail");
}

/* It failed, and the exit code is that of a failure. */
static bool counts(const json_t *check)
{
    return has_failed(check) && cli_conform_has(check, "severity", "must");
}

static const char *unfinished(const json_t *doc)
{
    return json_string_value(json_object_get(doc, "unfinished"));
}

/* ---- TAP, version 13 ---- */

static void print_tap_check(size_t number, const json_t *check)
{
    const char *detail = cli_doc_text(check, "detail");

    (void)printf("%s %zu - %s: %s", has_failed(check) ? "not ok" : "ok", number,
                 cli_doc_text(check, "id"), cli_doc_text(check, "title"));
    if (cli_conform_has(check, "result", "skipped"))
        (void)printf(" # SKIP %s", detail);
    else if (has_failed(check) && !counts(check))
        (void)printf(" # TODO %s", cli_doc_text(check, "severity"));
    (void)putchar('\n');
    if (has_failed(check))
        (void)printf("# %s: %s\n# %s\n", cli_doc_text(check, "severity"),
                     cli_doc_text(check, "basis"), detail);
}

void cli_conform_tap(const cli *c, const json_t *doc)
{
    const json_t *checks = json_object_get(doc, "checks");
    const json_t *node = json_object_get(doc, "node");

    (void)c;
    (void)printf("TAP version 13\n1..%zu\n# node %s %s, %s\n# seed %lld\n",
                 json_array_size(checks), cli_doc_text(node, "address"),
                 cli_doc_text(node, "user_agent"), cli_doc_text(node, "chain"),
                 (long long)cli_doc_number(doc, "seed"));
    for (size_t i = 0; i < json_array_size(checks); i++)
        print_tap_check(i + 1, json_array_get(checks, i));
    if (unfinished(doc))
        (void)printf("Bail out! %s\n", unfinished(doc));
}

void cli_conform_tap_bail(const char *why)
{
    (void)printf("TAP version 13\nBail out! %s\n", why);
}

/* ---- JUnit ---- */

static const char *escape_of(char plain)
{
    static const struct {
        char plain;
        const char *escaped;
    } table[] = {{'<', "&lt;"}, {'>', "&gt;"}, {'&', "&amp;"}, {'"', "&quot;"}};

    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (table[i].plain == plain)
            return table[i].escaped;
    return NULL;
}

/* XML has no way to write a control character. */
static void print_xml(const char *text)
{
    for (; *text; text++) {
        const char *escaped = escape_of(*text);

        if (escaped)
            (void)fputs(escaped, stdout);
        else
            (void)putchar((unsigned char)*text < ' ' ? '?' : *text);
    }
}

static void print_attribute(const char *name, const char *value)
{
    (void)printf(" %s=\"", name);
    print_xml(value);
    (void)putchar('"');
}

static void print_property(const char *name, const char *value)
{
    (void)printf("    <property");
    print_attribute("name", name);
    print_attribute("value", value);
    (void)puts("/>");
}

static void print_properties(const json_t *doc)
{
    const json_t *node = json_object_get(doc, "node");
    char seed[24];

    (void)snprintf(seed, sizeof(seed), "%lld",
                   (long long)cli_doc_number(doc, "seed"));
    (void)puts("  <properties>");
    print_property("seed", seed);
    print_property("node", cli_doc_text(node, "address"));
    print_property("user_agent", cli_doc_text(node, "user_agent"));
    print_property("chain", cli_doc_text(node, "chain"));
    (void)puts("  </properties>");
}

/* A failure that does not count is none to a build server. */
static void print_outcome(const json_t *check)
{
    const char *element = counts(check) ? "failure" : "skipped";

    (void)printf("    <%s message=\"", element);
    if (has_failed(check) && !counts(check)) {
        print_xml(cli_doc_text(check, "severity"));
        (void)printf(": ");
    }
    print_xml(cli_doc_text(check, "detail"));
    (void)printf("\">");
    print_xml(cli_doc_text(check, "basis"));
    (void)printf("</%s>\n", element);
}

static void print_junit_check(const json_t *check)
{
    const char *id = cli_doc_text(check, "id");

    (void)printf("  <testcase classname=\"conform.%.*s\"",
                 cli_conform_group(check), id);
    print_attribute("name", id);
    (void)puts(">");
    if (!cli_conform_has(check, "result", "pass"))
        print_outcome(check);
    (void)printf("    <system-out>");
    print_xml(cli_doc_text(check, "severity"));
    (void)printf(": ");
    print_xml(cli_doc_text(check, "title"));
    (void)printf("</system-out>\n  </testcase>\n");
}

static void print_junit_error(const char *why)
{
    (void)printf("  <testcase classname=\"conform\" name=\"run\">\n    <error");
    print_attribute("message", why);
    (void)puts("/>\n  </testcase>");
}

static void print_suite(size_t tests, size_t failed, size_t errors,
                        size_t skipped, double seconds)
{
    (void)printf("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite "
                 "name=\"conform\" tests=\"%zu\" failures=\"%zu\" "
                 "errors=\"%zu\" skipped=\"%zu\" time=\"%.3f\">\n",
                 tests, failed, errors, skipped, seconds);
}

void cli_conform_junit(const cli *c, const json_t *doc)
{
    const json_t *checks = json_object_get(doc, "checks");
    const char *why = unfinished(doc);
    size_t n = json_array_size(checks);
    size_t failed = 0;
    size_t passed = 0;

    (void)c;
    for (size_t i = 0; i < n; i++) {
        failed += counts(json_array_get(checks, i));
        passed += cli_conform_has(json_array_get(checks, i), "result", "pass");
    }
    print_suite(n + (why != NULL), failed, why != NULL, n - failed - passed,
                json_real_value(json_object_get(doc, "seconds")));
    print_properties(doc);
    for (size_t i = 0; i < n; i++)
        print_junit_check(json_array_get(checks, i));
    if (why)
        print_junit_error(why);
    (void)puts("</testsuite>");
}

void cli_conform_junit_bail(const char *why)
{
    print_suite(1, 0, 1, 0, 0);
    print_junit_error(why);
    (void)puts("</testsuite>");
}
