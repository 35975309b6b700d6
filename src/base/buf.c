#include "base/buf.h"

#include <stdlib.h>
#include <string.h>

#include "base/digest.h"

void spv__buf_clear(spv_buf *b)
{
    free(b->bytes);
    *b = (spv_buf)SPV_BUF_EMPTY;
}

void spv__buf_cleanse(spv_buf *b)
{
    if (b->bytes)
        spv__cleanse(b->bytes, b->cap);
    spv__buf_clear(b);
}

void spv__buf_reset(spv_buf *b)
{
    b->len = 0;
    b->err = SPV_OK;
}

void spv__buf_drop(spv_buf *b, size_t n)
{
    b->len -= n;
    if (n && b->len)
        memmove(b->bytes, b->bytes + n, b->len);
}

static spv_err grow(spv_buf *b, size_t need)
{
    size_t cap = b->cap ? b->cap : 64;
    uint8_t *bytes = NULL;

    while (cap < need)
        cap *= 2;
    bytes = realloc(b->bytes, cap);
    if (!bytes)
        return SPV_NOMEM;
    b->bytes = bytes;
    b->cap = cap;
    return SPV_OK;
}

uint8_t *spv__buf_room(spv_buf *b, size_t n)
{
    if (b->err == SPV_OK && n > SIZE_MAX / 4 - b->len)
        b->err = SPV_NOMEM;
    if (b->err == SPV_OK && (!b->bytes || b->len + n > b->cap))
        b->err = grow(b, b->len + n);
    return b->err == SPV_OK ? b->bytes + b->len : NULL;
}

void spv__put_bytes(spv_buf *b, const void *bytes, size_t n)
{
    uint8_t *at = n ? spv__buf_room(b, n) : NULL;

    if (!at)
        return;
    memcpy(at, bytes, n);
    b->len += n;
}

static void put_le(spv_buf *b, uint64_t v, size_t n)
{
    uint8_t bytes[8];

    for (size_t i = 0; i < n; i++)
        bytes[i] = (uint8_t)(v >> 8 * i);
    spv__put_bytes(b, bytes, n);
}

void spv__put_u8(spv_buf *b, uint8_t v)
{
    put_le(b, v, 1);
}

void spv__put_u16(spv_buf *b, uint16_t v)
{
    put_le(b, v, 2);
}

void spv__put_u16be(spv_buf *b, uint16_t v)
{
    spv__put_u16(b, (uint16_t)(v << 8 | v >> 8));
}

void spv__put_u32(spv_buf *b, uint32_t v)
{
    put_le(b, v, 4);
}

void spv__put_u64(spv_buf *b, uint64_t v)
{
    put_le(b, v, 8);
}

void spv__put_hash(spv_buf *b, const spv_hash *hash)
{
    spv__put_bytes(b, hash->bytes, sizeof(hash->bytes));
}

void spv__put_compact(spv_buf *b, uint64_t v)
{
    if (v < 0xfd) {
        put_le(b, v, 1);
        return;
    }
    if (v <= UINT16_MAX) {
        put_le(b, 0xfd, 1);
        put_le(b, v, 2);
        return;
    }
    if (v <= UINT32_MAX) {
        put_le(b, 0xfe, 1);
        put_le(b, v, 4);
        return;
    }
    put_le(b, 0xff, 1);
    put_le(b, v, 8);
}

void spv__put_var_bytes(spv_buf *b, const void *bytes, size_t n)
{
    spv__put_compact(b, n);
    spv__put_bytes(b, bytes, n);
}
