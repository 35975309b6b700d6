#include "cmocka_all.h"

#include <string.h>

#include "client/trail.h"

static spv_hash hash_of(int32_t height)
{
    spv_hash hash = {{0}};

    memcpy(hash.bytes, &height, sizeof(height));
    return hash;
}

static void push(spv_trail *t, int32_t height)
{
    spv_hash hash = hash_of(height);

    spv__trail_push(t, height, &hash);
}

static void assert_last(const spv_trail *t, int32_t height)
{
    spv_hash hash = hash_of(height);

    assert_non_null(spv__trail_last(t));
    assert_int_equal(spv__trail_last(t)->height, height);
    assert_true(spv_hash_equal(&spv__trail_last(t)->hash, &hash));
}

static void it_leads_back_the_way_it_came(void **state)
{
    static const int32_t heights[] = {0, 7, 8, 9, 2000, 2001};
    static spv_trail t;

    (void)state;
    assert_null(spv__trail_last(&t));
    for (size_t i = 0; i < 6; i++)
        push(&t, heights[i]);
    for (size_t i = 6; i-- > 0;) {
        assert_last(&t, heights[i]);
        spv__trail_pop(&t);
    }
    assert_null(spv__trail_last(&t));
}

static void the_oldest_step_makes_room(void **state)
{
    static spv_trail t;
    int32_t n = 3 * SPV__TRAIL_MAX + 5;

    (void)state;
    for (int32_t h = 0; h < n; h++)
        push(&t, h);
    assert_int_equal(t.n, SPV__TRAIL_MAX);
    for (int32_t h = n - 1; h >= n - SPV__TRAIL_MAX; h--) {
        assert_last(&t, h);
        spv__trail_pop(&t);
    }
    assert_null(spv__trail_last(&t));
}

static void steps_can_be_taken_anew_after_going_back(void **state)
{
    static spv_trail t;

    (void)state;
    for (int round = 0; round < 50; round++) {
        for (int32_t h = 1; h <= 100; h++)
            push(&t, 100 * round + h);
        for (int32_t h = 0; h < 30; h++)
            spv__trail_pop(&t);
        push(&t, 100 * round + 100);
        assert_last(&t, 100 * round + 100);
        spv__trail_pop(&t);
        assert_last(&t, 100 * round + 70);
    }
}

static void cutting_it_leaves_what_lies_below(void **state)
{
    static spv_trail t;

    (void)state;
    spv__trail_cut(&t, 0);
    for (int32_t h = 10; h <= 50; h += 10)
        push(&t, h);
    spv__trail_cut(&t, 51);
    assert_last(&t, 50);
    spv__trail_cut(&t, 30);
    assert_last(&t, 20);
    spv__trail_cut(&t, -1);
    assert_null(spv__trail_last(&t));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_leads_back_the_way_it_came),
        cmocka_unit_test(the_oldest_step_makes_room),
        cmocka_unit_test(steps_can_be_taken_anew_after_going_back),
        cmocka_unit_test(cutting_it_leaves_what_lies_below),
    };

    return cmocka_run_group_tests_name("client.trail", tests, NULL, NULL);
}
