#include "wire_message.h"

static void a_nonce_is_eight_bytes(void **state)
{
    static const spv_message_kind kinds[] = {SPV_MSG_PING, SPV_MSG_PONG};
    spv_buf b = bytes_of("efcdab8967452301");

    (void)state;
    for (size_t i = 0; i < COUNT(kinds); i++) {
        spv_message m;

        assert_int_equal(decode(&m, kinds[i], &b), SPV_OK);
        assert_true(m.has_nonce);
        assert_int_equal(m.as.nonce, 0x0123456789abcdef);
        assert_int_equal(decode_hex(kinds[i], "01020304050607"), SPV_TRUNCATED);
        assert_int_equal(decode_hex(kinds[i], "010203040506070809"),
                         SPV_MALFORMED);
    }
    spv__buf_clear(&b);
}

static void an_old_ping_has_no_nonce_and_a_pong_always_one(void **state)
{
    spv_message m;

    (void)state;
    assert_int_equal(spv__message_decode(&m, SPV_MSG_PING, NULL, 0), SPV_OK);
    assert_false(m.has_nonce);
    assert_int_equal(decode_hex(SPV_MSG_PONG, ""), SPV_TRUNCATED);
}

static void fee_rates_are_signed(void **state)
{
    spv_buf b = bytes_of("ffffffffffffffff");
    spv_message m;

    (void)state;
    assert_int_equal(decode(&m, SPV_MSG_FEEFILTER, &b), SPV_OK);
    assert_int_equal(m.as.fee_rate, -1);
    assert_only_whole(SPV_MSG_FEEFILTER, &b);
    spv__buf_clear(&b);
}

static void sendcmpct_has_a_flag_and_a_version(void **state)
{
    spv_buf b = bytes_of("010200000000000000");
    spv_message m;

    (void)state;
    assert_int_equal(decode(&m, SPV_MSG_SENDCMPCT, &b), SPV_OK);
    assert_true(m.as.sendcmpct.announce);
    assert_int_equal(m.as.sendcmpct.version, 2);
    assert_only_whole(SPV_MSG_SENDCMPCT, &b);
    spv__buf_clear(&b);
}

static void a_rejection_may_name_the_hash_it_means(void **state)
{
    static const uint8_t hash[32] = {0xaa};
    const spv_reject want = {.message = "tx",
                             .message_len = 2,
                             .code = 0x42,
                             .reason = "insufficient fee",
                             .reason_len = 16,
                             .data = hash,
                             .data_len = sizeof(hash)};
    spv_buf b = SPV_BUF_EMPTY;
    spv_message m;
    const spv_reject *got = &m.as.reject;

    (void)state;
    spv__put_reject(&b, &want);
    assert_int_equal(decode(&m, SPV_MSG_REJECT, &b), SPV_OK);
    assert_int_equal(got->message_len, 2);
    assert_memory_equal(got->message, "tx", 2);
    assert_int_equal(got->code, 0x42);
    assert_int_equal(got->reason_len, 16);
    assert_memory_equal(got->reason, want.reason, 16);
    assert_int_equal(got->data_len, 32);
    assert_memory_equal(got->data, hash, 32);
    spv__buf_clear(&b);

    assert_int_equal(decode_hex(SPV_MSG_REJECT, "027478"
                                                "42"
                                                "00"),
                     SPV_OK);
    assert_int_equal(decode_hex(SPV_MSG_REJECT, "027478"
                                                "42"),
                     SPV_TRUNCATED);
}

static void texts_of_a_rejection_are_bounded(void **state)
{
    static const char text[SPV__REJECT_REASON_MAX + 1];
    const struct {
        size_t message_len;
        size_t reason_len;
        spv_err want;
    } cases[] = {
        {SPV__REJECT_MESSAGE_MAX, SPV__REJECT_REASON_MAX, SPV_OK},
        {SPV__REJECT_MESSAGE_MAX + 1, 0, SPV_LIMIT},
        {0, SPV__REJECT_REASON_MAX + 1, SPV_LIMIT},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const spv_reject r = {.message = text,
                              .message_len = cases[i].message_len,
                              .reason = text,
                              .reason_len = cases[i].reason_len};
        spv_buf written = SPV_BUF_EMPTY;
        spv_buf b = SPV_BUF_EMPTY;
        spv_message m;

        spv__put_reject(&written, &r);
        assert_int_equal(written.err, cases[i].want);
        spv__put_var_bytes(&b, text, r.message_len);
        spv__put_u8(&b, 0);
        spv__put_var_bytes(&b, text, r.reason_len);
        assert_int_equal(decode(&m, SPV_MSG_REJECT, &b), cases[i].want);
        spv__buf_clear(&written);
        spv__buf_clear(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_nonce_is_eight_bytes),
        cmocka_unit_test(an_old_ping_has_no_nonce_and_a_pong_always_one),
        cmocka_unit_test(fee_rates_are_signed),
        cmocka_unit_test(sendcmpct_has_a_flag_and_a_version),
        cmocka_unit_test(a_rejection_may_name_the_hash_it_means),
        cmocka_unit_test(texts_of_a_rejection_are_bounded),
    };

    return cmocka_run_group_tests_name("wire.control", tests, NULL, NULL);
}
