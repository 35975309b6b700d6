#include "bloom/hashes.h"

#if defined(SPV__WIDE)

#    include "bloom/bits.h"
#    include "bloom/lanes_avx2.h"
#    include "bloom/murmur3.h"

/*
 * Sixteen of BIP 37's hashes of one element at once, in two registers: one's
 * steps fill the other's waits.
 */

/** Functions first, first + 1... in `lo`, the eight after those in `hi`. */
typedef struct sixteen {
    lanes lo;
    lanes hi;
} sixteen;

/** All bytes are in, the last steps are left to be done: half of the lanes may
 * turn out not to need them. */
STEP sixteen hash(const spv__bip37 *h, uint32_t first, const uint8_t *element,
                  size_t len)
{
    const uint8_t *tail = element + (len & ~(size_t)3);
    uint32_t last = h->hash_funcs - 1;
    lanes ramp = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    lanes lo = _mm256_add_epi32(all_lanes(first), ramp);
    lanes hi = _mm256_add_epi32(lo, all_lanes(8));
    lanes word;

    lo = seed(lo, last, h->tweak);
    hi = seed(hi, last, h->tweak);
    for (; element < tail; element += 4) {
        word = all_lanes(spv__murmur3_scramble(spv__murmur3_word(element)));
        lo = round_step(lo, word);
        hi = round_step(hi, word);
    }
    word = all_lanes((uint32_t)len ^
                     spv__murmur3_scramble(spv__murmur3_tail(tail, len & 3)));
    return (sixteen){_mm256_xor_si256(lo, word), _mm256_xor_si256(hi, word)};
}

/* Bits -------------------------------------------------------------------- */

/* Two bits leave a register at a time, as the halves of a number. */

STEP void set_two(uint8_t *bytes, int64_t two)
{
    spv__bit_set(bytes, (uint32_t)two);
    spv__bit_set(bytes, (size_t)((uint64_t)two >> 32));
}

STEP unsigned get_two(const uint8_t *bytes, int64_t two)
{
    return spv__bit_get(bytes, (uint32_t)two) &
           spv__bit_get(bytes, (size_t)((uint64_t)two >> 32));
}

STEP void set_eight(uint8_t *bytes, lanes at)
{
    set_two(bytes, _mm256_extract_epi64(at, 0));
    set_two(bytes, _mm256_extract_epi64(at, 1));
    set_two(bytes, _mm256_extract_epi64(at, 2));
    set_two(bytes, _mm256_extract_epi64(at, 3));
}

/** All are looked at: to leave at the first miss is to guess the toss of a
 * coin each time, and a wrong guess costs more than the looks. */
STEP unsigned get_eight(const uint8_t *bytes, lanes at)
{
    return get_two(bytes, _mm256_extract_epi64(at, 0)) &
           get_two(bytes, _mm256_extract_epi64(at, 1)) &
           get_two(bytes, _mm256_extract_epi64(at, 2)) &
           get_two(bytes, _mm256_extract_epi64(at, 3));
}

AVX2 void spv__bip37_insert_wide(const spv__bip37 *h, uint8_t *bytes,
                                 const uint8_t *element, size_t len)
{
    for (uint32_t i = 0; i < h->hash_funcs; i += SPV__LANES) {
        sixteen at = hash(h, i, element, len);

        set_eight(bytes, bits_of(at.lo, h));
        set_eight(bytes, bits_of(at.hi, h));
    }
}

AVX2 bool spv__bip37_contains_wide(const spv__bip37 *h, const uint8_t *bytes,
                                   const uint8_t *element, size_t len)
{
    for (uint32_t i = 0; i < h->hash_funcs; i += SPV__LANES) {
        sixteen at = hash(h, i, element, len);

        if (!get_eight(bytes, bits_of(at.lo, h)) ||
            !get_eight(bytes, bits_of(at.hi, h)))
            return false;
    }
    return true;
}

AVX2 uint32_t spv__bip37_bits_wide(uint32_t at[SPV__LANES], const spv__bip37 *h,
                                   uint32_t first, const uint8_t *element,
                                   size_t len)
{
    sixteen all = hash(h, first, element, len);
    uint32_t left = h->hash_funcs - first;

    store_lanes(at, bits_of(all.lo, h));
    store_lanes(at + SPV__LANES / 2, bits_of(all.hi, h));
    return left < SPV__LANES ? left : SPV__LANES;
}

#else

typedef int spv__no_avx2; /* a unit must declare something */

#endif
