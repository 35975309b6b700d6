#include "cmocka_all.h"

#include <math.h>
#include <string.h>

#include <spv/filter_maths.h>
#include <spv/privacy.h>

#include "client/client.h"
#include "client/privacy.h"
#include "wallet_world.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

#define WORDS                                                          \
    "abandon abandon abandon abandon abandon abandon abandon abandon " \
    "abandon abandon abandon about"

static const uint8_t ENTROPY[32] = {1, 2, 3};

static void assert_near(double a, double b, double share)
{
    if (!(fabs(a - b) <= share * fabs(b)))
        fail_msg("%.17g is not within %.17g of %.17g", a, share, b);
}

/* ---- The known analysis ---- */

/* Gervais et al. 2014: 33 million addresses, filters for 2N + 100 elements at
 * 0.05 % with 2N in them. */
static void the_analysis_of_2014_is_reproduced(void **state)
{
    static const struct {
        uint64_t n;
        double all;
    } cases[] = {{10, 0.99}, {15, 0.80}, {20, 0.19}};

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        double strangers = 33e6 * spv_habit_rate(SPV_HABIT_FITTED, cases[i].n);
        double all = spv_privacy_guess_all(cases[i].n, strangers);

        assert_true(fabs(all - cases[i].all) < 0.01);
    }
}

/* With whole numbers of strangers it is one in the ways to choose. */
static void guessing_all_is_choosing_among_the_matches(void **state)
{
    static const struct {
        uint64_t own;
        double strangers;
        double ways;
    } cases[] = {{1, 0, 1},
                 {1, 1, 2},
                 {2, 2, 6},
                 {3, 2, 10},
                 {5, 5, 252},
                 {10, 20, 30045015},
                 {20, 20, 137846528820}};

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_near(spv_privacy_guess_all(cases[i].own, cases[i].strangers),
                    1 / cases[i].ways, 1e-12);
    assert_true(spv_privacy_guess_all(100000, 1e6) == 0);
}

static void one_match_is_ours_by_our_share_of_the_matches(void **state)
{
    (void)state;
    assert_near(spv_privacy_guess_one(1, 0), 1, 0);
    assert_near(spv_privacy_guess_one(1, 999), 0.001, 1e-12);
    assert_near(spv_privacy_guess_one(10, 30), 0.25, 1e-12);
}

static void strangers_cost_more_the_more_there_are(void **state)
{
    spv_privacy_cost none = spv_privacy_cost_of(0);
    spv_privacy_cost some = spv_privacy_cost_of(1e-4);
    spv_privacy_cost all = spv_privacy_cost_of(1);

    (void)state;
    assert_true(none.transactions_a_day == 0);
    assert_true(none.bytes_a_day > 144 * 80);
    assert_near(some.transactions_a_day, 500000 * 6e-4, 0.001);
    assert_true(some.bytes_a_day > none.bytes_a_day + 250 * 299);
    assert_near(all.transactions_a_day, 500000, 1e-12);
}

/* ---- Habits ---- */

static void a_new_tweak_multiplies_and_one_plan_does_not(void **state)
{
    (void)state;
    for (unsigned starts = 1; starts < SPV_PRIVACY_STARTS; starts++) {
        assert_near(spv_habit_share(SPV_HABIT_THIS, 1e-3, starts), 1e-3, 0);
        assert_near(spv_habit_share(SPV_HABIT_FITTED, 1e-3, starts), 1e-3, 0);
        assert_near(spv_habit_share(SPV_HABIT_KEY_AND_HASH, 1e-3, starts), 1e-6,
                    1e-12);
        assert_near(spv_habit_share(SPV_HABIT_NEW_TWEAK, 1e-3, starts),
                    pow(10, -3.0 * starts), 1e-9);
    }
}

static void habits_have_the_rates_of_the_filters_they_make(void **state)
{
    double designed = spv_habit_rate(SPV_HABIT_THIS, 1);

    (void)state;
    assert_near(designed, spv_privacy_choice_find("default")->rate, 0);
    assert_near(spv_habit_rate(SPV_HABIT_THIS, 14000), designed, 0);
    /* 36,000 bytes are empty at one address and ours at 15,000. */
    assert_true(spv_habit_rate(SPV_HABIT_OVERSIZED, 1) < 1e-50);
    assert_near(spv_habit_rate(SPV_HABIT_OVERSIZED, 15000), designed, 0.02);
    /* A filter for 2n + 100 comes close to its 0.05 % when n is large. */
    assert_true(spv_habit_rate(SPV_HABIT_FITTED, 1) < 1e-15);
    assert_true(spv_habit_rate(SPV_HABIT_FITTED, 5000) > 0.0004);
    assert_true(spv_habit_rate(SPV_HABIT_FITTED, UINT64_MAX) == 1);
}

static void every_habit_has_a_name_and_a_sentence(void **state)
{
    (void)state;
    for (size_t i = 0; i < SPV_HABIT_COUNT; i++) {
        const char *words = spv_habit_words((spv_habit)i);

        assert_true(strlen(spv_habit_name((spv_habit)i)) > 0);
        assert_int_equal(words[strlen(words) - 1], '.');
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(spv_habit_name((spv_habit)k),
                                    spv_habit_name((spv_habit)i));
    }
}

static spv_err new_at_rate(spv_client **c, double rate)
{
    spv_wallet_spec spec = {.type = "wpkh",
                            .mnemonic = WORDS,
                            .birthday = -1,
                            .birthday_time = -1,
                            .fp_rate = rate,
                            .entropy = ENTROPY};

    return spv_client_new(c, spv_network_get(SPV_REGTEST), &spec, NULL);
}

static void a_wallet_made_at_a_level_has_its_rate(void **state)
{
    (void)state;
    for (size_t i = 0; spv_privacy_choice_get(i); i++) {
        const spv_privacy_choice *choice = spv_privacy_choice_get(i);
        spv_client *c = NULL;

        assert_ptr_equal(spv_privacy_choice_find(choice->name), choice);
        assert_int_equal(new_at_rate(&c, choice->rate), SPV_OK);
        assert_near(spv_filter_rate(&c->filter), choice->rate, 0.1);
        spv_client_free(c);
    }
    assert_null(spv_privacy_choice_find("none"));
}

static void rates_out_of_bounds_make_no_wallet(void **state)
{
    static const double rates[] = {-1, 1e-10, 0.2, 1, NAN, INFINITY};

    (void)state;
    for (size_t i = 0; i < COUNT(rates); i++) {
        spv_client *c = NULL;

        assert_int_equal(new_at_rate(&c, rates[i]), SPV_INVAL);
        assert_null(c);
    }
}

/* ---- Two filters, tried ---- */

enum { TRIES = 100000, LOGGED = 2000 };

/* A small plan, so dense that chance can be counted. */
static spv_plan dense_plan(void)
{
    spv_plan plan;

    spv__plan_choose(&plan, ENTROPY, 0);
    plan.bytes = 1000;
    plan.hash_funcs = 3;
    plan.decoys = 1000;
    return plan;
}

static void make_element(uint8_t out[20], uint32_t i)
{
    memset(out, 0xe1, 20);
    memcpy(out, &i, sizeof(i));
}

static spv_filter filter_of(const spv_plan *plan, uint32_t length)
{
    spv_filter f;

    assert_int_equal(spv__plan_begin(plan, &f), SPV_OK);
    for (uint32_t i = 0; i < length; i++) {
        uint8_t element[20];

        make_element(element, i);
        spv_filter_insert(&f, element, sizeof(element));
    }
    return f;
}

/* Whatever filters of one plan a server has seen, over however many restarts:
 * together they say what the earliest said alone. */
static void later_filters_reveal_nothing_beyond_the_earliest(void **state)
{
    static const uint32_t lengths[] = {0, 1, 20, 1040, 1041, 1500, LOGGED};
    spv_plan plan;

    (void)state;
    spv__plan_choose(&plan, ENTROPY, 1040);
    for (size_t a = 0; a < COUNT(lengths); a++) {
        spv_filter earliest = filter_of(&plan, lengths[a]);
        spv_filter together = filter_of(&plan, lengths[a]);

        for (size_t b = a; b < COUNT(lengths); b++) {
            spv_filter later = filter_of(&plan, lengths[b]);

            spv__privacy_intersect(&together, &later);
            spv_filter_clear(&later);
        }
        assert_memory_equal(together.bytes, earliest.bytes, earliest.len);
        spv_filter_clear(&earliest);
        spv_filter_clear(&together);
    }
}

/* For contrast: with any other tweak or size this does not hold. */
static void filters_of_other_make_reveal_more(void **state)
{
    spv_plan tweak = dense_plan();
    spv_plan size = dense_plan();
    spv_plan plan = dense_plan();
    spv_filter ours = filter_of(&plan, 500);
    double p = spv_filter_rate(&ours);
    spv_filter others[2];
    uint32_t matched[3];

    (void)state;
    tweak.tweak++;
    size.bytes--;
    others[0] = filter_of(&tweak, 500);
    others[1] = filter_of(&size, 500);
    spv__privacy_try(&ours, others, 2, 7, TRIES, matched);
    assert_near(matched[0], p * TRIES, 0.1);
    for (size_t i = 0; i < 2; i++) {
        assert_near(matched[1 + i], p * spv_filter_rate(&others[i]) * TRIES,
                    0.1);
        assert_true(matched[1 + i] < matched[0] / 2);
        spv_filter_clear(&others[i]);
    }
    spv_filter_clear(&ours);
}

enum { STARTS = 3 };

static bool all_contain(const spv_filter *filters, size_t n,
                        const uint8_t stranger[20])
{
    for (size_t i = 0; i < n; i++)
        if (!spv_filter_contains(&filters[i], stranger, 20))
            return false;
    return true;
}

/* The same wallet at each start with a new tweak, against the formula. */
static void strangers_die_out_as_fast_as_the_formula_says(void **state)
{
    spv_plan plan = dense_plan();
    spv_filter filters[STARTS];
    uint32_t left[STARTS] = {0};
    double p = 0;

    (void)state;
    for (size_t i = 0; i < STARTS; i++) {
        filters[i] = filter_of(&plan, 1500);
        plan.tweak++;
    }
    p = spv_filter_rate(&filters[0]);
    for (uint32_t i = 0; i < TRIES; i++) {
        uint8_t stranger[20];

        make_element(stranger, LOGGED + i);
        for (size_t n = 1; n <= STARTS; n++)
            left[n - 1] += all_contain(filters, n, stranger);
    }
    for (size_t n = 1; n <= STARTS; n++)
        assert_near(left[n - 1],
                    TRIES * spv_habit_share(SPV_HABIT_NEW_TWEAK, p, (double)n),
                    0.2);
    for (size_t i = 0; i < STARTS; i++)
        spv_filter_clear(&filters[i]);
}

/* ---- A wallet ---- */

static spv_client *new_client(void)
{
    spv_client *c = NULL;

    assert_int_equal(new_at_rate(&c, 0), SPV_OK);
    return c;
}

/* Asked once for all: it takes a moment. */
static spv_privacy of_new_wallet;

static int ask_new_wallet(void **state)
{
    spv_client *c = new_client();

    (void)state;
    assert_int_equal(
        spv_client_privacy(c, SPV_ADDRESSES_IN_USE, &of_new_wallet), SPV_OK);
    spv_client_free(c);
    return 0;
}

static void a_new_wallet_hides_its_next_address(void **state)
{
    spv_privacy p = of_new_wallet;

    (void)state;
    assert_int_equal(p.keys, 1040);
    assert_int_equal(p.coins, 0);
    assert_int_equal(p.used, 0);
    assert_int_equal(p.own, 1);
    assert_int_equal(p.keys + p.decoys, 14936);
    assert_near(p.strangers, p.rate * SPV_ADDRESSES_IN_USE, 1e-12);
    assert_near(p.strangers, 5000, 0.1);
    assert_near(p.guess_one, 1 / (1 + p.strangers), 1e-12);
    assert_near(p.guess_all, p.guess_one, 1e-12);
    /* Tried, not only computed: Poisson, within five deviations. */
    assert_true(fabs(p.tried - p.rate * SPV_PRIVACY_TRIED) <
                5 * sqrt(p.rate * SPV_PRIVACY_TRIED));
}

static void two_filters_of_a_wallet_say_what_the_earlier_did(void **state)
{
    spv_privacy p = of_new_wallet;

    (void)state;
    assert_int_equal(p.earlier_elements, 520);
    assert_false(p.earlier_adds);
    assert_near(p.earlier.together, p.earlier.alone, 0);
    assert_true(p.earlier.alone < p.strangers);
    assert_true(p.earlier.alone > 0.5 * p.strangers);
    assert_true(p.earlier.tried > 0.5 * p.tried);
    assert_near(p.tweak.together, p.rate * p.tweak.alone, 1e-12);
    assert_near(p.size.together, p.rate * p.size.alone, 1e-12);
    assert_true(p.tweak.together < 2 && p.tweak.alone > 1000);
    assert_true(p.size.together < 2 && p.size.alone > 1000);
    assert_true(p.tweak.tried <= 1 && p.size.tried <= 1);
}

static void other_habits_would_have_shown_the_wallet(void **state)
{
    spv_privacy p = of_new_wallet;

    (void)state;
    for (size_t i = 0; i < SPV_HABIT_COUNT; i++) {
        const spv_habit_view *view = &p.habits[i];

        assert_int_equal(view->habit, i);
        assert_near(view->strangers[0],
                    spv_habit_share(view->habit, view->rate, 1) *
                        SPV_ADDRESSES_IN_USE,
                    1e-12);
        for (size_t s = 0; s < SPV_PRIVACY_STARTS; s++)
            assert_near(view->guess_one[s],
                        spv_privacy_guess_one(1, view->strangers[s]), 1e-12);
    }
    assert_near(p.habits[SPV_HABIT_THIS].strangers[SPV_PRIVACY_STARTS - 1],
                p.strangers, 0);
    assert_true(p.habits[SPV_HABIT_NEW_TWEAK].guess_one[0] < 0.001);
    assert_true(p.habits[SPV_HABIT_NEW_TWEAK].guess_one[2] > 0.99);
    assert_true(p.habits[SPV_HABIT_IN_USE_ONLY].guess_one[0] > 0.99);
    assert_true(p.habits[SPV_HABIT_OVERSIZED].guess_one[0] > 0.99);
    assert_true(p.habits[SPV_HABIT_KEY_AND_HASH].guess_one[0] >
                100 * p.guess_one);
}

/* Nothing but what was paid is on the chain, for a server to try. */
static void addresses_count_once_they_are_paid(void **state)
{
    spv_client *c = new_client();
    spv_block_ref block = {.height = 7};
    paper p = {0};
    spv_privacy seen;

    (void)state;
    paper_spend(&p, stranger_coin(1));
    paper_pay_to(&p, c->wallet, 0, 0, 5000);
    paper_pay_to(&p, c->wallet, 0, 3, 6000);
    paper_pay_to(&p, c->wallet, 1, 0, 7000);
    paper_seal(&p);
    assert_int_equal(spv__wallet_foresee(c->wallet, &p.tx, 1), SPV_OK);
    assert_int_equal(spv__wallet_apply(c->wallet, &block, &p.tx, NULL, 1, NULL),
                     SPV_OK);
    spv__client_follow_log(c);
    assert_int_equal(spv_client_privacy(c, 1000, &seen), SPV_OK);
    assert_int_equal(seen.used, 3);
    assert_int_equal(seen.own, 3);
    assert_int_equal(seen.coins, 3);
    assert_near(seen.guess_one, 3 / (3 + seen.strangers), 1e-12);
    assert_near(seen.guess_all, spv_privacy_guess_all(3, seen.strangers), 0);
    assert_false(seen.earlier_adds);
    paper_clear(&p);
    spv_client_free(c);
}

static void the_same_question_gets_the_same_answer(void **state)
{
    spv_client *c = new_client();
    spv_privacy p;

    (void)state;
    assert_int_equal(spv_client_privacy(c, 1, &p), SPV_OK);
    assert_near(p.strangers, p.rate, 0);
    assert_int_equal(p.bits_set, of_new_wallet.bits_set);
    assert_int_equal(p.tried, of_new_wallet.tried);
    assert_int_equal(p.earlier.tried, of_new_wallet.earlier.tried);
    assert_int_equal(spv_client_privacy(c, 0, &p), SPV_INVAL);
    spv_client_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_analysis_of_2014_is_reproduced),
        cmocka_unit_test(guessing_all_is_choosing_among_the_matches),
        cmocka_unit_test(one_match_is_ours_by_our_share_of_the_matches),
        cmocka_unit_test(strangers_cost_more_the_more_there_are),
        cmocka_unit_test(a_new_tweak_multiplies_and_one_plan_does_not),
        cmocka_unit_test(habits_have_the_rates_of_the_filters_they_make),
        cmocka_unit_test(every_habit_has_a_name_and_a_sentence),
        cmocka_unit_test(a_wallet_made_at_a_level_has_its_rate),
        cmocka_unit_test(rates_out_of_bounds_make_no_wallet),
        cmocka_unit_test(later_filters_reveal_nothing_beyond_the_earliest),
        cmocka_unit_test(filters_of_other_make_reveal_more),
        cmocka_unit_test(strangers_die_out_as_fast_as_the_formula_says),
        cmocka_unit_test(a_new_wallet_hides_its_next_address),
        cmocka_unit_test(two_filters_of_a_wallet_say_what_the_earlier_did),
        cmocka_unit_test(other_habits_would_have_shown_the_wallet),
        cmocka_unit_test(addresses_count_once_they_are_paid),
        cmocka_unit_test(the_same_question_gets_the_same_answer),
    };

    return cmocka_run_group_tests_name("client.privacy", tests, ask_new_wallet,
                                       NULL);
}
