#include "cmocka_all.h"

#include "bloom_saved.h"
#include "no_memory.h"

#include <math.h>

#include <spv/filter_maths.h>
#include <spv/scalable_filter.h>

enum { FIRST = 50 };

static spv_scalable_filter filter_of(double p)
{
    spv_scalable_filter f;

    assert_int_equal(spv_scalable_filter_init(&f, FIRST, p, 42), SPV_OK);
    return f;
}

static spv_err insert(spv_scalable_filter *f, uint32_t i)
{
    return spv_scalable_filter_insert(f, (const uint8_t *)&i, sizeof(i));
}

static void insert_up_to(spv_scalable_filter *f, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal(insert(f, i), SPV_OK);
}

static bool holds(const spv_scalable_filter *f, uint32_t i)
{
    return spv_scalable_filter_contains(f, (const uint8_t *)&i, sizeof(i));
}

/* Rooms of 50, 100, 200, 400 ... */
static void grows_a_layer_when_the_newest_is_full(void **state)
{
    static const struct {
        uint32_t elements, layers;
    } cases[] = {{0, 1},   {1, 1},   {50, 1},  {51, 2},  {150, 2},
                 {151, 3}, {350, 3}, {351, 4}, {750, 4}, {751, 5}};
    spv_scalable_filter f = filter_of(1e-9);

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        insert_up_to(&f, cases[i].elements);
        assert_int_equal(f.n_layers, cases[i].layers);
        assert_int_equal(spv_scalable_filter_elements(&f), cases[i].elements);
    }
    for (uint32_t i = 0; i < 751; i++)
        assert_true(holds(&f, i));
    assert_false(holds(&f, 751));
    spv_scalable_filter_clear(&f);
}

/* Each layer by itself, from the formula that does not know of the series; and
 * the bits that are set, when seven layers are just full, say the same. */
static void layers_have_the_rates_of_the_series(void **state)
{
    spv_scalable_filter f = filter_of(0.01);
    size_t at = 0;
    double sum = 0;

    (void)state;
    insert_up_to(&f, FIRST * 127);
    assert_int_equal(f.n_layers, 7);
    assert_int_equal(f.first_funcs, 8);
    for (uint32_t i = 0; i < f.n_layers; i++) {
        double room = FIRST * (double)(1u << i);
        spv_filter_shape shape = {/* 50/ln 2 = 72.1, in whole words */
                                  .bits = UINT64_C(128) * (8 + i) << i,
                                  .hash_funcs = 8 + i};

        at += (size_t)shape.bits / 8;
        sum += spv_filter_shape_rate(shape, room);
        assert_true(spv_filter_shape_rate(shape, room) < 1.0 / (256 << i));
    }
    assert_int_equal(f.len, at);
    assert_true(sum < spv_scalable_filter_promise(&f));
    assert_true(spv_scalable_filter_promise(&f) == 1.0 / 128);
    assert_true(fabs(spv_scalable_filter_rate(&f) / sum - 1) < 0.15);
    spv_scalable_filter_clear(&f);
}

static void what_it_contains_takes_no_room(void **state)
{
    spv_scalable_filter f = filter_of(1e-9);

    (void)state;
    for (int i = 0; i < 20; i++)
        insert_up_to(&f, FIRST);
    assert_int_equal(f.n_layers, 1);
    assert_int_equal(spv_scalable_filter_elements(&f), FIRST);
    spv_scalable_filter_clear(&f);
}

static void a_zeroed_filter_contains_nothing_and_takes_nothing(void **state)
{
    spv_scalable_filter f = {0};

    (void)state;
    assert_int_equal(insert(&f, 1), SPV_LIMIT);
    assert_false(holds(&f, 1));
    assert_true(spv_scalable_filter_rate(&f) == 0);
    assert_int_equal(spv_scalable_filter_elements(&f), 0);
    spv_scalable_filter_clear(&f);
}

static void plans_have_limits(void **state)
{
    static const struct {
        uint64_t first;
        double p;
        spv_err want;
    } cases[] = {
        {1, 0.5, SPV_OK},
        {1, 0.999, SPV_OK},
        {1, 1e-18, SPV_OK},
        {0, 0.5, SPV_INVAL},
        {1, 0, SPV_INVAL},
        {1, 1, SPV_INVAL},
        {1, -0.5, SPV_INVAL},
        {1, 1e-19, SPV_LIMIT},
        {SPV_SCALABLE_FILTER_LAYER_MAX + 1, 0.5, SPV_LIMIT},
        {UINT64_MAX, 0.5, SPV_LIMIT},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        spv_scalable_filter f;

        assert_int_equal(
            spv_scalable_filter_init(&f, cases[i].first, cases[i].p, 0),
            cases[i].want);
        assert_true(cases[i].want == SPV_OK || f.bytes == NULL);
        spv_scalable_filter_clear(&f);
    }
}

/* ---- Saved ---- */

static saved_bytes save(const spv_scalable_filter *f)
{
    uint8_t header[SPV_SAVED_HEADER];

    spv_scalable_filter_save(header, f);
    return saved_join(header, f->bytes, f->len);
}

static spv_err load(const uint8_t *bytes, size_t len)
{
    spv_scalable_filter f;
    spv_err err = spv_scalable_filter_load(&f, bytes, len);

    if (err)
        assert_null(f.bytes);
    spv_scalable_filter_clear(&f);
    return err;
}

static void grows_on_as_if_it_had_never_been_saved(void **state)
{
    spv_scalable_filter f = filter_of(0.1);
    spv_scalable_filter back;
    saved_bytes s;

    (void)state;
    insert_up_to(&f, 140);
    s = save(&f);
    assert_int_equal(spv_scalable_filter_load(&back, s.bytes, s.len), SPV_OK);
    insert_up_to(&f, 1000);
    insert_up_to(&back, 1000);
    assert_int_equal(back.len, f.len);
    assert_memory_equal(back.bytes, f.bytes, f.len);
    assert_int_equal(back.in_newest, f.in_newest);
    assert_accidents_are_found(load, s);
    free(s.bytes);
    spv_scalable_filter_clear(&back);
    spv_scalable_filter_clear(&f);
}

static void forged_files_are_refused(void **state)
{
    enum { FIRST_ROOM, FIRST_FUNCS, LAYERS, IN_NEWEST };
    static const struct {
        size_t param;
        uint64_t value;
        size_t cut;
        spv_err want;
    } cases[] = {
        {FIRST_ROOM, FIRST, 0, SPV_OK},
        {FIRST_ROOM, 0, 0, SPV_MALFORMED},
        {FIRST_ROOM, 1000, 0, SPV_MALFORMED},
        {FIRST_ROOM, UINT64_MAX, 0, SPV_MALFORMED},
        {FIRST_FUNCS, 0, 0, SPV_MALFORMED},
        {FIRST_FUNCS, 9, 0, SPV_MALFORMED},
        {FIRST_FUNCS, (UINT64_C(1) << 32) + 8, 0, SPV_MALFORMED},
        {FIRST_FUNCS, UINT64_MAX, 0, SPV_MALFORMED},
        {LAYERS, 0, 0, SPV_MALFORMED},
        {LAYERS, 1, 0, SPV_MALFORMED},
        {LAYERS, 3, 0, SPV_MALFORMED},
        {LAYERS, 63, 0, SPV_MALFORMED},
        {LAYERS, 64, 0, SPV_MALFORMED},
        {LAYERS, (UINT64_C(1) << 32) + 2, 0, SPV_MALFORMED},
        {LAYERS, UINT64_MAX, 0, SPV_MALFORMED},
        {IN_NEWEST, 100, 0, SPV_OK},
        {IN_NEWEST, 101, 0, SPV_MALFORMED},
        {FIRST_ROOM, FIRST, 1, SPV_MALFORMED},
    };
    spv_scalable_filter f = filter_of(0.01);
    saved_bytes s;

    (void)state;
    insert_up_to(&f, FIRST + 20);
    assert_int_equal(f.n_layers, 2);
    s = save(&f);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(load_forged(load, s, SPV_SAVED_SCALABLE,
                                     cases[i].param, cases[i].value,
                                     cases[i].cut),
                         cases[i].want);
    free(s.bytes);
    spv_scalable_filter_clear(&f);
}

static void stays_whole_when_memory_runs_out(void **state)
{
    spv_scalable_filter f = filter_of(1e-9);
    spv_scalable_filter none;
    saved_bytes s;

    (void)state;
    insert_up_to(&f, FIRST);
    s = save(&f);
    no_memory.armed = true;
    assert_int_equal(spv_scalable_filter_init(&none, FIRST, 0.1, 0), SPV_NOMEM);
    assert_int_equal(load(s.bytes, s.len), SPV_NOMEM);
    assert_int_equal(insert(&f, FIRST), SPV_NOMEM);
    no_memory.armed = false;
    assert_null(none.bytes);
    assert_int_equal(f.n_layers, 1);
    assert_false(holds(&f, FIRST));
    for (uint32_t i = 0; i < FIRST; i++)
        assert_true(holds(&f, i));
    assert_int_equal(insert(&f, FIRST), SPV_OK);
    assert_true(holds(&f, FIRST));
    free(s.bytes);
    spv_scalable_filter_clear(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grows_a_layer_when_the_newest_is_full),
        cmocka_unit_test(layers_have_the_rates_of_the_series),
        cmocka_unit_test(what_it_contains_takes_no_room),
        cmocka_unit_test(a_zeroed_filter_contains_nothing_and_takes_nothing),
        cmocka_unit_test(plans_have_limits),
        cmocka_unit_test(grows_on_as_if_it_had_never_been_saved),
        cmocka_unit_test(forged_files_are_refused),
        cmocka_unit_test(stays_whole_when_memory_runs_out),
    };

    return cmocka_run_group_tests_name("bloom.scalable", tests, NULL, NULL);
}
