#include "cmocka_all.h"

#include <string.h>

#include "base/hex.h"

static void format_writes_lower_case(void **state)
{
    const uint8_t bytes[] = {0x00, 0x9a, 0xff};
    char text[7];

    (void)state;
    spv__hex_format(text, bytes, sizeof(bytes));
    assert_string_equal(text, "009aff");
    spv__hex_format(text, bytes, 0);
    assert_string_equal(text, "");
}

static void parse_appends_bytes_of_either_case(void **state)
{
    const uint8_t want[] = {0x01, 0xab, 0xcd, 0xef};
    spv_buf out = SPV_BUF_EMPTY;

    (void)state;
    spv__put_u8(&out, 1);
    assert_int_equal(spv__hex_parse(&out, "aBCdEf", 6), SPV_OK);
    assert_int_equal(out.len, sizeof(want));
    assert_memory_equal(out.bytes, want, sizeof(want));
    assert_int_equal(spv__hex_parse(&out, "", 0), SPV_OK);
    assert_int_equal(out.len, sizeof(want));
    spv__buf_clear(&out);
}

static void parse_refuses_what_is_not_hex_and_appends_nothing(void **state)
{
    static const char *const cases[] = {"0",   "abc",  "0g",  "g0", " 0",
                                        "0x0", "00 1", "/0:", "@0", "`0"};
    spv_buf out = SPV_BUF_EMPTY;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        spv_err err = spv__hex_parse(&out, cases[i], strlen(cases[i]));

        assert_int_equal(err, SPV_MALFORMED);
        assert_int_equal(out.len, 0);
    }
    spv__buf_clear(&out);
}

static void every_byte_survives_both_ways(void **state)
{
    spv_buf out = SPV_BUF_EMPTY;
    uint8_t bytes[256];
    char text[513];

    (void)state;
    for (unsigned i = 0; i < sizeof(bytes); i++)
        bytes[i] = (uint8_t)i;
    spv__hex_format(text, bytes, sizeof(bytes));
    assert_int_equal(spv__hex_parse(&out, text, 512), SPV_OK);
    assert_int_equal(out.len, sizeof(bytes));
    assert_memory_equal(out.bytes, bytes, sizeof(bytes));
    spv__buf_clear(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(format_writes_lower_case),
        cmocka_unit_test(parse_appends_bytes_of_either_case),
        cmocka_unit_test(parse_refuses_what_is_not_hex_and_appends_nothing),
        cmocka_unit_test(every_byte_survives_both_ways),
    };

    return cmocka_run_group_tests_name("base.hex", tests, NULL, NULL);
}
