#ifndef SPV_MERKLE_H
#define SPV_MERKLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <spv/hash.h>
#include <spv/network.h>
#include <spv/tx.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Partial merkle trees (BIP 37): the proof that transactions are in a block.
 *
 * The header commits to the root and so to the txids, but neither to the
 * number of transactions nor to their positions: nothing may rest on those.
 */

/** MAX_BLOCK_WEIGHT / (WITNESS_SCALE_FACTOR * smallest transaction). */
#define SPV_MERKLE_TXS_MAX 16666

/** Every way a proof can fail, in the order the checks are made. */
#define SPV_MERKLE_MAP(X)                                           \
    X(OK, "accepted")                                               \
    X(MEMORY, "out-of-memory")                                      \
    X(PARSE, "parse-error")                                         \
    X(NO_TXS, "no-transactions")                                    \
    X(TOO_MANY_TXS, "too-many-transactions")                        \
    X(TOO_MANY_HASHES, "more-hashes-than-transactions")             \
    X(TOO_FEW_BITS, "fewer-bits-than-hashes")                       \
    X(BITS_OVERRUN, "bits-overrun")                                 \
    X(HASHES_OVERRUN, "hashes-overrun")                             \
    X(TWINS, "identical-siblings")             /* CVE-2012-2459 */  \
    X(NODE_IS_TX, "inner-node-is-transaction") /* CVE-2017-12842 */ \
    X(UNUSED_BITS, "unused-flag-bytes")                             \
    X(UNUSED_HASHES, "unused-hashes")                               \
    X(ROOT, "root-mismatch")                                        \
    X(POW, "proof-of-work")

typedef enum spv_merkle_verdict {
#define X(name, text) SPV_MERKLE_##name,
    SPV_MERKLE_MAP(X)
#undef X
} spv_merkle_verdict;

/** "root-mismatch", ...: never NULL. Static. */
SPV_API const char *spv_merkle_verdict_text(spv_merkle_verdict verdict);

/** A partial tree as it lies in a merkleblock; everything is borrowed. */
typedef struct spv_merkle_tree {
    uint32_t n_txs;
    const uint8_t *hashes; /**< 32 bytes each, wire order, depth first */
    size_t n_hashes;
    const uint8_t *flags; /**< bits, least significant first */
    size_t flags_len;
} spv_merkle_tree;

/** A transaction that a proof claims to be in its block. */
typedef struct spv_merkle_leaf {
    spv_hash txid;
    uint32_t position; /**< not committed by the header */
} spv_merkle_leaf;

/** Leaves in block order. Zero it first, clear it last; the array is kept
 * from one proof to the next. */
typedef struct spv_merkle_proof {
    spv_hash root; /**< as computed */
    spv_merkle_leaf *leaves;
    size_t n;
    size_t cap;
} spv_merkle_proof;

SPV_API void spv_merkle_proof_clear(spv_merkle_proof *proof);

/**
 * Check a partial tree against the root of its header (or only compute the
 * root: NULL), and list what it proves. `proof->n` is 0 unless SPV_MERKLE_OK.
 *
 * All rules of the reference implementation hold (padding bits of the last
 * flag byte are free, as there), and no inner node may read as a transaction.
 * Memory and stack are bounded by the hashes given and the depth of 16,666
 * leaves.
 */
SPV_API spv_merkle_verdict spv_merkle_verify(spv_merkle_proof *proof,
                                             const spv_merkle_tree *tree,
                                             const spv_hash *root);

/**
 * The same for a whole merkleblock payload: its encoding, the tree, and the
 * proof of work of its header against its own bits (NULL network: not asked).
 * That the header is in the chain is for the caller to know.
 */
SPV_API spv_merkle_verdict spv_merkle_verify_block(spv_merkle_proof *proof,
                                                   const uint8_t *payload,
                                                   size_t len,
                                                   const spv_network *network);

/**
 * Whether a proof may vouch for `tx`. A transaction of 64 bytes (without
 * witness) could be an inner node of the tree in disguise, so none is believed.
 */
SPV_API bool spv_merkle_may_prove(const spv_tx *tx);

/** The merkle root of `n` > 0 txids, in block order. SPV_NOMEM. */
SPV_API SPV_MUST_USE spv_err spv_merkle_root(spv_hash *root,
                                             const spv_hash *txids, size_t n);

/**
 * Build the partial tree of `n` > 0 txids, of which those with a true
 * `matched` are to be proved. Owned: free with spv_merkle_tree_free. SPV_NOMEM.
 */
SPV_API SPV_MUST_USE spv_err spv_merkle_build(spv_merkle_tree *out,
                                              const spv_hash *txids,
                                              const bool *matched, uint32_t n);

/** Free a tree made by spv_merkle_build, and only such a one. */
SPV_API void spv_merkle_tree_free(spv_merkle_tree *tree);

#ifdef __cplusplus
}
#endif

#endif
