#include "wallet/wallet.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "wallet/parts.h"

spv_wallet *spv__wallet_new(const spv_network *network)
{
    spv_wallet *w = calloc(1, sizeof(*w));

    if (!w)
        return NULL;
    w->network = network;
    w->watch.gap = SPV__GAP_DEFAULT;
    w->watch.lookahead = SPV__LOOKAHEAD_DEFAULT;
    return w;
}

void spv__wallet_free(spv_wallet *w)
{
    if (!w)
        return;
    spv__watch_clear(&w->watch);
    spv__elements_clear(&w->log);
    spv__ledger_clear(&w->ledger);
    free(w->early);
    free(w);
}

/* ---- What is watched ---- */

spv_err spv__wallet_set_gap(spv_wallet *w, uint32_t gap, uint32_t lookahead)
{
    return spv__watch_set_gap(&w->watch, gap, lookahead);
}

spv_err spv__wallet_watch(spv_wallet *w, spv_descriptor *d, size_t group)
{
    return spv__watch_add(&w->watch, d, group);
}

size_t spv__wallet_branch_count(const spv_wallet *w)
{
    return w->watch.n_branches;
}

void spv__wallet_branch(const spv_wallet *w, size_t branch, spv_branch *out)
{
    const spv_watch_branch *b = &w->watch.branch[branch];

    *out = (spv_branch){
        .descriptor = b->descriptor,
        .group = b->group,
        .change = spv__descriptor_branch(b->descriptor) == 1,
        .used = b->used,
        .given = b->given,
        .window = spv__watch_window(&w->watch, (uint32_t)branch),
        .derived = b->derived,
    };
}

static void show_script(const spv_wallet *w, uint32_t id, spv_watched *out)
{
    const spv_watch_script *script = &w->watch.script[id];

    *out = (spv_watched){.branch = script->branch,
                         .index = script->index,
                         .used = script->used,
                         .script = spv__watch_bytes(&w->watch, id),
                         .script_len = script->len};
}

spv_err spv__wallet_watched(const spv_wallet *w, size_t branch, uint32_t index,
                            spv_watched *out)
{
    if (branch >= w->watch.n_branches ||
        index >= w->watch.branch[branch].derived)
        return SPV_NOT_FOUND;
    show_script(w, w->watch.branch[branch].script[index], out);
    return SPV_OK;
}

spv_err spv__wallet_find_script(const spv_wallet *w, const uint8_t *script,
                                size_t len, spv_watched *out)
{
    uint32_t id = spv__watch_find(&w->watch, script, len);

    if (id == SPV__TABLE_NONE || !spv__watch_is_open(&w->watch, id))
        return SPV_NOT_FOUND;
    show_script(w, id, out);
    return SPV_OK;
}

spv_err spv__wallet_give(spv_wallet *w, size_t branch, bool fresh,
                         spv_watched *out)
{
    uint32_t index = 0;
    spv_err err = SPV_INVAL;

    if (branch < w->watch.n_branches && w->watch.branch[branch].ranged)
        err = spv__watch_give(&w->watch, (uint32_t)branch, fresh, &index);
    if (err == SPV_OK)
        err = spv__wallet_watched(w, branch, index, out);
    return err;
}

/* ---- The element log ---- */

size_t spv__wallet_element_count(const spv_wallet *w)
{
    return w->log.n;
}

void spv__wallet_element(const spv_wallet *w, size_t at, spv_element *out)
{
    spv__elements_get(&w->log, (uint32_t)at, out);
}

size_t spv__wallet_needed(const spv_wallet *w)
{
    return w->watch.needed;
}

/* The spot whose outpoint is at `at` in the log, or SPV__LEDGER_NONE. */
static uint32_t spot_at(const spv_wallet *w, size_t at)
{
    spv_element element;
    spv_outpoint outpoint;
    spv_reader r;

    spv__elements_get(&w->log, (uint32_t)at, &element);
    if (element.kind != SPV__ELEMENT_OUTPOINT)
        return SPV__LEDGER_NONE;
    r = spv__reader(element.bytes, element.len);
    spv__read_hash(&r, &outpoint.txid);
    outpoint.vout = spv__read_u32(&r);
    return spv__ledger_find_spot(&w->ledger, &outpoint);
}

static const spv_ledger_coin *coin_of(const spv_wallet *w, uint32_t spot)
{
    uint32_t coin = spot == SPV__LEDGER_NONE ? spot : w->ledger.spot[spot].coin;

    return coin == SPV__LEDGER_NONE ? NULL : &w->ledger.coin[coin];
}

static const spv_ledger_coin *coin_at(const spv_wallet *w, size_t at)
{
    return coin_of(w, spot_at(w, at));
}

/* A coin is, from its block on, until a block spends it; somebody else's, as
 * long as it is not sure that a transaction of ours is what spends it. */
static bool is_owed(const spv_wallet *w, size_t at, int32_t height)
{
    uint32_t spot = spot_at(w, at);
    const spv_ledger_coin *coin = coin_of(w, spot);
    const spv_entry *entry = coin ? &w->ledger.entry[coin->entry] : NULL;
    const spv_entry *spender = NULL;

    if (spot == SPV__LEDGER_NONE ||
        (entry &&
         (entry->state != SPV_TX_CONFIRMED || entry->block.height > height)))
        return false;
    spender = spv__ledger_spender(&w->ledger, spot);
    if (!entry)
        return spender && spender->state == SPV_TX_UNCONFIRMED &&
               spender->is_own;
    return !spender || spender->state != SPV_TX_CONFIRMED;
}

bool spv__wallet_next_owed(const spv_wallet *w, int32_t height, size_t *at)
{
    for (; *at < w->log.n; ++*at)
        if (is_owed(w, *at, height))
            return true;
    return false;
}

size_t spv__wallet_reach(const spv_wallet *w, size_t at)
{
    const spv_ledger_coin *coin = coin_at(w, at);

    return coin ? w->watch.script[coin->script].reach : SIZE_MAX;
}

int32_t spv__wallet_origin(const spv_wallet *w, size_t at)
{
    const spv_ledger_coin *coin = coin_at(w, at);

    return coin ? w->ledger.entry[coin->entry].block.height : SPV_NO_HEIGHT;
}
