#include "cli/trouble.h"

#include <stdarg.h>
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
