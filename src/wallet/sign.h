#ifndef SPV_WALLET_SIGN_H
#define SPV_WALLET_SIGN_H

#include <stddef.h>
#include <stdint.h>

#include <spv/tx.h>

#include "base/buf.h"
#include "wallet/key.h"
#include "wallet/sighash.h"

/** What makes an input spend its output. Clear it after use. */
typedef struct spv_unlock {
    spv_buf script;  /**< scriptSig, without its length; empty for native
                      * segwit */
    spv_buf witness; /**< item count and items, as on the wire; empty before
                      * segwit */
} spv_unlock;

/** What is signed: the transaction and the outputs that it spends. */
typedef struct spv_signing {
    const spv_tx *tx;
    const spv_txout *spent; /**< one for each input */
    spv_sighash_parts parts;
} spv_signing;

/** Prepare to sign inputs of `tx`; it and `spent` are borrowed. SPV_NOMEM. */
spv_err spv__signing_init(spv_signing *s, const spv_tx *tx,
                          const spv_txout *spent);

/**
 * Sign input `in` with the private key of a P2PK, P2PKH, P2WPKH, P2SH-P2WPKH or
 * P2TR (BIP 86: no scripts) output.
 *
 * `hash_type` is SIGHASH_ALL or another; for taproot SIGHASH_DEFAULT is the
 * usual one. `aux` is 32 bytes of entropy for Schnorr signatures, or NULL.
 * SPV_NOT_FOUND when the output is not this key's, or not of these kinds;
 * SPV_INVAL, SPV_CRYPTO, SPV_NOMEM. On failure `out` is empty.
 */
spv_err spv__sign_input(spv_unlock *out, const spv_signing *s, size_t in,
                        const spv_key *key, uint8_t hash_type,
                        const uint8_t *aux);

void spv__unlock_clear(spv_unlock *unlock);

#endif
