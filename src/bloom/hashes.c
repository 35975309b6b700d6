#include "bloom/hashes.h"

#include "bloom/bits.h"
#include "bloom/filter.h"
#include "bloom/lanes.h"
#include "bloom/murmur3.h"

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/** Functions `first` and those after it; lanes left over repeat the last
 * function, and so do no harm. */
static void hash(uint32_t at[LANES], const spv__bip37 *h, uint32_t first,
                 const uint8_t *element, size_t len)
{
    const uint8_t *tail = element + (len & ~(size_t)3);
    const spv__bip37 own = *h; /* which no store to `at` can change */
    uint32_t lane[LANES];
    uint32_t word = 0;

    EACH_LANE (i)
        lane[i] = spv__filter_seed(
            least(first + (uint32_t)i, own.hash_funcs - 1), own.tweak);
    for (; element < tail; element += 4) {
        word = spv__murmur3_scramble(spv__murmur3_word(element));
        EACH_LANE (i)
            lane[i] = spv__murmur3_round(lane[i], word);
    }
    word = spv__murmur3_scramble(spv__murmur3_tail(tail, len & 3));
    word ^= (uint32_t)len;
    EACH_LANE (i)
        at[i] = spv__reduce(spv__murmur3_finish(lane[i] ^ word), own.bits,
                            own.inverse);
}

/* Any machine ------------------------------------------------------------- */

void spv__bip37_insert_portable(const spv__bip37 *h, uint8_t *bytes,
                                const uint8_t *element, size_t len)
{
    uint32_t at[LANES];

    for (uint32_t first = 0; first < h->hash_funcs; first += LANES) {
        hash(at, h, first, element, len);
        for (size_t i = 0; i < LANES; i++)
            spv__bit_set(bytes, at[i]);
    }
}

bool spv__bip37_contains_portable(const spv__bip37 *h, const uint8_t *bytes,
                                  const uint8_t *element, size_t len)
{
    uint32_t at[LANES];

    for (uint32_t first = 0; first < h->hash_funcs; first += LANES) {
        unsigned all = 1;

        hash(at, h, first, element, len);
        for (size_t i = 0; i < LANES; i++)
            all &= spv__bit_get(bytes, at[i]);
        if (!all)
            return false;
    }
    return true;
}

uint32_t spv__bip37_bits_portable(uint32_t at[SPV__LANES], const spv__bip37 *h,
                                  uint32_t first, const uint8_t *element,
                                  size_t len)
{
    hash(at, h, first, element, len);
    return least(h->hash_funcs - first, LANES);
}

/* This machine ------------------------------------------------------------ */

#if defined(SPV__WIDE)
#    define HAS_WIDE() __builtin_cpu_supports("avx2")

const uint32_t spv__bip37_factors[6] = {
    [SPV__SEED] = 0xfba4c795u,       [SPV__SCRAMBLE_1] = 0xcc9e2d51u,
    [SPV__SCRAMBLE_2] = 0x1b873593u, [SPV__ROUND] = 0xe6546b64u,
    [SPV__FINISH_1] = 0x85ebca6bu,   [SPV__FINISH_2] = 0xc2b2ae35u,
};

#else
#    define HAS_WIDE()               false
#    define spv__bip37_insert_wide   spv__bip37_insert_portable
#    define spv__bip37_contains_wide spv__bip37_contains_portable
#    define spv__bip37_bits_wide     spv__bip37_bits_portable
#endif

void spv__bip37_insert(const spv__bip37 *h, uint8_t *bytes,
                       const uint8_t *element, size_t len)
{
    if (HAS_WIDE())
        spv__bip37_insert_wide(h, bytes, element, len);
    else
        spv__bip37_insert_portable(h, bytes, element, len);
}

bool spv__bip37_contains(const spv__bip37 *h, const uint8_t *bytes,
                         const uint8_t *element, size_t len)
{
    return HAS_WIDE() ? spv__bip37_contains_wide(h, bytes, element, len)
                      : spv__bip37_contains_portable(h, bytes, element, len);
}

uint32_t spv__bip37_bits(uint32_t at[SPV__LANES], const spv__bip37 *h,
                         uint32_t first, const uint8_t *element, size_t len)
{
    return HAS_WIDE() ? spv__bip37_bits_wide(at, h, first, element, len)
                      : spv__bip37_bits_portable(at, h, first, element, len);
}
