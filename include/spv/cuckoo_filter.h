#ifndef SPV_CUCKOO_FILTER_H
#define SPV_CUCKOO_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <spv/saved_filter.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A cuckoo filter: a table of fingerprints instead of a field of bits.
 *
 * Workload: a set of a known greatest size whose elements come and go all the
 * time. A removal costs what a look-up costs, two buckets, and so at most two
 * waits for memory; the table takes less of it than a plain Bloom filter for
 * rates below 0.4 %, and a quarter of what a counting one takes. It cannot
 * project to a BIP-37 filter, so it has no role in what this client tells to
 * nodes: it is here for the sets of others.
 *
 * An element is kept as a fingerprint of f bits, in one of two buckets of
 * four. Each bucket follows from the other and the fingerprint alone ("partial
 * key cuckoo hashing"), so that a fingerprint can be moved when nobody knows
 * its element any more. A look-up compares up to 8 fingerprints, each slot
 * full with the probability of the load a, each value one of 2^f - 1 (zero
 * means a free slot):
 *
 *     rate = 1 - (1 - 1/(2^f - 1))^(8a)  <=  8a/(2^f - 1)
 *
 * at f/a bits an element: f = 12 and a = 0.95 give 0.19 % for 12.6 bits, where
 * a plain filter needs 13.1. After Fan, Andersen, Kaminsky and Mitzenmacher,
 * "Cuckoo Filter: Practically Better Than Bloom" (2014).
 */

/** Elements at most: as many as 64-bit sizes of tables can count. */
#define SPV_CUCKOO_FILTER_CAPACITY_MAX ((uint64_t)1 << 48)

/** The lowest rate that fingerprints of 32 bits, the longest, can give. */
#define SPV_CUCKOO_FILTER_RATE_MIN 1.8e-9

/** A cuckoo filter owns its table. Zeroed, it contains nothing. */
typedef struct spv_cuckoo_filter {
    uint8_t *table; /**< packed fingerprints, four a bucket, lowest bit first */
    uint64_t n_buckets;
    uint32_t bits; /**< of a fingerprint: 8 to 32 */
    uint64_t seed;
    uint64_t elements; /**< inserted and not removed */

    /** The stash of one: a fingerprint that found no room; 0 when empty. */
    uint32_t homeless;
    uint64_t homeless_bucket; /**< either of its two */
} spv_cuckoo_filter;

/* Life -------------------------------------------------------------------- */

/**
 * An empty filter for `capacity` elements at rate `p`, and for no more: it
 * fills to 95 % of its slots. SPV_INVAL unless capacity > 0 and 0 < p < 1,
 * SPV_LIMIT beyond the two limits above, SPV_NOMEM; `f` is zeroed then. With a
 * `seed` that others cannot guess nobody can choose elements that collide.
 */
SPV_API SPV_MUST_USE spv_err spv_cuckoo_filter_init(spv_cuckoo_filter *f,
                                                    uint64_t capacity, double p,
                                                    uint64_t seed);

/** Free the table and zero the filter. Allowed on a zeroed one. */
SPV_API void spv_cuckoo_filter_clear(spv_cuckoo_filter *f);

/* Elements ---------------------------------------------------------------- */

/**
 * Add an element of any length. SPV_LIMIT when there is no room for it: it is
 * not in then, and all that was in still is.
 *
 * Inserting it again takes room again, eight times at most: what comes more
 * than once is asked for first.
 */
SPV_API SPV_MUST_USE spv_err spv_cuckoo_filter_insert(spv_cuckoo_filter *f,
                                                      const uint8_t *element,
                                                      size_t len);

/**
 * Take back one insertion. SPV_NOT_FOUND when there was none.
 *
 * Remove only what was inserted: a false positive that is "removed" takes the
 * fingerprint of another element, which is missed from then on.
 */
SPV_API SPV_MUST_USE spv_err spv_cuckoo_filter_remove(spv_cuckoo_filter *f,
                                                      const uint8_t *element,
                                                      size_t len);

/** Whether an element may be in the set: never false if it is. */
SPV_API bool spv_cuckoo_filter_contains(const spv_cuckoo_filter *f,
                                        const uint8_t *element, size_t len);

/**
 * Add all that another contains, and how often. SPV_INVAL unless size,
 * fingerprints and seed are the same; SPV_LIMIT when both together have no
 * room, SPV_NOMEM. After an error `f` is as it was.
 */
SPV_API SPV_MUST_USE spv_err
spv_cuckoo_filter_merge(spv_cuckoo_filter *f, const spv_cuckoo_filter *other);

/* Numbers ----------------------------------------------------------------- */

/** The share of the slots that are taken, 0 to 1 (and a hair above, with the
 * stash). */
SPV_API double spv_cuckoo_filter_fill(const spv_cuckoo_filter *f);

/** False-positive rate for one element at the present load. */
SPV_API double spv_cuckoo_filter_rate(const spv_cuckoo_filter *f);

/** Bytes of the table. */
SPV_API size_t spv_cuckoo_filter_bytes(const spv_cuckoo_filter *f);

/* Saved ------------------------------------------------------------------- */

/** Write the header of a saved filter (spv/saved_filter.h); as many bytes of
 * `f->table` as spv_cuckoo_filter_bytes says follow it in the file. */
SPV_API void spv_cuckoo_filter_save(uint8_t header[SPV_SAVED_HEADER],
                                    const spv_cuckoo_filter *f);

/**
 * A filter of its own from a saved one. SPV_INVAL for another kind;
 * SPV_TRUNCATED, SPV_UNSUPPORTED, SPV_CHECKSUM; SPV_MALFORMED also when the
 * table does not hold as many elements as it should; SPV_NOMEM. `f` is zeroed
 * then.
 */
SPV_API SPV_MUST_USE spv_err spv_cuckoo_filter_load(spv_cuckoo_filter *f,
                                                    const uint8_t *bytes,
                                                    size_t len);

#ifdef __cplusplus
}
#endif

#endif
