#include "wire_bytes.h"

#include <spv/tx.h>

#define OUTPOINT                                                       \
    "0000000000000000000000000000000000000000000000000000000000000001" \
    "07000000"
#define TXIN          \
    OUTPOINT "0251ac" \
             "fdffffff"
#define TXOUT          \
    "e803000000000000" \
    "0151"
#define LEGACY \
    "02000000" \
    "01" TXIN "01" TXOUT "0a000000"
#define EXTENDED              \
    "02000000"                \
    "0001"                    \
    "01" TXIN "01" TXOUT "02" \
    "00"                      \
    "03aabbcc"                \
    "0a000000"

static spv_err decode(spv_tx *tx, const spv_buf *b)
{
    return spv_tx_decode(tx, b->bytes, b->len, NULL);
}

static void a_legacy_transaction_is_read_whole(void **state)
{
    spv_buf b = bytes_of(LEGACY);
    spv_tx tx;

    (void)state;
    assert_int_equal(decode(&tx, &b), SPV_OK);
    assert_int_equal(tx.version, 2);
    assert_int_equal(tx.lock_time, 10);
    assert_int_equal(tx.n_in, 1);
    assert_int_equal(tx.in[0].prev.vout, 7);
    assert_int_equal(tx.in[0].prev.txid.bytes[31], 1);
    assert_int_equal(tx.in[0].script_len, 2);
    assert_int_equal(tx.in[0].script[1], 0xac);
    assert_int_equal(tx.in[0].sequence, 0xfffffffd);
    assert_null(tx.in[0].witness);
    assert_int_equal(tx.n_out, 1);
    assert_int_equal(tx.out[0].value, 1000);
    assert_int_equal(tx.out[0].script[0], 0x51);
    assert_false(tx.has_witness);
    assert_ptr_equal(tx.bytes, b.bytes);
    assert_int_equal(tx.len, b.len);
    assert_int_equal(tx.stripped_len, b.len);
    assert_true(spv_hash_equal(&tx.txid, &tx.wtxid));
    spv_tx_clear(&tx);
    spv__buf_clear(&b);
}

static void a_witness_changes_the_wtxid_only(void **state)
{
    spv_buf a = bytes_of(LEGACY);
    spv_buf b = bytes_of(EXTENDED);
    spv_tx legacy;
    spv_tx extended;

    (void)state;
    assert_int_equal(decode(&legacy, &a), SPV_OK);
    assert_int_equal(decode(&extended, &b), SPV_OK);
    assert_true(extended.has_witness);
    assert_true(spv_hash_equal(&extended.txid, &legacy.txid));
    assert_false(spv_hash_equal(&extended.wtxid, &legacy.wtxid));
    assert_int_equal(extended.in[0].witness_len, 6);
    assert_int_equal(extended.in[0].witness[0], 2);
    assert_int_equal(extended.stripped_len, a.len);
    assert_int_equal(extended.len, b.len);
    spv_tx_clear(&legacy);
    spv_tx_clear(&extended);
    spv__buf_clear(&a);
    spv__buf_clear(&b);
}

static void weight_counts_witness_bytes_once(void **state)
{
    const spv_tx tx = {.stripped_len = 100, .len = 109};

    (void)state;
    assert_int_equal(spv_tx_weight(&tx), 409);
    assert_int_equal(spv_tx_vsize(&tx), 103);
}

static void an_empty_stack_is_no_witness(void **state)
{
    spv_buf b = bytes_of("02000000"
                         "0001"
                         "02" TXIN TXIN "00"
                         "00"
                         "0101"
                         "00000000");
    spv_tx tx;

    (void)state;
    /* the second stack holds one item of one byte, which is the lock time's */
    assert_int_equal(decode(&tx, &b), SPV_TRUNCATED);
    spv__buf_clear(&b);

    b = bytes_of("02000000"
                 "0001"
                 "02" TXIN TXIN "00"
                 "00"
                 "010155"
                 "00000000");
    assert_int_equal(decode(&tx, &b), SPV_OK);
    assert_null(tx.in[0].witness);
    assert_int_equal(tx.in[0].witness_len, 0);
    assert_int_equal(tx.in[1].witness_len, 3);
    spv_tx_clear(&tx);
    spv__buf_clear(&b);
}

static void wrong_encodings_are_refused(void **state)
{
    static const struct {
        const char *why;
        const char *hex;
        spv_err want;
    } cases[] = {
        {"nothing", "", SPV_TRUNCATED},
        {"superfluous witness",
         "02000000"
         "0001"
         "01" TXIN "01" TXOUT "00"
         "0a000000",
         SPV_MALFORMED},
        {"witness of no input",
         "02000000"
         "0001"
         "00"
         "00"
         "0a000000",
         SPV_MALFORMED},
        {"unknown flag",
         "02000000"
         "0002"
         "01" TXIN "01" TXOUT "01"
         "0155"
         "0a000000",
         SPV_MALFORMED},
        {"witness and another flag",
         "02000000"
         "0003"
         "01" TXIN "01" TXOUT "01"
         "0155"
         "0a000000",
         SPV_MALFORMED},
        {"a byte too many", LEGACY "00", SPV_MALFORMED},
        {"more inputs than bytes",
         "02000000"
         "fe00000001" TXIN,
         SPV_LIMIT},
        {"more outputs than bytes",
         "02000000"
         "01" TXIN "02" TXOUT,
         SPV_LIMIT},
        {"a script longer than the rest",
         "02000000"
         "01" OUTPOINT "fdffff"
         "fdffffff",
         SPV_LIMIT},
        {"a count in a longer form",
         "02000000"
         "fd0100" TXIN "00"
         "00000000",
         SPV_MALFORMED},
        {"no lock time",
         "02000000"
         "01" TXIN "01" TXOUT,
         SPV_TRUNCATED},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        spv_buf b = bytes_of(cases[i].hex);
        spv_tx tx;

        if (decode(&tx, &b) != cases[i].want)
            fail_msg("%s: %s", cases[i].why, spv_err_name(decode(&tx, &b)));
        assert_null(tx.in);
        assert_int_equal(tx.n_in, 0);
        spv__buf_clear(&b);
    }
}

static void every_beginning_of_a_transaction_is_refused(void **state)
{
    static const char *const whole[] = {LEGACY, EXTENDED};

    (void)state;
    for (size_t i = 0; i < COUNT(whole); i++) {
        spv_buf b = bytes_of(whole[i]);
        spv_tx tx;

        for (size_t len = 0; len < b.len; len++)
            assert_int_not_equal(spv_tx_decode(&tx, b.bytes, len, NULL),
                                 SPV_OK);
        spv__buf_clear(&b);
    }
}

static void transactions_that_follow_each_other_are_read_one_by_one(
    void **state)
{
    spv_buf b = bytes_of(LEGACY EXTENDED LEGACY);
    size_t at = 0;
    size_t n = 0;

    (void)state;
    while (at < b.len) {
        size_t used = 0;
        spv_tx tx;

        assert_int_equal(spv_tx_decode(&tx, b.bytes + at, b.len - at, &used),
                         SPV_OK);
        assert_int_equal(used, tx.len);
        at += used;
        n++;
        spv_tx_clear(&tx);
    }
    assert_int_equal(n, 3);
    spv__buf_clear(&b);
}

static void zero_inputs_and_outputs_are_read(void **state)
{
    spv_buf b = bytes_of("01000000"
                         "00"
                         "00"
                         "00000000");
    spv_tx tx;

    (void)state;
    assert_int_equal(decode(&tx, &b), SPV_OK);
    assert_int_equal(tx.n_in + tx.n_out, 0);
    spv_tx_clear(&tx);
    spv_tx_clear(&tx);
    spv__buf_clear(&b);
}

static void only_the_null_outpoint_makes_a_coinbase(void **state)
{
    spv_txin in[2] = {{.prev = {.vout = UINT32_MAX}}};
    spv_tx tx = {.in = in, .n_in = 1};

    (void)state;
    assert_true(spv_tx_is_coinbase(&tx));
    tx.n_in = 2;
    assert_false(spv_tx_is_coinbase(&tx));
    tx.n_in = 1;
    in[0].prev.vout = 0;
    assert_false(spv_tx_is_coinbase(&tx));
    in[0].prev = (spv_outpoint){.txid = {{1}}, .vout = UINT32_MAX};
    assert_false(spv_tx_is_coinbase(&tx));
}

static void an_outpoint_is_36_bytes_of_its_own(void **state)
{
    const spv_outpoint a = {.txid = {{0xaa, [31] = 0xbb}}, .vout = 0x01020304};
    spv_outpoint b = a;
    uint8_t bytes[SPV_OUTPOINT_LEN];

    (void)state;
    spv_outpoint_encode(bytes, &a);
    assert_memory_equal(bytes, a.txid.bytes, 32);
    assert_memory_equal(bytes + 32, "\x04\x03\x02\x01", 4);
    assert_true(spv_outpoint_equal(&a, &b));
    b.vout++;
    assert_false(spv_outpoint_equal(&a, &b));
    b = a;
    b.txid.bytes[31]++;
    assert_false(spv_outpoint_equal(&a, &b));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_legacy_transaction_is_read_whole),
        cmocka_unit_test(a_witness_changes_the_wtxid_only),
        cmocka_unit_test(weight_counts_witness_bytes_once),
        cmocka_unit_test(an_empty_stack_is_no_witness),
        cmocka_unit_test(wrong_encodings_are_refused),
        cmocka_unit_test(every_beginning_of_a_transaction_is_refused),
        cmocka_unit_test(
            transactions_that_follow_each_other_are_read_one_by_one),
        cmocka_unit_test(zero_inputs_and_outputs_are_read),
        cmocka_unit_test(only_the_null_outpoint_makes_a_coinbase),
        cmocka_unit_test(an_outpoint_is_36_bytes_of_its_own),
    };

    return cmocka_run_group_tests_name("wire.tx", tests, NULL, NULL);
}
