#include "bloom/bits.h"

#include <string.h>

/** Eight bytes as they come: whatever their order, the count is the same. */
static uint64_t load(const uint8_t *p, size_t n)
{
    uint64_t word = 0;

    memcpy(&word, p, n);
    return word;
}

/** The bits of a word, added up pairwise: by twos, fours, bytes, all. */
static uint64_t count(uint64_t x)
{
    x -= x >> 1 & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return x * 0x0101010101010101u >> 56;
}

uint64_t spv__bits_count(const uint8_t *bytes, size_t n)
{
    return spv__bits_count_either(bytes, bytes, n);
}

uint64_t spv__bits_count_either(const uint8_t *a, const uint8_t *b, size_t n)
{
    uint64_t set = 0;

    for (; n >= 8; a += 8, b += 8, n -= 8)
        set += count(load(a, 8) | load(b, 8));
    return n ? set + count(load(a, n) | load(b, n)) : set;
}

void spv__bits_merge(uint8_t *into, const uint8_t *from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        into[i] |= from[i];
}
