#include "cmocka_all.h"

#include "chain/pow.h"
#include "chain/row.h"

enum { N = 3 * SPV__ROW_PIECE + 17 };

static spv_node node_of(uint32_t i)
{
    return (spv_node){.time = i, .bits = i % 5 ? 0x207fffff : 0x1d00ffff};
}

static spv_row row_of(uint32_t n)
{
    spv_row row = {0};

    for (uint32_t i = 0; i < n; i++) {
        spv_node node = node_of(i);

        assert_int_equal(spv__row_reserve(&row, 1), SPV_OK);
        spv__row_push(&row, &node);
    }
    return row;
}

static void work_is_the_sum_at_every_node(void **state)
{
    spv_row row = row_of(N);
    spv_u256 sum = spv__u256(0);

    (void)state;
    for (uint32_t i = 0; i < N; i++) {
        sum = spv__u256_add(sum, spv__bits_work(node_of(i).bits));
        assert_int_equal(spv__row_get(&row, i)->time, i);
        assert_int_equal(spv__u256_compare(spv__row_work(&row, i), sum), 0);
    }
    assert_int_equal(spv__u256_compare(row.work, sum), 0);
    spv__row_clear(&row);
}

static void cut_and_pushed_again_it_is_the_same(void **state)
{
    static const size_t cuts[] = {
        1, SPV__ROW_PIECE - 1, SPV__ROW_PIECE, SPV__ROW_PIECE + 1, N - 1, N};

    (void)state;
    for (size_t c = 0; c < sizeof(cuts) / sizeof(cuts[0]); c++) {
        spv_row row = row_of(N);
        spv_u256 work = row.work;

        spv__row_cut(&row, cuts[c]);
        assert_int_equal(row.n, cuts[c]);
        for (uint32_t i = (uint32_t)cuts[c]; i < N; i++) {
            spv_node node = node_of(i);

            assert_int_equal(spv__row_reserve(&row, 1), SPV_OK);
            spv__row_push(&row, &node);
        }
        assert_int_equal(spv__u256_compare(row.work, work), 0);
        spv__row_clear(&row);
    }
}

static void nodes_do_not_move(void **state)
{
    spv_row row = row_of(10);
    const spv_node *third = spv__row_get(&row, 2);

    (void)state;
    assert_int_equal(spv__row_reserve(&row, 100000), SPV_OK);
    assert_ptr_equal(spv__row_get(&row, 2), third);
    assert_true(spv__row_bytes(&row) >= 100000 * sizeof(spv_node));
    spv__row_clear(&row);
    assert_int_equal(spv__row_bytes(&row), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_is_the_sum_at_every_node),
        cmocka_unit_test(cut_and_pushed_again_it_is_the_same),
        cmocka_unit_test(nodes_do_not_move),
    };

    return cmocka_run_group_tests_name("chain.row", tests, NULL, NULL);
}
