#include "cmocka_all.h"

#include "p2p/spacing.h"

/* `n` times `distance` blocks, of which the last brings coins. */
static void note(spv_spacing *s, int n, int distance)
{
    for (int i = 0; i < n; i++)
        for (int k = 1; k <= distance; k++)
            spv__spacing_note(s, k == distance);
}

static void without_coins_it_is_the_blocks_seen(void **state)
{
    spv_spacing s = {0};

    (void)state;
    assert_true(spv__spacing_get(&s) == 0);
    for (int i = 0; i < 500; i++)
        spv__spacing_note(&s, false);
    assert_true(spv__spacing_get(&s) == 500);
}

static void that_coins_are_far_apart_is_seen_first(void **state)
{
    spv_spacing s = {0};

    (void)state;
    note(&s, 1, 20);
    assert_in_range(spv__spacing_get(&s), 4, 4);
    note(&s, 4, 20);
    assert_in_range(spv__spacing_get(&s), 10, 13);
    note(&s, 100, 20);
    assert_in_range(spv__spacing_get(&s), 19, 20);
}

static void it_follows_a_change_in_either_direction(void **state)
{
    spv_spacing s = {0};

    (void)state;
    note(&s, 100, 200);
    note(&s, 60, 5);
    assert_in_range(spv__spacing_get(&s), 5, 10);
    note(&s, 60, 200);
    assert_in_range(spv__spacing_get(&s), 190, 200);
}

static void a_gap_is_no_change_but_a_silence_is(void **state)
{
    spv_spacing s = {0};

    (void)state;
    note(&s, 100, 10);
    for (int i = 0; i < 50; i++)
        spv__spacing_note(&s, false);
    assert_in_range(spv__spacing_get(&s), 9, 10);
    for (int i = 0; i < 750; i++)
        spv__spacing_note(&s, false);
    assert_in_range(spv__spacing_get(&s), 99, 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_coins_it_is_the_blocks_seen),
        cmocka_unit_test(that_coins_are_far_apart_is_seen_first),
        cmocka_unit_test(it_follows_a_change_in_either_direction),
        cmocka_unit_test(a_gap_is_no_change_but_a_silence_is),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
