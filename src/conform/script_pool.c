#include "conform/script_parts.h"

#include <stdlib.h>
#include <string.h>

#include "conform/script_serve.h"

/* ---- Transactions outside blocks ---- */

const spv_script_loose *spv__script_pool_find(const spv_script_node *n,
                                              const spv_hash *hash)
{
    for (size_t i = 0; i < n->n_pool; i++)
        if (spv_hash_equal(&n->pool[i].txid, hash) ||
            spv_hash_equal(&n->pool[i].wtxid, hash))
            return &n->pool[i];
    return NULL;
}

/** Room for one more. */
static bool pool_room(spv_script_node *n)
{
    size_t cap = n->pool_cap == 0 ? 16 : 2 * n->pool_cap;
    spv_script_loose *grown = n->pool;

    if (n->n_pool < n->pool_cap)
        return true;
    grown = realloc(n->pool, cap * sizeof(*grown));
    if (!grown)
        return false;
    n->pool = grown;
    n->pool_cap = cap;
    return true;
}

void spv__script_pool_free(spv_script_node *n)
{
    for (size_t i = 0; i < n->n_pool; i++)
        free(n->pool[i].bytes);
    free(n->pool);
}

spv_err spv__script_pool_add(spv_script_node *n, const spv_tx *tx,
                             bool from_client)
{
    uint8_t *bytes;

    if (spv__script_pool_find(n, &tx->txid))
        return SPV_OK;
    bytes = malloc(tx->len);
    if (!bytes || !pool_room(n)) {
        free(bytes);
        return SPV_NOMEM;
    }
    memcpy(bytes, tx->bytes, tx->len);
    n->pool[n->n_pool++] = (spv_script_loose){.txid = tx->txid,
                                              .wtxid = tx->wtxid,
                                              .bytes = bytes,
                                              .len = tx->len,
                                              .from_client = from_client};
    return SPV_OK;
}

void spv__script_announce(spv_script_node *n, const spv_script_loose *t,
                          bool all)
{
    spv_inv inv = {SPV_INV_TX, t->txid};
    bool wanted = true;
    spv_match match;
    spv_tx tx;

    if (spv__script_fail(n, spv_tx_decode(&tx, t->bytes, t->len, NULL)))
        return;
    if (n->has_filter && !spv__script_breaks(n, SPV_BREAK_RELAYS_ALL))
        wanted = spv_filter_match(&n->filter, &tx, &match);
    spv_tx_clear(&tx);
    if (wanted || all || n->habits.match_everything)
        spv__script_say_inv(n, "inv", &inv, 1);
}

bool spv__script_give_tx(spv_script_node *n, const spv_inv *item)
{
    const spv_script_loose *t = spv__script_pool_find(n, &item->hash);
    spv_script_saying s;
    spv_tx tx;

    if (!t)
        return false;
    if (spv__script_fail(n, spv_tx_decode(&tx, t->bytes, t->len, NULL)))
        return true;
    s = spv__script_say_begin(n, "tx");
    if (item->type == SPV_INV_TX)
        spv__put_bare_tx(&n->out, &tx);
    else
        spv__put_bytes(&n->out, t->bytes, t->len);
    spv__script_say_end(n, s);
    spv_tx_clear(&tx);
    return true;
}

void spv__script_on_tx(spv_script_node *n, const spv_message *m)
{
    (void)spv__script_fail(n, spv__script_pool_add(n, &m->as.tx, true));
}

/** Ask for the transactions that a client announces. */
void spv__script_on_inv(spv_script_node *n, const spv_message *m)
{
    for (size_t i = 0; i < m->as.inv.n; i++) {
        spv_inv item = spv__inv_get(&m->as.inv, i);

        if ((item.type == SPV_INV_TX || item.type == SPV_INV_WTX) &&
            !spv__script_pool_find(n, &item.hash)) {
            if (item.type == SPV_INV_TX)
                item.type = SPV_INV_WITNESS_TX;
            spv__script_say_inv(n, "getdata", &item, 1);
        }
    }
}

void spv__script_on_mempool(spv_script_node *n, const spv_message *m)
{
    (void)m;
    if (n->habits.no_bloom) {
        spv__script_hang_up(n);
        return;
    }
    for (size_t i = 0;
         i < n->n_pool && !spv__script_breaks(n, SPV_BREAK_MEMPOOL_SILENT); i++)
        spv__script_announce(n, &n->pool[i], n->habits.whole_mempool);
}
