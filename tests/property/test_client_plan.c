/*
 * S13: the filter of a wallet with one address, which is decoys but for one
 * element, is wrong as often as its level says: within a fifth, whatever its
 * decoys are.
 */
#include "cmocka_all.h"

#include <math.h>
#include <string.h>

#include <spv/privacy.h>

#include "base/rng.h"
#include "client/client.h"

#define ADDRESS "addr(bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080)"

/** A wallet that watches one address, as 'wallet watch' makes it; what its
 * decoys come from depends on the seed. */
static spv_client *wallet_of(double rate, uint64_t seed)
{
    static const char *const descriptor = ADDRESS;
    uint8_t entropy[32] = {0};
    spv_wallet_spec spec = {.descriptors = &descriptor,
                            .n_descriptors = 1,
                            .birthday = -1,
                            .birthday_time = -1,
                            .fp_rate = rate,
                            .entropy = entropy};
    spv_client *c = NULL;

    memcpy(entropy, &seed, sizeof(seed));
    assert_int_equal(
        spv_client_new(&c, spv_network_get(SPV_REGTEST), &spec, NULL), SPV_OK);
    assert_int_equal(spv__wallet_element_count(c->wallet), 1);
    return c;
}

static uint64_t matches(const spv_filter *f, uint64_t seed, int strangers)
{
    spv_rng r = {seed};
    uint64_t n = 0;

    for (int i = 0; i < strangers; i++) {
        uint64_t stranger[3] = {spv__rng_next(&r), spv__rng_next(&r),
                                spv__rng_next(&r)};

        n += spv_filter_contains(f, (const uint8_t *)stranger, 20);
    }
    return n;
}

static void assert_within_a_fifth(double rate, double target)
{
    print_message("one address at %g: measured %.4g\n", target, rate);
    if (!(rate > 0.8 * target && rate < 1.2 * target))
        fail_msg("measured %.4g is not within a fifth of %g", rate, target);
}

/* Four wallets, a million strangers each, plainly counted. */
static void S13_one_address_hides_among_as_many_as_it_is_told(void **state)
{
    double target = spv_privacy_choice_find("default")->rate;
    uint64_t passed = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        spv_client *c = wallet_of(target, seed);

        passed += matches(&c->filter, seed, 1000000);
        spv_client_free(c);
    }
    assert_within_a_fifth((double)passed / 4e6, target);
}

/**
 * One in a billion cannot be counted so. But all functions ask the same bits:
 * seven of k let p^(7/k) of the strangers pass, and those are many.
 */
static double measured_rate(double asked)
{
    double passed = 0;
    double share = 1;

    for (uint64_t seed = 1; seed <= 4; seed++) {
        spv_client *c = wallet_of(asked, seed);
        spv_filter f = c->filter; /* a view with fewer functions */

        f.hash_funcs = f.hash_funcs < 7 ? f.hash_funcs : 7;
        share = (double)f.hash_funcs / c->filter.hash_funcs;
        passed += (double)matches(&f, seed, 250000);
        spv_client_free(c);
    }
    return pow(passed / 1e6, 1 / share);
}

static void S13_one_address_hides_so_at_every_level_and_rate(void **state)
{
    static const double rates[] = {SPV_FP_RATE_LEAST, 3e-8, 2.9e-5, 0.004,
                                   SPV_FP_RATE_MOST};

    (void)state;
    for (size_t i = 0; spv_privacy_choice_get(i); i++) {
        double target = spv_privacy_choice_get(i)->rate;

        assert_within_a_fifth(measured_rate(target), target);
    }
    for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++)
        assert_within_a_fifth(measured_rate(rates[i]), rates[i]);
}

/* A wallet that says nothing has the level "default". */
static void one_address_hides_by_default(void **state)
{
    spv_client *plain = wallet_of(0, 1);
    spv_client *chosen = wallet_of(spv_privacy_choice_find("default")->rate, 1);

    (void)state;
    assert_int_equal(plain->filter.hash_funcs, chosen->filter.hash_funcs);
    assert_memory_equal(plain->filter.bytes, chosen->filter.bytes,
                        plain->filter.len);
    spv_client_free(plain);
    spv_client_free(chosen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(S13_one_address_hides_among_as_many_as_it_is_told),
        cmocka_unit_test(S13_one_address_hides_so_at_every_level_and_rate),
        cmocka_unit_test(one_address_hides_by_default),
    };

    return cmocka_run_group_tests_name("property.client.plan", tests, NULL,
                                       NULL);
}
