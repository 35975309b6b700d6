#include "support/chaingen.h"

#include <string.h>

#include <spv/header.h>
#include <spv/network.h>

#include "base/buf.h"
#include "base/digest.h"
#include "support/must.h"
#include "wire/opcode.h"

enum {
    MATURITY = 100,
    HALVING = 150, /* regtest's */
    SPACING = 600, /* seconds from block to block */
    MEDIAN_SPAN = 11,
    FIRST_BUSY = 110,    /* strangers have some money by then */
    POOL_FEW = 250,      /* below: transactions make more outputs */
    POOL_MANY = 400,     /* above: they join them */
    WEIGHT_MAX = 3900000 /* of a block's body */
};

/** Less is not worth trading: it stays where it is. */
static const int64_t pool_coin_min = 100000;

/** Money that anyone can spend, in the hands of strangers. */
typedef struct pool_coin {
    spv_outpoint at;
    int64_t value;
} pool_coin;

struct chaingen {
    chaingen_options options;
    spv_rng rng;
    genwallet *wallet;

    int32_t height; /* of the block being made */
    spv_hash prev;
    uint32_t time;
    size_t txs_made;
    size_t wallet_txs_left;
    int32_t wallet_blocks_left;

    pool_coin *pool;
    size_t n_pool;
    size_t pool_cap;
    pool_coin immature[MATURITY]; /* coinbases, by height */

    /* The block being made. Slot 0 of the hashes is the coinbase's. */
    spv_buf body;
    spv_buf block;
    spv_hash *txids;
    spv_hash *wtxids;
    size_t n_tx;
    size_t hash_cap;
    int64_t fees;
};

chaingen_options chaingen_defaults(void)
{
    return (chaingen_options){
        .seed = 1,
        .blocks = 300,
        .txs = 2000,
        .wallet_txs = 40,
        .wallet_blocks = 20,
        .type = GENWALLET_WPKH,
        .mnemonic = "abandon abandon abandon abandon abandon abandon abandon "
                    "abandon abandon abandon abandon about",
        .end_time = 1735689600, /* 2025-01-01 */
    };
}

chaingen *chaingen_new(const chaingen_options *options)
{
    chaingen *g = calloc(1, sizeof(*g));

    MUST(g);
    g->options = *options;
    g->rng.state = options->seed;
    if (options->wallet_txs > 0)
        g->wallet = genwallet_new(options->mnemonic, options->type);
    g->options.mnemonic = NULL;
    g->prev = spv_network_get(SPV_REGTEST)->genesis_hash;
    g->wallet_txs_left = options->wallet_txs;
    g->wallet_blocks_left = options->wallet_blocks;
    return g;
}

void chaingen_free(chaingen *g)
{
    if (!g)
        return;
    genwallet_free(g->wallet);
    spv__buf_clear(&g->body);
    spv__buf_clear(&g->block);
    free(g->pool);
    free(g->txids);
    free(g->wtxids);
    free(g);
}

genwallet *chaingen_wallet(const chaingen *g)
{
    return g->wallet;
}

/* ---- The strangers' money ---- */

static void pool_add(chaingen *g, pool_coin coin)
{
    if (coin.value < pool_coin_min)
        return;
    g->pool = must_grow(g->pool, g->n_pool, &g->pool_cap, sizeof(*g->pool));
    g->pool[g->n_pool++] = coin;
}

/** Move a random coin from the pool into a draft; its value, 0 if none. */
static int64_t pool_spend(chaingen *g, draft *d)
{
    size_t i = (size_t)spv__rng_below(&g->rng, g->n_pool);
    pool_coin coin;
    draft_out spent;

    if (g->n_pool == 0)
        return 0;
    coin = g->pool[i];
    g->pool[i] = g->pool[--g->n_pool];
    spent = draft_anyone(coin.value);
    draft_spend(d, &coin.at, &spent);
    return coin.value;
}

/** Return to the pool what a finished draft pays to anyone. */
static void pool_gain(chaingen *g, const draft *d, const spv_hash *txid)
{
    draft_out anyone = draft_anyone(0);

    for (uint32_t i = 0; i < d->n_out; i++)
        if (d->out[i].len == anyone.len &&
            memcmp(d->out[i].script, anyone.script, anyone.len) == 0)
            pool_add(g, (pool_coin){{*txid, i}, d->out[i].value});
}

/* ---- The block being made ---- */

static void remember_hashes(chaingen *g, size_t at, const draft_made *made)
{
    size_t cap = g->hash_cap;

    g->txids = must_grow(g->txids, at, &cap, sizeof(spv_hash));
    g->wtxids = must_grow(g->wtxids, at, &g->hash_cap, sizeof(spv_hash));
    g->txids[at] = made->txid;
    g->wtxids[at] = made->wtxid;
}

/** Put a finished draft into the block, and into everybody's books. */
static void include(chaingen *g, const draft *d)
{
    draft_made made = draft_finish(&g->body, d);

    remember_hashes(g, g->n_tx, &made);
    pool_gain(g, d, &made.txid);
    if (g->wallet)
        genwallet_record(g->wallet, d, &made.txid, g->height, g->n_tx);
    g->fees += draft_fee(d);
    g->n_tx++;
}

static bool is_full(const chaingen *g)
{
    return g->body.len * 4 > WEIGHT_MAX;
}

/** A random piece of what is there, for one payment. */
static int64_t some_of(chaingen *g, int64_t there, int64_t most)
{
    int64_t limit = there / 4 < most ? there / 4 : most;

    return spv__rng_between(&g->rng, limit / 20 + 1, limit + 1);
}

/** Divide the rest of a stranger's money among new outputs of the pool. */
static void pay_rest(chaingen *g, draft *d)
{
    int64_t rest = draft_fee(d) - spv__rng_between(&g->rng, 200, 2000);
    int64_t parts = g->n_pool < POOL_FEW ? 3 : 1;

    for (int64_t i = 0; i < parts; i++)
        draft_pay(d, draft_anyone(rest / parts));
}

/** A draft that spends some stranger's coins; false when there are none. */
static bool begin_stranger(chaingen *g, draft *d)
{
    size_t n = g->n_pool > POOL_MANY ? 3 : 1;
    int64_t value = 0;

    *d = (draft){0};
    while (n-- > 0)
        value += pool_spend(g, d);
    return value > 0;
}

static void stranger_tx(chaingen *g)
{
    draft d;
    int64_t n = spv__rng_between(&g->rng, 1, 2);

    if (!begin_stranger(g, &d))
        return;
    while (n-- > 0)
        draft_pay(&d,
                  draft_stranger(&g->rng, some_of(g, draft_fee(&d), 100000)));
    pay_rest(g, &d);
    include(g, &d);
}

/* ---- What the wallet does ---- */

/** Where the next payment to a branch goes: its first key that nobody has
 * paid, but for habits. */
static genwallet_key next_key(chaingen *g, uint32_t branch)
{
    genwallet_key key = genwallet_fresh(g->wallet, branch);

    if (g->options.ahead && spv__rng_chance(&g->rng, 1, 4))
        key.index += (uint32_t)spv__rng_between(&g->rng, 1, g->options.ahead);
    return key;
}

static void pay_wallet(chaingen *g, draft *d, genwallet_key key)
{
    int64_t value = some_of(g, draft_fee(d), 5000000);

    draft_pay(d, genwallet_out(g->wallet, key, value));
}

/** A stranger pays us, on a fresh address. */
static bool receive(chaingen *g)
{
    draft d;

    if (!begin_stranger(g, &d))
        return false;
    pay_wallet(g, &d, next_key(g, 0));
    draft_pay(&d, draft_stranger(&g->rng, some_of(g, draft_fee(&d), 100000)));
    pay_rest(g, &d);
    include(g, &d);
    return true;
}

/** A stranger pays an address that was used before. */
static bool receive_again(chaingen *g)
{
    draft d;

    if (!begin_stranger(g, &d))
        return false;
    pay_wallet(g, &d, genwallet_used(g->wallet, &g->rng));
    pay_rest(g, &d);
    include(g, &d);
    return true;
}

/** One transaction pays two of our addresses. */
static bool receive_twice(chaingen *g)
{
    draft d;
    genwallet_key key;

    if (!begin_stranger(g, &d))
        return false;
    key = genwallet_fresh(g->wallet, 0);
    pay_wallet(g, &d, key);
    key.index += 1 + g->options.ahead;
    pay_wallet(g, &d, key);
    pay_rest(g, &d);
    include(g, &d);
    return true;
}

/** Whether a draft spends this outpoint already. */
static bool spends(const draft *d, const spv_outpoint *at)
{
    for (size_t i = 0; i < d->n_in; i++)
        if (spv_outpoint_equal(&d->in[i].prev, at))
            return true;
    return false;
}

/** A draft that spends up to `n` of our coins; false when there are none. */
static bool begin_ours(chaingen *g, draft *d, int64_t n, bool fresh)
{
    *d = (draft){0};
    while (n-- > 0) {
        const genwallet_coin *coin =
            genwallet_pick(g->wallet, &g->rng, g->height, fresh);

        if (coin && !spends(d, &coin->at))
            genwallet_spend(d, coin);
    }
    return draft_fee(d) > 5000;
}

/** Sign our draft, whose last output takes what is left, less a fee. */
static void finish_ours(chaingen *g, draft *d)
{
    d->out[d->n_out - 1].value +=
        draft_fee(d) - spv__rng_between(&g->rng, 300, 3000);
    genwallet_sign(g->wallet, d);
    include(g, d);
}

static bool spend_with_change(chaingen *g)
{
    draft d;

    if (!begin_ours(g, &d, spv__rng_between(&g->rng, 1, 3), false))
        return false;
    draft_pay(&d,
              draft_stranger(&g->rng, some_of(g, draft_fee(&d), INT64_MAX)));
    draft_pay(&d, genwallet_out(g->wallet, next_key(g, 1), 0));
    finish_ours(g, &d);
    return true;
}

/** Whole coins go to a stranger: only their outpoints show that we paid. */
static bool spend_all(chaingen *g)
{
    draft d;

    if (!begin_ours(g, &d, spv__rng_between(&g->rng, 1, 2), false))
        return false;
    draft_pay(&d, draft_stranger(&g->rng, 0));
    finish_ours(g, &d);
    return true;
}

/** Spend, wholly, what this very block paid us. */
static bool spend_chained(chaingen *g)
{
    draft d;

    if (!begin_ours(g, &d, 1, true))
        return false;
    draft_pay(&d, draft_stranger(&g->rng, 0));
    finish_ours(g, &d);
    return true;
}

/** Spend, wholly, what came last. */
static bool spend_newest(chaingen *g)
{
    const genwallet_coin *coin = genwallet_newest(g->wallet, g->height);
    draft d = {0};

    if (!coin || coin->out.value <= 5000)
        return false;
    genwallet_spend(&d, coin);
    draft_pay(&d, draft_stranger(&g->rng, 0));
    finish_ours(g, &d);
    return true;
}

/** Join coins on a fresh address of our own. */
static bool spend_to_self(chaingen *g)
{
    draft d;

    if (!begin_ours(g, &d, 2, false))
        return false;
    draft_pay(&d, genwallet_out(g->wallet, next_key(g, 0), 0));
    finish_ours(g, &d);
    return true;
}

/* How often the wallet does what, in 100; `receive` stands in for what cannot
 * be done for want of coins. */
static const struct {
    unsigned weight;
    bool (*act)(chaingen *g);
} habits[] = {
    {42, receive},           {5, receive_again}, {5, receive_twice},
    {24, spend_with_change}, {14, spend_all},    {7, spend_chained},
    {3, spend_to_self},
};

static void wallet_tx(chaingen *g, bool burst)
{
    uint64_t pick = spv__rng_below(&g->rng, 100);
    size_t i = 0;

    if (!burst && g->options.hasty && spv__rng_chance(&g->rng, 1, 2) &&
        spend_newest(g))
        return;
    while (pick >= habits[i].weight)
        pick -= habits[i++].weight;
    if (burst || !habits[i].act(g))
        MUST(receive(g));
}

/* ---- How much happens in a block ---- */

/** Strangers' transactions of this block: random, but true to the plan. */
static size_t stranger_quota(chaingen *g)
{
    const chaingen_options *o = &g->options;
    uint64_t busy = (uint64_t)o->blocks - FIRST_BUSY + 1;
    uint64_t passed = (uint64_t)g->height - FIRST_BUSY + 1;
    uint64_t left = o->txs - g->txs_made;
    uint64_t due;

    if (g->height < FIRST_BUSY || g->height == o->blocks)
        return g->height < FIRST_BUSY ? 0 : (size_t)left;
    due = o->txs * passed / busy;
    due = due > g->txs_made ? due - g->txs_made : 0;
    due = spv__rng_below(&g->rng, 2 * due + 1);
    return (size_t)(due < left ? due : left);
}

/** The wallet's transactions of this block; 0 for most blocks. */
static size_t wallet_quota(chaingen *g, bool *burst)
{
    int32_t heights = g->options.blocks - g->height + 1;
    size_t blocks = (size_t)g->wallet_blocks_left;
    size_t left = g->wallet_txs_left;
    size_t n;

    *burst = false;
    if (g->height < FIRST_BUSY || blocks == 0 || left == 0 ||
        !spv__rng_chance(&g->rng, blocks, (uint64_t)heights))
        return 0;
    n = blocks == 1 ? left
                    : 1 + (size_t)spv__rng_below(&g->rng, 2 * left / blocks);
    if (g->options.burst > 0 && left > g->options.burst + blocks &&
        blocks <= (size_t)g->options.wallet_blocks / 2 + 1) {
        *burst = true;
        n = g->options.burst;
        g->options.burst = 0;
    }
    if (n > left - (blocks - 1))
        n = left - (blocks - 1);
    g->wallet_blocks_left--;
    g->wallet_txs_left -= n;
    return n;
}

/** Fill the block with both kinds, mixed. */
static void fill(chaingen *g, size_t wallet, bool burst)
{
    size_t strangers = stranger_quota(g);

    g->txs_made += strangers;
    while (strangers + wallet > 0) {
        if (spv__rng_chance(&g->rng, wallet, strangers + wallet)) {
            wallet_tx(g, burst);
            wallet--;
            continue;
        }
        if (!is_full(g))
            stranger_tx(g);
        strangers--;
    }
}

/* ---- Coinbase, merkle root, proof of work ---- */

/** Merkle root of hashes, which are used up. */
static spv_hash merkle_root(spv_hash *hashes, size_t n)
{
    while (n > 1) {
        for (size_t i = 0; i < n; i += 2) {
            size_t right = i + 1 < n ? i + 1 : i; /* the last stands twice */

            spv__sha256d_pair(&hashes[i / 2], &hashes[i], &hashes[right]);
        }
        n = (n + 1) / 2;
    }
    return hashes[0];
}

/** BIP 34: the height as the shortest push, then what makes it unique. */
static size_t coinbase_script(const chaingen *g, uint8_t out[DRAFT_SCRIPT_MAX])
{
    bool forked = g->options.fork_at > 0 && g->height >= g->options.fork_at;
    uint32_t h = (uint32_t)g->height;
    size_t n = 0;

    if (h <= 16) {
        out[n++] = (uint8_t)(SPV__OP_1 + h - 1);
    } else {
        size_t len = h < 0x80 ? 1 : h < 0x8000 ? 2 : h < 0x800000 ? 3 : 4;

        out[n++] = (uint8_t)len;
        for (size_t i = 0; i < len; i++)
            out[n++] = (uint8_t)(h >> (8 * i));
    }
    out[n++] = 8;
    for (size_t i = 0; i < 8; i++)
        out[n++] =
            (uint8_t)((g->options.seed ^ (forked ? UINT64_MAX : 0)) >> (8 * i));
    return n;
}

/** BIP 141: the commitment to all wtxids, the coinbase's counting as zero. */
static draft_out witness_commitment(chaingen *g)
{
    static const uint8_t head[] = {SPV__OP_RETURN, 36, 0xaa, 0x21, 0xa9, 0xed};
    const spv_hash reserved = {{0}};
    draft_out out = {.len = sizeof(head) + 32};
    spv_hash root;
    spv_hash commitment;

    g->wtxids[0] = reserved;
    root = merkle_root(g->wtxids, g->n_tx);
    spv__sha256d_pair(&commitment, &root, &reserved);
    memcpy(out.script, head, sizeof(head));
    memcpy(out.script + sizeof(head), commitment.bytes, 32);
    return out;
}

static int64_t subsidy(const chaingen *g)
{
    int halvings = g->height / HALVING;

    return halvings < 64 ? INT64_C(5000000000) >> halvings : 0;
}

static draft coinbase(chaingen *g, bool ours)
{
    int64_t value = subsidy(g) + g->fees;
    draft d = {.n_in = 1};
    draft_in *in = &d.in[0];

    in->prev.vout = UINT32_MAX;
    in->sequence = UINT32_MAX;
    in->script_len = coinbase_script(g, in->script);
    in->witness_len = 34; /* one item: 32 reserved zeros */
    in->witness[0] = 1;
    in->witness[1] = 32;
    draft_pay(&d, ours ? genwallet_out(g->wallet, genwallet_fresh(g->wallet, 0),
                                       value)
                       : draft_anyone(value));
    draft_pay(&d, witness_commitment(g));
    return d;
}

/** Find a nonce; regtest's target lets every second one through. */
static void mine(uint8_t bytes[SPV_HEADER_LEN], spv_hash *hash,
                 spv_header *header)
{
    do {
        header->nonce++;
        spv_header_encode(bytes, header);
        spv_header_hash(hash, bytes);
    } while (hash->bytes[31] >= 0x7f);
}

/**
 * Blocks come every ten minutes or so, the last one at the time asked for.
 *
 * One may step back, as real ones do: by less than the six blocks that the
 * median of the last eleven lies behind, and not before there are eleven.
 */
static uint32_t block_time(chaingen *g)
{
    int32_t left = g->options.blocks - g->height;
    int64_t back = spv__rng_between(&g->rng, 0, INT64_C(2) * SPACING);

    if (left == 0 || g->height <= MEDIAN_SPAN)
        back = 0;
    return (uint32_t)((int64_t)g->options.end_time - (int64_t)left * SPACING -
                      back);
}

static void seal(chaingen *g, const draft *base, chaingen_block *out)
{
    spv_header header = {.version = 0x20000000,
                         .prev = g->prev,
                         .bits = spv_network_get(SPV_REGTEST)->pow_limit_bits};
    uint8_t bytes[SPV_HEADER_LEN];
    spv_buf first = SPV_BUF_EMPTY;
    draft_made made = draft_finish(&first, base);

    g->txids[0] = made.txid;
    if (g->wallet)
        genwallet_record(g->wallet, base, &made.txid, g->height, 0);
    g->immature[g->height % MATURITY] = (pool_coin){{made.txid, 0}, 0};
    if (!base->out[0].ours)
        g->immature[g->height % MATURITY].value = base->out[0].value;
    header.merkle_root = merkle_root(g->txids, g->n_tx);
    header.time = block_time(g);
    mine(bytes, &out->hash, &header);

    spv__buf_reset(&g->block);
    spv__put_bytes(&g->block, bytes, sizeof(bytes));
    spv__put_compact(&g->block, g->n_tx);
    spv__put_bytes(&g->block, first.bytes, first.len);
    spv__put_bytes(&g->block, g->body.bytes, g->body.len);
    MUST(g->block.err == SPV_OK);
    spv__buf_clear(&first);
}

bool chaingen_next(chaingen *g, chaingen_block *out)
{
    const draft_made unknown = {0};
    bool burst = false;
    bool ours = false;
    size_t wallet;
    draft base;

    if (g->height >= g->options.blocks)
        return false;
    g->height++;
    if (g->height == g->options.fork_at && g->options.fork_seed != 0)
        g->rng.state ^= g->options.fork_seed;
    pool_add(g, g->immature[g->height % MATURITY]);
    spv__buf_reset(&g->body);
    g->fees = 0;
    g->n_tx = 0;
    remember_hashes(g, g->n_tx++, &unknown); /* the coinbase's, for later */

    wallet = wallet_quota(g, &burst);
    if (wallet > 0 && !burst && subsidy(g) > 0 &&
        spv__rng_chance(&g->rng, 1, 8)) {
        ours = true; /* we mined this one */
        wallet--;
    }
    fill(g, wallet, burst);
    base = coinbase(g, ours);
    seal(g, &base, out);
    out->height = g->height;
    out->bytes = g->block.bytes;
    out->len = g->block.len;
    out->n_tx = g->n_tx;
    g->prev = out->hash;
    return true;
}
