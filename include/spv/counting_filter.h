#ifndef SPV_COUNTING_FILTER_H
#define SPV_COUNTING_FILTER_H

#include <spv/filter.h>
#include <spv/saved_filter.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A bloom filter that can forget: a counter where the plain filter has a bit.
 *
 * Workload: a set that changes slowly while its plain filter is sent again and
 * again. Here that is the filter that tells a node which addresses to watch. A
 * plain filter cannot lose an address, for each of its bits may be another's
 * as well; it would have to be built anew from all the others. This one counts
 * and *projects*: a counter above zero is a set bit. The projection is, bit for
 * bit, the filter that BIP 37 asks for with the elements that are left.
 *
 * (What was removed is told to whoever sees the filters before and after: the
 * bits that are gone are its. A wallet's filter on nodes of strangers only
 * grows, therefore; removal is for one's own node, and for watched addresses
 * that are nobody's secret.)
 *
 * A counter has 4 bits, so it costs four times the memory of the plain filter
 * (144,000 bytes for the largest that can be sent). Four suffice: with n
 * elements and k functions over m counters, at the best k = ln 2 * m/n,
 *
 *     P(some counter reaches 15) <= m * (e * ln 2 / 15)^15 = 3.1e-14 * m
 *
 * (Fan, Cao, Almeida and Broder 2000, who do the sum for 16), which for those
 * 288,000 counters is 8.8e-9.
 *
 * A counter at 15 may have missed increments, so it is stuck: it never goes
 * down again. The worst that does is a bit set for too long (a false positive
 * more); a decrement too many would be a false negative, which is never.
 * Inserting one element fifteen times sticks its counters: insert once.
 */

/** Bytes of the largest plain filter behind one. BIP 37's hashes are 32 bits
 * long: bits from the 2^32nd on would never be set. */
#define SPV_COUNTING_FILTER_BYTES_MAX (((size_t)1 << 29) - 1)

/** A counting filter owns its cells. Zeroed, it contains nothing. */
typedef struct spv_counting_filter {
    uint8_t *cells; /**< 4 * len bytes; the even counter is the low half */
    size_t len;     /**< bytes of the plain filter it projects to */
    uint32_t hash_funcs;
    uint32_t tweak;
    uint8_t flags;     /**< of the projection; see spv_filter_update */
    uint64_t elements; /**< inserted and not removed */
} spv_counting_filter;

/* Life -------------------------------------------------------------------- */

/**
 * An empty filter that projects to `bytes` bytes. Sizes are the plain
 * filter's: take them from spv_filter_size. SPV_INVAL for a zero,
 * SPV_LIMIT beyond SPV_COUNTING_FILTER_BYTES_MAX or SPV_FILTER_FUNCS_MAX,
 * SPV_NOMEM; `f` is zeroed then. Earlier content of `f` is not freed.
 */
SPV_API SPV_MUST_USE spv_err spv_counting_filter_init(spv_counting_filter *f,
                                                      size_t bytes,
                                                      uint32_t hash_funcs,
                                                      uint32_t tweak,
                                                      uint8_t flags);

/** Free the cells and zero the filter. Allowed on a zeroed one. */
SPV_API void spv_counting_filter_clear(spv_counting_filter *f);

/* Elements ---------------------------------------------------------------- */

/** Add an element of any length, hashed as BIP 37 hashes it. */
SPV_API void spv_counting_filter_insert(spv_counting_filter *f,
                                        const uint8_t *element, size_t len);

/**
 * Take back one insertion. SPV_NOT_FOUND, and nothing changed, when the
 * counters show that there was none.
 *
 * Remove only what was inserted: a false positive that is "removed" takes its
 * counts from other elements, which may be missed from then on.
 */
SPV_API SPV_MUST_USE spv_err spv_counting_filter_remove(spv_counting_filter *f,
                                                        const uint8_t *element,
                                                        size_t len);

/** Whether an element may be in the set: the projection's own answer. */
SPV_API bool spv_counting_filter_contains(const spv_counting_filter *f,
                                          const uint8_t *element, size_t len);

/**
 * Add what another counted: the result is the filter of both insertions'
 * lists. SPV_INVAL, and nothing changed, unless size, functions and tweak are
 * the same.
 */
SPV_API SPV_MUST_USE spv_err spv_counting_filter_merge(
    spv_counting_filter *f, const spv_counting_filter *other);

/* Projection -------------------------------------------------------------- */

/**
 * The plain filter of the elements that are left, owned by the caller, ready
 * for spv_filter_encode. SPV_LIMIT when it is too large for the wire (ask
 * spv_counting_filter_bits then), SPV_NOMEM; `plain` is zeroed then.
 */
SPV_API SPV_MUST_USE spv_err
spv_counting_filter_project(const spv_counting_filter *f, spv_filter *plain);

/** The plain filter's `f->len` bytes alone, of any size. */
SPV_API void spv_counting_filter_bits(const spv_counting_filter *f,
                                      uint8_t *out);

/* Numbers ----------------------------------------------------------------- */

/** Counters above zero: the projection's set bits. */
SPV_API size_t spv_counting_filter_bits_set(const spv_counting_filter *f);

/** Counters that are stuck at 15; 0 in a filter within its design. */
SPV_API size_t spv_counting_filter_stuck(const spv_counting_filter *f);

/** False-positive rate for one element, from the counters above zero. */
SPV_API double spv_counting_filter_rate(const spv_counting_filter *f);

/* Saved ------------------------------------------------------------------- */

/** Write the header of a saved filter (spv/saved_filter.h); `4 * f->len` bytes
 * from `f->cells` are what follows it in the file. */
SPV_API void spv_counting_filter_save(uint8_t header[SPV_SAVED_HEADER],
                                      const spv_counting_filter *f);

/**
 * A filter of its own from a saved one. SPV_INVAL for another kind;
 * SPV_TRUNCATED, SPV_UNSUPPORTED, SPV_CHECKSUM; SPV_MALFORMED also when the
 * counters cannot come from that many elements; SPV_NOMEM. `f` is zeroed then.
 */
SPV_API SPV_MUST_USE spv_err spv_counting_filter_load(spv_counting_filter *f,
                                                      const uint8_t *bytes,
                                                      size_t len);

#ifdef __cplusplus
}
#endif

#endif
