#include "base/base58.h"

#include <stdbool.h>
#include <string.h>

#include "base/digest.h"

/* Bytes that always fit in SPV__BASE58_MAX characters. */
enum { MAX_BYTES = 360, CHECK = 4 };

static const char alphabet[] =
    "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/* Digits of a number in either base, most significant first on the way in and
 * least significant first on the way out. */
typedef struct digits {
    uint8_t at[SPV__BASE58_MAX];
    size_t len;
} digits;

static digits rebase(const uint8_t *in, size_t len, unsigned from, unsigned to)
{
    digits out = {.len = 0};

    for (size_t i = 0; i < len; i++) {
        unsigned carry = in[i];

        for (size_t j = 0; j < out.len || carry; j++) {
            if (j == out.len)
                out.at[out.len++] = 0;
            carry += out.at[j] * from;
            out.at[j] = (uint8_t)(carry % to);
            carry /= to;
        }
    }
    return out;
}

/* A number says nothing of the zeros before it, so they are kept apart. */
static size_t leading_zeros(const uint8_t *bytes, size_t len)
{
    size_t n = 0;

    while (n < len && bytes[n] == 0)
        n++;
    return n;
}

spv_err spv__base58_format(spv_buf *out, const uint8_t *bytes, size_t len)
{
    digits number;

    if (len > MAX_BYTES)
        return SPV_LIMIT;
    number = rebase(bytes, len, 256, 58);
    for (size_t i = leading_zeros(bytes, len); i-- > 0;)
        spv__put_u8(out, (uint8_t)alphabet[0]);
    while (number.len-- > 0)
        spv__put_u8(out, (uint8_t)alphabet[number.at[number.len]]);
    return out->err;
}

/* The value of each character; false for one that has none. */
static bool read_digits(digits *values, const char *text, size_t len)
{
    for (values->len = 0; values->len < len; values->len++) {
        char c = text[values->len];
        const char *found = c ? strchr(alphabet, c) : NULL;

        if (!found)
            return false;
        values->at[values->len] = (uint8_t)(found - alphabet);
    }
    return true;
}

spv_err spv__base58_parse(spv_buf *out, const char *text, size_t len)
{
    digits values;
    digits number;

    if (len > SPV__BASE58_MAX)
        return SPV_LIMIT;
    if (!read_digits(&values, text, len))
        return SPV_MALFORMED;
    number = rebase(values.at, len, 58, 256);
    for (size_t i = leading_zeros(values.at, len); i-- > 0;)
        spv__put_u8(out, 0);
    while (number.len-- > 0)
        spv__put_u8(out, number.at[number.len]);
    return out->err;
}

spv_err spv__base58check_format(spv_buf *out, const uint8_t *bytes, size_t len)
{
    uint8_t checked[MAX_BYTES];
    spv_hash sum;

    if (len > MAX_BYTES - CHECK)
        return SPV_LIMIT;
    spv__sha256d(&sum, bytes, len);
    if (len)
        memcpy(checked, bytes, len);
    memcpy(checked + len, sum.bytes, CHECK);
    return spv__base58_format(out, checked, len + CHECK);
}

spv_err spv__base58check_parse(spv_buf *out, const char *text, size_t len)
{
    size_t start = out->len;
    spv_err err = spv__base58_parse(out, text, len);
    spv_hash sum;

    if (err != SPV_OK)
        return err;
    if (out->len - start < CHECK) {
        out->len = start;
        return SPV_MALFORMED;
    }
    out->len -= CHECK;
    spv__sha256d(&sum, out->bytes + start, out->len - start);
    if (memcmp(sum.bytes, out->bytes + out->len, CHECK) == 0)
        return SPV_OK;
    out->len = start;
    return SPV_CHECKSUM;
}
