#include "cli/trouble.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

spv_err cli_trouble(spv_trouble *trouble, spv_err code, const char *format, ...)
{
    va_list args;

    trouble->code = code;
    trouble->hint[0] = '\0';
    va_start(args, format);
    (void)vsnprintf(trouble->text, sizeof(trouble->text), format, args);
    va_end(args);
    return code;
}

spv_err cli_hint(spv_trouble *trouble, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    (void)vsnprintf(trouble->hint, sizeof(trouble->hint), format, args);
    va_end(args);
    return trouble->code;
}

spv_err cli_trouble_at(spv_trouble *trouble, const char *format, ...)
{
    char place[sizeof(trouble->text) / 2];
    char text[sizeof(trouble->text)];
    va_list args;
    int len = 0;

    memcpy(text, trouble->text, sizeof(text));
    va_start(args, format);
    (void)vsnprintf(place, sizeof(place), format, args);
    va_end(args);
    len = snprintf(trouble->text, sizeof(trouble->text), "%s: ", place);
    (void)snprintf(trouble->text + len, sizeof(trouble->text) - (size_t)len,
                   "%.*s", (int)(sizeof(trouble->text) - (size_t)len - 1),
                   text);
    return trouble->code;
}

/* ---- Text that is text ---- */

/* Bytes of the UTF-8 character at `text` (RFC 3629); 0 when there is none. */
static size_t character_len(const unsigned char *text)
{
    static const struct {
        unsigned char first[2];
        unsigned char second[2]; /* the third and fourth are 80 to bf */
        size_t len;
    } forms[] = {
        {{0x01, 0x7f}, {0, 0}, 1},       {{0xc2, 0xdf}, {0x80, 0xbf}, 2},
        {{0xe0, 0xe0}, {0xa0, 0xbf}, 3}, {{0xe1, 0xec}, {0x80, 0xbf}, 3},
        {{0xed, 0xed}, {0x80, 0x9f}, 3}, {{0xee, 0xef}, {0x80, 0xbf}, 3},
        {{0xf0, 0xf0}, {0x90, 0xbf}, 4}, {{0xf1, 0xf3}, {0x80, 0xbf}, 4},
        {{0xf4, 0xf4}, {0x80, 0x8f}, 4},
    };
    size_t i = 0;

    while (i < sizeof(forms) / sizeof(forms[0]) &&
           (*text < forms[i].first[0] || *text > forms[i].first[1]))
        i++;
    if (i == sizeof(forms) / sizeof(forms[0]))
        return 0;
    for (size_t k = 1; k < forms[i].len; k++) {
        unsigned char least = k == 1 ? forms[i].second[0] : 0x80;
        unsigned char most = k == 1 ? forms[i].second[1] : 0xbf;

        if (text[k] < least || text[k] > most)
            return 0;
    }
    return forms[i].len;
}

/* Whether a terminal would obey the character instead of showing it: control
 * characters, ends of lines and changes of direction. */
static bool is_obeyed(const unsigned char *text, size_t len)
{
    static const struct {
        const char *before; /* all bytes but the last */
        unsigned char last[2];
    } obeyed[] = {
        {"", {0x01, 0x1f}},         {"", {0x7f, 0x7f}},
        {"\xc2", {0x80, 0x9f}},     {"\xd8", {0x9c, 0x9c}},
        {"\xe2\x80", {0x8e, 0x8f}}, {"\xe2\x80", {0xa8, 0xae}},
        {"\xe2\x81", {0xa6, 0xa9}},
    };

    for (size_t i = 0; i < sizeof(obeyed) / sizeof(obeyed[0]); i++)
        if (strlen(obeyed[i].before) + 1 == len &&
            memcmp(text, obeyed[i].before, len - 1) == 0 &&
            text[len - 1] >= obeyed[i].last[0] &&
            text[len - 1] <= obeyed[i].last[1])
            return true;
    return false;
}

void cli_make_text(char *out, size_t size, const char *text)
{
    static const char unknown[] = "\xef\xbf\xbd"; /* U+FFFD */
    size_t len = 0;

    while (*text) {
        const unsigned char *at = (const unsigned char *)text;
        size_t n = character_len(at);
        bool shown = n > 0 && !is_obeyed(at, n);
        size_t written = shown ? n : sizeof(unknown) - 1;

        if (len + written >= size)
            break;
        memcpy(out + len, shown ? text : unknown, written);
        len += written;
        text += n ? n : 1;
    }
    out[len] = '\0';
}

void cli_trouble_make_text(spv_trouble *trouble)
{
    spv_trouble raw = *trouble;

    cli_make_text(trouble->text, sizeof(trouble->text), raw.text);
    cli_make_text(trouble->hint, sizeof(trouble->hint), raw.hint);
}

/* ---- Exit codes ---- */

/*
 * 0 ok  1 failure  2 usage  3 not found  4 locked or wrong password
 * 5 no usable peer  6 not synced / timed out  7 not enough funds
 * 8 not relayed  9 data folder in use  10 data damaged
 * 11 peer broke the protocol  130 interrupted
 */
int cli_exit_code(spv_err err)
{
    static const struct {
        spv_err err;
        int code;
    } codes[] = {
        {SPV_OK, 0},
        {SPV_NOMEM, 1},
        {SPV_INVAL, 2},
        {SPV_TRUNCATED, 2},
        {SPV_MALFORMED, 2},
        {SPV_LIMIT, 2},
        {SPV_CHECKSUM, 2},
        {SPV_NETWORK, 2},
        {SPV_NOT_FOUND, 3},
        {SPV_EXISTS, 1},
        {SPV_LOCKED, 4},
        {SPV_NO_PEER, 5},
        {SPV_TIMEOUT, 6},
        {SPV_FUNDS, 7},
        {SPV_NOT_RELAYED, 8},
        {SPV_BUSY, 9},
        {SPV_DAMAGED, 10},
        {SPV_PROTOCOL, 11},
        {SPV_INTERRUPTED, 130},
        {SPV_IO, 1},
        {SPV_UNSUPPORTED, 2},
        {SPV_PROOF, 1},
        {SPV_CRYPTO, 1},
        {SPV_CLOSED, 5},
    };

    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
        if (codes[i].err == err)
            return codes[i].code;
    return 1;
}
