#include <inttypes.h>
#include <string.h>

#include <spv/err.h>

#include "vectors/case.h"

/* Count an expectation; when it differs, begin the words that say so. */
static bool holds(spv_case *c, const char *what, bool same)
{
    c->checks++;
    if (!same)
        spv__case_differs(c, what);
    return same;
}

void spv__expect_true(spv_case *c, const char *what, bool got)
{
    if (!holds(c, what, got))
        spv__case_say(c, "got false, want true");
}

void spv__expect_false(spv_case *c, const char *what, bool got)
{
    if (!holds(c, what, !got))
        spv__case_say(c, "got true, want false");
}

void spv__expect_int(spv_case *c, const char *what, int64_t got, int64_t want)
{
    if (!holds(c, what, got == want))
        spv__case_say(c, "got %" PRId64 ", want %" PRId64, got, want);
}

/* Some vectors are strings of odd bytes: keep them short and readable. */
static void say_text(spv_case *c, const char *text)
{
    enum { SHOWN = 120 };
    size_t len = strlen(text);

    spv__case_say(c, "\"");
    for (size_t i = 0; i < len && i < SHOWN; i++)
        spv__case_say(c, text[i] >= ' ' && text[i] <= '~' ? "%c" : "\\x%02x",
                      (unsigned char)text[i]);
    spv__case_say(c, len > SHOWN ? "..\"" : "\"");
}

void spv__expect_text(spv_case *c, const char *what, const char *got,
                      const char *want)
{
    if (holds(c, what, strcmp(got, want) == 0))
        return;
    spv__case_say(c, "got ");
    say_text(c, got);
    spv__case_say(c, ", want ");
    say_text(c, want);
}

static void say_bytes(spv_case *c, spv_view v, size_t from)
{
    enum { SHOWN = 40 };
    size_t to = v.len - from > SHOWN ? from + SHOWN : v.len;

    spv__case_say(c, from ? ".." : "");
    for (size_t i = from; i < to; i++)
        spv__case_say(c, "%02x", v.bytes[i]);
    spv__case_say(c, "%s (%zu bytes)", to < v.len ? ".." : "", v.len);
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

void spv__expect_bytes(spv_case *c, const char *what, const uint8_t *got,
                       size_t got_len, spv_view want)
{
    spv_view mine = {got, got_len};
    size_t at = first_difference(mine, want);

    if (holds(c, what, at == mine.len && at == want.len))
        return;
    spv__case_say(c, "at byte %zu: got ", at);
    say_bytes(c, mine, at);
    spv__case_say(c, ", want ");
    say_bytes(c, want, at);
}

void spv__expect_hash(spv_case *c, const char *what, const spv_hash *got,
                      const spv_hash *want)
{
    char got_text[SPV_HASH_TEXT];
    char want_text[SPV_HASH_TEXT];

    spv_hash_format(got_text, got);
    spv_hash_format(want_text, want);
    spv__expect_text(c, what, got_text, want_text);
}

void spv__expect_buf(spv_case *c, const char *what, const spv_buf *got,
                     spv_view want)
{
    if (got->err == SPV_NOMEM)
        c->err = got->err;
    else
        spv__expect_bytes(c, what, got->bytes, got->len, want);
}

bool spv__expect_ok(spv_case *c, const char *what, spv_err got)
{
    if (got == SPV_NOMEM)
        c->err = got;
    else
        spv__expect_text(c, what, spv_err_name(got), "OK");
    return got == SPV_OK;
}
