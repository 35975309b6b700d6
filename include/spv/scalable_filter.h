#ifndef SPV_SCALABLE_FILTER_H
#define SPV_SCALABLE_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <spv/saved_filter.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A filter that grows: for sets whose size nobody knows beforehand.
 *
 * Workload: insertions without end, an upper limit for the rate that has to
 * hold at any time, and no list of the elements to build a larger filter from.
 * A plain filter would have to be made for the largest size imaginable, or
 * would slowly come to match everything. (A crawl's seen addresses are such a
 * set; this client's own sets all have bounds, so none of them is one.)
 *
 * It is a row of plain filters, the layers. Elements go into the newest; when
 * it is full another is begun, twice as large; a look-up asks them all. For
 * the rates' sum to stay below the promised p, each layer must be stricter
 * than the one before. Here it is by one hash function. With layer i = 0, 1,
 * 2 ... given
 *
 *     room for  n_i = n_0 * 2^i         elements,
 *               k_i = k_0 + i           functions, k_0 = 1 + log2(1/p)
 *               m_i = k_i * n_i / ln 2  bits,
 *
 * a full layer has the share 1 - e^(-k_i n_i/m_i) = 1 - e^(-ln 2) = 1/2 of its
 * bits set, and matches a stranger with the probability 2^-k_i. That any of
 * the layers does is at most the sum, however many there are:
 *
 *     sum 2^-(k_0 + i) < 2^-k_0 * (1 + 1/2 + 1/4 + ...) = 2^(1 - k_0) <= p
 *
 * What that costs: log2(n/n_0) layers to ask, and one function more for each;
 * a million elements after n_0 = 1,000 at 1 % take 24 bits each where a plain
 * filter made for just them takes 9.6. After Almeida, Baquero, Preguica and
 * Hutchison, "Scalable Bloom Filters" (2007).
 *
 * There is no removal (a bit may be another's), and no merge: joining layers
 * that are full would break the promise, and appending them would double it.
 * Ask both; the rates add up.
 */

/** No layer has room for more elements than this. */
#define SPV_SCALABLE_FILTER_LAYER_MAX ((uint64_t)1 << 48)

/** A scalable filter owns its layers. Zeroed, it contains nothing. */
typedef struct spv_scalable_filter {
    uint8_t *bytes; /**< the layers' bits, the oldest layer first */
    size_t len;
    uint64_t first_room;  /**< n_0 */
    uint32_t first_funcs; /**< k_0 */
    uint32_t n_layers;
    uint64_t in_newest; /**< elements in the newest layer */
    uint64_t seed;
} spv_scalable_filter;

/* Life -------------------------------------------------------------------- */

/**
 * An empty filter that begins with room for `first` elements and never passes
 * the rate `p`. SPV_INVAL unless first > 0 and 0 < p < 1, SPV_LIMIT beyond
 * SPV_SCALABLE_FILTER_LAYER_MAX or p < 2^-60, SPV_NOMEM; `f` is zeroed then.
 */
SPV_API SPV_MUST_USE spv_err spv_scalable_filter_init(spv_scalable_filter *f,
                                                      uint64_t first, double p,
                                                      uint64_t seed);

/** Free the layers and zero the filter. Allowed on a zeroed one. */
SPV_API void spv_scalable_filter_clear(spv_scalable_filter *f);

/* Elements ---------------------------------------------------------------- */

/**
 * Add an element of any length. One that the filter contains already changes
 * nothing, so that what comes again and again takes no room. SPV_NOMEM or
 * SPV_LIMIT when another layer is needed and cannot be had: the element is not
 * in then, and all that was in still is.
 */
SPV_API SPV_MUST_USE spv_err spv_scalable_filter_insert(spv_scalable_filter *f,
                                                        const uint8_t *element,
                                                        size_t len);

/** Whether an element may be in the set: never false if it is. */
SPV_API bool spv_scalable_filter_contains(const spv_scalable_filter *f,
                                          const uint8_t *element, size_t len);

/* Numbers ----------------------------------------------------------------- */

/** Elements that were added and not contained before: the distinct ones, but
 * for a share of them below the promised rate. */
SPV_API uint64_t spv_scalable_filter_elements(const spv_scalable_filter *f);

/** The promise: 2^(1 - k_0), which is at most the `p` asked for. */
SPV_API double spv_scalable_filter_promise(const spv_scalable_filter *f);

/** A bound of the present rate for one element, from the bits set: the layers'
 * rates, added up. Reads the whole filter. */
SPV_API double spv_scalable_filter_rate(const spv_scalable_filter *f);

/* Saved ------------------------------------------------------------------- */

/** Write the header of a saved filter (spv/saved_filter.h); `f->len` bytes
 * from `f->bytes` are what follows it in the file. */
SPV_API void spv_scalable_filter_save(uint8_t header[SPV_SAVED_HEADER],
                                      const spv_scalable_filter *f);

/**
 * A filter of its own from a saved one. SPV_INVAL for another kind;
 * SPV_TRUNCATED, SPV_MALFORMED, SPV_UNSUPPORTED, SPV_CHECKSUM, SPV_NOMEM; `f`
 * is zeroed then.
 */
SPV_API SPV_MUST_USE spv_err spv_scalable_filter_load(spv_scalable_filter *f,
                                                      const uint8_t *bytes,
                                                      size_t len);

#ifdef __cplusplus
}
#endif

#endif
