#include "cmocka_all.h"

#include <math.h>
#include <string.h>

#include <spv/filter.h>

static void sizes_are_cores(void **state)
{
    static const struct {
        uint32_t n;
        double p;
        size_t bytes;
        uint32_t hash_funcs;
    } cases[] = {
        {3, 0.01, 3, 5},
        {1, 0.5, 0, 0},
        {10, 0.000001, 35, 19},
        {100000, 0.0001, 36000, 1},
        {10000, 0.0001, 23962, 13},
        {1, 1e-300, 179, 50},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        size_t bytes = 0;
        uint32_t hash_funcs = 0;

        assert_int_equal(
            spv_filter_size(&bytes, &hash_funcs, cases[i].n, cases[i].p),
            SPV_OK);
        assert_int_equal(bytes, cases[i].bytes);
        assert_int_equal(hash_funcs, cases[i].hash_funcs);
    }
}

static void senseless_plans_are_refused(void **state)
{
    static const struct {
        uint32_t n;
        double p;
    } cases[] = {{0, 0.1}, {5, 0}, {5, 1}, {5, -1}, {5, (double)NAN}};
    size_t bytes = 77;
    uint32_t hash_funcs = 7;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(
            spv_filter_size(&bytes, &hash_funcs, cases[i].n, cases[i].p),
            SPV_INVAL);
    assert_int_equal(bytes, 77);
    assert_int_equal(hash_funcs, 7);
}

/* DESIGN: 36,000 bytes, 13 functions, "about 15,000 elements at 1.2e-4" */
static void the_largest_filter_holds_15000_elements(void **state)
{
    double rate = spv_filter_rate_for(36000, 13, 15000);

    (void)state;
    assert_true(rate > 0.9e-4 && rate < 1.3e-4);
    assert_true(fabs(spv_filter_capacity(36000, rate) - 15000) < 200);
    assert_true(spv_filter_rate_for(0, 13, 1) >= 1);
}

static void set_bits_tell_elements_and_rate(void **state)
{
    spv_filter f;
    uint32_t hits = 0;

    (void)state;
    assert_int_equal(spv_filter_init_for(&f, 1000, 0.01, 1, 0), SPV_OK);
    for (uint32_t i = 0; i < 1000; i++)
        spv_filter_insert(&f, (uint8_t *)&i, sizeof(i));
    for (uint32_t i = 1000; i < 21000; i++)
        hits += spv_filter_contains(&f, (uint8_t *)&i, sizeof(i));

    assert_true(fabs(spv_filter_elements(&f) - 1000) < 50);
    assert_true(fabs(spv_filter_rate(&f) - hits / 20000.0) < 0.003);
    assert_true(fabs(spv_filter_rate_for(f.len, f.hash_funcs, 1000) - 0.01) <
                0.001);
    spv_filter_clear(&f);
}

static void full_and_empty_are_told(void **state)
{
    spv_filter f;

    (void)state;
    assert_int_equal(spv_filter_init(&f, 9, 4, 0, 0), SPV_OK);
    assert_true(spv_filter_is_empty(&f));
    assert_false(spv_filter_is_full(&f));
    assert_true(spv_filter_elements(&f) <= 0);
    memset(f.bytes, 0xff, f.len);
    assert_int_equal(spv_filter_bits_set(&f), 72);
    assert_true(spv_filter_is_full(&f));
    assert_true(isinf(spv_filter_elements(&f)));
    assert_true(spv_filter_rate(&f) >= 1);
    f.bytes[8] = 0x7f;
    assert_false(spv_filter_is_full(&f));
    f.hash_funcs = 0;
    assert_true(spv_filter_is_full(&f));
    assert_true(spv_filter_rate(&f) >= 1);
    spv_filter_clear(&f);
    assert_true(spv_filter_is_full(&f) && spv_filter_is_empty(&f));
    assert_true(spv_filter_rate(&f) >= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_cores),
        cmocka_unit_test(senseless_plans_are_refused),
        cmocka_unit_test(the_largest_filter_holds_15000_elements),
        cmocka_unit_test(set_bits_tell_elements_and_rate),
        cmocka_unit_test(full_and_empty_are_told),
    };

    return cmocka_run_group_tests_name("bloom.sizing", tests, NULL, NULL);
}
