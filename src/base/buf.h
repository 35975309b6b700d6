#ifndef SPV_BASE_BUF_H
#define SPV_BASE_BUF_H

#include <stddef.h>
#include <stdint.h>

#include <spv/err.h>
#include <spv/hash.h>

/*
 * A buffer owns bytes and grows. The writer's half of base/bytes.h.
 *
 * Like the reader's, its first failure (memory) sticks: an encoder is a list
 * of puts, in wire order, and one look at `err` at the end.
 */
typedef struct spv_buf {
    uint8_t *bytes;
    size_t len;
    size_t cap;
    spv_err err;
} spv_buf;

/** An empty buffer owns nothing; clear is always allowed. */
#define SPV_BUF_EMPTY \
    {                 \
        0             \
    }

/** Free what the buffer owns and make it empty. */
void spv__buf_clear(spv_buf *b);

/** The same for secrets: what it holds is overwritten first. */
void spv__buf_cleanse(spv_buf *b);

/** Forget the contents, keep the memory and no error. */
void spv__buf_reset(spv_buf *b);

/** Drop the first `n` bytes (n <= len), moving the rest to the front. */
void spv__buf_drop(spv_buf *b, size_t n);

/** Make room for `n` more bytes; where they begin, or NULL after a failure. */
uint8_t *spv__buf_room(spv_buf *b, size_t n);

void spv__put_u8(spv_buf *b, uint8_t v);
void spv__put_u16(spv_buf *b, uint16_t v);
void spv__put_u16be(spv_buf *b, uint16_t v);
void spv__put_u32(spv_buf *b, uint32_t v);
void spv__put_u64(spv_buf *b, uint64_t v);
void spv__put_bytes(spv_buf *b, const void *bytes, size_t n);
void spv__put_hash(spv_buf *b, const spv_hash *hash);
void spv__put_compact(spv_buf *b, uint64_t v);
void spv__put_var_bytes(spv_buf *b, const void *bytes, size_t n);

#endif
