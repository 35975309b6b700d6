#include "cmocka_all.h"

#include <string.h>

#include "base/bech32.h"

static spv_err parse(spv_bech32 *out, const char *text)
{
    return spv__bech32_parse(out, text, strlen(text));
}

/* From BIP 173 and BIP 350. */
static void valid_strings_are_read_and_written_again(void **state)
{
    static const struct {
        const char *text;
        spv_bech32_kind kind;
        const char *hrp;
        size_t len;
    } cases[] = {
        {"A12UEL5L", SPV_BECH32, "a", 0},
        {"a12uel5l", SPV_BECH32, "a", 0},
        {"an83characterlonghumanreadablepartthatcontainsthenumber1andthe"
         "excludedcharactersbio1tt5tgs",
         SPV_BECH32,
         "an83characterlonghumanreadablepartthatcontainsthenumber1andthe"
         "excludedcharactersbio",
         0},
        {"abcdef1qpzry9x8gf2tvdw0s3jn54khce6mua7lmqqqxw", SPV_BECH32, "abcdef",
         32},
        {"?1ezyfcl", SPV_BECH32, "?", 0},
        {"A1LQFN3A", SPV_BECH32M, "a", 0},
        {"abcdef1l7aum6echk45nj3s0wdvt2fg8x9yrzpqzd3ryx", SPV_BECH32M, "abcdef",
         32},
        {"?1v759aa", SPV_BECH32M, "?", 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        spv_buf again = SPV_BUF_EMPTY;
        spv_bech32 b;

        assert_int_equal(parse(&b, cases[i].text), SPV_OK);
        assert_int_equal(b.kind, cases[i].kind);
        assert_string_equal(b.hrp, cases[i].hrp);
        assert_int_equal(b.len, cases[i].len);
        assert_int_equal(spv__bech32_format(&again, &b), SPV_OK);
        assert_int_equal(again.len, strlen(cases[i].text));
        for (size_t j = 0; j < again.len; j++)
            assert_int_equal(again.bytes[j] & 0x5f, cases[i].text[j] & 0x5f);
        spv__buf_clear(&again);
    }
}

static void groups_are_the_alphabet_in_order(void **state)
{
    spv_bech32 b;

    (void)state;
    assert_int_equal(parse(&b, "abcdef1qpzry9x8gf2tvdw0s3jn54khce6mua7lmqqqxw"),
                     SPV_OK);
    for (size_t i = 0; i < 32; i++)
        assert_int_equal(b.data[i], i);
}

static void invalid_strings_are_refused(void **state)
{
    static const struct {
        const char *text;
        spv_err want;
    } cases[] = {
        {"", SPV_MALFORMED},
        {" 1nwldj5", SPV_MALFORMED},
        {"\x7f"
         "1axkwrx",
         SPV_MALFORMED},
        {"\x80"
         "1eym55h",
         SPV_MALFORMED},
        {"an84characterslonghumanreadablepartthatcontainsthenumber1andthe"
         "excludedcharactersbio1569pvx",
         SPV_MALFORMED},
        {"pzry9x0s0muk", SPV_MALFORMED},
        {"1pzry9x0s0muk", SPV_MALFORMED},
        {"x1b4n0q5v", SPV_MALFORMED},
        {"li1dgmt3", SPV_MALFORMED},
        {"de1lg7wt\xff", SPV_MALFORMED},
        {"A1G7SGD8", SPV_CHECKSUM},
        {"10a06t8", SPV_MALFORMED},
        {"1qzzfhee", SPV_MALFORMED},
        {"a12UEL5L", SPV_MALFORMED},
        {"a12uel5m", SPV_CHECKSUM},
        {"M1VUXWEZ", SPV_CHECKSUM},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        spv_bech32 b;

        assert_int_equal(parse(&b, cases[i].text), cases[i].want);
    }
}

static void a_zero_inside_ends_nothing(void **state)
{
    spv_bech32 b;

    (void)state;
    assert_int_equal(spv__bech32_parse(&b, "a12uel5l\0", 9), SPV_MALFORMED);
    assert_int_equal(spv__bech32_parse(&b, "a1\0uel5l", 8), SPV_MALFORMED);
}

static void format_keeps_the_length_limit(void **state)
{
    spv_bech32 b = {.kind = SPV_BECH32M, .hrp = "a", .len = 82};
    spv_buf out = SPV_BUF_EMPTY;
    spv_bech32 back;

    (void)state;
    assert_int_equal(spv__bech32_format(&out, &b), SPV_OK);
    assert_int_equal(out.len, SPV__BECH32_MAX);
    assert_int_equal(spv__bech32_parse(&back, (const char *)out.bytes, out.len),
                     SPV_OK);
    assert_int_equal(back.len, 82);
    b.len = 83;
    assert_int_equal(spv__bech32_format(&out, &b), SPV_LIMIT);
    b.len = 0;
    b.hrp[0] = '\0';
    assert_int_equal(spv__bech32_format(&out, &b), SPV_LIMIT);
    spv__buf_clear(&out);
}

static void every_single_error_is_seen(void **state)
{
    static const char text[] = "abcdef1qpzry9x8gf2tvdw0s3jn54khce6mua7lmqqqxw";

    (void)state;
    for (size_t i = 7; i < sizeof(text) - 1; i++) {
        char wrong[sizeof(text)];
        spv_bech32 b;

        memcpy(wrong, text, sizeof(text));
        wrong[i] = text[i] == 'q' ? 'p' : 'q';
        assert_int_equal(parse(&b, wrong), SPV_CHECKSUM);
    }
}

static void bytes_survive_regrouping(void **state)
{
    uint8_t bytes[40];
    uint8_t groups[64];
    uint8_t back[40];

    (void)state;
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (uint8_t)(i * 37 + 11);
    for (size_t len = 0; len <= sizeof(bytes); len++) {
        size_t n = 0;
        size_t m = 0;

        assert_int_equal(spv__bech32_regroup(groups, sizeof(groups), &n, bytes,
                                             len, 8, 5, true),
                         SPV_OK);
        assert_int_equal(n, (len * 8 + 4) / 5);
        assert_int_equal(
            spv__bech32_regroup(back, sizeof(back), &m, groups, n, 5, 8, false),
            SPV_OK);
        assert_int_equal(m, len);
        assert_memory_equal(back, bytes, len);
    }
}

static void regrouping_refuses_padding_that_says_something(void **state)
{
    static const struct {
        const char *what;
        uint8_t in[3];
        size_t len;
        spv_err want;
    } cases[] = {
        {"one byte, zero padding", {31, 28}, 2, SPV_OK},
        {"padding has a bit set", {31, 29}, 2, SPV_MALFORMED},
        {"a whole group of padding", {31, 28, 0}, 3, SPV_MALFORMED},
        {"half a byte", {31}, 1, SPV_MALFORMED},
        {"not a group of five bits", {32, 0}, 2, SPV_MALFORMED},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint8_t out[3];
        size_t n = 0;

        assert_int_equal(spv__bech32_regroup(out, sizeof(out), &n, cases[i].in,
                                             cases[i].len, 5, 8, false),
                         cases[i].want);
    }
}

static void regrouping_stays_inside_its_room(void **state)
{
    const uint8_t bytes[2] = {0xff, 0xff};
    uint8_t out[4];
    size_t n = 0;

    (void)state;
    for (size_t cap = 0; cap < sizeof(out); cap++)
        assert_int_equal(
            spv__bech32_regroup(out, cap, &n, bytes, 2, 8, 5, true), SPV_LIMIT);
    assert_int_equal(
        spv__bech32_regroup(out, sizeof(out), &n, bytes, 2, 8, 5, true),
        SPV_OK);
    assert_int_equal(n, sizeof(out));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(valid_strings_are_read_and_written_again),
        cmocka_unit_test(groups_are_the_alphabet_in_order),
        cmocka_unit_test(invalid_strings_are_refused),
        cmocka_unit_test(a_zero_inside_ends_nothing),
        cmocka_unit_test(format_keeps_the_length_limit),
        cmocka_unit_test(every_single_error_is_seen),
        cmocka_unit_test(bytes_survive_regrouping),
        cmocka_unit_test(regrouping_refuses_padding_that_says_something),
        cmocka_unit_test(regrouping_stays_inside_its_room),
    };

    return cmocka_run_group_tests_name("base.bech32", tests, NULL, NULL);
}
