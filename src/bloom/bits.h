#ifndef SPV_BLOOM_BITS_H
#define SPV_BLOOM_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bit i of a filter is bit i % 8 of byte i / 8, on the wire and everywhere. */

static inline void spv__bit_set(uint8_t *bytes, size_t i)
{
    bytes[i >> 3] |= (uint8_t)(1u << (i & 7));
}

/** 0 or 1. */
static inline unsigned spv__bit_get(const uint8_t *bytes, size_t i)
{
    return (unsigned)bytes[i >> 3] >> (i & 7) & 1u;
}

/** How many bits of `n` bytes are set. */
uint64_t spv__bits_count(const uint8_t *bytes, size_t n);

/** How many are set in either of two. */
uint64_t spv__bits_count_either(const uint8_t *a, const uint8_t *b, size_t n);

/** Set in `into` what is set in `from`. */
void spv__bits_merge(uint8_t *into, const uint8_t *from, size_t n);

#endif
