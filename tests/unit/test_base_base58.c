#include "cmocka_all.h"

#include <string.h>

#include "base/base58.h"
#include "base/hex.h"

/* From Bitcoin Core's base58_encode_decode.json. */
static const struct {
    const char *hex;
    const char *text;
} pairs[] = {
    {"", ""},
    {"61", "2g"},
    {"626262", "a3gV"},
    {"73696d706c792061206c6f6e6720737472696e67",
     "2cFupjhnEsSn59qHXstmK2ffpLv2"},
    {"00eb15231dfceb60925886b67d065299925915aeb172c06647",
     "1NS17iag9jJgTHD1VXjvLCEnZuQ3rJDE9L"},
    {"516b6fcd0f", "ABnLTmg"},
    {"ecac89cad93923c02321", "EJDM8drfXA6uyA"},
    {"10c8511e", "Rt5zm"},
    {"00000000000000000000", "1111111111"},
};

static void bytes_become_text(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        spv_buf bytes = SPV_BUF_EMPTY;
        spv_buf out = SPV_BUF_EMPTY;

        assert_int_equal(
            spv__hex_parse(&bytes, pairs[i].hex, strlen(pairs[i].hex)), SPV_OK);
        assert_int_equal(spv__base58_format(&out, bytes.bytes, bytes.len),
                         SPV_OK);
        assert_int_equal(out.len, strlen(pairs[i].text));
        if (out.len)
            assert_memory_equal(out.bytes, pairs[i].text, out.len);
        spv__buf_clear(&bytes);
        spv__buf_clear(&out);
    }
}

static void text_becomes_bytes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        const char *text = pairs[i].text;
        spv_buf out = SPV_BUF_EMPTY;
        char hex[64];

        assert_int_equal(spv__base58_parse(&out, text, strlen(text)), SPV_OK);
        spv__hex_format(hex, out.bytes, out.len);
        assert_string_equal(hex, pairs[i].hex);
        spv__buf_clear(&out);
    }
}

static void characters_outside_the_alphabet_are_refused(void **state)
{
    static const char *const cases[] = {"0", "O", "I", "l", " 2g", "2g ", "+"};
    spv_buf out = SPV_BUF_EMPTY;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(spv__base58_parse(&out, cases[i], strlen(cases[i])),
                         SPV_MALFORMED);
    assert_int_equal(spv__base58_parse(&out, "2\0g", 3), SPV_MALFORMED);
    assert_int_equal(out.len, 0);
    spv__buf_clear(&out);
}

static void the_longest_fits_and_one_more_is_over_the_limit(void **state)
{
    uint8_t bytes[361];
    char text[SPV__BASE58_MAX + 1];
    spv_buf out = SPV_BUF_EMPTY;
    spv_buf back = SPV_BUF_EMPTY;

    (void)state;
    memset(bytes, 0xff, sizeof(bytes));
    memset(text, 'z', sizeof(text));
    assert_int_equal(spv__base58_format(&out, bytes, 361), SPV_LIMIT);
    assert_int_equal(spv__base58_format(&out, bytes, 360), SPV_OK);
    assert_in_range(out.len, 1, SPV__BASE58_MAX);
    assert_int_equal(spv__base58_parse(&back, (const char *)out.bytes, out.len),
                     SPV_OK);
    assert_int_equal(back.len, 360);
    assert_memory_equal(back.bytes, bytes, 360);
    assert_int_equal(spv__base58_parse(&back, text, SPV__BASE58_MAX), SPV_OK);
    assert_int_equal(spv__base58_parse(&back, text, SPV__BASE58_MAX + 1),
                     SPV_LIMIT);
    memset(text, '1', sizeof(text));
    assert_int_equal(spv__base58_parse(&back, text, SPV__BASE58_MAX), SPV_OK);
    spv__buf_clear(&out);
    spv__buf_clear(&back);
}

static void checksum_is_added_and_taken_off(void **state)
{
    static const char text[] = "3vQB7B6MrGQZaxCuFg4oh";
    spv_buf out = SPV_BUF_EMPTY;

    (void)state;
    assert_int_equal(
        spv__base58check_format(&out, (const uint8_t *)"hello world", 11),
        SPV_OK);
    assert_int_equal(out.len, strlen(text));
    assert_memory_equal(out.bytes, text, out.len);
    spv__buf_reset(&out);
    spv__put_u8(&out, 7);
    assert_int_equal(spv__base58check_parse(&out, text, strlen(text)), SPV_OK);
    assert_int_equal(out.len, 12);
    assert_memory_equal(out.bytes, "\7hello world", 12);
    spv__buf_clear(&out);
}

static void a_wrong_checksum_appends_nothing(void **state)
{
    static const struct {
        const char *text;
        spv_err want;
    } cases[] = {
        {"3vQB7B6MrGQZaxCuFg4oi", SPV_CHECKSUM},
        {"3vQB7B6MrGQZaxCuFg4oh0IOl", SPV_MALFORMED},
        {"2g", SPV_MALFORMED}, /* shorter than a checksum */
        {"", SPV_MALFORMED},
        {"1111", SPV_CHECKSUM},
    };
    spv_buf out = SPV_BUF_EMPTY;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *text = cases[i].text;

        assert_int_equal(spv__base58check_parse(&out, text, strlen(text)),
                         cases[i].want);
        assert_int_equal(out.len, 0);
    }
    spv__buf_clear(&out);
}

static void an_empty_payload_still_has_its_checksum(void **state)
{
    spv_buf out = SPV_BUF_EMPTY;

    (void)state;
    assert_int_equal(spv__base58check_format(&out, NULL, 0), SPV_OK);
    assert_int_equal(out.len, 6);
    assert_memory_equal(out.bytes, "3QJmnh", 6);
    spv__buf_clear(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_become_text),
        cmocka_unit_test(text_becomes_bytes),
        cmocka_unit_test(characters_outside_the_alphabet_are_refused),
        cmocka_unit_test(the_longest_fits_and_one_more_is_over_the_limit),
        cmocka_unit_test(checksum_is_added_and_taken_off),
        cmocka_unit_test(a_wrong_checksum_appends_nothing),
        cmocka_unit_test(an_empty_payload_still_has_its_checksum),
    };

    return cmocka_run_group_tests_name("base.base58", tests, NULL, NULL);
}
