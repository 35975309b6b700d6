#include "vectors/case.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spv/hex.h>

/* ---- What a case owns ---- */

void *spv__case_alloc(spv_case *c, size_t n, size_t size)
{
    void **owned = realloc(c->owned, (c->n_owned + 1) * sizeof(*owned));
    void *made = owned ? calloc(n ? n : 1, size) : NULL;

    if (owned)
        c->owned = owned;
    if (made)
        c->owned[c->n_owned++] = made;
    else
        c->err = SPV_NOMEM;
    return made;
}

void spv__case_clear(spv_case *c)
{
    for (size_t i = 0; i < c->n_owned; i++)
        free(c->owned[i]);
    free(c->owned);
    spv__buf_clear(&c->report);
    *c = (spv_case){0};
}

/* ---- Its report ---- */

void spv__case_say(spv_case *c, const char *format, ...)
{
    char words[256];
    va_list args;

    if (c->failures > SPV__CASE_TOLD)
        return;
    va_start(args, format);
    (void)vsnprintf(words, sizeof(words), format, args);
    va_end(args);
    spv__put_bytes(&c->report, words, strlen(words));
}

void spv__case_differs(spv_case *c, const char *what)
{
    c->failures++;
    spv__case_say(c, "%s%s: ", c->report.len ? "; " : "", what);
}

const char *spv__case_report(spv_case *c)
{
    if (c->failures > SPV__CASE_TOLD) {
        size_t more = c->failures - SPV__CASE_TOLD;

        c->failures = SPV__CASE_TOLD;
        spv__case_say(c, "; and %zu more", more);
    }
    spv__put_bytes(&c->report, "", 1);
    if (c->report.err == SPV_OK)
        return (const char *)c->report.bytes;
    c->err = c->report.err;
    return NULL;
}

/* ---- Fields ---- */

const json_t *spv__case_vector(const spv_case *c)
{
    return c->vector;
}

const json_t *spv__case_file(const spv_case *c)
{
    return c->file;
}

static const char *type_name(const json_t *value)
{
    if (!value)
        return "nothing";
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "an array";
    case JSON_STRING:
        return "text";
    case JSON_INTEGER:
        return "an integer";
    case JSON_REAL:
        return "a real number";
    case JSON_TRUE:
    case JSON_FALSE:
        return "a truth value";
    case JSON_NULL:
        return "null";
    }
    return "something unknown";
}

static void field_wrong(spv_case *c, const char *field, const json_t *value,
                        const char *want)
{
    char name[64];

    (void)snprintf(name, sizeof(name), "field %s", field);
    spv__case_differs(c, name);
    spv__case_say(c, "got %s, want %s", type_name(value), want);
}

static const json_t *find(const spv_case *c, const char *field)
{
    return json_object_get(c->vector, field);
}

bool spv__case_has(const spv_case *c, const char *field)
{
    const json_t *value = find(c, field);

    return value && !json_is_null(value);
}

static const char *text_of(spv_case *c, const char *field, const json_t *value)
{
    if (json_is_string(value))
        return json_string_value(value);
    field_wrong(c, field, value, "text");
    return "";
}

const char *spv__case_text(spv_case *c, const char *field)
{
    return text_of(c, field, find(c, field));
}

/* Numbers above 2^53 come as text, because many readers of JSON round them. */
static bool parse_int(int64_t *out, const char *text)
{
    char *end = NULL;

    errno = 0;
    *out = strtoll(text, &end, 10);
    return (isdigit((unsigned char)*text) || *text == '-') && !*end && !errno;
}

static bool parse_u64(uint64_t *out, const char *text)
{
    char *end = NULL;

    errno = 0;
    *out = strtoull(text, &end, 10);
    return isdigit((unsigned char)*text) && !*end && !errno;
}

int64_t spv__case_int(spv_case *c, const char *field)
{
    const json_t *value = find(c, field);
    int64_t number = 0;

    if (json_is_integer(value))
        return json_integer_value(value);
    if (json_is_string(value) && parse_int(&number, json_string_value(value)))
        return number;
    field_wrong(c, field, value, "an integer");
    return 0;
}

uint64_t spv__case_u64(spv_case *c, const char *field)
{
    const json_t *value = find(c, field);
    uint64_t number = 0;

    if (json_is_integer(value) && json_integer_value(value) >= 0)
        return (uint64_t)json_integer_value(value);
    if (json_is_string(value) && parse_u64(&number, json_string_value(value)))
        return number;
    field_wrong(c, field, value, "a number from 0 to 2^64 - 1");
    return 0;
}

const json_t *spv__case_list_of(spv_case *c, const json_t *of,
                                const char *field)
{
    const json_t *value = json_object_get(of, field);

    if (!json_is_array(value))
        field_wrong(c, field, value, "an array");
    return value;
}

const json_t *spv__case_list(spv_case *c, const char *field)
{
    return spv__case_list_of(c, c->vector, field);
}

size_t spv__case_count(spv_case *c, const char *field, size_t most)
{
    const json_t *value = find(c, field);
    json_int_t n = json_integer_value(value);
    char want[48];

    if (json_is_integer(value) && n >= 0 && (uint64_t)n <= most)
        return (size_t)n;
    (void)snprintf(want, sizeof(want), "an integer from 0 to %zu", most);
    field_wrong(c, field, value, want);
    return 0;
}

double spv__case_real(spv_case *c, const char *field)
{
    const json_t *value = find(c, field);

    if (!json_is_number(value))
        field_wrong(c, field, value, "a number");
    return json_number_value(value);
}

bool spv__case_bool(spv_case *c, const char *field)
{
    const json_t *value = find(c, field);

    if (!json_is_boolean(value))
        field_wrong(c, field, value, "true or false");
    return json_is_true(value);
}

const json_t *spv__case_json(spv_case *c, const char *field)
{
    const json_t *value = find(c, field);

    if (value)
        return value;
    field_wrong(c, field, NULL, "any value");
    return json_null();
}

static spv_view hex_of(spv_case *c, const char *field, const json_t *value)
{
    const char *text = text_of(c, field, value);
    size_t len = strlen(text);
    uint8_t *bytes = spv__case_alloc(c, len / 2, 1);

    if (bytes && spv_hex_parse(bytes, text, len) == SPV_OK)
        return (spv_view){bytes, len / 2};
    if (bytes)
        field_wrong(c, field, value, "hex");
    return (spv_view){(const uint8_t *)"", 0};
}

spv_view spv__case_hex(spv_case *c, const char *field)
{
    return hex_of(c, field, find(c, field));
}

spv_view spv__case_hex_of(spv_case *c, const json_t *value)
{
    return hex_of(c, "(an element)", value);
}

static spv_hash hash_of(spv_case *c, const char *field, const json_t *value)
{
    spv_hash hash = {{0}};

    if (spv_hash_parse(&hash, text_of(c, field, value)) != SPV_OK)
        field_wrong(c, field, value, "a hash of 64 hex digits");
    return hash;
}

spv_hash spv__case_hash(spv_case *c, const char *field)
{
    return hash_of(c, field, find(c, field));
}

spv_hash spv__case_hash_of(spv_case *c, const json_t *value)
{
    return hash_of(c, "(an element)", value);
}
