#include "wallet_world.h"

/*
 * What there is to tell of transactions, and that it is told once.
 */
enum { PEER_A = 3, PEER_B = 31 };

typedef struct scene {
    spv_wallet *w;
    paper pay;   /* pays us 10,000 */
    paper rival; /* spends the same stranger's coin, and pays us 9,000 */
} scene;

static scene scene_begin(void)
{
    scene s = {.w = world_open(20, 20)};

    world_watch(s.w, WORLD_RANGED, 0);
    paper_spend(&s.pay, stranger_coin(1));
    paper_pay_to(&s.pay, s.w, 0, 0, 10000);
    paper_seal(&s.pay);
    paper_spend(&s.rival, stranger_coin(1));
    paper_pay_to(&s.rival, s.w, 0, 0, 9000);
    paper_seal(&s.rival);
    return s;
}

static void scene_end(scene *s)
{
    spv__wallet_free(s->w);
    paper_clear(&s->pay);
    paper_clear(&s->rival);
}

static void see(scene *s, paper *p, int64_t time)
{
    bool kept = false;

    assert_int_equal(spv__wallet_add_unconfirmed(s->w, &p->tx, time, &kept),
                     SPV_OK);
    assert_true(kept);
}

static void mine(scene *s, paper *p, int32_t height)
{
    spv_block_ref block = {.height = height, .hash = {{(uint8_t)height}}};

    assert_int_equal(spv__wallet_apply(s->w, &block, &p->tx, NULL, 1, NULL),
                     SPV_OK);
}

static void assert_news(scene *s, const paper *p, spv_tx_state state,
                        uint32_t seen_by)
{
    spv_wallet_news news;

    assert_true(spv__wallet_next_news(s->w, &news));
    assert_true(spv_hash_equal(&news.tx.txid, &p->tx.txid));
    assert_int_equal(news.tx.state, state);
    assert_int_equal(news.tx.seen_by, seen_by);
}

static void assert_no_news(scene *s)
{
    spv_wallet_news news;

    assert_false(spv__wallet_next_news(s->w, &news));
}

static void every_change_is_told_once(void **state)
{
    scene s = scene_begin();

    (void)state;
    assert_no_news(&s);
    see(&s, &s.pay, 100);
    assert_news(&s, &s.pay, SPV_TX_UNCONFIRMED, 0);
    assert_no_news(&s);
    see(&s, &s.pay, 200);
    assert_no_news(&s);
    mine(&s, &s.pay, 5);
    assert_news(&s, &s.pay, SPV_TX_CONFIRMED, 0);
    mine(&s, &s.pay, 5);
    assert_no_news(&s);
    assert_int_equal(spv__wallet_undo(s.w, 5), SPV_OK);
    assert_news(&s, &s.pay, SPV_TX_UNCONFIRMED, 0);
    mine(&s, &s.pay, 6);
    assert_news(&s, &s.pay, SPV_TX_CONFIRMED, 0);
    assert_no_news(&s);
    scene_end(&s);
}

static void what_came_and_went_in_between_is_no_news(void **state)
{
    scene s = scene_begin();

    (void)state;
    mine(&s, &s.pay, 5);
    assert_news(&s, &s.pay, SPV_TX_CONFIRMED, 0);
    assert_int_equal(spv__wallet_undo(s.w, 5), SPV_OK);
    mine(&s, &s.pay, 5);
    assert_no_news(&s);
    scene_end(&s);
}

static void both_of_two_that_compete_are_told(void **state)
{
    scene s = scene_begin();

    (void)state;
    see(&s, &s.pay, 100);
    see(&s, &s.rival, 100);
    assert_news(&s, &s.pay, SPV_TX_REPLACED, 0);
    assert_news(&s, &s.rival, SPV_TX_UNCONFIRMED, 0);
    mine(&s, &s.pay, 5);
    assert_news(&s, &s.pay, SPV_TX_CONFIRMED, 0);
    assert_news(&s, &s.rival, SPV_TX_CONFLICTED, 0);
    assert_no_news(&s);
    scene_end(&s);
}

/* Told one by one while more comes: nothing is lost, and nothing runs over. */
static void news_may_come_while_news_are_told(void **state)
{
    scene s = scene_begin();
    spv_wallet_news news;
    spv_tx_state last[2] = {SPV_TX_UNCONFIRMED, SPV_TX_UNCONFIRMED};

    (void)state;
    see(&s, &s.pay, 100);
    see(&s, &s.rival, 100);
    for (int32_t height = 1; height < 100; height += 2) {
        mine(&s, &s.pay, height);
        mine(&s, &s.rival, height + 1);
        assert_true(spv__wallet_next_news(s.w, &news));
        last[spv_hash_equal(&news.tx.txid, &s.rival.tx.txid)] = news.tx.state;
    }
    while (spv__wallet_next_news(s.w, &news))
        last[spv_hash_equal(&news.tx.txid, &s.rival.tx.txid)] = news.tx.state;
    assert_int_equal(last[0], SPV_TX_CONFLICTED);
    assert_int_equal(last[1], SPV_TX_CONFIRMED);
    scene_end(&s);
}

static void peers_are_counted_while_it_is_unconfirmed(void **state)
{
    scene s = scene_begin();

    (void)state;
    spv__wallet_announced(s.w, &s.pay.tx.txid, PEER_A); /* not known */
    assert_no_news(&s);
    see(&s, &s.pay, 100);
    spv__wallet_announced(s.w, &s.pay.tx.txid, PEER_A);
    assert_news(&s, &s.pay, SPV_TX_UNCONFIRMED, 1);
    spv__wallet_announced(s.w, &s.pay.tx.txid, PEER_A);
    assert_no_news(&s);
    spv__wallet_announced(s.w, &s.pay.tx.txid, PEER_B);
    assert_news(&s, &s.pay, SPV_TX_UNCONFIRMED, 2);
    mine(&s, &s.pay, 5);
    assert_news(&s, &s.pay, SPV_TX_CONFIRMED, 2);
    spv__wallet_announced(s.w, &s.pay.tx.txid, 0);
    assert_no_news(&s);
    assert_int_equal(spv__wallet_undo(s.w, 5), SPV_OK);
    spv__wallet_begin_news(s.w);
    assert_no_news(&s);
    spv__wallet_announced(s.w, &s.pay.tx.txid, 0);
    assert_news(&s, &s.pay, SPV_TX_UNCONFIRMED, 1);
    scene_end(&s);
}

static void what_waits_too_long_expires_and_may_come_back(void **state)
{
    scene s = scene_begin();

    (void)state;
    see(&s, &s.pay, 100);
    assert_balance(s.w, 1, 0, 10000, 0);
    assert_false(spv__wallet_expire(s.w, 100));
    assert_true(spv__wallet_expire(s.w, 101));
    assert_false(spv__wallet_expire(s.w, 101));
    assert_balance(s.w, 1, 0, 0, 0);
    assert_news(&s, &s.pay, SPV_TX_ABANDONED, 0);
    see(&s, &s.pay, 150);
    assert_news(&s, &s.pay, SPV_TX_UNCONFIRMED, 0);
    assert_false(spv__wallet_expire(s.w, 101)); /* it begins anew */
    mine(&s, &s.pay, 5);
    assert_false(spv__wallet_expire(s.w, 1000));
    assert_news(&s, &s.pay, SPV_TX_CONFIRMED, 0);
    scene_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_change_is_told_once),
        cmocka_unit_test(what_came_and_went_in_between_is_no_news),
        cmocka_unit_test(both_of_two_that_compete_are_told),
        cmocka_unit_test(news_may_come_while_news_are_told),
        cmocka_unit_test(peers_are_counted_while_it_is_unconfirmed),
        cmocka_unit_test(what_waits_too_long_expires_and_may_come_back),
    };

    return cmocka_run_group_tests_name("wallet.news", tests, NULL, NULL);
}
