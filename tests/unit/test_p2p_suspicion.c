#include "cmocka_all.h"

#include <math.h>

#include "base/rng.h"
#include "p2p/suspicion.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static double fraction(spv_rng *r)
{
    return (double)(spv__rng_next(r) >> 11) / 9007199254740992.0;
}

/* How many of `n` happen that each happen with `chance`: by the gaps between
 * them, so that many rare ones cost little. */
static size_t happen(spv_rng *r, size_t n, double chance)
{
    size_t count = 0;
    double at = 0;

    while (chance > 0) {
        at += 1 + floor(log(1 - fraction(r)) / log1p(-chance));
        if (at > (double)n)
            break;
        count++;
    }
    return count;
}

/** A peer whose transactions show `elements` each, and which keeps `kept` of
 * what matches. The block after which it was accused; 0: never. */
static int32_t accused_after(spv_rng *r, double rate, int elements, double kept,
                             int32_t blocks)
{
    double chance = (1 - pow(1 - rate, elements)) * kept;
    spv_suspicion s = {0};

    for (int32_t h = 1; h <= blocks; h++) {
        uint32_t n = (uint32_t)spv__rng_between(r, 1, 4000);

        if (spv__suspicion_add(&s, h, n, rate, happen(r, n - 1, chance)))
            return h;
    }
    return 0;
}

/* The hardest case: not an element more than the two that are sure. */
static void honest_peers_are_never_accused(void **state)
{
    static const double rates[] = {1e-9, 1e-6, 1e-4, 1e-3, 0.01, 0.1};

    (void)state;
    for (size_t i = 0; i < COUNT(rates); i++)
        for (uint64_t seed = 1; seed <= 20; seed++) {
            spv_rng r = {seed};

            assert_int_equal(accused_after(&r, rates[i], 2, 1, 2000), 0);
        }
}

/* How near honest peers come, if the blocks are small and there are many. */
static void nor_do_they_come_near_it(void **state)
{
    double most = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        spv_rng r = {seed};
        spv_suspicion s = {0};

        for (int32_t h = 1; h <= 20000; h++) {
            (void)spv__suspicion_add(&s, h, 200, 0.001,
                                     happen(&r, 199, 0.001 * (2 - 0.001)));
            most = s.value > most ? s.value : most;
        }
    }
    assert_true(most > 1);
    assert_true(most < SPV__SUSPICION_MAX / 2);
}

static void a_peer_that_leaves_out_most_is_found(void **state)
{
    static const struct {
        double kept;
        int32_t within; /* blocks of 2,000 transactions on average */
    } cases[] = {{0, 200}, {0.05, 300}, {0.1, 450}};

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        for (uint64_t seed = 1; seed <= 20; seed++) {
            spv_rng r = {seed};
            int32_t after = accused_after(&r, 1e-4, 6, cases[i].kept, 1000);

            assert_in_range(after, 150, cases[i].within);
        }
}

static void an_honest_past_excuses_nothing(void **state)
{
    spv_suspicion s = {0};
    int32_t h = 1;

    (void)state;
    for (; h <= 1000; h++)
        assert_false(spv__suspicion_add(&s, h, 2000, 1e-4, 2));
    assert_true(s.value < 1);
    while (!spv__suspicion_add(&s, h, 2000, 1e-4, 0))
        h++;
    assert_in_range(h, 1100, 1200);
}

/* The same block shows the same again: that is no news. */
static void a_block_that_comes_again_is_not_counted(void **state)
{
    spv_suspicion s = {0};

    (void)state;
    assert_false(spv__suspicion_add(&s, 5, 3000, 1e-3, 0));
    for (int i = 0; i < 100; i++)
        assert_false(spv__suspicion_add(&s, 1 + i % 5, 3000, 1e-3, 0));
    assert_true(s.value < 4);
}

static void a_coinbase_alone_says_nothing(void **state)
{
    spv_suspicion s = {0};

    (void)state;
    for (int32_t h = 1; h <= 100; h++) {
        assert_false(spv__suspicion_add(&s, 2 * h, 1, 0.1, 0));
        assert_false(spv__suspicion_add(&s, 2 * h + 1, 0, 0.1, 0));
    }
    assert_true(s.value == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(honest_peers_are_never_accused),
        cmocka_unit_test(nor_do_they_come_near_it),
        cmocka_unit_test(a_peer_that_leaves_out_most_is_found),
        cmocka_unit_test(an_honest_past_excuses_nothing),
        cmocka_unit_test(a_block_that_comes_again_is_not_counted),
        cmocka_unit_test(a_coinbase_alone_says_nothing),
    };

    return cmocka_run_group_tests_name("p2p.suspicion", tests, NULL, NULL);
}
