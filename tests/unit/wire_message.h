#ifndef SPV_TESTS_WIRE_MESSAGE_H
#define SPV_TESTS_WIRE_MESSAGE_H

#include "wire_bytes.h"

#include "wire/message.h"

static inline spv_err decode(spv_message *m, spv_message_kind kind,
                             const spv_buf *b)
{
    return spv__message_decode(m, kind, b->bytes, b->len);
}

/** How decoding a hex text ends; what it gave is cleared. */
static inline spv_err decode_hex(spv_message_kind kind, const char *hex)
{
    spv_buf b = bytes_of(hex);
    spv_message m;
    spv_err err = decode(&m, kind, &b);

    spv__message_clear(&m);
    spv__buf_clear(&b);
    return err;
}

/** No payload that ends early, or goes on, is taken for the whole one. */
static inline void assert_only_whole(spv_message_kind kind, const spv_buf *b)
{
    spv_buf longer = SPV_BUF_EMPTY;
    spv_message m;

    for (size_t len = 0; len < b->len; len++)
        assert_int_not_equal(spv__message_decode(&m, kind, b->bytes, len),
                             SPV_OK);
    spv__put_bytes(&longer, b->bytes, b->len);
    spv__put_u8(&longer, 0);
    assert_int_equal(decode(&m, kind, &longer), SPV_MALFORMED);
    spv__buf_clear(&longer);
}

#endif
