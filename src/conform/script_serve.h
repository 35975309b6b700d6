#ifndef SPV_CONFORM_SCRIPT_SERVE_H
#define SPV_CONFORM_SCRIPT_SERVE_H

#include "base/buf.h"
#include "base/rng.h"
#include "conform/script_node.h"

/*
 * How a block looks on the wire to a BIP 37 client: what the node filters out,
 * what it proves, and what it sends. Bad habits are a lie at one of the three.
 */

/** A block taken apart; every transaction is decoded. */
typedef struct spv_script_served {
    const spv_script_block *block;
    spv_tx *txs;
    spv_hash *txids;
    bool *proved; /* in the merkle proof */
    bool *sent;
    size_t n;
    bool lies;  /* in a way that can be proved */
    bool omits; /* a match */
} spv_script_served;

/** Take apart and decide, updating the filter as a node does. What a block
 * holds is never wrong here, so SPV_NOMEM; then there is nothing to end. */
spv_err spv__script_serve_begin(spv_script_served *s, const spv_script_block *b,
                                spv_filter *filter,
                                const spv_script_habits *habits, spv_rng *r);
void spv__script_serve_end(spv_script_served *s);

/** Append a merkleblock payload. The buffer fails with SPV_NOMEM. */
void spv__script_put_proof(spv_buf *out, const spv_script_served *s,
                           const spv_script_habits *habits);

/** Append a block without witnesses. */
void spv__script_put_block(spv_buf *out, const spv_script_block *b);

#endif
