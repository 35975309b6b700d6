#ifndef SPV_TX_H
#define SPV_TX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <spv/hash.h>

#ifdef __cplusplus
extern "C" {
#endif

/** All the money there can be, in satoshi. */
#define SPV_MAX_MONEY INT64_C(2100000000000000)

/** A transaction output named by its transaction and index. */
typedef struct spv_outpoint {
    spv_hash txid;
    uint32_t vout;
} spv_outpoint;

/** Bytes of an outpoint on the wire: txid, then index little-endian. */
#define SPV_OUTPOINT_LEN 36

/** The 36 bytes: what an input carries and what a BIP 37 filter holds. */
SPV_API void spv_outpoint_encode(uint8_t out[SPV_OUTPOINT_LEN],
                                 const spv_outpoint *outpoint);

/** Whether both name the same output. */
SPV_API bool spv_outpoint_equal(const spv_outpoint *a, const spv_outpoint *b);

/** An input; script and witness are borrowed from the decoded bytes. */
typedef struct spv_txin {
    spv_outpoint prev;
    const uint8_t *script;
    size_t script_len;
    uint32_t sequence;
    const uint8_t *witness; /**< count and items as sent; NULL if empty */
    size_t witness_len;
} spv_txin;

/** An output; the script is borrowed from the decoded bytes. */
typedef struct spv_txout {
    int64_t value; /**< satoshi, as sent: may be out of range */
    const uint8_t *script;
    size_t script_len;
} spv_txout;

/**
 * A transaction, decoded from bytes that it borrows and must not outlive.
 *
 * It owns its input and output arrays: spv_tx_clear frees them.
 */
typedef struct spv_tx {
    spv_hash txid;
    spv_hash wtxid; /**< equals txid when there is no witness */
    int32_t version;
    uint32_t lock_time;
    spv_txin *in;
    size_t n_in;
    spv_txout *out;
    size_t n_out;
    bool has_witness;
    const uint8_t *bytes; /**< borrowed; the whole serialisation */
    size_t len;
    size_t stripped_len; /**< bytes without marker, flag and witness */
} spv_tx;

/**
 * Decode the transaction that begins `bytes`; its length goes to `used`
 * unless NULL, in which case nothing may follow it (SPV_MALFORMED).
 *
 * BIP 144 with and without witness. Errors: SPV_TRUNCATED, SPV_MALFORMED
 * (also a witness flag without witness, "superfluous"), SPV_LIMIT, SPV_NOMEM;
 * `tx` is then cleared. Only the encoding is checked, no consensus rule.
 */
SPV_API SPV_MUST_USE spv_err spv_tx_decode(spv_tx *tx, const uint8_t *bytes,
                                           size_t len, size_t *used);

/** Free the arrays. Allowed on a zeroed or cleared transaction. */
SPV_API void spv_tx_clear(spv_tx *tx);

/** BIP 141: stripped size times three plus total size. */
SPV_API size_t spv_tx_weight(const spv_tx *tx);

/** Weight divided by four, rounded up: what fees are counted in. */
SPV_API size_t spv_tx_vsize(const spv_tx *tx);

/** Whether its only input is the null outpoint. */
SPV_API bool spv_tx_is_coinbase(const spv_tx *tx);

#ifdef __cplusplus
}
#endif

#endif
