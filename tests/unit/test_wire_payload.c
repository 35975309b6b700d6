#include "wire_bytes.h"

#include "wire/payload.h"

static void counts_are_held_to_the_limit_on_both_sides(void **state)
{
    (void)state;
    for (size_t n = 4; n <= 6; n++) {
        static const uint8_t items[8];
        spv_buf b = SPV_BUF_EMPTY;
        spv_reader r;

        spv__put_count_to(&b, n, 5);
        assert_int_equal(b.err, n <= 5 ? SPV_OK : SPV_LIMIT);
        spv__buf_clear(&b);
        spv__put_var_bytes(&b, items, n);
        r = spv__reader(b.bytes, b.len);
        assert_int_equal(spv__read_count_to(&r, 1, 5), n <= 5 ? n : 0);
        assert_int_equal(r.err, n <= 5 ? SPV_OK : SPV_LIMIT);
        spv__buf_clear(&b);
    }
}

static void an_earlier_failure_is_kept(void **state)
{
    spv_buf b = {.err = SPV_NOMEM};

    (void)state;
    spv__put_count_to(&b, 2, 1);
    assert_int_equal(b.err, SPV_NOMEM);
}

static void items_are_borrowed_where_they_lie(void **state)
{
    const uint8_t bytes[] = {2, 1, 2, 3, 4, 5, 6, 7};
    spv_reader r = spv__reader(bytes, sizeof(bytes));
    spv_items items = spv__read_items(&r, 3, SIZE_MAX);

    (void)state;
    assert_int_equal(items.n, 2);
    assert_ptr_equal(items.bytes, bytes + 1);
    assert_int_equal(spv__read_left(&r), 1);

    r = spv__reader(bytes, 6);
    items = spv__read_items(&r, 3, SIZE_MAX);
    assert_int_equal(items.n, 0);
    assert_int_equal(r.err, SPV_LIMIT);
}

static void bytes_are_held_to_the_limit_on_both_sides(void **state)
{
    const uint8_t bytes[] = {3, 'a', 'b', 'c'};
    spv_reader r = spv__reader(bytes, sizeof(bytes));
    spv_buf b = SPV_BUF_EMPTY;
    size_t len = 0;

    (void)state;
    assert_ptr_equal(spv__read_var_to(&r, &len, 3), bytes + 1);
    assert_int_equal(len, 3);
    spv__put_var_to(&b, bytes + 1, 3, 3);
    assert_hex_equal(&b, "03616263");
    spv__put_var_to(&b, bytes + 1, 3, 2);
    assert_int_equal(b.err, SPV_LIMIT);
    spv__buf_clear(&b);

    r = spv__reader(bytes, sizeof(bytes));
    assert_null(spv__read_var_to(&r, &len, 2));
    assert_int_equal(len, 0);
    assert_int_equal(r.err, SPV_LIMIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_held_to_the_limit_on_both_sides),
        cmocka_unit_test(an_earlier_failure_is_kept),
        cmocka_unit_test(items_are_borrowed_where_they_lie),
        cmocka_unit_test(bytes_are_held_to_the_limit_on_both_sides),
    };

    return cmocka_run_group_tests_name("wire.payload", tests, NULL, NULL);
}
