#include "conform/serve_history.h"

#include <stdlib.h>
#include <string.h>

#include <spv/network.h>
#include <spv/script.h>

#include "base/rng.h"
#include "conform/mint.h"
#include "wire/opcode.h"

enum {
    BLOCKS = 240,
    FIRST_ACT = 6,    /* at this height */
    LAST_QUIET = 8,   /* blocks at the end without an act */
    EACH = 4,         /* blocks from one act to the next */
    CROWDED = 120,    /* the height of one block of very many transactions */
    CROWD = 256,      /* strangers in it */
    SPACING = 600,    /* seconds from block to block */
    END = 1735689600, /* 2025, when the last one is made */
    FEE = 1000,       /* satoshi */
    PUSH_MAX = 75     /* bytes that an opcode below OP_PUSHDATA1 pushes */
};

/** A history in the making. */
typedef struct maker {
    spv_serve_history *h;
    spv_rng rng;
    spv_rng draw;
    spv_mint mint;
    spv_draft draft; /* the transaction in hand */
    spv_buf script;  /* scratch */
    spv_buf witness; /* scratch */
    bool is_ours;    /* the transaction in hand pays or spends */
    size_t n_paid;   /* payments, and pieces of change, so far */
    size_t n_changed;
    spv_err err; /* the first failure */
} maker;

/* ---- Scripts ---- */

static spv_serve_script next_receive(maker *m)
{
    const spv_serve_history *h = m->h;

    return h->scripts[m->n_paid++ % (h->n_scripts - h->n_change)];
}

static spv_serve_script next_change(maker *m)
{
    const spv_serve_history *h = m->h;

    if (h->n_change == 0)
        return next_receive(m);
    return h
        ->scripts[h->n_scripts - h->n_change + m->n_changed++ % h->n_change];
}

static void put_random_push(maker *m, spv_buf *b, uint8_t len)
{
    uint8_t bytes[PUSH_MAX];

    spv__rng_bytes(&m->rng, bytes, len);
    spv__put_u8(b, len);
    spv__put_bytes(b, bytes, len);
}

/** What looks like a signature and a public key. */
static void put_signature(maker *m, spv_buf *b)
{
    put_random_push(m, b, 71);
    put_random_push(m, b, 33);
}

/* ---- Transactions ---- */

static bool has_witness(spv_serve_script script)
{
    switch (spv_script_classify(script.bytes, script.len)) {
    case SPV_SCRIPT_P2WPKH:
    case SPV_SCRIPT_P2WSH:
    case SPV_SCRIPT_P2TR:
    case SPV_SCRIPT_WITNESS:
        return true;
    case SPV_SCRIPT_OTHER:
    case SPV_SCRIPT_P2PK:
    case SPV_SCRIPT_P2PKH:
    case SPV_SCRIPT_P2SH:
    case SPV_SCRIPT_MULTISIG:
    case SPV_SCRIPT_NULLDATA:
    case SPV_SCRIPT_ANCHOR:
        return false;
    }
    return false;
}

static void spend(maker *m, const spv_outpoint *at, int64_t value,
                  bool in_witness)
{
    const spv_coin coin = {*at, value};

    spv__buf_reset(&m->script);
    spv__buf_reset(&m->witness);
    if (in_witness)
        spv__put_u8(&m->witness, 2); /* items */
    put_signature(m, in_witness ? &m->witness : &m->script);
    spv__draft_spend(&m->draft, &coin, &m->script, &m->witness);
}

/** An input that was never an output, worth `value`. */
static void spend_strangers(maker *m, int64_t value)
{
    spv_outpoint at = {.vout = (uint32_t)spv__rng_below(&m->rng, 3)};

    spv__rng_bytes(&m->rng, at.txid.bytes, sizeof(at.txid.bytes));
    spend(m, &at, value, spv__rng_chance(&m->rng, 1, 2));
}

/** Spend the oldest coin of ours; its value, or 0: there is none. */
static int64_t spend_ours(maker *m)
{
    spv_serve_history *h = m->h;
    spv_serve_coin coin;

    if (h->n_coins == 0)
        return 0;
    coin = h->coins[0];
    memmove(h->coins, h->coins + 1, --h->n_coins * sizeof(*h->coins));
    spend(m, &coin.at, coin.value, has_witness(coin.script));
    m->is_ours = true;
    return coin.value;
}

/** Pay to a P2WPKH or P2PKH output of nobody's. */
static void pay_stranger(maker *m, int64_t value)
{
    spv_buf *b = &m->script;

    spv__buf_reset(b);
    if (spv__rng_chance(&m->rng, 1, 2)) {
        spv__put_u8(b, SPV__OP_0);
        put_random_push(m, b, 20);
    } else {
        spv__put_u8(b, SPV__OP_DUP);
        spv__put_u8(b, SPV__OP_HASH160);
        put_random_push(m, b, 20);
        spv__put_u8(b, SPV__OP_EQUALVERIFY);
        spv__put_u8(b, SPV__OP_CHECKSIG);
    }
    spv__draft_pay(&m->draft, value, b->bytes, b->len);
}

static bool coin_room(spv_serve_history *h)
{
    size_t cap = h->coins_cap == 0 ? 64 : 2 * h->coins_cap;
    spv_serve_coin *coins;

    if (h->n_coins < h->coins_cap)
        return true;
    coins = realloc(h->coins, cap * sizeof(*coins));
    if (!coins)
        return false;
    h->coins = coins;
    h->coins_cap = cap;
    return true;
}

/** Pay to ours. The coin waits in the book for its transaction's id. */
static void pay_ours(maker *m, spv_serve_script script, int64_t value)
{
    spv_serve_history *h = m->h;

    if (!coin_room(h)) {
        m->err = SPV_NOMEM;
        return;
    }
    h->coins[h->n_coins++] = (spv_serve_coin){
        .at.vout = (uint32_t)m->draft.n_out,
        .value = value,
        .height = -1, /* until it is in the block */
        .script = script,
    };
    spv__draft_pay(&m->draft, value, script.bytes, script.len);
    m->is_ours = true;
}

static bool tx_room(spv_serve_history *h)
{
    size_t cap = h->txs_cap == 0 ? 64 : 2 * h->txs_cap;
    spv_serve_tx *txs;

    if (h->n_txs < h->txs_cap)
        return true;
    txs = realloc(h->txs, cap * sizeof(*txs));
    if (!txs)
        return false;
    h->txs = txs;
    h->txs_cap = cap;
    return true;
}

/** Put the transaction in hand into the block. */
static void finish(maker *m)
{
    spv_serve_history *h = m->h;
    spv_hash txid;

    spv__mint_add(&m->mint, &m->draft, &txid);
    spv__draft_reset(&m->draft);
    for (size_t i = 0; i < h->n_coins; i++)
        if (h->coins[i].height < 0) {
            h->coins[i].at.txid = txid;
            h->coins[i].height = m->mint.height;
        }
    if (m->is_ours && !tx_room(h))
        m->err = SPV_NOMEM;
    else if (m->is_ours) {
        h->txs[h->n_txs++] = (spv_serve_tx){txid, m->mint.height};
        h->n_blocks += !h->concerns[m->mint.height];
        h->concerns[m->mint.height] = true;
    }
    m->is_ours = false;
}

/** Enough to be halved at every turn, and pay the fee. */
static int64_t some_money(maker *m)
{
    return spv__rng_between(&m->rng, 50000000, 500000000);
}

/* ---- Acts ---- */

static void trade(maker *m)
{
    int64_t value = some_money(m);

    spend_strangers(m, value + FEE);
    pay_stranger(m, value / 3);
    pay_stranger(m, value - value / 3);
    finish(m);
}

static void pay_one(maker *m)
{
    int64_t value = some_money(m);

    spend_strangers(m, 2 * value + FEE);
    pay_stranger(m, value);
    pay_ours(m, next_receive(m), value);
    finish(m);
}

static void pay_two_in_one(maker *m)
{
    int64_t value = some_money(m);

    spend_strangers(m, 2 * value + FEE);
    pay_ours(m, next_receive(m), value);
    pay_ours(m, next_receive(m), value);
    finish(m);
}

static void pay_three_in_a_block(maker *m)
{
    for (int i = 0; i < 3; i++)
        pay_one(m);
}

/** The change pays to a key that a filter holds: the spend shows by that. */
static void spend_with_change(maker *m)
{
    int64_t value = spend_ours(m);

    pay_stranger(m, value / 2);
    pay_ours(m, next_change(m), value - value / 2 - FEE);
    finish(m);
}

/** It shows by the outpoint alone. */
static void spend_without_change(maker *m)
{
    int64_t value = spend_ours(m);

    pay_stranger(m, value - FEE);
    finish(m);
}

static void spend_several(maker *m)
{
    int64_t value = spend_ours(m) + spend_ours(m) + spend_ours(m);

    pay_ours(m, next_change(m), value - FEE);
    finish(m);
}

/** The coin in the book that came last: to the front. */
static void put_last_first(maker *m)
{
    spv_serve_history *h = m->h;
    spv_serve_coin last = h->coins[h->n_coins - 1];

    memmove(h->coins + 1, h->coins, (h->n_coins - 1) * sizeof(*h->coins));
    h->coins[0] = last;
}

/** Received, moved on, and spent again in one block. */
static void chain_in_a_block(maker *m)
{
    pay_one(m);
    if (m->err != SPV_OK)
        return;
    put_last_first(m);
    spend_with_change(m);
    if (m->err != SPV_OK)
        return;
    put_last_first(m);
    spend_without_change(m);
}

static void put_push(spv_buf *b, const uint8_t *bytes, size_t len)
{
    spv__put_u8(b, (uint8_t)len);
    spv__put_bytes(b, bytes, len);
}

/** What matches any filter of ours, and is not ours: our element in an input,
 * in a data output, and in another kind of output. */
static void bait(maker *m)
{
    const spv_serve_history *h = m->h;
    spv_serve_script script = h->scripts[m->n_paid % h->n_scripts];
    size_t len = 0;
    const uint8_t *element = spv_script_element(script.bytes, script.len, &len);
    spv_coin coin = {.value = some_money(m)};
    spv_buf *b = &m->script;

    if (!element || len > PUSH_MAX)
        return;
    spv__rng_bytes(&m->rng, coin.at.txid.bytes, sizeof(coin.at.txid.bytes));
    spv__buf_reset(b);
    spv__buf_reset(&m->witness);
    put_push(b, element, len);
    spv__draft_spend(&m->draft, &coin, b, &m->witness);
    spv__buf_reset(b);
    spv__put_u8(b, SPV__OP_RETURN);
    put_push(b, element, len);
    spv__draft_pay(&m->draft, 0, b->bytes, b->len);
    spv__buf_reset(b);
    put_push(b, element, len);
    spv__put_u8(b, SPV__OP_CHECKSIG);
    spv__draft_pay(&m->draft, coin.value - FEE, b->bytes, b->len);
    finish(m);
}

static void (*const acts[])(maker *) = {
    pay_one,
    pay_two_in_one,
    spend_with_change,
    pay_three_in_a_block,
    spend_without_change,
    chain_in_a_block,
    bait,
    pay_one,
    spend_several,
};

/* ---- Blocks ---- */

/** How many strangers trade at a height: from none to many, odd and even. */
static size_t strangers(maker *m, int32_t height)
{
    static const uint8_t some[] = {0, 0, 1, 2, 3, 6, 12, 40};

    if (height == CROWDED)
        return CROWD;
    return some[spv__rng_below(&m->rng, sizeof(some))];
}

static void fill(maker *m, int32_t height)
{
    size_t n = strangers(m, height);
    size_t before = (size_t)spv__rng_below(&m->rng, n + 1);
    bool acts_now = height >= FIRST_ACT && height <= BLOCKS - LAST_QUIET &&
                    (height - FIRST_ACT) % EACH == 0;
    size_t act = (size_t)(height - FIRST_ACT) / EACH;

    for (size_t i = 0; i < n; i++) {
        if (i == before && acts_now)
            acts[act % (sizeof(acts) / sizeof(acts[0]))](m);
        trade(m);
    }
    if (before == n && acts_now)
        acts[act % (sizeof(acts) / sizeof(acts[0]))](m);
}

static spv_err add_block(maker *m, int32_t height)
{
    spv_serve_history *h = m->h;
    spv_minted block = {0};
    spv_err err;

    spv__mint_begin(&m->mint, height,
                    &spv__script_chain_at(h->chain, height - 1)->hash,
                    (uint32_t)(END - SPACING * (BLOCKS - height)));
    fill(m, height);
    err = m->err;
    if (err == SPV_OK)
        err = spv__mint_seal(&m->mint, &block, &m->draw);
    if (err == SPV_OK)
        err =
            spv__script_chain_add(h->chain, block.bytes.bytes, block.bytes.len);
    spv__buf_clear(&block.bytes);
    return err;
}

static spv_err add_blocks(spv_serve_history *h, uint64_t seed)
{
    maker m = {.h = h, .rng = {seed}, .draw = {seed}};
    spv_err err = SPV_OK;

    for (int32_t i = 1; i <= BLOCKS && err == SPV_OK; i++)
        err = add_block(&m, i);
    spv__mint_clear(&m.mint);
    spv__draft_clear(&m.draft);
    spv__buf_clear(&m.script);
    spv__buf_clear(&m.witness);
    return err;
}

/* ---- Life ---- */

static spv_err copy_scripts(spv_serve_script *to, const spv_serve_script *from,
                            size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint8_t *bytes = malloc(from[i].len + 1);

        if (!bytes)
            return SPV_NOMEM;
        memcpy(bytes, from[i].bytes, from[i].len);
        to[i] = (spv_serve_script){bytes, from[i].len};
    }
    return SPV_OK;
}

spv_err spv__serve_history_init(spv_serve_history *h,
                                const spv_serve_options *o)
{
    spv_err err = SPV_OK;

    *h = (spv_serve_history){.n_scripts = o->n_scripts + o->n_change,
                             .n_change = o->n_change};
    h->chain = spv__script_chain_new();
    h->scripts = calloc(h->n_scripts, sizeof(*h->scripts));
    h->concerns = calloc(BLOCKS + 1, sizeof(*h->concerns));
    if (!h->chain || !h->scripts || !h->concerns)
        err = SPV_NOMEM;
    if (err == SPV_OK)
        err = copy_scripts(h->scripts, o->scripts, o->n_scripts);
    if (err == SPV_OK)
        err = copy_scripts(h->scripts + o->n_scripts, o->change, o->n_change);
    if (err == SPV_OK)
        err = add_blocks(h, o->seed);
    if (err != SPV_OK)
        spv__serve_history_clear(h);
    return err;
}

void spv__serve_history_clear(spv_serve_history *h)
{
    spv__script_chain_free(h->chain);
    for (size_t i = 0; h->scripts && i < h->n_scripts; i++)
        free((uint8_t *)(uintptr_t)h->scripts[i].bytes);
    free(h->scripts);
    free(h->coins);
    free(h->concerns);
    free(h->txs);
    *h = (spv_serve_history){0};
}
