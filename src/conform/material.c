#include "conform/material.h"

#include <stdlib.h>
#include <string.h>

#include <spv/network.h>

enum {
    MATURITY = 100,
    SPACING = 600,        /* seconds from block to block, where there is time */
    BLOCKS_MAX = 1000000, /* more than there will ever be */
    POLICY_FEE = 5000,    /* satoshi of each transaction that waits */
    POLICY_PAID = 10000
};

spv_material_options spv_material_defaults(void)
{
    return (spv_material_options){
        .seed = 1,
        .tip = spv_network_get(SPV_REGTEST)->genesis_hash,
        .tip_time = 1296688602, /* regtest's genesis block */
        .end_time = 1735693200, /* 2025-01-01 01:00 */
        .witness_from = SPV_MATERIAL_WITNESS_FROM,
    };
}

/* Blocks ------------------------------------------------------------------- */

/** How many plain blocks come first. */
static int32_t plain_blocks(const spv_material_options *o)
{
    int32_t mature = MATURITY + SPV__COINBASES_SPENT;
    int32_t before_witness = o->witness_from - 1 - o->height;

    return before_witness > mature ? before_witness : mature;
}

/** As late as the blocks that follow leave room, but after the one before. */
static uint32_t time_of(const spv_material_options *o, uint32_t before,
                        size_t left)
{
    int64_t wanted = (int64_t)o->end_time - (int64_t)left * SPACING;

    return wanted > (int64_t)before ? (uint32_t)wanted : before + 1;
}

static void begin_block(spv_material *m, const spv_material_options *o)
{
    const spv_minted *last = m->n_blocks ? &m->blocks[m->n_blocks - 1] : NULL;
    uint32_t before = last ? m->mint.time : o->tip_time;

    spv__mint_begin(&m->mint, o->height + 1 + (int32_t)m->n_blocks,
                    last ? &last->hash : &o->tip,
                    time_of(o, before, m->total - m->n_blocks - 1));
}

static void end_block(spv_material *m)
{
    spv_err err;

    if (m->err)
        return;
    err = spv__mint_seal(&m->mint, &m->blocks[m->n_blocks], &m->rng);
    m->n_blocks++; /* its bytes are to be freed, whole or not */
    m->err = err;
}

static void make_blocks(spv_material *m, const spv_material_options *o,
                        const spv_forgery *f)
{
    int32_t plain = plain_blocks(o);

    for (int32_t i = 0; i < plain && !m->err; i++) {
        begin_block(m, o);
        end_block(m);
    }
    for (size_t i = 0; i < spv__material_plan_n && !m->err; i++) {
        begin_block(m, o);
        spv__material_plan[i].fill(m, spv__material_plan[i].n);
        end_block(m);
    }
    for (size_t i = 0; i < SPV__FORGED_BLOCKS && f->n > 0 && !m->err; i++) {
        begin_block(m, o);
        spv__material_forge(m, f, i);
        end_block(m);
    }
}

/* Transactions that wait --------------------------------------------------- */

/** Spend `coin`, of the shape that is for `i`; what is left after payments to
 * nobody and a fee goes to a new coin of the same shape, if asked for. */
static void make_tx(spv_material *m, size_t i, spv_coin *coin, bool change)
{
    spv_buf *tx = &m->txs[m->n_txs++];
    spv_shape own = {.key = 0};
    int64_t rest;

    (i % 2 ? spv__shape_p2wsh_true : spv__shape_p2sh_true)(&own, &m->rng);
    spv__draft_reset(&m->draft);
    spv__draft_spend(&m->draft, coin, &own.input, &own.witness);
    spv__material_pay_nobody(m, POLICY_PAID, i);
    rest = m->draft.fee - POLICY_FEE;
    if (change)
        spv__material_pay(m, rest, &own.script);
    else
        spv__material_pay_nobody(m, rest, i + 1);
    spv__draft_finish(tx, &m->draft, &coin->at.txid, NULL);
    coin->at.vout = 1;
    coin->value = rest;
    if (tx->err && !m->err)
        m->err = tx->err;
    spv__shape_clear(&own);
}

static void make_txs(spv_material *m)
{
    if (m->policy[0].value < SPV__POLICY_COIN_MIN)
        return;
    for (size_t i = 0; i < SPV__POLICY_COINS && !m->err; i++) {
        spv_coin coin = m->policy[i];

        make_tx(m, i, &coin, true);
        make_tx(m, i, &coin, false);
    }
}

/* ----------------------------------------------------------------------------
 */

static spv_err make(spv_material *m, const spv_material_options *o)
{
    spv_forgery f = {o->scripts, o->n_scripts, NULL};

    m->total = (size_t)plain_blocks(o) + spv__material_plan_n +
               (f.n > 0 ? SPV__FORGED_BLOCKS : 0);
    m->blocks = calloc(m->total, sizeof(*m->blocks));
    m->paid = calloc(spv__shape_kinds_n, sizeof(*m->paid));
    f.coins = calloc(f.n + 1, sizeof(*f.coins));
    if (!m->blocks || !m->paid || !f.coins)
        m->err = SPV_NOMEM;
    make_blocks(m, o, &f);
    if (!m->err)
        make_txs(m);
    free(f.coins);
    return m->err;
}

/** A second run on the same chain makes other pushes. */
static uint64_t first_of(const spv_hash *hash)
{
    uint64_t first;

    memcpy(&first, hash->bytes, sizeof(first));
    return first;
}

spv_err spv_material_new(spv_material **out,
                         const spv_material_options *options)
{
    spv_material *m;
    spv_err err;

    *out = NULL;
    if (options->height < 0 || options->height > INT32_MAX - BLOCKS_MAX ||
        options->witness_from > BLOCKS_MAX)
        return SPV_INVAL;
    m = calloc(1, sizeof(*m));
    if (!m)
        return SPV_NOMEM;
    m->rng.state = options->seed ^ first_of(&options->tip);
    err = make(m, options);
    if (err) {
        spv_material_free(m);
        return err;
    }
    *out = m;
    return SPV_OK;
}

void spv_material_free(spv_material *m)
{
    if (!m)
        return;
    for (size_t i = 0; i < m->n_blocks; i++)
        spv__buf_clear(&m->blocks[i].bytes);
    for (size_t i = 0; m->paid && i < spv__shape_kinds_n; i++)
        spv__shape_clear(&m->paid[i].shape);
    for (size_t i = 0; i < m->n_txs; i++)
        spv__buf_clear(&m->txs[i]);
    spv__mint_clear(&m->mint);
    spv__draft_clear(&m->draft);
    spv__shape_clear(&m->shape);
    free(m->blocks);
    free(m->paid);
    free(m);
}

size_t spv_material_blocks(const spv_material *m)
{
    return m->n_blocks;
}

spv_material_block spv_material_block_at(const spv_material *m, size_t i)
{
    const spv_minted *b = &m->blocks[i];

    return (spv_material_block){.height = b->height,
                                .hash = b->hash,
                                .bytes = b->bytes.bytes,
                                .len = b->bytes.len,
                                .n_tx = b->n_tx};
}

size_t spv_material_txs(const spv_material *m)
{
    return m->n_txs;
}

const uint8_t *spv_material_tx_at(const spv_material *m, size_t i, size_t *len)
{
    *len = m->txs[i].len;
    return m->txs[i].bytes;
}
