#include "wire_message.h"

static const uint8_t header[SPV_HEADER_LEN] = {1, [79] = 2};

/* Without inputs and outputs: the shortest transaction there can be. */
#define TX     \
    "01000000" \
    "00"       \
    "00"       \
    "00000000"

static spv_buf block_of(const char *rest)
{
    spv_buf b = SPV_BUF_EMPTY;
    spv_buf tail = bytes_of(rest);

    spv__put_bytes(&b, header, sizeof(header));
    spv__put_bytes(&b, tail.bytes, tail.len);
    spv__buf_clear(&tail);
    return b;
}

static void a_block_s_transactions_are_read_one_by_one(void **state)
{
    spv_buf b = block_of("03" TX TX TX);
    spv_message m;
    size_t at = 0;

    (void)state;
    assert_int_equal(decode(&m, SPV_MSG_BLOCK, &b), SPV_OK);
    assert_memory_equal(m.as.block.header, header, sizeof(header));
    assert_int_equal(m.as.block.n_tx, 3);
    for (size_t i = 0; i < m.as.block.n_tx; i++) {
        size_t used = 0;
        spv_tx tx;

        assert_int_equal(spv_tx_decode(&tx, m.as.block.txs + at,
                                       m.as.block.txs_len - at, &used),
                         SPV_OK);
        at += used;
        spv_tx_clear(&tx);
    }
    assert_int_equal(at, m.as.block.txs_len);
    spv__buf_clear(&b);
}

static void a_block_cannot_claim_more_than_it_holds(void **state)
{
    static const struct {
        const char *rest;
        spv_err want;
    } cases[] = {
        {"", SPV_TRUNCATED},
        {"04" TX TX TX, SPV_LIMIT},
        {"ffffffffffffffffff", SPV_LIMIT},
        {"00", SPV_OK},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        spv_buf b = block_of(cases[i].rest);
        spv_message m;

        assert_int_equal(decode(&m, SPV_MSG_BLOCK, &b), cases[i].want);
        spv__buf_clear(&b);
    }
}

static void a_transaction_owns_memory_until_cleared(void **state)
{
    spv_buf b = bytes_of(
        "01000000"
        "01"
        "0000000000000000000000000000000000000000000000000000000000000001"
        "00000000"
        "00"
        "ffffffff"
        "01"
        "0100000000000000"
        "00"
        "00000000");
    spv_message m;

    (void)state;
    assert_int_equal(decode(&m, SPV_MSG_TX, &b), SPV_OK);
    assert_int_equal(m.as.tx.n_in, 1);
    assert_int_equal(m.as.tx.n_out, 1);
    spv__message_clear(&m);
    spv__message_clear(&m);
    assert_only_whole(SPV_MSG_TX, &b);
    spv__buf_clear(&b);
}

static void a_merkleblock_comes_back_as_it_was_written(void **state)
{
    static const uint8_t hashes[64] = {1, [32] = 2};
    static const uint8_t flags[] = {0x1d, 0x00};
    const spv_merkleblock want = {header, 7, {hashes, 2}, flags, sizeof(flags)};
    spv_buf b = SPV_BUF_EMPTY;
    spv_message m;
    const spv_merkleblock *got = &m.as.merkleblock;

    (void)state;
    spv__put_merkleblock(&b, &want);
    assert_int_equal(decode(&m, SPV_MSG_MERKLEBLOCK, &b), SPV_OK);
    assert_memory_equal(got->header, header, sizeof(header));
    assert_int_equal(got->n_transactions, 7);
    assert_int_equal(got->hashes.n, 2);
    assert_memory_equal(got->hashes.bytes, hashes, sizeof(hashes));
    assert_int_equal(got->flags_len, sizeof(flags));
    assert_memory_equal(got->flags, flags, sizeof(flags));
    assert_only_whole(SPV_MSG_MERKLEBLOCK, &b);
    spv__buf_clear(&b);
}

static void a_merkleblock_cannot_claim_more_hashes_than_it_holds(void **state)
{
    spv_buf b = block_of("ffffffff"
                         "feffffffff");
    spv_message m;

    (void)state;
    assert_int_equal(decode(&m, SPV_MSG_MERKLEBLOCK, &b), SPV_LIMIT);
    spv__buf_clear(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_s_transactions_are_read_one_by_one),
        cmocka_unit_test(a_block_cannot_claim_more_than_it_holds),
        cmocka_unit_test(a_transaction_owns_memory_until_cleared),
        cmocka_unit_test(a_merkleblock_comes_back_as_it_was_written),
        cmocka_unit_test(a_merkleblock_cannot_claim_more_hashes_than_it_holds),
    };

    return cmocka_run_group_tests_name("wire.block", tests, NULL, NULL);
}
