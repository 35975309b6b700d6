#ifndef SUPPORT_SIMSERVE_H
#define SUPPORT_SIMSERVE_H

#include "base/buf.h"
#include "support/simnode.h"

/*
 * How a block looks on the wire to a BIP 37 client: what the node filters out,
 * what it proves, and what it sends. Bad habits are a lie at one of the three.
 */

/** A block taken apart; every transaction is decoded. */
typedef struct simserve_block {
    const simblock *block;
    spv_tx *txs;
    spv_hash *txids;
    bool *proved; /* in the merkle proof */
    bool *sent;
    size_t n;
} simserve_block;

/** Take apart and decide, updating the filter as a node does. */
void simserve_begin(simserve_block *s, const simblock *b, spv_filter *filter,
                    const simnode_habits *habits, rng *r);
void simserve_end(simserve_block *s);

/** Append a merkleblock payload. */
void simserve_put_proof(spv_buf *out, const simserve_block *s,
                        const simnode_habits *habits);

/** Append a transaction without its witness. */
void simserve_put_tx(spv_buf *out, const spv_tx *tx);

/** Append a block without witnesses. */
void simserve_put_block(spv_buf *out, const simblock *b);

#endif
