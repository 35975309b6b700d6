#include <string.h>

#include "wallet/descriptor.h"

static const char input_charset[] = "0123456789()[],'/*abcdefgh@:$%{}"
                                    "IJKLMNOPQRSTUVWXYZ&+-.;<=>?!^_|~"
                                    "ijklmnopqrstuvwxyzABCDEFGH`#\"\\ ";

static const char checksum_charset[] = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";

static uint64_t polymod(uint64_t c, unsigned value)
{
    static const uint64_t generator[5] = {
        UINT64_C(0xf5dee51989), UINT64_C(0xa9fdca3312), UINT64_C(0x1bab10e32d),
        UINT64_C(0x3706b1677a), UINT64_C(0x644d626ffd)};
    uint64_t top = c >> 35;

    c = (c & UINT64_C(0x7ffffffff)) << 5 ^ value;
    for (int i = 0; i < 5; i++)
        if (top >> i & 1)
            c ^= generator[i];
    return c;
}

/* BIP 380: "The symbol for each character is its position within its group.
 * After every 3rd symbol, a 4th symbol is inserted which represents the group
 * numbers combined together." */
spv_err spv__descriptor_checksum(char out[SPV_DESCRIPTOR_CHECKSUM],
                                 const char *text, size_t len, size_t *at)
{
    uint64_t c = 1;
    unsigned groups = 0;

    for (size_t i = 0; i < len; i++) {
        const char *found = text[i] ? strchr(input_charset, text[i]) : NULL;
        unsigned position = 0;

        if (!found) {
            if (at)
                *at = i;
            return SPV_MALFORMED;
        }
        position = (unsigned)(found - input_charset);
        c = polymod(c, position & 31);
        groups = groups * 3 + (position >> 5);
        if (i % 3 == 2) {
            c = polymod(c, groups);
            groups = 0;
        }
    }
    if (len % 3)
        c = polymod(c, groups);
    for (int i = 0; i < 8; i++)
        c = polymod(c, 0);
    c ^= 1;
    for (int i = 0; i < 8; i++)
        out[i] = checksum_charset[c >> (5 * (7 - i)) & 31];
    out[8] = '\0';
    return SPV_OK;
}
