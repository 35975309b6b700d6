#include "cmocka_all.h"

#include <math.h>
#include <string.h>

#include <spv/filter_maths.h>

static void assert_near(double got, double want, double tolerance)
{
    if (!(fabs(got - want) <= tolerance))
        fail_msg("%.9g is not within %g of %.9g", got, tolerance, want);
}

/* The table that every text about Bloom filters prints. */
static void rates_are_the_textbooks(void **state)
{
    static const struct {
        uint64_t bits_each; /* m/n */
        uint32_t hash_funcs;
        double rate;
    } cases[] = {
        {10, 7, 0.00819}, {8, 6, 0.0216}, {8, 5, 0.0217},   {16, 11, 0.000459},
        {4, 3, 0.147},    {2, 1, 0.393},  {32, 22, 2.1e-7}, {20, 14, 6.71e-5},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        spv_filter_shape s = {cases[i].bits_each * 1000000,
                              cases[i].hash_funcs};

        assert_near(spv_filter_shape_rate(s, 1e6) / cases[i].rate, 1, 0.01);
    }
}

static void a_million_at_one_percent_is_nine_and_a_half_million_bits(
    void **state)
{
    spv_filter_shape s;

    (void)state;
    assert_int_equal(spv_filter_shape_for(&s, 1000000, 0.01), SPV_OK);
    assert_near((double)s.bits, 9.59e6, 0.01e6);
    assert_int_equal(s.hash_funcs, 7);
    assert_int_equal(s.bits % 8, 0);
    assert_int_equal(spv_filter_shape_for(&s, 100000000, 0.001), SPV_OK);
    assert_near((double)s.bits / 8, 180e6, 1e6);
    assert_int_equal(s.hash_funcs, 10);
}

/* A shape keeps its promise, and one byte less would not. */
static void shapes_are_the_smallest_that_keep_their_promise(void **state)
{
    static const double rates[] = {0.9, 0.5, 0.1, 0.03, 1e-3, 1e-6, 1e-12};
    static const uint64_t counts[] = {1, 2, 7, 1000, 123456789, 1ull << 40};

    (void)state;
    for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++)
        for (size_t j = 0; j < sizeof(counts) / sizeof(counts[0]); j++) {
            double n = (double)counts[j];
            double p = rates[i];
            spv_filter_shape s;

            assert_int_equal(spv_filter_shape_for(&s, counts[j], p), SPV_OK);
            assert_true(spv_filter_shape_rate(s, n) <= p * (1 + 1e-9));
            assert_true(spv_filter_shape_capacity(s, p) >= n * (1 - 1e-9));
            for (uint32_t k = 1; s.bits > 8 && k < 60; k++)
                assert_true(
                    spv_filter_shape_rate((spv_filter_shape){s.bits - 8, k},
                                          n) > p * (1 - 1e-9));
        }
}

static void senseless_shapes_are_refused(void **state)
{
    static const struct {
        uint64_t n;
        double p;
        spv_err want;
    } cases[] = {
        {0, 0.1, SPV_INVAL},         {5, 0, SPV_INVAL},
        {5, 1, SPV_INVAL},           {5, -1, SPV_INVAL},
        {5, (double)NAN, SPV_INVAL}, {UINT64_MAX, 1e-9, SPV_LIMIT},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        spv_filter_shape s = {77, 7};

        assert_int_equal(spv_filter_shape_for(&s, cases[i].n, cases[i].p),
                         cases[i].want);
        assert_int_equal(s.bits, 77);
    }
}

static void best_number_of_functions_beats_all_others(void **state)
{
    (void)state;
    assert_int_equal(spv_filter_best_funcs(10000, 1000), 7);
    assert_int_equal(spv_filter_best_funcs(288000, 15000), 13);
    assert_int_equal(spv_filter_best_funcs(8, 1e9), 1);
    assert_int_equal(spv_filter_best_funcs(8, 0), UINT32_MAX);
    for (uint64_t bits = 100; bits < 30000; bits += 777) {
        uint32_t best = spv_filter_best_funcs(bits, 1000);
        double rate =
            spv_filter_shape_rate((spv_filter_shape){bits, best}, 1000);

        for (uint32_t k = 1; k < 40; k++)
            assert_true(rate <= spv_filter_shape_rate(
                                    (spv_filter_shape){bits, k}, 1000));
    }
}

static void set_bits_tell_rate_elements_and_room(void **state)
{
    spv_filter_shape s = {100000, 7};
    uint64_t half = 50000;
    double n = spv_filter_elements_from(s, half);

    (void)state;
    assert_near(n, 100000 * log(2) / 7, 1e-6);
    assert_near(spv_filter_observed_rate(s, half), pow(0.5, 7), 1e-12);
    assert_near(spv_filter_shape_rate(s, n), pow(0.5, 7), 1e-12);
    assert_near(spv_filter_capacity_left(s, half, pow(0.5, 7)), 0, 1e-6);
    assert_near(spv_filter_capacity_left(s, 0, pow(0.5, 7)), n, 1e-6);
    assert_near(spv_filter_capacity_left(s, half, 0.001), 0, 0);
    assert_near(spv_filter_elements_from(s, 0), 0, 0);
    assert_true(isinf(spv_filter_elements_from(s, 100000)));
    assert_near(spv_filter_capacity_left(s, 100000, 0.1), 0, 0);
    assert_near(spv_filter_observed_rate(s, 100000), 1, 0);
}

static void nothing_is_promised_of_no_bits_or_no_functions(void **state)
{
    static const spv_filter_shape voids[] = {{0, 5}, {800, 0}, {0, 0}};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        assert_near(spv_filter_shape_rate(voids[i], 5), 1, 0);
        assert_near(spv_filter_blocked_rate(voids[i], 5), 1, 0);
        assert_near(spv_filter_observed_rate(voids[i], 0), 1, 0);
        assert_near(spv_filter_shape_capacity(voids[i], 0.1), 0, 0);
        assert_near(spv_filter_blocked_capacity(voids[i], 0.1), 0, 0);
        assert_true(isinf(spv_filter_blocked_elements_from(voids[i], 0)));
        assert_true(isinf(spv_filter_elements_from(voids[i], 0)));
    }
}

/* Putze, Sanders and Singler (2007): blocks of a cache line cost about half as
 * much again in rate at 8 bits an element, and more where rates are lower. */
static void blocks_are_wrong_more_often(void **state)
{
    spv_filter_shape eight = {8000000 / 512 * 512, 5};
    spv_filter_shape twenty = {20000000 / 512 * 512, 14};

    (void)state;
    assert_near(spv_filter_blocked_rate(eight, 1e6), 0.0231, 0.001);
    assert_true(spv_filter_blocked_rate(twenty, 1e6) >
                3 * spv_filter_shape_rate(twenty, 1e6));
    assert_near(spv_filter_blocked_rate(eight, 0), 0, 0);
    assert_near(spv_filter_blocked_rate(eight, 1e15), 1, 0);
}

/* Whole elements into whole blocks, by chance: what the bits then are. */
static void blocks_tell_their_elements_too(void **state)
{
    spv_filter_shape s = {512, 20};
    double one = 512 * (1 - pow(511.0 / 512, 20)); /* bits an element sets */

    (void)state;
    assert_near(spv_filter_blocked_elements_from(s, 0), 0, 0);
    assert_true(isinf(spv_filter_blocked_elements_from(s, 512)));
    for (uint64_t set = 1; set < 512; set += 51) {
        double n = spv_filter_blocked_elements_from(s, set);

        assert_near(512 * (1 - exp(-n * one / 512)), (double)set, 1e-9);
        assert_true(n > spv_filter_elements_from(s, set));
    }
}

static void blocks_hold_what_their_rate_allows(void **state)
{
    static const double rates[] = {0.99, 0.5, 0.01, 1e-6, 1e-30};
    static const uint32_t funcs[] = {1, 7, 30};

    (void)state;
    for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++)
        for (size_t j = 0; j < sizeof(funcs) / sizeof(funcs[0]); j++) {
            spv_filter_shape s = {51200000, funcs[j]};
            double n = spv_filter_blocked_capacity(s, rates[i]);

            assert_near(spv_filter_blocked_rate(s, n) / rates[i], 1, 1e-6);
            if (rates[i] < 0.1) /* crowded blocks are worse than empty help */
                assert_true(n <= spv_filter_shape_capacity(s, rates[i]));
        }
}

static spv_filter filter_of(uint32_t tweak, uint32_t from, uint32_t to)
{
    spv_filter f;

    assert_int_equal(spv_filter_init(&f, 5000, 7, tweak, 0), SPV_OK);
    for (uint32_t i = from; i < to; i++)
        spv_filter_insert(&f, (const uint8_t *)&i, sizeof(i));
    return f;
}

static void merging_is_inserting_both(void **state)
{
    spv_filter a = filter_of(5, 0, 1000);
    spv_filter b = filter_of(5, 600, 2000);
    spv_filter both = filter_of(5, 0, 2000);
    double either = 0;
    double shared = 0;

    (void)state;
    assert_int_equal(spv_filter_overlap(&either, &shared, &a, &b), SPV_OK);
    assert_near(either, 2000, 60);
    assert_near(shared, 400, 60);
    assert_int_equal(spv_filter_merge(&a, &b), SPV_OK);
    assert_memory_equal(a.bytes, both.bytes, both.len);
    assert_int_equal(spv_filter_shape_of(&a).bits, 40000);
    memset(a.bytes, 0xff, a.len);
    assert_int_equal(spv_filter_overlap(&either, &shared, &a, &b), SPV_OK);
    assert_true(isinf(either) && isinf(shared));
    spv_filter_clear(&a);
    spv_filter_clear(&b);
    spv_filter_clear(&both);
}

static void strangers_share_nothing(void **state)
{
    spv_filter_shape s = {40000, 7};

    (void)state;
    assert_near(spv_filter_elements_shared(s, 6000, 6000, 12000), 0, 0);
    assert_near(spv_filter_elements_shared(s, 6000, 6000, 6000),
                spv_filter_elements_from(s, 6000), 1e-6);
}

static void filters_of_other_parameters_do_not_merge(void **state)
{
    spv_filter a = filter_of(5, 0, 10);

    (void)state;
    for (int i = 0; i < 3; i++) {
        spv_filter b;
        double either = -1;
        double shared = -1;

        assert_int_equal(spv_filter_init(&b, i == 0 ? 4999 : 5000,
                                         i == 1 ? 8 : 7, i == 2 ? 6 : 5, 0),
                         SPV_OK);
        assert_false(spv_filter_compatible(&a, &b));
        assert_int_equal(spv_filter_merge(&b, &a), SPV_INVAL);
        assert_true(spv_filter_is_empty(&b));
        assert_int_equal(spv_filter_overlap(&either, &shared, &a, &b),
                         SPV_INVAL);
        assert_near(either, -1, 0);
        spv_filter_clear(&b);
    }
    spv_filter_clear(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_are_the_textbooks),
        cmocka_unit_test(
            a_million_at_one_percent_is_nine_and_a_half_million_bits),
        cmocka_unit_test(shapes_are_the_smallest_that_keep_their_promise),
        cmocka_unit_test(senseless_shapes_are_refused),
        cmocka_unit_test(best_number_of_functions_beats_all_others),
        cmocka_unit_test(set_bits_tell_rate_elements_and_room),
        cmocka_unit_test(nothing_is_promised_of_no_bits_or_no_functions),
        cmocka_unit_test(blocks_are_wrong_more_often),
        cmocka_unit_test(blocks_tell_their_elements_too),
        cmocka_unit_test(blocks_hold_what_their_rate_allows),
        cmocka_unit_test(merging_is_inserting_both),
        cmocka_unit_test(strangers_share_nothing),
        cmocka_unit_test(filters_of_other_parameters_do_not_merge),
    };

    return cmocka_run_group_tests_name("bloom.maths", tests, NULL, NULL);
}
