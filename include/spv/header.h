#ifndef SPV_HEADER_H
#define SPV_HEADER_H

#include <stddef.h>
#include <stdint.h>

#include <spv/hash.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Bytes of a block header on the wire. */
#define SPV_HEADER_LEN 80

/** A block header, decoded. */
typedef struct spv_header {
    int32_t version;
    spv_hash prev;
    spv_hash merkle_root;
    uint32_t time; /**< Unix seconds */
    uint32_t bits; /**< compact target */
    uint32_t nonce;
} spv_header;

/** Take the 80 bytes apart. Every 80 bytes are a header. */
SPV_API void spv_header_decode(spv_header *out,
                               const uint8_t bytes[SPV_HEADER_LEN]);

/** The 80 bytes of `header`: the inverse of spv_header_decode. */
SPV_API void spv_header_encode(uint8_t out[SPV_HEADER_LEN],
                               const spv_header *header);

/** SHA-256d of the 80 bytes: the block's hash. */
SPV_API void spv_header_hash(spv_hash *out,
                             const uint8_t bytes[SPV_HEADER_LEN]);

#ifdef __cplusplus
}
#endif

#endif
