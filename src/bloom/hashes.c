#include "bloom/hashes.h"

#include "bloom/bits.h"
#include "bloom/filter.h"
#include "bloom/murmur3.h"

/*
 * Compilers turn a loop over lanes into vector instructions, provided that
 * they are kept from unrolling it first, which hides what it was.
 */
#if defined(__clang__)
#    define KEEP_LOOP _Pragma("clang loop unroll(disable)")
#elif defined(__GNUC__)
#    define KEEP_LOOP _Pragma("GCC unroll 1")
#else
#    define KEEP_LOOP
#endif
#define EACH_LANE(i, n) KEEP_LOOP for (uint32_t i = 0; i < (n); i++)

#if defined(__GNUC__)
#    define INLINE static inline __attribute__((always_inline))
#else
#    define INLINE static inline
#endif

INLINE uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/**
 * `lanes` functions of an element, `first` and those after it; lanes left over
 * repeat the last function, and so do no harm. Inlined with a constant number
 * of lanes into functions for one kind of machine each.
 */
INLINE void hash_lanes(uint32_t at[], uint32_t lanes, const spv__bip37 *h,
                       uint32_t first, const uint8_t *element, size_t len)
{
    const uint8_t *tail = element + (len & ~(size_t)3);
    const uint32_t bits = h->bits;
    const uint32_t inverse = h->inverse;
    const uint32_t last = h->hash_funcs - 1;
    uint32_t lane[SPV__LANES];
    uint32_t word = 0;

    EACH_LANE (i, lanes)
        lane[i] = spv__filter_seed(least(first + i, last), h->tweak);
    for (; element < tail; element += 4) {
        word = spv__murmur3_scramble(spv__murmur3_word(element));
        EACH_LANE (i, lanes)
            lane[i] = spv__murmur3_round(lane[i], word);
    }
    word = spv__murmur3_scramble(spv__murmur3_tail(tail, len & 3));
    word ^= (uint32_t)len;
    EACH_LANE (i, lanes)
        at[i] = spv__reduce(spv__murmur3_finish(lane[i] ^ word), bits, inverse);
}

/* Machines ---------------------------------------------------------------- */

/*
 * Eight lanes are two registers of 128 bits (SSE2 and NEON, which every x86-64
 * and AArch64 has). Sixteen would cost what a miss, half of the time decided
 * by the first function alone, cannot repay. With two registers of 256 bits,
 * one's steps fill the other's waits: sixteen take hardly longer than eight.
 */
enum { NARROW = 8, WIDE = SPV__LANES };

static void hash_narrow(uint32_t at[], const spv__bip37 *h, uint32_t first,
                        const uint8_t *element, size_t len)
{
    hash_lanes(at, NARROW, h, first, element, len);
}

#if defined(__x86_64__) && defined(__GNUC__)
#    define HAS_WIDE() __builtin_cpu_supports("avx2")

__attribute__((target("avx2"), noinline)) static void hash_wide(
    uint32_t at[], const spv__bip37 *h, uint32_t first, const uint8_t *element,
    size_t len)
{
    hash_lanes(at, WIDE, h, first, element, len);
}

#else
#    define HAS_WIDE() false
#    define hash_wide  hash_narrow
#endif

/* Elements ---------------------------------------------------------------- */

typedef void hash_fn(uint32_t at[], const spv__bip37 *h, uint32_t first,
                     const uint8_t *element, size_t len);

INLINE void insert(uint32_t lanes, hash_fn *hash, const spv__bip37 *h,
                   uint8_t *bytes, const uint8_t *element, size_t len)
{
    uint32_t at[SPV__LANES];

    for (uint32_t first = 0; first < h->hash_funcs; first += lanes) {
        hash(at, h, first, element, len);
        for (uint32_t i = 0; i < lanes; i++)
            spv__bit_set(bytes, at[i]);
    }
}

/** All that were computed are looked at: to leave at the first miss is to
 * guess, each time, the toss of a coin; a wrong guess costs more than the
 * looks. */
INLINE bool contains(uint32_t lanes, hash_fn *hash, const spv__bip37 *h,
                     const uint8_t *bytes, const uint8_t *element, size_t len)
{
    uint32_t at[SPV__LANES];

    for (uint32_t first = 0; first < h->hash_funcs; first += lanes) {
        unsigned all = 1;

        hash(at, h, first, element, len);
        for (uint32_t i = 0; i < lanes; i++)
            all &= spv__bit_get(bytes, at[i]);
        if (!all)
            return false;
    }
    return true;
}

void spv__bip37_insert(const spv__bip37 *h, uint8_t *bytes,
                       const uint8_t *element, size_t len)
{
    if (HAS_WIDE())
        insert(WIDE, hash_wide, h, bytes, element, len);
    else
        insert(NARROW, hash_narrow, h, bytes, element, len);
}

bool spv__bip37_contains(const spv__bip37 *h, const uint8_t *bytes,
                         const uint8_t *element, size_t len)
{
    return HAS_WIDE() ? contains(WIDE, hash_wide, h, bytes, element, len)
                      : contains(NARROW, hash_narrow, h, bytes, element, len);
}

uint32_t spv__bip37_bits(uint32_t at[SPV__LANES], const spv__bip37 *h,
                         uint32_t first, const uint8_t *element, size_t len)
{
    uint32_t left = h->hash_funcs - first;

    if (HAS_WIDE()) {
        hash_wide(at, h, first, element, len);
        return least(left, WIDE);
    }
    return spv__bip37_bits_portable(at, h, first, element, len);
}

uint32_t spv__bip37_bits_portable(uint32_t at[SPV__LANES], const spv__bip37 *h,
                                  uint32_t first, const uint8_t *element,
                                  size_t len)
{
    hash_narrow(at, h, first, element, len);
    return least(h->hash_funcs - first, NARROW);
}
