#include "cmocka_all.h"

#include <string.h>

#include "bloom/bits.h"

static void bit_nine_is_bit_one_of_byte_one(void **state)
{
    uint8_t bytes[2] = {0};

    (void)state;
    spv__bit_set(bytes, 9);
    assert_int_equal(bytes[0], 0);
    assert_int_equal(bytes[1], 2);
    for (size_t i = 0; i < 16; i++)
        assert_int_equal(spv__bit_get(bytes, i), i == 9);
}

/* Counted one bit after the other, for every length around the words. */
static void counts_what_is_set_in_one_or_either(void **state)
{
    uint8_t a[67];
    uint8_t b[67];

    (void)state;
    for (size_t i = 0; i < sizeof(a); i++) {
        a[i] = (uint8_t)(i * 37 + 11);
        b[i] = (uint8_t)(i * i * 5 + 200);
    }
    for (size_t n = 0; n <= sizeof(a); n++) {
        uint64_t one = 0;
        uint64_t either = 0;

        for (size_t i = 0; i < 8 * n; i++) {
            one += spv__bit_get(a, i);
            either += spv__bit_get(a, i) | spv__bit_get(b, i);
        }
        assert_int_equal(spv__bits_count(a, n), one);
        assert_int_equal(spv__bits_count_either(a, b, n), either);
    }
    memset(a, 0xff, sizeof(a));
    assert_int_equal(spv__bits_count(a, sizeof(a)), 8 * sizeof(a));
    assert_int_equal(spv__bits_count(NULL, 0), 0);
}

static void merging_is_or(void **state)
{
    uint8_t into[3] = {1, 2, 4};

    (void)state;
    spv__bits_merge(into, (uint8_t[]){2, 2, 8}, 2);
    assert_memory_equal(into, ((uint8_t[]){3, 2, 4}), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bit_nine_is_bit_one_of_byte_one),
        cmocka_unit_test(counts_what_is_set_in_one_or_either),
        cmocka_unit_test(merging_is_or),
    };

    return cmocka_run_group_tests_name("bloom.bits", tests, NULL, NULL);
}
