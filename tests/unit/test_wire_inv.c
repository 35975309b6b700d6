#include "wire_message.h"

static const spv_message_kind kinds[] = {SPV_MSG_INV, SPV_MSG_GETDATA,
                                         SPV_MSG_NOTFOUND};

static void items_come_back_as_they_were_written(void **state)
{
    const spv_inv items[] = {
        {SPV_INV_FILTERED_BLOCK, {{1, [31] = 2}}},
        {SPV_INV_WITNESS_TX, {{3}}},
        {0xffffffff, {{0}}}, /* types we do not know are kept */
    };
    spv_buf b = SPV_BUF_EMPTY;

    (void)state;
    spv__put_inv(&b, items, COUNT(items));
    for (size_t k = 0; k < COUNT(kinds); k++) {
        spv_message m;

        assert_int_equal(decode(&m, kinds[k], &b), SPV_OK);
        assert_int_equal(m.as.inv.n, COUNT(items));
        for (size_t i = 0; i < COUNT(items); i++) {
            spv_inv got = spv__inv_get(&m.as.inv, i);

            assert_int_equal(got.type, items[i].type);
            assert_true(spv_hash_equal(&got.hash, &items[i].hash));
        }
        assert_only_whole(kinds[k], &b);
    }
    spv__buf_clear(&b);
}

static void an_empty_list_is_allowed(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(kinds); k++)
        assert_int_equal(decode_hex(kinds[k], "00"), SPV_OK);
}

static void S49_a_count_never_asks_for_more_than_there_is(void **state)
{
    static const char *const payloads[] = {"ffffffffffffffffff", "feffffffff",
                                           "fd50c3", "01"};

    (void)state;
    for (size_t i = 0; i < COUNT(payloads); i++)
        assert_int_equal(decode_hex(SPV_MSG_INV, payloads[i]), SPV_LIMIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_come_back_as_they_were_written),
        cmocka_unit_test(an_empty_list_is_allowed),
        cmocka_unit_test(S49_a_count_never_asks_for_more_than_there_is),
    };

    return cmocka_run_group_tests_name("wire.inv", tests, NULL, NULL);
}
