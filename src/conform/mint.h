#ifndef SPV_CONFORM_MINT_H
#define SPV_CONFORM_MINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <spv/hash.h>

#include "base/rng.h"
#include "conform/draft.h"

/*
 * A regtest block being made: transactions are added, then it is sealed with
 * its coinbase, witness commitment (BIP 141), merkle root and proof of work.
 */
typedef struct spv_mint {
    int32_t height;
    spv_hash prev;
    uint32_t time;
    spv_buf body; /* transactions but for the coinbase */
    spv_buf txids;
    spv_buf wtxids;
    size_t n_tx; /* with the coinbase, which is there from the start */
    int64_t fees;
    bool has_witness;
} spv_mint;

/** A block that is done; `bytes` is owned by whoever asked for it. */
typedef struct spv_minted {
    int32_t height;
    spv_buf bytes;
    spv_hash hash;
    size_t n_tx;
    spv_coin reward; /* its coinbase's: anyone can spend it, at maturity */
} spv_minted;

/** Begin a block; a zeroed mint is ready for it. */
void spv__mint_begin(spv_mint *m, int32_t height, const spv_hash *prev,
                     uint32_t time);
void spv__mint_clear(spv_mint *m);

/** Add a transaction, whose id goes to `txid`. A failure shows in the seal. */
void spv__mint_add(spv_mint *m, const spv_draft *d, spv_hash *txid);

/** Finish the block; the dice make its coinbase one of its own. SPV_NOMEM. */
spv_err spv__mint_seal(spv_mint *m, spv_minted *out, spv_rng *rng);

#endif
