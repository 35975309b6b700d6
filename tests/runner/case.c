#include "case.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hex.h"

void case_close(spv_case *c)
{
    for (size_t i = 0; i < c->n_kept; i++)
        spv__buf_clear(&c->kept[i]);
    free(c->kept);
}

const json_t *case_vector(const spv_case *c)
{
    return c->vector;
}

const json_t *case_file(const spv_case *c)
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
    c->failures++;
    printf("FAIL %s: field %s: got %s, want %s\n", c->id, field,
           type_name(value), want);
}

static const json_t *find(const spv_case *c, const char *field)
{
    return json_object_get(c->vector, field);
}

bool case_has(const spv_case *c, const char *field)
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

const char *case_text(spv_case *c, const char *field)
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

int64_t case_int(spv_case *c, const char *field)
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

uint64_t case_u64(spv_case *c, const char *field)
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

double case_real(spv_case *c, const char *field)
{
    const json_t *value = find(c, field);

    if (!json_is_number(value))
        field_wrong(c, field, value, "a number");
    return json_number_value(value);
}

bool case_bool(spv_case *c, const char *field)
{
    const json_t *value = find(c, field);

    if (!json_is_boolean(value))
        field_wrong(c, field, value, "true or false");
    return json_is_true(value);
}

const json_t *case_json(spv_case *c, const char *field)
{
    const json_t *value = find(c, field);

    if (value)
        return value;
    field_wrong(c, field, NULL, "any value");
    return json_null();
}

static spv_buf *keep(spv_case *c)
{
    spv_buf *kept = realloc(c->kept, (c->n_kept + 1) * sizeof(*kept));

    if (!kept) {
        printf("FAIL %s: out of memory\n", c->id);
        exit(EXIT_FAILURE);
    }
    c->kept = kept;
    kept[c->n_kept] = (spv_buf)SPV_BUF_EMPTY;
    return &kept[c->n_kept++];
}

static spv_view hex_of(spv_case *c, const char *field, const json_t *value)
{
    const char *text = text_of(c, field, value);
    spv_buf *bytes = keep(c);

    if (spv__hex_parse(bytes, text, strlen(text)) != SPV_OK)
        field_wrong(c, field, value, "hex");
    return (spv_view){bytes->bytes, bytes->len};
}

spv_view case_hex(spv_case *c, const char *field)
{
    return hex_of(c, field, find(c, field));
}

spv_view case_hex_of(spv_case *c, const json_t *value)
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

spv_hash case_hash(spv_case *c, const char *field)
{
    return hash_of(c, field, find(c, field));
}

spv_hash case_hash_of(spv_case *c, const json_t *value)
{
    return hash_of(c, "(an element)", value);
}
