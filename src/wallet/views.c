#include <stdlib.h>
#include <string.h>

#include "wallet/parts.h"

/*
 * What a wallet shows, computed from the ledger in one pass each time.
 */

const char *spv_tx_state_name(spv_tx_state state)
{
    static const char *const names[] = {
        [SPV_TX_CONFIRMED] = "confirmed", [SPV_TX_UNCONFIRMED] = "unconfirmed",
        [SPV_TX_REPLACED] = "replaced",   [SPV_TX_CONFLICTED] = "conflicted",
        [SPV_TX_ABANDONED] = "abandoned",
    };

    return names[state];
}

/* Strangers may make up unconfirmed amounts: sums stop at the ends. */
static int64_t plus(int64_t a, int64_t b)
{
    if (b > 0 && a > INT64_MAX - b)
        return INT64_MAX;
    if (b < 0 && a < INT64_MIN - b)
        return INT64_MIN;
    return a + b;
}

/* ---- Coins ---- */

/* Mature is what the next block may spend: with 100 confirmations. (The
 * node's own wallet waits for one more.) */
static bool is_immature(const spv_wallet *w, const spv_entry *e, int32_t tip)
{
    int64_t next = (int64_t)tip + 1;

    return e->is_coinbase &&
           next - e->block.height < w->network->coinbase_maturity;
}

/* A coin in a block counts as confirmed until a block spends it; what
 * unconfirmed transactions would change stands apart. */
static void add_to_balance(const spv_wallet *w, const spv_ledger_coin *coin,
                           int32_t tip, spv_balance *b)
{
    const spv_entry *e = &w->ledger.entry[coin->entry];
    const spv_entry *spender = spv__ledger_spender(&w->ledger, coin->spot);

    if (coin->is_early || !spv__entry_is_live(e) ||
        (spender && spender->state == SPV_TX_CONFIRMED))
        return;
    if (e->state == SPV_TX_UNCONFIRMED) {
        if (!spender)
            b->unconfirmed = plus(b->unconfirmed, coin->value);
        return;
    }
    if (spender)
        b->unconfirmed = plus(b->unconfirmed, -coin->value);
    if (is_immature(w, e, tip))
        b->immature = plus(b->immature, coin->value);
    else
        b->confirmed = plus(b->confirmed, coin->value);
}

void spv__wallet_balance(const spv_wallet *w, int32_t tip, spv_balance *out)
{
    *out = (spv_balance){0};
    for (uint32_t i = 0; i < w->ledger.n_coins; i++)
        add_to_balance(w, &w->ledger.coin[i], tip, out);
    out->total = plus(plus(out->confirmed, out->immature), out->unconfirmed);
}

/* Whether the list of coins has it, see spv__wallet_coins. */
static bool is_listed(const spv_wallet *w, const spv_ledger_coin *coin)
{
    const spv_entry *e = &w->ledger.entry[coin->entry];
    const spv_entry *spender = spv__ledger_spender(&w->ledger, coin->spot);

    if (coin->is_early || !spv__entry_is_live(e))
        return false;
    if (!spender)
        return true;
    return e->state == SPV_TX_CONFIRMED && spender->state != SPV_TX_CONFIRMED;
}

static void show_coin(const spv_wallet *w, const spv_ledger_coin *coin,
                      int32_t tip, spv_coin *out)
{
    const spv_entry *e = &w->ledger.entry[coin->entry];

    *out = (spv_coin){
        .outpoint = w->ledger.spot[coin->spot].outpoint,
        .amount = coin->value,
        .height = e->block.height,
        .coinbase = e->is_coinbase,
        .spendable = e->state == SPV_TX_CONFIRMED && !is_immature(w, e, tip) &&
                     !spv__ledger_spender(&w->ledger, coin->spot),
        .script = spv__watch_bytes(&w->watch, coin->script),
        .script_len = w->watch.script[coin->script].len,
    };
}

/* Heights in order, those without one last. */
static int compare_heights(int32_t a, int32_t b)
{
    uint32_t x = (uint32_t)a;
    uint32_t y = (uint32_t)b;

    return (x > y) - (x < y);
}

/* By place in the chain; outside it by the time they were seen. */
static int compare_entries(const spv_entry *x, const spv_entry *y)
{
    int order = compare_heights(x->block.height, y->block.height);

    if (order == 0 && x->state == SPV_TX_CONFIRMED)
        order = (x->position > y->position) - (x->position < y->position);
    else if (order == 0)
        order = (x->seen_time > y->seen_time) - (x->seen_time < y->seen_time);
    if (order == 0) /* as they were learned: the array's order */
        order = (x > y) - (x < y);
    return order;
}

/* A coin, and what it comes from. */
typedef struct spv_coin_place {
    const spv_ledger_coin *coin;
    const spv_entry *entry;
    uint32_t vout;
} spv_coin_place;

static int compare_coins(const void *a, const void *b)
{
    const spv_coin_place *x = a;
    const spv_coin_place *y = b;
    int order = compare_entries(x->entry, y->entry);

    return order ? order : (x->vout > y->vout) - (x->vout < y->vout);
}

static size_t listed_coins(const spv_wallet *w, spv_coin_place *out)
{
    const spv_ledger *l = &w->ledger;
    size_t n = 0;

    for (uint32_t i = 0; i < l->n_coins; i++)
        if (is_listed(w, &l->coin[i]))
            out[n++] = (spv_coin_place){
                .coin = &l->coin[i],
                .entry = &l->entry[l->coin[i].entry],
                .vout = l->spot[l->coin[i].spot].outpoint.vout};
    return n;
}

spv_err spv__wallet_coins(const spv_wallet *w, int32_t tip, spv_coin **coins,
                          size_t *n)
{
    size_t room = (size_t)w->ledger.n_coins + 1;
    spv_coin_place *place = malloc(room * sizeof(*place));

    *n = 0;
    *coins = calloc(room, sizeof(**coins));
    if (!place || !*coins) {
        free(place);
        free(*coins);
        *coins = NULL;
        return SPV_NOMEM;
    }
    *n = listed_coins(w, place);
    qsort(place, *n, sizeof(*place), compare_coins);
    for (size_t i = 0; i < *n; i++)
        show_coin(w, place[i].coin, tip, &(*coins)[i]);
    free(place);
    return SPV_OK;
}

/* ---- Transactions ---- */

static int64_t received(const spv_ledger *l, const spv_entry *e)
{
    int64_t sum = 0;

    for (uint32_t i = e->first_coin; i != SPV__LEDGER_NONE; i = l->coin[i].next)
        if (!l->coin[i].is_early)
            sum += l->coin[i].value; /* at most e->value */
    return sum;
}

/* What of ours it spends; `*all` tells whether every input is ours. */
static int64_t spent(const spv_ledger *l, const spv_entry *e, bool *all)
{
    int64_t sum = 0;

    *all = e->n_in > 0;
    for (uint32_t i = 0; i < e->n_in; i++) {
        uint32_t coin = spv__ledger_input_coin(l, e, i);

        if (coin == SPV__LEDGER_NONE)
            *all = false;
        else
            sum = plus(sum, l->coin[coin].value);
    }
    return sum;
}

static void show_tx(const spv_ledger *l, const spv_entry *e, spv_wallet_tx *out)
{
    bool all = false;
    int64_t in = spent(l, e, &all);

    *out = (spv_wallet_tx){
        .txid = e->txid,
        .height = e->block.height,
        .block_hash = e->block.hash,
        .block_time = e->block.time,
        .net = plus(received(l, e), -in),
        .fee = all && in >= e->value ? in - e->value : SPV_NO_FEE,
        .state = e->state,
        .seen_by = spv__entry_seen_by(e),
        .bytes = e->bytes,
        .len = e->len,
    };
}

static int compare_txs(const void *a, const void *b)
{
    return compare_entries(*(const spv_entry *const *)a,
                           *(const spv_entry *const *)b);
}

static size_t own_entries(const spv_ledger *l, const spv_entry **out)
{
    size_t n = 0;

    for (uint32_t i = 0; i < l->n_entries; i++)
        if (l->entry[i].is_own)
            out[n++] = &l->entry[i];
    return n;
}

spv_err spv__wallet_history(const spv_wallet *w, spv_wallet_tx **txs, size_t *n)
{
    size_t room = (size_t)w->ledger.n_entries + 1;
    const spv_entry **order = malloc(room * sizeof(const spv_entry *));

    *n = 0;
    *txs = calloc(room, sizeof(**txs));
    if (!order || !*txs) {
        free(order);
        free(*txs);
        *txs = NULL;
        return SPV_NOMEM;
    }
    *n = own_entries(&w->ledger, order);
    qsort(order, *n, sizeof(const spv_entry *), compare_txs);
    for (size_t i = 0; i < *n; i++)
        show_tx(&w->ledger, order[i], &(*txs)[i]);
    free(order);
    return SPV_OK;
}

spv_err spv__wallet_tx(const spv_wallet *w, const spv_hash *txid,
                       spv_wallet_tx *out)
{
    uint32_t entry = spv__ledger_find(&w->ledger, txid);

    if (entry == SPV__LEDGER_NONE)
        return SPV_NOT_FOUND;
    show_tx(&w->ledger, &w->ledger.entry[entry], out);
    return SPV_OK;
}

/* By height. */
static int compare_blocks(const void *a, const void *b)
{
    const spv_block_ref *x = a;
    const spv_block_ref *y = b;

    return compare_heights(x->height, y->height);
}

spv_err spv__wallet_blocks(const spv_wallet *w, spv_block_ref **blocks,
                           size_t *n)
{
    const spv_ledger *l = &w->ledger;

    *n = 0;
    *blocks = calloc((size_t)l->n_entries + 1, sizeof(**blocks));
    if (!*blocks)
        return SPV_NOMEM;
    for (uint32_t i = 0; i < l->n_entries; i++)
        if (l->entry[i].state == SPV_TX_CONFIRMED)
            (*blocks)[(*n)++] = l->entry[i].block;
    qsort(*blocks, *n, sizeof(**blocks), compare_blocks);
    return SPV_OK;
}

size_t spv__wallet_tx_count(const spv_wallet *w)
{
    return w->ledger.n_own;
}

/* ---- Conflicts ---- */

static bool has_hash(const spv_hash *list, size_t n, const spv_hash *hash)
{
    for (size_t i = 0; i < n; i++)
        if (spv_hash_equal(&list[i], hash))
            return true;
    return false;
}

/* Visit every other spend of what `entry` spends: counted, and written to
 * `out` without repeats unless it is NULL. */
static size_t rivals(const spv_ledger *l, uint32_t entry, spv_hash *out)
{
    const spv_entry *e = &l->entry[entry];
    size_t n = 0;

    for (uint32_t i = 0; i < e->n_in; i++)
        for (uint32_t s = l->spot[l->spend[e->first_spend + i].spot].spend;
             s != SPV__LEDGER_NONE; s = l->spend[s].next) {
            const spv_entry *rival = &l->entry[l->spend[s].entry];

            if (rival == e || (out && has_hash(out, n, &rival->txid)))
                continue;
            if (out)
                out[n] = rival->txid;
            n++;
        }
    return n;
}

spv_err spv__wallet_conflicts(const spv_wallet *w, const spv_hash *txid,
                              spv_hash **txids, size_t *n)
{
    uint32_t entry = spv__ledger_find(&w->ledger, txid);

    *txids = NULL;
    *n = 0;
    if (entry == SPV__LEDGER_NONE)
        return SPV_NOT_FOUND;
    *n = rivals(&w->ledger, entry, NULL);
    if (*n == 0)
        return SPV_OK;
    *txids = calloc(*n, sizeof(**txids));
    if (!*txids)
        return SPV_NOMEM;
    *n = rivals(&w->ledger, entry, *txids);
    return SPV_OK;
}
