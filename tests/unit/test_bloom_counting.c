#include "cmocka_all.h"

#include "bloom_saved.h"
#include "no_memory.h"

#include <spv/counting_filter.h>

#include "bloom/hashes.h"

static const uint8_t alice[20] = {'a', 'l', 'i', 'c', 'e'};
static const uint8_t bob[20] = {'b', 'o', 'b'};

enum { TWEAK = 7 };

static spv_counting_filter filter_of(size_t bytes, uint32_t hash_funcs)
{
    spv_counting_filter f;

    assert_int_equal(spv_counting_filter_init(&f, bytes, hash_funcs, TWEAK,
                                              SPV_FILTER_UPDATE_ALL),
                     SPV_OK);
    return f;
}

static void insert(spv_counting_filter *f, const uint8_t element[20])
{
    spv_counting_filter_insert(f, element, 20);
}

static spv_err take_out(spv_counting_filter *f, const uint8_t element[20])
{
    return spv_counting_filter_remove(f, element, 20);
}

static bool holds(const spv_counting_filter *f, const uint8_t element[20])
{
    return spv_counting_filter_contains(f, element, 20);
}

static void holds_what_was_inserted_until_it_is_removed(void **state)
{
    spv_counting_filter f = filter_of(64, 7);

    (void)state;
    assert_false(holds(&f, alice));
    insert(&f, alice);
    insert(&f, bob);
    assert_int_equal(f.elements, 2);
    assert_true(spv_counting_filter_rate(&f) > 0);
    assert_int_equal(take_out(&f, alice), SPV_OK);
    assert_false(holds(&f, alice));
    assert_true(holds(&f, bob));
    assert_int_equal(take_out(&f, bob), SPV_OK);
    assert_int_equal(spv_counting_filter_bits_set(&f), 0);
    assert_int_equal(f.elements, 0);
    spv_counting_filter_clear(&f);
}

static void a_zeroed_filter_contains_nothing_and_takes_nothing(void **state)
{
    spv_counting_filter f = {0};

    (void)state;
    insert(&f, alice);
    assert_false(holds(&f, alice));
    assert_int_equal(take_out(&f, alice), SPV_NOT_FOUND);
    spv_counting_filter_clear(&f);
}

static void inserted_twice_is_removed_twice(void **state)
{
    spv_counting_filter f = filter_of(64, 7);

    (void)state;
    insert(&f, alice);
    insert(&f, alice);
    assert_int_equal(take_out(&f, alice), SPV_OK);
    assert_true(holds(&f, alice));
    assert_int_equal(take_out(&f, alice), SPV_OK);
    assert_false(holds(&f, alice));
    spv_counting_filter_clear(&f);
}

/* Many strangers meet some counters above zero before one that is not. */
static void removing_a_stranger_changes_nothing(void **state)
{
    spv_counting_filter f = filter_of(16, 7);
    uint8_t before[64];
    uint8_t stranger[20] = {0};

    (void)state;
    insert(&f, alice);
    for (uint8_t i = 0; i < 10; i++)
        insert(&f, (const uint8_t[20]){i, 1});
    memcpy(before, f.cells, sizeof(before));
    for (unsigned i = 0; i < 200; i++) {
        stranger[19] = (uint8_t)i;
        if (holds(&f, stranger))
            continue;
        assert_int_equal(take_out(&f, stranger), SPV_NOT_FOUND);
        assert_memory_equal(f.cells, before, sizeof(before));
        assert_int_equal(f.elements, 11);
    }
    spv_counting_filter_clear(&f);
}

/* With five functions over eight counters, some elements name a counter twice.
 * Where each counter is at one they are contained, but were never inserted. */
static void who_would_take_a_count_twice_was_never_there(void **state)
{
    spv_counting_filter f = filter_of(1, 5);
    size_t taken = 0;

    (void)state;
    for (uint8_t i = 0; i < 40; i++) {
        const uint8_t element[20] = {i};

        memset(f.cells, 0x11, 4);
        f.elements = 1;
        assert_true(holds(&f, element));
        if (take_out(&f, element) == SPV_OK)
            taken++;
        else
            assert_memory_equal(f.cells, "\x11\x11\x11\x11", 4);
        assert_true(spv_counting_filter_bits_set(&f) == (f.elements ? 8 : 3));
    }
    assert_in_range(taken, 1, 39);
    spv_counting_filter_clear(&f);
}

static void a_counter_that_sticks_never_goes_down(void **state)
{
    spv_counting_filter f = filter_of(64, 7);

    (void)state;
    for (int i = 0; i < 16; i++)
        insert(&f, alice);
    insert(&f, bob);
    assert_true(spv_counting_filter_stuck(&f) > 0);
    for (int i = 0; i < 16; i++)
        assert_int_equal(take_out(&f, alice), SPV_OK);
    assert_true(holds(&f, alice)); /* a false positive, for good */
    assert_true(holds(&f, bob));
    assert_int_equal(take_out(&f, bob), SPV_OK);
    assert_int_equal(take_out(&f, alice), SPV_NOT_FOUND);
    assert_int_equal(f.elements, 0);
    spv_counting_filter_clear(&f);
}

/* What the wallet wants it for: the very bytes that go to a node. */
static void a_removed_address_leaves_the_filterload_of_the_others(void **state)
{
    static uint8_t payload[SPV_FILTER_PAYLOAD_MAX];
    static uint8_t want[SPV_FILTER_PAYLOAD_MAX];
    spv_counting_filter f = filter_of(36000, 13);
    spv_filter plain;
    spv_filter projected;
    size_t len = 0;

    (void)state;
    insert(&f, bob);
    insert(&f, alice);
    assert_int_equal(take_out(&f, alice), SPV_OK);
    assert_int_equal(spv_filter_init(&plain, 36000, 13, TWEAK, 1), SPV_OK);
    spv_filter_insert(&plain, bob, sizeof(bob));
    len = spv_filter_encode(want, &plain);
    assert_int_equal(spv_counting_filter_project(&f, &projected), SPV_OK);
    assert_int_equal(spv_filter_encode(payload, &projected), len);
    assert_memory_equal(payload, want, len);
    spv_filter_clear(&plain);
    spv_filter_clear(&projected);
    spv_counting_filter_clear(&f);
}

static void beyond_the_wire_the_bits_are_the_same_filters(void **state)
{
    enum { BYTES = 100001 };
    static uint8_t want[BYTES];
    static uint8_t bits[BYTES];
    spv_counting_filter f = filter_of(BYTES, 21);
    spv__bip37 h = spv__bip37_of(BYTES * 8, 21, TWEAK);
    spv_filter projected;

    (void)state;
    for (uint8_t i = 0; i < 100; i++) {
        insert(&f, (const uint8_t[20]){i});
        spv__bip37_insert(&h, want, (const uint8_t[20]){i}, 20);
    }
    spv_counting_filter_bits(&f, bits);
    assert_memory_equal(bits, want, BYTES);
    assert_int_equal(spv_counting_filter_project(&f, &projected), SPV_LIMIT);
    assert_null(projected.bytes);
    spv_counting_filter_clear(&f);
}

static void sizes_have_limits(void **state)
{
    static const struct {
        size_t bytes;
        uint32_t hash_funcs;
        spv_err want;
    } cases[] = {
        {1, 1, SPV_OK},
        {0, 1, SPV_INVAL},
        {1, 0, SPV_INVAL},
        {1, SPV_FILTER_FUNCS_MAX, SPV_OK},
        {1, SPV_FILTER_FUNCS_MAX + 1, SPV_LIMIT},
        {SPV_COUNTING_FILTER_BYTES_MAX + 1, 1, SPV_LIMIT},
        {SIZE_MAX, UINT32_MAX, SPV_LIMIT},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        spv_counting_filter f;

        assert_int_equal(spv_counting_filter_init(&f, cases[i].bytes,
                                                  cases[i].hash_funcs, 0, 0),
                         cases[i].want);
        assert_true(cases[i].want == SPV_OK || f.cells == NULL);
        spv_counting_filter_clear(&f);
    }
}

static void only_like_filters_merge(void **state)
{
    static const struct {
        size_t bytes;
        uint32_t hash_funcs, tweak;
        spv_err want;
    } cases[] = {
        {64, 7, 1, SPV_OK},
        {65, 7, 1, SPV_INVAL},
        {64, 8, 1, SPV_INVAL},
        {64, 7, 2, SPV_INVAL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        spv_counting_filter f;
        spv_counting_filter other;

        assert_int_equal(spv_counting_filter_init(&f, 64, 7, 1, 0), SPV_OK);
        assert_int_equal(spv_counting_filter_init(&other, cases[i].bytes,
                                                  cases[i].hash_funcs,
                                                  cases[i].tweak, 0),
                         SPV_OK);
        insert(&f, alice);
        insert(&other, bob);
        assert_int_equal(spv_counting_filter_merge(&f, &other), cases[i].want);
        assert_true(holds(&f, alice));
        assert_int_equal(holds(&f, bob), cases[i].want == SPV_OK);
        spv_counting_filter_clear(&f);
        spv_counting_filter_clear(&other);
    }
}

/* ---- Saved ---- */

static saved_bytes save(const spv_counting_filter *f)
{
    uint8_t header[SPV_SAVED_HEADER];

    spv_counting_filter_save(header, f);
    return saved_join(header, f->cells, f->len * 4);
}

static spv_err load(const uint8_t *bytes, size_t len)
{
    spv_counting_filter f;
    spv_err err = spv_counting_filter_load(&f, bytes, len);

    if (err)
        assert_null(f.cells);
    spv_counting_filter_clear(&f);
    return err;
}

static void comes_back_as_it_was_saved(void **state)
{
    spv_counting_filter f = filter_of(64, 7);
    spv_counting_filter back;
    saved_bytes s;

    (void)state;
    insert(&f, alice);
    s = save(&f);
    assert_int_equal(spv_counting_filter_load(&back, s.bytes, s.len), SPV_OK);
    assert_int_equal(back.len, f.len);
    assert_int_equal(back.hash_funcs, f.hash_funcs);
    assert_int_equal(back.tweak, f.tweak);
    assert_int_equal(back.flags, f.flags);
    assert_int_equal(take_out(&back, alice), SPV_OK);
    assert_int_equal(spv_counting_filter_bits_set(&back), 0);
    assert_accidents_are_found(load, s);
    free(s.bytes);
    spv_counting_filter_clear(&back);
    spv_counting_filter_clear(&f);
}

static void forged_files_are_refused(void **state)
{
    static const struct {
        size_t param;
        uint64_t value;
        size_t cut;
        spv_err want;
    } cases[] = {
        {0, 7, 0, SPV_OK},
        {0, 0, 0, SPV_MALFORMED},
        {0, 6, 0, SPV_MALFORMED}, /* not what one element counts to */
        {0, 51, 0, SPV_MALFORMED},
        {0, (UINT64_C(1) << 32) + 7, 0, SPV_MALFORMED},
        {1, UINT64_C(1) << 32, 0, SPV_MALFORMED},
        {2, 256, 0, SPV_MALFORMED},
        {3, 0, 0, SPV_MALFORMED},
        {3, 2, 0, SPV_MALFORMED},
        {3, UINT64_MAX, 0, SPV_MALFORMED},
        {0, 7, 1, SPV_MALFORMED},
        {0, 7, 256, SPV_MALFORMED},
    };
    spv_counting_filter f = filter_of(64, 7);
    saved_bytes s;

    (void)state;
    insert(&f, alice);
    s = save(&f);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(load_forged(load, s, SPV_SAVED_COUNTING,
                                     cases[i].param, cases[i].value,
                                     cases[i].cut),
                         cases[i].want);
    free(s.bytes);
    spv_counting_filter_clear(&f);
}

static void tells_when_memory_runs_out(void **state)
{
    spv_counting_filter f = filter_of(64, 7);
    saved_bytes s = save(&f);
    spv_counting_filter none;
    spv_filter plain;

    (void)state;
    no_memory.armed = true;
    assert_int_equal(spv_counting_filter_init(&none, 64, 7, 0, 0), SPV_NOMEM);
    assert_int_equal(load(s.bytes, s.len), SPV_NOMEM);
    assert_int_equal(spv_counting_filter_project(&f, &plain), SPV_NOMEM);
    no_memory.armed = false;
    assert_null(none.cells);
    assert_null(plain.bytes);
    free(s.bytes);
    spv_counting_filter_clear(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holds_what_was_inserted_until_it_is_removed),
        cmocka_unit_test(a_zeroed_filter_contains_nothing_and_takes_nothing),
        cmocka_unit_test(inserted_twice_is_removed_twice),
        cmocka_unit_test(removing_a_stranger_changes_nothing),
        cmocka_unit_test(who_would_take_a_count_twice_was_never_there),
        cmocka_unit_test(a_counter_that_sticks_never_goes_down),
        cmocka_unit_test(a_removed_address_leaves_the_filterload_of_the_others),
        cmocka_unit_test(beyond_the_wire_the_bits_are_the_same_filters),
        cmocka_unit_test(sizes_have_limits),
        cmocka_unit_test(only_like_filters_merge),
        cmocka_unit_test(comes_back_as_it_was_saved),
        cmocka_unit_test(forged_files_are_refused),
        cmocka_unit_test(tells_when_memory_runs_out),
    };

    return cmocka_run_group_tests_name("bloom.counting", tests, NULL, NULL);
}
