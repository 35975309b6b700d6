#include "cmocka_all.h"

#include <spv/witness.h>

static void items_come_in_order_empty_ones_too(void **state)
{
    static const uint8_t bytes[] = {3, 2, 'a', 'b', 0, 1, 'c'};
    const spv_txin in = {.witness = bytes, .witness_len = sizeof(bytes)};
    spv_witness_reader reader;
    const uint8_t *item = NULL;
    size_t len = 0;

    (void)state;
    spv_witness_open(&reader, &in);
    assert_int_equal(reader.n, 3);
    assert_true(spv_witness_next(&reader, &item, &len));
    assert_int_equal(len, 2);
    assert_memory_equal(item, "ab", 2);
    assert_true(spv_witness_next(&reader, &item, &len));
    assert_int_equal(len, 0);
    assert_non_null(item);
    assert_true(spv_witness_next(&reader, &item, &len));
    assert_memory_equal(item, "c", 1);
    assert_false(spv_witness_next(&reader, &item, &len));
}

static void an_input_without_a_witness_has_no_items(void **state)
{
    const spv_txin in = {.witness = NULL};
    spv_witness_reader reader;
    const uint8_t *item = NULL;
    size_t len = 0;

    (void)state;
    spv_witness_open(&reader, &in);
    assert_int_equal(reader.n, 0);
    assert_false(spv_witness_next(&reader, &item, &len));
}

/* A decoded transaction has none such; one put together by hand may. */
static void a_witness_that_is_cut_short_ends_early(void **state)
{
    static const uint8_t bytes[] = {2, 1, 'a', 5, 'b'};
    const spv_txin in = {.witness = bytes, .witness_len = sizeof(bytes)};
    spv_witness_reader reader;
    const uint8_t *item = NULL;
    size_t len = 0;

    (void)state;
    spv_witness_open(&reader, &in);
    assert_true(spv_witness_next(&reader, &item, &len));
    assert_false(spv_witness_next(&reader, &item, &len));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_come_in_order_empty_ones_too),
        cmocka_unit_test(an_input_without_a_witness_has_no_items),
        cmocka_unit_test(a_witness_that_is_cut_short_ends_early),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
