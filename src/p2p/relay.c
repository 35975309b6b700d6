#include "p2p/relay.h"

#include <stdlib.h>
#include <string.h>

void spv__relay_clear(spv_relay *r)
{
    free(r->open);
    *r = (spv_relay){0};
}

/* They are gone through one after another, and there may be many: eight bytes,
 * compared without a call, tell nearly all of them apart. */
static bool is_same(const spv_hash *a, const spv_hash *b)
{
    return memcmp(a->bytes, b->bytes, sizeof(uint64_t)) == 0 &&
           spv_hash_equal(a, b);
}

/* Place of a transaction; n when it is not open. */
static size_t find(const spv_relay *r, const spv_hash *txid)
{
    size_t i = 0;

    while (i < r->n && !is_same(&r->open[i].txid, txid))
        i++;
    return i;
}

static bool is_deaf(const spv_relay *r)
{
    return r->n == SPV__RELAY_MAX || r->repeats >= SPV__RELAY_REPEATS ||
           r->strangers >= SPV__RELAY_STRANGERS;
}

void spv__relay_announce(spv_relay *r, const spv_open_tx *open)
{
    if (!r->open)
        r->open = malloc(SPV__RELAY_MAX * sizeof(*r->open));
    if (!r->open || is_deaf(r)) {
        r->unknown = true;
        return;
    }
    if (find(r, &open->txid) == r->n)
        r->open[r->n++] = *open;
    else
        r->repeats++;
}

static void remove_at(spv_relay *r, size_t i)
{
    r->asked -= i < r->asked;
    r->n--;
    memmove(r->open + i, r->open + i + 1, (r->n - i) * sizeof(*r->open));
}

bool spv__relay_take(spv_relay *r, const spv_hash *txid, spv_open_tx *taken)
{
    size_t i = find(r, txid);

    if (i == r->n)
        return false;
    if (taken)
        *taken = r->open[i];
    remove_at(r, i);
    return true;
}

void spv__relay_pass(spv_relay *r, uint64_t number)
{
    while (r->asked && r->open[0].number < number) {
        remove_at(r, 0);
        r->unknown = true;
    }
}

static bool spends_open(const spv_relay *r, const spv_tx *tx)
{
    for (size_t i = 0; i < tx->n_in; i++)
        if (find(r, &tx->in[i].prev.txid) < r->n)
            return true;
    return false;
}

bool spv__relay_excuses(spv_relay *r, const spv_tx *tx)
{
    if (spends_open(r, tx))
        return true;
    if ((r->n == 0 && !r->unknown) || r->pardons == SPV__RELAY_PARDONS)
        return false;
    r->pardons++;
    r->unknown = true;
    return true;
}

void spv__relay_renew(spv_relay *r)
{
    r->unknown = r->crossed;
    r->crossed = false;
    r->pardons = 0;
    r->repeats = 0;
}
