#include "cmocka_all.h"

#include "p2p/pace.h"
#include "p2p/sync.h"

static void alone_a_peer_is_asked_for_more_with_every_answer(void **state)
{
    spv_pace p = {0};

    (void)state;
    assert_int_equal(spv__pace_window(&p, SPV_ALONE), SPV__WINDOW_ALONE_MIN);
    for (int i = 0; i < 10; i++)
        spv__pace_answered(&p, 1, 5);
    assert_int_equal(spv__pace_window(&p, SPV_ALONE),
                     SPV__WINDOW_ALONE_MIN + 10);
    for (int i = 0; i < 5000; i++)
        spv__pace_answered(&p, 1, 5);
    assert_int_equal(spv__pace_window(&p, SPV_ALONE), SPV__WINDOW_ALONE_MAX);
}

/* Ten answers a millisecond, over lines of different length. */
static void beside_others_it_gets_what_two_round_trips_bring(void **state)
{
    static const struct {
        spv_time trip;
        size_t want;
    } cases[] = {{0, SPV__WINDOW_SHARED_MIN},
                 {1, 20},
                 {10, 200},
                 {50, SPV__WINDOW_SHARED_MAX},
                 {500, SPV__WINDOW_SHARED_MAX}};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        spv_pace p = {.asked_at = 100};

        assert_int_equal(spv__pace_window(&p, SPV_SHARING),
                         SPV__WINDOW_SHARED_MIN);
        spv__pace_fence_passed(&p, 100 + cases[i].trip);
        for (spv_time t = 0; t <= 4000; t++)
            spv__pace_answered(&p, 1, 1000 + t / 10);
        assert_in_range(spv__pace_window(&p, SPV_SHARING),
                        cases[i].want - cases[i].want / 10, cases[i].want);
    }
}

static void before_reserves_it_gets_more_than_beside_others(void **state)
{
    spv_pace near = {.asked_at = 100}, far = {.asked_at = 100};

    (void)state;
    spv__pace_fence_passed(&near, 100);
    spv__pace_fence_passed(&far, 150);
    assert_int_equal(spv__pace_window(&near, SPV_BEFORE_RESERVES),
                     SPV__WINDOW_FIRST_MIN);
    assert_int_equal(spv__pace_window(&far, SPV_BEFORE_RESERVES),
                     spv__pace_window(&far, SPV_SHARING));
}

static void the_shortest_round_trip_counts(void **state)
{
    spv_pace p = {.asked_at = 100};

    (void)state;
    spv__pace_fence_passed(&p, 180);
    p.asked_at = 200;
    spv__pace_fence_passed(&p, 230);
    p.asked_at = 300;
    spv__pace_fence_passed(&p, 390);
    assert_int_equal(p.trip, 30);
}

static void a_rest_is_no_slowness(void **state)
{
    spv_pace busy = {0};
    spv_pace rested = {0};

    (void)state;
    for (spv_time t = 0; t < 2000; t++) {
        spv__pace_answered(&busy, 1, 1000 + t / 10);
        spv__pace_answered(&rested, t % 1000 == 999 ? 0 : 1,
                           1000 + t / 10 + t / 1000 * 60000);
    }
    assert_true(spv__pace_rate(&rested) > spv__pace_rate(&busy) * 0.9);
}

/* A window that is too small for the line leaves it empty between answers, and
 * must not look like a peer that is slow: it would stay too small. */
static void an_empty_line_is_no_slowness(void **state)
{
    spv_pace p = {.asked_at = 100};
    spv_time now = 1000;

    (void)state;
    spv__pace_fence_passed(&p, 150);
    for (int trip = 0; trip < 20; trip++, now += 50)
        for (size_t i = 0; i < 8; i++)
            spv__pace_answered(&p, 8, now + (spv_time)i / 4);
    assert_true(spv__pace_window(&p, SPV_SHARING) > 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alone_a_peer_is_asked_for_more_with_every_answer),
        cmocka_unit_test(beside_others_it_gets_what_two_round_trips_bring),
        cmocka_unit_test(before_reserves_it_gets_more_than_beside_others),
        cmocka_unit_test(the_shortest_round_trip_counts),
        cmocka_unit_test(a_rest_is_no_slowness),
        cmocka_unit_test(an_empty_line_is_no_slowness),
    };

    return cmocka_run_group_tests_name("p2p.pace", tests, NULL, NULL);
}
