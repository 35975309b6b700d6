#include "cmocka_all.h"

#include "bloom_saved.h"
#include "no_memory.h"

#include <math.h>

#include <spv/cuckoo_filter.h>

static spv_cuckoo_filter filter_of(uint64_t capacity, double p)
{
    spv_cuckoo_filter f;

    assert_int_equal(spv_cuckoo_filter_init(&f, capacity, p, 42), SPV_OK);
    return f;
}

static spv_err insert(spv_cuckoo_filter *f, uint32_t i)
{
    return spv_cuckoo_filter_insert(f, (const uint8_t *)&i, sizeof(i));
}

static spv_err take_out(spv_cuckoo_filter *f, uint32_t i)
{
    return spv_cuckoo_filter_remove(f, (const uint8_t *)&i, sizeof(i));
}

static bool holds(const spv_cuckoo_filter *f, uint32_t i)
{
    return spv_cuckoo_filter_contains(f, (const uint8_t *)&i, sizeof(i));
}

/** Insert 0, 1, 2 ... until there is no room; how many there are. */
static uint32_t fill(spv_cuckoo_filter *f)
{
    uint32_t n = 0;

    while (insert(f, n) == SPV_OK)
        n++;
    return n;
}

static void holds_what_was_inserted_until_it_is_removed(void **state)
{
    spv_cuckoo_filter f = filter_of(100, 1e-6);

    (void)state;
    assert_false(holds(&f, 1));
    assert_int_equal(take_out(&f, 1), SPV_NOT_FOUND);
    assert_int_equal(insert(&f, 1), SPV_OK);
    assert_int_equal(insert(&f, 2), SPV_OK);
    assert_int_equal(take_out(&f, 3), SPV_NOT_FOUND);
    assert_int_equal(take_out(&f, 1), SPV_OK);
    assert_false(holds(&f, 1));
    assert_true(holds(&f, 2));
    assert_int_equal(take_out(&f, 1), SPV_NOT_FOUND);
    assert_int_equal(f.elements, 1);
    spv_cuckoo_filter_clear(&f);
}

/* Every width, so that slots lie at every offset within their bytes. */
static void fingerprints_of_every_width_keep_to_their_slots(void **state)
{
    (void)state;
    for (uint32_t bits = 8; bits <= 32; bits++) {
        double p = 7.6 / ((double)(UINT64_C(1) << bits) - 1) * 1.001;
        spv_cuckoo_filter f =
            filter_of(200, fmax(p, SPV_CUCKOO_FILTER_RATE_MIN));

        assert_int_equal(f.bits, bits);
        for (uint32_t i = 0; i < 200; i++)
            assert_int_equal(insert(&f, i), SPV_OK);
        for (uint32_t i = 0; i < 200; i++)
            assert_true(holds(&f, i));
        for (uint32_t i = 0; i < 200; i++)
            assert_int_equal(take_out(&f, i), SPV_OK);
        for (size_t i = 0; i < spv_cuckoo_filter_bytes(&f); i++)
            assert_int_equal(f.table[i], 0);
        spv_cuckoo_filter_clear(&f);
    }
}

static void the_same_nine_times_needs_the_stash_and_ten_do_not_fit(void **state)
{
    spv_cuckoo_filter f = filter_of(1000, 1e-6);

    (void)state;
    for (uint32_t i = 100; i < 600; i++)
        assert_int_equal(insert(&f, i), SPV_OK);
    for (int i = 0; i < 9; i++)
        assert_int_equal(insert(&f, 5), SPV_OK);
    assert_int_not_equal(f.homeless, 0);
    assert_int_equal(insert(&f, 5), SPV_LIMIT);
    for (int i = 0; i < 9; i++) {
        assert_true(holds(&f, 5));
        assert_int_equal(take_out(&f, 5), SPV_OK);
    }
    assert_false(holds(&f, 5));
    assert_int_equal(f.elements, 500);
    spv_cuckoo_filter_clear(&f);
}

static void a_full_table_refuses_and_loses_nobody(void **state)
{
    spv_cuckoo_filter f = filter_of(1000, 1e-6);
    uint32_t n = fill(&f);

    (void)state;
    assert_in_range(n, 1000, f.n_buckets * 4 + 1);
    assert_int_equal(f.elements, n);
    for (uint32_t i = n + 1; i < n + 40; i++) {
        if (insert(&f, i) != SPV_LIMIT)
            assert_int_equal(take_out(&f, i), SPV_OK);
        for (uint32_t k = 0; k < n; k++)
            assert_true(holds(&f, k));
    }
    spv_cuckoo_filter_clear(&f);
}

static void room_that_a_removal_makes_is_found_again(void **state)
{
    spv_cuckoo_filter f = filter_of(1000, 1e-6);
    uint32_t n = fill(&f);

    (void)state;
    for (uint32_t i = 0; i < n / 2; i++)
        assert_int_equal(take_out(&f, i), SPV_OK);
    for (uint32_t i = 0; i < n / 2 - 60; i++)
        assert_int_equal(insert(&f, 100000 + i), SPV_OK);
    for (uint32_t i = n / 2; i < n; i++)
        assert_true(holds(&f, i));
    spv_cuckoo_filter_clear(&f);
}

/* From one bucket on, for capacities that are far from any average. */
static void tables_of_any_size_hold_what_they_were_made_for(void **state)
{
    (void)state;
    for (uint32_t capacity = 1; capacity < 1200; capacity += 1 + capacity / 9) {
        spv_cuckoo_filter f = filter_of(capacity, 1e-6);
        uint32_t n = fill(&f);

        assert_true(n >= capacity);
        for (uint32_t i = 0; i < n; i++)
            assert_true(holds(&f, i));
        spv_cuckoo_filter_clear(&f);
    }
}

static void rate_and_memory_are_the_headers(void **state)
{
    spv_cuckoo_filter f = filter_of(1900, 0.0019);

    (void)state;
    assert_int_equal(f.bits, 12);
    assert_int_equal(f.n_buckets, 500 + 4);
    assert_int_equal(spv_cuckoo_filter_bytes(&f), 504 * 4 * 12 / 8);
    assert_true(spv_cuckoo_filter_rate(&f) == 0);
    for (uint32_t i = 0; i < 1008; i++)
        assert_int_equal(insert(&f, i), SPV_OK);
    assert_true(spv_cuckoo_filter_fill(&f) == 0.5);
    /* 1 - (1 - 1/4095)^4 = 9.764e-4 */
    assert_in_range((uint64_t)(spv_cuckoo_filter_rate(&f) * 1e7), 9763, 9765);
    spv_cuckoo_filter_clear(&f);
}

static void a_zeroed_filter_contains_nothing_and_takes_nothing(void **state)
{
    spv_cuckoo_filter f = {0};

    (void)state;
    assert_int_equal(insert(&f, 1), SPV_LIMIT);
    assert_false(holds(&f, 1));
    assert_int_equal(take_out(&f, 1), SPV_NOT_FOUND);
    assert_true(spv_cuckoo_filter_rate(&f) == 0);
    assert_int_equal(spv_cuckoo_filter_merge(&f, &f), SPV_INVAL);
    spv_cuckoo_filter_clear(&f);
}

static void plans_have_limits(void **state)
{
    static const struct {
        uint64_t capacity;
        double p;
        spv_err want;
    } cases[] = {
        {1, 0.5, SPV_OK},
        {1, SPV_CUCKOO_FILTER_RATE_MIN, SPV_OK},
        {0, 0.5, SPV_INVAL},
        {1, 0, SPV_INVAL},
        {1, 1, SPV_INVAL},
        {1, -1, SPV_INVAL},
        {1, 1e-9, SPV_LIMIT},
        {SPV_CUCKOO_FILTER_CAPACITY_MAX + 1, 0.5, SPV_LIMIT},
        {UINT64_MAX, 0.5, SPV_LIMIT},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        spv_cuckoo_filter f;

        assert_int_equal(
            spv_cuckoo_filter_init(&f, cases[i].capacity, cases[i].p, 0),
            cases[i].want);
        assert_true(cases[i].want == SPV_OK || f.table == NULL);
        spv_cuckoo_filter_clear(&f);
    }
}

static void only_like_filters_merge(void **state)
{
    static const struct {
        uint64_t capacity;
        double p;
        uint64_t seed;
        spv_err want;
    } cases[] = {
        {100, 0.001, 1, SPV_OK},
        {900, 0.001, 1, SPV_INVAL},
        {100, 0.1, 1, SPV_INVAL},
        {100, 0.001, 2, SPV_INVAL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        spv_cuckoo_filter f;
        spv_cuckoo_filter other;

        assert_int_equal(spv_cuckoo_filter_init(&f, 100, 0.001, 1), SPV_OK);
        assert_int_equal(spv_cuckoo_filter_init(&other, cases[i].capacity,
                                                cases[i].p, cases[i].seed),
                         SPV_OK);
        assert_int_equal(insert(&f, 1), SPV_OK);
        assert_int_equal(insert(&other, 2), SPV_OK);
        assert_int_equal(spv_cuckoo_filter_merge(&f, &other), cases[i].want);
        assert_true(holds(&f, 1));
        assert_int_equal(holds(&f, 2), cases[i].want == SPV_OK);
        spv_cuckoo_filter_clear(&f);
        spv_cuckoo_filter_clear(&other);
    }
}

static void a_merge_without_room_changes_nothing(void **state)
{
    spv_cuckoo_filter a = filter_of(100, 1e-6);
    spv_cuckoo_filter b = filter_of(100, 1e-6);
    spv_cuckoo_filter before = a;
    uint32_t n = fill(&b);
    uint8_t table[512];

    (void)state;
    assert_true(spv_cuckoo_filter_bytes(&a) <= sizeof(table));
    for (uint32_t i = 0; i < 60; i++)
        assert_int_equal(insert(&a, 1000 + i), SPV_OK);
    memcpy(table, a.table, spv_cuckoo_filter_bytes(&a));
    assert_int_equal(spv_cuckoo_filter_merge(&a, &b), SPV_LIMIT);
    assert_ptr_equal(a.table, before.table);
    assert_memory_equal(a.table, table, spv_cuckoo_filter_bytes(&a));
    assert_int_equal(a.elements, 60);
    assert_int_equal(b.elements, n);
    spv_cuckoo_filter_clear(&a);
    spv_cuckoo_filter_clear(&b);
}

/* ---- Saved ---- */

static saved_bytes save(const spv_cuckoo_filter *f)
{
    uint8_t header[SPV_SAVED_HEADER];

    spv_cuckoo_filter_save(header, f);
    return saved_join(header, f->table, spv_cuckoo_filter_bytes(f));
}

static spv_err load(const uint8_t *bytes, size_t len)
{
    spv_cuckoo_filter f;
    spv_err err = spv_cuckoo_filter_load(&f, bytes, len);

    if (err)
        assert_null(f.table);
    spv_cuckoo_filter_clear(&f);
    return err;
}

static void comes_back_as_it_was_saved_with_its_homeless(void **state)
{
    spv_cuckoo_filter f = filter_of(200, 1e-4);
    spv_cuckoo_filter back;
    uint32_t n = fill(&f);
    saved_bytes s = save(&f);

    (void)state;
    assert_int_not_equal(f.homeless, 0);
    assert_int_equal(spv_cuckoo_filter_load(&back, s.bytes, s.len), SPV_OK);
    assert_int_equal(back.elements, n);
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal(take_out(&back, i), SPV_OK);
    assert_accidents_are_found(load, s);
    free(s.bytes);
    spv_cuckoo_filter_clear(&back);
    spv_cuckoo_filter_clear(&f);
}

static void forged_files_are_refused(void **state)
{
    enum { BUCKETS, BITS, SEED, ELEMENTS, HOMELESS, HOMELESS_BUCKET };
    static const struct {
        size_t param;
        uint64_t value;
        size_t cut;
        spv_err want;
    } cases[] = {
        {BUCKETS, 57, 0, SPV_OK},
        {BUCKETS, 0, 0, SPV_MALFORMED},
        {BUCKETS, 58, 0, SPV_MALFORMED},
        {BUCKETS, UINT64_MAX, 0, SPV_MALFORMED},
        {BUCKETS, (UINT64_C(1) << 60) + 57, 0, SPV_MALFORMED},
        {BITS, 0, 0, SPV_MALFORMED},
        {BITS, 33, 0, SPV_MALFORMED},
        {BITS, (UINT64_C(1) << 32) + 17, 0, SPV_MALFORMED},
        {SEED, 7, 0, SPV_OK},
        {ELEMENTS, 49, 0, SPV_MALFORMED},
        {ELEMENTS, UINT64_MAX, 0, SPV_MALFORMED},
        {HOMELESS, 1, 0, SPV_MALFORMED}, /* one more than there should be */
        {HOMELESS, 1 << 17, 0, SPV_MALFORMED},
        {HOMELESS_BUCKET, 56, 0, SPV_OK},
        {HOMELESS_BUCKET, 57, 0, SPV_MALFORMED},
        {SEED, 7, 1, SPV_MALFORMED},
    };
    spv_cuckoo_filter f = filter_of(200, 1e-4);
    saved_bytes s;

    (void)state;
    for (uint32_t i = 0; i < 50; i++)
        assert_int_equal(insert(&f, i), SPV_OK);
    assert_int_equal(f.n_buckets, 57);
    assert_int_equal(f.bits, 17);
    s = save(&f);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(load_forged(load, s, SPV_SAVED_CUCKOO, cases[i].param,
                                     cases[i].value, cases[i].cut),
                         cases[i].want);
    free(s.bytes);
    spv_cuckoo_filter_clear(&f);
}

static void tells_when_memory_runs_out(void **state)
{
    spv_cuckoo_filter f = filter_of(100, 0.01);
    saved_bytes s = save(&f);
    spv_cuckoo_filter none;

    (void)state;
    assert_int_equal(insert(&f, 1), SPV_OK);
    no_memory.armed = true;
    assert_int_equal(spv_cuckoo_filter_init(&none, 100, 0.01, 0), SPV_NOMEM);
    assert_int_equal(load(s.bytes, s.len), SPV_NOMEM);
    assert_int_equal(spv_cuckoo_filter_merge(&f, &f), SPV_NOMEM);
    no_memory.armed = false;
    assert_null(none.table);
    assert_int_equal(f.elements, 1);
    assert_true(holds(&f, 1));
    free(s.bytes);
    spv_cuckoo_filter_clear(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holds_what_was_inserted_until_it_is_removed),
        cmocka_unit_test(fingerprints_of_every_width_keep_to_their_slots),
        cmocka_unit_test(
            the_same_nine_times_needs_the_stash_and_ten_do_not_fit),
        cmocka_unit_test(a_full_table_refuses_and_loses_nobody),
        cmocka_unit_test(room_that_a_removal_makes_is_found_again),
        cmocka_unit_test(tables_of_any_size_hold_what_they_were_made_for),
        cmocka_unit_test(rate_and_memory_are_the_headers),
        cmocka_unit_test(a_zeroed_filter_contains_nothing_and_takes_nothing),
        cmocka_unit_test(plans_have_limits),
        cmocka_unit_test(only_like_filters_merge),
        cmocka_unit_test(a_merge_without_room_changes_nothing),
        cmocka_unit_test(comes_back_as_it_was_saved_with_its_homeless),
        cmocka_unit_test(forged_files_are_refused),
        cmocka_unit_test(tells_when_memory_runs_out),
    };

    return cmocka_run_group_tests_name("bloom.cuckoo", tests, NULL, NULL);
}
