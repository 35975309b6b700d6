#include "wire_message.h"

static uint8_t bytes[SPV__FILTER_BYTES_MAX + 1];

static void a_filter_comes_back_as_it_was_written(void **state)
{
    const spv_filterload want = {(const uint8_t *)"\x61\x4e\x9b", 3, 5,
                                 0x80000001, 1};
    spv_buf b = SPV_BUF_EMPTY;
    spv_message m;
    const spv_filterload *got = &m.as.filterload;

    (void)state;
    spv__put_filterload(&b, &want);
    assert_hex_equal(&b, "03614e9b"
                         "05000000"
                         "01000080"
                         "01");
    assert_int_equal(decode(&m, SPV_MSG_FILTERLOAD, &b), SPV_OK);
    assert_int_equal(got->len, 3);
    assert_memory_equal(got->filter, want.filter, 3);
    assert_int_equal(got->hash_funcs, 5);
    assert_int_equal(got->tweak, 0x80000001);
    assert_int_equal(got->flags, 1);
    assert_only_whole(SPV_MSG_FILTERLOAD, &b);
    spv__buf_clear(&b);
}

/* A payload that no writer of ours would make. */
static spv_err decode_filter(size_t len, uint32_t hash_funcs)
{
    spv_buf b = SPV_BUF_EMPTY;
    spv_message m;
    spv_err err = SPV_OK;

    spv__put_var_bytes(&b, bytes, len);
    spv__put_u32(&b, hash_funcs);
    spv__put_u32(&b, 0);
    spv__put_u8(&b, 0);
    err = decode(&m, SPV_MSG_FILTERLOAD, &b);
    spv__buf_clear(&b);
    return err;
}

static void filters_are_bounded_on_both_sides(void **state)
{
    static const struct {
        size_t len;
        uint32_t hash_funcs;
        spv_err want;
    } cases[] = {
        {0, 1, SPV_OK},         {1, 0, SPV_OK},
        {36000, 50, SPV_OK},    {36001, 50, SPV_LIMIT},
        {36000, 51, SPV_LIMIT}, {1, 0xffffffff, SPV_LIMIT},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const spv_filterload f = {bytes, cases[i].len, cases[i].hash_funcs, 0,
                                  0};
        spv_buf b = SPV_BUF_EMPTY;

        spv__put_filterload(&b, &f);
        assert_int_equal(b.err, cases[i].want);
        assert_int_equal(decode_filter(cases[i].len, cases[i].hash_funcs),
                         cases[i].want);
        spv__buf_clear(&b);
    }
}

static void an_added_element_is_bounded_on_both_sides(void **state)
{
    spv_buf b = SPV_BUF_EMPTY;
    spv_message m;

    (void)state;
    spv__put_filteradd(&b, bytes, SPV__FILTERADD_MAX);
    assert_int_equal(decode(&m, SPV_MSG_FILTERADD, &b), SPV_OK);
    assert_int_equal(m.as.filteradd.len, SPV__FILTERADD_MAX);
    assert_only_whole(SPV_MSG_FILTERADD, &b);
    spv__buf_clear(&b);

    spv__put_filteradd(&b, bytes, SPV__FILTERADD_MAX + 1);
    assert_int_equal(b.err, SPV_LIMIT);
    spv__buf_clear(&b);
    spv__put_var_bytes(&b, bytes, SPV__FILTERADD_MAX + 1);
    assert_int_equal(decode(&m, SPV_MSG_FILTERADD, &b), SPV_LIMIT);
    spv__buf_clear(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_filter_comes_back_as_it_was_written),
        cmocka_unit_test(filters_are_bounded_on_both_sides),
        cmocka_unit_test(an_added_element_is_bounded_on_both_sides),
    };

    return cmocka_run_group_tests_name("wire.filter_messages", tests, NULL,
                                       NULL);
}
