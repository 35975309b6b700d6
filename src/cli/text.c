#include "cli/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/values.h"

enum { SAT_PER_BTC = 100000000, CELL = 64, COLUMNS_MAX = 12 };

/* ---- One value ---- */

static void format_amount(char out[CELL], int64_t sat, bool sign)
{
    uint64_t size = sat < 0 ? 0 - (uint64_t)sat : (uint64_t)sat;
    const char *mark = sat < 0 ? "-" : sign ? "+" : "";

    (void)snprintf(out, CELL, "%s%" PRIu64 ".%08" PRIu64 " btc", mark,
                   size / SAT_PER_BTC, size % SAT_PER_BTC);
}

static void format_time(char out[CELL], int64_t seconds)
{
    time_t t = (time_t)seconds;
    struct tm utc;

    if (!gmtime_r(&t, &utc) || !strftime(out, CELL, "%Y-%m-%d %H:%M:%SZ", &utc))
        (void)snprintf(out, CELL, "%" PRId64, seconds);
}

static void format_bytes(char out[CELL], int64_t n)
{
    if (n < 1000)
        (void)snprintf(out, CELL, "%" PRId64 " B", n);
    else if (n < 1000000)
        (void)snprintf(out, CELL, "%.1f kB", (double)n / 1e3);
    else
        (void)snprintf(out, CELL, "%.1f MB", (double)n / 1e6);
}

static void format_flags(char out[CELL], int64_t n)
{
    const char *word = n < 0 ? NULL : cli_flags_word((uint64_t)n);

    if (word)
        (void)snprintf(out, CELL, "%s", word);
    else
        (void)snprintf(out, CELL, "%" PRId64, n);
}

static void format_integer(char out[CELL], int64_t n, cli_form form)
{
    switch (form) {
    case CLI_AS_IS:
        (void)snprintf(out, CELL, "%" PRId64, n);
        return;
    case CLI_AS_AMOUNT:
        format_amount(out, n, false);
        return;
    case CLI_AS_CHANGE:
        format_amount(out, n, true);
        return;
    case CLI_AS_TIME:
        format_time(out, n);
        return;
    case CLI_AS_BYTES:
        format_bytes(out, n);
        return;
    case CLI_AS_FLAGS:
        format_flags(out, n);
        return;
    }
}

/* Text is borrowed from the value, the rest is written to `cell`. */
static const char *format_value(char cell[CELL], const json_t *value,
                                cli_form form)
{
    if (json_is_string(value))
        return *json_string_value(value) ? json_string_value(value) : "-";
    if (json_is_true(value))
        return "yes";
    if (json_is_false(value))
        return "no";
    if (json_is_integer(value)) {
        format_integer(cell, json_integer_value(value), form);
        return cell;
    }
    if (json_is_real(value)) {
        (void)snprintf(cell, CELL, "%.6g", json_real_value(value));
        return cell;
    }
    return "-";
}

const char *cli_doc_text(const json_t *doc, const char *key)
{
    const char *text = json_string_value(json_object_get(doc, key));

    return text ? text : "-";
}

int64_t cli_doc_number(const json_t *doc, const char *key)
{
    return json_integer_value(json_object_get(doc, key));
}

/* ---- Fields ---- */

static void print_field(const json_t *value, const cli_field *field, int width)
{
    char cell[CELL];
    size_t i = 0;
    const json_t *item = NULL;

    if (!json_is_array(value)) {
        (void)printf("%-*s  %s\n", width, field->title,
                     format_value(cell, value, field->form));
        return;
    }
    json_array_foreach(value, i, item)(void)
        printf("%-*s  %s\n", width, i ? "" : field->title,
               format_value(cell, item, field->form));
}

void cli_print_fields(const json_t *object, const cli_field *fields, size_t n)
{
    int width = 0;

    for (size_t i = 0; i < n; i++)
        if (json_object_get(object, fields[i].key) &&
            (int)strlen(fields[i].title) > width)
            width = (int)strlen(fields[i].title);
    for (size_t i = 0; i < n; i++) {
        const json_t *value = json_object_get(object, fields[i].key);

        if (value)
            print_field(value, &fields[i], width);
    }
}

/* ---- Tables ---- */

/* Nothing but numbers, and nulls among them. */
static bool is_number(const json_t *array, const char *key)
{
    bool any = false;
    size_t i = 0;
    const json_t *row = NULL;

    json_array_foreach(array, i, row)
    {
        const json_t *value = json_object_get(row, key);

        if (value && !json_is_number(value) && !json_is_null(value))
            return false;
        any = any || json_is_number(value);
    }
    return any;
}

static int column_width(const json_t *array, const cli_field *field)
{
    size_t width = strlen(field->title);
    size_t i = 0;
    const json_t *row = NULL;

    json_array_foreach(array, i, row)
    {
        char cell[CELL];
        size_t len = strlen(
            format_value(cell, json_object_get(row, field->key), field->form));

        width = len > width ? len : width;
    }
    return (int)width;
}

/* Numbers stand to the right; the last column is not padded. */
static void print_cell(const char *text, int width, bool right, bool last)
{
    if (right)
        (void)printf("%*s%s", width, text, last ? "" : "  ");
    else if (last)
        (void)fputs(text, stdout);
    else
        (void)printf("%-*s  ", width, text);
}

void cli_print_table(const cli *c, const json_t *array, const cli_field *fields,
                     size_t n)
{
    int width[COLUMNS_MAX];
    bool right[COLUMNS_MAX];
    bool color = cli_has_color(c, stdout);
    size_t i = 0;
    const json_t *row = NULL;

    if (json_array_size(array) == 0)
        return;
    for (size_t k = 0; k < n; k++) {
        width[k] = column_width(array, &fields[k]);
        right[k] = is_number(array, fields[k].key);
    }
    (void)fputs(color ? "\033[1m" : "", stdout);
    for (size_t k = 0; k < n; k++)
        print_cell(fields[k].title, width[k], right[k], k + 1 == n);
    (void)fputs(color ? "\033[0m\n" : "\n", stdout);
    json_array_foreach(array, i, row)
    {
        for (size_t k = 0; k < n; k++) {
            char cell[CELL];

            print_cell(format_value(cell, json_object_get(row, fields[k].key),
                                    fields[k].form),
                       width[k], right[k], k + 1 == n);
        }
        (void)putchar('\n');
    }
}

/* ---- JSON ---- */

void cli_print_json_line(const json_t *doc)
{
    (void)json_dumpf(doc, stdout, JSON_COMPACT | JSON_REAL_PRECISION(15));
    (void)putchar('\n');
}

void cli_print_json(const json_t *doc)
{
    (void)json_dumpf(doc, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
    (void)putchar('\n');
}
