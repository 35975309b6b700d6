#include "cmocka_all.h"

#include <string.h>

#include <spv/hex.h>

static void bytes_become_lower_case_digits_and_bytes_again(void **state)
{
    static const uint8_t bytes[] = {0x00, 0xab, 0xff};
    uint8_t again[3] = {0};
    char text[7];

    (void)state;
    spv_hex_format(text, bytes, sizeof(bytes));
    assert_string_equal(text, "00abff");
    assert_int_equal(spv_hex_parse(again, "00ABff", 6), SPV_OK);
    assert_memory_equal(again, bytes, sizeof(bytes));
}

static void what_is_no_hex_is_malformed(void **state)
{
    static const char *const wrong[] = {"a", "abc", "0x", " 0", "g0", "0\n"};
    uint8_t out[8];

    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_int_equal(spv_hex_parse(out, wrong[i], strlen(wrong[i])),
                         SPV_MALFORMED);
}

static void bytes_may_take_the_place_of_their_digits(void **state)
{
    char text[] = "414243";

    (void)state;
    assert_int_equal(spv_hex_parse((uint8_t *)text, text, 6), SPV_OK);
    assert_memory_equal(text, "ABC", 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_become_lower_case_digits_and_bytes_again),
        cmocka_unit_test(what_is_no_hex_is_malformed),
        cmocka_unit_test(bytes_may_take_the_place_of_their_digits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
