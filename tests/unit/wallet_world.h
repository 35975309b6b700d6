#ifndef TESTS_UNIT_WALLET_WORLD_H
#define TESTS_UNIT_WALLET_WORLD_H

#include "cmocka_all.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <spv/network.h>
#include <spv/tx.h>

#include "base/buf.h"
#include "wallet/rows.h"
#include "wallet/wallet.h"

/*
 * What the wallet's tests share: transactions made of nothing but inputs and
 * outputs, blocks that are only a name, and wallets that watch.
 */

/* BIP 32's first test vector, as a wallet with two branches. */
#define WORLD_KEY                                                   \
    "xpub661MyMwAqRbcFtXgS5sYJABqqG9YLmC4Q1Rdap9gSE8NqtwybGhePY2gZ" \
    "29ESFjqJoCu1Rupje8YtGqsefD265TMg7usUDFdp6W1EGMcet8"
#define WORLD_RANGED "wpkh(" WORLD_KEY "/<0;1>/*)"
#define WORLD_FIRST  "wpkh(" WORLD_KEY "/0/0)" /* the first script of it */

/** A transaction being written, then read as the wallet gets it. */
typedef struct paper {
    spv_outpoint in[32];
    size_t n_in;
    struct {
        int64_t value;
        uint8_t script[40];
        size_t len;
    } out[40];
    size_t n_out;
    uint32_t nonce; /* lock time: makes like papers differ */
    spv_buf bytes;
    spv_tx tx;
} paper;

static inline void paper_spend(paper *p, spv_outpoint prev)
{
    assert_true(p->n_in < sizeof(p->in) / sizeof(p->in[0]));
    p->in[p->n_in++] = prev;
}

static inline void paper_pay(paper *p, int64_t value, const uint8_t *script,
                             size_t len)
{
    assert_true(p->n_out < sizeof(p->out) / sizeof(p->out[0]));
    assert_true(len <= sizeof(p->out[0].script));
    p->out[p->n_out].value = value;
    p->out[p->n_out].len = len;
    memcpy(p->out[p->n_out++].script, script, len);
}

/** Pay the wallet's script at an index of a branch. */
static inline void paper_pay_to(paper *p, const spv_wallet *w, size_t branch,
                                uint32_t index, int64_t value)
{
    spv_watched to;

    assert_int_equal(spv__wallet_watched(w, branch, index, &to), SPV_OK);
    paper_pay(p, value, to.script, to.script_len);
}

/** Pay someone else; `who` makes the script. */
static inline void paper_pay_stranger(paper *p, uint32_t who, int64_t value)
{
    uint8_t script[22] = {0x00, 20, 0x5a};

    memcpy(script + 3, &who, sizeof(who));
    paper_pay(p, value, script, sizeof(script));
}

/** An outpoint of nobody's. */
static inline spv_outpoint stranger_coin(uint32_t number)
{
    spv_outpoint o = {.vout = number % 3};

    memset(o.txid.bytes, 0xee, sizeof(o.txid.bytes));
    memcpy(o.txid.bytes, &number, sizeof(number));
    return o;
}

static inline spv_outpoint paper_out(const paper *p, uint32_t vout)
{
    return (spv_outpoint){.txid = p->tx.txid, .vout = vout};
}

static inline void paper_encode(const paper *p, spv_buf *b)
{
    spv__put_u32(b, 2);
    spv__put_compact(b, p->n_in);
    for (size_t i = 0; i < p->n_in; i++) {
        spv__put_hash(b, &p->in[i].txid);
        spv__put_u32(b, p->in[i].vout);
        spv__put_compact(b, 4);
        spv__put_u32(b, p->nonce); /* stands for a signature */
        spv__put_u32(b, 0xfffffffd);
    }
    spv__put_compact(b, p->n_out);
    for (size_t i = 0; i < p->n_out; i++) {
        spv__put_u64(b, (uint64_t)p->out[i].value);
        spv__put_var_bytes(b, p->out[i].script, p->out[i].len);
    }
    spv__put_u32(b, p->nonce);
}

/** Write it down; a paper without inputs becomes a coinbase. */
static inline const spv_tx *paper_seal(paper *p)
{
    if (p->n_in == 0)
        paper_spend(p, (spv_outpoint){.vout = UINT32_MAX});
    paper_encode(p, &p->bytes);
    assert_int_equal(p->bytes.err, SPV_OK);
    assert_int_equal(spv_tx_decode(&p->tx, p->bytes.bytes, p->bytes.len, NULL),
                     SPV_OK);
    return &p->tx;
}

static inline void paper_clear(paper *p)
{
    spv_tx_clear(&p->tx);
    spv__buf_clear(&p->bytes);
    *p = (paper){0};
}

/** The block at `height` of a side of the chain. */
static inline spv_block_ref block_at(int32_t height, uint8_t side)
{
    spv_block_ref b = {.height = height, .time = 1600000000 + 600 * height};

    memset(b.hash.bytes, 0xb0 + side, sizeof(b.hash.bytes));
    memcpy(b.hash.bytes, &height, sizeof(height));
    return b;
}

/** Watch what `text` describes. */
static inline void world_watch(spv_wallet *w, const char *text, size_t group)
{
    spv_descriptors list = {0};

    assert_int_equal(
        spv__descriptors_parse(&list, text, spv_network_get(SPV_MAIN), NULL),
        SPV_OK);
    for (size_t i = 0; i < list.n; i++) {
        assert_int_equal(spv__wallet_watch(w, list.item[i], group), SPV_OK);
        list.item[i] = NULL;
    }
    spv__descriptors_clear(&list);
}

/** A wallet of WORLD_RANGED. */
static inline spv_wallet *world_open(uint32_t gap, uint32_t lookahead)
{
    spv_wallet *w = spv__wallet_new(spv_network_get(SPV_MAIN));

    assert_non_null(w);
    assert_int_equal(spv__wallet_set_gap(w, gap, lookahead), SPV_OK);
    world_watch(w, WORLD_RANGED, 0);
    assert_int_equal(spv__wallet_derive(w), SPV_OK);
    return w;
}

static inline void world_apply(spv_wallet *w, int32_t height, const spv_tx *tx)
{
    spv_block_ref block = block_at(height, 0);

    assert_int_equal(spv__wallet_apply(w, &block, tx, NULL, 1, NULL), SPV_OK);
}

static inline spv_balance world_balance(const spv_wallet *w, int32_t tip)
{
    spv_balance b;

    spv__wallet_balance(w, tip, &b);
    return b;
}

static inline void assert_balance(const spv_wallet *w, int32_t tip,
                                  int64_t confirmed, int64_t unconfirmed,
                                  int64_t immature)
{
    spv_balance b = world_balance(w, tip);

    assert_int_equal(b.confirmed, confirmed);
    assert_int_equal(b.unconfirmed, unconfirmed);
    assert_int_equal(b.immature, immature);
    assert_int_equal(b.total, confirmed + unconfirmed + immature);
}

#endif
