#include "cmocka_all.h"

#include <string.h>

#include "p2p/search.h"
#include "wire/message.h"
#include "wire/netaddr.h"

enum { NOW = 1800000000, BEGAN = 1000 };

static const char *const hosts[] = {"a.example", "b.example"};
static const char *const nodes[] = {"5.1.0.1", "5.2.0.1"};
static const spv_seeds seeds = {
    .hosts = hosts, .n_hosts = 2, .nodes = nodes, .n_nodes = 2};

/* How it may stand. */
static const spv_search_state nobody = {0};
static const spv_search_state one_coming = {
    .coming = 1, .hope = true, .any = true};
static const spv_search_state one_useless = {.any = true};
static const spv_search_state one_good = {.good = 1};
static const spv_search_state two_good = {.good = 2};

static spv_book book;
static spv_search search;

static int begin(void **state)
{
    (void)state;
    book = (spv_book){0};
    spv__search_init(&search, &book, &seeds, 8333, 1);
    return 0;
}

static int end(void **state)
{
    (void)state;
    spv__book_clear(&book);
    return 0;
}

static void step(const spv_search_state *state, spv_time now)
{
    spv__search_step(&search, state, false, NOW, now);
}

/** The names that are asked now, the first as `conn`; their number. */
static size_t ask(spv_conn conn, char text[][80])
{
    spv_out out;
    size_t n = 0;

    while (spv__search_next_name(&search, &out, conn + n)) {
        assert_int_equal(out.kind, SPV_OUT_RESOLVE);
        assert_int_equal(out.addr.port, 8333);
        memcpy(text[n], out.bytes, out.len);
        text[n++][out.len] = '\0';
    }
    return n;
}

static void answer(spv_conn conn, const char *text)
{
    spv_netaddr addr;

    assert_int_equal(spv__netaddr_parse(&addr, text ? text : "1.1.1.1", 8333),
                     SPV_OK);
    assert_true(spv__search_resolved(&search, conn, &addr, text ? 1 : 0, NOW));
}

static void names_are_asked_all_at_once_when_nobody_is_known(void **state)
{
    char text[4][80];

    (void)state;
    assert_int_equal(ask(1, text), 0);
    step(&nobody, BEGAN);
    assert_int_equal(ask(1, text), 2);
    assert_string_equal(text[0], "x5.a.example");
    assert_string_equal(text[1], "x5.b.example");
    assert_int_equal(ask(3, text), 0);
    assert_false(search.over);
}

/** Those who are asked by it are said to have the bits. */
static void a_name_that_knows_no_bits_is_asked_without(void **state)
{
    char text[4][80];

    (void)state;
    step(&nobody, BEGAN);
    assert_int_equal(ask(1, text), 2);
    answer(1, NULL);
    answer(2, "5.6.0.1");
    assert_false(spv__search_resolved(&search, 2, NULL, 0, NOW));
    assert_int_equal(ask(7, text), 1);
    assert_string_equal(text[0], "a.example");
    answer(7, "5.7.0.1");
    assert_int_equal(book.n, 2);
    assert_int_equal(book.item[0].services,
                     SPV__NODE_NETWORK | SPV__NODE_BLOOM);
    assert_int_equal(book.item[1].services, 0);
    assert_int_equal(ask(9, text), 0);
}

static void dns_is_not_asked_while_others_do_well(void **state)
{
    static const struct {
        const spv_search_state *state;
        bool at_once; /* is asked */
        bool later;
    } cases[] = {
        {&nobody, true, true},      {&one_useless, true, true},
        {&one_coming, false, true}, {&one_good, true, true},
        {&two_good, false, false},
    };
    char text[4][80];

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        (void)begin(state);
        step(cases[i].state, BEGAN);
        assert_int_equal(ask(1, text) > 0, cases[i].at_once);
        step(cases[i].state, BEGAN + SPV__SEARCH_PATIENCE_MS);
        assert_int_equal(search.asked_at > 0, cases[i].later);
    }
}

static void the_own_list_comes_last(void **state)
{
    char text[4][80];

    (void)state;
    step(&nobody, BEGAN);
    assert_int_equal(ask(1, text), 2);
    answer(1, NULL);
    step(&nobody, BEGAN + 10);
    assert_int_equal(book.n, 0);
    assert_int_equal(ask(3, text), 1);
    answer(2, NULL);
    answer(3, NULL);
    assert_int_equal(ask(4, text), 1);
    answer(4, NULL);
    step(&nobody, BEGAN + 20);
    assert_int_equal(book.n, 2);
    assert_false(search.over);
    step(&nobody, BEGAN + 30);
    assert_true(search.over);
}

/** Names that say nothing are not waited for without end. */
static void silence_has_its_time(void **state)
{
    char text[4][80];

    (void)state;
    step(&nobody, BEGAN);
    assert_int_equal(ask(1, text), 2);
    step(&one_useless, BEGAN + SPV__SEARCH_DNS_MS - 1);
    assert_int_equal(book.n, 0);
    step(&one_useless, BEGAN + SPV__SEARCH_DNS_MS);
    assert_int_equal(book.n, 2);
}

static void one_that_stays_begins_anew(void **state)
{
    spv_time now = BEGAN;
    char text[4][80];

    (void)state;
    for (int i = 0; i < 3; i++) {
        spv_time rest = (spv_time)SPV__SEARCH_ANEW_MS << i;

        spv__search_step(&search, &nobody, true, NOW, now);
        assert_int_equal(ask(1, text), 2);
        answer(1, NULL);
        answer(2, NULL);
        assert_int_equal(ask(1, text), 2);
        answer(1, NULL);
        answer(2, NULL);
        spv__search_step(&search, &nobody, true, NOW, now);
        spv__search_step(&search, &nobody, true, NOW, now + rest - 1);
        assert_true(search.in_vain);
        assert_false(search.over);
        assert_true(search.asked_at > 0);
        now += rest;
        spv__search_step(&search, &nobody, true, NOW, now);
        assert_true(search.asked_at == 0);
    }
}

static void lost_peers_may_come_back(void **state)
{
    (void)state;
    search.seeds = spv__seeds_get(SPV_REGTEST);
    step(&one_good, BEGAN);
    step(&nobody, BEGAN + 1);
    step(&nobody, BEGAN + SPV__SEARCH_LOST_MS - 1);
    assert_false(search.over);
    step(&nobody, BEGAN + SPV__SEARCH_LOST_MS);
    assert_true(search.over);
}

static void it_is_settled_when_nobody_more_will_come_soon(void **state)
{
    char text[4][80];

    (void)state;
    step(&one_good, BEGAN);
    assert_false(search.settled);
    assert_int_equal(ask(1, text), 2);
    answer(1, "5.6.0.1");
    answer(2, "5.7.0.1");
    step(&one_coming, BEGAN + 1);
    assert_false(search.settled);
    step(&one_good, BEGAN + 2);
    assert_true(search.settled);
}

int main(void)
{
#define SEARCH_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        SEARCH_TEST(names_are_asked_all_at_once_when_nobody_is_known),
        SEARCH_TEST(a_name_that_knows_no_bits_is_asked_without),
        SEARCH_TEST(dns_is_not_asked_while_others_do_well),
        SEARCH_TEST(the_own_list_comes_last),
        SEARCH_TEST(silence_has_its_time),
        SEARCH_TEST(one_that_stays_begins_anew),
        SEARCH_TEST(lost_peers_may_come_back),
        SEARCH_TEST(it_is_settled_when_nobody_more_will_come_soon),
    };

    return cmocka_run_group_tests_name("p2p.search", tests, NULL, NULL);
}
