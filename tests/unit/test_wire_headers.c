#include "wire_message.h"

static void a_locator_comes_back_as_it_was_written(void **state)
{
    static const spv_message_kind kinds[] = {SPV_MSG_GETHEADERS,
                                             SPV_MSG_GETBLOCKS};
    const spv_hash hashes[] = {{{1}}, {{2}}, {{3}}};
    const spv_hash stop = {{9}};
    spv_buf b = SPV_BUF_EMPTY;

    (void)state;
    spv__put_locator(&b, 70016, hashes, COUNT(hashes), &stop);
    for (size_t k = 0; k < COUNT(kinds); k++) {
        spv_message m;

        assert_int_equal(decode(&m, kinds[k], &b), SPV_OK);
        assert_int_equal(m.as.locator.version, 70016);
        assert_int_equal(m.as.locator.hashes.n, COUNT(hashes));
        assert_memory_equal(m.as.locator.hashes.bytes, hashes, sizeof(hashes));
        assert_true(spv_hash_equal(&m.as.locator.stop, &stop));
        assert_only_whole(kinds[k], &b);
    }
    spv__buf_clear(&b);
}

static void headers_come_back_as_they_were_written(void **state)
{
    uint8_t headers[3][SPV_HEADER_LEN] = {{1}, {2}, {3, [79] = 4}};
    spv_buf b = SPV_BUF_EMPTY;
    spv_message m;

    (void)state;
    spv__put_headers(&b, (const uint8_t(*)[SPV_HEADER_LEN])headers, 3);
    assert_int_equal(b.len, 1 + 3 * 81);
    assert_int_equal(decode(&m, SPV_MSG_HEADERS, &b), SPV_OK);
    assert_int_equal(m.as.headers.n, 3);
    for (size_t i = 0; i < 3; i++)
        assert_memory_equal(spv__headers_get(&m.as.headers, i), headers[i],
                            SPV_HEADER_LEN);
    assert_only_whole(SPV_MSG_HEADERS, &b);
    spv__buf_clear(&b);
}

static void a_header_with_transactions_is_refused(void **state)
{
    uint8_t headers[2][SPV_HEADER_LEN] = {{1}, {2}};
    spv_buf b = SPV_BUF_EMPTY;
    spv_message m;

    (void)state;
    spv__put_headers(&b, (const uint8_t(*)[SPV_HEADER_LEN])headers, 2);
    b.bytes[b.len - 1] = 1;
    assert_int_equal(decode(&m, SPV_MSG_HEADERS, &b), SPV_MALFORMED);
    spv__buf_clear(&b);
}

static void no_headers_is_an_answer_too(void **state)
{
    spv_message m;
    const uint8_t none[] = {0};

    (void)state;
    assert_int_equal(spv__message_decode(&m, SPV_MSG_HEADERS, none, 1), SPV_OK);
    assert_int_equal(m.as.headers.n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_locator_comes_back_as_it_was_written),
        cmocka_unit_test(headers_come_back_as_they_were_written),
        cmocka_unit_test(a_header_with_transactions_is_refused),
        cmocka_unit_test(no_headers_is_an_answer_too),
    };

    return cmocka_run_group_tests_name("wire.headers", tests, NULL, NULL);
}
