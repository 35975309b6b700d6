#ifndef SPV_BLOCK_H
#define SPV_BLOCK_H

#include <stddef.h>
#include <stdint.h>

#include <spv/header.h>
#include <spv/merkle.h>
#include <spv/tx.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The two forms in which nodes hand out blocks: whole, and as a proof of some
 * of its transactions. Both are looked at where they lie, nothing is copied.
 */

/** A whole block, read from its first transaction to its last. */
typedef struct spv_block_reader {
    const uint8_t *header; /**< SPV_HEADER_LEN borrowed bytes */
    size_t n_tx;           /**< as the block says */
    size_t n_read;         /**< transactions read so far */
    const uint8_t *at;     /**< the rest, borrowed */
    size_t left;
} spv_block_reader;

/**
 * Begin a block. SPV_TRUNCATED, SPV_MALFORMED, or SPV_LIMIT for a count of
 * transactions that its bytes could not hold.
 */
SPV_API SPV_MUST_USE spv_err spv_block_open(spv_block_reader *reader,
                                            const uint8_t *bytes, size_t len);

/**
 * The next transaction, to be freed with spv_tx_clear.
 *
 * SPV_NOT_FOUND after the last one when no bytes are left, SPV_MALFORMED when
 * some are; else as spv_tx_decode.
 */
SPV_API SPV_MUST_USE spv_err spv_block_next(spv_block_reader *reader,
                                            spv_tx *tx);

/**
 * Take a merkleblock payload (BIP 37) apart; header and tree borrow from it.
 *
 * Only the encoding is checked: spv_merkle_verify judges what it claims.
 * SPV_TRUNCATED, SPV_MALFORMED, SPV_LIMIT.
 */
SPV_API SPV_MUST_USE spv_err spv_merkleblock_open(const uint8_t **header,
                                                  spv_merkle_tree *tree,
                                                  const uint8_t *payload,
                                                  size_t len);

#ifdef __cplusplus
}
#endif

#endif
