#ifndef SPV_TESTS_WIRE_BYTES_H
#define SPV_TESTS_WIRE_BYTES_H

#include "cmocka_all.h"

#include <string.h>

#include "base/hex.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

/** The bytes of a hex text, owned: spv__buf_clear. */
static inline spv_buf bytes_of(const char *hex)
{
    spv_buf bytes = SPV_BUF_EMPTY;

    assert_int_equal(spv__hex_parse(&bytes, hex, strlen(hex)), SPV_OK);
    return bytes;
}

/** Whether a buffer holds just the bytes of a hex text. */
static inline void assert_hex_equal(const spv_buf *got, const char *hex)
{
    spv_buf want = bytes_of(hex);

    assert_int_equal(got->err, SPV_OK);
    assert_int_equal(got->len, want.len);
    if (want.len)
        assert_memory_equal(got->bytes, want.bytes, want.len);
    spv__buf_clear(&want);
}

#endif
