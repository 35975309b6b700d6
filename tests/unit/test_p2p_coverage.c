#include "cmocka_all.h"

#include <stdlib.h>

#include "p2p/coverage.h"

/* A wallet of up to 64 elements, of which `owed` are unspent coins. */
typedef struct world {
    bool owed[64];
    size_t n;
    bool updates_all;
} world;

static bool next_owed(const void *self, int32_t height, size_t *at)
{
    const world *w = self;

    (void)height;

    for (; *at < w->n; ++*at)
        if (w->owed[*at])
            return true;
    return false;
}

static spv_coverage ledger_of(const world *w)
{
    return (spv_coverage){
        .next_owed = next_owed, .self = w, .updates_all = w->updates_all};
}

static spv_grant grant(uint32_t stream, uint32_t generation, uint64_t sequence,
                       size_t coverage)
{
    return (spv_grant){.stream = stream,
                       .generation = generation,
                       .sequence = sequence,
                       .coverage = coverage};
}

static void a_key_must_lie_below_the_coverage(void **state)
{
    world w = {0};
    spv_coverage c = ledger_of(&w);
    spv_grant g = grant(1, 1, 1, 10);

    (void)state;
    spv__coverage_need(&c, 10);
    assert_int_equal(spv__coverage_judge(&c, &g), SPV_COVERED);
    spv__coverage_need(&c, 11);
    assert_int_equal(spv__coverage_judge(&c, &g), SPV_LACKS_KEY);
    spv__coverage_need(&c, 5); /* what was needed once is needed for good */
    assert_int_equal(spv__coverage_judge(&c, &g), SPV_LACKS_KEY);
    spv__coverage_clear(&c);
}

static void an_outpoint_above_it_is_covered_where_the_node_added_it(
    void **state)
{
    static const struct {
        spv_grant asked;
        spv_judgement want;
    } cases[] = {
        {{1, 2, 7, 4}, SPV_COVERED},        /* same stream and filter, later */
        {{1, 2, 5, 4}, SPV_COVERED},        /* the very block */
        {{1, 2, 4, 4}, SPV_LACKS_OUTPOINT}, /* asked before */
        {{1, 3, 7, 4}, SPV_LACKS_OUTPOINT}, /* wiped by a filterload since */
        {{2, 2, 7, 4}, SPV_LACKS_OUTPOINT}, /* another node */
        {{2, 2, 7, 5}, SPV_COVERED},        /* in the filter by then */
    };
    world w = {.n = 5, .updates_all = true};
    spv_coverage c = ledger_of(&w);
    spv_grant origin = grant(1, 2, 5, 4);

    (void)state;
    w.owed[4] = true;
    assert_int_equal(spv__coverage_learn(&c, 4, &origin), SPV_OK);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(spv__coverage_judge(&c, &cases[i].asked),
                         cases[i].want);
    spv__coverage_clear(&c);
}

static void without_update_all_no_node_adds_anything(void **state)
{
    world w = {.n = 5};
    spv_coverage c = ledger_of(&w);
    spv_grant origin = grant(1, 2, 5, 4);
    spv_grant later = grant(1, 2, 7, 4);
    spv_grant loaded = grant(1, 3, 8, 5);

    (void)state;
    w.owed[4] = true;
    assert_int_equal(spv__coverage_learn(&c, 4, &origin), SPV_OK);
    assert_int_equal(spv__coverage_judge(&c, &later), SPV_LACKS_OUTPOINT);
    assert_int_equal(spv__coverage_judge(&c, &loaded), SPV_COVERED);
    spv__coverage_clear(&c);
}

static void a_spent_coin_is_owed_by_nobody(void **state)
{
    world w = {.n = 5};
    spv_coverage c = ledger_of(&w);
    spv_grant origin = grant(1, 1, 1, 0);
    spv_grant other = grant(2, 1, 1, 0);

    (void)state;
    w.owed[3] = true;
    assert_int_equal(spv__coverage_learn(&c, 3, &origin), SPV_OK);
    assert_int_equal(spv__coverage_judge(&c, &other), SPV_LACKS_OUTPOINT);
    w.owed[3] = false;
    assert_int_equal(spv__coverage_judge(&c, &other), SPV_COVERED);
    w.owed[3] = true; /* a reorganisation took the spend back */
    assert_int_equal(spv__coverage_judge(&c, &other), SPV_LACKS_OUTPOINT);
    spv__coverage_clear(&c);
}

/* The rule as the design states it, without any short cut. */
static spv_judgement plain_rule(const world *w, const spv_grant *origin,
                                size_t needed, const spv_grant *asked)
{
    if (needed > asked->coverage)
        return SPV_LACKS_KEY;
    for (size_t at = asked->coverage; at < w->n; at++)
        if (w->owed[at] &&
            !(w->updates_all && origin[at].stream == asked->stream &&
              origin[at].generation == asked->generation &&
              origin[at].sequence <= asked->sequence))
            return SPV_LACKS_OUTPOINT;
    return SPV_COVERED;
}

static void agrees_with_the_plain_rule_on_random_ledgers(void **state)
{
    (void)state;
    srand(7);
    for (int round = 0; round < 20000; round++) {
        world w = {.n = 1 + (size_t)rand() % 12,
                   .updates_all = rand() % 4 != 0};
        spv_coverage c = ledger_of(&w);
        spv_grant origin[64] = {{0}};
        size_t needed = (size_t)rand() % 4;
        spv_grant asked =
            grant(1 + (uint32_t)rand() % 2, 1 + (uint32_t)rand() % 2,
                  1 + (uint64_t)rand() % 6, (size_t)rand() % 13);

        spv__coverage_need(&c, needed);
        for (size_t at = 0; at < w.n; at++) {
            if (rand() % 3 == 0)
                continue; /* a key */
            origin[at] = grant(1 + (uint32_t)(rand() % 5 == 0),
                               1 + (uint32_t)(rand() % 5 == 0),
                               1 + (uint64_t)rand() % 6, 0);
            w.owed[at] = rand() % 4 != 0;
            assert_int_equal(spv__coverage_learn(&c, at, &origin[at]), SPV_OK);
        }
        assert_int_equal(spv__coverage_judge(&c, &asked),
                         plain_rule(&w, origin, needed, &asked));
        spv__coverage_clear(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_key_must_lie_below_the_coverage),
        cmocka_unit_test(
            an_outpoint_above_it_is_covered_where_the_node_added_it),
        cmocka_unit_test(without_update_all_no_node_adds_anything),
        cmocka_unit_test(a_spent_coin_is_owed_by_nobody),
        cmocka_unit_test(agrees_with_the_plain_rule_on_random_ledgers),
    };

    return cmocka_run_group_tests_name("p2p.coverage", tests, NULL, NULL);
}
