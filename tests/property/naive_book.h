#ifndef TESTS_PROPERTY_NAIVE_BOOK_H
#define TESTS_PROPERTY_NAIVE_BOOK_H

#include "unit/wallet_world.h"

/*
 * The wallet's rules again, as plainly as they can be said: every question is
 * answered by looking at every transaction. Nothing is shared with the wallet
 * but the transactions themselves.
 */

enum { NAIVE_TXS = 400, NAIVE_BRANCHES = 2 };

/** A transaction with what its maker knows of it. */
typedef struct naive_tx {
    paper p;
    int from[32];   /* the parent's number; -1 - n: the stranger's coin n */
    int branch[40]; /* whom each output pays; -1: a stranger */
    int index[40];

    bool kept;
    spv_tx_state state;
    int32_t height;
} naive_tx;

typedef struct naive_book {
    naive_tx tx[NAIVE_TXS];
    int n;
    int kept[NAIVE_TXS]; /* in the order they were */
    int n_kept;
    int used[NAIVE_BRANCHES];
    int gap;
} naive_book;

static inline bool naive_is_coinbase(const naive_tx *t)
{
    return t->p.in[0].vout == UINT32_MAX;
}

static inline bool naive_is_live(const naive_tx *t)
{
    return t->kept &&
           (t->state == SPV_TX_CONFIRMED || t->state == SPV_TX_UNCONFIRMED);
}

/* Open now: windows only grow, so what was open stays so. */
static inline bool naive_is_open(const naive_book *b, const naive_tx *t,
                                 size_t vout)
{
    return t->branch[vout] >= 0 &&
           t->index[vout] < b->used[t->branch[vout]] + b->gap;
}

static inline bool naive_has_coin(const naive_book *b, int from, uint32_t vout)
{
    return from >= 0 && b->tx[from].kept &&
           naive_is_open(b, &b->tx[from], vout);
}

/** Whether two transactions spend one output. */
static inline bool naive_compete(const naive_book *b, int x, int y)
{
    const naive_tx *s = &b->tx[x];
    const naive_tx *t = &b->tx[y];

    if (x == y || naive_is_coinbase(s) || naive_is_coinbase(t))
        return false;
    for (size_t i = 0; i < s->p.n_in; i++)
        for (size_t k = 0; k < t->p.n_in; k++)
            if (s->from[i] == t->from[k] &&
                (s->from[i] < 0 || s->p.in[i].vout == t->p.in[k].vout))
                return true;
    return false;
}

static inline bool naive_is_child(const naive_book *b, int child, int parent)
{
    for (size_t i = 0; i < b->tx[child].p.n_in; i++)
        if (b->tx[child].from[i] == parent)
            return !naive_is_coinbase(&b->tx[child]);
    return false;
}

/** Whether it pays or spends a coin of ours. */
static inline bool naive_is_own(const naive_book *b, int x)
{
    const naive_tx *t = &b->tx[x];

    for (size_t i = 0; i < t->p.n_out; i++)
        if (naive_is_open(b, t, i))
            return true;
    for (size_t i = 0; !naive_is_coinbase(t) && i < t->p.n_in; i++)
        if (naive_has_coin(b, t->from[i], t->p.in[i].vout))
            return true;
    return false;
}

/** Whether it pays or spends an output to one of our keys, beyond the window
 * or not. */
static inline bool naive_is_early(const naive_book *b, int x)
{
    const naive_tx *t = &b->tx[x];

    for (size_t i = 0; i < t->p.n_out; i++)
        if (t->branch[i] >= 0)
            return true;
    for (size_t i = 0; !naive_is_coinbase(t) && i < t->p.n_in; i++)
        if (t->from[i] >= 0 && b->tx[t->from[i]].kept &&
            b->tx[t->from[i]].branch[t->p.in[i].vout] >= 0)
            return true;
    return false;
}

static inline bool naive_is_wanted(const naive_book *b, int x)
{
    if (b->tx[x].kept || naive_is_early(b, x))
        return true;
    for (int y = 0; y < b->n; y++)
        if (b->tx[y].kept && naive_compete(b, x, y))
            return true;
    return false;
}

/* ---- Where transactions stand ---- */

static inline void naive_sink(naive_book *b, int x, spv_tx_state state)
{
    b->tx[x].state = state;
    b->tx[x].height = SPV_NO_HEIGHT;
    for (int y = 0; y < b->n; y++)
        if (b->tx[y].kept && b->tx[y].state == SPV_TX_UNCONFIRMED &&
            naive_is_child(b, y, x))
            naive_sink(b, y, state);
}

static inline bool naive_is_orphaned(const naive_book *b, int x)
{
    for (int y = 0; y < b->n; y++)
        if (b->tx[y].kept && !naive_is_live(&b->tx[y]) &&
            naive_is_child(b, x, y))
            return true;
    return naive_is_coinbase(&b->tx[x]);
}

/** Whether a live rival in one of two states is there. */
static inline bool naive_is_beaten(const naive_book *b, int x,
                                   bool unconfirmed_too)
{
    for (int y = 0; y < b->n; y++)
        if (naive_is_live(&b->tx[y]) && naive_compete(b, x, y) &&
            (unconfirmed_too || b->tx[y].state == SPV_TX_CONFIRMED))
            return true;
    return false;
}

static inline bool naive_may_rise(const naive_book *b, int x)
{
    const naive_tx *t = &b->tx[x];

    return t->kept &&
           (t->state == SPV_TX_REPLACED || t->state == SPV_TX_CONFLICTED) &&
           !naive_is_orphaned(b, x) && !naive_is_beaten(b, x, true);
}

static inline bool naive_spends(const naive_book *b, int x, int from,
                                uint32_t vout)
{
    for (size_t i = 0; i < b->tx[x].p.n_in; i++)
        if (b->tx[x].from[i] == from && b->tx[x].p.in[i].vout == vout)
            return true;
    return false;
}

/** What spends `x` comes back: by output, of two rivals the one kept last. */
static inline void naive_raise_descendants(naive_book *b, int x)
{
    int work[NAIVE_TXS];
    int n_work = 0;

    for (work[n_work++] = x; n_work > 0;) {
        int parent = work[--n_work];

        for (uint32_t vout = 0; vout < b->tx[parent].p.n_out; vout++)
            for (int k = b->n_kept; k-- > 0;) {
                int y = b->kept[k];

                if (!naive_spends(b, y, parent, vout) || !naive_may_rise(b, y))
                    continue;
                b->tx[y].state = SPV_TX_UNCONFIRMED;
                work[n_work++] = y;
            }
    }
}

static inline void naive_keep(naive_book *b, int x)
{
    if (!b->tx[x].kept)
        b->kept[b->n_kept++] = x;
    b->tx[x].kept = true;
}

static inline void naive_displace(naive_book *b, int x, spv_tx_state to)
{
    for (int y = 0; y < b->n; y++)
        if (b->tx[y].kept && b->tx[y].state == SPV_TX_UNCONFIRMED &&
            naive_compete(b, x, y))
            naive_sink(b, y, to);
}

static inline void naive_confirm(naive_book *b, int x, int32_t height)
{
    bool came_back = b->tx[x].kept && !naive_is_live(&b->tx[x]);

    if (!naive_is_wanted(b, x))
        return;
    naive_keep(b, x);
    b->tx[x].state = SPV_TX_CONFIRMED;
    b->tx[x].height = height;
    naive_displace(b, x, SPV_TX_CONFLICTED);
    if (came_back)
        naive_raise_descendants(b, x);
}

/* ---- What happens ---- */

/** Mark what a transaction pays as used; whether a window moved. */
static inline bool naive_pay(naive_book *b, int x)
{
    const naive_tx *t = &b->tx[x];
    bool moved = false;

    for (size_t i = 0; i < t->p.n_out; i++) {
        if (!naive_is_open(b, t, i) || t->index[i] < b->used[t->branch[i]])
            continue;
        b->used[t->branch[i]] = t->index[i] + 1;
        moved = true;
    }
    return moved;
}

static inline void naive_foresee(naive_book *b, const int *txs, size_t n)
{
    for (bool moved = true; moved;) {
        moved = false;
        for (size_t i = 0; i < n; i++)
            moved |= naive_pay(b, txs[i]);
        for (int i = 0; i < b->n_kept; i++)
            moved |= naive_pay(b, b->kept[i]);
    }
}

static inline void naive_apply(naive_book *b, int32_t height, const int *txs,
                               size_t n)
{
    naive_foresee(b, txs, n);
    for (size_t i = 0; i < n; i++)
        naive_confirm(b, txs[i], height);
}

static inline void naive_arrive(naive_book *b, int x)
{
    naive_tx *t = &b->tx[x];

    naive_foresee(b, &x, 1);
    if (!naive_is_wanted(b, x))
        return;
    if (!t->kept) {
        naive_keep(b, x);
        t->state = SPV_TX_UNCONFIRMED;
        t->height = SPV_NO_HEIGHT;
        if (naive_is_orphaned(b, x) || naive_is_beaten(b, x, false))
            naive_sink(b, x, SPV_TX_CONFLICTED);
        else
            naive_displace(b, x, SPV_TX_REPLACED);
        return;
    }
    if (naive_is_live(t) || naive_is_orphaned(b, x) ||
        naive_is_beaten(b, x, true))
        return;
    t->state = SPV_TX_UNCONFIRMED;
    naive_raise_descendants(b, x);
}

static inline void naive_undo(naive_book *b, int32_t height)
{
    for (int x = 0; x < b->n; x++) {
        naive_tx *t = &b->tx[x];

        if (!t->kept || t->state != SPV_TX_CONFIRMED || t->height != height)
            continue;
        t->state = SPV_TX_UNCONFIRMED;
        t->height = SPV_NO_HEIGHT;
        if (naive_is_orphaned(b, x))
            naive_sink(b, x, SPV_TX_CONFLICTED);
    }
}

/* ---- What is shown ---- */

/** State of the live transaction that spends an output; `*spent` false: none.
 */
static inline spv_tx_state naive_spender(const naive_book *b, int from,
                                         uint32_t vout, bool *spent)
{
    spv_tx_state state = SPV_TX_UNCONFIRMED;

    *spent = false;
    for (int y = 0; y < b->n; y++) {
        if (!naive_is_live(&b->tx[y]) || !naive_spends(b, y, from, vout))
            continue;
        *spent = true;
        if (b->tx[y].state == SPV_TX_CONFIRMED)
            state = SPV_TX_CONFIRMED;
    }
    return state;
}

static inline int64_t naive_net(const naive_book *b, int x)
{
    const naive_tx *t = &b->tx[x];
    int64_t net = 0;

    for (size_t i = 0; i < t->p.n_out; i++)
        if (naive_is_open(b, t, i))
            net += t->p.out[i].value;
    for (size_t i = 0; !naive_is_coinbase(t) && i < t->p.n_in; i++)
        if (naive_has_coin(b, t->from[i], t->p.in[i].vout))
            net -= b->tx[t->from[i]].p.out[t->p.in[i].vout].value;
    return net;
}

#endif
