#include "wallet/ledger.h"

/*
 * Where entries stand, and what moves them.
 *
 *     unconfirmed --- a block has it ------------------------> confirmed
 *     confirmed ----- its block is undone -------------------> unconfirmed
 *     unconfirmed --- a newer unconfirmed one competes, ------> replaced
 *                     announced by as many peers
 *     replaced ------ as many peers announce it as its rival -> unconfirmed
 *     unconfirmed --- one in a block competes ---------------> conflicted
 *     unconfirmed --- the user gives it up, or it expires ---> abandoned
 *     abandoned ----- it is announced again -----------------> unconfirmed
 *     (any) --------- a block has it ------------------------> confirmed
 *
 * An entry that is not live takes the unconfirmed ones that spend its outputs
 * along. They come back when it does and nothing else stands against them.
 */

static void stand(spv_ledger *l, uint32_t entry, spv_tx_state state)
{
    spv_entry *e = &l->entry[entry];

    e->state = state;
    if (state != SPV_TX_CONFIRMED)
        e->block = (spv_block_ref){.height = SPV_NO_HEIGHT};
    spv__ledger_touch(l, entry);
}

static void push(spv_ledger *l, uint32_t entry)
{
    l->work[l->n_work++] = entry;
}

/* First spend of output `vout` of an entry, or none. */
static uint32_t first_spend_of(const spv_ledger *l, uint32_t entry,
                               uint32_t vout)
{
    spv_outpoint outpoint = {.txid = l->entry[entry].txid, .vout = vout};
    uint32_t spot = spv__ledger_find_spot(l, &outpoint);

    return spot == SPV__LEDGER_NONE ? SPV__LEDGER_NONE : l->spot[spot].spend;
}

/* ---- Down: an entry leaves, and takes its descendants along ---- */

static void sink_children(spv_ledger *l, uint32_t entry, spv_tx_state state)
{
    for (uint32_t vout = 0; vout < l->entry[entry].n_out; vout++)
        for (uint32_t i = first_spend_of(l, entry, vout); i != SPV__LEDGER_NONE;
             i = l->spend[i].next) {
            uint32_t child = l->spend[i].entry;

            if (l->entry[child].state != SPV_TX_UNCONFIRMED)
                continue;
            stand(l, child, state);
            push(l, child);
        }
}

static void sink(spv_ledger *l, uint32_t entry, spv_tx_state state)
{
    stand(l, entry, state);
    push(l, entry);
    while (l->n_work > 0)
        sink_children(l, l->work[--l->n_work], state);
}

/* ---- Up: what nothing stands against any more ---- */

/* Whether something in the way of an entry is: a live entry that spends the
 * same, or a parent that is not live. */
static bool is_blocked(const spv_ledger *l, uint32_t entry)
{
    const spv_entry *e = &l->entry[entry];

    if (e->is_coinbase)
        return true;
    for (uint32_t i = 0; i < e->n_in; i++) {
        const spv_spot *spot = &l->spot[l->spend[e->first_spend + i].spot];
        uint32_t parent = spv__ledger_find(l, &spot->outpoint.txid);

        if (parent != SPV__LEDGER_NONE &&
            !spv__entry_is_live(&l->entry[parent]))
            return true;
        for (uint32_t s = spot->spend; s != SPV__LEDGER_NONE;
             s = l->spend[s].next)
            if (l->spend[s].entry != entry &&
                spv__entry_is_live(&l->entry[l->spend[s].entry]))
                return true;
    }
    return false;
}

static bool may_rise(const spv_ledger *l, uint32_t entry)
{
    spv_tx_state state = l->entry[entry].state;

    return (state == SPV_TX_REPLACED || state == SPV_TX_CONFLICTED) &&
           !is_blocked(l, entry);
}

static void raise_children(spv_ledger *l, uint32_t entry)
{
    for (uint32_t vout = 0; vout < l->entry[entry].n_out; vout++)
        for (uint32_t i = first_spend_of(l, entry, vout); i != SPV__LEDGER_NONE;
             i = l->spend[i].next) {
            uint32_t child = l->spend[i].entry;

            if (!may_rise(l, child))
                continue;
            stand(l, child, SPV_TX_UNCONFIRMED);
            push(l, child);
        }
}

static void raise_descendants(spv_ledger *l, uint32_t entry)
{
    push(l, entry);
    while (l->n_work > 0)
        raise_children(l, l->work[--l->n_work]);
}

/* ---- What happens ---- */

/* Everything that spends what `entry` spends, and stands in state `from`,
 * leaves. */
static void displace(spv_ledger *l, uint32_t entry, spv_tx_state from,
                     spv_tx_state to)
{
    uint32_t first = l->entry[entry].first_spend;

    for (uint32_t i = 0; i < l->entry[entry].n_in; i++)
        for (uint32_t s = l->spot[l->spend[first + i].spot].spend;
             s != SPV__LEDGER_NONE; s = l->spend[s].next)
            if (l->spend[s].entry != entry &&
                l->entry[l->spend[s].entry].state == from)
                sink(l, l->spend[s].entry, to);
}

void spv__ledger_confirm(spv_ledger *l, uint32_t entry,
                         const spv_block_ref *block, uint32_t position)
{
    spv_entry *e = &l->entry[entry];
    bool was_live = spv__entry_is_live(e);

    if (e->state == SPV_TX_CONFIRMED && e->block.height == block->height &&
        spv_hash_equal(&e->block.hash, &block->hash))
        return;
    stand(l, entry, SPV_TX_CONFIRMED);
    e->block = *block;
    e->position = position;
    displace(l, entry, SPV_TX_UNCONFIRMED, SPV_TX_CONFLICTED);
    /* Two in one chain cannot be: the older news is of a stale block. */
    displace(l, entry, SPV_TX_CONFIRMED, SPV_TX_CONFLICTED);
    if (!was_live)
        raise_descendants(l, entry);
}

/* Whether an unconfirmed rival was announced by more peers. One liar cannot
 * make a payment that several peers have look replaced; what really replaces
 * it is soon announced by all of them. */
static bool is_outnumbered(const spv_ledger *l, uint32_t entry)
{
    const spv_entry *e = &l->entry[entry];

    for (uint32_t i = 0; i < e->n_in; i++)
        for (uint32_t s = l->spot[l->spend[e->first_spend + i].spot].spend;
             s != SPV__LEDGER_NONE; s = l->spend[s].next) {
            const spv_entry *rival = &l->entry[l->spend[s].entry];

            if (rival != e && rival->state == SPV_TX_UNCONFIRMED &&
                spv__entry_seen_by(rival) > spv__entry_seen_by(e))
                return true;
        }
    return false;
}

/* Whether an unconfirmed entry can never come into a block: a coinbase, one
 * whose inputs a block spent, or whose parent is not live. */
static bool is_ruled_out(const spv_ledger *l, uint32_t entry)
{
    const spv_entry *e = &l->entry[entry];

    for (uint32_t i = 0; i < e->n_in; i++) {
        uint32_t spot = l->spend[e->first_spend + i].spot;
        uint32_t parent = spv__ledger_find(l, &l->spot[spot].outpoint.txid);
        const spv_entry *spender = spv__ledger_spender(l, spot);

        if (parent != SPV__LEDGER_NONE &&
            !spv__entry_is_live(&l->entry[parent]))
            return true;
        if (spender && spender->state == SPV_TX_CONFIRMED)
            return true;
    }
    return e->is_coinbase;
}

void spv__ledger_arrive(spv_ledger *l, uint32_t entry, bool is_new,
                        int64_t time)
{
    spv_entry *e = &l->entry[entry];

    if (e->seen_time == 0 || e->state == SPV_TX_ABANDONED) {
        e->seen_time = time;
        spv__ledger_touch(l, entry);
    }
    if (is_new && is_ruled_out(l, entry)) {
        sink(l, entry, SPV_TX_CONFLICTED);
        return;
    }
    if (is_new && is_outnumbered(l, entry))
        sink(l, entry, SPV_TX_REPLACED);
    else if (is_new)
        displace(l, entry, SPV_TX_UNCONFIRMED, SPV_TX_REPLACED);
    else if (!spv__entry_is_live(e) && !is_blocked(l, entry)) {
        stand(l, entry, SPV_TX_UNCONFIRMED);
        raise_descendants(l, entry);
    }
}

void spv__ledger_weigh(spv_ledger *l, uint32_t entry)
{
    if (l->entry[entry].state != SPV_TX_REPLACED || is_ruled_out(l, entry) ||
        is_outnumbered(l, entry))
        return;
    stand(l, entry, SPV_TX_UNCONFIRMED);
    displace(l, entry, SPV_TX_UNCONFIRMED, SPV_TX_REPLACED);
    raise_descendants(l, entry);
}

bool spv__ledger_expire(spv_ledger *l, int64_t time)
{
    bool any = false;

    for (uint32_t i = 0; i < l->n_entries; i++) {
        if (l->entry[i].state != SPV_TX_UNCONFIRMED ||
            l->entry[i].seen_time >= time)
            continue;
        sink(l, i, SPV_TX_ABANDONED);
        any = true;
    }
    return any;
}

void spv__ledger_undo(spv_ledger *l, int32_t height)
{
    for (uint32_t i = 0; i < l->n_entries; i++) {
        spv_entry *e = &l->entry[i];

        if (e->state != SPV_TX_CONFIRMED || e->block.height != height)
            continue;
        if (e->seen_time < e->block.time)
            e->seen_time = e->block.time;
        stand(l, i, SPV_TX_UNCONFIRMED);
        if (is_ruled_out(l, i))
            sink(l, i, SPV_TX_CONFLICTED);
    }
}

void spv__ledger_abandon(spv_ledger *l, uint32_t entry)
{
    sink(l, entry, SPV_TX_ABANDONED);
}
