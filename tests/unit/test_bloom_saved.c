#include "cmocka_all.h"

#include <stdbool.h>
#include <string.h>

#include "bloom/saved.h"

enum { PAYLOAD = 100, FILE_LEN = SPV_SAVED_HEADER + PAYLOAD };

/** A small saved filter, as a file would hold it. */
static void make_file(uint8_t file[FILE_LEN])
{
    spv_saved saved = {.kind = SPV_SAVED_CUCKOO,
                       .payload = file + SPV_SAVED_HEADER,
                       .payload_len = PAYLOAD};

    for (uint64_t i = 0; i < SPV_SAVED_PARAMS; i++)
        saved.params[i] = i << 56 | (i + 1);
    for (size_t i = 0; i < PAYLOAD; i++)
        file[SPV_SAVED_HEADER + i] = (uint8_t)(i * i);
    spv__saved_header(file, &saved);
}

/* The layout is a promise to files that exist: these bytes never change. */
static void layout_is_as_told(void **state)
{
    static const uint8_t begin[] = {0x89, 'S', 'P', 'V', 'F', '\r', '\n', 0x1a,
                                    1,    0,   0,   0,   5,   0,    0,    0,
                                    100,  0,   0,   0,   0,   0,    0,    0};
    uint8_t file[FILE_LEN];

    (void)state;
    make_file(file);
    assert_memory_equal(file, begin, sizeof(begin));
    assert_int_equal(file[32 + 8 * 10], 11);     /* the last parameter, */
    assert_int_equal(file[32 + 8 * 10 + 7], 10); /* little-endian */
}

static void what_was_saved_is_found_where_it_lies(void **state)
{
    uint8_t file[FILE_LEN];
    spv_saved saved;
    spv_saved_kind kind = SPV_SAVED_LOCAL;

    (void)state;
    make_file(file);
    assert_int_equal(spv_saved_filter_kind(&kind, file, SPV_SAVED_HEADER),
                     SPV_OK);
    assert_int_equal(kind, SPV_SAVED_CUCKOO);
    assert_int_equal(spv_saved_filter_verify(file, sizeof(file)), SPV_OK);
    assert_int_equal(
        spv__saved_open(&saved, SPV_SAVED_CUCKOO, file, sizeof(file)), SPV_OK);
    assert_ptr_equal(saved.payload, file + SPV_SAVED_HEADER);
    assert_int_equal(saved.payload_len, PAYLOAD);
    for (uint64_t i = 0; i < SPV_SAVED_PARAMS; i++)
        assert_int_equal(saved.params[i], i << 56 | (i + 1));
    assert_int_equal(
        spv__saved_open(&saved, SPV_SAVED_LOCAL, file, sizeof(file)),
        SPV_INVAL);
}

static void every_flipped_bit_is_seen(void **state)
{
    uint8_t file[FILE_LEN];
    spv_saved saved;

    (void)state;
    make_file(file);
    for (size_t bit = 0; bit < 8 * sizeof(file); bit++) {
        bool in_header = bit < (size_t)8 * SPV_SAVED_HEADER;

        file[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_int_not_equal(spv_saved_filter_verify(file, sizeof(file)),
                             SPV_OK);
        assert_int_not_equal(
            spv__saved_load(&saved, SPV_SAVED_CUCKOO, file, sizeof(file)),
            SPV_OK);
        assert_true(in_header == (spv__saved_open(&saved, SPV_SAVED_CUCKOO,
                                                  file, sizeof(file)) != 0));
        file[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    assert_int_equal(spv_saved_filter_verify(file, sizeof(file)), SPV_OK);
}

static void files_cut_short_or_drawn_out_are_refused(void **state)
{
    uint8_t file[FILE_LEN + 1] = {0};

    (void)state;
    make_file(file);
    for (size_t len = 0; len < FILE_LEN; len++)
        assert_int_equal(spv_saved_filter_verify(file, len), SPV_TRUNCATED);
    assert_int_equal(spv_saved_filter_verify(file, FILE_LEN + 1),
                     SPV_MALFORMED);
}

static void each_wrong_has_its_own_name(void **state)
{
    static const struct {
        size_t at;
        spv_err want;
    } cases[] = {
        {0, SPV_MALFORMED},   /* magic */
        {5, SPV_MALFORMED},   /* its line end */
        {8, SPV_UNSUPPORTED}, /* version */
        {32, SPV_CHECKSUM},   /* a parameter */
        {120, SPV_CHECKSUM},  /* the checksum itself */
    };
    uint8_t file[FILE_LEN];
    spv_saved_kind kind = SPV_SAVED_LOCAL;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        make_file(file);
        file[cases[i].at] ^= 0x40;
        assert_int_equal(spv_saved_filter_kind(&kind, file, sizeof(file)),
                         cases[i].want);
        assert_int_equal(kind, SPV_SAVED_LOCAL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layout_is_as_told),
        cmocka_unit_test(what_was_saved_is_found_where_it_lies),
        cmocka_unit_test(every_flipped_bit_is_seen),
        cmocka_unit_test(files_cut_short_or_drawn_out_are_refused),
        cmocka_unit_test(each_wrong_has_its_own_name),
    };

    return cmocka_run_group_tests_name("bloom.saved", tests, NULL, NULL);
}
