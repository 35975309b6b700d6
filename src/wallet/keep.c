#include "wallet/array.h"
#include "wallet/parts.h"

/*
 * Which transactions are kept, and what a block or an announcement does.
 */

/* ---- Keeping transactions ---- */

static spv_err learn_outpoint(spv_wallet *w, const spv_outpoint *outpoint)
{
    uint8_t bytes[SPV_OUTPOINT_LEN];
    spv_element element = {
        .kind = SPV__ELEMENT_OUTPOINT, .bytes = bytes, .len = sizeof(bytes)};

    spv_outpoint_encode(bytes, outpoint);
    return spv__elements_learn(&w->log, &element, NULL);
}

/* A coin, early or not, enters the log when it is seen: filters hold it, and
 * blocks whose filter does not are owed, from its own height on. */
static spv_err add_coin(spv_wallet *w, const spv_ledger_coin *coin,
                        uint32_t vout)
{
    spv_outpoint outpoint = {.txid = w->ledger.entry[coin->entry].txid,
                             .vout = vout};
    uint32_t before = w->ledger.n_coins;
    spv_err err = spv__array_room(&w->early, &w->cap_early, w->n_early,
                                  sizeof(*w->early));

    if (err == SPV_OK)
        err = spv__ledger_add_coin(&w->ledger, coin, vout);
    if (err == SPV_OK && coin->is_early && w->ledger.n_coins > before)
        w->early[w->n_early++] = before;
    return err == SPV_OK ? learn_outpoint(w, &outpoint) : err;
}

/* The windows moved: some coins that were early may be ours now. */
static void promote_early(spv_wallet *w)
{
    uint32_t left = 0;

    for (uint32_t i = 0; i < w->n_early; i++) {
        uint32_t script = w->ledger.coin[w->early[i]].script;

        if (!spv__watch_is_open(&w->watch, script)) {
            w->early[left++] = w->early[i];
            continue;
        }
        (void)spv__watch_pay(&w->watch, script);
        spv__ledger_open_coin(&w->ledger, w->early[i]);
    }
    w->n_early = left;
}

spv_err spv__wallet_derive(spv_wallet *w)
{
    uint32_t before = 0;
    spv_err err = SPV_OK;

    do {
        before = w->n_early;
        err = spv__watch_derive(&w->watch, &w->log);
        if (err == SPV_OK)
            promote_early(w);
    } while (err == SPV_OK && w->n_early < before);
    return err;
}

static spv_err adopt_output(spv_wallet *w, uint32_t entry, uint32_t vout,
                            const spv_txout *out)
{
    uint32_t script = spv__watch_find(&w->watch, out->script, out->script_len);
    spv_ledger_coin coin = {
        .value = out->value, .entry = entry, .script = script};

    if (script == SPV__TABLE_NONE)
        return SPV_OK;
    coin.is_early = !spv__watch_is_open(&w->watch, script);
    return add_coin(w, &coin, vout);
}

spv_err spv__wallet_keep(spv_wallet *w, const spv_tx *tx, uint32_t *entry,
                         bool *is_new)
{
    spv_err err = SPV_OK;

    *entry = spv__ledger_find(&w->ledger, &tx->txid);
    *is_new = *entry == SPV__LEDGER_NONE;
    if (*is_new)
        err = spv__ledger_insert(&w->ledger, tx, entry);
    for (size_t i = 0; err == SPV_OK && i < tx->n_out; i++)
        err = adopt_output(w, *entry, (uint32_t)i, &tx->out[i]);
    return err;
}

/* Values outside what can be have no place in a sum. */
static bool has_valid_values(const spv_tx *tx)
{
    int64_t sum = 0;

    for (size_t i = 0; i < tx->n_out; i++) {
        int64_t value = tx->out[i].value;

        if (value < 0 || value > SPV_MAX_MONEY - sum)
            return false;
        sum += value;
    }
    return true;
}

static spv_interest interest_by_spot(const spv_wallet *w, const spv_spot *spot)
{
    if (spot->coin == SPV__LEDGER_NONE)
        return SPV__INTEREST_RIVAL;
    return w->ledger.coin[spot->coin].is_early ? SPV__INTEREST_EARLY
                                               : SPV__INTEREST_OWN;
}

static spv_interest interest_by_inputs(const spv_wallet *w, const spv_tx *tx)
{
    spv_interest found = SPV__INTEREST_NONE;

    for (size_t i = 0; i < tx->n_in; i++) {
        uint32_t spot = spv__ledger_find_spot(&w->ledger, &tx->in[i].prev);
        spv_interest by_spot = SPV__INTEREST_NONE;

        if (spot == SPV__LEDGER_NONE)
            continue;
        by_spot = interest_by_spot(w, &w->ledger.spot[spot]);
        if (by_spot > found)
            found = by_spot;
    }
    return found;
}

static spv_interest interest_by_outputs(const spv_wallet *w, const spv_tx *tx)
{
    spv_interest found = SPV__INTEREST_NONE;

    for (size_t i = 0; i < tx->n_out; i++) {
        uint32_t script = spv__watch_find(&w->watch, tx->out[i].script,
                                          tx->out[i].script_len);

        if (script == SPV__TABLE_NONE)
            continue;
        if (spv__watch_is_open(&w->watch, script))
            return SPV__INTEREST_OWN;
        found = SPV__INTEREST_EARLY;
    }
    return found;
}

spv_interest spv__wallet_interest(const spv_wallet *w, const spv_tx *tx)
{
    spv_interest by_inputs = SPV__INTEREST_NONE;
    spv_interest by_outputs = SPV__INTEREST_NONE;

    if (!has_valid_values(tx))
        return SPV__INTEREST_NONE;
    by_inputs = interest_by_inputs(w, tx);
    by_outputs = interest_by_outputs(w, tx);
    return by_inputs > by_outputs ? by_inputs : by_outputs;
}

/* ---- Blocks ---- */

static bool pay_outputs(spv_wallet *w, const spv_tx *tx)
{
    bool moved = false;

    for (size_t i = 0; i < tx->n_out; i++) {
        uint32_t script = spv__watch_find(&w->watch, tx->out[i].script,
                                          tx->out[i].script_len);

        if (script != SPV__TABLE_NONE && spv__watch_is_open(&w->watch, script))
            moved |= spv__watch_pay(&w->watch, script);
    }
    return moved;
}

/* A payment may open the window for one that stands before it. */
spv_err spv__wallet_foresee(spv_wallet *w, const spv_tx *txs, size_t n)
{
    spv_err err = SPV_OK;
    bool moved = true;

    while (err == SPV_OK && moved) {
        moved = false;
        for (size_t i = 0; i < n; i++)
            if (has_valid_values(&txs[i]))
                moved |= pay_outputs(w, &txs[i]);
        if (moved)
            err = spv__wallet_derive(w);
    }
    return err;
}

/* How many coins of an entry (or none) the block is known to have created. */
static uint32_t coins_in(const spv_ledger *l, uint32_t entry,
                         const spv_block_ref *block)
{
    const spv_entry *e = NULL;
    uint32_t n = 0;

    if (entry == SPV__LEDGER_NONE)
        return 0;
    e = &l->entry[entry];
    if (e->state != SPV_TX_CONFIRMED ||
        !spv_hash_equal(&e->block.hash, &block->hash))
        return 0;
    for (uint32_t i = e->first_coin; i != SPV__LEDGER_NONE; i = l->coin[i].next)
        n++;
    return n;
}

static spv_err apply_kept(spv_wallet *w, const spv_block_ref *block,
                          const spv_tx *tx, uint32_t position, spv_applied *sum)
{
    uint32_t entry = spv__ledger_find(&w->ledger, &tx->txid);
    uint32_t known = coins_in(&w->ledger, entry, block);
    bool is_new = false;
    spv_err err = spv__wallet_keep(w, tx, &entry, &is_new);

    if (err != SPV_OK)
        return err;
    spv__ledger_confirm(&w->ledger, entry, block, position);
    sum->coins += coins_in(&w->ledger, entry, block) - known;
    sum->own += w->ledger.entry[entry].is_own;
    sum->fresh += w->ledger.entry[entry].is_own && is_new;
    return SPV_OK;
}

static spv_err apply_one(spv_wallet *w, const spv_block_ref *block,
                         const spv_tx *tx, uint32_t position, spv_applied *sum)
{
    spv_interest interest = spv__wallet_interest(w, tx);
    uint32_t own = sum->own;
    spv_err err = SPV_OK;

    if (interest > SPV__INTEREST_NONE)
        err = apply_kept(w, block, tx, position, sum);
    if (sum->own == own && interest == SPV__INTEREST_EARLY)
        sum->early++;
    else if (sum->own == own)
        sum->false_positives++;
    return err;
}

spv_err spv__wallet_apply(spv_wallet *w, const spv_block_ref *block,
                          const spv_tx *txs, const uint32_t *position, size_t n,
                          spv_applied *out)
{
    spv_applied sum = {0};
    spv_err err = spv__wallet_foresee(w, txs, n);

    for (size_t i = 0; err == SPV_OK && i < n; i++)
        err = apply_one(w, block, &txs[i], position ? position[i] : (uint32_t)i,
                        &sum);
    if (out) {
        out->own += sum.own;
        out->fresh += sum.fresh;
        out->early += sum.early;
        out->coins += sum.coins;
        out->false_positives += sum.false_positives;
    }
    return err;
}

/* Whoever invents transactions does not fill the filter with what they spend.
 */
enum { GUARDS_MAX = 2000 };

/* What an unconfirmed transaction of ours spends enters the log: a filter that
 * holds it shows whatever spends it otherwise, which may have nothing of ours
 * in it. Our own coins are there already. */
static spv_err guard_inputs(spv_wallet *w, const spv_entry *e)
{
    uint32_t n = e->n_in < SPV__GUARDS_OF_ONE ? e->n_in : SPV__GUARDS_OF_ONE;
    spv_err err = SPV_OK;

    if (e->state != SPV_TX_UNCONFIRMED || !e->is_own)
        return SPV_OK;
    for (uint32_t i = 0; i < n && err == SPV_OK; i++) {
        const spv_spot *spot =
            &w->ledger.spot[w->ledger.spend[e->first_spend + i].spot];

        if (spot->coin != SPV__LEDGER_NONE || w->n_guards == GUARDS_MAX)
            continue;
        err = learn_outpoint(w, &spot->outpoint);
        w->n_guards++;
    }
    return err;
}

spv_err spv__wallet_undo(spv_wallet *w, int32_t height)
{
    spv_err err = SPV_OK;

    spv__ledger_undo(&w->ledger, height);
    for (uint32_t i = 0; i < w->ledger.n_entries && err == SPV_OK; i++)
        err = guard_inputs(w, &w->ledger.entry[i]);
    return err;
}

/* Coins of a transaction in a block come with that block only: those above it
 * were not asked for what spends others. */
static bool is_in_block(const spv_wallet *w, uint32_t entry)
{
    return entry != SPV__LEDGER_NONE &&
           w->ledger.entry[entry].state == SPV_TX_CONFIRMED;
}

spv_err spv__wallet_add_unconfirmed(spv_wallet *w, const spv_tx *tx,
                                    int64_t time, bool *kept)
{
    uint32_t entry = SPV__LEDGER_NONE;
    bool is_new = false;
    spv_err err = SPV_OK;

    *kept = false;
    if (spv_tx_is_coinbase(tx))
        return SPV_OK;
    err = spv__wallet_foresee(w, tx, 1);
    if (err != SPV_OK || spv__wallet_interest(w, tx) == SPV__INTEREST_NONE)
        return err;
    entry = spv__ledger_find(&w->ledger, &tx->txid);
    if (!is_in_block(w, entry))
        err = spv__wallet_keep(w, tx, &entry, &is_new);
    if (err != SPV_OK)
        return err;
    spv__ledger_arrive(&w->ledger, entry, is_new, time);
    *kept = true;
    return guard_inputs(w, &w->ledger.entry[entry]);
}

bool spv__wallet_expire(spv_wallet *w, int64_t time)
{
    return spv__ledger_expire(&w->ledger, time);
}

spv_err spv__wallet_abandon(spv_wallet *w, const spv_hash *txid)
{
    uint32_t entry = spv__ledger_find(&w->ledger, txid);

    if (entry == SPV__LEDGER_NONE)
        return SPV_NOT_FOUND;
    if (w->ledger.entry[entry].state != SPV_TX_UNCONFIRMED)
        return SPV_INVAL;
    spv__ledger_abandon(&w->ledger, entry);
    return SPV_OK;
}
