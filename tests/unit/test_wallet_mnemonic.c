#include "cmocka_all.h"

#include <string.h>

#include "base/hex.h"
#include "wallet/mnemonic.h"
#include "wallet/wordlist.h"

#define N(a) (sizeof(a) / sizeof((a)[0]))

#define SEVEN "abandon abandon abandon abandon abandon abandon abandon "
#define ABOUT SEVEN "abandon abandon abandon abandon about"

static void case_and_spacing_do_not_matter(void **state)
{
    static const char *const texts[] = {
        ABOUT,
        "  " ABOUT "\n",
        SEVEN "ABANDON Abandon\tabandon \r\n abandon  aBOUT",
    };

    (void)state;
    for (size_t i = 0; i < N(texts); i++) {
        char out[SPV_MNEMONIC_TEXT];

        assert_int_equal(spv_mnemonic_parse(out, texts[i], NULL), SPV_OK);
        assert_string_equal(out, ABOUT);
    }
}

static const struct {
    const char *text;
    spv_err code;
    size_t at;
    const char *says;
} refused[] = {
    {"", SPV_MALFORMED, 0, "this has 0"},
    {"abandon", SPV_MALFORMED, 0, "this has 1"},
    {SEVEN "abandon abandon abandon about", SPV_MALFORMED, 0, "this has 11"},
    {SEVEN "abandon abandon about", SPV_MALFORMED, 0, "this has 10"},
    {ABOUT " about about about", SPV_CHECKSUM, 0, "15 words"},
    {ABOUT " " ABOUT " about about about", SPV_MALFORMED, 0, "this has 27"},
    {SEVEN "abandon abandon abandon abandon bitcoin", SPV_MALFORMED, 88,
     "word 12 of 12, \"bitcoin\""},
    {"abandn " SEVEN "abandon abandon abandon about", SPV_MALFORMED, 0,
     "word 1 of 12, \"abandn\""},
    {"abandonn " SEVEN "abandon abandon abandon about", SPV_MALFORMED, 0,
     "word 1 of 12"},
    {"abandonnnnnnnnnnn " SEVEN "abandon abandon abandon about", SPV_MALFORMED,
     0, "word 1 of 12"},
    {SEVEN "abandon abandon abandon abandon abandon", SPV_CHECKSUM, 0,
     "do not belong together"},
};

static void a_wrong_mnemonic_is_refused_by_word_and_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < N(refused); i++) {
        char out[SPV_MNEMONIC_TEXT];
        spv_text_error error;
        spv_err err = spv_mnemonic_parse(out, refused[i].text, &error);

        assert_int_equal(err, refused[i].code);
        assert_int_equal(error.code, err);
        assert_int_equal(error.at, refused[i].at);
        if (!strstr(error.text, refused[i].says))
            fail_msg("\"%s\" does not say \"%s\"", error.text, refused[i].says);
        assert_string_equal(out, "");
    }
}

static void entropy_has_sixteen_to_thirty_two_bytes_by_fours(void **state)
{
    static const uint8_t entropy[40];
    char out[SPV_MNEMONIC_TEXT];

    (void)state;
    for (size_t len = 0; len <= sizeof(entropy); len++) {
        bool fits = len >= 16 && len <= 32 && len % 4 == 0;

        assert_int_equal(spv_mnemonic_of_entropy(out, entropy, len),
                         fits ? SPV_OK : SPV_INVAL);
    }
}

static void every_length_goes_there_and_back(void **state)
{
    (void)state;
    for (size_t len = 16; len <= 32; len += 4) {
        uint8_t entropy[32];
        uint8_t again[32];
        char text[SPV_MNEMONIC_TEXT];
        size_t n = 0;

        for (size_t i = 0; i < len; i++)
            entropy[i] = (uint8_t)(i * 37 + len);
        assert_int_equal(spv_mnemonic_of_entropy(text, entropy, len), SPV_OK);
        assert_int_equal(spv__mnemonic_entropy(again, &n, text, NULL), SPV_OK);
        assert_int_equal(n, len);
        assert_memory_equal(again, entropy, len);
    }
}

static void the_longest_words_fit_the_text(void **state)
{
    uint8_t entropy[32];
    char text[SPV_MNEMONIC_TEXT];
    size_t longest = 0;

    (void)state;
    for (int i = 0; i < SPV__WORDLIST_LEN; i++)
        if (strlen(spv__wordlist[i]) > longest)
            longest = strlen(spv__wordlist[i]);
    assert_int_equal(24 * (longest + 1), SPV_MNEMONIC_TEXT);
    memset(entropy, 0xff, sizeof(entropy));
    assert_int_equal(spv_mnemonic_of_entropy(text, entropy, 32), SPV_OK);
}

/* ---- Passphrases; the right sides come from Unicode's own tables ---- */

static const struct {
    const char *given;
    const char *want;
} normal[] = {
    {"", ""},
    {" TREZOR ~", " TREZOR ~"},
    {"\xc3\xa9", "e\xcc\x81"},
    {"e\xcc\x81", "e\xcc\x81"},
    {"\xc3\x9f\xc3\xb8\xc3\xa6", "\xc3\x9f\xc3\xb8\xc3\xa6"}, /* no parts */
    {"\xe1\xba\xad", "a\xcc\xa3\xcc\x82"},      /* two marks, U+1EAD */
    {"\xc3\xa2\xcc\xa3", "a\xcc\xa3\xcc\x82"},  /* put in order */
    {"a\xcc\x82\xcc\x81", "a\xcc\x82\xcc\x81"}, /* of one class: as given */
    {"\xc7\x96", "u\xcc\x88\xcc\x84"},          /* U+01D6 */
    {"\xc2\xbd", "1\xe2\x81\x84"
                 "2"},                        /* one half */
    {"\xc7\x84", "DZ\xcc\x8c"},               /* U+01C4 */
    {"\xd0\xb9", "\xd0\xb8\xcc\x86"},         /* Cyrillic short i */
    {"\xce\x90", "\xce\xb9\xcc\x88\xcc\x81"}, /* Greek, U+0390 */
    {"\xc2\xa8", " \xcc\x88"},
    {"\xce\x85", " \xcc\x88\xcc\x81"},
    {"\xc2\xa0", " "},
};

static void a_passphrase_is_normalised(void **state)
{
    (void)state;
    for (size_t i = 0; i < N(normal); i++) {
        spv_buf out = SPV_BUF_EMPTY;
        size_t at = 0;

        assert_int_equal(spv__nfkd(&out, normal[i].given, &at), SPV_OK);
        spv__put_u8(&out, 0);
        assert_string_equal((const char *)out.bytes, normal[i].want);
        spv__buf_clear(&out);
    }
}

static const struct {
    const char *text;
    spv_err want;
    size_t at;
} unknown[] = {
    {"ab\xe3\x81\x8c", SPV_UNSUPPORTED, 2},   /* Japanese */
    {"\xf0\x9f\x94\x91", SPV_UNSUPPORTED, 0}, /* an emoji */
    {"a\xcd\x85", SPV_UNSUPPORTED, 1},        /* a mark without a class here */
    {"ab\xff", SPV_MALFORMED, 2},
    {"ab\xc3", SPV_MALFORMED, 2},
    {"\xc0\xaf", SPV_MALFORMED, 0},     /* longer than need be */
    {"\xe0\x82\xaf", SPV_MALFORMED, 0}, /* longer than need be */
};

static void what_cannot_be_normalised_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < N(unknown); i++) {
        spv_buf out = SPV_BUF_EMPTY;
        uint8_t seed[SPV__SEED_LEN];
        spv_text_error error;
        size_t at = 0;

        assert_int_equal(spv__nfkd(&out, unknown[i].text, &at),
                         unknown[i].want);
        assert_int_equal(at, unknown[i].at);
        assert_int_equal(out.len, 0);
        assert_int_equal(
            spv__mnemonic_seed(seed, ABOUT, unknown[i].text, &error),
            unknown[i].want);
        assert_int_equal(error.at, unknown[i].at);
        spv__buf_clear(&out);
    }
}

static void a_passphrase_has_a_longest(void **state)
{
    char text[SPV__NFKD_MAX + 2];
    spv_buf out = SPV_BUF_EMPTY;
    size_t at = 0;

    (void)state;
    memset(text, 'a', sizeof(text));
    text[SPV__NFKD_MAX + 1] = '\0';
    assert_int_equal(spv__nfkd(&out, text, &at), SPV_LIMIT);
    text[SPV__NFKD_MAX] = '\0';
    assert_int_equal(spv__nfkd(&out, text, &at), SPV_OK);
    assert_int_equal(out.len, SPV__NFKD_MAX);
    spv__buf_clear(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(case_and_spacing_do_not_matter),
        cmocka_unit_test(a_wrong_mnemonic_is_refused_by_word_and_place),
        cmocka_unit_test(entropy_has_sixteen_to_thirty_two_bytes_by_fours),
        cmocka_unit_test(every_length_goes_there_and_back),
        cmocka_unit_test(the_longest_words_fit_the_text),
        cmocka_unit_test(a_passphrase_is_normalised),
        cmocka_unit_test(what_cannot_be_normalised_is_refused),
        cmocka_unit_test(a_passphrase_has_a_longest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
