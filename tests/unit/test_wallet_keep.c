#include "wallet_world.h"

static spv_applied apply(spv_wallet *w, int32_t height, const spv_tx *txs,
                         size_t n)
{
    spv_block_ref block = block_at(height, 0);
    spv_applied out = {0};

    assert_int_equal(spv__wallet_apply(w, &block, txs, NULL, n, &out), SPV_OK);
    return out;
}

static void make_receipt(paper *p, const spv_wallet *w, uint32_t index,
                         int64_t value)
{
    p->nonce = index;
    paper_spend(p, stranger_coin(index));
    paper_pay_to(p, w, 0, index, value);
    paper_seal(p);
}

/* ---- What is kept ---- */

static void strangers_are_counted_and_not_kept(void **state)
{
    spv_wallet *w = world_open(20, 100);
    paper p = {0};
    spv_applied got;

    (void)state;
    paper_spend(&p, stranger_coin(1));
    paper_pay_stranger(&p, 1, 5);
    got = apply(w, 1, paper_seal(&p), 1);
    assert_int_equal(got.false_positives, 1);
    assert_int_equal(got.own, 0);
    assert_int_equal(spv__wallet_tx_count(w), 0);
    assert_int_equal(spv__wallet_element_count(w), 240);
    paper_clear(&p);
    spv__wallet_free(w);
}

static void one_transaction_is_one_record_however_often_it_comes(void **state)
{
    spv_wallet *w = world_open(20, 100);
    paper p = {0};
    bool kept = false;
    spv_applied got;

    (void)state;
    make_receipt(&p, w, 0, 700);
    assert_int_equal(spv__wallet_add_unconfirmed(w, &p.tx, 5, &kept), SPV_OK);
    assert_true(kept);
    assert_balance(w, 1, 0, 700, 0);
    got = apply(w, 1, &p.tx, 1);
    assert_int_equal(got.own, 1);
    assert_int_equal(got.fresh, 0);
    got = apply(w, 1, &p.tx, 1);
    assert_int_equal(got.own, 1);
    assert_int_equal(spv__wallet_add_unconfirmed(w, &p.tx, 9, &kept), SPV_OK);
    assert_int_equal(spv__wallet_tx_count(w), 1);
    assert_balance(w, 1, 700, 0, 0);
    paper_clear(&p);
    spv__wallet_free(w);
}

static void a_transaction_is_in_the_block_that_was_told_last(void **state)
{
    static const struct {
        int32_t height;
        uint8_t side;
    } told[] = {{5, 0}, {5, 1}, {4, 0}, {6, 0}};
    spv_wallet *w = world_open(20, 100);
    paper p = {0};

    (void)state;
    make_receipt(&p, w, 0, 700);
    for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
        spv_block_ref block = block_at(told[i].height, told[i].side);
        spv_wallet_tx tx;

        assert_int_equal(spv__wallet_apply(w, &block, &p.tx, NULL, 1, NULL),
                         SPV_OK);
        assert_int_equal(spv__wallet_tx(w, &p.tx.txid, &tx), SPV_OK);
        assert_int_equal(tx.height, block.height);
        assert_memory_equal(&tx.block_hash, &block.hash, 32);
    }
    paper_clear(&p);
    spv__wallet_free(w);
}

/* It was kept as a rival only, until the coin that both spend was told. */
static void a_rival_becomes_ours_with_the_coin_it_spends(void **state)
{
    spv_wallet *w = world_open(20, 100);
    paper coin = {0};
    paper with_change = {.nonce = 1};
    paper without = {.nonce = 2};
    spv_wallet_tx tx;
    bool kept = false;

    (void)state;
    make_receipt(&coin, w, 0, 700);
    paper_spend(&with_change, paper_out(&coin, 0));
    paper_pay_to(&with_change, w, 1, 0, 600);
    paper_spend(&without, paper_out(&coin, 0));
    paper_pay_stranger(&without, 1, 650);
    paper_seal(&with_change);
    paper_seal(&without);
    assert_int_equal(spv__wallet_add_unconfirmed(w, &with_change.tx, 1, &kept),
                     SPV_OK);
    assert_int_equal(spv__wallet_add_unconfirmed(w, &without.tx, 2, &kept),
                     SPV_OK);
    assert_true(kept);
    assert_int_equal(spv__wallet_tx_count(w), 1);
    world_apply(w, 1, &coin.tx);
    assert_int_equal(spv__wallet_tx_count(w), 3);
    assert_int_equal(spv__wallet_tx(w, &without.tx.txid, &tx), SPV_OK);
    assert_int_equal(tx.net, -700);
    assert_int_equal(tx.fee, 50);
    paper_clear(&coin);
    paper_clear(&with_change);
    paper_clear(&without);
    spv__wallet_free(w);
}

static void impossible_amounts_are_not_kept(void **state)
{
    static const int64_t amounts[][2] = {
        {-1, 5},
        {SPV_MAX_MONEY + 1, 0},
        {SPV_MAX_MONEY, 1},
        {INT64_MAX, INT64_MAX},
    };
    spv_wallet *w = world_open(20, 100);
    bool kept = true;

    (void)state;
    for (size_t i = 0; i < sizeof(amounts) / sizeof(amounts[0]); i++) {
        paper p = {0};

        paper_spend(&p, stranger_coin(1));
        paper_pay_to(&p, w, 0, 0, amounts[i][0]);
        paper_pay_to(&p, w, 0, 1, amounts[i][1]);
        paper_seal(&p);
        assert_int_equal(spv__wallet_add_unconfirmed(w, &p.tx, 1, &kept),
                         SPV_OK);
        assert_false(kept);
        assert_int_equal(apply(w, 1, &p.tx, 1).own, 0);
        paper_clear(&p);
    }
    spv__wallet_free(w);
}

static void made_up_fortunes_do_not_overflow_the_balance(void **state)
{
    spv_wallet *w = world_open(20, 100);
    bool kept = false;

    (void)state;
    for (uint32_t i = 0; i < 5000; i++) {
        paper p = {.nonce = i};

        paper_spend(&p, stranger_coin(i));
        paper_pay_to(&p, w, 0, 0, SPV_MAX_MONEY);
        paper_seal(&p);
        assert_int_equal(spv__wallet_add_unconfirmed(w, &p.tx, 1, &kept),
                         SPV_OK);
        assert_true(kept);
        paper_clear(&p);
    }
    assert_int_equal(world_balance(w, 1).unconfirmed, INT64_MAX);
    spv__wallet_free(w);
}

/* ---- The gap window ---- */

/* S14: 30 payments to 30 consecutive addresses in one block, gap 20; in the
 * worst order, so that only looking again finds the first. */
static void thirty_receipts_in_one_block_are_all_found(void **state)
{
    spv_wallet *w = world_open(20, 100);
    paper p[30] = {0};
    spv_tx txs[30];
    size_t before = spv__wallet_needed(w);
    spv_applied got;

    (void)state;
    for (uint32_t i = 0; i < 30; i++) {
        make_receipt(&p[i], w, 29 - i, 10);
        txs[i] = p[i].tx;
    }
    assert_int_equal(spv__wallet_foresee(w, txs, 30), SPV_OK);
    assert_true(spv__wallet_needed(w) > before);
    assert_int_equal(spv__wallet_tx_count(w), 0);
    got = apply(w, 1, txs, 30);
    assert_int_equal(got.own, 30);
    assert_int_equal(got.fresh, 30);
    assert_balance(w, 1, 300, 0, 0);
    for (size_t i = 0; i < 30; i++)
        paper_clear(&p[i]);
    spv__wallet_free(w);
}

/* S15: used at 0 to 2 and 70, gap 20; then a larger gap. What was seen by
 * chance, because the filter held a key early, is there at once. */
static void S15_what_lies_beyond_the_gap_waits_for_a_larger_one(void **state)
{
    static const uint32_t used[] = {0, 1, 2, 70};
    spv_wallet *w = world_open(20, 100);
    spv_applied sum = {0};
    paper p[4] = {0};

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        spv_block_ref block = block_at((int32_t)i, 0);

        make_receipt(&p[i], w, used[i], 100);
        assert_int_equal(spv__wallet_apply(w, &block, &p[i].tx, NULL, 1, &sum),
                         SPV_OK);
    }
    assert_int_equal(sum.own, 3);
    assert_int_equal(sum.early, 1);
    assert_int_equal(sum.false_positives, 0);
    assert_balance(w, 10, 300, 0, 0);

    assert_int_equal(spv__wallet_set_gap(w, 100, 100), SPV_OK);
    assert_int_equal(spv__wallet_derive(w), SPV_OK);
    assert_balance(w, 10, 400, 0, 0);
    for (size_t i = 0; i < 4; i++)
        (void)apply(w, (int32_t)i, &p[i].tx, 1);
    assert_balance(w, 10, 400, 0, 0);
    assert_int_equal(spv__wallet_tx_count(w), 4);
    for (size_t i = 0; i < 4; i++)
        paper_clear(&p[i]);
    spv__wallet_free(w);
}

/* The same beyond what was derived: it has to be looked for again. */
static void what_no_filter_held_needs_a_second_look(void **state)
{
    spv_wallet *w = world_open(20, 1);
    spv_wallet *far = world_open(20, 100);
    paper receipt = {0};

    (void)state;
    make_receipt(&receipt, far, 70, 100);
    assert_int_equal(apply(w, 1, &receipt.tx, 1).false_positives, 1);
    assert_int_equal(spv__wallet_set_gap(w, 100, 100), SPV_OK);
    assert_int_equal(spv__wallet_derive(w), SPV_OK);
    assert_balance(w, 10, 0, 0, 0);
    assert_int_equal(apply(w, 1, &receipt.tx, 1).own, 1);
    assert_balance(w, 10, 100, 0, 0);
    paper_clear(&receipt);
    spv__wallet_free(far);
    spv__wallet_free(w);
}

/* Its spend is shown with it, at its own height. */
static void an_early_coin_may_be_spent_before_it_is_ours(void **state)
{
    spv_wallet *w = world_open(20, 100);
    paper early = {0};
    paper spend = {0};
    paper later = {0};
    spv_wallet_tx tx;

    (void)state;
    make_receipt(&early, w, 25, 1000);
    assert_int_equal(apply(w, 1, &early.tx, 1).early, 1);
    paper_spend(&spend, paper_out(&early, 0));
    paper_pay_stranger(&spend, 1, 900);
    assert_int_equal(apply(w, 2, paper_seal(&spend), 1).early, 1);
    assert_int_equal(spv__wallet_tx_count(w), 0);
    assert_balance(w, 2, 0, 0, 0);
    make_receipt(&later, w, 10, 10);
    world_apply(w, 3, &later.tx);
    assert_balance(w, 3, 10, 0, 0);
    assert_int_equal(spv__wallet_tx_count(w), 3);
    assert_int_equal(spv__wallet_tx(w, &spend.tx.txid, &tx), SPV_OK);
    assert_int_equal(tx.height, 2);
    assert_int_equal(tx.net, -1000);
    assert_int_equal(tx.fee, 100);
    paper_clear(&early);
    paper_clear(&spend);
    paper_clear(&later);
    spv__wallet_free(w);
}

/* An early output of a kept transaction is found by the window itself, and one
 * may open the way to the next. */
static void early_outputs_become_coins_when_the_window_reaches_them(
    void **state)
{
    spv_wallet *w = world_open(20, 100);
    paper several = {0};
    paper later = {0};

    (void)state;
    paper_spend(&several, stranger_coin(1));
    paper_pay_to(&several, w, 0, 0, 100);
    paper_pay_to(&several, w, 0, 44, 2000); /* opened by the next */
    paper_pay_to(&several, w, 0, 25, 1000); /* opened by `later` */
    paper_pay_to(&several, w, 0, 90, 5000);
    world_apply(w, 1, paper_seal(&several));
    assert_balance(w, 1, 100, 0, 0);
    make_receipt(&later, w, 10, 10);
    world_apply(w, 2, &later.tx);
    assert_balance(w, 2, 3110, 0, 0);
    paper_clear(&several);
    paper_clear(&later);
    spv__wallet_free(w);
}

/* ---- The coverage rule's questions ---- */

static size_t count_owed(const spv_wallet *w, int32_t height, size_t coverage)
{
    size_t n = 0;

    for (size_t at = coverage; spv__wallet_next_owed(w, height, &at); at++)
        n++;
    return n;
}

/* Guards a mended bug: nobody told of a replacement that has nothing of ours in
 * it, and the payment that it replaced stayed in the balance. */
static void what_an_unconfirmed_payment_spends_is_watched(void **state)
{
    spv_wallet *w = world_open(20, 100);
    size_t keys = spv__wallet_element_count(w);
    paper receipt = {0};
    paper rival = {0};
    bool kept = false;

    (void)state;
    make_receipt(&receipt, w, 0, 100);
    assert_int_equal(spv__wallet_add_unconfirmed(w, &receipt.tx, 1, &kept),
                     SPV_OK);
    assert_int_equal(spv__wallet_element_count(w), keys + 2);
    assert_int_equal(count_owed(w, 1, keys), 1);
    paper_spend(&rival, stranger_coin(0));
    paper_pay_stranger(&rival, 1, 90);
    paper_seal(&rival);
    world_apply(w, 9, &rival.tx);
    assert_balance(w, 9, 0, 0, 0);
    assert_int_equal(count_owed(w, 9, keys), 0);
    paper_clear(&receipt);
    paper_clear(&rival);
    spv__wallet_free(w);
}

static void coins_are_owed_until_a_block_spends_them(void **state)
{
    spv_wallet *w = world_open(20, 100);
    size_t keys = spv__wallet_element_count(w);
    paper receipt = {0};
    paper spend = {0};
    bool kept = false;

    (void)state;
    make_receipt(&receipt, w, 0, 100);
    world_apply(w, 5, &receipt.tx);
    assert_int_equal(spv__wallet_element_count(w), keys + 1);
    assert_int_equal(spv__wallet_origin(w, keys), 5);
    assert_int_equal(spv__wallet_origin(w, 0), SPV_NO_HEIGHT);
    assert_int_equal(count_owed(w, 4, keys), 0);
    assert_int_equal(count_owed(w, 5, keys), 1);
    assert_int_equal(count_owed(w, 5, 0), 1);
    assert_int_equal(count_owed(w, 5, keys + 1), 0);

    paper_spend(&spend, paper_out(&receipt, 0));
    paper_pay_stranger(&spend, 1, 90);
    paper_seal(&spend);
    assert_int_equal(spv__wallet_add_unconfirmed(w, &spend.tx, 1, &kept),
                     SPV_OK);
    assert_int_equal(count_owed(w, 6, keys), 1); /* it may be replaced */
    world_apply(w, 9, &spend.tx);
    assert_int_equal(count_owed(w, 6, keys), 0);
    assert_int_equal(spv__wallet_undo(w, 9), SPV_OK);
    assert_int_equal(count_owed(w, 6, keys), 1);
    assert_int_equal(spv__wallet_undo(w, 5), SPV_OK);
    assert_int_equal(count_owed(w, 6, keys), 1); /* what the receipt spends */
    assert_int_equal(count_owed(w, 6, keys + 1), 1);
    assert_int_equal(spv__wallet_origin(w, keys), SPV_NO_HEIGHT);
    assert_int_equal(spv__wallet_element_count(w), keys + 2);
    paper_clear(&receipt);
    paper_clear(&spend);
    spv__wallet_free(w);
}

static void early_coins_are_owed_from_their_own_height_on(void **state)
{
    spv_wallet *w = world_open(20, 100);
    size_t keys = spv__wallet_element_count(w);
    paper early = {0};
    paper later = {0};

    (void)state;
    make_receipt(&early, w, 25, 1000);
    world_apply(w, 5, &early.tx);
    assert_int_equal(spv__wallet_element_count(w), keys + 1);
    assert_int_equal(spv__wallet_origin(w, keys), 5);
    assert_int_equal(count_owed(w, 4, keys), 0);
    assert_int_equal(count_owed(w, 5, keys), 1);
    make_receipt(&later, w, 10, 10);
    world_apply(w, 9, &later.tx);
    assert_int_equal(spv__wallet_element_count(w), keys + 2); /* its own */
    assert_int_equal(count_owed(w, 5, keys), 1);
    paper_clear(&early);
    paper_clear(&later);
    spv__wallet_free(w);
}

/* A node that lacks the key did not add the coin by itself. */
static void the_reach_of_a_coin_tells_which_filters_had_its_key(void **state)
{
    spv_wallet *w = world_open(20, 100);
    size_t keys = spv__wallet_element_count(w);
    paper near = {0};
    paper far = {0};

    (void)state;
    make_receipt(&near, w, 0, 10);
    make_receipt(&far, w, 60, 10);
    world_apply(w, 1, &near.tx);
    world_apply(w, 1, &far.tx);
    assert_true(spv__wallet_reach(w, keys) <= spv__wallet_needed(w));
    assert_true(spv__wallet_reach(w, keys + 1) > spv__wallet_needed(w));
    assert_true(spv__wallet_reach(w, keys + 1) <= keys);
    assert_true(spv__wallet_reach(w, 0) == SIZE_MAX);
    paper_clear(&near);
    paper_clear(&far);
    spv__wallet_free(w);
}

/* What the debts of a run go by. */
static void a_block_that_is_told_again_brings_no_coins(void **state)
{
    spv_wallet *w = world_open(20, 100);
    paper several = {0};
    bool kept = false;

    (void)state;
    paper_spend(&several, stranger_coin(1));
    paper_pay_to(&several, w, 0, 0, 100);
    paper_pay_to(&several, w, 0, 90, 5000);
    paper_seal(&several);
    assert_int_equal(spv__wallet_add_unconfirmed(w, &several.tx, 1, &kept),
                     SPV_OK);
    assert_int_equal(apply(w, 1, &several.tx, 1).coins, 2);
    assert_int_equal(apply(w, 1, &several.tx, 1).coins, 0);
    assert_int_equal(spv__wallet_undo(w, 1), SPV_OK);
    assert_int_equal(apply(w, 1, &several.tx, 1).coins, 2);
    paper_clear(&several);
    spv__wallet_free(w);
}

/* Blocks above it were not asked for what spends another coin of it. */
static void an_announcement_adds_no_coin_to_what_is_in_a_block(void **state)
{
    spv_wallet *w = world_open(20, 1);
    spv_wallet *far = world_open(20, 100);
    paper several = {0};
    bool kept = false;

    (void)state;
    paper_spend(&several, stranger_coin(1));
    paper_pay_to(&several, far, 0, 0, 100);
    paper_pay_to(&several, far, 0, 60, 1000);
    world_apply(w, 1, paper_seal(&several));
    assert_int_equal(spv__wallet_set_gap(w, 100, 100), SPV_OK);
    assert_int_equal(spv__wallet_derive(w), SPV_OK);
    assert_int_equal(spv__wallet_add_unconfirmed(w, &several.tx, 1, &kept),
                     SPV_OK);
    assert_true(kept);
    assert_balance(w, 1, 100, 0, 0);
    assert_int_equal(apply(w, 1, &several.tx, 1).coins, 1);
    assert_balance(w, 1, 1100, 0, 0);
    paper_clear(&several);
    spv__wallet_free(far);
    spv__wallet_free(w);
}

static void the_outpoint_of_a_coin_is_what_an_input_carries(void **state)
{
    spv_wallet *w = world_open(20, 100);
    paper receipt = {0};
    spv_element e;

    (void)state;
    make_receipt(&receipt, w, 0, 100);
    world_apply(w, 5, &receipt.tx);
    spv__wallet_element(w, spv__wallet_element_count(w) - 1, &e);
    assert_int_equal(e.kind, SPV__ELEMENT_OUTPOINT);
    assert_int_equal(e.len, 36);
    assert_memory_equal(e.bytes, receipt.tx.txid.bytes, 32);
    assert_memory_equal(e.bytes + 32, "\0\0\0\0", 4);
    paper_clear(&receipt);
    spv__wallet_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strangers_are_counted_and_not_kept),
        cmocka_unit_test(one_transaction_is_one_record_however_often_it_comes),
        cmocka_unit_test(a_transaction_is_in_the_block_that_was_told_last),
        cmocka_unit_test(a_rival_becomes_ours_with_the_coin_it_spends),
        cmocka_unit_test(impossible_amounts_are_not_kept),
        cmocka_unit_test(made_up_fortunes_do_not_overflow_the_balance),
        cmocka_unit_test(thirty_receipts_in_one_block_are_all_found),
        cmocka_unit_test(S15_what_lies_beyond_the_gap_waits_for_a_larger_one),
        cmocka_unit_test(what_no_filter_held_needs_a_second_look),
        cmocka_unit_test(an_early_coin_may_be_spent_before_it_is_ours),
        cmocka_unit_test(
            early_outputs_become_coins_when_the_window_reaches_them),
        cmocka_unit_test(what_an_unconfirmed_payment_spends_is_watched),
        cmocka_unit_test(coins_are_owed_until_a_block_spends_them),
        cmocka_unit_test(early_coins_are_owed_from_their_own_height_on),
        cmocka_unit_test(the_reach_of_a_coin_tells_which_filters_had_its_key),
        cmocka_unit_test(a_block_that_is_told_again_brings_no_coins),
        cmocka_unit_test(an_announcement_adds_no_coin_to_what_is_in_a_block),
        cmocka_unit_test(the_outpoint_of_a_coin_is_what_an_input_carries),
    };

    return cmocka_run_group_tests_name("wallet.keep", tests, NULL, NULL);
}
