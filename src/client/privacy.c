#include "client/privacy.h"

#include <math.h>
#include <string.h>

#include <spv/filter_maths.h>

#include "client/client.h"

/* ---- Maths ---- */

double spv_privacy_guess_one(double own, double strangers)
{
    return own / (own + strangers);
}

/* A product that is too small to be told from nothing is not finished. */
double spv_privacy_guess_all(uint64_t own, double strangers)
{
    double all = 1;

    for (uint64_t left = own; left > 0 && all > 0; left--)
        all *= spv_privacy_guess_one((double)left, strangers);
    return all;
}

/* The main chain of the mid-2020s. A transaction has its txid, two or three
 * pushes in outputs, two outpoints, and now and then a push in an input;
 * without its witness it takes about 250 bytes. */
static const double BLOCKS_A_DAY = 144;
static const double TXS_A_DAY = 500000;
static const double TX_ELEMENTS = 6;
static const double TX_BYTES = 24 + 250;

/* Of a merkleblock: frame, header and counts; and for each match at most the
 * hashes beside its way up a tree of some 3,500. */
static const double BLOCK_BYTES = 24 + 80 + 4 + 2 + 32;
static const double PROOF_BYTES = 12 * 32;

spv_privacy_cost spv_privacy_cost_of(double rate)
{
    double matches = TXS_A_DAY * -expm1(TX_ELEMENTS * log1p(-rate));

    return (spv_privacy_cost){.transactions_a_day = matches,
                              .bytes_a_day =
                                  BLOCKS_A_DAY * BLOCK_BYTES +
                                  matches * (TX_BYTES + PROOF_BYTES)};
}

/* ---- Choices ---- */

static const spv_privacy_choice choices[] = {
    {"own-node", "For one who asks a node of his own: least traffic.", 1e-6},
    {"default", "Thousands to hide among, for little traffic.", 1e-4},
    {"strong", "Ten times as many, for ten times the traffic.", 1e-3},
};

const spv_privacy_choice *spv_privacy_choice_get(size_t i)
{
    return i < sizeof(choices) / sizeof(choices[0]) ? &choices[i] : NULL;
}

const spv_privacy_choice *spv_privacy_choice_find(const char *name)
{
    for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++)
        if (strcmp(choices[i].name, name) == 0)
            return &choices[i];
    return NULL;
}

/* ---- Habits ---- */

static const struct {
    const char *name;
    const char *words;
} habits[SPV_HABIT_COUNT] = {
    [SPV_HABIT_THIS] = {"this wallet",
                        "One filter for life: later ones only add to it."},
    [SPV_HABIT_FITTED] = {"filter that just fits",
                          "Sized for 2n+100 elements at 0.05 %, and kept."},
    [SPV_HABIT_IN_USE_ONLY] = {"only addresses in use",
                               "The same, with no keys derived ahead."},
    [SPV_HABIT_KEY_AND_HASH] =
        {"key and hash together",
         "Who knows an address's key tests both; strangers must match twice."},
    [SPV_HABIT_NEW_TWEAK] = {"new tweak at each start",
                             "Strangers must match every filter so far."},
    [SPV_HABIT_OVERSIZED] = {"oversized, without decoys",
                             "36,000 bytes, 13 functions, and little in it."},
};

const char *spv_habit_name(spv_habit habit)
{
    return habits[habit].name;
}

const char *spv_habit_words(spv_habit habit)
{
    return habits[habit].words;
}

/*
 * The analysis of 2014: a filter for M = 2n + 100 elements at 0.05 %, into
 * which 2n go (key and hash of each address). Few of them leave it far emptier
 * than it was made for. Whole bytes and whole functions matter: with them, and
 * 33 million addresses, all are guessed with 0.99 at n = 10, 0.79 at n = 15 and
 * 0.19 at n = 20; with fractions it would be 1.00, 0.92 and 0.47.
 */
static double fitted_rate(uint64_t n)
{
    static const double rate = 0.0005;
    double capacity = 2 * (double)n + 100;
    size_t bytes = 0;
    uint32_t funcs = 0;

    if (capacity > UINT32_MAX ||
        spv_filter_size(&bytes, &funcs, (uint32_t)capacity, rate) != SPV_OK)
        return 1;
    return spv_filter_rate_for(bytes, funcs, 2 * (double)n);
}

double spv_habit_rate(spv_habit habit, uint64_t n)
{
    switch (habit) {
    case SPV_HABIT_THIS:
        return SPV__PLAN_RATE;
    case SPV_HABIT_FITTED:
    case SPV_HABIT_IN_USE_ONLY:
    case SPV_HABIT_KEY_AND_HASH:
    case SPV_HABIT_NEW_TWEAK:
        return fitted_rate(n);
    case SPV_HABIT_OVERSIZED:
        return spv_filter_rate_for(SPV_FILTER_BYTES_MAX, 13, (double)n);
    case SPV_HABIT_COUNT:
        break;
    }
    return 1;
}

double spv_habit_share(spv_habit habit, double rate, double starts)
{
    switch (habit) {
    case SPV_HABIT_NEW_TWEAK:
        return pow(rate, starts);
    case SPV_HABIT_KEY_AND_HASH:
        return rate * rate;
    case SPV_HABIT_THIS:
    case SPV_HABIT_FITTED:
    case SPV_HABIT_IN_USE_ONLY:
    case SPV_HABIT_OVERSIZED:
    case SPV_HABIT_COUNT:
        break;
    }
    return rate;
}

/* ---- Trying ---- */

/* Steele, Lea and Flood's splitmix64 (2014). */
static uint64_t next_number(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* A key hash that nobody has. */
static void make_stranger(uint8_t out[20], uint64_t *state)
{
    for (size_t i = 0; i < 20;) {
        uint64_t number = next_number(state);

        for (size_t b = 0; b < 8 && i < 20; b++)
            out[i++] = (uint8_t)(number >> 8 * b);
    }
}

void spv__privacy_try(const spv_filter *first, const spv_filter *others,
                      size_t n, uint64_t seed, uint32_t strangers,
                      uint32_t *matched)
{
    memset(matched, 0, (n + 1) * sizeof(*matched));
    for (uint32_t i = 0; i < strangers; i++) {
        uint8_t stranger[20];

        make_stranger(stranger, &seed);
        if (!spv_filter_contains(first, stranger, sizeof(stranger)))
            continue;
        matched[0]++;
        for (size_t k = 0; k < n; k++)
            matched[k + 1] +=
                spv_filter_contains(&others[k], stranger, sizeof(stranger));
    }
}

void spv__privacy_intersect(spv_filter *into, const spv_filter *with)
{
    for (size_t i = 0; i < into->len; i++)
        into->bytes[i] &= with->bytes[i];
}

/* ---- A wallet's own ---- */

static void count_elements(const spv_client *c, spv_privacy *p)
{
    for (size_t i = 0; i < spv__wallet_element_count(c->wallet); i++) {
        spv_element e;

        spv__wallet_element(c->wallet, i, &e);
        if (e.kind == SPV__ELEMENT_KEY)
            p->keys++;
        else
            p->coins++;
    }
}

static void count_used(const spv_client *c, spv_privacy *p)
{
    for (size_t i = 0; i < spv__wallet_branch_count(c->wallet); i++) {
        spv_branch branch;
        spv_watched watched;

        spv__wallet_branch(c->wallet, i, &branch);
        for (uint32_t k = 0; k < branch.used; k++)
            if (spv__wallet_watched(c->wallet, i, k, &watched) == SPV_OK)
                p->used += watched.used;
    }
    p->own = p->used ? p->used : 1;
}

static void see_filter(const spv_client *c, spv_privacy *p)
{
    p->bytes = c->filter.len;
    p->hash_funcs = c->filter.hash_funcs;
    p->decoys = c->plan.decoys;
    p->bits_set = spv_filter_bits_set(&c->filter);
    p->rate = spv_filter_rate(&c->filter);
    p->strangers = p->rate * (double)p->addresses;
    p->guess_one = spv_privacy_guess_one((double)p->own, p->strangers);
    p->guess_all = spv_privacy_guess_all(p->own, p->strangers);
    p->cost = spv_privacy_cost_of(p->rate);
}

/* The filters that the present one is compared with. */
enum { EARLIER, OTHER_TWEAK, OTHER_SIZE, OTHERS };

/* A filter of this wallet by some plan, with the first elements of its log. */
static spv_err build(const spv_client *c, const spv_plan *plan, size_t length,
                     spv_filter *out)
{
    spv_err err = spv__plan_begin(plan, out);

    for (size_t i = 0; err == SPV_OK && i < length; i++) {
        spv_element e;

        spv__wallet_element(c->wallet, i, &e);
        spv_filter_insert(out, e.bytes, e.len);
    }
    return err;
}

static spv_err build_others(const spv_client *c, spv_filter others[OTHERS])
{
    size_t length = spv__wallet_element_count(c->wallet);
    spv_plan tweak = c->plan;
    spv_plan size = c->plan;
    spv_err err = build(c, &c->plan, length / 2, &others[EARLIER]);

    tweak.tweak++;
    size.bytes--;
    if (err == SPV_OK)
        err = build(c, &tweak, length, &others[OTHER_TWEAK]);
    if (err == SPV_OK)
        err = build(c, &size, length, &others[OTHER_SIZE]);
    return err;
}

/* Bits of another make say something else: the rates multiply. */
static void see_other(const spv_privacy *p, const spv_filter *other,
                      spv_privacy_pair *pair)
{
    pair->alone = spv_filter_rate(other) * (double)p->addresses;
    pair->together = pair->alone * p->rate;
}

/* Bits of one make: what both have is itself a filter, with a rate. */
static void see_earlier(const spv_client *c, spv_privacy *p,
                        spv_filter *earlier)
{
    size_t set = spv_filter_bits_set(earlier);

    p->earlier_elements = spv__wallet_element_count(c->wallet) / 2;
    p->earlier.alone = spv_filter_rate(earlier) * (double)p->addresses;
    spv__privacy_intersect(earlier, &c->filter);
    p->earlier.together = spv_filter_rate(earlier) * (double)p->addresses;
    p->earlier_adds = spv_filter_bits_set(earlier) != set;
}

static void try_all(const spv_client *c, spv_privacy *p,
                    const spv_filter others[OTHERS])
{
    uint32_t matched[1 + OTHERS];

    spv__privacy_try(&c->filter, others, OTHERS, 0, SPV_PRIVACY_TRIED, matched);
    p->tried = matched[0];
    p->earlier.tried = matched[1 + EARLIER];
    p->tweak.tried = matched[1 + OTHER_TWEAK];
    p->size.tried = matched[1 + OTHER_SIZE];
}

static spv_err see_others(const spv_client *c, spv_privacy *p)
{
    spv_filter others[OTHERS] = {{0}};
    spv_err err = build_others(c, others);

    if (err == SPV_OK) {
        try_all(c, p, others);
        see_other(p, &others[OTHER_TWEAK], &p->tweak);
        see_other(p, &others[OTHER_SIZE], &p->size);
        see_earlier(c, p, &others[EARLIER]);
    }
    for (size_t i = 0; i < OTHERS; i++)
        spv_filter_clear(&others[i]);
    return err;
}

/* For others the same keys are counted, so that only the habit differs; and
 * for one without lookahead, what is in use. */
static void see_habit(spv_habit_view *view, spv_habit habit,
                      const spv_privacy *p)
{
    uint64_t keys = p->keys > p->own ? p->keys : p->own;

    view->habit = habit;
    view->rate =
        habit == SPV_HABIT_THIS
            ? p->rate
            : spv_habit_rate(habit,
                             habit == SPV_HABIT_IN_USE_ONLY ? p->own : keys);
    for (size_t i = 0; i < SPV_PRIVACY_STARTS; i++) {
        double left = (double)p->addresses *
                      spv_habit_share(habit, view->rate, (double)(i + 1));

        view->strangers[i] = left;
        view->guess_one[i] = spv_privacy_guess_one((double)p->own, left);
        view->guess_all[i] = spv_privacy_guess_all(p->own, left);
    }
}

spv_err spv_client_privacy(const spv_client *c, uint64_t addresses,
                           spv_privacy *out)
{
    if (addresses == 0)
        return SPV_INVAL;
    *out = (spv_privacy){.addresses = addresses};
    count_elements(c, out);
    count_used(c, out);
    see_filter(c, out);
    for (size_t i = 0; i < SPV_HABIT_COUNT; i++)
        see_habit(&out->habits[i], (spv_habit)i, out);
    return see_others(c, out);
}
