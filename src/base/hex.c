#include "base/hex.h"

void spv__hex_format(char *out, const uint8_t *bytes, size_t len)
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < len; i++) {
        *out++ = digits[bytes[i] >> 4];
        *out++ = digits[bytes[i] & 15];
    }
    *out = '\0';
}

/* The value of a digit, or -1. */
static int digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

spv_err spv__hex_parse_to(uint8_t *out, const char *text, size_t len)
{
    if (len % 2)
        return SPV_MALFORMED;
    for (size_t i = 0; i < len; i += 2) {
        int high = digit(text[i]);
        int low = digit(text[i + 1]);

        if (high < 0 || low < 0)
            return SPV_MALFORMED;
        *out++ = (uint8_t)(high << 4 | low);
    }
    return SPV_OK;
}

spv_err spv__hex_parse(spv_buf *out, const char *text, size_t len)
{
    uint8_t *at = spv__buf_room(out, len / 2);
    spv_err err = out->err;

    if (err == SPV_OK)
        err = spv__hex_parse_to(at, text, len);
    if (err == SPV_OK)
        out->len += len / 2;
    return err;
}
