#ifndef SPV_ROLLING_FILTER_H
#define SPV_ROLLING_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <spv/saved_filter.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A filter of what came last: the oldest is forgotten as the newest comes.
 *
 * Workload: an endless stream of elements, each asked about once or a few
 * times soon after the first; memory fixed for ever. In a client those are the
 * inventory and the transactions that peers announce: each of eight peers
 * tells of the same transaction, and one request for it is enough. A false
 * positive is an announcement taken for an old one; so the rate is to be one
 * that a session will not see (1e-6), and nothing that must not be missed may
 * hang on it alone: a block still brings what was passed over.
 *
 * The last N insertions are remembered, always, and none before the last 8/7 N
 * (but by the false positives' chance). They lie in eight generations of N/7
 * each: one is being filled, seven are full or still empty, and when the one
 * is full the oldest is wiped and is the next to fill.
 *
 * A cell is a byte, and bit g of it belongs to generation g. So the eight are
 * eight plain filters of one size, laid side by side: an element has k cells,
 * and it is remembered if some bit is set in all of them: k loads, k ands.
 * A full generation has half of its bits set and a rate of 2^-k, which
 * k = log2(8/p), rounded up, makes p/8 at most; and the chance that any of the
 * eight finds a stranger is at most the sum of theirs. The memory is
 *
 *     k * N/7 / ln 2  bytes
 *
 * which is 238 kB for N = 50,000 and p = 1e-6, or 38 bits a remembered
 * element. Two generations, the fewest, would take 60 and three 47, because
 * the larger they are the more is kept that need not be. Three in cells of two
 * bits, as the reference implementation has them, take 86. More than eight do
 * not fit a byte.
 *
 * There is no removal (wait), and no merge: two filters' pasts have no common
 * order, so there would be no last N.
 */

/** The most that can be asked to be remembered. */
#define SPV_ROLLING_FILTER_LAST_MAX ((uint64_t)1 << 48)

/** A rolling filter owns its cells. Zeroed, it contains nothing. */
typedef struct spv_rolling_filter {
    uint8_t *cells;
    size_t n_cells;
    uint32_t hash_funcs;
    uint64_t seed;
    uint64_t generation_size; /**< insertions until the next is begun */
    uint64_t in_newest;       /**< of them, those made */
    uint64_t turns;           /**< generations completed since the start */
} spv_rolling_filter;

/* Life -------------------------------------------------------------------- */

/**
 * An empty filter that will remember the `last` insertions at rate `p`.
 * SPV_INVAL unless last > 0 and 0 < p < 1, SPV_LIMIT beyond
 * SPV_ROLLING_FILTER_LAST_MAX or p < 2^-64, SPV_NOMEM; `f` is zeroed then. With
 * a `seed` that peers cannot guess none can make an announcement that is taken
 * for another's.
 */
SPV_API SPV_MUST_USE spv_err spv_rolling_filter_init(spv_rolling_filter *f,
                                                     uint64_t last, double p,
                                                     uint64_t seed);

/** Free the cells and zero the filter. Allowed on a zeroed one. */
SPV_API void spv_rolling_filter_clear(spv_rolling_filter *f);

/* Elements ---------------------------------------------------------------- */

/** Remember an element of any length; one that is remembered already is new
 * again. Now and then this wipes a generation, one pass over the memory. */
SPV_API void spv_rolling_filter_insert(spv_rolling_filter *f,
                                       const uint8_t *element, size_t len);

/** Whether an element may be remembered: never false of the last N. */
SPV_API bool spv_rolling_filter_contains(const spv_rolling_filter *f,
                                         const uint8_t *element, size_t len);

/* Numbers ----------------------------------------------------------------- */

/** Insertions that are remembered now; one that changed nothing is not
 * counted. */
SPV_API uint64_t spv_rolling_filter_elements(const spv_rolling_filter *f);

/** A bound of the false-positive rate for one element, from the bits set:
 * the generations' rates, added up. Reads the whole filter. */
SPV_API double spv_rolling_filter_rate(const spv_rolling_filter *f);

/* Saved ------------------------------------------------------------------- */

/** Write the header of a saved filter (spv/saved_filter.h); `f->n_cells` bytes
 * from `f->cells` are what follows it in the file. */
SPV_API void spv_rolling_filter_save(uint8_t header[SPV_SAVED_HEADER],
                                     const spv_rolling_filter *f);

/**
 * A filter of its own from a saved one. SPV_INVAL for another kind;
 * SPV_TRUNCATED, SPV_MALFORMED, SPV_UNSUPPORTED, SPV_CHECKSUM, SPV_NOMEM; `f`
 * is zeroed then.
 */
SPV_API SPV_MUST_USE spv_err spv_rolling_filter_load(spv_rolling_filter *f,
                                                     const uint8_t *bytes,
                                                     size_t len);

#ifdef __cplusplus
}
#endif

#endif
