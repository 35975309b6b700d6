#include "wallet/rows.h"

#include <stdlib.h>

#include "wallet/parts.h"

/* ---- Saving ---- */

static void show_script_row(const spv_watch *s, uint32_t id,
                            spv_script_row *out)
{
    const spv_watch_script *script = &s->script[id];

    *out = (spv_script_row){.branch = script->branch,
                            .index = script->index,
                            .reach = script->reach,
                            .script = spv__watch_bytes(s, id),
                            .script_len = script->len};
}

static spv_err collect_scripts(const spv_wallet *w, spv_changes *out)
{
    uint32_t first = w->saved_scripts;

    out->scripts =
        calloc((size_t)(w->watch.n_scripts - first) + 1, sizeof(*out->scripts));
    if (!out->scripts)
        return SPV_NOMEM;
    for (uint32_t i = first; i < w->watch.n_scripts; i++)
        show_script_row(&w->watch, i, &out->scripts[out->n_scripts++]);
    return SPV_OK;
}

static spv_err collect_branches(const spv_wallet *w, spv_changes *out)
{
    out->branches =
        calloc((size_t)w->watch.n_branches + 1, sizeof(*out->branches));
    if (!out->branches)
        return SPV_NOMEM;
    for (uint32_t i = 0; i < w->watch.n_branches; i++) {
        const spv_watch_branch *b = &w->watch.branch[i];

        if (b->is_changed)
            out->branches[out->n_branches++] = (spv_branch_row){
                .branch = i, .used = b->used, .given = b->given};
    }
    return SPV_OK;
}

static void show_tx_row(const spv_entry *e, spv_tx_row *out)
{
    *out = (spv_tx_row){.txid = e->txid,
                        .state = e->state,
                        .block = e->block,
                        .position = e->position,
                        .seen_time = e->seen_time,
                        .bytes = e->bytes,
                        .len = e->len};
}

static spv_err collect_txs(const spv_wallet *w, spv_changes *out)
{
    const spv_ledger *l = &w->ledger;

    out->txs = calloc((size_t)l->n_changed + 1, sizeof(*out->txs));
    if (!out->txs)
        return SPV_NOMEM;
    for (uint32_t i = 0; i < l->n_changed; i++)
        show_tx_row(&l->entry[l->changed[i]], &out->txs[out->n_txs++]);
    return SPV_OK;
}

spv_err spv__wallet_changes(const spv_wallet *w, spv_changes *out)
{
    spv_err err = SPV_OK;

    *out = (spv_changes){.first_element = w->saved_elements,
                         .n_elements = w->log.n - w->saved_elements};
    err = collect_scripts(w, out);
    if (err == SPV_OK)
        err = collect_branches(w, out);
    if (err == SPV_OK)
        err = collect_txs(w, out);
    if (err != SPV_OK)
        spv__changes_clear(out);
    return err;
}

void spv__changes_clear(spv_changes *c)
{
    free(c->scripts);
    free(c->branches);
    free(c->txs);
    *c = (spv_changes){0};
}

bool spv__wallet_is_changed(const spv_wallet *w)
{
    if (w->saved_elements < w->log.n || w->saved_scripts < w->watch.n_scripts ||
        w->ledger.n_changed > 0)
        return true;
    for (uint32_t i = 0; i < w->watch.n_branches; i++)
        if (w->watch.branch[i].is_changed)
            return true;
    return false;
}

int32_t spv__wallet_lowest_unsaved(const spv_wallet *w)
{
    int32_t lowest = SPV_NO_HEIGHT;

    for (size_t at = w->saved_elements; at < w->log.n; at++) {
        int32_t origin = spv__wallet_origin(w, at);

        if (origin != SPV_NO_HEIGHT &&
            (lowest == SPV_NO_HEIGHT || origin < lowest))
            lowest = origin;
    }
    return lowest;
}

void spv__wallet_saved(spv_wallet *w)
{
    spv_ledger *l = &w->ledger;

    w->saved_elements = w->log.n;
    w->saved_scripts = w->watch.n_scripts;
    for (uint32_t i = 0; i < w->watch.n_branches; i++)
        w->watch.branch[i].is_changed = false;
    while (l->n_changed > 0)
        l->entry[l->changed[--l->n_changed]].is_changed = false;
}

/* ---- Loading ---- */

spv_err spv__wallet_load_element(spv_wallet *w, const spv_element *element)
{
    uint32_t before = w->log.n;
    spv_err err = SPV_OK;

    if (element->len == 0 || element->len > SPV__ELEMENT_MAX ||
        (element->kind == SPV__ELEMENT_OUTPOINT &&
         element->len != SPV_OUTPOINT_LEN))
        return SPV_DAMAGED;
    err = spv__elements_learn(&w->log, element, NULL);
    if (err != SPV_OK)
        return err;
    if (w->log.n == before) /* there twice: not what we stored */
        return SPV_DAMAGED;
    w->saved_elements = w->log.n;
    return SPV_OK;
}

spv_err spv__wallet_load_branch(spv_wallet *w, const spv_branch_row *row)
{
    return spv__watch_restore_branch(&w->watch, row->branch, row->used,
                                     row->given);
}

spv_err spv__wallet_load_script(spv_wallet *w, const spv_script_row *row)
{
    spv_err err = SPV_DAMAGED;

    if (row->reach <= w->log.n)
        err =
            spv__watch_restore_script(&w->watch, row->branch, row->index,
                                      row->script, row->script_len, row->reach);
    if (err == SPV_OK)
        w->saved_scripts = w->watch.n_scripts;
    return err;
}

static bool is_possible(const spv_tx_row *row, const spv_tx *tx)
{
    bool in_block = row->state == SPV_TX_CONFIRMED;

    return spv_hash_equal(&tx->txid, &row->txid) &&
           (unsigned)row->state <= SPV_TX_ABANDONED &&
           in_block == (row->block.height != SPV_NO_HEIGHT) &&
           row->block.height >= SPV_NO_HEIGHT;
}

/* Put a loaded entry where it stood, without moving its neighbours. */
static void restore_entry(spv_ledger *l, uint32_t entry, const spv_tx_row *row)
{
    spv_entry *e = &l->entry[entry];

    e->state = row->state;
    e->block = row->block;
    e->position = row->position;
    e->seen_time = row->seen_time;
    e->is_changed = false;
    l->n_changed--; /* it was the last to be noted */
    e->told =
        (spv_told){.ever = true, .state = e->state, .block = e->block.hash};
}

static spv_err load_decoded(spv_wallet *w, const spv_tx_row *row,
                            const spv_tx *tx)
{
    uint32_t entry = SPV__LEDGER_NONE;
    bool is_new = false;
    spv_err err = SPV_OK;

    if (!is_possible(row, tx) ||
        spv__ledger_find(&w->ledger, &tx->txid) != SPV__LEDGER_NONE)
        return SPV_DAMAGED;
    err = spv__wallet_foresee(w, tx, 1);
    if (err == SPV_OK)
        err = spv__wallet_keep(w, tx, &entry, &is_new);
    if (err == SPV_OK)
        restore_entry(&w->ledger, entry, row);
    return err;
}

spv_err spv__wallet_load_tx(spv_wallet *w, const spv_tx_row *row)
{
    spv_tx tx = {0};
    spv_err err = spv_tx_decode(&tx, row->bytes, row->len, NULL);

    if (err == SPV_OK)
        err = load_decoded(w, row, &tx);
    else if (err != SPV_NOMEM)
        err = SPV_DAMAGED;
    spv_tx_clear(&tx);
    return err;
}
