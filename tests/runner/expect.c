#include "case.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <spv/err.h>

/* Count an expectation; when it differs, begin the line that says so. */
static bool holds(spv_case *c, const char *what, bool same)
{
    c->checks++;
    if (same)
        return true;
    c->failures++;
    printf("FAIL %s: %s: ", c->id, what);
    return false;
}

void expect_true(spv_case *c, const char *what, bool got)
{
    if (!holds(c, what, got))
        puts("got false, want true");
}

void expect_false(spv_case *c, const char *what, bool got)
{
    if (!holds(c, what, !got))
        puts("got true, want false");
}

void expect_int(spv_case *c, const char *what, int64_t got, int64_t want)
{
    if (!holds(c, what, got == want))
        printf("got %" PRId64 ", want %" PRId64 "\n", got, want);
}

/* Some vectors are strings of odd bytes: keep them on one readable line. */
static void print_text(const char *text)
{
    putchar('"');
    for (; *text; text++)
        if (*text >= ' ' && *text <= '~')
            putchar(*text);
        else
            printf("\\x%02x", (unsigned)(unsigned char)*text);
    putchar('"');
}

void expect_text(spv_case *c, const char *what, const char *got,
                 const char *want)
{
    if (holds(c, what, strcmp(got, want) == 0))
        return;
    fputs("got ", stdout);
    print_text(got);
    fputs(", want ", stdout);
    print_text(want);
    putchar('\n');
}

static void print_bytes(spv_view v, size_t from)
{
    enum { SHOWN = 40 };
    size_t to = v.len - from > SHOWN ? from + SHOWN : v.len;

    if (from)
        printf("..");
    for (size_t i = from; i < to; i++)
        printf("%02x", (unsigned)v.bytes[i]);
    printf("%s (%zu bytes)", to < v.len ? ".." : "", v.len);
}

/* Long values are shown from the first byte that differs. */
static size_t first_difference(spv_view a, spv_view b)
{
    size_t n = a.len < b.len ? a.len : b.len;
    size_t i = 0;

    while (i < n && a.bytes[i] == b.bytes[i])
        i++;
    return i;
}

void expect_bytes(spv_case *c, const char *what, const uint8_t *got,
                  size_t got_len, spv_view want)
{
    spv_view mine = {got, got_len};
    size_t at = first_difference(mine, want);

    if (holds(c, what, at == mine.len && at == want.len))
        return;
    printf("at byte %zu: got ", at);
    print_bytes(mine, at);
    fputs(", want ", stdout);
    print_bytes(want, at);
    putchar('\n');
}

void expect_hash(spv_case *c, const char *what, const spv_hash *got,
                 const spv_hash *want)
{
    char got_text[SPV_HASH_TEXT];
    char want_text[SPV_HASH_TEXT];

    spv_hash_format(got_text, got);
    spv_hash_format(want_text, want);
    expect_text(c, what, got_text, want_text);
}

void expect_ok(spv_case *c, const char *what, int spv_err_got)
{
    expect_text(c, what, spv_err_name((spv_err)spv_err_got), "OK");
}
