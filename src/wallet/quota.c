#include "wallet/parts.h"

/*
 * How much is believed of what is announced and in no block.
 *
 * To invent a transaction costs nothing, and one that is kept costs memory,
 * disk, and room in the element log, which never shrinks: its coins and some of
 * what it spends enter every later filter. So what no node would relay is not
 * believed at all, and of the rest there is a quota. What a block has does not
 * count any more; what was replaced or given up in this run still does.
 */

enum {
    BYTES_OF_ONE = 100000, /* as policy has it, without witnesses */
    COINS_OF_ONE = 20
};

/* What some transactions take. */
typedef struct load {
    size_t n;
    size_t bytes;
    size_t elements;
} load;

static const load most = {.n = 1000, .bytes = 5000000, .elements = 2000};

/* Of the quota, for what one peer alone announced: one in so many. A liar then
 * leaves room for what others say. */
enum { SHARES = 4 };

static size_t guards_of(size_t n_in)
{
    return n_in < SPV__GUARDS_OF_ONE ? n_in : SPV__GUARDS_OF_ONE;
}

/* Outputs that the wallet would keep as coins. */
static size_t count_paid(const spv_wallet *w, const spv_tx *tx)
{
    size_t n = 0;

    for (size_t i = 0; i < tx->n_out; i++)
        n += spv__watch_find(&w->watch, tx->out[i].script,
                             tx->out[i].script_len) != SPV__TABLE_NONE;
    return n;
}

static load load_of_entry(const spv_ledger *l, const spv_entry *e)
{
    load of = {.n = 1, .bytes = e->len, .elements = guards_of(e->n_in)};

    for (uint32_t i = e->first_coin; i != SPV__LEDGER_NONE; i = l->coin[i].next)
        of.elements++;
    return of;
}

static void add(load *sum, const load *more)
{
    sum->n += more->n;
    sum->bytes += more->bytes;
    sum->elements += more->elements;
}

static bool fits(const load *sum, size_t shares)
{
    return sum->n <= most.n / shares && sum->bytes <= most.bytes / shares &&
           sum->elements <= most.elements / shares;
}

/* Whether a block has to be waited for: from earlier runs those that are
 * unconfirmed, from this one all that were announced. */
static bool counts(const spv_entry *e)
{
    return e->state == SPV_TX_UNCONFIRMED ||
           (e->state != SPV_TX_CONFIRMED && e->announcers);
}

static bool has_room(const spv_wallet *w, const load *more, unsigned peer)
{
    const spv_ledger *l = &w->ledger;
    load all = *more;
    load alone = *more;

    for (uint32_t i = 0; i < l->n_entries; i++) {
        const spv_entry *e = &l->entry[i];
        load of = {0};

        if (!counts(e))
            continue;
        of = load_of_entry(l, e);
        add(&all, &of);
        if (e->announcers == UINT32_C(1) << peer)
            add(&alone, &of);
    }
    return fits(&all, 1) && fits(&alone, SHARES);
}

spv_welcome spv__wallet_welcome(const spv_wallet *w, const spv_tx *tx,
                                unsigned peer)
{
    size_t paid = count_paid(w, tx);
    load of = {
        .n = 1, .bytes = tx->len, .elements = paid + guards_of(tx->n_in)};

    if (spv__ledger_find(&w->ledger, &tx->txid) != SPV__LEDGER_NONE)
        return SPV__WELCOME;
    if (spv__wallet_interest(w, tx) == SPV__INTEREST_NONE ||
        tx->len > BYTES_OF_ONE || paid > COINS_OF_ONE)
        return SPV__WELCOME_NOT;
    return has_room(w, &of, peer) ? SPV__WELCOME : SPV__WELCOME_NO_MORE;
}
