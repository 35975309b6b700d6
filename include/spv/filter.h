#ifndef SPV_FILTER_H
#define SPV_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <spv/tx.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The bloom filter of BIP 37: what a client tells a node about its wallet.
 *
 * Sizes, hash counts, the update of a filter by what it matches: all of it is
 * the arithmetic of the reference implementation, bit for bit, because both
 * ends of a connection must hold the same filter.
 */

/** "The maximum size is 36,000 bytes." (BIP 37, as are the other two.) */
#define SPV_FILTER_BYTES_MAX   36000
#define SPV_FILTER_FUNCS_MAX   50
#define SPV_FILTER_ELEMENT_MAX 520

/** Bytes of the longest filterload payload. */
#define SPV_FILTER_PAYLOAD_MAX (3 + SPV_FILTER_BYTES_MAX + 9)

/** What a node adds by itself when an output matches. Only the low two bits
 * of the flags count; 3 behaves as none. */
typedef enum spv_filter_update {
    SPV_FILTER_UPDATE_NONE = 0,
    SPV_FILTER_UPDATE_ALL = 1,
    SPV_FILTER_UPDATE_P2PUBKEY_ONLY = 2, /**< P2PK and bare multisig */
    SPV_FILTER_UPDATE_MASK = 3
} spv_filter_update;

/** A filter owns its bytes. Zeroed, it is the zero-length filter, which
 * matches everything. */
typedef struct spv_filter {
    uint8_t *bytes;
    size_t len;
    uint32_t hash_funcs;
    uint32_t tweak;
    uint8_t flags; /**< as on the wire; see spv_filter_update */
} spv_filter;

/* Sizing ------------------------------------------------------------------ */

/**
 * Bytes and hash functions for `n` elements at false-positive rate `p`, as
 * the reference implementation computes them: at most 36,000 and 50, and zero
 * of both for very small filters (one element at 0.5). SPV_INVAL unless
 * n > 0 and 0 < p < 1; nothing is then written.
 */
SPV_API SPV_MUST_USE spv_err spv_filter_size(size_t *bytes,
                                             uint32_t *hash_funcs, uint32_t n,
                                             double p);

/** Expected false-positive rate of `n` elements in a filter of `bytes`. */
SPV_API double spv_filter_rate_for(size_t bytes, uint32_t hash_funcs, double n);

/** How many elements a filter of `bytes` holds at rate `p` (0 < p < 1) when its
 * number of functions is the best for it. */
SPV_API double spv_filter_capacity(size_t bytes, double p);

/* Life -------------------------------------------------------------------- */

/**
 * An empty filter of an explicit size. SPV_LIMIT over the protocol's limits,
 * SPV_NOMEM; `f` is zeroed then. Any earlier content of `f` is not freed.
 */
SPV_API SPV_MUST_USE spv_err spv_filter_init(spv_filter *f, size_t bytes,
                                             uint32_t hash_funcs,
                                             uint32_t tweak, uint8_t flags);

/** An empty filter for `n` elements at rate `p`: spv_filter_size, then init. */
SPV_API SPV_MUST_USE spv_err spv_filter_init_for(spv_filter *f, uint32_t n,
                                                 double p, uint32_t tweak,
                                                 uint8_t flags);

/** A copy that owns its own bytes. SPV_NOMEM zeroes `to`. */
SPV_API SPV_MUST_USE spv_err spv_filter_copy(spv_filter *to,
                                             const spv_filter *from);

/** Free the bytes and zero the filter. Allowed on a zeroed one. */
SPV_API void spv_filter_clear(spv_filter *f);

/* Wire -------------------------------------------------------------------- */

/**
 * Read a whole filterload payload. SPV_TRUNCATED, SPV_MALFORMED, SPV_LIMIT,
 * SPV_NOMEM; `f` is zeroed then. Dangerous filters are read like any other:
 * ask spv_filter_wire_ok before sending one.
 */
SPV_API SPV_MUST_USE spv_err spv_filter_decode(spv_filter *f,
                                               const uint8_t *payload,
                                               size_t len);

/** Write the filterload payload; its length is returned. */
SPV_API size_t spv_filter_encode(uint8_t out[SPV_FILTER_PAYLOAD_MAX],
                                 const spv_filter *f);

/**
 * Whether a filter may be sent to a node: it has bytes and functions, some
 * bits are set and some are not. Others "match everything" or nothing.
 */
SPV_API bool spv_filter_wire_ok(const spv_filter *f);

/* Elements ---------------------------------------------------------------- */

/** Add an element of any length. Nothing happens to a zero-length filter. */
SPV_API void spv_filter_insert(spv_filter *f, const uint8_t *element,
                               size_t len);
SPV_API void spv_filter_insert_outpoint(spv_filter *f, const spv_outpoint *o);

/** Whether the filter matches an element; a zero-length filter always does,
 * and so does one without hash functions. */
SPV_API bool spv_filter_contains(const spv_filter *f, const uint8_t *element,
                                 size_t len);
SPV_API bool spv_filter_contains_outpoint(const spv_filter *f,
                                          const spv_outpoint *o);

/* Numbers ----------------------------------------------------------------- */

SPV_API size_t spv_filter_bits_set(const spv_filter *f);

/** No bit is set (true of a zero-length filter). */
SPV_API bool spv_filter_is_empty(const spv_filter *f);

/** Everything matches: zero length, no functions, or all bits set. */
SPV_API bool spv_filter_is_full(const spv_filter *f);

/** False-positive rate for one element, from the bits that are set. */
SPV_API double spv_filter_rate(const spv_filter *f);

/** How many elements the set bits suggest; infinite for a full filter. */
SPV_API double spv_filter_elements(const spv_filter *f);

/* Transactions ------------------------------------------------------------ */

/** Why a transaction matched, and what that added to the filter. */
typedef struct spv_match {
    bool matched;
    bool by_txid;
    bool by_input;    /**< an outpoint or script push of an input */
    uint32_t outputs; /**< outputs with a matching push */
    uint32_t added;   /**< outpoints inserted under the update flags */
} spv_match;

/**
 * Match a transaction as a node does, with the same updates in the same order:
 * BIP 37's "Filter matching algorithm". Witness data is never looked at.
 * Inputs are only looked at when neither txid nor outputs matched.
 */
SPV_API bool spv_filter_match(spv_filter *f, const spv_tx *tx,
                              spv_match *match);

/**
 * Match `n` transactions one after the other, those of a block in its order:
 * exactly what spv_filter_match says of each, and the same updates, in a third
 * of the time where few of them match (with AVX2; three quarters elsewhere).
 * `matches` has room for `n`.
 *
 * They are as spv_tx_decode left them: the bytes that they borrow are read.
 * Nothing is allocated; some 30 KB of stack are used. A block may be given in
 * parts, some hundred transactions at a time or more.
 */
SPV_API void spv_filter_match_block(spv_filter *f, const spv_tx *txs, size_t n,
                                    spv_match *matches);

/** The same answer without the updates. */
SPV_API bool spv_filter_matches(const spv_filter *f, const spv_tx *tx);

/** Whether a push of an output script is in the filter. */
SPV_API bool spv_filter_matches_output(const spv_filter *f,
                                       const spv_txout *out);

#ifdef __cplusplus
}
#endif

#endif
