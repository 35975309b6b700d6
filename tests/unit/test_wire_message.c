#include "wire_message.h"

#include "wire/frame.h"

static void every_kind_is_found_by_its_command(void **state)
{
    (void)state;
    for (int k = SPV_MSG_UNKNOWN + 1; k <= SPV_MSG_REJECT; k++) {
        const char *command = spv__message_command((spv_message_kind)k);

        assert_in_range(strlen(command), 1, SPV__COMMAND_LEN);
        assert_int_equal(spv__message_find(command), k);
    }
    assert_string_equal(spv__message_command(SPV_MSG_UNKNOWN), "");
}

static void other_commands_are_unknown_and_carry_nothing(void **state)
{
    static const char *const commands[] = {
        "", "alert", "Version", "version ", "cmpctblock", "getcfilters"};
    spv_buf b = bytes_of("0102");
    spv_message m;

    (void)state;
    for (size_t i = 0; i < COUNT(commands); i++)
        assert_int_equal(spv__message_find(commands[i]), SPV_MSG_UNKNOWN);
    assert_int_equal(decode(&m, SPV_MSG_UNKNOWN, &b), SPV_OK);
    assert_int_equal(m.kind, SPV_MSG_UNKNOWN);
    spv__message_clear(&m);
    spv__buf_clear(&b);
}

static void messages_that_say_nothing_hold_nothing(void **state)
{
    static const spv_message_kind kinds[] = {
        SPV_MSG_VERACK,      SPV_MSG_WTXIDRELAY, SPV_MSG_SENDADDRV2,
        SPV_MSG_SENDHEADERS, SPV_MSG_GETADDR,    SPV_MSG_MEMPOOL,
        SPV_MSG_FILTERCLEAR,
    };

    (void)state;
    for (size_t i = 0; i < COUNT(kinds); i++) {
        assert_int_equal(decode_hex(kinds[i], ""), SPV_OK);
        assert_int_equal(decode_hex(kinds[i], "00"), SPV_MALFORMED);
    }
}

static void no_kind_takes_garbage_or_is_left_without_a_reader(void **state)
{
    uint8_t bytes[200];
    spv_message m;

    (void)state;
    memset(bytes, 0xff, sizeof(bytes));
    for (int k = SPV_MSG_UNKNOWN + 1; k <= SPV_MSG_REJECT; k++)
        assert_int_not_equal(
            spv__message_decode(&m, (spv_message_kind)k, bytes, sizeof(bytes)),
            SPV_OK);
}

static void a_failed_decode_leaves_nothing_to_clear(void **state)
{
    spv_buf b = bytes_of("01000000"
                         "00"
                         "00"
                         "00000000"
                         "99");
    spv_message m;

    (void)state;
    assert_int_equal(decode(&m, SPV_MSG_TX, &b), SPV_MALFORMED);
    assert_int_equal(m.kind, SPV_MSG_UNKNOWN);
    spv__message_clear(&m);
    spv__buf_clear(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_is_found_by_its_command),
        cmocka_unit_test(other_commands_are_unknown_and_carry_nothing),
        cmocka_unit_test(messages_that_say_nothing_hold_nothing),
        cmocka_unit_test(no_kind_takes_garbage_or_is_left_without_a_reader),
        cmocka_unit_test(a_failed_decode_leaves_nothing_to_clear),
    };

    return cmocka_run_group_tests_name("wire.message", tests, NULL, NULL);
}
