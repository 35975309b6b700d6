#include "base/bech32.h"

#include <string.h>

enum { CHECK = 6, GROUP_BITS = 5 };

static const char alphabet[] = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";

/* What the checksum of a right string comes to, in the order of the kinds. */
static const uint32_t constants[] = {
    [SPV_BECH32] = 1,
    [SPV_BECH32M] = 0x2bc830a3,
};

/* One step of the BCH code: BIP 173's polymod. */
static uint32_t step(uint32_t sum, uint8_t value)
{
    static const uint32_t generator[5] = {0x3b6a57b2, 0x26508e6d, 0x1ea119fa,
                                          0x3d4233dd, 0x2a1462b3};
    uint32_t top = sum >> 25;

    sum = (sum & 0x1ffffff) << 5 ^ value;
    for (unsigned i = 0; i < 5; i++)
        if (top >> i & 1)
            sum ^= generator[i];
    return sum;
}

/* The sum over the prefix, "expanded": high bits, a zero, low bits. */
static uint32_t sum_of_prefix(const char *hrp)
{
    uint32_t sum = 1;

    for (const char *c = hrp; *c; c++)
        sum = step(sum, (uint8_t)(*c >> 5));
    sum = step(sum, 0);
    for (const char *c = hrp; *c; c++)
        sum = step(sum, (uint8_t)(*c & 31));
    return sum;
}

/* Copy in lower case. BIP 173: "Decoders MUST NOT accept strings where some
 * characters are uppercase and some are lowercase". */
static bool lower(char *out, const char *text, size_t len)
{
    bool has_lower = false;
    bool has_upper = false;

    for (size_t i = 0; i < len; i++) {
        char c = text[i];

        if (c < 33 || c > 126)
            return false;
        has_lower |= c >= 'a' && c <= 'z';
        has_upper |= c >= 'A' && c <= 'Z';
        out[i] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    }
    out[len] = '\0';
    return !(has_lower && has_upper);
}

/* Read groups with their checksum; what the sum comes to goes to `sum`. */
static bool read_groups(spv_bech32 *out, uint32_t *sum, const char *text)
{
    uint8_t groups[SPV__BECH32_MAX];
    size_t n = 0;

    *sum = sum_of_prefix(out->hrp);
    for (; text[n]; n++) {
        const char *found = strchr(alphabet, text[n]);

        if (!found)
            return false;
        groups[n] = (uint8_t)(found - alphabet);
        *sum = step(*sum, groups[n]);
    }
    if (n < CHECK)
        return false;
    out->len = n - CHECK;
    memcpy(out->data, groups, out->len);
    return true;
}

spv_err spv__bech32_parse(spv_bech32 *out, const char *text, size_t len)
{
    char copy[SPV__BECH32_MAX + 1];
    spv_bech32 b = {.len = 0};
    char *separator = NULL;
    uint32_t sum = 0;

    if (len > SPV__BECH32_MAX || !lower(copy, text, len))
        return SPV_MALFORMED;
    separator = strrchr(copy, '1');
    if (!separator || separator == copy ||
        separator - copy >= (ptrdiff_t)sizeof(b.hrp))
        return SPV_MALFORMED;
    memcpy(b.hrp, copy, (size_t)(separator - copy));
    if (!read_groups(&b, &sum, separator + 1))
        return SPV_MALFORMED;
    if (sum != constants[SPV_BECH32] && sum != constants[SPV_BECH32M])
        return SPV_CHECKSUM;
    b.kind = sum == constants[SPV_BECH32] ? SPV_BECH32 : SPV_BECH32M;
    *out = b;
    return SPV_OK;
}

spv_err spv__bech32_format(spv_buf *out, const spv_bech32 *b)
{
    size_t hrp_len = strlen(b->hrp);
    uint32_t sum = sum_of_prefix(b->hrp);

    if (hrp_len == 0 || hrp_len + 1 + b->len + CHECK > SPV__BECH32_MAX)
        return SPV_LIMIT;
    spv__put_bytes(out, b->hrp, hrp_len);
    spv__put_u8(out, '1');
    for (size_t i = 0; i < b->len; i++) {
        sum = step(sum, b->data[i]);
        spv__put_u8(out, (uint8_t)alphabet[b->data[i]]);
    }
    for (unsigned i = 0; i < CHECK; i++)
        sum = step(sum, 0);
    sum ^= constants[b->kind];
    for (unsigned i = CHECK; i-- > 0;)
        spv__put_u8(out, (uint8_t)alphabet[sum >> GROUP_BITS * i & 31]);
    return out->err;
}

spv_err spv__bech32_regroup(uint8_t *out, size_t cap, size_t *n,
                            const uint8_t *in, size_t len, unsigned from,
                            unsigned to, bool pad)
{
    uint32_t held = 0;
    unsigned bits = 0;

    *n = 0;
    for (size_t i = 0; i < len; i++) {
        if (in[i] >> from)
            return SPV_MALFORMED;
        held = (held << from | in[i]) & 0xffff;
        for (bits += from; bits >= to; bits -= to) {
            if (*n == cap)
                return SPV_LIMIT;
            out[(*n)++] = (uint8_t)(held >> (bits - to) & ((1U << to) - 1));
        }
    }
    held &= (1U << bits) - 1;
    if (!pad)
        return bits >= from || held ? SPV_MALFORMED : SPV_OK;
    if (bits && *n == cap)
        return SPV_LIMIT;
    if (bits)
        out[(*n)++] = (uint8_t)(held << (to - bits));
    return SPV_OK;
}
