#include "wallet_world.h"

#include "wallet/watch.h"

/* ---- Windows ---- */

static spv_branch branch_of(const spv_wallet *w, size_t i)
{
    spv_branch b;

    spv__wallet_branch(w, i, &b);
    return b;
}

static void receive(spv_wallet *w, size_t branch, uint32_t index)
{
    paper p = {.nonce = index};

    paper_spend(&p, stranger_coin(1000 + index));
    paper_pay_to(&p, w, branch, index, 1000);
    assert_int_equal(spv__wallet_foresee(w, paper_seal(&p), 1), SPV_OK);
    paper_clear(&p);
}

static void a_gap_outside_its_bounds_is_refused(void **state)
{
    static const struct {
        uint32_t gap;
        spv_err want;
    } cases[] = {{0, SPV_INVAL},  {1, SPV_OK},        {20, SPV_OK},
                 {10000, SPV_OK}, {10001, SPV_INVAL}, {UINT32_MAX, SPV_INVAL}};
    spv_wallet *w = world_open(20, 0);

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(spv__wallet_set_gap(w, cases[i].gap, 100),
                         cases[i].want);
    spv__wallet_free(w);
}

static void a_fresh_wallet_watches_gap_and_lookahead_on_both_branches(
    void **state)
{
    spv_wallet *w = world_open(20, 100);

    (void)state;
    assert_int_equal(spv__wallet_branch_count(w), 2);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(branch_of(w, i).window, 20);
        assert_int_equal(branch_of(w, i).derived, 120);
        assert_int_equal(branch_of(w, i).change, i == 1);
    }
    assert_int_equal(spv__wallet_element_count(w), 240);
    assert_int_equal(spv__wallet_needed(w), 40); /* windows come first */
    spv__wallet_free(w);
}

static void a_payment_moves_the_window_behind_it(void **state)
{
    static const struct {
        uint32_t index;
        uint32_t window;
        uint32_t derived;
    } steps[] = {
        {0, 21, 120},  {19, 40, 120},
        {5, 40, 120},  {39, 60, 120}, /* 60 left, over half the lookahead */
        {59, 80, 180},                /* 40 left: derived to 80 + 100 */
    };
    spv_wallet *w = world_open(20, 100);

    (void)state;
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        receive(w, 0, steps[i].index);
        assert_int_equal(branch_of(w, 0).window, steps[i].window);
        assert_int_equal(branch_of(w, 0).derived, steps[i].derived);
        assert_int_equal(branch_of(w, 1).window, 20);
    }
    spv__wallet_free(w);
}

static void a_key_beyond_the_window_is_known_but_not_open(void **state)
{
    spv_wallet *w = world_open(20, 100);
    spv_watched at;
    spv_watched found;

    (void)state;
    assert_int_equal(spv__wallet_watched(w, 0, 20, &at), SPV_OK);
    assert_int_equal(
        spv__wallet_find_script(w, at.script, at.script_len, &found),
        SPV_NOT_FOUND);
    receive(w, 0, 20);
    assert_int_equal(branch_of(w, 0).window, 20);
    receive(w, 0, 0);
    assert_int_equal(spv__wallet_watched(w, 0, 20, &at), SPV_OK);
    assert_int_equal(
        spv__wallet_find_script(w, at.script, at.script_len, &found), SPV_OK);
    assert_int_equal(found.index, 20);
    assert_false(found.used);
    spv__wallet_free(w);
}

static void needed_is_where_the_last_open_key_lies_in_the_log(void **state)
{
    spv_wallet *w = world_open(20, 100);
    spv_branch b;
    spv_watched last;
    spv_element e;

    (void)state;
    receive(w, 1, 19);
    b = branch_of(w, 1);
    assert_int_equal(spv__wallet_watched(w, 1, b.window - 1, &last), SPV_OK);
    spv__wallet_element(w, spv__wallet_needed(w) - 1, &e);
    assert_memory_equal(e.bytes, last.script + 2, 20);
    spv__wallet_free(w);
}

static void one_script_in_two_branches_is_paid_in_both(void **state)
{
    static const char *const orders[][2] = {{WORLD_FIRST, WORLD_RANGED},
                                            {WORLD_RANGED, WORLD_FIRST}};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        spv_wallet *w = spv__wallet_new(spv_network_get(SPV_MAIN));
        size_t ranged = i == 0 ? 1 : 0;
        size_t single = i == 0 ? 0 : 2;

        world_watch(w, orders[i][0], 0);
        world_watch(w, orders[i][1], 1);
        assert_int_equal(spv__wallet_derive(w), SPV_OK);
        assert_int_equal(spv__wallet_element_count(w), 240);
        receive(w, single, 0);
        assert_int_equal(branch_of(w, single).used, 1);
        assert_int_equal(branch_of(w, ranged).used, 1);
        assert_int_equal(branch_of(w, ranged).window, 21);
        spv__wallet_free(w);
    }
}

static void a_branch_added_later_knows_that_its_script_was_paid(void **state)
{
    spv_wallet *w = spv__wallet_new(spv_network_get(SPV_MAIN));

    (void)state;
    world_watch(w, WORLD_FIRST, 0);
    assert_int_equal(spv__wallet_derive(w), SPV_OK);
    receive(w, 0, 0);
    world_watch(w, WORLD_RANGED, 1);
    assert_int_equal(spv__wallet_derive(w), SPV_OK);
    assert_int_equal(branch_of(w, 1).used, 1);
    assert_true(branch_of(w, 1).derived >= 21);
    spv__wallet_free(w);
}

/* ---- Giving out ---- */

static uint32_t give(spv_wallet *w, bool fresh)
{
    spv_watched out;

    assert_int_equal(spv__wallet_give(w, 0, fresh, &out), SPV_OK);
    assert_false(out.used);
    return out.index;
}

static void an_address_stays_the_next_until_it_is_used(void **state)
{
    spv_wallet *w = world_open(20, 100);

    (void)state;
    assert_int_equal(give(w, false), 0);
    assert_int_equal(give(w, false), 0);
    assert_int_equal(give(w, true), 1);
    assert_int_equal(give(w, true), 2);
    assert_int_equal(give(w, false), 2);
    receive(w, 0, 0);
    assert_int_equal(give(w, false), 2);
    receive(w, 0, 7);
    assert_int_equal(give(w, false), 8);
    spv__wallet_free(w);
}

static void fresh_addresses_end_at_the_gap(void **state)
{
    spv_wallet *w = world_open(20, 100);
    spv_watched out;

    (void)state;
    for (uint32_t i = 0; i < 20; i++)
        assert_int_equal(give(w, true), i);
    assert_int_equal(spv__wallet_give(w, 0, true, &out), SPV_LIMIT);
    assert_int_equal(give(w, false), 19);
    receive(w, 0, 3);
    assert_int_equal(give(w, true), 20);
    spv__wallet_free(w);
}

static void a_branch_without_range_gives_nothing_out(void **state)
{
    spv_wallet *w = spv__wallet_new(spv_network_get(SPV_MAIN));
    spv_watched out;

    (void)state;
    world_watch(w, WORLD_FIRST, 0);
    assert_int_equal(spv__wallet_derive(w), SPV_OK);
    assert_int_equal(spv__wallet_give(w, 0, true, &out), SPV_INVAL);
    assert_int_equal(spv__wallet_give(w, 1, true, &out), SPV_INVAL);
    spv__wallet_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gap_outside_its_bounds_is_refused),
        cmocka_unit_test(
            a_fresh_wallet_watches_gap_and_lookahead_on_both_branches),
        cmocka_unit_test(a_payment_moves_the_window_behind_it),
        cmocka_unit_test(a_key_beyond_the_window_is_known_but_not_open),
        cmocka_unit_test(needed_is_where_the_last_open_key_lies_in_the_log),
        cmocka_unit_test(one_script_in_two_branches_is_paid_in_both),
        cmocka_unit_test(a_branch_added_later_knows_that_its_script_was_paid),
        cmocka_unit_test(an_address_stays_the_next_until_it_is_used),
        cmocka_unit_test(fresh_addresses_end_at_the_gap),
        cmocka_unit_test(a_branch_without_range_gives_nothing_out),
    };

    return cmocka_run_group_tests_name("wallet.watch", tests, NULL, NULL);
}
