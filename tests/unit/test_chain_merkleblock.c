#include "cmocka_all.h"

#include <string.h>

#include <spv/block.h>

/* A header, two transactions of which one hash is given, one byte of bits. */
typedef struct sample {
    uint8_t bytes[SPV_HEADER_LEN + 4 + 1 + 32 + 1 + 1];
} sample;

static sample make(void)
{
    sample s = {.bytes = {9}};
    uint8_t *at = s.bytes + SPV_HEADER_LEN;

    at[0] = 2;
    at[4] = 1;
    memset(at + 5, 0xcd, 32);
    at[5 + 32] = 1;
    at[5 + 33] = 0x05;
    return s;
}

static void header_and_tree_lie_in_the_payload(void **state)
{
    sample s = make();
    const uint8_t *header = NULL;
    spv_merkle_tree tree;

    (void)state;
    assert_int_equal(
        spv_merkleblock_open(&header, &tree, s.bytes, sizeof(s.bytes)), SPV_OK);
    assert_ptr_equal(header, s.bytes);
    assert_int_equal(tree.n_txs, 2);
    assert_int_equal(tree.n_hashes, 1);
    assert_ptr_equal(tree.hashes, s.bytes + SPV_HEADER_LEN + 5);
    assert_int_equal(tree.flags_len, 1);
    assert_int_equal(tree.flags[0], 0x05);
}

static void every_shorter_and_any_longer_payload_is_refused(void **state)
{
    uint8_t longer[sizeof(sample) + 1] = {0};
    sample s = make();
    const uint8_t *header = NULL;
    spv_merkle_tree tree;

    (void)state;
    for (size_t len = 0; len < sizeof(s.bytes); len++)
        assert_int_not_equal(spv_merkleblock_open(&header, &tree, s.bytes, len),
                             SPV_OK);
    memcpy(longer, s.bytes, sizeof(s.bytes));
    assert_int_equal(
        spv_merkleblock_open(&header, &tree, longer, sizeof(longer)),
        SPV_MALFORMED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(header_and_tree_lie_in_the_payload),
        cmocka_unit_test(every_shorter_and_any_longer_payload_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
