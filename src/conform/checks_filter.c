#include <string.h>

#include "conform/recipe.h"

/*
 * Filters of every shape: sizes, numbers of functions, tweaks, and bits that
 * are set by chance. A wrong bit in a wrong place shows as a transaction too
 * many or too few.
 */

#define FUNCTIONS "BIP 37: \"nHashNum * 0xFBA4C795 + nTweak\""
#define BITS      "BIP 37: \"a bit field of arbitrary byte-aligned size\""
#define POSITIVES                                                          \
    "BIP 37: \"the set of matching transactions\" is what matches, false " \
    "positives too"

/* Dense ones let about this many of a hundred strangers pass. */
enum { STRANGERS = 30, ELEMENTS_MIN = 3 };

typedef struct shape {
    size_t bytes;
    uint32_t functions;
    uint32_t tweak;
    uint8_t flags;
    bool any_tweak;
    bool dense; /* bits by chance, beside the elements */
} shape;

typedef enum shape_name {
    ONE_BYTE,
    THREE_BYTES,
    LARGEST,
    ONE_FUNCTION,
    MOST_FUNCTIONS,
    TWEAK_0,
    TWEAK_MAX,
    TWEAK_ANY,
    DENSE_SMALL,
    DENSE_LARGE,
    DENSE_MOST_FUNCTIONS,
    ANY_SIZE,
    FULL,
    UPDATES_3,
    HIGH_FLAGS
} shape_name;

static const shape shapes[] = {
    [ONE_BYTE] = {.bytes = 1, .functions = 1, .any_tweak = true},
    [THREE_BYTES] = {.bytes = 3, .functions = 2, .any_tweak = true},
    [LARGEST] = {.bytes = 36000, .functions = 13, .any_tweak = true},
    [ONE_FUNCTION] = {.bytes = 511, .functions = 1, .any_tweak = true},
    [MOST_FUNCTIONS] = {.bytes = 1021, .functions = 50, .any_tweak = true},
    [TWEAK_0] = {.bytes = 64, .functions = 5},
    [TWEAK_MAX] = {.bytes = 64, .functions = 5, .tweak = UINT32_MAX},
    [TWEAK_ANY] = {.bytes = 64, .functions = 5, .any_tweak = true},
    [DENSE_SMALL] = {.bytes = 37,
                     .functions = 3,
                     .any_tweak = true,
                     .dense = true},
    [DENSE_LARGE] = {.bytes = 20011,
                     .functions = 4,
                     .any_tweak = true,
                     .dense = true},
    [DENSE_MOST_FUNCTIONS] = {.bytes = 997,
                              .functions = 50,
                              .any_tweak = true,
                              .dense = true},
    [ANY_SIZE] = {.functions = 0, .any_tweak = true},
    [FULL] = {.bytes = 100, .functions = 7, .any_tweak = true},
    [UPDATES_3] = {.bytes = 2048, .functions = 9, .flags = 3},
    [HIGH_FLAGS] = {.bytes = 2048, .functions = 9, .flags = 0xfc},
};

static bool init_filter(spv_dialogue *d, spv_filter *f, shape_name name)
{
    shape t = shapes[name];
    uint32_t any = (uint32_t)spv__rng_next(d->rng);

    if (name == ANY_SIZE) {
        t.bytes = (size_t)spv__rng_between(d->rng, 2, 5000);
        t.functions = (uint32_t)spv__rng_between(d->rng, 1, 50);
    }
    if (spv_filter_init(f, t.bytes, t.functions, t.any_tweak ? any : t.tweak,
                        t.flags) == SPV_OK)
        return true;
    d->err = SPV_NOMEM;
    return false;
}

/* The share of bits that k functions find all set in 3 of 10 cases. */
static void fill(spv_dialogue *d, spv_filter *f)
{
    size_t bits = f->len * 8;
    double keep = f->hash_funcs >= 50  ? 0.976
                  : f->hash_funcs == 4 ? 0.74
                                       : 0.67;

    for (size_t i = 0; i < bits; i++)
        if ((double)spv__rng_below(d->rng, 1000) < keep * 1000)
            f->bytes[i / 8] |= (uint8_t)(1u << i % 8);
}

static bool is_worth_it(const spv_sample *b, const void *ctx)
{
    (void)ctx;
    return b->n >= ELEMENTS_MIN;
}

/* Some txids of a block with several transactions, or whatever there is. */
static void ask_shape(spv_dialogue *d, const spv_samples *s, int arg)
{
    shape_name name = (shape_name)arg;
    const spv_sample *b = spv__samples_pick(s, d->rng, is_worth_it, NULL);
    spv_filter f;

    if (!b)
        b = spv__recipe_any(d, s);
    if (!b || !init_filter(d, &f, name))
        return;
    for (size_t i = 0; i < b->n; i++)
        if (spv__rng_chance(d->rng, 1, 3))
            spv_filter_insert(&f, b->txids[i].bytes, 32);
    if (shapes[name].dense)
        fill(d, &f);
    if (name == FULL)
        memset(f.bytes, 0xff, f.len);
    spv__recipe_ask(d, &f, b);
}

/* ---- The table ---- */

#define MUST(name, title, basis, shape)                                     \
    {                                                                       \
        "filter." name, title, basis, SPV_CONFORM_MUST, 0, ask_shape, shape \
    }

const spv_check spv__checks_filter[] = {
    MUST("one-byte", "a filter of one byte is served", BITS, ONE_BYTE),
    MUST("three-bytes", "a filter of three bytes is served", BITS, THREE_BYTES),
    MUST("any-size", "a filter of any size and number of functions is served",
         BITS, ANY_SIZE),
    MUST("largest", "a filter of 36,000 bytes matches what is in it", BITS,
         LARGEST),
    MUST("one-function", "a filter of one function is served", FUNCTIONS,
         ONE_FUNCTION),
    MUST("most-functions", "all of 50 functions are asked", FUNCTIONS,
         MOST_FUNCTIONS),
    MUST("tweak-zero", "a tweak of 0 is used as it is", FUNCTIONS, TWEAK_0),
    MUST("tweak-largest", "a tweak of 0xffffffff wraps around", FUNCTIONS,
         TWEAK_MAX),
    MUST("tweak-any", "any tweak seeds the functions", FUNCTIONS, TWEAK_ANY),
    MUST("dense-small", "false positives of a small filter are served",
         POSITIVES, DENSE_SMALL),
    MUST("dense-large", "false positives of a large filter are served",
         POSITIVES, DENSE_LARGE),
    MUST("dense-most-functions",
         "false positives of a filter with 50 functions are served", POSITIVES,
         DENSE_MOST_FUNCTIONS),
    MUST("all-ones", "a filter of ones alone matches every transaction",
         POSITIVES, FULL),
    {"filter.flags-3", "flags of 3 are no reason to refuse a filter",
     "reference implementation: bloom.h, BLOOM_UPDATE_MASK = 3",
     SPV_CONFORM_SHOULD, 0, ask_shape, UPDATES_3},
    {"filter.flags-high-bits", "unknown flags are no reason to refuse a filter",
     "reference implementation: bloom.h, BLOOM_UPDATE_MASK = 3",
     SPV_CONFORM_SHOULD, 0, ask_shape, HIGH_FLAGS},
    {0},
};
