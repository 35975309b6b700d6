#include "cmocka_all.h"

#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"

static void puts_appear_in_wire_order(void **state)
{
    static const uint8_t want[] = {0x01, 0x03, 0x02, 0x02, 0x03, 0x07, 0x06,
                                   0x05, 0x04, 0x0f, 0x0e, 0x0d, 0x0c, 0x0b,
                                   0x0a, 0x09, 0x08, 0x02, 0x68, 0x69, 0x21};
    spv_buf b = SPV_BUF_EMPTY;

    (void)state;
    spv__put_u8(&b, 0x01);
    spv__put_u16(&b, 0x0203);
    spv__put_u16be(&b, 0x0203);
    spv__put_u32(&b, 0x04050607);
    spv__put_u64(&b, 0x08090a0b0c0d0e0f);
    spv__put_var_bytes(&b, "hi", 2);
    spv__put_bytes(&b, "!", 1);
    spv__put_bytes(&b, NULL, 0);
    assert_int_equal(b.err, SPV_OK);
    assert_int_equal(b.len, sizeof(want));
    assert_memory_equal(b.bytes, want, sizeof(want));
    spv__buf_clear(&b);
}

static void compact_sizes_take_the_shortest_form_and_read_back(void **state)
{
    static const struct {
        uint64_t value;
        size_t len;
    } cases[] = {
        {0, 1},           {0xfc, 1},
        {0xfd, 3},        {0xffff, 3},
        {0x10000, 5},     {0xffffffff, 5},
        {0x100000000, 9}, {0xffffffffffffffff, 9},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        spv_buf b = SPV_BUF_EMPTY;
        spv_reader r;

        spv__put_compact(&b, cases[i].value);
        assert_int_equal(b.len, cases[i].len);
        r = spv__reader(b.bytes, b.len);
        assert_true(spv__read_compact(&r) == cases[i].value);
        assert_int_equal(spv__read_end(&r), SPV_OK);
        spv__buf_clear(&b);
    }
}

static void a_hash_is_put_as_it_is_held(void **state)
{
    spv_hash hash = {{1, 2, 3}};
    spv_buf b = SPV_BUF_EMPTY;

    (void)state;
    spv__put_hash(&b, &hash);
    assert_int_equal(b.len, sizeof(hash.bytes));
    assert_memory_equal(b.bytes, hash.bytes, sizeof(hash.bytes));
    spv__buf_clear(&b);
}

static void growing_keeps_what_is_there(void **state)
{
    spv_buf b = SPV_BUF_EMPTY;

    (void)state;
    for (uint32_t i = 0; i < 10000; i++)
        spv__put_u32(&b, i);
    assert_int_equal(b.len, 40000);
    for (uint32_t i = 0; i < 10000; i++) {
        spv_reader r = spv__reader(b.bytes + 4 * i, 4);

        assert_int_equal(spv__read_u32(&r), i);
    }
    spv__buf_clear(&b);
}

static void drop_moves_the_rest_to_the_front(void **state)
{
    spv_buf b = SPV_BUF_EMPTY;

    (void)state;
    spv__put_bytes(&b, "abcdef", 6);
    spv__buf_drop(&b, 2);
    assert_int_equal(b.len, 4);
    assert_memory_equal(b.bytes, "cdef", 4);
    spv__buf_drop(&b, 4);
    assert_int_equal(b.len, 0);
    spv__buf_clear(&b);
}

static void room_can_always_be_written(void **state)
{
    spv_buf b = SPV_BUF_EMPTY;
    uint8_t *at = NULL;

    (void)state;
    assert_non_null(spv__buf_room(&b, 0));
    at = spv__buf_room(&b, 1000);
    assert_non_null(at);
    memset(at, 7, 1000);
    assert_int_equal(b.len, 0);
    assert_in_range(b.cap, 1000, SIZE_MAX);
    spv__buf_clear(&b);
}

static void the_first_failure_sticks_until_reset(void **state)
{
    spv_buf b = SPV_BUF_EMPTY;

    (void)state;
    spv__put_u8(&b, 1);
    assert_null(spv__buf_room(&b, SIZE_MAX));
    assert_int_equal(b.err, SPV_NOMEM);
    spv__put_u8(&b, 2);
    assert_int_equal(b.len, 1);
    spv__buf_reset(&b);
    spv__put_u8(&b, 3);
    assert_int_equal(b.err, SPV_OK);
    assert_int_equal(b.len, 1);
    assert_int_equal(b.bytes[0], 3);
    spv__buf_clear(&b);
    spv__buf_clear(&b);
    assert_null(b.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(puts_appear_in_wire_order),
        cmocka_unit_test(compact_sizes_take_the_shortest_form_and_read_back),
        cmocka_unit_test(a_hash_is_put_as_it_is_held),
        cmocka_unit_test(growing_keeps_what_is_there),
        cmocka_unit_test(drop_moves_the_rest_to_the_front),
        cmocka_unit_test(room_can_always_be_written),
        cmocka_unit_test(the_first_failure_sticks_until_reset),
    };

    return cmocka_run_group_tests_name("base.buf", tests, NULL, NULL);
}
