#include "wallet_world.h"

#include "wallet/parts.h"

/*
 * What is announced and in no block: how much of it is believed.
 */
enum { LIAR, HONEST, OTHERS };
enum { ALONE = 250, ALL = 1000 };

/* `n_in` strangers' coins pay us `paid` times; `padding` outputs of 31 bytes
 * pay others. */
static paper invent(spv_wallet *w, uint32_t nonce, size_t n_in, size_t paid,
                    size_t padding)
{
    static const uint8_t script[22] = {0x00, 20, 0x5a};
    paper p = {.nonce = nonce};
    spv_watched to;

    assert_int_equal(spv__wallet_watched(w, 0, 0, &to), SPV_OK);
    spv__put_u32(&p.bytes, 2);
    spv__put_compact(&p.bytes, n_in);
    for (size_t i = 0; i < n_in; i++) {
        spv_outpoint prev = stranger_coin(nonce * 100 + (uint32_t)i);

        spv__put_hash(&p.bytes, &prev.txid);
        spv__put_u32(&p.bytes, prev.vout);
        spv__put_compact(&p.bytes, 0);
        spv__put_u32(&p.bytes, 0);
    }
    spv__put_compact(&p.bytes, paid + padding);
    for (size_t i = 0; i < paid + padding; i++) {
        spv__put_u64(&p.bytes, 1);
        if (i < paid)
            spv__put_var_bytes(&p.bytes, to.script, to.script_len);
        else
            spv__put_var_bytes(&p.bytes, script, sizeof(script));
    }
    spv__put_u32(&p.bytes, nonce);
    assert_int_equal(spv_tx_decode(&p.tx, p.bytes.bytes, p.bytes.len, NULL),
                     SPV_OK);
    return p;
}

static spv_welcome see(spv_wallet *w, const paper *p, unsigned peer)
{
    spv_welcome welcome = spv__wallet_welcome(w, &p->tx, peer);
    bool kept = false;

    if (welcome != SPV__WELCOME)
        return welcome;
    assert_int_equal(spv__wallet_add_unconfirmed(w, &p->tx, 1, &kept), SPV_OK);
    assert_true(kept);
    spv__wallet_announced(w, &p->tx.txid, peer);
    return welcome;
}

static spv_welcome see_invented(spv_wallet *w, uint32_t nonce, unsigned peer)
{
    paper p = invent(w, nonce, 1, 1, 0);
    spv_welcome welcome = see(w, &p, peer);

    paper_clear(&p);
    return welcome;
}

/* How many of a kind one peer gets in. */
static size_t fill(spv_wallet *w, size_t n_in, size_t paid, size_t padding)
{
    size_t n = 0;
    spv_welcome welcome = SPV__WELCOME;

    while (welcome == SPV__WELCOME && n < ALL) {
        paper p = invent(w, (uint32_t)n, n_in, paid, padding);

        welcome = see(w, &p, LIAR);
        n += welcome == SPV__WELCOME;
        paper_clear(&p);
    }
    return n;
}

static void what_no_node_relays_waits_for_its_block(void **state)
{
    static const struct {
        size_t paid;
        size_t padding;
        spv_welcome welcome;
    } cases[] = {
        {20, 0, SPV__WELCOME},       {21, 0, SPV__WELCOME_NOT},
        {0, 1, SPV__WELCOME_NOT},    {1, 3220, SPV__WELCOME},
        {1, 3224, SPV__WELCOME_NOT},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        spv_wallet *w = world_open(20, 20);
        paper p = invent(w, 1, 1, cases[i].paid, cases[i].padding);
        size_t length = spv__wallet_element_count(w);

        assert_int_equal(see(w, &p, LIAR), cases[i].welcome);
        if (cases[i].welcome != SPV__WELCOME)
            assert_int_equal(spv__wallet_element_count(w), length);
        world_apply(w, 1, &p.tx);
        assert_balance(w, 1, (int64_t)cases[i].paid, 0, 0);
        assert_int_equal(spv__wallet_welcome(w, &p.tx, LIAR),
                         cases[i].paid ? SPV__WELCOME : SPV__WELCOME_NOT);
        paper_clear(&p);
        spv__wallet_free(w);
    }
}

static void one_peer_alone_has_a_share_of_each_quota(void **state)
{
    static const struct {
        size_t n_in;
        size_t paid;
        size_t padding;
        size_t n;
    } cases[] = {
        {1, 1, 0, ALONE}, /* elements: two each */
        {10, 1, 0, 45},   /* eleven */
        {30, 20, 0, 13},  /* of the inputs sixteen count */
        {1, 1, 3200, 12}, /* 99,000 bytes */
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        spv_wallet *w = world_open(20, 20);
        size_t length = spv__wallet_element_count(w);

        assert_int_equal(
            fill(w, cases[i].n_in, cases[i].paid, cases[i].padding),
            cases[i].n);
        assert_true(spv__wallet_element_count(w) <= length + 500 + 1);
        spv__wallet_free(w);
    }
}

static void a_liar_leaves_room_for_what_others_announce(void **state)
{
    spv_wallet *w = world_open(20, 20);

    (void)state;
    (void)fill(w, 1, 1, 0);
    assert_int_equal(see_invented(w, 0, LIAR), SPV__WELCOME); /* known */
    assert_int_equal(see_invented(w, 5000, HONEST), SPV__WELCOME);
    assert_int_equal(see_invented(w, 5001, LIAR), SPV__WELCOME_NO_MORE);
    assert_int_equal(see_invented(w, 0, HONEST), SPV__WELCOME); /* two now */
    assert_int_equal(see_invented(w, 5001, LIAR), SPV__WELCOME);
    spv__wallet_free(w);
}

static void all_together_have_the_quota_and_a_block_gives_it_back(void **state)
{
    spv_wallet *w = world_open(20, 20);
    paper first = invent(w, 0, 1, 1, 0);
    uint32_t n = 0;

    (void)state;
    while (n < 2 * ALL && see_invented(w, n, n / ALONE) == SPV__WELCOME)
        n++;
    assert_int_equal(n, ALL);
    assert_int_equal(see_invented(w, n, OTHERS), SPV__WELCOME_NO_MORE);
    world_apply(w, 1, &first.tx);
    assert_int_equal(see_invented(w, n, 7), SPV__WELCOME);
    assert_int_equal(see_invented(w, n + 1, 7), SPV__WELCOME_NO_MORE);
    paper_clear(&first);
    spv__wallet_free(w);
}

/* How many that all spend one coin a liar gets in. */
static size_t fill_with_rivals(spv_wallet *w, bool pay)
{
    size_t n = 0;
    spv_welcome welcome = SPV__WELCOME;

    while (welcome == SPV__WELCOME && n < ALL) {
        paper p = {.nonce = (uint32_t)n};

        paper_spend(&p, stranger_coin(1));
        if (pay)
            paper_pay_to(&p, w, 0, 0, 700);
        else
            paper_pay_stranger(&p, 2, 700);
        paper_seal(&p);
        welcome = see(w, &p, LIAR);
        n += welcome == SPV__WELCOME;
        paper_clear(&p);
    }
    return n;
}

/* Each replaces the one before it. */
static void what_was_replaced_still_counts(void **state)
{
    spv_wallet *w = world_open(20, 20);

    (void)state;
    assert_int_equal(fill_with_rivals(w, true), ALONE);
    spv__wallet_free(w);
}

/* A rival that is not ours costs memory, too. */
static void what_a_block_stands_against_counts(void **state)
{
    (void)state;
    for (int pay = 0; pay < 2; pay++) {
        spv_wallet *w = world_open(20, 20);
        paper mined = {.nonce = 77777};

        paper_spend(&mined, stranger_coin(1));
        paper_pay_to(&mined, w, 0, 0, 700);
        world_apply(w, 1, paper_seal(&mined));
        assert_int_equal(fill_with_rivals(w, pay), ALONE);
        paper_clear(&mined);
        spv__wallet_free(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_no_node_relays_waits_for_its_block),
        cmocka_unit_test(one_peer_alone_has_a_share_of_each_quota),
        cmocka_unit_test(a_liar_leaves_room_for_what_others_announce),
        cmocka_unit_test(all_together_have_the_quota_and_a_block_gives_it_back),
        cmocka_unit_test(what_was_replaced_still_counts),
        cmocka_unit_test(what_a_block_stands_against_counts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
