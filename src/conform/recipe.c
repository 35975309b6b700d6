#include "conform/recipe.h"

enum { BYTES = 2048, FUNCTIONS = 11 };

const spv_sample *spv__recipe_pick(spv_dialogue *d, const spv_samples *s,
                                   spv_sample_test *test, const void *ctx,
                                   const char *lack)
{
    const spv_sample *picked = spv__samples_pick(s, d->rng, test, ctx);

    if (!picked)
        spv__dialogue_lacks(d, lack);
    return picked;
}

const spv_sample *spv__recipe_any(spv_dialogue *d, const spv_samples *s)
{
    return spv__recipe_pick(d, s, NULL, NULL, SPV__LACKS_BLOCKS);
}

bool spv__recipe_filter(spv_dialogue *d, spv_filter *f, uint8_t flags)
{
    uint32_t tweak = (uint32_t)spv__rng_next(d->rng);

    if (spv_filter_init(f, BYTES, FUNCTIONS, tweak, flags) == SPV_OK)
        return true;
    d->err = SPV_NOMEM;
    return false;
}

void spv__recipe_ask(spv_dialogue *d, spv_filter *f, const spv_sample *block)
{
    spv__say_filterload(d, f);
    spv__ask_one(d, block);
    spv__end_turn(d);
    spv_filter_clear(f);
}

void spv__recipe_element(spv_dialogue *d, const uint8_t *element, size_t len,
                         uint8_t flags, const spv_sample *block)
{
    spv_filter f;

    if (!spv__recipe_filter(d, &f, flags))
        return;
    spv_filter_insert(&f, element, len);
    spv__recipe_ask(d, &f, block);
}

void spv__recipe_ordinary(spv_dialogue *d, const spv_samples *s)
{
    const spv_sample *b = spv__recipe_any(d, s);
    const spv_hash *txid = NULL;

    if (!b)
        return;
    txid = &b->txids[spv__rng_below(d->rng, b->n)];
    spv__recipe_element(d, txid->bytes, sizeof(txid->bytes),
                        SPV_FILTER_UPDATE_NONE, b);
}
