#include "wallet_world.h"

static void every_state_has_its_word(void **state)
{
    static const struct {
        spv_tx_state state;
        const char *word;
    } cases[] = {
        {SPV_TX_CONFIRMED, "confirmed"}, {SPV_TX_UNCONFIRMED, "unconfirmed"},
        {SPV_TX_REPLACED, "replaced"},   {SPV_TX_CONFLICTED, "conflicted"},
        {SPV_TX_ABANDONED, "abandoned"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_string_equal(spv_tx_state_name(cases[i].state), cases[i].word);
}

/* ---- Coins and balances ---- */

static void a_coinbase_matures_under_a_hundred_blocks(void **state)
{
    static const struct {
        int32_t tip;
        bool spendable;
    } cases[] = {{7, false}, {105, false}, {106, true}, {5000, true}};
    spv_wallet *w = world_open(20, 10);
    paper p = {0};

    (void)state;
    paper_pay_to(&p, w, 0, 0, 50);
    world_apply(w, 7, paper_seal(&p));
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        spv_coin *coins = NULL;
        size_t n = 0;

        assert_balance(w, cases[i].tip, cases[i].spendable ? 50 : 0, 0,
                       cases[i].spendable ? 0 : 50);
        assert_int_equal(spv__wallet_coins(w, cases[i].tip, &coins, &n),
                         SPV_OK);
        assert_int_equal(n, 1);
        assert_true(coins[0].coinbase);
        assert_int_equal(coins[0].spendable, cases[i].spendable);
        free(coins);
    }
    paper_clear(&p);
    spv__wallet_free(w);
}

static void coins_are_listed_oldest_first_with_what_they_pay(void **state)
{
    static const int32_t heights[] = {30, 10, 20};
    spv_wallet *w = world_open(20, 10);
    spv_coin *coins = NULL;
    size_t n = 0;

    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        paper p = {.nonce = i};

        paper_spend(&p, stranger_coin(i));
        paper_pay_to(&p, w, 0, i, heights[i]);
        world_apply(w, heights[i], paper_seal(&p));
        paper_clear(&p);
    }
    assert_int_equal(spv__wallet_coins(w, 30, &coins, &n), SPV_OK);
    assert_int_equal(n, 3);
    for (uint32_t i = 0; i < 3; i++) {
        spv_watched to;

        assert_int_equal(coins[i].height, 10 * (i + 1));
        assert_int_equal(coins[i].amount, 10 * (i + 1));
        assert_int_equal(spv__wallet_find_script(w, coins[i].script,
                                                 coins[i].script_len, &to),
                         SPV_OK);
        assert_int_equal(to.index, (i + 1) % 3);
        assert_true(to.used);
    }
    free(coins);
    spv__wallet_free(w);
}

/* Whatever their hashes: as in the history. */
static void coins_of_a_block_are_listed_in_its_order(void **state)
{
    spv_wallet *w = world_open(20, 10);
    spv_wallet_tx *txs = NULL;
    spv_coin *coins = NULL;
    size_t n = 0;
    size_t n_txs = 0;

    (void)state;
    for (uint32_t i = 0; i < 8; i++) {
        spv_block_ref block = {.height = 5, .hash = {{5}}};
        uint32_t position = 8 - i;
        paper p = {.nonce = i};

        paper_spend(&p, stranger_coin(i));
        paper_pay_to(&p, w, 0, 0, position);
        assert_int_equal(
            spv__wallet_apply(w, &block, paper_seal(&p), &position, 1, NULL),
            SPV_OK);
        paper_clear(&p);
    }
    assert_int_equal(spv__wallet_coins(w, 5, &coins, &n), SPV_OK);
    assert_int_equal(spv__wallet_history(w, &txs, &n_txs), SPV_OK);
    assert_int_equal(n, 8);
    for (uint32_t i = 0; i < 8; i++) {
        assert_int_equal(coins[i].amount, i + 1);
        assert_true(spv_hash_equal(&coins[i].outpoint.txid, &txs[i].txid));
    }
    free(coins);
    free(txs);
    spv__wallet_free(w);
}

static void a_coin_that_is_being_spent_stays_in_the_list_but_not_spendable(
    void **state)
{
    spv_wallet *w = world_open(20, 10);
    paper receipt = {0};
    paper spend = {0};
    spv_coin *coins = NULL;
    size_t n = 0;
    bool kept = false;

    (void)state;
    paper_spend(&receipt, stranger_coin(0));
    paper_pay_to(&receipt, w, 0, 0, 100);
    world_apply(w, 1, paper_seal(&receipt));
    paper_spend(&spend, paper_out(&receipt, 0));
    paper_pay_to(&spend, w, 1, 0, 60);
    paper_seal(&spend);
    assert_int_equal(spv__wallet_add_unconfirmed(w, &spend.tx, 1, &kept),
                     SPV_OK);
    assert_int_equal(spv__wallet_coins(w, 1, &coins, &n), SPV_OK);
    assert_int_equal(n, 2);
    assert_int_equal(coins[0].height, 1);
    assert_false(coins[0].spendable);
    assert_int_equal(coins[1].height, SPV_NO_HEIGHT);
    assert_false(coins[1].spendable);
    assert_balance(w, 1, 100, -40, 0);
    free(coins);
    paper_clear(&receipt);
    paper_clear(&spend);
    spv__wallet_free(w);
}

/* ---- History ---- */

static void net_and_fee_say_what_a_transaction_did(void **state)
{
    spv_wallet *w = world_open(20, 10);
    paper receipt = {0};
    paper own = {.nonce = 1};
    paper joint = {.nonce = 2};
    spv_wallet_tx tx;

    (void)state;
    paper_spend(&receipt, stranger_coin(0));
    paper_pay_to(&receipt, w, 0, 0, 1000);
    paper_pay_to(&receipt, w, 0, 1, 500);
    paper_pay_stranger(&receipt, 1, 77);
    world_apply(w, 1, paper_seal(&receipt));
    paper_spend(&own, paper_out(&receipt, 0));
    paper_pay_stranger(&own, 2, 600);
    paper_pay_to(&own, w, 1, 0, 390);
    world_apply(w, 2, paper_seal(&own));
    paper_spend(&joint, paper_out(&receipt, 1));
    paper_spend(&joint, stranger_coin(9));
    paper_pay_to(&joint, w, 1, 1, 450);
    world_apply(w, 3, paper_seal(&joint));

    assert_int_equal(spv__wallet_tx(w, &receipt.tx.txid, &tx), SPV_OK);
    assert_int_equal(tx.net, 1500);
    assert_true(tx.fee == SPV_NO_FEE);
    assert_int_equal(tx.block_time, 1600000600);
    assert_int_equal(tx.len, receipt.tx.len);
    assert_memory_equal(tx.bytes, receipt.tx.bytes, tx.len);
    assert_int_equal(spv__wallet_tx(w, &own.tx.txid, &tx), SPV_OK);
    assert_int_equal(tx.net, -610);
    assert_int_equal(tx.fee, 10);
    assert_int_equal(spv__wallet_tx(w, &joint.tx.txid, &tx), SPV_OK);
    assert_int_equal(tx.net, -50);
    assert_true(tx.fee == SPV_NO_FEE);
    paper_clear(&receipt);
    paper_clear(&own);
    paper_clear(&joint);
    spv__wallet_free(w);
}

static void history_follows_the_chain_and_ends_with_what_is_outside(
    void **state)
{
    /* In the order told; position 0 of height SPV_NO_HEIGHT: seen at. */
    static const struct {
        int32_t height;
        uint32_t position;
    } told[] = {{5, 3}, {-1, 70}, {2, 9}, {5, 1}, {-1, 60}, {1, 4}};
    static const size_t want[] = {5, 2, 3, 0, 4, 1};
    spv_wallet *w = world_open(20, 10);
    spv_hash ids[6];
    spv_wallet_tx *txs = NULL;
    size_t n = 0;

    (void)state;
    for (uint32_t i = 0; i < 6; i++) {
        spv_block_ref block = block_at(told[i].height, 0);
        paper p = {.nonce = i};
        bool kept = false;

        paper_spend(&p, stranger_coin(i));
        paper_pay_to(&p, w, 0, 0, 10);
        ids[i] = paper_seal(&p)->txid;
        if (told[i].height == SPV_NO_HEIGHT)
            assert_int_equal(
                spv__wallet_add_unconfirmed(w, &p.tx, told[i].position, &kept),
                SPV_OK);
        else
            assert_int_equal(
                spv__wallet_apply(w, &block, &p.tx, &told[i].position, 1, NULL),
                SPV_OK);
        paper_clear(&p);
    }
    assert_int_equal(spv__wallet_history(w, &txs, &n), SPV_OK);
    assert_int_equal(n, 6);
    for (size_t i = 0; i < 6; i++)
        assert_memory_equal(&txs[i].txid, &ids[want[i]], 32);
    free(txs);
    spv__wallet_free(w);
}

static void rivals_name_each_other_and_strangers_stay_out_of_the_history(
    void **state)
{
    spv_wallet *w = world_open(20, 10);
    paper ours = {.nonce = 1};
    paper theirs = {.nonce = 2};
    spv_hash *ids = NULL;
    spv_wallet_tx *txs = NULL;
    size_t n = 0;
    bool kept = false;

    (void)state;
    for (uint32_t i = 0; i < 2; i++) { /* they meet twice: named once */
        paper_spend(&ours, stranger_coin(i));
        paper_spend(&theirs, stranger_coin(i));
    }
    paper_pay_to(&ours, w, 0, 0, 10);
    paper_pay_stranger(&theirs, 1, 10);
    paper_seal(&ours);
    paper_seal(&theirs);
    assert_int_equal(spv__wallet_add_unconfirmed(w, &ours.tx, 1, &kept),
                     SPV_OK);
    assert_int_equal(spv__wallet_conflicts(w, &ours.tx.txid, &ids, &n), SPV_OK);
    assert_int_equal(n, 0);
    assert_null(ids);
    world_apply(w, 1, &theirs.tx);
    assert_int_equal(spv__wallet_conflicts(w, &ours.tx.txid, &ids, &n), SPV_OK);
    assert_int_equal(n, 1);
    assert_memory_equal(&ids[0], &theirs.tx.txid, 32);
    free(ids);
    assert_int_equal(spv__wallet_history(w, &txs, &n), SPV_OK);
    assert_int_equal(n, 1);
    assert_int_equal(spv__wallet_tx_count(w), 1);
    assert_int_equal(txs[0].state, SPV_TX_CONFLICTED);
    free(txs);
    assert_int_equal(spv__wallet_conflicts(w, &(spv_hash){{1}}, &ids, &n),
                     SPV_NOT_FOUND);
    paper_clear(&ours);
    paper_clear(&theirs);
    spv__wallet_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_state_has_its_word),
        cmocka_unit_test(a_coinbase_matures_under_a_hundred_blocks),
        cmocka_unit_test(coins_are_listed_oldest_first_with_what_they_pay),
        cmocka_unit_test(coins_of_a_block_are_listed_in_its_order),
        cmocka_unit_test(
            a_coin_that_is_being_spent_stays_in_the_list_but_not_spendable),
        cmocka_unit_test(net_and_fee_say_what_a_transaction_did),
        cmocka_unit_test(
            history_follows_the_chain_and_ends_with_what_is_outside),
        cmocka_unit_test(
            rivals_name_each_other_and_strangers_stay_out_of_the_history),
    };

    return cmocka_run_group_tests_name("wallet.views", tests, NULL, NULL);
}
