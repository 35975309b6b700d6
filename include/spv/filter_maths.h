#ifndef SPV_FILTER_MATHS_H
#define SPV_FILTER_MATHS_H

#include <stdbool.h>
#include <stdint.h>

#include <spv/filter.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The mathematics of Bloom filters, for any size.
 *
 *     m  bits            k  hash functions, each naming one bit
 *     n  elements        p  false-positive rate: how often an element that
 *     s  bits set           was never inserted is found all the same
 *
 * Inserting n elements throws k n darts at m bits. A bit is missed by one with
 * probability 1 - 1/m and by all with (1 - 1/m)^(k n), close to e^(-k n/m); so
 * the share of bits set is 1 - e^(-k n/m), and a stranger's k darts all land
 * on set bits with
 *
 *     p = (1 - e^(-k n/m))^k
 *
 * For a given m/n that is least at k = (m/n) ln 2, where half of the bits are
 * set, and there m = -n ln p / (ln 2)^2. Everything below is these lines read
 * in one direction or another.
 *
 * This is the plain mathematics. What a node would compute, with the reference
 * implementation's truncations and the protocol's limits, is spv_filter_size
 * in spv/filter.h.
 */

/** A filter's size: `bits` and how many functions choose among them. */
typedef struct spv_filter_shape {
    uint64_t bits;
    uint32_t hash_funcs;
} spv_filter_shape;

/**
 * The smallest shape that holds `n` elements at rate `p` or less: with the
 * whole number of functions, at least one, that needs the fewest bits, and
 * those rounded up to whole bytes. SPV_INVAL unless n > 0 and 0 < p < 1;
 * SPV_LIMIT when the bits would not fit 64; nothing is then written.
 */
SPV_API SPV_MUST_USE spv_err spv_filter_shape_for(spv_filter_shape *shape,
                                                  uint64_t n, double p);

/** The number of functions, at least one, that makes `n` elements in `bits`
 * least often wrong. */
SPV_API uint32_t spv_filter_best_funcs(uint64_t bits, double n);

/** Expected rate once `n` elements are in: 1 for a shape without bits or
 * functions. */
SPV_API double spv_filter_shape_rate(spv_filter_shape shape, double n);

/** The same where an element's bits lie within one block of 512 bits: what is
 * in one block varies, and the crowded ones are wrong more often. */
SPV_API double spv_filter_blocked_rate(spv_filter_shape shape, double n);

/** How many elements take the shape to rate `p` (0 < p < 1) and no further. */
SPV_API double spv_filter_shape_capacity(spv_filter_shape shape, double p);

/** The same for blocks of 512 bits, to nine digits. */
SPV_API double spv_filter_blocked_capacity(spv_filter_shape shape, double p);

/** Rate observed: what `set` bits say, whatever put them there. */
SPV_API double spv_filter_observed_rate(spv_filter_shape shape, uint64_t set);

/** How many distinct elements set that many bits; infinite when all are. */
SPV_API double spv_filter_elements_from(spv_filter_shape shape, uint64_t set);

/** The same where an element's bits lie within one block of 512 bits: there
 * they fall on each other more often, and so more elements are needed. */
SPV_API double spv_filter_blocked_elements_from(spv_filter_shape shape,
                                                uint64_t set);

/** How many more elements fit before the rate passes `p`; never negative. */
SPV_API double spv_filter_capacity_left(spv_filter_shape shape, uint64_t set,
                                        double p);

/**
 * How many elements two filters of one shape have in common, from the bits
 * set in each and in their union (bitwise or): |A| + |B| - |A or B|, each
 * estimated, and never negative. Infinite when either is full.
 */
SPV_API double spv_filter_elements_shared(spv_filter_shape shape, uint64_t a,
                                          uint64_t b, uint64_t either);

/* Wire filters ------------------------------------------------------------ */

/** The shape of a wire filter. */
SPV_API spv_filter_shape spv_filter_shape_of(const spv_filter *f);

/** Whether the same element sets the same bits in both: equal sizes, function
 * counts and tweaks. Only then do or, and, and subset mean anything. */
SPV_API bool spv_filter_compatible(const spv_filter *a, const spv_filter *b);

/**
 * Make `into` the union: what either contained, it contains; bit for bit the
 * filter that all the elements would have made. SPV_INVAL, and nothing
 * changed, unless the two are compatible.
 */
SPV_API SPV_MUST_USE spv_err spv_filter_merge(spv_filter *into,
                                              const spv_filter *from);

/** Estimated elements of the union and of the intersection of two compatible
 * filters. SPV_INVAL otherwise; nothing is then written. */
SPV_API SPV_MUST_USE spv_err spv_filter_overlap(double *either, double *both,
                                                const spv_filter *a,
                                                const spv_filter *b);

#ifdef __cplusplus
}
#endif

#endif
