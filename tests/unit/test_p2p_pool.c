#include "cmocka_all.h"

#include "p2p/pool.h"

static void reads_hosts_and_ports(void **state)
{
    static const struct {
        const char *text;
        spv_err want;
        const char *host;
        uint16_t port;
    } cases[] = {
        {"127.0.0.1", SPV_OK, "", 18444},
        {"127.0.0.1:9000", SPV_OK, "", 9000},
        {"[::1]:9000", SPV_OK, "", 9000},
        {"node.example", SPV_OK, "node.example", 18444},
        {"node.example:77", SPV_OK, "node.example", 77},
        {"", SPV_INVAL, "", 0},
        {":77", SPV_INVAL, "", 0},
        {"node.example:", SPV_INVAL, "", 0},
        {"node.example:0", SPV_INVAL, "", 0},
        {"node.example:65536", SPV_INVAL, "", 0},
        {"node.example:12x", SPV_INVAL, "", 0},
        {"node.example:-1", SPV_INVAL, "", 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        spv_pool pool = {0};

        assert_int_equal(spv__pool_add(&pool, cases[i].text, 18444),
                         cases[i].want);
        assert_int_equal(pool.n, cases[i].want == SPV_OK);
        if (cases[i].want != SPV_OK)
            continue;
        assert_string_equal(pool.item[0].host, cases[i].host);
        assert_int_equal(pool.item[0].addr.port, cases[i].port);
        assert_int_equal(pool.item[0].resolved, cases[i].host[0] == '\0');
    }
}

/** Others take the place of one that was only found. */
static void gives_up_at_once_what_nobody_named(void **state)
{
    spv_pool pool = {.n = 1};

    (void)state;
    pool.item[0].found = true;
    spv__pool_failed(&pool.item[0], SPV_IO, "cannot be reached", 1, 1000);
    assert_int_equal(pool.item[0].state, SPV_CANDIDATE_GIVEN_UP);
}

static void waits_longer_after_each_failure_then_gives_up(void **state)
{
    spv_pool pool = {0};
    spv_candidate *c = &pool.item[0];
    spv_time wait = SPV__POOL_FIRST_WAIT_MS;

    (void)state;
    assert_int_equal(spv__pool_add(&pool, "127.0.0.1", 1), SPV_OK);
    for (int i = 1; i < SPV__POOL_TRIES; i++, wait *= 2) {
        spv__pool_failed(c, SPV_IO, "cannot be reached", (uint64_t)i, 1000);
        assert_int_equal(c->state, SPV_CANDIDATE_IDLE);
        assert_in_range(c->retry_at - 1000, wait, wait + wait / 2);
        assert_int_equal(spv__pool_deadline(&pool), c->retry_at);
    }
    assert_false(spv__pool_is_exhausted(&pool));
    spv__pool_failed(c, SPV_IO, "cannot be reached", 0, 1000);
    assert_true(spv__pool_is_exhausted(&pool));
    assert_true(spv__pool_deadline(&pool) == SPV_NEVER);
}

static void one_that_is_tried_for_ever_waits_at_most_a_minute(void **state)
{
    spv_pool pool = {0};
    spv_candidate *c = &pool.item[0];

    (void)state;
    assert_int_equal(spv__pool_add(&pool, "127.0.0.1", 1), SPV_OK);
    c->for_ever = true;
    for (unsigned i = 1; i < 1000; i++) {
        spv__pool_failed(c, SPV_IO, "cannot be reached", i, 1000);
        assert_int_equal(c->state, SPV_CANDIDATE_IDLE);
        if (i > 7)
            assert_in_range(c->retry_at - 1000, SPV__POOL_LAST_WAIT_MS,
                            SPV__POOL_LAST_WAIT_MS * 3 / 2);
    }
    spv__pool_failed(c, SPV_PROTOCOL, "lied", 0, 1000);
    assert_int_equal(c->state, SPV_CANDIDATE_GIVEN_UP);
}

static void progress_forgives_earlier_failures(void **state)
{
    spv_pool pool = {0};

    (void)state;
    assert_int_equal(spv__pool_add(&pool, "127.0.0.1", 1), SPV_OK);
    for (int i = 0; i < 20; i++) {
        spv__pool_failed(&pool.item[0], SPV_IO, "hung up", 0, i);
        assert_int_equal(pool.item[0].state, SPV_CANDIDATE_IDLE);
        spv__pool_progress(&pool.item[0]);
    }
}

static void a_liar_is_given_up_at_once_and_named_first(void **state)
{
    spv_pool pool = {0};

    (void)state;
    for (int i = 0; i < 3; i++)
        assert_int_equal(spv__pool_add(&pool, "127.0.0.1", 1), SPV_OK);
    spv__pool_failed(&pool.item[0], SPV_IO, "cannot be reached", 0, 1);
    spv__pool_failed(&pool.item[1], SPV_PROTOCOL, "lied", 0, 1);
    spv__pool_failed(&pool.item[2], SPV_NO_PEER, "has no filters", 0, 1);
    assert_int_equal(pool.item[1].state, SPV_CANDIDATE_GIVEN_UP);
    assert_int_equal(pool.item[2].state, SPV_CANDIDATE_GIVEN_UP);
    assert_ptr_equal(spv__pool_worst(&pool), &pool.item[1]);
    assert_true(spv__pool_all_tried(&pool));
}

static void one_that_lacks_the_chain_may_have_it_later(void **state)
{
    spv_pool pool = {0};

    (void)state;
    for (int i = 0; i < 2; i++)
        assert_int_equal(spv__pool_add(&pool, "127.0.0.1", 1), SPV_OK);
    pool.item[1].for_ever = true;
    for (int i = 0; i < 2; i++)
        spv__pool_failed(&pool.item[i], SPV_NOT_FOUND, "lacks it", 0, 1);
    assert_int_equal(pool.item[0].state, SPV_CANDIDATE_GIVEN_UP);
    assert_int_equal(pool.item[1].state, SPV_CANDIDATE_IDLE);
    assert_true(pool.item[1].retry_at > 1);
}

static void there_is_room_for_so_many_and_no_more(void **state)
{
    spv_pool pool = {0};

    (void)state;
    for (int i = 0; i < SPV__POOL_MAX; i++)
        assert_int_equal(spv__pool_add(&pool, "127.0.0.1", 1), SPV_OK);
    assert_int_equal(spv__pool_add(&pool, "127.0.0.1", 1), SPV_LIMIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_hosts_and_ports),
        cmocka_unit_test(gives_up_at_once_what_nobody_named),
        cmocka_unit_test(waits_longer_after_each_failure_then_gives_up),
        cmocka_unit_test(one_that_is_tried_for_ever_waits_at_most_a_minute),
        cmocka_unit_test(one_that_lacks_the_chain_may_have_it_later),
        cmocka_unit_test(progress_forgives_earlier_failures),
        cmocka_unit_test(a_liar_is_given_up_at_once_and_named_first),
        cmocka_unit_test(there_is_room_for_so_many_and_no_more),
    };

    return cmocka_run_group_tests_name("p2p.pool", tests, NULL, NULL);
}
