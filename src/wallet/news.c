#include "wallet/ledger.h"
#include "wallet/parts.h"

/* What there is to tell of transactions. */

static unsigned count_bits(uint32_t bits)
{
    unsigned n = 0;

    for (; bits; bits &= bits - 1)
        n++;
    return n;
}

uint32_t spv__entry_seen_by(const spv_entry *e)
{
    return count_bits(e->announcers);
}

static bool is_as_told(const spv_entry *e)
{
    return e->told.ever && e->told.state == e->state &&
           spv_hash_equal(&e->told.block, &e->block.hash) &&
           (e->told.announcers == e->announcers ||
            e->state != SPV_TX_UNCONFIRMED);
}

/* False when there is nothing to tell after all. */
static bool tell(spv_wallet *w, spv_entry *e, spv_wallet_news *out)
{
    e->is_news = false;
    if (!e->is_own || is_as_told(e))
        return false;
    *out = (spv_wallet_news){.is_new = !e->told.ever, .before = e->told.state};
    (void)spv__wallet_tx(w, &e->txid, &out->tx);
    e->told = (spv_told){.ever = true,
                         .state = e->state,
                         .block = e->block.hash,
                         .announcers = e->announcers};
    return true;
}

bool spv__wallet_next_news(spv_wallet *w, spv_wallet_news *out)
{
    spv_ledger *l = &w->ledger;

    while (l->told_news < l->n_news)
        if (tell(w, &l->entry[l->news[l->told_news++]], out))
            return true;
    l->told_news = l->n_news = 0;
    return false;
}

void spv__wallet_announced(spv_wallet *w, const spv_hash *txid, unsigned peer)
{
    uint32_t entry = spv__ledger_find(&w->ledger, txid);
    uint32_t bit = UINT32_C(1) << peer;

    if (entry == SPV__LEDGER_NONE ||
        w->ledger.entry[entry].state == SPV_TX_CONFIRMED ||
        w->ledger.entry[entry].announcers & bit)
        return;
    w->ledger.entry[entry].announcers |= bit;
    spv__ledger_weigh(&w->ledger, entry);
    if (w->ledger.entry[entry].state == SPV_TX_UNCONFIRMED)
        spv__ledger_note(&w->ledger, entry);
}

void spv__wallet_begin_news(spv_wallet *w)
{
    spv_wallet_news news;

    for (uint32_t i = 0; i < w->ledger.n_entries; i++)
        w->ledger.entry[i].announcers = 0;
    while (spv__wallet_next_news(w, &news))
        ;
}
