#include "cmocka_all.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <spv/local_filter.h>

static const spv_local_hashing hashings[] = {SPV_LOCAL_BIP37, SPV_LOCAL_DOUBLE,
                                             SPV_LOCAL_BLOCKED};

static spv_local_filter filter_of(spv_local_hashing hashing, uint64_t seed)
{
    spv_local_plan plan;
    spv_local_filter f;

    assert_int_equal(spv_local_plan_for(&plan, 1000, 0.01, hashing, seed),
                     SPV_OK);
    assert_int_equal(spv_local_filter_init(&f, &plan), SPV_OK);
    return f;
}

static void insert(spv_local_filter *f, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++)
        spv_local_filter_insert(f, (const uint8_t *)&i, sizeof(i));
}

static bool has(const spv_local_filter *f, uint32_t i)
{
    return spv_local_filter_contains(f, (const uint8_t *)&i, sizeof(i));
}

static void plans_keep_their_promise(void **state)
{
    (void)state;
    for (size_t i = 0; i < 3; i++)
        for (uint64_t n = 1; n <= 100000; n *= 10) {
            spv_local_plan plan;

            assert_int_equal(
                spv_local_plan_for(&plan, n, 0.001, hashings[i], 7), SPV_OK);
            assert_true(spv_local_plan_rate(&plan, (double)n) <= 0.0010001);
            assert_int_equal(plan.seed, 7);
            assert_int_equal(plan.hashing, hashings[i]);
        }
}

static void senseless_plans_are_refused(void **state)
{
    static const struct {
        spv_local_plan plan;
        spv_err want;
    } cases[] = {
        {{{0, 7}, SPV_LOCAL_DOUBLE, 0}, SPV_INVAL},
        {{{800, 0}, SPV_LOCAL_DOUBLE, 0}, SPV_INVAL},
        {{{801, 7}, SPV_LOCAL_DOUBLE, 0}, SPV_INVAL},
        {{{800, 256}, SPV_LOCAL_DOUBLE, 0}, SPV_INVAL},
        {{{800, 7}, SPV_LOCAL_BLOCKED, 0}, SPV_INVAL},
        {{{800, 7}, (spv_local_hashing)3, 0}, SPV_INVAL},
        {{{800, 7}, SPV_LOCAL_BIP37, 1ull << 32}, SPV_LIMIT},
        {{{1ull << 32, 7}, SPV_LOCAL_BIP37, 0}, SPV_LIMIT},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        spv_local_filter f;

        assert_int_equal(spv_local_filter_init(&f, &cases[i].plan),
                         cases[i].want);
        assert_null(f.bytes);
        spv_local_filter_clear(&f);
    }
}

static void promises_beyond_all_bounds_are_refused(void **state)
{
    spv_local_plan plan = {.seed = 77};

    (void)state;
    assert_int_equal(
        spv_local_plan_for(&plan, 1ull << 32, 0.01, SPV_LOCAL_BIP37, 0),
        SPV_LIMIT);
    assert_int_equal(spv_local_plan_for(&plan, 0, 0.01, SPV_LOCAL_DOUBLE, 0),
                     SPV_INVAL);
    assert_int_equal(spv_local_plan_for(&plan, 10, 1e-300, SPV_LOCAL_DOUBLE, 0),
                     SPV_INVAL);
    assert_int_equal(plan.seed, 77);
}

/* "exactly the wire filter's bits": what the hashing is called after. */
static void bip37_hashing_makes_the_wire_filters_bits(void **state)
{
    const spv_local_plan plan = {{8 * 997, 11}, SPV_LOCAL_BIP37, 0xdeadbeef};
    spv_local_filter local;
    spv_filter wire;

    (void)state;
    assert_int_equal(spv_local_filter_init(&local, &plan), SPV_OK);
    assert_int_equal(spv_filter_init(&wire, 997, 11, 0xdeadbeef, 0), SPV_OK);
    for (uint32_t i = 0; i < 500; i++) {
        spv_local_filter_insert(&local, (const uint8_t *)&i, i % 5);
        spv_filter_insert(&wire, (const uint8_t *)&i, i % 5);
    }
    assert_int_equal(local.len, wire.len);
    assert_memory_equal(local.bytes, wire.bytes, wire.len);
    spv_local_filter_clear(&local);
    spv_filter_clear(&wire);
}

static void a_zeroed_filter_contains_nothing(void **state)
{
    spv_local_filter none = {0};
    bool found[2] = {true, true};
    const spv_element e[2] = {{NULL, 0}, {NULL, 0}};

    (void)state;
    assert_false(has(&none, 1));
    assert_int_equal(spv_local_filter_contains_batch(&none, found, e, 2), 0);
    assert_false(found[0] || found[1]);
    assert_int_equal(spv_local_filter_bits_set(&none), 0);
    spv_local_filter_clear(&none);
}

static void merging_is_inserting_both(void **state)
{
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        spv_local_filter a = filter_of(hashings[i], 9);
        spv_local_filter b = filter_of(hashings[i], 9);
        spv_local_filter both = filter_of(hashings[i], 9);
        double either = 0;
        double shared = 0;

        insert(&a, 0, 600);
        insert(&b, 400, 1000);
        insert(&both, 0, 1000);
        assert_int_equal(spv_local_filter_overlap(&either, &shared, &a, &b),
                         SPV_OK);
        assert_in_range(either, 900, 1100);
        assert_in_range(shared, 100, 300);
        assert_int_equal(spv_local_filter_merge(&a, &b), SPV_OK);
        assert_memory_equal(a.bytes, both.bytes, both.len);
        spv_local_filter_clear(&a);
        spv_local_filter_clear(&b);
        spv_local_filter_clear(&both);
    }
}

static void assert_near(double got, double want, double share)
{
    if (!(fabs(got - want) <= share * want))
        fail_msg("%.9g is not within %g of %.9g", got, share, want);
}

/* Without looking at the hashing, blocks would be told two percent too few. */
static void set_bits_tell_elements_and_overlap_for_every_hashing(void **state)
{
    enum { N = 60000, HALF = N / 2 };

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        spv_local_plan plan;
        spv_local_filter a;
        spv_local_filter b;
        double either = 0;
        double shared = 0;

        assert_int_equal(spv_local_plan_for(&plan, N, 1e-6, hashings[i], 5),
                         SPV_OK);
        assert_near(spv_local_plan_capacity(&plan, 1e-6), N, 0.01);
        assert_true(spv_local_plan_capacity(&plan, 1e-6) >= N * (1 - 1e-9));
        assert_int_equal(spv_local_filter_init(&a, &plan), SPV_OK);
        assert_int_equal(spv_local_filter_init(&b, &plan), SPV_OK);
        insert(&a, 0, N);
        insert(&b, HALF, N + HALF);
        assert_near(
            spv_local_plan_elements(&plan, spv_local_filter_bits_set(&a)), N,
            0.005);
        assert_int_equal(spv_local_filter_overlap(&either, &shared, &a, &b),
                         SPV_OK);
        assert_near(either, N + HALF, 0.008);
        assert_near(shared, HALF, 0.03);
        assert_true(isinf(spv_local_plan_elements(&plan, plan.shape.bits)));
        spv_local_filter_clear(&a);
        spv_local_filter_clear(&b);
    }
}

static void other_plans_do_not_merge(void **state)
{
    spv_local_filter a = filter_of(SPV_LOCAL_DOUBLE, 9);
    spv_local_filter b = filter_of(SPV_LOCAL_DOUBLE, 10);
    spv_local_filter c = filter_of(SPV_LOCAL_BIP37, 9);
    double either = 0;
    double shared = 0;

    (void)state;
    insert(&a, 0, 10);
    assert_int_equal(spv_local_filter_merge(&b, &a), SPV_INVAL);
    assert_int_equal(spv_local_filter_merge(&c, &a), SPV_INVAL);
    assert_int_equal(spv_local_filter_overlap(&either, &shared, &a, &c),
                     SPV_INVAL);
    assert_int_equal(spv_local_filter_bits_set(&b), 0);
    spv_local_filter_clear(&a);
    spv_local_filter_clear(&b);
    spv_local_filter_clear(&c);
}

static uint8_t *save(const spv_local_filter *f, size_t *len)
{
    uint8_t *file = malloc(SPV_SAVED_HEADER + f->len);

    assert_non_null(file);
    spv_local_filter_save(file, f);
    memcpy(file + SPV_SAVED_HEADER, f->bytes, f->len);
    *len = SPV_SAVED_HEADER + f->len;
    return file;
}

static void saved_filters_are_used_where_they_lie_or_copied(void **state)
{
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        spv_local_filter f = filter_of(hashings[i], 1234567);
        spv_local_filter view;
        spv_local_filter copy;
        size_t len = 0;
        uint8_t *file = NULL;

        insert(&f, 0, 1000);
        file = save(&f, &len);
        assert_int_equal(spv_local_filter_view(&view, file, len), SPV_OK);
        assert_int_equal(spv_local_filter_load(&copy, file, len), SPV_OK);
        assert_ptr_equal(view.bytes, file + SPV_SAVED_HEADER);
        assert_null(view.own);
        assert_true(spv_local_plan_equal(&view.plan, &f.plan));
        insert(&copy, 1000, 1001);
        assert_true(has(&copy, 1000));
        for (uint32_t e = 0; e < 1000; e++)
            assert_true(has(&view, e) && has(&copy, e));
        spv_local_filter_clear(&view);
        spv_local_filter_clear(&copy);
        spv_local_filter_clear(&f);
        free(file);
    }
}

static void spoilt_payloads_are_viewed_but_not_loaded(void **state)
{
    spv_local_filter f = filter_of(SPV_LOCAL_DOUBLE, 1);
    spv_local_filter back;
    size_t len = 0;
    uint8_t *file = save(&f, &len);

    (void)state;
    file[len - 1] ^= 1;
    assert_int_equal(spv_local_filter_view(&back, file, len), SPV_OK);
    spv_local_filter_clear(&back);
    assert_int_equal(spv_local_filter_load(&back, file, len), SPV_CHECKSUM);
    assert_null(back.bytes);
    assert_int_equal(spv_local_filter_view(&back, file, len - 1),
                     SPV_TRUNCATED);
    assert_null(back.bytes);
    spv_local_filter_clear(&f);
    free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_keep_their_promise),
        cmocka_unit_test(senseless_plans_are_refused),
        cmocka_unit_test(promises_beyond_all_bounds_are_refused),
        cmocka_unit_test(bip37_hashing_makes_the_wire_filters_bits),
        cmocka_unit_test(a_zeroed_filter_contains_nothing),
        cmocka_unit_test(merging_is_inserting_both),
        cmocka_unit_test(set_bits_tell_elements_and_overlap_for_every_hashing),
        cmocka_unit_test(other_plans_do_not_merge),
        cmocka_unit_test(saved_filters_are_used_where_they_lie_or_copied),
        cmocka_unit_test(spoilt_payloads_are_viewed_but_not_loaded),
    };

    return cmocka_run_group_tests_name("bloom.local", tests, NULL, NULL);
}
