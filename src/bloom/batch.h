#ifndef SPV_BLOOM_BATCH_H
#define SPV_BLOOM_BATCH_H

#include <spv/local_filter.h>

#include "bloom/draw.h"

/*
 * The bits of an element in a filter with double hashing, one after another:
 * places in a range, which is the whole filter or, blocked, one cache line.
 */
typedef struct spv_walk {
    spv_draw draw;
    uint64_t base;
    uint64_t range;
} spv_walk;

/** Bits of a block in blocked filters, and its bytes: a cache line. */
enum { SPV__BLOCK_BITS = 512, SPV__BLOCK_BYTES = 64 };

static inline spv_walk spv__walk(const spv_local_plan *plan,
                                 const uint8_t *element, size_t len)
{
    spv_walk w = {.draw = spv__draw(plan->seed, element, len),
                  .range = plan->shape.bits};

    if (plan->hashing == SPV_LOCAL_BLOCKED) {
        w.base = spv__draw_next(&w.draw, w.range / SPV__BLOCK_BITS) *
                 SPV__BLOCK_BITS;
        w.range = SPV__BLOCK_BITS;
    }
    return w;
}

static inline uint64_t spv__walk_next(spv_walk *w)
{
    return w->base + spv__draw_next(&w->draw, w->range);
}

/** Insert any number of elements; not with BIP-37 hashing. */
void spv__batch_insert(spv_local_filter *f, const spv_element *elements,
                       size_t n);

/** Ask about any number; not with BIP-37 hashing. */
void spv__batch_contains(const spv_local_filter *f, bool *found,
                         const spv_element *elements, size_t n);

#endif
