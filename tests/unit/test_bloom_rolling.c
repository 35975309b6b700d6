#include "cmocka_all.h"

#include "bloom_saved.h"
#include "no_memory.h"

#include <spv/rolling_filter.h>

/* Seventy in generations of ten. */
enum { LAST = 70, GENERATION = 10 };

static spv_rolling_filter filter_of(double p)
{
    spv_rolling_filter f;

    assert_int_equal(spv_rolling_filter_init(&f, LAST, p, 42), SPV_OK);
    return f;
}

static void insert(spv_rolling_filter *f, uint32_t i)
{
    spv_rolling_filter_insert(f, (const uint8_t *)&i, sizeof(i));
}

static bool holds(const spv_rolling_filter *f, uint32_t i)
{
    return spv_rolling_filter_contains(f, (const uint8_t *)&i, sizeof(i));
}

/* At 1e-9 nothing is ever found by chance here. */
static void the_eighth_generation_turns_out_the_first(void **state)
{
    spv_rolling_filter f = filter_of(1e-9);

    (void)state;
    for (uint32_t i = 0; i < 8 * GENERATION; i++)
        insert(&f, i);
    assert_int_equal(spv_rolling_filter_elements(&f), 8 * GENERATION);
    for (uint32_t i = 0; i < 8 * GENERATION; i++)
        assert_true(holds(&f, i));
    insert(&f, 8 * GENERATION);
    assert_int_equal(spv_rolling_filter_elements(&f), 7 * GENERATION + 1);
    for (uint32_t i = 0; i <= 8 * GENERATION; i++)
        assert_int_equal(holds(&f, i), i >= GENERATION);
    spv_rolling_filter_clear(&f);
}

static void what_is_new_already_takes_no_room(void **state)
{
    spv_rolling_filter f = filter_of(1e-9);

    (void)state;
    insert(&f, 1);
    for (int i = 0; i < 1000; i++)
        insert(&f, 2);
    assert_int_equal(spv_rolling_filter_elements(&f), 2);
    assert_true(holds(&f, 1));
    spv_rolling_filter_clear(&f);
}

static void another_seed_has_other_false_positives(void **state)
{
    spv_rolling_filter a;
    spv_rolling_filter b;
    size_t differ = 0;

    (void)state;
    assert_int_equal(spv_rolling_filter_init(&a, 7000, 0.2, 1), SPV_OK);
    assert_int_equal(spv_rolling_filter_init(&b, 7000, 0.2, 2), SPV_OK);
    for (uint32_t i = 0; i < 7000; i++)
        insert(&a, i), insert(&b, i);
    for (uint32_t i = 10000; i < 11000; i++)
        differ += holds(&a, i) != holds(&b, i);
    assert_true(differ > 50);
    spv_rolling_filter_clear(&a);
    spv_rolling_filter_clear(&b);
}

/* 238 kB for 50,000 at 1e-6, as the header says. */
static void takes_the_memory_that_its_header_states(void **state)
{
    spv_rolling_filter f;

    (void)state;
    assert_int_equal(spv_rolling_filter_init(&f, 50000, 1e-6, 0), SPV_OK);
    assert_in_range(f.n_cells, 238000, 238500);
    assert_int_equal(f.hash_funcs, 23);
    assert_int_equal(f.generation_size, 7143);
    spv_rolling_filter_clear(&f);
}

static void a_zeroed_filter_contains_nothing_and_takes_nothing(void **state)
{
    spv_rolling_filter f = {0};

    (void)state;
    insert(&f, 1);
    assert_false(holds(&f, 1));
    assert_int_equal(spv_rolling_filter_elements(&f), 0);
    assert_true(spv_rolling_filter_rate(&f) == 0);
    spv_rolling_filter_clear(&f);
}

static void plans_have_limits(void **state)
{
    static const struct {
        uint64_t last;
        double p;
        spv_err want;
    } cases[] = {
        {1, 0.5, SPV_OK},
        {1, 1e-19, SPV_OK},
        {0, 0.5, SPV_INVAL},
        {1, 0, SPV_INVAL},
        {1, 1, SPV_INVAL},
        {1, -1, SPV_INVAL},
        {1, 1e-300, SPV_LIMIT},
        {SPV_ROLLING_FILTER_LAST_MAX + 1, 0.5, SPV_LIMIT},
        {UINT64_MAX, 0.5, SPV_LIMIT},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        spv_rolling_filter f;

        assert_int_equal(
            spv_rolling_filter_init(&f, cases[i].last, cases[i].p, 0),
            cases[i].want);
        assert_true(cases[i].want == SPV_OK || f.cells == NULL);
        spv_rolling_filter_clear(&f);
    }
}

/* ---- Saved ---- */

static saved_bytes save(const spv_rolling_filter *f)
{
    uint8_t header[SPV_SAVED_HEADER];

    spv_rolling_filter_save(header, f);
    return saved_join(header, f->cells, f->n_cells);
}

static spv_err load(const uint8_t *bytes, size_t len)
{
    spv_rolling_filter f;
    spv_err err = spv_rolling_filter_load(&f, bytes, len);

    if (err)
        assert_null(f.cells);
    spv_rolling_filter_clear(&f);
    return err;
}

/* Both go on alike, over many turns. */
static void goes_on_as_if_it_had_never_been_saved(void **state)
{
    spv_rolling_filter f = filter_of(0.01);
    spv_rolling_filter back;
    saved_bytes s;

    (void)state;
    for (uint32_t i = 0; i < 95; i++)
        insert(&f, i);
    s = save(&f);
    assert_int_equal(spv_rolling_filter_load(&back, s.bytes, s.len), SPV_OK);
    for (uint32_t i = 95; i < 300; i++)
        insert(&f, i), insert(&back, i);
    assert_int_equal(back.n_cells, f.n_cells);
    assert_memory_equal(back.cells, f.cells, f.n_cells);
    assert_int_equal(back.turns, f.turns);
    assert_int_equal(back.in_newest, f.in_newest);
    assert_accidents_are_found(load, s);
    free(s.bytes);
    spv_rolling_filter_clear(&back);
    spv_rolling_filter_clear(&f);
}

static void forged_files_are_refused(void **state)
{
    enum { FUNCS, SEED, SIZE, IN_NEWEST, TURNS };
    static const struct {
        size_t param;
        uint64_t value;
        spv_err want;
    } cases[] = {
        {FUNCS, 1, SPV_OK},
        {FUNCS, 0, SPV_MALFORMED},
        {FUNCS, 68, SPV_MALFORMED},
        {FUNCS, UINT64_C(1) << 32, SPV_MALFORMED},
        {SIZE, 0, SPV_MALFORMED},
        {SIZE, UINT64_MAX, SPV_MALFORMED},
        {IN_NEWEST, GENERATION, SPV_OK},
        {IN_NEWEST, GENERATION + 1, SPV_MALFORMED},
        {SEED, UINT64_MAX, SPV_OK},
        {TURNS, UINT64_MAX, SPV_OK},
    };
    spv_rolling_filter f = filter_of(0.01);
    saved_bytes s = save(&f);

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(load_forged(load, s, SPV_SAVED_ROLLING, cases[i].param,
                                     cases[i].value, 0),
                         cases[i].want);
    assert_int_equal(
        load_forged(load, s, SPV_SAVED_ROLLING, SEED, 0, f.n_cells),
        SPV_MALFORMED);
    free(s.bytes);
    spv_rolling_filter_clear(&f);
}

static void tells_when_memory_runs_out(void **state)
{
    spv_rolling_filter f = filter_of(0.01);
    saved_bytes s = save(&f);
    spv_rolling_filter none;

    (void)state;
    no_memory.armed = true;
    assert_int_equal(spv_rolling_filter_init(&none, LAST, 0.01, 0), SPV_NOMEM);
    assert_int_equal(load(s.bytes, s.len), SPV_NOMEM);
    no_memory.armed = false;
    assert_null(none.cells);
    free(s.bytes);
    spv_rolling_filter_clear(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_eighth_generation_turns_out_the_first),
        cmocka_unit_test(what_is_new_already_takes_no_room),
        cmocka_unit_test(another_seed_has_other_false_positives),
        cmocka_unit_test(takes_the_memory_that_its_header_states),
        cmocka_unit_test(a_zeroed_filter_contains_nothing_and_takes_nothing),
        cmocka_unit_test(plans_have_limits),
        cmocka_unit_test(goes_on_as_if_it_had_never_been_saved),
        cmocka_unit_test(forged_files_are_refused),
        cmocka_unit_test(tells_when_memory_runs_out),
    };

    return cmocka_run_group_tests_name("bloom.rolling", tests, NULL, NULL);
}
