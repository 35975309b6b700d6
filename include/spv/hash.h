#ifndef SPV_HASH_H
#define SPV_HASH_H

#include <stdbool.h>
#include <stdint.h>

#include <spv/err.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A 32-byte hash in wire order: of a block, a transaction, a merkle node.
 *
 * People print these backwards; only spv_hash_format and spv_hash_parse know.
 */
typedef struct spv_hash {
    uint8_t bytes[32];
} spv_hash;

/** Length of a formatted hash, with its terminating zero. */
#define SPV_HASH_TEXT 65

/** Write `hash` as people print it: 64 lower-case hex digits, reversed. */
SPV_API void spv_hash_format(char out[SPV_HASH_TEXT], const spv_hash *hash);

/**
 * Read 64 hex digits in display order, of either case.
 *
 * SPV_MALFORMED when `text` is anything else; `out` is then unchanged.
 */
SPV_API SPV_MUST_USE spv_err spv_hash_parse(spv_hash *out, const char *text);

/** Whether two hashes are the same 32 bytes. */
SPV_API bool spv_hash_equal(const spv_hash *a, const spv_hash *b);

/** Whether all bytes are zero (BIP 37 calls none so; "no block" does). */
SPV_API bool spv_hash_is_zero(const spv_hash *hash);

#ifdef __cplusplus
}
#endif

#endif
