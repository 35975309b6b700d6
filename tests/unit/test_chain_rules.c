#include "cmocka_all.h"

#include <stdlib.h>

#include "chain/rules.h"

#define LATE INT64_C(4000000000)

enum {
    ORDINARY = 0x1c0ffff0,
    AFTER_A_PERIOD =
        0x1c0ffde7, /* ORDINARY * 2015 / 2016: a block is left out */
    EASIEST = 0x1d00ffff
};

/* A past that lies in an array; `base` is the height of its first item. */
typedef struct fixture {
    spv_stamp stamps[3 * SPV__RETARGET_INTERVAL];
    int32_t base;
} fixture;

static spv_stamp get(void *self, int32_t height)
{
    fixture *f = self;

    assert_true(height >= f->base);
    return f->stamps[height - f->base];
}

/** A block every ten minutes, all with these bits. */
static fixture *even(int32_t base, uint32_t bits)
{
    fixture *f = malloc(sizeof(*f));

    assert_non_null(f);
    f->base = base;
    for (uint32_t i = 0; i < 3 * SPV__RETARGET_INTERVAL; i++)
        f->stamps[i] = (spv_stamp){.time = 1500000000 + 600 * i, .bits = bits};
    return f;
}

static spv_past past_of(fixture *f, int32_t parent)
{
    return (spv_past){.parent = parent, .base = f->base, .get = get, .self = f};
}

static uint32_t required(spv_chain chain, fixture *f, int32_t parent,
                         uint32_t gap)
{
    spv_past past = past_of(f, parent);
    uint32_t bits = 0;
    spv_stamp next = {.time = get(f, parent).time + gap};

    (void)spv__bits_allowed(spv_network_get(chain), &past, next, &bits);
    return bits;
}

static bool allowed(spv_chain chain, fixture *f, int32_t parent, uint32_t bits)
{
    spv_past past = past_of(f, parent);
    uint32_t needed = 0;
    spv_stamp next = {.time = get(f, parent).time + 600, .bits = bits};

    return spv__bits_allowed(spv_network_get(chain), &past, next, &needed);
}

static void bits_stay_within_a_period(void **state)
{
    fixture *f = even(0, ORDINARY);

    (void)state;
    assert_int_equal(required(SPV_MAIN, f, 100, 600), ORDINARY);
    assert_int_equal(required(SPV_MAIN, f, 100, 99999), ORDINARY);
    assert_int_equal(required(SPV_SIGNET, f, 100, 99999), ORDINARY);
    assert_int_equal(required(SPV_TESTNET3, f, 100, 1200), ORDINARY);
    assert_int_equal(required(SPV_TESTNET3, f, 100, 1201), EASIEST);
    assert_int_equal(required(SPV_TESTNET4, f, 100, 1201), EASIEST);
    free(f);
}

static void regtest_never_changes_bits(void **state)
{
    fixture *f = even(0, 0x207fffff);

    (void)state;
    for (int32_t i = 0; i < 3 * SPV__RETARGET_INTERVAL; i += 63)
        assert_int_equal(required(SPV_REGTEST, f, i, 5000), 0x207fffff);
    free(f);
}

static void twenty_minute_blocks_are_walked_over(void **state)
{
    fixture *f = even(0, ORDINARY);

    (void)state;
    for (int32_t i = 2017; i < 3000; i++)
        f->stamps[i].bits = EASIEST;
    assert_int_equal(required(SPV_TESTNET3, f, 2999, 600), ORDINARY);
    f->stamps[2016].bits = EASIEST; /* the walk stops at the period's first */
    assert_int_equal(required(SPV_TESTNET3, f, 2999, 600), EASIEST);
    free(f);
}

static void testnet4_retargets_from_the_periods_first_bits(void **state)
{
    fixture *f = even(0, ORDINARY);
    uint32_t kept = spv__retarget(spv_network_get(SPV_MAIN), ORDINARY,
                                  f->stamps[2016].time, f->stamps[4031].time);

    (void)state;
    f->stamps[4031].bits = EASIEST;
    assert_int_equal(required(SPV_TESTNET4, f, 4031, 600), kept);
    assert_int_not_equal(required(SPV_TESTNET3, f, 4031, 600), kept);
    free(f);
}

static void unknown_first_retarget_is_held_to_a_factor_of_four(void **state)
{
    static const struct {
        uint32_t bits;
        bool allowed;
    } cases[] = {
        {ORDINARY, true},    {0x1c3fffc0, true},  {0x1c03fffc, true},
        {0x1c3fffc1, false}, {0x1c03fffb, false}, {EASIEST, false},
        {0x1b03fffc, false},
    };
    fixture *f = even(1000, ORDINARY);

    (void)state;
    assert_int_equal(required(SPV_MAIN, f, 2015, 600), 0);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(allowed(SPV_MAIN, f, 2015, cases[i].bits),
                         cases[i].allowed);
    assert_int_equal(required(SPV_MAIN, f, 4031, 600), AFTER_A_PERIOD);
    free(f);
}

static void unknown_ordinary_bits_pass_until_the_period_ends(void **state)
{
    fixture *f = even(1000, EASIEST);

    (void)state;
    assert_int_equal(required(SPV_TESTNET3, f, 1500, 600), 0);
    assert_true(allowed(SPV_TESTNET3, f, 1500, ORDINARY));
    f->stamps[400].bits = ORDINARY;
    assert_int_equal(required(SPV_TESTNET3, f, 1500, 600), ORDINARY);
    assert_int_equal(required(SPV_TESTNET3, f, 2500, 600), EASIEST);
    free(f);
}

static void median_is_of_eleven_or_of_what_there_is(void **state)
{
    fixture *f = even(0, ORDINARY);
    spv_past past = past_of(f, 0);

    (void)state;
    assert_int_equal(spv__median_time_past(&past), f->stamps[0].time);
    past.parent = 1;
    assert_int_equal(spv__median_time_past(&past), f->stamps[1].time);
    past.parent = 50;
    assert_int_equal(spv__median_time_past(&past), f->stamps[45].time);
    f->stamps[50].time = 1;
    assert_int_equal(spv__median_time_past(&past), f->stamps[44].time);
    free(f);
}

static void six_known_times_bound_the_median_by_their_first(void **state)
{
    fixture *f = even(1000, ORDINARY);
    spv_past past = past_of(f, 1004);

    (void)state;
    assert_int_equal(spv__median_time_past(&past), 0);
    past.parent = 1005;
    assert_int_equal(spv__median_time_past(&past), f->stamps[0].time);
    past.parent = 1009;
    assert_int_equal(spv__median_time_past(&past), f->stamps[4].time);
    past.parent = 1010;
    assert_int_equal(spv__median_time_past(&past), f->stamps[5].time);
    free(f);
}

/* Whatever stands before a base, no valid header is called too early. */
static void median_behind_a_base_is_a_lower_bound(void **state)
{
    fixture *whole = even(0, ORDINARY);
    fixture *part = even(0, ORDINARY);

    (void)state;
    srand(1);
    for (int round = 0; round < 300; round++) {
        int32_t base = 20 + rand() % 40;
        int32_t parent = base + rand() % 14;
        spv_past all = past_of(whole, parent);
        spv_past some = past_of(part, parent);

        for (int i = 0; i < 80; i++)
            whole->stamps[i].time = 1500000000 + (uint32_t)(rand() % 9000);
        part->base = base;
        for (int i = 0; i < 40; i++)
            part->stamps[i] = whole->stamps[base + i];
        some.base = base;
        assert_true(spv__median_time_past(&some) <=
                    spv__median_time_past(&all));
        if (parent - base >= 10)
            assert_int_equal(spv__median_time_past(&some),
                             spv__median_time_past(&all));
    }
    free(whole);
    free(part);
}

static spv_verdict verdict(spv_chain chain, fixture *f, int32_t parent,
                           int64_t ahead, int32_t version, int64_t now)
{
    spv_past past = past_of(f, parent);
    spv_header h = {.version = version,
                    .time = (uint32_t)(get(f, parent).time + ahead),
                    .bits = required(chain, f, parent, (uint32_t)ahead)};

    return spv__rules_check(spv_network_get(chain), &past, &h, now);
}

static void time_must_be_above_the_median_and_near_the_clock(void **state)
{
    fixture *f = even(0, ORDINARY);
    int64_t time = get(f, 100).time;

    (void)state;
    assert_int_equal(verdict(SPV_MAIN, f, 100, -3000, 4, LATE),
                     SPV_VERDICT_OLD_TIME);
    assert_int_equal(verdict(SPV_MAIN, f, 100, -2999, 4, LATE),
                     SPV_VERDICT_ADDED);
    assert_int_equal(verdict(SPV_MAIN, f, 100, 600, 4, time + 600 - 7200),
                     SPV_VERDICT_ADDED);
    assert_int_equal(verdict(SPV_MAIN, f, 100, 600, 4, time + 600 - 7201),
                     SPV_VERDICT_FUTURE);
    free(f);
}

static void time_warp_is_testnet4s_at_a_new_period(void **state)
{
    fixture *f = even(0, ORDINARY);

    (void)state;
    f->stamps[4031].time += 3000;
    assert_int_equal(verdict(SPV_TESTNET4, f, 4031, -600, 4, LATE),
                     SPV_VERDICT_ADDED);
    assert_int_equal(verdict(SPV_TESTNET4, f, 4031, -601, 4, LATE),
                     SPV_VERDICT_TIME_WARP);
    assert_int_equal(verdict(SPV_TESTNET3, f, 4031, -601, 4, LATE),
                     SPV_VERDICT_ADDED);
    f->stamps[4030].time += 3000;
    assert_int_equal(verdict(SPV_TESTNET4, f, 4030, -601, 4, LATE),
                     SPV_VERDICT_ADDED);
    free(f);
}

static void old_versions_end_at_their_heights(void **state)
{
    fixture *f = even(227000, ORDINARY);

    (void)state;
    assert_int_equal(verdict(SPV_MAIN, f, 227929, 600, 1, LATE),
                     SPV_VERDICT_ADDED);
    assert_int_equal(verdict(SPV_MAIN, f, 227930, 600, 1, LATE),
                     SPV_VERDICT_OLD_VERSION);
    assert_int_equal(verdict(SPV_MAIN, f, 227930, 600, 2, LATE),
                     SPV_VERDICT_ADDED);
    assert_int_equal(verdict(SPV_MAIN, f, 227930, 600, INT32_MIN, LATE),
                     SPV_VERDICT_OLD_VERSION);
    free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_stay_within_a_period),
        {.name = "S30 regtest never changes its bits",
         .test_func = regtest_never_changes_bits},
        {.name = "S30 testnet3: twenty-minute blocks are walked over",
         .test_func = twenty_minute_blocks_are_walked_over},
        {.name = "S30 testnet4 retargets from the period's first bits",
         .test_func = testnet4_retargets_from_the_periods_first_bits},
        {.name = "S30 the first boundary behind a base is held to a factor of "
                 "four, the second is exact",
         .test_func = unknown_first_retarget_is_held_to_a_factor_of_four},
        cmocka_unit_test(unknown_ordinary_bits_pass_until_the_period_ends),
        cmocka_unit_test(median_is_of_eleven_or_of_what_there_is),
        cmocka_unit_test(six_known_times_bound_the_median_by_their_first),
        cmocka_unit_test(median_behind_a_base_is_a_lower_bound),
        cmocka_unit_test(time_must_be_above_the_median_and_near_the_clock),
        cmocka_unit_test(time_warp_is_testnet4s_at_a_new_period),
        cmocka_unit_test(old_versions_end_at_their_heights),
    };

    return cmocka_run_group_tests_name("chain.rules", tests, NULL, NULL);
}
