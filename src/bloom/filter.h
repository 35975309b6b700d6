#ifndef SPV_BLOOM_FILTER_H
#define SPV_BLOOM_FILTER_H

#include <spv/filter.h>

#include "wire/message.h"

/** Seed of hash function `i`: "nHashNum * 0xFBA4C795 + nTweak" (BIP 37). */
static inline uint32_t spv__filter_seed(uint32_t i, uint32_t tweak)
{
    return i * 0xfba4c795u + tweak;
}

/** The filter as a message, borrowed until the filter changes. */
spv_filterload spv__filter_message(const spv_filter *f);

/** A filter from a decoded message: what spv_filter_decode ends with. */
spv_err spv__filter_of_message(spv_filter *f, const spv_filterload *m);

#endif
