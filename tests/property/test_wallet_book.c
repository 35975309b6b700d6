#include "base/rng.h"
#include "property/naive_book.h"

/*
 * Random lives of a wallet, against the naive book.
 *
 * Receipts, spends with and without change, chains within a block, bursts over
 * the gap, payments beyond it, strangers, rivals in and outside blocks,
 * reorganisations, blocks told again, and transactions given up. After every
 * event both books must show the same. Then the wallet is built again from its
 * rows, and another is told the final chain out of order: they too.
 */

enum { GAP = 5, LOOKAHEAD = 30, EVENTS = 45, BLOCK_TXS = 40, RUNS = 40 };

typedef struct block {
    int tx[BLOCK_TXS];
    size_t n;
    uint8_t side; /* so that two blocks at one height differ */
} block;

typedef struct life {
    spv_rng chance;
    spv_wallet *w;
    naive_book book;
    block chain[EVENTS + 1]; /* by height; 0 is empty */
    int32_t tip;
    uint8_t sides;
    int strangers;
} life;

static int below(life *l, int n)
{
    return (int)spv__rng_below(&l->chance, (uint64_t)n);
}

/* ---- Making transactions ---- */

static naive_tx *begin_tx(life *l)
{
    naive_tx *t = &l->book.tx[l->book.n];

    assert_true(l->book.n < NAIVE_TXS);
    *t = (naive_tx){.height = SPV_NO_HEIGHT};
    t->p.nonce = (uint32_t)l->book.n;
    return t;
}

static int end_tx(life *l, naive_tx *t)
{
    paper_seal(&t->p);
    if (naive_is_coinbase(t))
        t->from[0] = INT32_MIN;
    return l->book.n++;
}

static void pay_stranger(life *l, naive_tx *t)
{
    t->branch[t->p.n_out] = -1;
    paper_pay_stranger(&t->p, (uint32_t)below(l, 1000), 1 + below(l, 999));
}

static void pay_us(life *l, naive_tx *t, int branch, int index)
{
    t->branch[t->p.n_out] = branch;
    t->index[t->p.n_out] = index;
    paper_pay_to(&t->p, l->w, (size_t)branch, (uint32_t)index,
                 1 + below(l, 100000));
}

/* Mostly inside the window; one in twenty a little beyond it. */
static void pay_us_somewhere(life *l, naive_tx *t)
{
    int branch = below(l, NAIVE_BRANCHES);
    int end = l->book.used[branch] + GAP;
    int index = below(l, 20) == 0 ? end + below(l, 4) : below(l, end);

    pay_us(l, t, branch, index);
}

/* Mostly a new coin; one in ten one that another stranger spent too. */
static void spend_stranger(life *l, naive_tx *t)
{
    int coin = l->strangers > 0 && below(l, 10) == 0 ? below(l, l->strangers)
                                                     : l->strangers++;

    t->from[t->p.n_in] = -1 - coin;
    paper_spend(&t->p, stranger_coin((uint32_t)coin));
}

static bool has_input(const naive_tx *t, int from, uint32_t vout)
{
    for (size_t i = 0; i < t->p.n_in; i++)
        if (t->from[i] == from && t->p.in[i].vout == vout)
            return true;
    return false;
}

/* A random output of ours, spent or not: rivals come of that. */
static bool spend_ours(life *l, naive_tx *t)
{
    for (int tries = 0; tries < 20 && l->book.n > 0; tries++) {
        int newest = below(l, 3) == 0 ? l->book.n : (l->book.n + 9) / 10;
        int from = l->book.n - 1 - below(l, newest);
        uint32_t vout = (uint32_t)below(l, (int)l->book.tx[from].p.n_out);

        if (l->book.tx[from].branch[vout] < 0 || has_input(t, from, vout))
            continue;
        t->from[t->p.n_in] = from;
        paper_spend(&t->p, paper_out(&l->book.tx[from].p, vout));
        return true;
    }
    return false;
}

static int make_receipt(life *l)
{
    naive_tx *t = begin_tx(l);

    spend_stranger(l, t);
    pay_us_somewhere(l, t);
    if (below(l, 3) == 0)
        pay_stranger(l, t);
    if (below(l, 4) == 0)
        pay_us_somewhere(l, t);
    return end_tx(l, t);
}

static int make_spend(life *l)
{
    naive_tx *t = begin_tx(l);

    for (int n = 1 + below(l, 3); n > 0; n--)
        (void)spend_ours(l, t);
    if (t->p.n_in == 0 || below(l, 8) == 0)
        spend_stranger(l, t);
    pay_stranger(l, t);
    if (below(l, 2) == 0)
        pay_us_somewhere(l, t);
    return end_tx(l, t);
}

static int make_noise(life *l)
{
    naive_tx *t = begin_tx(l);

    spend_stranger(l, t);
    pay_stranger(l, t);
    return end_tx(l, t);
}

static int make_coinbase(life *l)
{
    naive_tx *t = begin_tx(l);

    pay_us_somewhere(l, t);
    return end_tx(l, t);
}

static int make_any(life *l)
{
    int kind = below(l, 10);

    if (kind < 4)
        return make_receipt(l);
    return kind < 8 ? make_spend(l) : make_noise(l);
}

/* ---- Blocks that could be ---- */

static bool is_in_block(const block *b, int x)
{
    for (size_t i = 0; i < b->n; i++)
        if (b->tx[i] == x)
            return true;
    return false;
}

static bool is_in_chain(const life *l, int x)
{
    for (int32_t h = 1; h <= l->tip; h++)
        if (is_in_block(&l->chain[h], x))
            return true;
    return false;
}

static bool competes_with_block(const life *l, const block *b, int x)
{
    for (size_t i = 0; i < b->n; i++)
        if (naive_compete(&l->book, x, b->tx[i]))
            return true;
    return false;
}

/* Parents come first, and nothing is spent twice. */
static bool may_be_mined(const life *l, const block *next, int x)
{
    const naive_tx *t = &l->book.tx[x];

    if (naive_is_coinbase(t) || is_in_chain(l, x) || is_in_block(next, x) ||
        competes_with_block(l, next, x))
        return false;
    for (int32_t h = 1; h <= l->tip; h++)
        if (competes_with_block(l, &l->chain[h], x))
            return false;
    for (size_t i = 0; i < t->p.n_in; i++)
        if (t->from[i] >= 0 && !is_in_chain(l, t->from[i]) &&
            !is_in_block(next, t->from[i]))
            return false;
    return true;
}

static void put_in_block(const life *l, block *b, int x)
{
    if (b->n < BLOCK_TXS && may_be_mined(l, b, x))
        b->tx[b->n++] = x;
}

/* Twice the gap in new keys, the last first. */
static void put_burst(life *l, block *b)
{
    int branch = below(l, NAIVE_BRANCHES);
    int first = l->book.used[branch];

    for (int i = 2 * GAP; i-- > 0;) {
        naive_tx *t = begin_tx(l);

        spend_stranger(l, t);
        pay_us(l, t, branch, first + i);
        put_in_block(l, b, end_tx(l, t));
    }
}

/* ---- Events ---- */

/* Tell the wallet, and only it, of part of a block. */
static void tell(const life *l, spv_wallet *w, int32_t height, const block *b,
                 size_t n)
{
    spv_block_ref ref = block_at(height, b->side);
    spv_tx txs[BLOCK_TXS];

    for (size_t i = 0; i < n; i++)
        txs[i] = l->book.tx[b->tx[i]].p.tx;
    assert_int_equal(spv__wallet_apply(w, &ref, txs, NULL, n, NULL), SPV_OK);
}

static void mine(life *l)
{
    block *b = &l->chain[l->tip + 1];
    int pool = l->book.n;

    *b = (block){.side = ++l->sides};
    if (below(l, 6) == 0)
        b->tx[b->n++] = make_coinbase(l);
    for (int x = 0; x < pool; x++)
        if (below(l, 3) == 0)
            put_in_block(l, b, x);
    if (below(l, 12) == 0)
        put_burst(l, b);
    for (int n = below(l, 5); n > 0; n--)
        put_in_block(l, b, make_any(l));
    l->tip++;
    tell(l, l->w, l->tip, b, b->n);
    naive_apply(&l->book, l->tip, b->tx, b->n);
}

static void announce(life *l)
{
    int x =
        l->book.n > 0 && below(l, 3) == 0 ? below(l, l->book.n) : make_any(l);
    bool kept = false;

    if (naive_is_coinbase(&l->book.tx[x]))
        return;
    assert_int_equal(spv__wallet_add_unconfirmed(l->w, &l->book.tx[x].p.tx,
                                                 l->book.n, &kept),
                     SPV_OK);
    naive_arrive(&l->book, x);
    assert_int_equal(kept, l->book.tx[x].kept);
}

static void reorganise(life *l)
{
    for (int n = 1 + below(l, 3); n > 0 && l->tip > 0; n--) {
        assert_int_equal(spv__wallet_undo(l->w, l->tip), SPV_OK);
        naive_undo(&l->book, l->tip);
        l->tip--;
    }
    mine(l);
}

static void tell_again(life *l)
{
    int32_t height = l->tip > 0 ? 1 + below(l, l->tip) : 0;
    const block *b = &l->chain[height];
    size_t n = (size_t)below(l, (int)b->n + 1);

    if (height == 0)
        return;
    tell(l, l->w, height, b, n);
    naive_apply(&l->book, height, b->tx, n);
}

static void give_up(life *l)
{
    int x = l->book.n > 0 ? below(l, l->book.n) : -1;
    naive_tx *t = &l->book.tx[x < 0 ? 0 : x];

    if (x < 0 || !t->kept || t->state != SPV_TX_UNCONFIRMED)
        return;
    assert_int_equal(spv__wallet_abandon(l->w, &t->p.tx.txid), SPV_OK);
    naive_sink(&l->book, x, SPV_TX_ABANDONED);
}

static void happen(life *l)
{
    int what = below(l, 20);

    if (what < 8)
        mine(l);
    else if (what < 14)
        announce(l);
    else if (what < 16)
        reorganise(l);
    else if (what < 18)
        tell_again(l);
    else
        give_up(l);
}

/* ---- Comparing ---- */

static void compare_states(const life *l, const spv_wallet *w)
{
    size_t own = 0;

    for (int x = 0; x < l->book.n; x++) {
        const naive_tx *t = &l->book.tx[x];
        spv_wallet_tx shown;
        spv_err err = spv__wallet_tx(w, &t->p.tx.txid, &shown);

        assert_int_equal(err, t->kept ? SPV_OK : SPV_NOT_FOUND);
        if (!t->kept)
            continue;
        assert_int_equal(shown.state, t->state);
        assert_int_equal(shown.height, t->height);
        assert_int_equal(shown.net, naive_net(&l->book, x));
        own += naive_is_own(&l->book, x);
    }
    assert_int_equal(spv__wallet_tx_count(w), own);
}

static const spv_coin *find_coin(const spv_coin *coins, size_t n,
                                 const spv_outpoint *o)
{
    for (size_t i = 0; i < n; i++)
        if (spv_outpoint_equal(&coins[i].outpoint, o))
            return &coins[i];
    return NULL;
}

/* One output: its place in the list, and what it adds to the balance. */
static bool compare_coin(const life *l, int x, uint32_t vout,
                         const spv_coin *coins, size_t n, spv_balance *sum)
{
    const naive_tx *t = &l->book.tx[x];
    spv_outpoint o = paper_out(&t->p, vout);
    const spv_coin *coin = find_coin(coins, n, &o);
    int64_t value = t->p.out[vout].value;
    bool is_spent = false;
    spv_tx_state how = naive_spender(&l->book, x, vout, &is_spent);
    bool in_block = t->state == SPV_TX_CONFIRMED;
    bool immature = naive_is_coinbase(t) && l->tip + 1 - t->height < 100;

    if (!naive_is_live(t) || !naive_is_open(&l->book, t, vout) ||
        (is_spent && (!in_block || how == SPV_TX_CONFIRMED))) {
        assert_null(coin);
        return false;
    }
    assert_non_null(coin);
    assert_int_equal(coin->amount, value);
    assert_int_equal(coin->height, t->height);
    assert_int_equal(coin->spendable, in_block && !is_spent && !immature);
    if (in_block && is_spent)
        sum->unconfirmed -= value;
    *(immature   ? &sum->immature
      : in_block ? &sum->confirmed
                 : &sum->unconfirmed) += value;
    return true;
}

static void compare_coins(const life *l, const spv_wallet *w)
{
    spv_balance sum = {0};
    spv_coin *coins = NULL;
    size_t n = 0;
    size_t found = 0;

    assert_int_equal(spv__wallet_coins(w, l->tip, &coins, &n), SPV_OK);
    for (int x = 0; x < l->book.n; x++)
        for (uint32_t vout = 0; vout < l->book.tx[x].p.n_out; vout++)
            found += compare_coin(l, x, vout, coins, n, &sum);
    assert_int_equal(found, n);
    assert_balance(w, l->tip, sum.confirmed, sum.unconfirmed, sum.immature);
    free(coins);
}

static void compare(const life *l, const spv_wallet *w)
{
    for (size_t i = 0; i < NAIVE_BRANCHES; i++) {
        spv_branch b;

        spv__wallet_branch(w, i, &b);
        assert_int_equal(b.used, l->book.used[i]);
    }
    compare_states(l, w);
    compare_coins(l, w);
}

/* ---- The three properties ---- */

static void begin_life(life *l, uint64_t seed)
{
    *l = (life){
        .chance = {seed}, .w = world_open(GAP, LOOKAHEAD), .book.gap = GAP};
}

static void end_life(life *l)
{
    for (int x = 0; x < l->book.n; x++)
        paper_clear(&l->book.tx[x].p);
    spv__wallet_free(l->w);
}

/* Everything that the wallet would have stored, at once. */
static spv_wallet *load_again(const spv_wallet *w)
{
    spv_wallet *again = spv__wallet_new(spv_network_get(SPV_MAIN));
    spv_changes c;
    spv_element e;

    assert_int_equal(spv__wallet_set_gap(again, GAP, LOOKAHEAD), SPV_OK);
    world_watch(again, WORLD_RANGED, 0);
    assert_int_equal(spv__wallet_changes(w, &c), SPV_OK);
    for (size_t i = 0; i < c.n_elements; i++) {
        spv__wallet_element(w, i, &e);
        assert_int_equal(spv__wallet_load_element(again, &e), SPV_OK);
    }
    for (size_t i = 0; i < c.n_branches; i++)
        assert_int_equal(spv__wallet_load_branch(again, &c.branches[i]),
                         SPV_OK);
    for (size_t i = 0; i < c.n_scripts; i++)
        assert_int_equal(spv__wallet_load_script(again, &c.scripts[i]), SPV_OK);
    assert_int_equal(spv__wallet_derive(again), SPV_OK);
    for (size_t i = 0; i < c.n_txs; i++)
        assert_int_equal(spv__wallet_load_tx(again, &c.txs[i]), SPV_OK);
    spv__changes_clear(&c);
    return again;
}

static void the_wallet_agrees_with_the_naive_book_after_every_event(
    void **state)
{
    life *l = malloc(sizeof(*l));

    (void)state;
    assert_non_null(l);
    for (uint64_t seed = 1; seed <= RUNS; seed++) {
        spv_wallet *again = NULL;

        begin_life(l, seed);
        for (int i = 0; i < EVENTS; i++) {
            happen(l);
            compare(l, l->w);
        }
        again = load_again(l->w);
        assert_false(spv__wallet_is_changed(again));
        compare(l, again);
        spv__wallet_free(again);
        end_life(l);
    }
    free(l);
}

/* Both books are told the chain in rounds until nothing moves: a spend without
 * change is ours only once its coin is known, a payment beyond the window only
 * once others have moved it. What that comes to depends on no order. */
static void settle_naively(life *l)
{
    naive_book *b = &l->book;
    int before = -1;

    for (int x = 0; x < b->n; x++)
        b->tx[x].kept = false;
    memset(b->used, 0, sizeof(b->used));
    b->n_kept = 0;
    while (b->n_kept + b->used[0] + b->used[1] != before) {
        before = b->n_kept + b->used[0] + b->used[1];
        for (int32_t h = 1; h <= l->tip; h++)
            naive_apply(b, h, l->chain[h].tx, l->chain[h].n);
    }
}

static size_t progress(const spv_wallet *w)
{
    size_t sum = spv__wallet_tx_count(w);

    for (size_t i = 0; i < NAIVE_BRANCHES; i++) {
        spv_branch b;

        spv__wallet_branch(w, i, &b);
        sum += b.used;
    }
    return sum;
}

static void settle_shuffled(life *l, spv_wallet *w)
{
    size_t before = SIZE_MAX;

    while (progress(w) != before) {
        int32_t order[EVENTS + 2];

        before = progress(w);
        for (int32_t h = 0; h <= l->tip; h++)
            order[h] = h;
        for (int32_t h = l->tip; h > 0; h--) {
            int32_t other = 1 + below(l, h);
            int32_t swap = order[h];

            order[h] = order[other];
            order[other] = swap;
            tell(l, w, order[h], &l->chain[order[h]], l->chain[order[h]].n);
        }
    }
}

static void the_order_in_which_blocks_are_told_does_not_matter(void **state)
{
    life *l = malloc(sizeof(*l));

    (void)state;
    assert_non_null(l);
    for (uint64_t seed = 1001; seed <= 1000 + RUNS; seed++) {
        spv_wallet *w = world_open(GAP, LOOKAHEAD);

        begin_life(l, seed);
        for (int i = 0; i < EVENTS; i++)
            happen(l);
        settle_naively(l);
        settle_shuffled(l, w);
        compare(l, w);
        spv__wallet_free(w);
        end_life(l);
    }
    free(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            the_wallet_agrees_with_the_naive_book_after_every_event),
        cmocka_unit_test(the_order_in_which_blocks_are_told_does_not_matter),
    };

    return cmocka_run_group_tests_name("property.wallet.book", tests, NULL,
                                       NULL);
}
