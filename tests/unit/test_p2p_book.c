#include "cmocka_all.h"

#include "base/rng.h"
#include "p2p/book.h"
#include "p2p/reach.h"
#include "wire/message.h"
#include "wire/netaddr.h"

enum { NOW = 1800000000, DAY = 86400 };

static const uint64_t BLOOM = SPV__NODE_NETWORK | SPV__NODE_BLOOM;

static spv_rng chance;

static int begin(void **state)
{
    static spv_book book;

    chance = (spv_rng){1};
    book = (spv_book){0};
    *state = &book;
    return 0;
}

static int end(void **state)
{
    spv__book_clear(*state);
    return 0;
}

static spv_netaddr addr_of(const char *text)
{
    spv_netaddr addr;

    assert_int_equal(spv__netaddr_parse(&addr, text, 8333), SPV_OK);
    return addr;
}

static spv_netaddr numbered(uint8_t a, size_t n)
{
    return (spv_netaddr){.net = SPV__NET_IPV4,
                         .len = 4,
                         .addr = {a, (uint8_t)(n >> 8), (uint8_t)n, 1},
                         .port = 8333};
}

/** Hearsay of a node, by a teller whose group is that number. */
static void hear(spv_book *b, const spv_netaddr *addr, uint64_t services,
                 uint64_t teller)
{
    spv_book_entry said = {.addr = *addr,
                           .services = services,
                           .last_seen = NOW - DAY,
                           .source = services & SPV__NODE_BLOOM ? SPV_BOOK_PEER
                                                                : SPV_BOOK_DNS};

    assert_int_equal(
        spv__book_hear(b, &said, teller, NOW, spv__rng_next(&chance)), SPV_OK);
}

static void hear_text(spv_book *b, const char *text, uint64_t services)
{
    spv_netaddr addr = addr_of(text);

    hear(b, &addr, services, 1);
}

static const spv_book_entry *choose_at(const spv_book *b, int64_t now,
                                       uint64_t random)
{
    spv_book_wish wish = {
        .now = now, .again = SPV__BOOK_AGAIN_S, .random = random};

    return spv__book_choose(b, &wish);
}

static const spv_book_entry *choose(const spv_book *b)
{
    return choose_at(b, NOW, 1);
}

static void assert_chosen(const spv_book *b, const char *text)
{
    spv_netaddr addr = addr_of(text);
    const spv_book_entry *e = choose(b);

    assert_non_null(e);
    assert_true(spv__netaddr_equal(&e->addr, &addr));
}

/* ---- What is taken in ---- */

static void what_cannot_be_reached_is_passed_over(void **state)
{
    static const char *const texts[] = {"10.0.0.1", "127.0.0.1", "[fc00::1]",
                                        "192.168.1.1", "[2001:db8::1]"};
    spv_netaddr tor = {.net = SPV__NET_TORV3, .len = 32, .port = 8333};
    spv_netaddr i2p = {.net = SPV__NET_I2P, .len = 32, .port = 1};
    spv_book *b = *state;

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        hear_text(b, texts[i], BLOOM);
    hear(b, &tor, BLOOM, 1);
    hear(b, &i2p, BLOOM, 1);
    assert_int_equal(b->n, 0);
}

static void old_news_is_passed_over_and_tomorrows_is_old(void **state)
{
    spv_netaddr addr = addr_of("5.6.7.8");
    spv_book_entry said = {.addr = addr, .last_seen = NOW - 31 * DAY};
    spv_book *b = *state;

    assert_int_equal(spv__book_hear(b, &said, 1, NOW, 0), SPV_OK);
    assert_int_equal(b->n, 0);
    said.last_seen = NOW + DAY;
    assert_int_equal(spv__book_hear(b, &said, 1, NOW, 0), SPV_OK);
    assert_int_equal(b->item[0].last_seen, NOW - 5 * DAY);
}

static void a_peer_that_tells_of_no_filters_is_passed_over(void **state)
{
    spv_book_entry said = {.addr = addr_of("5.6.7.8"),
                           .services = SPV__NODE_NETWORK,
                           .last_seen = NOW,
                           .source = SPV_BOOK_PEER};
    spv_book *b = *state;

    assert_int_equal(spv__book_hear(b, &said, 1, NOW, 0), SPV_OK);
    assert_int_equal(b->n, 0);
}

static void an_address_is_there_once(void **state)
{
    spv_book *b = *state;

    hear_text(b, "5.6.7.8", SPV__NODE_NETWORK);
    hear_text(b, "5.6.7.8", SPV__NODE_BLOOM);
    assert_int_equal(b->n, 1);
    assert_int_equal(b->item[0].services, BLOOM);
    hear_text(b, "5.6.7.8:9", 0);
    assert_int_equal(b->n, 2);
}

static void what_a_node_says_of_itself_counts_more(void **state)
{
    spv_netaddr addr = addr_of("5.6.7.8");
    spv_book *b = *state;

    hear(b, &addr, BLOOM, 1);
    spv__book_met(b, &addr, SPV__NODE_NETWORK, NOW);
    hear(b, &addr, BLOOM, 2);
    assert_int_equal(b->item[0].services, SPV__NODE_NETWORK);
}

/* ---- Floods ---- */

static void one_16_gets_few_places(void **state)
{
    spv_book *b = *state;

    for (size_t i = 0; i < 1000; i++) {
        spv_netaddr addr = numbered(5, i & 0xff);

        addr.port = (uint16_t)(1000 + i);
        hear(b, &addr, BLOOM, i);
    }
    assert_int_equal(b->n, SPV__BOOK_GROUP_MAX);
}

static size_t count_first_byte(const spv_book *b, uint8_t a)
{
    size_t n = 0;

    for (size_t i = 0; i < b->n; i++)
        n += b->item[i].addr.addr[0] == a;
    return n;
}

/** Whoever says most displaces its own, also when all is full. */
static void a_flood_displaces_its_own(void **state)
{
    spv_book *b = *state;

    for (uint8_t teller = 0; teller < 4; teller++)
        for (size_t i = 0; i < 30; i++) {
            spv_netaddr addr = numbered((uint8_t)(20 + teller), i << 8);

            hear(b, &addr, BLOOM, 100u + teller);
        }
    for (size_t i = 0; i < 5000; i++) {
        spv_netaddr addr = numbered((uint8_t)(64 + (i >> 8)), i << 8);

        hear(b, &addr, BLOOM, 7);
    }
    assert_int_equal(b->n, 4 * 30 + SPV__BOOK_TELLER_MAX);
    for (uint8_t teller = 0; teller < 4; teller++)
        assert_int_equal(count_first_byte(b, (uint8_t)(20 + teller)), 30);
}

static void many_tellers_share_what_there_is(void **state)
{
    spv_netaddr own = addr_of("7.7.7.7");
    spv_book *b = *state;

    hear(b, &own, BLOOM, 1);
    for (size_t teller = 0; teller < 40; teller++)
        for (size_t i = 0; i < 100; i++) {
            spv_netaddr addr = numbered((uint8_t)(64 + teller), i << 8);

            hear(b, &addr, BLOOM, 100 + teller);
        }
    assert_int_equal(b->n, SPV__BOOK_HEARSAY_MAX);
    assert_non_null(spv__book_find(b, &own));
    for (size_t teller = 0; teller < 40; teller++)
        assert_in_range(count_first_byte(b, (uint8_t)(64 + teller)), 1,
                        SPV__BOOK_TELLER_MAX);
}

static void experience_is_not_displaced(void **state)
{
    spv_netaddr good = addr_of("7.7.7.7");
    spv_netaddr users = addr_of("127.0.0.1");
    spv_book *b = *state;

    hear(b, &good, BLOOM, 7);
    spv__book_met(b, &good, BLOOM, NOW);
    spv__book_served(b, &good, NOW);
    assert_int_equal(spv__book_add(b, &users), SPV_OK);
    for (size_t i = 0; i < 10000; i++) {
        spv_netaddr addr = numbered((uint8_t)(64 + i % 100), i * 64);

        hear(b, &addr, BLOOM, i % 300);
    }
    assert_int_equal(b->n, SPV__BOOK_HEARSAY_MAX + 2);
    assert_non_null(spv__book_find(b, &good));
    assert_non_null(spv__book_find(b, &users));
}

static void of_what_served_the_latest_stay(void **state)
{
    spv_book *b = *state;

    for (size_t i = 0; i < 200; i++) {
        spv_netaddr addr = numbered(64, i << 8);

        hear(b, &addr, BLOOM, i);
        spv__book_served(b, &addr, NOW + (int64_t)i);
    }
    assert_int_equal(b->n, SPV__BOOK_KEPT_MAX);
    for (size_t i = 0; i < b->n; i++)
        assert_true(b->item[i].last_success >= NOW + 200 - SPV__BOOK_KEPT_MAX);
}

/* ---- Whom to choose ---- */

static void better_ones_come_first(void **state)
{
    static const char *const order[] = {"5.1.0.1", "5.2.0.1", "5.3.0.1",
                                        "5.4.0.1", "5.5.0.1"};
    spv_netaddr served = addr_of(order[0]);
    spv_netaddr users = addr_of(order[1]);
    spv_book *b = *state;

    hear_text(b, order[4], SPV__NODE_NETWORK);
    hear_text(b, order[3], 0);
    hear_text(b, order[2], BLOOM);
    assert_int_equal(spv__book_add(b, &users), SPV_OK);
    hear_text(b, order[0], BLOOM);
    spv__book_met(b, &served, BLOOM, NOW - DAY);
    spv__book_served(b, &served, NOW - DAY);
    for (size_t i = 0; i < 5; i++) {
        spv_netaddr addr = addr_of(order[i]);

        assert_chosen(b, order[i]);
        spv__book_tried(b, &addr, NOW);
    }
    assert_null(choose(b));
}

static void chance_decides_among_equals(void **state)
{
    size_t times[4] = {0};
    spv_book *b = *state;

    hear_text(b, "5.0.0.1", BLOOM);
    hear_text(b, "5.1.0.1", BLOOM);
    hear_text(b, "5.2.0.1", BLOOM);
    hear_text(b, "5.3.0.1", BLOOM);
    for (uint64_t i = 0; i < 400; i++)
        times[choose_at(b, NOW, i)->addr.addr[1]]++;
    for (size_t i = 0; i < 4; i++)
        assert_in_range(times[i], 60, 140);
}

static void a_group_that_is_taken_is_not_chosen_from(void **state)
{
    spv_netaddr taken = addr_of("5.6.200.1");
    uint64_t group = spv__reach_group(&taken);
    spv_book_wish wish = {.now = NOW, .groups = &group, .n_groups = 1};
    spv_book *b = *state;

    hear_text(b, "5.6.7.8", BLOOM);
    assert_null(spv__book_choose(b, &wish));
    wish.n_groups = 0;
    assert_non_null(spv__book_choose(b, &wish));
}

static void a_failure_is_waited_for_longer_each_time(void **state)
{
    spv_netaddr addr = addr_of("5.6.7.8");
    int64_t wait = 5;
    spv_book *b = *state;

    hear(b, &addr, BLOOM, 1);
    spv__book_served(b, &addr, NOW - 200 * (int64_t)DAY); /* so it is kept */
    for (int i = 0; i < 20; i++) {
        int64_t at = NOW - 100 * (int64_t)DAY;
        int64_t due = wait < DAY ? wait : DAY;

        spv__book_tried(b, &addr, at);
        spv__book_failed(b, &addr);
        spv__book_begin(b);
        assert_null(choose_at(b, at + due - 1, 0));
        assert_non_null(choose_at(b, at + due, 0));
        wait *= 2;
    }
    spv__book_served(b, &addr, NOW);
    assert_int_equal(b->item[0].failures, 0);
}

static void what_was_tried_in_this_run_waits_a_moment(void **state)
{
    spv_netaddr addr = addr_of("127.0.0.1");
    spv_book *b = *state;

    assert_int_equal(spv__book_add(b, &addr), SPV_OK);
    spv__book_begin(b);
    spv__book_tried(b, &addr, NOW);
    spv__book_begin(b);
    assert_non_null(choose(b));
    spv__book_tried(b, &addr, NOW);
    assert_null(choose(b));
    assert_non_null(choose_at(b, NOW + 10, 0));
    assert_non_null(choose_at(b, NOW - 100, 0)); /* the clock was set back */
}

/* With no end to the wait: once a run, unless it served. */
static void what_served_in_this_run_does_not_wait(void **state)
{
    const spv_book_wish wish = {.now = NOW + DAY, .again = INT64_MAX};
    spv_netaddr addr = addr_of("5.6.7.8");
    spv_book *b = *state;

    hear(b, &addr, BLOOM, 1);
    spv__book_begin(b);
    assert_non_null(spv__book_choose(b, &wish));
    spv__book_tried(b, &addr, NOW);
    assert_null(spv__book_choose(b, &wish));
    spv__book_served(b, &addr, NOW + 1);
    assert_non_null(spv__book_choose(b, &wish));
    spv__book_tried(b, &addr, NOW + 2);
    assert_null(spv__book_choose(b, &wish));
}

/* Guards a mended bug: a node that had served no filters was not tried for a
 * day, though its user had turned them on and added it again. */
static void what_the_user_named_is_tried_in_each_run(void **state)
{
    spv_netaddr addr = addr_of("127.0.0.1");
    spv_book *b = *state;

    assert_int_equal(spv__book_add(b, &addr), SPV_OK);
    spv__book_tried(b, &addr, NOW);
    spv__book_met(b, &addr, SPV__NODE_NETWORK, NOW);
    for (int i = 0; i < 30; i++)
        spv__book_failed(b, &addr);
    assert_null(choose(b));
    spv__book_begin(b);
    assert_non_null(choose(b));
    spv__book_tried(b, &addr, NOW);
    assert_null(choose(b));
    assert_int_equal(spv__book_add(b, &addr), SPV_OK);
    assert_non_null(choose(b));
    assert_false(choose(b)->met);
    assert_int_equal(choose(b)->failures, 0);
}

static void nobody_has_seen_those_of_the_own_list(void **state)
{
    spv_netaddr addr = addr_of("5.6.7.8");
    spv_book_entry said = {.addr = addr, .source = SPV_BOOK_FIXED};
    spv_book *b = *state;

    assert_int_equal(spv__book_hear(b, &said, 1, NOW, 1), SPV_OK);
    assert_int_equal(spv__book_find(b, &addr)->last_seen, 0);
}

static void hearsay_that_fails_is_forgotten(void **state)
{
    spv_netaddr addr = addr_of("5.6.7.8");
    spv_book *b = *state;

    hear(b, &addr, BLOOM, 1);
    for (int i = 0; i < SPV__BOOK_TRIES; i++) {
        assert_int_equal(b->n, 1);
        spv__book_failed(b, &addr);
    }
    assert_int_equal(b->n, 0);
}

static void a_node_without_filters_is_asked_once_a_day(void **state)
{
    spv_netaddr addr = addr_of("5.6.7.8");
    spv_book *b = *state;

    hear(b, &addr, 0, 1);
    spv__book_tried(b, &addr, NOW - 100);
    spv__book_met(b, &addr, SPV__NODE_NETWORK, NOW - 100);
    assert_null(choose(b));
    assert_non_null(choose_at(b, NOW - 100 + DAY, 0));
}

/* ---- Bans ---- */

static void a_ban_is_of_the_host_and_ends(void **state)
{
    spv_netaddr addr = addr_of("5.6.7.8");
    spv_book *b = *state;

    hear_text(b, "5.6.7.8:1", BLOOM);
    assert_int_equal(spv__book_ban(b, &addr, NOW + 10), SPV_OK);
    hear_text(b, "5.6.7.8:2", BLOOM);
    assert_int_equal(b->n, 1);
    addr.port = 9;
    assert_true(spv__book_banned_until(b, &addr) == NOW + 10);
    assert_null(choose(b));
    assert_true(spv__book_is_banned(b, &addr, NOW + 9));
    assert_non_null(choose_at(b, NOW + 10, 0));
    assert_true(spv__book_unban(b, &addr, NOW));
    assert_false(spv__book_unban(b, &addr, NOW));
    assert_non_null(choose(b));
}

static void a_stranger_can_be_banned(void **state)
{
    spv_netaddr addr = addr_of("5.6.7.8");
    spv_book *b = *state;

    assert_int_equal(spv__book_ban(b, &addr, NOW + 10), SPV_OK);
    hear(b, &addr, BLOOM, 1);
    assert_int_equal(b->n, 1);
    assert_null(choose(b));
}

/* ---- The user ---- */

static void the_user_may_name_any_place_but_not_without_end(void **state)
{
    spv_book *b = *state;

    for (size_t i = 0; i < SPV__BOOK_KEPT_MAX; i++) {
        spv_netaddr addr = numbered(10, i);

        assert_int_equal(spv__book_add(b, &addr), SPV_OK);
        assert_int_equal(spv__book_add(b, &addr), SPV_OK);
    }
    assert_int_equal(b->n, SPV__BOOK_KEPT_MAX);
    assert_int_equal(spv__book_add(b, &(spv_netaddr){.net = 1, .len = 4}),
                     SPV_LIMIT);
}

static void what_was_kept_is_bounded_like_what_is_heard(void **state)
{
    spv_book *b = *state;

    for (size_t i = 0; i < 2000; i++) {
        spv_book_entry e = {.addr = numbered(20, i),
                            .source = SPV_BOOK_PEER,
                            .last_success = i % 2 ? NOW : 0};

        assert_int_equal(spv__book_load(b, &e), SPV_OK);
        assert_int_equal(spv__book_load(b, &e), SPV_OK);
    }
    assert_int_equal(b->n, SPV__BOOK_KEPT_MAX + SPV__BOOK_HEARSAY_MAX);
    assert_int_equal(
        spv__book_load(b, &(spv_book_entry){.addr.net = SPV__NET_TORV3}),
        SPV_OK);
    assert_int_equal(b->n, SPV__BOOK_KEPT_MAX + SPV__BOOK_HEARSAY_MAX);
}

int main(void)
{
#define BOOK_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        BOOK_TEST(what_cannot_be_reached_is_passed_over),
        BOOK_TEST(old_news_is_passed_over_and_tomorrows_is_old),
        BOOK_TEST(a_peer_that_tells_of_no_filters_is_passed_over),
        BOOK_TEST(an_address_is_there_once),
        BOOK_TEST(what_a_node_says_of_itself_counts_more),
        BOOK_TEST(one_16_gets_few_places),
        BOOK_TEST(a_flood_displaces_its_own),
        BOOK_TEST(many_tellers_share_what_there_is),
        BOOK_TEST(experience_is_not_displaced),
        BOOK_TEST(of_what_served_the_latest_stay),
        BOOK_TEST(better_ones_come_first),
        BOOK_TEST(chance_decides_among_equals),
        BOOK_TEST(a_group_that_is_taken_is_not_chosen_from),
        BOOK_TEST(a_failure_is_waited_for_longer_each_time),
        BOOK_TEST(what_was_tried_in_this_run_waits_a_moment),
        BOOK_TEST(what_served_in_this_run_does_not_wait),
        BOOK_TEST(what_the_user_named_is_tried_in_each_run),
        BOOK_TEST(nobody_has_seen_those_of_the_own_list),
        BOOK_TEST(hearsay_that_fails_is_forgotten),
        BOOK_TEST(a_node_without_filters_is_asked_once_a_day),
        BOOK_TEST(a_ban_is_of_the_host_and_ends),
        BOOK_TEST(a_stranger_can_be_banned),
        BOOK_TEST(the_user_may_name_any_place_but_not_without_end),
        BOOK_TEST(what_was_kept_is_bounded_like_what_is_heard),
    };

    return cmocka_run_group_tests_name("p2p.book", tests, NULL, NULL);
}
