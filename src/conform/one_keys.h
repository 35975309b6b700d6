#ifndef SPV_CONFORM_ONE_KEYS_H
#define SPV_CONFORM_ONE_KEYS_H

#include <stddef.h>
#include <stdint.h>

/*
 * Public keys with a signature that is good for any transaction.
 *
 * The hash type SIGHASH_SINGLE signs the output at the index of the input.
 * Where there is none, every full node takes the number one for the hash of
 * the transaction (for ever: it is consensus), and the same signature holds
 * everywhere. So outputs to real keys can be spent without a secret and
 * without a library for it. The private keys are the numbers 1 to 8.
 */
enum {
    SPV__ONE_KEYS = 8,
    SPV__ONE_KEY_LEN = 65,
    SPV__ONE_KEY_SHORT = 33,
    SPV__ONE_SIG_LEN = 71
};

typedef struct spv_one_key {
    uint8_t key[SPV__ONE_KEY_LEN]; /* 04, x, y */
    uint8_t sig[SPV__ONE_SIG_LEN]; /* DER, then SIGHASH_SINGLE */
} spv_one_key;

extern const spv_one_key spv__one_keys[SPV__ONE_KEYS];

/** Key `n` in its compressed form. */
void spv__one_key_short(uint8_t out[SPV__ONE_KEY_SHORT], size_t n);

#endif
