#ifndef SPV_BLOOM_HASHES_H
#define SPV_BLOOM_HASHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * BIP 37's k hash functions of one element, side by side.
 *
 * All k are the same function with another seed, so they do the same steps on
 * the same bytes: what a vector unit is for. The work that needs no seed (a
 * third of it) is done once for all of them.
 */

/** No machine computes more bits than this at once. */
enum { SPV__LANES = 16 };

/** What is the same for every element of one filter. */
typedef struct spv__bip37 {
    uint32_t tweak;
    uint32_t hash_funcs;
    uint32_t bits;    /**< of the filter, at least 1 */
    uint32_t inverse; /**< for spv__reduce */
} spv__bip37;

/** Set an element's bits. */
void spv__bip37_insert(const spv__bip37 *h, uint8_t *bytes,
                       const uint8_t *element, size_t len);

/** Whether all of an element's bits are set: true without functions. */
bool spv__bip37_contains(const spv__bip37 *h, const uint8_t *bytes,
                         const uint8_t *element, size_t len);

/**
 * The bits that functions `first`, `first` + 1... name for an element, as many
 * as this machine computes well at once: their number, at least 1, is
 * returned. `first` < `hash_funcs`.
 */
uint32_t spv__bip37_bits(uint32_t at[SPV__LANES], const spv__bip37 *h,
                         uint32_t first, const uint8_t *element, size_t len);

/* The ways to do so ------------------------------------------------------- */

/* Plain C for any machine: what the others must equal. */

void spv__bip37_insert_portable(const spv__bip37 *h, uint8_t *bytes,
                                const uint8_t *element, size_t len);
bool spv__bip37_contains_portable(const spv__bip37 *h, const uint8_t *bytes,
                                  const uint8_t *element, size_t len);
uint32_t spv__bip37_bits_portable(uint32_t at[SPV__LANES], const spv__bip37 *h,
                                  uint32_t first, const uint8_t *element,
                                  size_t len);

/* For x86-64 with AVX2, which a processor has to be asked for. */
#if defined(__x86_64__) && defined(__GNUC__)
#    define SPV__WIDE

/** Constants of the hash. From memory one instruction fills a register with
 * them; a compiler that can see their values makes it three. */
enum {
    SPV__SEED,
    SPV__SCRAMBLE_1,
    SPV__SCRAMBLE_2,
    SPV__ROUND,
    SPV__FINISH_1,
    SPV__FINISH_2
};
extern const uint32_t spv__bip37_factors[6];

void spv__bip37_insert_wide(const spv__bip37 *h, uint8_t *bytes,
                            const uint8_t *element, size_t len);
bool spv__bip37_contains_wide(const spv__bip37 *h, const uint8_t *bytes,
                              const uint8_t *element, size_t len);
uint32_t spv__bip37_bits_wide(uint32_t at[SPV__LANES], const spv__bip37 *h,
                              uint32_t first, const uint8_t *element,
                              size_t len);
#endif

/* Arithmetic -------------------------------------------------------------- */

/** The constant that lets spv__reduce divide by `bits` (at least 1). */
static inline uint32_t spv__inverse(uint32_t bits)
{
    return UINT32_MAX / bits;
}

/**
 * hash % bits without the division (Barrett, 1986).
 *
 * With v = floor((2^32 - 1) / bits), q = floor(hash v / 2^32) is the quotient
 * or one less: v <= 2^32 / bits makes it no more, and v >= 2^32 / bits - 1
 * with hash < 2^32 gives hash v / 2^32 > hash / bits - 1. So the remainder
 * that q leaves is right or `bits` too large, and below 2^32 since it is at
 * most `hash`. Too large, subtracting makes it smaller; right, subtracting
 * wraps round and makes it larger: the smaller of both is right.
 */
static inline uint32_t spv__reduce(uint32_t hash, uint32_t bits,
                                   uint32_t inverse)
{
    uint32_t q = (uint32_t)((uint64_t)hash * inverse >> 32);
    uint32_t left = hash - q * bits;
    uint32_t less = left - bits;

    return less < left ? less : left;
}

static inline spv__bip37 spv__bip37_of(uint32_t bits, uint32_t hash_funcs,
                                       uint32_t tweak)
{
    return (spv__bip37){tweak, hash_funcs, bits, spv__inverse(bits)};
}

#endif
