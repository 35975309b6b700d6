#ifndef SPV_CONFORM_SAMPLES_H
#define SPV_CONFORM_SAMPLES_H

#include <stdbool.h>

#include <spv/hash.h>
#include <spv/script.h>
#include <spv/tx.h>

#include "base/rng.h"

/*
 * What the checks are made of: whole blocks of the node's own chain.
 *
 * Each is proved against its header as it comes. Once settled they are ordered
 * by height and looked at by checks, which take from them what they need: an
 * output of some form, a spend, a block of some size. Nothing changes then.
 */
typedef struct spv_sample {
    spv_hash hash;
    int32_t height;
    uint8_t *bytes; /**< the whole block, owned */
    size_t len;
    spv_tx *txs; /**< owned; they borrow `bytes` */
    spv_hash *txids;
    size_t n;
} spv_sample;

/** An output or input: of which block, which transaction, at which index. */
typedef struct spv_spot {
    const spv_sample *block;
    size_t block_at; /**< of the block among the samples */
    size_t tx_at;
    size_t at;
} spv_spot;

/** An output that a sampled transaction made and a sampled one spends. */
typedef struct spv_spend {
    spv_spot made;
    spv_spot spent;
} spv_spend;

typedef struct spv_samples {
    spv_sample *item;
    size_t n;
    size_t cap;
    size_t bytes;      /**< of all blocks */
    spv_spend *spends; /**< by the place of the spending input */
    size_t n_spends;
    size_t spends_cap;
} spv_samples;

void spv__samples_clear(spv_samples *s);

/**
 * Add a block; its bytes are copied. SPV_MALFORMED, SPV_TRUNCATED or SPV_LIMIT
 * if it cannot be read, or if one of its transactions lacks inputs or outputs,
 * so that each in a sample has a first of both; SPV_PROOF if they are not those
 * of its header; SPV_EXISTS, SPV_NOMEM.
 */
spv_err spv__samples_add(spv_samples *s, const uint8_t *bytes, size_t len,
                         int32_t height);

/** Order the blocks and find the spends. Again after more were added. */
spv_err spv__samples_settle(spv_samples *s);

/** How many of the shapes that checks ask for are not there yet. */
size_t spv__samples_lacks(const spv_samples *s);

/* Picking: one of all that pass a test, by chance; false if there is none. */

typedef bool spv_sample_test(const spv_sample *b, const void *ctx);
typedef bool spv_output_test(const spv_spot *spot, const spv_txout *out,
                             const void *ctx);
typedef bool spv_input_test(const spv_spot *spot, const spv_txin *in,
                            const void *ctx);
typedef bool spv_spend_test(const spv_spend *spend, const void *ctx);

const spv_sample *spv__samples_pick(const spv_samples *s, spv_rng *r,
                                    spv_sample_test *test, const void *ctx);
bool spv__samples_pick_output(const spv_samples *s, spv_rng *r,
                              spv_output_test *test, const void *ctx,
                              spv_spot *out);
bool spv__samples_pick_input(const spv_samples *s, spv_rng *r,
                             spv_input_test *test, const void *ctx,
                             spv_spot *out);
const spv_spend *spv__samples_pick_spend(const spv_samples *s, spv_rng *r,
                                         spv_spend_test *test, const void *ctx);

/* What a spot names. */

static inline const spv_tx *spv__spot_tx(const spv_spot *spot)
{
    return &spot->block->txs[spot->tx_at];
}

static inline const spv_txout *spv__spot_output(const spv_spot *spot)
{
    return &spv__spot_tx(spot)->out[spot->at];
}

static inline const spv_txin *spv__spot_input(const spv_spot *spot)
{
    return &spv__spot_tx(spot)->in[spot->at];
}

/** The outpoint of an output's spot. */
static inline spv_outpoint spv__spot_outpoint(const spv_spot *spot)
{
    return (spv_outpoint){spv__spot_tx(spot)->txid, (uint32_t)spot->at};
}

#endif
