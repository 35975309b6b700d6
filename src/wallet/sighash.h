#ifndef SPV_WALLET_SIGHASH_H
#define SPV_WALLET_SIGHASH_H

#include <stddef.h>
#include <stdint.h>

#include <spv/tx.h>

#include "base/buf.h"

/*
 * What signatures sign: the three algorithms, each as the message that is
 * hashed and as its hash.
 *
 * A transaction is taken as spv_tx, decoded or filled in by hand; of it only
 * the version, the lock time and, of inputs and outputs, all but script and
 * witness of the inputs are looked at.
 */

/** Hash types; the low bits say which outputs are signed. */
enum {
    SPV__SIGHASH_DEFAULT = 0, /**< taproot only: all, without a byte for it */
    SPV__SIGHASH_ALL = 1,
    SPV__SIGHASH_NONE = 2,
    SPV__SIGHASH_SINGLE = 3,
    SPV__SIGHASH_ANYONECANPAY = 0x80
};

/** SHA-256 of parts of a transaction, the same for each of its inputs. With
 * them the cost of signing all inputs grows with their number, not its
 * square. */
typedef struct spv_sighash_parts {
    uint8_t prevouts[32];
    uint8_t sequences[32];
    uint8_t outputs[32];
    uint8_t amounts[32]; /**< of the outputs spent; taproot only */
    uint8_t scripts[32]; /**< of the outputs spent; taproot only */
} spv_sighash_parts;

/** Compute the parts. `spent` are the outputs that the inputs spend, in their
 * order, or NULL when no input is taproot. SPV_NOMEM. */
spv_err spv__sighash_parts(spv_sighash_parts *out, const spv_tx *tx,
                           const spv_txout *spent);

/** Append what input `in` signs before segwit. A hash type's bits above the
 * lowest byte are signed too. SPV_INVAL when SIGHASH_SINGLE has no output:
 * nothing is hashed then, see below. */
spv_err spv__sighash_legacy_message(spv_buf *out, const spv_tx *tx, size_t in,
                                    const uint8_t *script_code, size_t len,
                                    uint32_t hash_type);

/** Its hash. Without an output for SIGHASH_SINGLE, or such an input, that is
 * the number one, as nodes have it. */
spv_err spv__sighash_legacy(uint8_t out[32], const spv_tx *tx, size_t in,
                            const uint8_t *script_code, size_t len,
                            uint32_t hash_type);

/** BIP 143: witness version 0. `code` is the script that is signed for with
 * the value of the output spent. */
spv_err spv__sighash_v0_message(spv_buf *out, const spv_tx *tx,
                                const spv_sighash_parts *parts, size_t in,
                                const spv_txout *code, uint32_t hash_type);
spv_err spv__sighash_v0(uint8_t out[32], const spv_tx *tx,
                        const spv_sighash_parts *parts, size_t in,
                        const spv_txout *code, uint32_t hash_type);

/** BIP 341, key path without annex: the epoch byte and SigMsg. SPV_INVAL for
 * a hash type that it does not define, or SIGHASH_SINGLE without an output. */
spv_err spv__sighash_taproot_message(spv_buf *out, const spv_tx *tx,
                                     const spv_sighash_parts *parts, size_t in,
                                     const spv_txout *spent, uint8_t hash_type);
spv_err spv__sighash_taproot(uint8_t out[32], const spv_tx *tx,
                             const spv_sighash_parts *parts, size_t in,
                             const spv_txout *spent, uint8_t hash_type);

#endif
