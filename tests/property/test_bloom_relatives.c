#include "cmocka_all.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <spv/counting_filter.h>
#include <spv/cuckoo_filter.h>
#include <spv/rolling_filter.h>
#include <spv/scalable_filter.h>

#include "base/rng.h"

/*
 * What the relatives of the Bloom filter promise, over many seeds:
 * no element that is in is ever missed; strangers are found as often as the
 * formula says and no oftener; a merge is the union; what was removed is as if
 * it had never been there.
 */

enum { SEEDS = 24, ELEMENT = 20 };

typedef struct element {
    uint8_t bytes[ELEMENT];
} element;

/** The i-th element of a seed; different ones for different i. */
static element nth(uint64_t seed, uint64_t i)
{
    spv_rng r = {seed * UINT64_C(0x9e3779b97f4a7c15) ^ i << 20};
    element e;
    uint64_t words[3] = {i, spv__rng_next(&r), spv__rng_next(&r)};

    memcpy(e.bytes, words, ELEMENT);
    return e;
}

/** Elements from here on are never inserted. */
static const uint64_t strangers = UINT64_C(1) << 40;

/**
 * `hits` of `asked` strangers were found where each is with probability
 * `rate`: no more than five standard deviations and a fiftieth beside it. The
 * fiftieth is for the formula, which is a limit for large sizes.
 */
static void assert_rate(uint64_t hits, uint64_t asked, double rate)
{
    double expected = (double)asked * rate;
    double margin = 5 * sqrt(expected) + expected / 50;

    if (fabs((double)hits - expected) > margin)
        fail_msg("%.0f of %.0f strangers found, expected %.1f +- %.1f",
                 (double)hits, (double)asked, expected, margin);
}

/** The same for a rate that is only a bound. */
static void assert_rate_below(uint64_t hits, uint64_t asked, double rate)
{
    double expected = (double)asked * rate;

    if ((double)hits > expected + 5 * sqrt(expected) + expected / 50)
        fail_msg("%.0f of %.0f strangers found, at most %.1f expected",
                 (double)hits, (double)asked, expected);
}

/* ---- Counting ---- */

enum { MANY = 600, COUNTING_BYTES = 1200, COUNTING_FUNCS = 11, TWEAK = 99 };

static spv_counting_filter counting_of(size_t bytes, uint32_t hash_funcs)
{
    spv_counting_filter f;

    assert_int_equal(spv_counting_filter_init(&f, bytes, hash_funcs, TWEAK,
                                              SPV_FILTER_UPDATE_ALL),
                     SPV_OK);
    return f;
}

static void count_in(spv_counting_filter *f, element e)
{
    spv_counting_filter_insert(f, e.bytes, ELEMENT);
}

static void count_out(spv_counting_filter *f, element e)
{
    assert_int_equal(spv_counting_filter_remove(f, e.bytes, ELEMENT), SPV_OK);
}

static void assert_counted(const spv_counting_filter *f, element e)
{
    assert_true(spv_counting_filter_contains(f, e.bytes, ELEMENT));
}

/** Inserts and removes at random; `in[i]` tells who is there at the end. */
static void live_counted(spv_counting_filter *f, bool in[MANY], uint64_t seed)
{
    spv_rng r = {seed};

    memset(in, 0, MANY * sizeof(*in));
    for (int event = 0; event < 4 * MANY; event++) {
        uint64_t i = spv__rng_below(&r, MANY);

        if (in[i])
            count_out(f, nth(seed, i));
        else
            count_in(f, nth(seed, i));
        in[i] = !in[i];
    }
}

static void assert_projects_to_plain(const spv_counting_filter *f,
                                     const bool in[MANY], uint64_t seed)
{
    spv_filter plain;
    spv_filter projected;

    assert_int_equal(spv_filter_init(&plain, f->len, f->hash_funcs, TWEAK,
                                     SPV_FILTER_UPDATE_ALL),
                     SPV_OK);
    for (uint64_t i = 0; i < MANY; i++)
        if (in[i])
            spv_filter_insert(&plain, nth(seed, i).bytes, ELEMENT);
    assert_int_equal(spv_counting_filter_project(f, &projected), SPV_OK);
    assert_int_equal(projected.len, plain.len);
    assert_memory_equal(projected.bytes, plain.bytes, plain.len);
    assert_int_equal(projected.hash_funcs, plain.hash_funcs);
    assert_int_equal(projected.tweak, plain.tweak);
    assert_int_equal(projected.flags, plain.flags);
    spv_filter_clear(&plain);
    spv_filter_clear(&projected);
}

static void a_counting_filter_projects_to_the_plain_filter_of_who_is_left(
    void **state)
{
    bool in[MANY];

    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        spv_counting_filter f = counting_of(COUNTING_BYTES, COUNTING_FUNCS);

        live_counted(&f, in, seed);
        assert_int_equal(spv_counting_filter_stuck(&f), 0);
        assert_projects_to_plain(&f, in, seed);
        spv_counting_filter_clear(&f);
    }
}

static void what_a_counting_filter_removes_was_never_there(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        spv_counting_filter f = counting_of(COUNTING_BYTES, COUNTING_FUNCS);
        spv_counting_filter never = counting_of(COUNTING_BYTES, COUNTING_FUNCS);

        for (uint64_t i = 0; i < MANY; i++)
            count_in(&f, nth(seed, i));
        for (uint64_t i = 0; i < MANY; i += 2)
            count_out(&f, nth(seed, i));
        for (uint64_t i = 1; i < MANY; i += 2)
            count_in(&never, nth(seed, i));
        assert_int_equal(f.elements, never.elements);
        assert_memory_equal(f.cells, never.cells, f.len * 4);
        spv_counting_filter_clear(&f);
        spv_counting_filter_clear(&never);
    }
}

/* Forty times too small: most counters stick. */
static void an_overcrowded_counting_filter_misses_nobody(void **state)
{
    bool in[MANY];

    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        spv_counting_filter f = counting_of(30, COUNTING_FUNCS);

        live_counted(&f, in, seed);
        assert_true(spv_counting_filter_stuck(&f) > 0);
        for (uint64_t i = 0; i < MANY; i++)
            if (in[i])
                assert_counted(&f, nth(seed, i));
        spv_counting_filter_clear(&f);
    }
}

static void merged_counting_filters_are_the_filter_of_both(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        spv_counting_filter a = counting_of(60, COUNTING_FUNCS);
        spv_counting_filter b = counting_of(60, COUNTING_FUNCS);
        spv_counting_filter both = counting_of(60, COUNTING_FUNCS);

        for (uint64_t i = 0; i < MANY / 2; i++) {
            count_in(i % 3 ? &a : &b, nth(seed, i));
            count_in(&both, nth(seed, i));
        }
        assert_int_equal(spv_counting_filter_merge(&a, &b), SPV_OK);
        assert_int_equal(a.elements, both.elements);
        assert_memory_equal(a.cells, both.cells, a.len * 4);
        spv_counting_filter_clear(&a);
        spv_counting_filter_clear(&b);
        spv_counting_filter_clear(&both);
    }
}

static void counting_filters_find_as_many_strangers_as_plain_ones(void **state)
{
    const uint64_t asked = 20000;
    uint64_t hits = 0;
    double expected = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        spv_counting_filter f = counting_of(COUNTING_BYTES, 5);

        for (uint64_t i = 0; i < UINT64_C(2) * MANY; i++)
            count_in(&f, nth(seed, i));
        for (uint64_t i = 0; i < asked; i++)
            hits += spv_counting_filter_contains(
                &f, nth(seed, strangers + i).bytes, ELEMENT);
        expected += spv_counting_filter_rate(&f) / SEEDS;
        spv_counting_filter_clear(&f);
    }
    assert_rate(hits, asked * SEEDS, expected);
    assert_rate(hits, asked * SEEDS,
                spv_filter_rate_for(COUNTING_BYTES, 5, 2 * MANY));
}

/* ---- Scalable ---- */

enum { FIRST = 100, GROWN = 6000 }; /* six layers */

static spv_scalable_filter scalable_of(double p, uint64_t seed)
{
    spv_scalable_filter f;

    assert_int_equal(spv_scalable_filter_init(&f, FIRST, p, seed), SPV_OK);
    return f;
}

static void grow_to(spv_scalable_filter *f, uint64_t seed, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        assert_int_equal(
            spv_scalable_filter_insert(f, nth(seed, i).bytes, ELEMENT), SPV_OK);
}

static uint64_t scalable_hits(const spv_scalable_filter *f, uint64_t seed,
                              uint64_t from, uint64_t n)
{
    uint64_t hits = 0;

    for (uint64_t i = from; i < from + n; i++)
        hits += spv_scalable_filter_contains(f, nth(seed, i).bytes, ELEMENT);
    return hits;
}

static void a_scalable_filter_misses_nobody_as_it_grows(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        spv_scalable_filter f = scalable_of(0.01, seed);

        for (uint64_t n = 250; n <= GROWN; n *= 2) {
            grow_to(&f, seed, n); /* the first half again changes nothing */
            assert_int_equal(scalable_hits(&f, seed, 0, n), n);
            assert_in_range(spv_scalable_filter_elements(&f), n - n / 50, n);
        }
        assert_true(f.n_layers > 5);
        spv_scalable_filter_clear(&f);
    }
}

static void a_scalable_filter_keeps_its_promise_at_every_size(void **state)
{
    static const double promises[] = {0.1, 0.01, 0.002};
    const uint64_t asked = 8000;

    (void)state;
    for (size_t k = 0; k < sizeof(promises) / sizeof(promises[0]); k++)
        for (uint64_t n = 100; n <= GROWN; n = n * 4 - n / 4) {
            uint64_t hits = 0;
            double bound = 0;

            for (uint64_t seed = 1; seed <= SEEDS; seed++) {
                spv_scalable_filter f = scalable_of(promises[k], seed);

                grow_to(&f, seed, n);
                hits += scalable_hits(&f, seed, strangers, asked);
                bound += spv_scalable_filter_rate(&f) / SEEDS;
                assert_true(spv_scalable_filter_promise(&f) <= promises[k]);
                spv_scalable_filter_clear(&f);
            }
            assert_rate_below(hits, asked * SEEDS, bound);
            assert_true(bound < promises[k]);
        }
}

/* ---- Rolling ---- */

enum { LAST = 700, STREAM = 6000 };

static spv_rolling_filter rolling_of(double p, uint64_t seed)
{
    spv_rolling_filter f;

    assert_int_equal(spv_rolling_filter_init(&f, LAST, p, seed), SPV_OK);
    return f;
}

static bool rolled(const spv_rolling_filter *f, uint64_t seed, uint64_t i)
{
    return spv_rolling_filter_contains(f, nth(seed, i).bytes, ELEMENT);
}

static void roll(spv_rolling_filter *f, uint64_t seed, uint64_t i)
{
    spv_rolling_filter_insert(f, nth(seed, i).bytes, ELEMENT);
}

/* After every insertion the oldest that must be there is asked for, and now
 * and then all of them. */
static void a_rolling_filter_always_remembers_the_last(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        spv_rolling_filter f = rolling_of(0.001, seed);

        for (uint64_t i = 0; i < STREAM; i++) {
            uint64_t oldest = i < LAST ? 0 : i - (LAST - 1);

            roll(&f, seed, i);
            assert_true(rolled(&f, seed, oldest));
            for (uint64_t k = oldest; i % 500 == 0 && k <= i; k++)
                assert_true(rolled(&f, seed, k));
        }
        spv_rolling_filter_clear(&f);
    }
}

static void a_rolling_filter_forgets_what_is_older_than_eight_sevenths(
    void **state)
{
    uint64_t hits = 0;
    uint64_t asked = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        spv_rolling_filter f = rolling_of(0.001, seed);

        for (uint64_t i = 0; i < STREAM; i++)
            roll(&f, seed, i);
        assert_true(spv_rolling_filter_elements(&f) <= LAST * 8 / 7);
        /* an element more for each that was taken for an old one */
        for (uint64_t i = 0; i + LAST * 8 / 7 + 20 < STREAM; i++) {
            hits += rolled(&f, seed, i);
            asked++;
        }
        spv_rolling_filter_clear(&f);
    }
    assert_rate_below(hits, asked, 0.001);
}

/* What is told again and again moves to the newest each time. */
static void a_rolling_filter_remembers_since_the_last_time(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        spv_rolling_filter f = rolling_of(0.001, seed);

        for (uint64_t i = 0; i < STREAM; i++) {
            if (i % (LAST - 1) == 0)
                roll(&f, seed, strangers);
            else
                roll(&f, seed, i);
            assert_true(rolled(&f, seed, strangers));
        }
        spv_rolling_filter_clear(&f);
    }
}

static void a_rolling_filter_keeps_its_promise_at_every_age(void **state)
{
    static const double promises[] = {0.1, 0.01, 0.001};
    const uint64_t asked = 8000;

    (void)state;
    for (size_t k = 0; k < sizeof(promises) / sizeof(promises[0]); k++)
        for (uint64_t n = 300; n <= STREAM; n *= 3) {
            uint64_t hits = 0;
            double bound = 0;

            for (uint64_t seed = 1; seed <= SEEDS; seed++) {
                spv_rolling_filter f = rolling_of(promises[k], seed);

                for (uint64_t i = 0; i < n; i++)
                    roll(&f, seed, i);
                for (uint64_t i = 0; i < asked; i++)
                    hits += rolled(&f, seed, strangers + i);
                bound += spv_rolling_filter_rate(&f) / SEEDS;
                spv_rolling_filter_clear(&f);
            }
            assert_rate_below(hits, asked * SEEDS, bound);
            assert_true(bound < promises[k]);
        }
}

/* ---- Cuckoo ---- */

static spv_cuckoo_filter cuckoo_of(uint64_t capacity, double p, uint64_t seed)
{
    spv_cuckoo_filter f;

    assert_int_equal(spv_cuckoo_filter_init(&f, capacity, p, seed), SPV_OK);
    return f;
}

static spv_err hatch(spv_cuckoo_filter *f, uint64_t seed, uint64_t i)
{
    return spv_cuckoo_filter_insert(f, nth(seed, i).bytes, ELEMENT);
}

static void leave(spv_cuckoo_filter *f, uint64_t seed, uint64_t i)
{
    assert_int_equal(spv_cuckoo_filter_remove(f, nth(seed, i).bytes, ELEMENT),
                     SPV_OK);
}

static bool nests(const spv_cuckoo_filter *f, uint64_t seed, uint64_t i)
{
    return spv_cuckoo_filter_contains(f, nth(seed, i).bytes, ELEMENT);
}

static void assert_all_nest(const spv_cuckoo_filter *f, uint64_t seed,
                            const bool *in, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        if (in[i])
            assert_true(nests(f, seed, i));
}

/** The very table of a filter in which nothing ever was. */
static void assert_nothing_nests(const spv_cuckoo_filter *f)
{
    assert_int_equal(f->elements, 0);
    assert_int_equal(f->homeless, 0);
    for (size_t i = 0; i < spv_cuckoo_filter_bytes(f); i++)
        assert_int_equal(f->table[i], 0);
}

/* Full to the brim most of the time, and so with the stash in use. */
static void a_cuckoo_filter_misses_nobody_in_a_random_life(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        spv_cuckoo_filter f = cuckoo_of(MANY - 60, 0.001, seed);
        bool in[MANY] = {false};
        spv_rng r = {seed};

        for (int event = 0; event < 8 * MANY; event++) {
            uint64_t i = spv__rng_below(&r, MANY);

            if (!in[i])
                in[i] = hatch(&f, seed, i) == SPV_OK;
            else if (spv__rng_chance(&r, 1, 8))
                leave(&f, seed, i), in[i] = false;
            if (event % 400 == 0)
                assert_all_nest(&f, seed, in, MANY);
        }
        assert_all_nest(&f, seed, in, MANY);
        spv_cuckoo_filter_clear(&f);
    }
}

static void a_refused_cuckoo_leaves_the_others_as_they_were(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        spv_cuckoo_filter f = cuckoo_of(2000, 0.001, seed);
        uint64_t n = 0;

        while (hatch(&f, seed, n) == SPV_OK)
            n++;
        assert_true(n >= 2000);
        assert_int_equal(f.elements, n);
        for (uint64_t i = 0; i < n; i++)
            assert_true(nests(&f, seed, i));
        for (uint64_t i = 0; i < n; i++)
            leave(&f, seed, i);
        assert_nothing_nests(&f);
        spv_cuckoo_filter_clear(&f);
    }
}

static void cuckoo_filters_find_as_many_strangers_as_the_formula_says(
    void **state)
{
    static const double fills[] = {0.25, 0.5, 1};
    const uint64_t asked = 50000;

    (void)state;
    for (size_t k = 0; k < sizeof(fills) / sizeof(fills[0]); k++) {
        uint64_t hits = 0;
        double expected = 0;

        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            spv_cuckoo_filter f = cuckoo_of(2000, 0.01, seed);

            for (uint64_t i = 0; i < (uint64_t)(2000 * fills[k]); i++)
                assert_int_equal(hatch(&f, seed, i), SPV_OK);
            for (uint64_t i = 0; i < asked; i++)
                hits += nests(&f, seed, strangers + i);
            expected += spv_cuckoo_filter_rate(&f) / SEEDS;
            spv_cuckoo_filter_clear(&f);
        }
        assert_rate(hits, asked * SEEDS, expected);
        assert_true(expected < 0.01);
    }
}

/* As often as it was inserted must it be removed to be gone. */
static void merged_cuckoo_filters_hold_both_sets(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        spv_cuckoo_filter a = cuckoo_of(2000, 1e-6, seed);
        spv_cuckoo_filter b = cuckoo_of(2000, 1e-6, seed);

        for (uint64_t i = 0; i < 1900; i++)
            assert_int_equal(hatch(i % 3 ? &a : &b, seed, i), SPV_OK);
        assert_int_equal(spv_cuckoo_filter_merge(&a, &b), SPV_OK);
        assert_int_equal(a.elements, 1900);
        for (uint64_t i = 0; i < 1900; i++)
            assert_true(nests(&a, seed, i));
        for (uint64_t i = 0; i < 1900; i++)
            leave(&a, seed, i);
        assert_nothing_nests(&a);
        spv_cuckoo_filter_clear(&a);
        spv_cuckoo_filter_clear(&b);
    }
}

/** Full to the brim, so that one has no nest; then a third leaves, but not
 * that one. How many were in is returned. */
static uint64_t crowd(spv_cuckoo_filter *f, uint64_t seed)
{
    uint64_t n = 0;

    while (hatch(f, seed, n) == SPV_OK)
        n++;
    assert_int_not_equal(f->homeless, 0);
    for (uint64_t i = 0; i < n; i += 3) {
        spv_cuckoo_filter before = *f;

        leave(f, seed, i);
        if (f->homeless == 0) /* it was that one: it stays */
            *f = before;
    }
    return n;
}

/* Nor is the one forgotten that has no nest in the filter merged. */
static void merging_a_crowded_cuckoo_filter_misses_nobody(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        spv_cuckoo_filter a = cuckoo_of(2000, 1e-6, seed);
        spv_cuckoo_filter b = cuckoo_of(2000, 1e-6, seed);
        uint64_t n = crowd(&b, seed);

        for (uint64_t i = 0; i < 300; i++)
            assert_int_equal(hatch(&a, seed, strangers + i), SPV_OK);
        assert_int_equal(spv_cuckoo_filter_merge(&a, &b), SPV_OK);
        for (uint64_t i = 0; i < n; i++)
            assert_true(i % 3 == 0 || nests(&a, seed, i));
        for (uint64_t i = 0; i < 300; i++)
            assert_true(nests(&a, seed, strangers + i));
        spv_cuckoo_filter_clear(&a);
        spv_cuckoo_filter_clear(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            a_counting_filter_projects_to_the_plain_filter_of_who_is_left),
        cmocka_unit_test(what_a_counting_filter_removes_was_never_there),
        cmocka_unit_test(an_overcrowded_counting_filter_misses_nobody),
        cmocka_unit_test(merged_counting_filters_are_the_filter_of_both),
        cmocka_unit_test(counting_filters_find_as_many_strangers_as_plain_ones),
        cmocka_unit_test(a_scalable_filter_misses_nobody_as_it_grows),
        cmocka_unit_test(a_scalable_filter_keeps_its_promise_at_every_size),
        cmocka_unit_test(a_rolling_filter_always_remembers_the_last),
        cmocka_unit_test(
            a_rolling_filter_forgets_what_is_older_than_eight_sevenths),
        cmocka_unit_test(a_rolling_filter_remembers_since_the_last_time),
        cmocka_unit_test(a_rolling_filter_keeps_its_promise_at_every_age),
        cmocka_unit_test(a_cuckoo_filter_misses_nobody_in_a_random_life),
        cmocka_unit_test(a_refused_cuckoo_leaves_the_others_as_they_were),
        cmocka_unit_test(
            cuckoo_filters_find_as_many_strangers_as_the_formula_says),
        cmocka_unit_test(merged_cuckoo_filters_hold_both_sets),
        cmocka_unit_test(merging_a_crowded_cuckoo_filter_misses_nobody),
    };

    return cmocka_run_group_tests_name("property.bloom.relatives", tests, NULL,
                                       NULL);
}
