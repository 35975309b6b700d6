#ifndef SPV_BLOOM_DRAW_H
#define SPV_BLOOM_DRAW_H

#include <stddef.h>
#include <stdint.h>

#include "bloom/murmur3.h"

/*
 * The k places of an element, drawn one after the other from one hash.
 *
 * Double hashing, a + i*b modulo m, has a floor. All that it knows of an
 * element is a and b modulo m, and one b in m is zero: then the k places are
 * one, which in a half full filter is taken as likely as not. Another is m/2,
 * and names two; and so on. It finds strangers with a probability of 1/m, more
 * or less, however many functions there are. A large filter at an ordinary
 * rate never notices; but layers and generations are small, and far stricter
 * than the whole. Where 7,143 elements in 238,464 places should come to 1.1e-7
 * it comes to 6e-6 (bench_relatives measures it).
 *
 * So all 128 bits of the hash are kept, and a place is a well mixed function
 * of a + i*b: Steele, Lea and Flood's splitmix64 (2014), with a stride of its
 * own for each element. It costs two multiplications a place.
 */
typedef struct spv_draw {
    uint64_t at;
    uint64_t stride;
} spv_draw;

static inline spv_draw spv__draw(uint64_t seed, const uint8_t *element,
                                 size_t len)
{
    spv__hash128 h = spv__murmur3_128(seed, element, len);

    return (spv_draw){.at = h.a,
                      .stride = h.b | 1}; /* odd: no cycle is short */
}

/** A number below `n` from all of `hash`, evenly, without a division while `n`
 * has 32 bits: the integer part of n * hash / 2^64. */
static inline uint64_t spv__below(uint64_t n, uint64_t hash)
{
    if (n > UINT32_MAX)
        return hash % n;
    return (n * (hash >> 32) + (n * (hash & UINT32_MAX) >> 32)) >> 32;
}

/** The next place, below `n`. */
static inline uint64_t spv__draw_next(spv_draw *d, uint64_t n)
{
    uint64_t z = d->at += d->stride;

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return spv__below(n, z ^ z >> 31);
}

/**
 * Places a function for `n` elements (below 2^50) to fill half of them.
 *
 * k times that many, with k functions, are left free by all of the k*n draws
 * with the probability e^(-k n / (k n / ln 2)) = 1/2; so a stranger's k places
 * are all taken with 2^-k. The number n / ln 2 is whole, and so the same on
 * every machine (1.443 is a little above 1 / ln 2), and a multiple of 64: tiny
 * filters, for which the formula is too hopeful, get some to spare.
 */
static inline uint64_t spv__places_half_full(uint64_t n)
{
    return ((n * 1443 + 999) / 1000 + 63) / 64 * 64;
}

#endif
