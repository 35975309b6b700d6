#include "wallet_world.h"

/*
 * A disk of paper: what the client would store, by key, from a wallet's
 * changes, and the wallet that it makes of them again.
 */
typedef struct disk {
    uint8_t element[4000][40];
    spv_element elements[4000];
    size_t n_elements;
    uint8_t script[4000][40];
    spv_script_row scripts[4000];
    size_t n_scripts;
    spv_branch_row branches[4];
    spv_tx_row txs[64];
    uint8_t *bytes[64];
    size_t n_txs;
} disk;

static void disk_put_tx(disk *d, const spv_tx_row *row)
{
    size_t i = 0;

    while (i < d->n_txs && !spv_hash_equal(&d->txs[i].txid, &row->txid))
        i++;
    assert_true(i < sizeof(d->txs) / sizeof(d->txs[0]));
    if (i == d->n_txs) {
        d->bytes[i] = malloc(row->len);
        assert_non_null(d->bytes[i]);
        memcpy(d->bytes[i], row->bytes, row->len);
        d->n_txs++;
    }
    d->txs[i] = *row;
    d->txs[i].bytes = d->bytes[i];
}

static void disk_save(disk *d, spv_wallet *w)
{
    spv_changes c;

    assert_int_equal(spv__wallet_changes(w, &c), SPV_OK);
    assert_int_equal(c.first_element, d->n_elements);
    for (size_t i = 0; i < c.n_elements; i++) {
        size_t at = d->n_elements++;

        spv__wallet_element(w, at, &d->elements[at]);
        memcpy(d->element[at], d->elements[at].bytes, d->elements[at].len);
        d->elements[at].bytes = d->element[at];
    }
    for (size_t i = 0; i < c.n_scripts; i++) {
        size_t at = d->n_scripts++;

        d->scripts[at] = c.scripts[i];
        memcpy(d->script[at], c.scripts[i].script, c.scripts[i].script_len);
        d->scripts[at].script = d->script[at];
    }
    for (size_t i = 0; i < c.n_branches; i++)
        d->branches[c.branches[i].branch] = c.branches[i];
    for (size_t i = 0; i < c.n_txs; i++)
        disk_put_tx(d, &c.txs[i]);
    spv__changes_clear(&c);
    spv__wallet_saved(w);
    assert_false(spv__wallet_is_changed(w));
}

static spv_wallet *disk_load(const disk *d)
{
    spv_wallet *w = spv__wallet_new(spv_network_get(SPV_MAIN));

    assert_non_null(w);
    world_watch(w, WORLD_RANGED, 0);
    for (size_t i = 0; i < d->n_elements; i++)
        assert_int_equal(spv__wallet_load_element(w, &d->elements[i]), SPV_OK);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(
            spv__wallet_load_branch(
                w, &(spv_branch_row){.branch = i,
                                     .used = d->branches[i].used,
                                     .given = d->branches[i].given}),
            SPV_OK);
    for (size_t i = 0; i < d->n_scripts; i++)
        assert_int_equal(spv__wallet_load_script(w, &d->scripts[i]), SPV_OK);
    assert_int_equal(spv__wallet_derive(w), SPV_OK);
    for (size_t i = d->n_txs; i-- > 0;)
        assert_int_equal(spv__wallet_load_tx(w, &d->txs[i]), SPV_OK);
    return w;
}

static void disk_clear(disk *d)
{
    for (size_t i = 0; i < d->n_txs; i++)
        free(d->bytes[i]);
    free(d);
}

/* ---- Comparing wallets ---- */

/* Whether the log of `b` begins with all of the log of `a`. */
static void assert_log_begins(const spv_wallet *a, const spv_wallet *b)
{
    assert_true(spv__wallet_element_count(a) <= spv__wallet_element_count(b));
    assert_int_equal(spv__wallet_needed(a), spv__wallet_needed(b));
    for (size_t i = 0; i < spv__wallet_element_count(a); i++) {
        spv_element x;
        spv_element y;

        spv__wallet_element(a, i, &x);
        spv__wallet_element(b, i, &y);
        assert_int_equal(x.kind, y.kind);
        assert_int_equal(x.len, y.len);
        assert_memory_equal(x.bytes, y.bytes, x.len);
        assert_int_equal(spv__wallet_origin(a, i), spv__wallet_origin(b, i));
    }
}

static void assert_same_log(const spv_wallet *a, const spv_wallet *b)
{
    assert_int_equal(spv__wallet_element_count(a),
                     spv__wallet_element_count(b));
    assert_log_begins(a, b);
}

static void assert_same_branches(const spv_wallet *a, const spv_wallet *b)
{
    for (size_t i = 0; i < 2; i++) {
        spv_branch x;
        spv_branch y;

        spv__wallet_branch(a, i, &x);
        spv__wallet_branch(b, i, &y);
        assert_int_equal(x.used, y.used);
        assert_int_equal(x.given, y.given);
        assert_int_equal(x.derived, y.derived);
        for (uint32_t k = 0; k < x.derived; k++) {
            spv_watched s;
            spv_watched t;

            assert_int_equal(spv__wallet_watched(a, i, k, &s), SPV_OK);
            assert_int_equal(spv__wallet_watched(b, i, k, &t), SPV_OK);
            assert_int_equal(s.used, t.used);
            assert_memory_equal(s.script, t.script, s.script_len);
        }
    }
}

static void assert_same_history(const spv_wallet *a, const spv_wallet *b)
{
    spv_wallet_tx *x = NULL;
    spv_wallet_tx *y = NULL;
    size_t n = 0;
    size_t m = 0;

    assert_int_equal(spv__wallet_history(a, &x, &n), SPV_OK);
    assert_int_equal(spv__wallet_history(b, &y, &m), SPV_OK);
    assert_int_equal(n, m);
    for (size_t i = 0; i < n; i++) {
        assert_memory_equal(&x[i].txid, &y[i].txid, 32);
        assert_memory_equal(&x[i].block_hash, &y[i].block_hash, 32);
        assert_int_equal(x[i].height, y[i].height);
        assert_int_equal(x[i].block_time, y[i].block_time);
        assert_int_equal(x[i].state, y[i].state);
        assert_int_equal(x[i].net, y[i].net);
        assert_true(x[i].fee == y[i].fee);
    }
    free(x);
    free(y);
}

/* ---- A life, saved after each step ---- */

enum { LIFE_STEPS = 8 };

static void live(spv_wallet *w, paper p[LIFE_STEPS], int step)
{
    bool kept = false;
    spv_watched given;

    p[step].nonce = (uint32_t)step;
    switch (step) {
    case 0: /* a receipt, part of it beyond the window */
        paper_spend(&p[0], stranger_coin(0));
        paper_pay_to(&p[0], w, 0, 3, 1000);
        paper_pay_to(&p[0], w, 0, 30, 77);
        world_apply(w, 1, paper_seal(&p[0]));
        return;
    case 1: /* a spend with change, not in a block */
    case 2: /* its replacement */
        paper_spend(&p[step], paper_out(&p[0], 0));
        paper_pay_to(&p[step], w, 1, 0, 900 - step);
        assert_int_equal(
            spv__wallet_add_unconfirmed(w, paper_seal(&p[step]), step, &kept),
            SPV_OK);
        return;
    case 3: /* the replacement in a block */
        world_apply(w, 2, &p[2].tx);
        return;
    case 4: /* an address given out */
        assert_int_equal(spv__wallet_give(w, 0, true, &given), SPV_OK);
        return;
    case 5: /* a receipt that moves the window over the early output */
        paper_spend(&p[5], stranger_coin(5));
        paper_pay_to(&p[5], w, 0, 19, 5);
        world_apply(w, 3, paper_seal(&p[5]));
        return;
    case 6: /* a coinbase */
        paper_pay_to(&p[6], w, 0, 4, 50);
        world_apply(w, 4, paper_seal(&p[6]));
        return;
    case 7: /* and its end */
        assert_int_equal(spv__wallet_undo(w, 4), SPV_OK);
        return;
    default:
        fail();
    }
}

static void a_wallet_loaded_from_its_rows_is_the_wallet_that_was_saved(
    void **state)
{
    spv_wallet *w = world_open(20, 100);
    disk *d = calloc(1, sizeof(*d));
    paper p[LIFE_STEPS] = {0};

    (void)state;
    assert_non_null(d);
    disk_save(d, w);
    for (int step = 0; step < LIFE_STEPS; step++) {
        spv_wallet *again = NULL;

        live(w, p, step);
        assert_true(spv__wallet_is_changed(w));
        disk_save(d, w);
        again = disk_load(d);
        assert_false(spv__wallet_is_changed(again));
        assert_same_log(w, again);
        assert_same_branches(w, again);
        assert_same_history(w, again);
        assert_memory_equal(&(spv_balance[]){world_balance(w, 200)},
                            &(spv_balance[]){world_balance(again, 200)},
                            sizeof(spv_balance));
        spv__wallet_free(again);
    }
    for (int i = 0; i < LIFE_STEPS; i++)
        paper_clear(&p[i]);
    disk_clear(d);
    spv__wallet_free(w);
}

/* Loaded anew before each step, it comes to the same end. */
static void a_loaded_wallet_lives_on_as_the_saved_one_would(void **state)
{
    spv_wallet *straight = world_open(20, 100);
    spv_wallet *w = world_open(20, 100);
    disk *d = calloc(1, sizeof(*d));
    paper p[LIFE_STEPS] = {0};
    paper q[LIFE_STEPS] = {0};

    (void)state;
    assert_non_null(d);
    for (int step = 0; step < LIFE_STEPS; step++) {
        live(straight, p, step);
        live(w, q, step);
        disk_save(d, w);
        spv__wallet_free(w);
        w = disk_load(d);
    }
    assert_same_log(straight, w);
    assert_same_branches(straight, w);
    assert_same_history(straight, w);
    for (int i = 0; i < LIFE_STEPS; i++) {
        paper_clear(&p[i]);
        paper_clear(&q[i]);
    }
    disk_clear(d);
    spv__wallet_free(w);
    spv__wallet_free(straight);
}

/* Scripts are rows only because deriving is slow; what is derived afresh may
 * reach a little further, but finds the same places in the log. */
static void a_wallet_without_script_rows_derives_the_same(void **state)
{
    spv_wallet *w = world_open(20, 100);
    disk *d = calloc(1, sizeof(*d));
    paper p[LIFE_STEPS] = {0};
    spv_wallet *again = NULL;

    (void)state;
    assert_non_null(d);
    live(w, p, 0);
    disk_save(d, w);
    d->n_scripts = 0;
    again = disk_load(d);
    assert_log_begins(w, again);
    assert_same_history(w, again);
    spv__wallet_free(again);
    paper_clear(&p[0]);
    disk_clear(d);
    spv__wallet_free(w);
}

static void a_change_is_reported_once(void **state)
{
    spv_wallet *w = world_open(20, 100);
    paper p[LIFE_STEPS] = {0};
    spv_changes c;

    (void)state;
    live(w, p, 0);
    live(w, p, 1);
    live(w, p, 2);
    assert_int_equal(spv__wallet_changes(w, &c), SPV_OK);
    assert_int_equal(c.n_elements, 240 + 4); /* one of them early */
    assert_int_equal(c.n_scripts, 240);
    assert_int_equal(c.n_branches, 2);
    assert_int_equal(c.n_txs, 3);
    assert_int_equal(c.txs[1].state, SPV_TX_REPLACED);
    spv__changes_clear(&c);
    spv__wallet_saved(w);
    live(w, p, 3);
    assert_int_equal(spv__wallet_changes(w, &c), SPV_OK);
    assert_int_equal(c.n_elements, 0);
    assert_int_equal(c.n_scripts, 0);
    assert_int_equal(c.n_branches, 0);
    assert_int_equal(c.n_txs, 1);
    assert_int_equal(c.txs[0].state, SPV_TX_CONFIRMED);
    assert_int_equal(c.txs[0].block.height, 2);
    assert_int_equal(c.txs[0].seen_time, 2);
    spv__changes_clear(&c);
    spv__wallet_saved(w);
    world_apply(w, 2, &p[2].tx); /* told again: nothing new */
    assert_false(spv__wallet_is_changed(w));
    for (int i = 0; i < LIFE_STEPS; i++)
        paper_clear(&p[i]);
    spv__wallet_free(w);
}

/* ---- Rows that cannot be ---- */

static void impossible_rows_are_damage(void **state)
{
    spv_wallet *w = world_open(20, 100);
    spv_branch_row branches[] = {{.branch = 2},
                                 {.branch = 0, .used = UINT32_MAX},
                                 {.branch = 0, .given = UINT32_MAX}};
    uint8_t bytes[600] = {9};
    spv_element elements[] = {
        {SPV__ELEMENT_KEY, bytes, 0},
        {SPV__ELEMENT_KEY, bytes, 521},
        {SPV__ELEMENT_OUTPOINT, bytes, 35},
    };
    spv_script_row scripts[] = {
        {.branch = 2, .script = bytes, .script_len = 22},
        {.branch = 0, .index = 3, .script = bytes, .script_len = 22},
        {.branch = 0, .index = 120, .script = bytes, .script_len = 521},
        {.branch = 0, .index = 120, .reach = 9999, .script = bytes},
    };

    (void)state;
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(spv__wallet_load_branch(w, &branches[i]), SPV_DAMAGED);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(spv__wallet_load_element(w, &elements[i]),
                         SPV_DAMAGED);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(spv__wallet_load_script(w, &scripts[i]), SPV_DAMAGED);
    elements[0].len = 20;
    assert_int_equal(spv__wallet_load_element(w, &elements[0]), SPV_OK);
    assert_int_equal(spv__wallet_load_element(w, &elements[0]), SPV_DAMAGED);
    spv__wallet_free(w);
}

static void a_transaction_row_must_agree_with_itself(void **state)
{
    spv_wallet *w = world_open(20, 100);
    paper p = {0};
    spv_tx_row good = {.state = SPV_TX_CONFIRMED, .block = block_at(5, 0)};
    spv_tx_row bad[6];

    (void)state;
    paper_spend(&p, stranger_coin(0));
    paper_pay_to(&p, w, 0, 3, 1000);
    paper_seal(&p);
    good.txid = p.tx.txid;
    good.bytes = p.tx.bytes;
    good.len = p.tx.len;
    for (size_t i = 0; i < 6; i++)
        bad[i] = good;
    bad[0].txid.bytes[0] ^= 1;
    bad[1].len--;
    bad[2].state = SPV_TX_UNCONFIRMED; /* yet in a block */
    bad[3].block.height = SPV_NO_HEIGHT;
    bad[4].block.height = -2;
    bad[5].state = (spv_tx_state)9;
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(spv__wallet_load_tx(w, &bad[i]), SPV_DAMAGED);
    assert_int_equal(spv__wallet_load_tx(w, &good), SPV_OK);
    assert_int_equal(spv__wallet_load_tx(w, &good), SPV_DAMAGED);
    paper_clear(&p);
    spv__wallet_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            a_wallet_loaded_from_its_rows_is_the_wallet_that_was_saved),
        cmocka_unit_test(a_loaded_wallet_lives_on_as_the_saved_one_would),
        cmocka_unit_test(a_wallet_without_script_rows_derives_the_same),
        cmocka_unit_test(a_change_is_reported_once),
        cmocka_unit_test(impossible_rows_are_damage),
        cmocka_unit_test(a_transaction_row_must_agree_with_itself),
    };

    return cmocka_run_group_tests_name("wallet.rows", tests, NULL, NULL);
}
