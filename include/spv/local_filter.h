#ifndef SPV_LOCAL_FILTER_H
#define SPV_LOCAL_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <spv/filter_maths.h>
#include <spv/saved_filter.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A Bloom filter that never crosses a wire, so that nothing limits its size.
 *
 * Workload: very many elements inserted once, then very many asked about, most
 * of them strangers; a filter far larger than any cache, where the time goes
 * into waiting for memory. Hence the batched calls: they ask for all of a
 * batch's memory before they look at any of it.
 */

/** How an element chooses its k bits. These numbers are on disk. */
typedef enum spv_local_hashing {
    /** k MurmurHash3 x86 32 with BIP 37's seeds: bit for bit the wire filter
     * with that many bytes and that tweak. Below 2^32 bits. */
    SPV_LOCAL_BIP37 = 0,
    /** One MurmurHash3 x64 128 gives a and b, and a + i b, stirred, the i-th
     * bit (Kirsch and Mitzenmacher, 2006: as good as k hashes, for the price
     * of one; the stirring keeps that true of small filters too). */
    SPV_LOCAL_DOUBLE = 1,
    /** The same within one block of 512 bits, a cache line: one wait for
     * memory an element, and a higher rate (spv_filter_blocked_rate). */
    SPV_LOCAL_BLOCKED = 2
} spv_local_hashing;

/** All that two filters must share for their bits to mean the same. */
typedef struct spv_local_plan {
    spv_filter_shape shape;
    spv_local_hashing hashing;
    uint64_t seed; /**< the tweak, in BIP 37's words; from the caller */
} spv_local_plan;

/** A filter owns its bytes, or views a saved one's. Zeroed, it has no bits
 * and contains nothing. */
typedef struct spv_local_filter {
    spv_local_plan plan;
    const uint8_t *bytes; /**< bit i is bit i % 8 of byte i / 8 */
    uint8_t *own;         /**< the same when writable; NULL for a view */
    size_t len;
} spv_local_filter;

/** An element of a batch, borrowed. */
typedef struct spv_element {
    const uint8_t *bytes;
    size_t len;
} spv_element;

/* Life -------------------------------------------------------------------- */

/** A plan for `n` elements at rate `p`. For blocked hashing it has as many
 * bits more as keep that rate. Errors as spv_filter_shape_for; SPV_LIMIT also
 * for 2^32 bits and more with BIP-37 hashing. */
SPV_API SPV_MUST_USE spv_err spv_local_plan_for(spv_local_plan *plan,
                                                uint64_t n, double p,
                                                spv_local_hashing hashing,
                                                uint64_t seed);

/**
 * An empty filter. SPV_INVAL for a senseless plan (no bits, no functions or
 * more than 255, not whole bytes or, blocked, whole blocks), SPV_LIMIT for one
 * that does not fit memory's addresses or its hashing, SPV_NOMEM; `f` is
 * zeroed then.
 */
SPV_API SPV_MUST_USE spv_err spv_local_filter_init(spv_local_filter *f,
                                                   const spv_local_plan *plan);

/** Free what the filter owns and zero it. Allowed on a zeroed one. */
SPV_API void spv_local_filter_clear(spv_local_filter *f);

/* Elements ---------------------------------------------------------------- */

/** Add an element of any length. Not for a view. */
SPV_API void spv_local_filter_insert(spv_local_filter *f,
                                     const uint8_t *element, size_t len);

/** Whether the element may have been inserted: never false if it was. */
SPV_API bool spv_local_filter_contains(const spv_local_filter *f,
                                       const uint8_t *element, size_t len);

/** Add `n` elements; the fastest in batches of a hundred or more. */
SPV_API void spv_local_filter_insert_batch(spv_local_filter *f,
                                           const spv_element *elements,
                                           size_t n);

/** Ask about `n` elements: `found[i]` is what contains would say of the i-th.
 * How many were found is returned. */
SPV_API size_t spv_local_filter_contains_batch(const spv_local_filter *f,
                                               bool *found,
                                               const spv_element *elements,
                                               size_t n);

/* Sets -------------------------------------------------------------------- */

/** Whether the same element sets the same bits under both plans. */
SPV_API bool spv_local_plan_equal(const spv_local_plan *a,
                                  const spv_local_plan *b);

/** Make `into` the union. SPV_INVAL, and nothing changed, unless the plans are
 * equal. Not into a view. */
SPV_API SPV_MUST_USE spv_err
spv_local_filter_merge(spv_local_filter *into, const spv_local_filter *from);

/** Estimated elements of the union and of the intersection, each as
 * spv_local_plan_elements and never negative. SPV_INVAL unless the plans are
 * equal; nothing is then written. */
SPV_API SPV_MUST_USE spv_err
spv_local_filter_overlap(double *either, double *both,
                         const spv_local_filter *a, const spv_local_filter *b);

/* Numbers ----------------------------------------------------------------- */

/** How many bits are set; reads the whole filter. */
SPV_API uint64_t spv_local_filter_bits_set(const spv_local_filter *f);

/** Expected rate once `n` elements are in, as its hashing has it. */
SPV_API double spv_local_plan_rate(const spv_local_plan *plan, double n);

/** How many distinct elements set that many bits, as its hashing has it:
 * infinite when all are. */
SPV_API double spv_local_plan_elements(const spv_local_plan *plan,
                                       uint64_t set);

/** How many elements take a filter to rate `p` (0 < p < 1) and no further. */
SPV_API double spv_local_plan_capacity(const spv_local_plan *plan, double p);

/* Saved ------------------------------------------------------------------- */

/** Write the header of a saved filter; `f->len` bytes from `f->bytes` are what
 * follows it in the file. */
SPV_API void spv_local_filter_save(uint8_t header[SPV_SAVED_HEADER],
                                   const spv_local_filter *f);

/**
 * A filter over a saved one's bytes, which are borrowed and not copied: a
 * mapped file is ready at once. The payload's checksum is not looked at
 * (spv_saved_filter_verify does). SPV_TRUNCATED, SPV_MALFORMED,
 * SPV_UNSUPPORTED, SPV_CHECKSUM, SPV_INVAL for another kind; `f` is zeroed
 * then.
 */
SPV_API SPV_MUST_USE spv_err spv_local_filter_view(spv_local_filter *f,
                                                   const uint8_t *bytes,
                                                   size_t len);

/** A filter of its own from a saved one, its payload verified: one that can
 * grow. Errors as for a view, and SPV_NOMEM. */
SPV_API SPV_MUST_USE spv_err spv_local_filter_load(spv_local_filter *f,
                                                   const uint8_t *bytes,
                                                   size_t len);

#ifdef __cplusplus
}
#endif

#endif
