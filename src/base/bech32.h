#ifndef SPV_BASE_BECH32_H
#define SPV_BASE_BECH32_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/** The checksum constant tells the two encodings apart (BIP 173, BIP 350). */
typedef enum spv_bech32_kind { SPV_BECH32, SPV_BECH32M } spv_bech32_kind;

/** Longest string: BIP 173 says 90 characters in all. */
#define SPV__BECH32_MAX 90

typedef struct spv_bech32 {
    spv_bech32_kind kind;
    char hrp[84];     /**< human-readable part, lower case, zero ended */
    uint8_t data[84]; /**< 5-bit groups, without the checksum */
    size_t len;
} spv_bech32;

/** Read a string of either kind; mixed case, a bad character, a bad length
 * or separator is SPV_MALFORMED, a bad checksum SPV_CHECKSUM. */
spv_err spv__bech32_parse(spv_bech32 *out, const char *text, size_t len);

/** Append the text of `b`, without a zero. */
spv_err spv__bech32_format(spv_buf *out, const spv_bech32 *b);

/** Regroup bits. Padding on the way back must be under `from` bits, and zero:
 * else SPV_MALFORMED. `out` must hold the result; its length goes to `n`. */
spv_err spv__bech32_regroup(uint8_t *out, size_t cap, size_t *n,
                            const uint8_t *in, size_t len, unsigned from,
                            unsigned to, bool pad);

#endif
