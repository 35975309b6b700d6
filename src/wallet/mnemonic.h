#ifndef SPV_WALLET_MNEMONIC_H
#define SPV_WALLET_MNEMONIC_H

#include <stddef.h>
#include <stdint.h>

#include <spv/mnemonic.h>

#include "base/buf.h"

/** Bytes of the seed that a mnemonic and its passphrase give. */
#define SPV__SEED_LEN 64

/** Entropy of a mnemonic in any case and spacing; errors as
 * spv_mnemonic_parse. Cleanse `out` after use. */
spv_err spv__mnemonic_entropy(uint8_t out[32], size_t *len, const char *text,
                              spv_text_error *error);

/**
 * Seed of a mnemonic, BIP 39: 2048 rounds of PBKDF2 with HMAC-SHA512.
 *
 * The mnemonic is checked as by spv_mnemonic_parse; the passphrase may be
 * empty, its spaces count, and it is normalised (SPV_UNSUPPORTED: see
 * spv__nfkd). Cleanse `out` after use.
 */
spv_err spv__mnemonic_seed(uint8_t out[SPV__SEED_LEN], const char *mnemonic,
                           const char *passphrase, spv_text_error *error);

/** Longest text that spv__nfkd takes, in characters, and gives. */
#define SPV__NFKD_MAX 512

/**
 * Append UTF-8 `text` in Unicode's normalisation form KD, without a zero.
 *
 * Known are ASCII, the Latin, Greek and Cyrillic letters with their accents
 * (U+0080 to U+04FF, U+1E00 to U+1EFF). Any other character is
 * SPV_UNSUPPORTED, its offset in `at`, rather than a seed which no other
 * wallet would find. SPV_MALFORMED when it is not UTF-8; SPV_LIMIT.
 */
spv_err spv__nfkd(spv_buf *out, const char *text, size_t *at);

#endif
