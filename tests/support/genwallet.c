#include "support/genwallet.h"

#include <string.h>

#include <spv/network.h>

#include "base/digest.h"
#include "support/must.h"
#include "support/sighash.h"
#include "wallet/hd.h"
#include "wire/opcode.h"

enum { BRANCHES = 2, MATURITY = 100, SIGHASH_ALL = 1 };

struct genwallet {
    genwallet_type type;
    spv_hd branch[BRANCHES];
    uint32_t used[BRANCHES]; /* one above the highest index that was paid */
    uint32_t next[BRANCHES]; /* the lowest that was not */
    uint32_t window[BRANCHES];
    genwallet_coin *coins;
    size_t n_coins;
    size_t coins_cap;
    genwallet_tx *txs;
    size_t n_txs;
    size_t txs_cap;
    genwallet_tx *shown; /* of these, what lies within the windows */
};

static const struct {
    const char *name;
    uint32_t purpose; /* BIP 44, 84, 49, 86 */
} types[] = {
    [GENWALLET_PKH] = {"pkh", 44},
    [GENWALLET_WPKH] = {"wpkh", 84},
    [GENWALLET_SH_WPKH] = {"sh-wpkh", 49},
    [GENWALLET_TR] = {"tr", 86},
};

const char *genwallet_type_name(genwallet_type type)
{
    return types[type].name;
}

bool genwallet_type_find(genwallet_type *out, const char *name)
{
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        if (strcmp(types[i].name, name) == 0) {
            *out = (genwallet_type)i;
            return true;
        }
    return false;
}

/* ---- Keys ---- */

genwallet *genwallet_new(const char *mnemonic, genwallet_type type)
{
    const uint32_t path[] = {types[type].purpose | SPV__HARDENED,
                             1 | SPV__HARDENED, 0 | SPV__HARDENED};
    genwallet *w = calloc(1, sizeof(*w));
    uint8_t seed[64];
    spv_hd account;

    MUST(w);
    w->type = type;
    spv__pbkdf2_sha512(seed, mnemonic, strlen(mnemonic), "mnemonic", 8, 2048);
    MUST(spv__hd_of_seed(&account, seed, sizeof(seed)) == SPV_OK);
    MUST(spv__hd_descend(&account, path, 3) == SPV_OK);
    for (uint32_t b = 0; b < BRANCHES; b++) {
        MUST(spv__hd_child(&w->branch[b], &account, b) == SPV_OK);
        w->window[b] = UINT32_MAX;
    }
    return w;
}

void genwallet_free(genwallet *w)
{
    if (!w)
        return;
    free(w->coins);
    free(w->txs);
    free(w->shown);
    free(w);
}

/** Script pieces around a 20-byte hash: OP_0 <hash>, a witness program. */
static void witness_program(uint8_t out[22], const uint8_t hash[20])
{
    out[0] = SPV__OP_0;
    out[1] = 20;
    memcpy(out + 2, hash, 20);
}

static void pkh_script(draft_out *out, const uint8_t public[33])
{
    static const uint8_t head[] = {SPV__OP_DUP, SPV__OP_HASH160, 20};

    memcpy(out->script, head, sizeof(head));
    spv__hash160(out->script + 3, public, 33);
    out->script[23] = SPV__OP_EQUALVERIFY;
    out->script[24] = SPV__OP_CHECKSIG;
    out->len = 25;
}

static void wpkh_script(draft_out *out, const uint8_t public[33])
{
    uint8_t hash[20];

    spv__hash160(hash, public, 33);
    witness_program(out->script, hash);
    out->len = 22;
}

static void sh_wpkh_script(draft_out *out, const uint8_t public[33])
{
    draft_out inner;

    wpkh_script(&inner, public);
    out->script[0] = SPV__OP_HASH160;
    out->script[1] = 20;
    spv__hash160(out->script + 2, inner.script, inner.len);
    out->script[22] = SPV__OP_EQUAL;
    out->len = 23;
}

static void tr_script(draft_out *out, const uint8_t public[33])
{
    out->script[0] = SPV__OP_1;
    out->script[1] = 32;
    MUST(spv__taproot_output(out->script + 2, NULL, public + 1, NULL) ==
         SPV_OK);
    out->len = 34;
}

draft_out genwallet_out(const genwallet *w, genwallet_key key, int64_t value)
{
    static void (*const scripts[])(draft_out *, const uint8_t *) = {
        [GENWALLET_PKH] = pkh_script,
        [GENWALLET_WPKH] = wpkh_script,
        [GENWALLET_SH_WPKH] = sh_wpkh_script,
        [GENWALLET_TR] = tr_script,
    };
    draft_out out = {
        .value = value, .ours = true, .branch = key.branch, .index = key.index};
    uint8_t public[33];

    MUST(spv__hd_child_public(public, &w->branch[key.branch], key.index) ==
         SPV_OK);
    scripts[w->type](&out, public);
    return out;
}

genwallet_key genwallet_fresh(const genwallet *w, uint32_t branch)
{
    return (genwallet_key){branch, w->next[branch]};
}

genwallet_key genwallet_used(const genwallet *w, spv_rng *r)
{
    return (genwallet_key){0, (uint32_t)spv__rng_below(r, w->next[0])};
}

/* ---- Spending ---- */

static bool may_spend(const genwallet_coin *c, int32_t height, bool fresh)
{
    if (c->spent || (fresh && c->height != height))
        return false;
    return !c->coinbase || height - c->height >= MATURITY;
}

const genwallet_coin *genwallet_pick(const genwallet *w, spv_rng *r,
                                     int32_t height, bool fresh)
{
    size_t start = (size_t)spv__rng_below(r, w->n_coins);

    for (size_t i = 0; i < w->n_coins; i++) {
        const genwallet_coin *c = &w->coins[(start + i) % w->n_coins];

        if (may_spend(c, height, fresh))
            return c;
    }
    return NULL;
}

const genwallet_coin *genwallet_newest(const genwallet *w, int32_t height)
{
    for (size_t i = w->n_coins; i-- > 0;)
        if (may_spend(&w->coins[i], height, false))
            return &w->coins[i];
    return NULL;
}

void genwallet_spend(draft *d, const genwallet_coin *coin)
{
    draft_spend(d, &coin->at, &coin->out);
}

/** Append a push of a DER signature with its hash type; the new length. */
static size_t push_ecdsa(uint8_t *out, const uint8_t digest[32],
                         const spv_hd *key)
{
    size_t len = 0;

    MUST(spv__ecdsa_sign(out + 1, &len, digest, key->secret) == SPV_OK);
    out[1 + len] = SIGHASH_ALL;
    out[0] = (uint8_t)(len + 1);
    return len + 2;
}

static size_t push_key(uint8_t *out, const spv_hd *key)
{
    out[0] = sizeof(key->public);
    memcpy(out + 1, key->public, sizeof(key->public));
    return 1 + sizeof(key->public);
}

static void sign_legacy(draft *d, size_t at, const spv_hd *key)
{
    draft_in *in = &d->in[at];
    uint8_t digest[32];
    uint8_t pkh[20];

    spv__hash160(pkh, key->public, sizeof(key->public));
    sighash(digest, SIGHASH_LEGACY, d, at, pkh);
    in->script_len = push_ecdsa(in->script, digest, key);
    in->script_len += push_key(in->script + in->script_len, key);
}

static void sign_witness_v0(draft *d, size_t at, const spv_hd *key, bool nested)
{
    draft_in *in = &d->in[at];
    uint8_t digest[32];
    uint8_t pkh[20];

    spv__hash160(pkh, key->public, sizeof(key->public));
    sighash(digest, SIGHASH_WITNESS_V0, d, at, pkh);
    in->witness[0] = 2; /* signature and key */
    in->witness_len = 1 + push_ecdsa(in->witness + 1, digest, key);
    in->witness_len += push_key(in->witness + in->witness_len, key);
    if (nested) {
        in->script[0] = 22;
        witness_program(in->script + 1, pkh);
        in->script_len = 23;
    }
}

static void sign_taproot(draft *d, size_t at, const spv_hd *key)
{
    draft_in *in = &d->in[at];
    uint8_t digest[32];
    uint8_t secret[32];

    memcpy(secret, key->secret, sizeof(secret));
    MUST(spv__taproot_secret(secret, NULL) == SPV_OK);
    sighash(digest, SIGHASH_TAPROOT, d, at, NULL);
    in->witness[0] = 1;
    in->witness[1] = 64;
    MUST(spv__schnorr_sign(in->witness + 2, digest, sizeof(digest), secret,
                           NULL) == SPV_OK);
    in->witness_len = 66;
}

void genwallet_sign(const genwallet *w, draft *d)
{
    for (size_t i = 0; i < d->n_in; i++) {
        const draft_out *spent = &d->in[i].spent;
        spv_hd key;

        if (!spent->ours)
            continue;
        MUST(spv__hd_child(&key, &w->branch[spent->branch], spent->index) ==
             SPV_OK);
        switch (w->type) {
        case GENWALLET_PKH:
            sign_legacy(d, i, &key);
            break;
        case GENWALLET_WPKH:
        case GENWALLET_SH_WPKH:
            sign_witness_v0(d, i, &key, w->type == GENWALLET_SH_WPKH);
            break;
        case GENWALLET_TR:
            sign_taproot(d, i, &key);
            break;
        }
    }
}

/* ---- The book ---- */

static void mark_spent(genwallet *w, const spv_outpoint *at,
                       const spv_hash *spender)
{
    size_t i = 0;

    while (i < w->n_coins && !spv_outpoint_equal(&w->coins[i].at, at))
        i++;
    MUST(i < w->n_coins && !w->coins[i].spent);
    w->coins[i].spent = true;
    w->coins[i].spender = *spender;
}

static bool is_paid(const genwallet *w, genwallet_key key)
{
    for (size_t i = 0; i < w->n_coins; i++)
        if (w->coins[i].key.branch == key.branch &&
            w->coins[i].key.index == key.index)
            return true;
    return false;
}

static void note_paid(genwallet *w, genwallet_key key)
{
    uint32_t *next = &w->next[key.branch];

    if (key.index >= w->used[key.branch])
        w->used[key.branch] = key.index + 1;
    *next += key.index == *next;
    while (*next < w->used[key.branch] &&
           is_paid(w, (genwallet_key){key.branch, *next}))
        ++*next;
}

static void add_coin(genwallet *w, genwallet_coin coin)
{
    w->coins = must_grow(w->coins, w->n_coins, &w->coins_cap, sizeof(coin));
    w->coins[w->n_coins++] = coin;
    note_paid(w, coin.key);
}

/** Take the inputs that are ours; how many there were. */
static size_t record_inputs(genwallet *w, const draft *d, genwallet_tx *tx)
{
    size_t n = 0;

    for (size_t i = 0; i < d->n_in; i++) {
        if (!d->in[i].spent.ours)
            continue;
        mark_spent(w, &d->in[i].prev, &tx->txid);
        tx->net -= d->in[i].spent.value;
        n++;
    }
    return n;
}

static size_t record_outputs(genwallet *w, const draft *d, genwallet_tx *tx)
{
    bool coinbase = d->in[0].prev.vout == UINT32_MAX;
    size_t n = 0;

    for (uint32_t i = 0; i < d->n_out; i++) {
        const draft_out *out = &d->out[i];

        if (!out->ours)
            continue;
        add_coin(w, (genwallet_coin){.at = {tx->txid, i},
                                     .out = *out,
                                     .key = {out->branch, out->index},
                                     .height = tx->height,
                                     .coinbase = coinbase});
        tx->net += out->value;
        n++;
    }
    return n;
}

void genwallet_record(genwallet *w, const draft *d, const spv_hash *txid,
                      int32_t height, size_t position)
{
    genwallet_tx tx = {*txid, height, position, 0, -1, 0};
    size_t inputs = record_inputs(w, d, &tx);

    tx.parts = record_outputs(w, d, &tx) + inputs;
    if (tx.parts == 0)
        return;
    if (inputs == d->n_in)
        tx.fee = draft_fee(d);
    w->txs = must_grow(w->txs, w->n_txs, &w->txs_cap, sizeof(tx));
    w->txs[w->n_txs++] = tx;
}

/* ---- Windows ---- */

void genwallet_set_window(genwallet *w, uint32_t branch, uint32_t window)
{
    w->window[branch] = window;
}

bool genwallet_is_open(const genwallet *w, const genwallet_coin *coin)
{
    return coin->key.index < w->window[coin->key.branch];
}

/** Let coins [from, end) move the windows of `gap`; whether one did. */
static bool move_windows(genwallet *w, size_t from, size_t end, uint32_t gap,
                         uint32_t window[BRANCHES], bool mark)
{
    bool moved = false;

    for (size_t i = from; i < end; i++) {
        genwallet_coin *c = &w->coins[i];
        uint32_t *reach = &window[c->key.branch];

        if (c->key.index >= *reach)
            continue;
        c->is_sure |= mark;
        if (c->key.index + 1 + gap <= *reach)
            continue;
        *reach = c->key.index + 1 + gap;
        moved = true;
    }
    return moved;
}

uint32_t genwallet_window(genwallet *w, uint32_t branch, uint32_t gap)
{
    uint32_t window[BRANCHES] = {gap, gap};

    while (move_windows(w, 0, w->n_coins, gap, window, false))
        ;
    return window[branch];
}

void genwallet_mark_sure(genwallet *w, uint32_t gap)
{
    uint32_t window[BRANCHES] = {gap, gap};

    for (size_t from = 0, end = 0; from < w->n_coins; from = end) {
        while (end < w->n_coins &&
               w->coins[end].height == w->coins[from].height)
            end++;
        while (move_windows(w, from, end, gap, window, true))
            ;
    }
}

/* ---- What the book shows ---- */

const genwallet_coin *genwallet_coins(const genwallet *w, size_t *n)
{
    *n = w->n_coins;
    return w->coins;
}

static int by_place(const void *left, const void *right)
{
    const genwallet_tx *a = left;
    const genwallet_tx *b = right;

    if (a->height != b->height)
        return a->height < b->height ? -1 : 1;
    return a->position < b->position ? -1 : a->position > b->position;
}

static genwallet_tx *find_shown(genwallet *w, const spv_hash *txid)
{
    size_t i = 0;

    while (i < w->n_txs && !spv_hash_equal(&w->shown[i].txid, txid))
        i++;
    MUST(i < w->n_txs);
    return &w->shown[i];
}

/** Take a coin beyond the window out of what brought it, and what took it. */
static void hide(genwallet *w, const genwallet_coin *c)
{
    genwallet_tx *tx = find_shown(w, &c->at.txid);

    tx->net -= c->out.value;
    tx->parts--;
    if (!c->spent)
        return;
    tx = find_shown(w, &c->spender);
    tx->net += c->out.value;
    tx->fee = -1;
    tx->parts--;
}

/* A coinbase is recorded last, because it takes its block's fees. */
const genwallet_tx *genwallet_history(genwallet *w, size_t *n)
{
    *n = 0;
    free(w->shown);
    w->shown = calloc(w->n_txs + 1, sizeof(*w->shown));
    MUST(w->shown);
    if (w->n_txs > 0)
        memcpy(w->shown, w->txs, w->n_txs * sizeof(*w->txs));
    for (size_t i = 0; i < w->n_coins; i++)
        if (!genwallet_is_open(w, &w->coins[i]))
            hide(w, &w->coins[i]);
    for (size_t i = 0; i < w->n_txs; i++)
        if (w->shown[i].parts > 0)
            w->shown[(*n)++] = w->shown[i];
    qsort(w->shown, *n, sizeof(*w->shown), by_place);
    return w->shown;
}

genwallet_balance genwallet_balance_at(const genwallet *w, int32_t tip)
{
    genwallet_balance sum = {0};

    for (size_t i = 0; i < w->n_coins; i++) {
        const genwallet_coin *c = &w->coins[i];

        if (c->spent || !genwallet_is_open(w, c))
            continue;
        if (may_spend(c, tip + 1, false))
            sum.confirmed += c->out.value;
        else
            sum.immature += c->out.value;
    }
    return sum;
}
