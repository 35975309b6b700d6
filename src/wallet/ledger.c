#include "wallet/ledger.h"

#include <stdlib.h>
#include <string.h>

#include "wallet/array.h"

void spv__ledger_clear(spv_ledger *l)
{
    for (uint32_t i = 0; i < l->n_entries; i++)
        free(l->entry[i].bytes);
    free(l->entry);
    free(l->spot);
    free(l->spend);
    free(l->coin);
    free(l->changed);
    free(l->news);
    free(l->work);
    spv__table_clear(&l->entries);
    spv__table_clear(&l->spots);
    *l = (spv_ledger){0};
}

/* ---- Finding ---- */

uint32_t spv__ledger_find(const spv_ledger *l, const spv_hash *txid)
{
    uint32_t hash = spv__table_hash(txid->bytes, sizeof(txid->bytes));
    spv_table_walk walk = spv__table_walk(&l->entries, hash);
    uint32_t id = SPV__LEDGER_NONE;

    while ((id = spv__table_next(&l->entries, &walk)) != SPV__LEDGER_NONE)
        if (spv_hash_equal(&l->entry[id].txid, txid))
            return id;
    return SPV__LEDGER_NONE;
}

static uint32_t outpoint_hash(const spv_outpoint *outpoint)
{
    uint32_t h = spv__table_hash(outpoint->txid.bytes, 32);

    return h ^ outpoint->vout * UINT32_C(0x9e3779b1);
}

uint32_t spv__ledger_find_spot(const spv_ledger *l,
                               const spv_outpoint *outpoint)
{
    spv_table_walk walk = spv__table_walk(&l->spots, outpoint_hash(outpoint));
    uint32_t id = SPV__LEDGER_NONE;

    while ((id = spv__table_next(&l->spots, &walk)) != SPV__LEDGER_NONE)
        if (spv_outpoint_equal(&l->spot[id].outpoint, outpoint))
            return id;
    return SPV__LEDGER_NONE;
}

/* ---- Adding ---- */

static spv_err need_spot(spv_ledger *l, const spv_outpoint *outpoint,
                         uint32_t *spot)
{
    spv_err err = SPV_OK;

    *spot = spv__ledger_find_spot(l, outpoint);
    if (*spot != SPV__LEDGER_NONE)
        return SPV_OK;
    err =
        spv__array_room(&l->spot, &l->cap_spots, l->n_spots, sizeof(*l->spot));
    if (err == SPV_OK)
        err = spv__table_add(&l->spots, outpoint_hash(outpoint), l->n_spots);
    if (err != SPV_OK)
        return err;
    *spot = l->n_spots++;
    l->spot[*spot] = (spv_spot){.outpoint = *outpoint,
                                .coin = SPV__LEDGER_NONE,
                                .spend = SPV__LEDGER_NONE};
    return SPV_OK;
}

static void mark_own(spv_ledger *l, uint32_t entry)
{
    if (l->entry[entry].is_own)
        return;
    l->entry[entry].is_own = true;
    l->n_own++;
    spv__ledger_note(l, entry);
}

/* Whether the coin at a spot is ours by now. */
static bool has_own_coin(const spv_ledger *l, uint32_t spot)
{
    uint32_t coin = l->spot[spot].coin;

    return coin != SPV__LEDGER_NONE && !l->coin[coin].is_early;
}

static spv_err add_spend(spv_ledger *l, uint32_t entry,
                         const spv_outpoint *outpoint)
{
    uint32_t spot = SPV__LEDGER_NONE;
    spv_err err = need_spot(l, outpoint, &spot);

    if (err == SPV_OK)
        err = spv__array_room(&l->spend, &l->cap_spends, l->n_spends,
                              sizeof(*l->spend));
    if (err != SPV_OK)
        return err;
    l->spend[l->n_spends] =
        (spv_spend){.spot = spot, .entry = entry, .next = l->spot[spot].spend};
    l->spot[spot].spend = l->n_spends++;
    if (has_own_coin(l, spot))
        mark_own(l, entry);
    return SPV_OK;
}

/* Room for one more entry, also where changes, news and work are listed: one is
 * in each of these at most once, so they cannot run out later. */
static spv_err room_for_entry(spv_ledger *l)
{
    spv_err err = spv__array_room(&l->entry, &l->cap_entries, l->n_entries,
                                  sizeof(*l->entry));

    if (err == SPV_OK)
        err = spv__array_room(&l->changed, &l->cap_changed, l->n_entries,
                              sizeof(*l->changed));
    if (err == SPV_OK)
        err = spv__array_room(&l->news, &l->cap_news, l->n_entries,
                              sizeof(*l->news));
    if (err == SPV_OK)
        err = spv__array_room(&l->work, &l->cap_work, l->n_entries,
                              sizeof(*l->work));
    return err;
}

static spv_err make_entry(spv_entry *e, const spv_tx *tx)
{
    if (tx->len > UINT32_MAX || tx->n_in > UINT32_MAX || tx->n_out > UINT32_MAX)
        return SPV_LIMIT;
    *e = (spv_entry){.txid = tx->txid,
                     .len = (uint32_t)tx->len,
                     .state = SPV_TX_UNCONFIRMED,
                     .block.height = SPV_NO_HEIGHT,
                     .n_out = (uint32_t)tx->n_out,
                     .first_coin = SPV__LEDGER_NONE,
                     .is_coinbase = spv_tx_is_coinbase(tx)};
    if (!e->is_coinbase)
        e->n_in = (uint32_t)tx->n_in;
    for (size_t i = 0; i < tx->n_out; i++)
        e->value += tx->out[i].value;
    e->bytes = malloc(tx->len);
    if (!e->bytes)
        return SPV_NOMEM;
    memcpy(e->bytes, tx->bytes, tx->len);
    return SPV_OK;
}

spv_err spv__ledger_insert(spv_ledger *l, const spv_tx *tx, uint32_t *entry)
{
    uint32_t id = l->n_entries;
    uint32_t hash = spv__table_hash(tx->txid.bytes, sizeof(tx->txid.bytes));
    spv_err err = room_for_entry(l);

    if (err == SPV_OK)
        err = make_entry(&l->entry[id], tx);
    if (err != SPV_OK)
        return err;
    l->n_entries++;
    l->entry[id].first_spend = l->n_spends;
    for (uint32_t i = 0; err == SPV_OK && i < l->entry[id].n_in; i++)
        err = add_spend(l, id, &tx->in[i].prev);
    if (err == SPV_OK)
        err = spv__table_add(&l->entries, hash, id);
    if (err != SPV_OK)
        return err;
    spv__ledger_touch(l, id);
    *entry = id;
    return SPV_OK;
}

void spv__ledger_open_coin(spv_ledger *l, uint32_t coin)
{
    uint32_t spot = l->coin[coin].spot;

    l->coin[coin].is_early = false;
    mark_own(l, l->coin[coin].entry);
    for (uint32_t i = l->spot[spot].spend; i != SPV__LEDGER_NONE;
         i = l->spend[i].next)
        mark_own(l, l->spend[i].entry);
}

spv_err spv__ledger_add_coin(spv_ledger *l, const spv_ledger_coin *coin,
                             uint32_t vout)
{
    spv_entry *e = &l->entry[coin->entry];
    spv_outpoint outpoint = {.txid = e->txid, .vout = vout};
    uint32_t spot = SPV__LEDGER_NONE;
    spv_err err = need_spot(l, &outpoint, &spot);

    if (err != SPV_OK || l->spot[spot].coin != SPV__LEDGER_NONE)
        return err;
    err =
        spv__array_room(&l->coin, &l->cap_coins, l->n_coins, sizeof(*l->coin));
    if (err != SPV_OK)
        return err;
    l->coin[l->n_coins] = *coin;
    l->coin[l->n_coins].spot = spot;
    l->coin[l->n_coins].next = e->first_coin;
    e->first_coin = l->n_coins;
    l->spot[spot].coin = l->n_coins++;
    if (!coin->is_early)
        spv__ledger_open_coin(l, l->n_coins - 1);
    return SPV_OK;
}

void spv__ledger_note(spv_ledger *l, uint32_t entry)
{
    if (l->entry[entry].is_news)
        return;
    l->n_news -= l->told_news;
    memmove(l->news, l->news + l->told_news, l->n_news * sizeof(*l->news));
    l->told_news = 0;
    l->entry[entry].is_news = true;
    l->news[l->n_news++] = entry;
}

void spv__ledger_touch(spv_ledger *l, uint32_t entry)
{
    spv__ledger_note(l, entry);
    if (l->entry[entry].is_changed)
        return;
    l->entry[entry].is_changed = true;
    l->changed[l->n_changed++] = entry;
}

/* ---- Asking ---- */

uint32_t spv__ledger_input_coin(const spv_ledger *l, const spv_entry *e,
                                uint32_t i)
{
    uint32_t spot = l->spend[e->first_spend + i].spot;

    return has_own_coin(l, spot) ? l->spot[spot].coin : SPV__LEDGER_NONE;
}

bool spv__entry_is_live(const spv_entry *e)
{
    return e->state == SPV_TX_CONFIRMED || e->state == SPV_TX_UNCONFIRMED;
}

const spv_entry *spv__ledger_spender(const spv_ledger *l, uint32_t spot)
{
    const spv_entry *found = NULL;

    for (uint32_t i = l->spot[spot].spend; i != SPV__LEDGER_NONE;
         i = l->spend[i].next) {
        const spv_entry *e = &l->entry[l->spend[i].entry];

        if (e->state == SPV_TX_CONFIRMED)
            return e;
        if (e->state == SPV_TX_UNCONFIRMED)
            found = e;
    }
    return found;
}
