#ifndef SPV_CONFORM_WORDS_H
#define SPV_CONFORM_WORDS_H

#include <spv/filter.h>

#include "conform/samples.h"
#include "wire/message.h"

/*
 * Messages in words short enough to read. Bytes of others are never repeated
 * as they are: numbers, hex and names of ours are all that is written.
 */

/** Longest clipped hash, with its zero. */
#define SPV__CLIPPED 20

/** Append formatted text; the buffer holds no zero at its end. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void spv__words_put(spv_buf *out, const char *format, ...);

/** Append text, behind ", " if something is there from `start` on. */
void spv__words_join(spv_buf *out, size_t start);

/** "a1b2c3d4..": a txid by its first digits. */
void spv__words_txid(char out[SPV__CLIPPED], const spv_hash *txid);

/** "..a1b2c3d4": a block's hash by its last digits, since the first are zeros.
 */
void spv__words_block(char out[SPV__CLIPPED], const spv_hash *hash);

/** "filterload (4096 bytes, 10 functions, tweak 5, flags 1)". */
void spv__words_filter(spv_buf *out, const spv_filter *f);

/** "merkleblock with 2 of 7 transactions", "tx a1b2c3d4..", "notfound". */
void spv__words_message(spv_buf *out, spv_message_kind kind,
                        const uint8_t *payload, size_t len);

#endif
