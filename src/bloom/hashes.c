#include "bloom/hashes.h"

#include "bloom/bits.h"
#include "bloom/filter.h"
#include "bloom/murmur3.h"

/*
 * Compilers turn a loop over lanes into vector instructions, provided that
 * they are kept from unrolling it first, which hides what it was.
 */
#if defined(__clang__)
#    define EACH_LANE _Pragma("clang loop unroll(disable)")
#elif defined(__GNUC__)
#    define EACH_LANE _Pragma("GCC unroll 1")
#else
#    define EACH_LANE
#endif

#if defined(__GNUC__)
#    define INLINE static inline __attribute__((always_inline))
#else
#    define INLINE static inline
#endif

/**
 * `lanes` functions of an element, `first` and those after it. Inlined with a
 * constant number of lanes into functions for one kind of machine each.
 */
INLINE void hash_lanes(uint32_t at[], uint32_t lanes, const spv__bip37 *h,
                       uint32_t first, const uint8_t *element, size_t len)
{
    const uint8_t *tail = element + (len & ~(size_t)3);
    const uint32_t bits = h->bits;
    const uint32_t inverse = h->inverse;
    uint32_t lane[SPV__LANES];
    uint32_t word = 0;

    EACH_LANE for (uint32_t i = 0; i < lanes; i++) lane[i] =
        spv__filter_seed(first + i, h->tweak);
    for (; element < tail; element += 4) {
        word = spv__murmur3_scramble(spv__murmur3_word(element));
        EACH_LANE for (uint32_t i = 0; i < lanes; i++) lane[i] =
            spv__murmur3_round(lane[i], word);
    }
    word = spv__murmur3_scramble(spv__murmur3_tail(tail, len & 3));
    word ^= (uint32_t)len;
    EACH_LANE for (uint32_t i = 0; i < lanes; i++) at[i] =
        spv__reduce(spv__murmur3_finish(lane[i] ^ word), bits, inverse);
}

static uint32_t how_many(const spv__bip37 *h, uint32_t first, uint32_t lanes)
{
    uint32_t left = h->hash_funcs - first;

    return left < lanes ? left : lanes;
}

spv__bip37 spv__bip37_of(uint32_t bits, uint32_t hash_funcs, uint32_t tweak)
{
    return (spv__bip37){tweak, hash_funcs, bits, spv__inverse(bits)};
}

/* Machines ---------------------------------------------------------------- */

/*
 * Eight lanes are two registers of 128 bits (SSE2 and NEON, which every x86-64
 * and AArch64 has). Sixteen would cost what a miss, half of the time decided
 * by the first function alone, cannot repay.
 */
enum { NARROW = 8, WIDE = 16 };

uint32_t spv__bip37_bits_portable(uint32_t at[SPV__LANES], const spv__bip37 *h,
                                  uint32_t first, const uint8_t *element,
                                  size_t len)
{
    hash_lanes(at, NARROW, h, first, element, len);
    return how_many(h, first, NARROW);
}

#if defined(__x86_64__) && defined(__GNUC__)

/** Two registers of 256 bits: one chain's steps fill the other's waits, so
 * sixteen lanes take no longer than eight. */
__attribute__((target("avx2"))) static uint32_t bits_avx2(
    uint32_t at[SPV__LANES], const spv__bip37 *h, uint32_t first,
    const uint8_t *element, size_t len)
{
    hash_lanes(at, WIDE, h, first, element, len);
    return how_many(h, first, WIDE);
}

uint32_t spv__bip37_bits(uint32_t at[SPV__LANES], const spv__bip37 *h,
                         uint32_t first, const uint8_t *element, size_t len)
{
    if (__builtin_cpu_supports("avx2"))
        return bits_avx2(at, h, first, element, len);
    return spv__bip37_bits_portable(at, h, first, element, len);
}

#else

uint32_t spv__bip37_bits(uint32_t at[SPV__LANES], const spv__bip37 *h,
                         uint32_t first, const uint8_t *element, size_t len)
{
    return spv__bip37_bits_portable(at, h, first, element, len);
}

#endif

/* Elements ---------------------------------------------------------------- */

void spv__bip37_insert(const spv__bip37 *h, uint8_t *bytes,
                       const uint8_t *element, size_t len)
{
    uint32_t at[SPV__LANES];
    uint32_t n = 0;

    for (uint32_t first = 0; first < h->hash_funcs; first += n) {
        n = spv__bip37_bits(at, h, first, element, len);
        for (uint32_t i = 0; i < n; i++)
            spv__bit_set(bytes, at[i]);
    }
}

/** All of them are looked at: to leave at the first miss is to guess, each
 * time, the toss of a coin, and a wrong guess costs more than the looks. */
static bool all_set(const uint8_t *bytes, const uint32_t at[], uint32_t n)
{
    unsigned all = 1;

    for (uint32_t i = 0; i < n; i++)
        all &= spv__bit_get(bytes, at[i]);
    return all;
}

bool spv__bip37_contains(const spv__bip37 *h, const uint8_t *bytes,
                         const uint8_t *element, size_t len)
{
    uint32_t at[SPV__LANES];
    uint32_t n = 0;

    for (uint32_t first = 0; first < h->hash_funcs; first += n) {
        n = spv__bip37_bits(at, h, first, element, len);
        if (!all_set(bytes, at, n))
            return false;
    }
    return true;
}
