#ifndef SPV_WALLET_KEY_H
#define SPV_WALLET_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <spv/err.h>
#include <spv/network.h>

#include "base/buf.h"

/** A single private key, as a WIF text holds it. Clear it after use. */
typedef struct spv_key {
    uint8_t secret[32];
    bool compressed; /**< which form of its public key is meant */
} spv_key;

/** Longest WIF text with its zero. */
#define SPV__WIF_TEXT 53

/**
 * Read a private key in wallet import format.
 *
 * SPV_NETWORK when it is a key of another network, SPV_CHECKSUM,
 * SPV_MALFORMED for all else, a number that is no private key included.
 */
spv_err spv__key_parse(spv_key *out, const char *text, size_t len,
                       const spv_network *network);

/** Write the text of `key`; SPV_NOMEM. */
spv_err spv__key_format(char out[SPV__WIF_TEXT], const spv_key *key,
                        const spv_network *network);

/** Public key, 33 or 65 bytes by `key->compressed`; its length to `len`. */
spv_err spv__key_public(uint8_t out[65], size_t *len, const spv_key *key);

/** Overwrite the secret. */
void spv__key_clear(spv_key *key);

/** Free a buffer after overwriting all that it holds. */
void spv__secret_buf_clear(spv_buf *b);

/** An empty buffer with room for `n` bytes of secrets, so that growing leaves
 * no copies behind. */
spv_buf spv__secret_buf(size_t n);

#endif
