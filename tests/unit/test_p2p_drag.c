#include "cmocka_all.h"

#include "p2p/drag.h"

/* A second at a time: is the peer that sends `rate` bytes in each ever slow? */
static bool is_slow(uint64_t rate, bool owes, int seconds)
{
    spv_drag d = {0};
    bool slow = false;

    for (int i = 0; i < seconds; i++)
        slow |= spv__drag_look(&d, owes, rate * (uint64_t)i,
                               1000 + 1000 * (spv_time)i);
    return slow;
}

static void less_than_a_kilobyte_a_second_is_slow(void **state)
{
    (void)state;
    assert_true(is_slow(500, true, 12));
    assert_true(is_slow(999, true, 12));
    assert_false(is_slow(1000, true, 100));
    assert_false(is_slow(500, true, 9)); /* it is too early to say */
}

static void who_owes_nothing_is_not_slow(void **state)
{
    (void)state;
    assert_false(is_slow(500, false, 100));
}

/* Silence has a deadline of its own. */
static void silence_is_not_slow(void **state)
{
    (void)state;
    assert_false(is_slow(0, true, 100));
}

static void time_at_rest_does_not_count(void **state)
{
    spv_drag d = {0};

    (void)state;
    for (int i = 0; i < 50; i++)
        assert_false(spv__drag_look(&d, i % 8 != 0, 100 * (uint64_t)i,
                                    1000 + 1000 * (spv_time)i));
}

static void one_slow_stretch_is_told_once(void **state)
{
    spv_drag d = {0};
    int told = 0;

    (void)state;
    for (int i = 0; i <= 20; i++)
        told += spv__drag_look(&d, true, 10 * (uint64_t)i,
                               1000 + 1000 * (spv_time)i);
    assert_int_equal(told, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(less_than_a_kilobyte_a_second_is_slow),
        cmocka_unit_test(who_owes_nothing_is_not_slow),
        cmocka_unit_test(silence_is_not_slow),
        cmocka_unit_test(time_at_rest_does_not_count),
        cmocka_unit_test(one_slow_stretch_is_told_once),
    };

    return cmocka_run_group_tests_name("p2p.drag", tests, NULL, NULL);
}
