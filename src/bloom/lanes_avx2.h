#ifndef SPV_BLOOM_LANES_AVX2_H
#define SPV_BLOOM_LANES_AVX2_H

#include <immintrin.h>

#include "bloom/hashes.h"

/*
 * The steps of murmur3.h and spv__reduce on eight lanes of 32 bits: a register
 * of AVX2. Written out, since compilers make half as many instructions more of
 * plain loops, and instructions are what the time goes into.
 */
#define AVX2 __attribute__((target("avx2")))
#define STEP __attribute__((target("avx2"), always_inline)) static inline

typedef __m256i lanes;

STEP lanes all_lanes(uint32_t x)
{
    return _mm256_set1_epi32((int)x);
}

STEP lanes load_lanes(const uint32_t *from)
{
    return _mm256_loadu_si256((const lanes *)(const void *)from);
}

STEP void store_lanes(uint32_t *to, lanes x)
{
    _mm256_storeu_si256((lanes *)(void *)to, x);
}

STEP lanes xor_shifted(lanes x, int by)
{
    return _mm256_xor_si256(x, _mm256_srli_epi32(x, by));
}

STEP lanes rotate(lanes x, int by)
{
    return _mm256_or_si256(_mm256_slli_epi32(x, by),
                           _mm256_srli_epi32(x, 32 - by));
}

/** spv__filter_seed of each lane's function, the `last` if there is none. */
STEP lanes seed(lanes function, uint32_t last, uint32_t tweak)
{
    lanes i = _mm256_min_epu32(function, all_lanes(last));

    return _mm256_add_epi32(
        _mm256_mullo_epi32(i, all_lanes(spv__bip37_factors[SPV__SEED])),
        all_lanes(tweak));
}

STEP lanes scramble(lanes word)
{
    lanes x = _mm256_mullo_epi32(
        word, all_lanes(spv__bip37_factors[SPV__SCRAMBLE_1]));

    return _mm256_mullo_epi32(rotate(x, 15),
                              all_lanes(spv__bip37_factors[SPV__SCRAMBLE_2]));
}

STEP lanes round_step(lanes h, lanes scrambled)
{
    lanes r = rotate(_mm256_xor_si256(h, scrambled), 13);

    r = _mm256_add_epi32(r, _mm256_slli_epi32(r, 2)); /* times five */
    return _mm256_add_epi32(r, all_lanes(spv__bip37_factors[SPV__ROUND]));
}

STEP lanes finish(lanes h)
{
    h = _mm256_mullo_epi32(xor_shifted(h, 16),
                           all_lanes(spv__bip37_factors[SPV__FINISH_1]));
    h = _mm256_mullo_epi32(xor_shifted(h, 13),
                           all_lanes(spv__bip37_factors[SPV__FINISH_2]));
    return xor_shifted(h, 16);
}

/** The upper halves of 32-bit products: the unit multiplies even lanes only,
 * so the odd ones are brought there, and their results lie right already. */
STEP lanes multiply_high(lanes a, lanes b)
{
    lanes even = _mm256_srli_epi64(_mm256_mul_epu32(a, b), 32);
    lanes odd = _mm256_mul_epu32(_mm256_srli_epi64(a, 32), b);

    return _mm256_blend_epi32(even, odd, 0xaa);
}

/** The bits that hashes name, once finished: spv__reduce. */
STEP lanes bits_of(lanes unfinished, const spv__bip37 *h)
{
    lanes bits = all_lanes(h->bits);
    lanes x = finish(unfinished);
    lanes q = multiply_high(x, all_lanes(h->inverse));
    lanes left = _mm256_sub_epi32(x, _mm256_mullo_epi32(q, bits));

    return _mm256_min_epu32(left, _mm256_sub_epi32(left, bits));
}

#endif
