#ifndef SPV_MNEMONIC_H
#define SPV_MNEMONIC_H

#include <stddef.h>
#include <stdint.h>

#include <spv/err.h>
#include <spv/text_error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Longest mnemonic with its zero: 24 words of 8 letters. */
#define SPV_MNEMONIC_TEXT 216

/**
 * The English mnemonic of `entropy`, BIP 39: 12, 15, 18, 21 or 24 words for
 * 16, 20, 24, 28 or 32 bytes (SPV_INVAL for another length).
 *
 * The entropy must come from a source fit for keys. Overwrite `out` after use.
 */
SPV_API SPV_MUST_USE spv_err spv_mnemonic_of_entropy(
    char out[SPV_MNEMONIC_TEXT], const uint8_t *entropy, size_t len);

/**
 * Check a mnemonic and write it in its one right form to `out`: lower case,
 * words parted by single spaces.
 *
 * SPV_MALFORMED for a wrong number of words or one that is not in the list
 * (`error` says which, and its place), SPV_CHECKSUM when all are in the list
 * but do not belong together. `error` may be NULL.
 */
SPV_API SPV_MUST_USE spv_err spv_mnemonic_parse(char out[SPV_MNEMONIC_TEXT],
                                                const char *text,
                                                spv_text_error *error);

#ifdef __cplusplus
}
#endif

#endif
