#include "cmocka_all.h"

#include <stdbool.h>

#include "wallet/table.h"

static void an_empty_table_finds_nothing(void **state)
{
    spv_table t = {0};
    spv_table_walk walk = spv__table_walk(&t, 7);

    (void)state;
    assert_int_equal(spv__table_next(&t, &walk), SPV__TABLE_NONE);
    spv__table_clear(&t);
}

static void every_id_is_found_however_the_table_grew(void **state)
{
    spv_table t = {0};

    (void)state;
    for (uint32_t id = 0; id < 5000; id++)
        assert_int_equal(spv__table_add(&t, spv__table_hash(&id, 4), id), 0);
    for (uint32_t id = 0; id < 5000; id++) {
        spv_table_walk walk = spv__table_walk(&t, spv__table_hash(&id, 4));
        uint32_t found = 0;

        do
            found = spv__table_next(&t, &walk);
        while (found != id && found != SPV__TABLE_NONE);
        assert_int_equal(found, id);
    }
    spv__table_clear(&t);
}

static void ids_under_one_hash_are_all_walked(void **state)
{
    spv_table t = {0};
    spv_table_walk walk;
    bool seen[40] = {false};

    (void)state;
    for (uint32_t id = 0; id < 40; id++) /* all in the last slots: wraps */
        assert_int_equal(spv__table_add(&t, UINT32_MAX, id), SPV_OK);
    walk = spv__table_walk(&t, UINT32_MAX);
    for (int i = 0; i < 40; i++) {
        uint32_t id = spv__table_next(&t, &walk);

        assert_true(id < 40 && !seen[id]);
        seen[id] = true;
    }
    assert_int_equal(spv__table_next(&t, &walk), SPV__TABLE_NONE);
    spv__table_clear(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_table_finds_nothing),
        cmocka_unit_test(every_id_is_found_however_the_table_grew),
        cmocka_unit_test(ids_under_one_hash_are_all_walked),
    };

    return cmocka_run_group_tests_name("wallet.table", tests, NULL, NULL);
}
