#include "cmocka_all.h"

#include <string.h>

#include "bloom/filter.h"

static const uint8_t element[] = {0x99, 0x10, 0x8a, 0xd8, 0xed, 0x9b, 0xb6,
                                  0x27, 0x4d, 0x39, 0x80, 0xba, 0xb5, 0xa8,
                                  0x5c, 0x04, 0x8f, 0x09, 0x50, 0xc8};

static spv_filter filter_of(size_t bytes, uint32_t hash_funcs)
{
    spv_filter f;

    assert_int_equal(spv_filter_init(&f, bytes, hash_funcs, 5, 1), SPV_OK);
    return f;
}

static void holds_what_was_inserted(void **state)
{
    spv_filter f = filter_of(64, 7);
    const spv_outpoint o = {.txid = {{1, 2, 3}}, .vout = 7};

    (void)state;
    assert_false(spv_filter_contains(&f, element, sizeof(element)));
    assert_false(spv_filter_contains_outpoint(&f, &o));
    spv_filter_insert(&f, element, sizeof(element));
    spv_filter_insert_outpoint(&f, &o);
    assert_true(spv_filter_contains(&f, element, sizeof(element)));
    assert_true(spv_filter_contains_outpoint(&f, &o));
    assert_false(spv_filter_contains(&f, element, sizeof(element) - 1));
    spv_filter_clear(&f);
}

static void outpoint_is_36_bytes_index_last(void **state)
{
    spv_filter f = filter_of(64, 7);
    const spv_outpoint o = {.txid = {{9}}, .vout = 0x01020304};
    uint8_t bytes[36] = {9};

    (void)state;
    memcpy(bytes + 32, (uint8_t[]){4, 3, 2, 1}, 4);
    spv_filter_insert_outpoint(&f, &o);
    assert_true(spv_filter_contains(&f, bytes, sizeof(bytes)));
    spv_filter_clear(&f);
}

static void zero_length_filter_matches_all_and_takes_nothing(void **state)
{
    spv_filter f = filter_of(0, 3);

    (void)state;
    spv_filter_insert(&f, element, sizeof(element));
    assert_true(spv_filter_contains(&f, element, sizeof(element)));
    assert_int_equal(f.len, 0);
    spv_filter_clear(&f);
}

static void limits_are_the_protocols(void **state)
{
    static const struct {
        size_t bytes;
        uint32_t hash_funcs;
        spv_err want;
    } cases[] = {
        {36000, 50, SPV_OK},
        {36001, 50, SPV_LIMIT},
        {36000, 51, SPV_LIMIT},
        {SIZE_MAX, UINT32_MAX, SPV_LIMIT},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        spv_filter f;

        assert_int_equal(
            spv_filter_init(&f, cases[i].bytes, cases[i].hash_funcs, 0, 0),
            cases[i].want);
        assert_true(cases[i].want == SPV_OK || f.bytes == NULL);
        spv_filter_clear(&f);
    }
}

static void payload_comes_back_as_it_was(void **state)
{
    static const size_t sizes[] = {0, 1, 252, 253, 36000};
    static uint8_t payload[SPV_FILTER_PAYLOAD_MAX];

    (void)state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        spv_filter f = filter_of(sizes[i], 50);
        spv_filter back;
        size_t len = 0;

        spv_filter_insert(&f, element, sizeof(element));
        len = spv_filter_encode(payload, &f);
        assert_int_equal(spv_filter_decode(&back, payload, len), SPV_OK);
        assert_int_equal(back.len, f.len);
        assert_int_equal(back.hash_funcs, 50);
        assert_int_equal(back.tweak, 5);
        assert_int_equal(back.flags, 1);
        if (f.len > 0)
            assert_memory_equal(back.bytes, f.bytes, f.len);
        spv_filter_clear(&back);
        assert_int_not_equal(spv_filter_decode(&back, payload, len - 1),
                             SPV_OK);
        assert_null(back.bytes);
        spv_filter_clear(&f);
    }
}

static void decoded_filters_do_not_leak(void **state)
{
    const uint8_t payload[] = {2, 0xff, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2};
    spv_filter f;

    (void)state;
    assert_int_equal(spv_filter_decode(&f, payload, sizeof(payload)), SPV_OK);
    assert_int_equal(f.flags, 2);
    spv_filter_clear(&f);
    assert_null(f.bytes);
    spv_filter_clear(&f);
}

static void copy_has_bytes_of_its_own(void **state)
{
    spv_filter f = filter_of(64, 7);
    spv_filter copy;

    (void)state;
    assert_int_equal(spv_filter_copy(&copy, &f), SPV_OK);
    spv_filter_insert(&f, element, sizeof(element));
    assert_true(spv_filter_is_empty(&copy));
    assert_false(spv_filter_is_empty(&f));
    spv_filter_clear(&f);
    spv_filter_clear(&copy);
}

/* "n=0, zero-length and zero-hash filters mean match everything, or worse" */
static void only_useful_filters_may_be_sent(void **state)
{
    static const struct {
        size_t bytes;
        uint32_t hash_funcs;
        uint8_t fill;
        bool wire_ok;
    } cases[] = {
        {0, 0, 0, false},    {0, 5, 0, false},    {8, 0, 0x10, false},
        {8, 5, 0x00, false}, {8, 5, 0xff, false}, {8, 5, 0x7f, true},
        {1, 50, 0x01, true},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        spv_filter f = filter_of(cases[i].bytes, cases[i].hash_funcs);

        if (f.len > 0)
            memset(f.bytes, cases[i].fill, f.len);
        assert_int_equal(spv_filter_wire_ok(&f), cases[i].wire_ok);
        spv_filter_clear(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holds_what_was_inserted),
        cmocka_unit_test(outpoint_is_36_bytes_index_last),
        cmocka_unit_test(zero_length_filter_matches_all_and_takes_nothing),
        cmocka_unit_test(limits_are_the_protocols),
        cmocka_unit_test(payload_comes_back_as_it_was),
        cmocka_unit_test(decoded_filters_do_not_leak),
        cmocka_unit_test(copy_has_bytes_of_its_own),
        cmocka_unit_test(only_useful_filters_may_be_sent),
    };

    return cmocka_run_group_tests_name("bloom.filter", tests, NULL, NULL);
}
