#include "cmocka_all.h"

#include <string.h>

#include <spv/hash.h>

static const char genesis[] =
    "000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f";

static void people_read_hashes_backwards(void **state)
{
    char text[SPV_HASH_TEXT];
    spv_hash hash;

    (void)state;
    assert_int_equal(spv_hash_parse(&hash, genesis), SPV_OK);
    assert_int_equal(hash.bytes[0], 0x6f);
    assert_int_equal(hash.bytes[1], 0xe2);
    assert_int_equal(hash.bytes[31], 0x00);
    spv_hash_format(text, &hash);
    assert_string_equal(text, genesis);
}

static void upper_case_is_read_and_never_written(void **state)
{
    char upper[SPV_HASH_TEXT];
    char text[SPV_HASH_TEXT];
    spv_hash hash;

    (void)state;
    for (size_t i = 0; i < sizeof(upper); i++) {
        char c = genesis[i];

        upper[i] = c >= 'a' ? (char)(c - 'a' + 'A') : c;
    }
    assert_int_equal(spv_hash_parse(&hash, upper), SPV_OK);
    spv_hash_format(text, &hash);
    assert_string_equal(text, genesis);
}

static void another_length_or_character_leaves_the_hash_alone(void **state)
{
    spv_hash hash = {{7}};
    spv_hash before = hash;
    char text[SPV_HASH_TEXT + 1];

    (void)state;
    memcpy(text, genesis, sizeof(genesis));
    text[63] = '\0';
    assert_int_equal(spv_hash_parse(&hash, text), SPV_MALFORMED);
    memcpy(text + 63, "f0", 3);
    assert_int_equal(spv_hash_parse(&hash, text), SPV_MALFORMED);
    memcpy(text + 63, "x", 2);
    assert_int_equal(spv_hash_parse(&hash, text), SPV_MALFORMED);
    assert_int_equal(spv_hash_parse(&hash, ""), SPV_MALFORMED);
    assert_true(spv_hash_equal(&hash, &before));
}

static void equality_looks_at_every_byte(void **state)
{
    spv_hash zero = {{0}};

    (void)state;
    assert_true(spv_hash_is_zero(&zero));
    for (size_t i = 0; i < sizeof(zero.bytes); i++) {
        spv_hash other = zero;

        other.bytes[i] = 1;
        assert_false(spv_hash_equal(&zero, &other));
        assert_false(spv_hash_is_zero(&other));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(people_read_hashes_backwards),
        cmocka_unit_test(upper_case_is_read_and_never_written),
        cmocka_unit_test(another_length_or_character_leaves_the_hash_alone),
        cmocka_unit_test(equality_looks_at_every_byte),
    };

    return cmocka_run_group_tests_name("base.hash", tests, NULL, NULL);
}
