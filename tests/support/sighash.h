#ifndef SUPPORT_SIGHASH_H
#define SUPPORT_SIGHASH_H

#include "support/draft.h"

/*
 * What is signed for input `at` of a draft: all inputs and all outputs.
 *
 * Written apart from the library's own, so that the two check each other.
 */
typedef enum sighash_kind {
    SIGHASH_LEGACY,
    SIGHASH_WITNESS_V0, /* BIP 143, for a public key hash */
    SIGHASH_TAPROOT     /* BIP 341, key path */
} sighash_kind;

/** `pkh` is the key's HASH160; unused for SIGHASH_TAPROOT. */
void sighash(uint8_t out[32], sighash_kind kind, const draft *d, size_t at,
             const uint8_t pkh[20]);

#endif
