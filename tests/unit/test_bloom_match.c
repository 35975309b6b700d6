#include "cmocka_all.h"

#include <string.h>

#include <spv/filter.h>

#include "wire/opcode.h"

/* Made-up scripts around these elements. */
static const uint8_t key_hash[20] = {0xaa, 1, 2, 3};
static const uint8_t pubkey[33] = {0x02, 0xbb, 1, 2, 3};
static const uint8_t other[20] = {0xcc};

static uint8_t p2pkh[25] = {SPV__OP_DUP, SPV__OP_HASH160, 20};
static uint8_t p2pk[35] = {33};
static uint8_t multisig[37] = {0x51, 33};
static uint8_t broken[22] = {20};

static spv_txout outs[4];
static spv_txin ins[1];
static uint8_t script_sig[34] = {33};

/** outs: p2pkh, p2pk, 1-of-1 multisig, and a push with a broken one after. */
static spv_tx tx_of(void)
{
    memcpy(p2pkh + 3, key_hash, sizeof(key_hash));
    p2pkh[23] = SPV__OP_EQUALVERIFY;
    p2pkh[24] = SPV__OP_CHECKSIG;
    memcpy(p2pk + 1, pubkey, sizeof(pubkey));
    p2pk[34] = SPV__OP_CHECKSIG;
    memcpy(multisig + 2, pubkey, sizeof(pubkey));
    multisig[35] = 0x51;
    multisig[36] = 0xae;
    memcpy(broken + 1, other, sizeof(other));
    broken[21] = 75;
    memcpy(script_sig + 1, pubkey, sizeof(pubkey));
    outs[0] = (spv_txout){.script = p2pkh, .script_len = sizeof(p2pkh)};
    outs[1] = (spv_txout){.script = p2pk, .script_len = sizeof(p2pk)};
    outs[2] = (spv_txout){.script = multisig, .script_len = sizeof(multisig)};
    outs[3] = (spv_txout){.script = broken, .script_len = sizeof(broken)};
    ins[0] = (spv_txin){.prev = {.txid = {{4}}, .vout = 2},
                        .script = script_sig,
                        .script_len = sizeof(script_sig)};
    return (spv_tx){
        .txid = {{0xdd}}, .in = ins, .n_in = 1, .out = outs, .n_out = 4};
}

static spv_filter filter_of(uint8_t flags)
{
    spv_filter f;

    assert_int_equal(spv_filter_init(&f, 1000, 20, 0, flags), SPV_OK);
    return f;
}

static bool has_outpoint(const spv_filter *f, const spv_tx *tx, uint32_t vout)
{
    return spv_filter_contains_outpoint(
        f, &(spv_outpoint){.txid = tx->txid, .vout = vout});
}

static void flags_decide_which_outpoints_are_added(void **state)
{
    static const struct {
        uint8_t flags;
        bool p2pkh, p2pk, multisig;
    } cases[] = {
        {0, false, false, false}, {1, true, true, true},
        {2, false, true, true},   {3, false, false, false},
        {0xfd, true, true, true}, {0xfe, false, true, true},
    };
    spv_tx tx = tx_of();

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        spv_filter f = filter_of(cases[i].flags);
        spv_match m;

        spv_filter_insert(&f, key_hash, sizeof(key_hash));
        spv_filter_insert(&f, pubkey, sizeof(pubkey));
        assert_true(spv_filter_match(&f, &tx, &m));
        assert_int_equal(m.outputs, 3);
        assert_int_equal(m.added,
                         cases[i].p2pkh + cases[i].p2pk + cases[i].multisig);
        assert_int_equal(has_outpoint(&f, &tx, 0), cases[i].p2pkh);
        assert_int_equal(has_outpoint(&f, &tx, 1), cases[i].p2pk);
        assert_int_equal(has_outpoint(&f, &tx, 2), cases[i].multisig);
        assert_false(has_outpoint(&f, &tx, 3));
        spv_filter_clear(&f);
    }
}

static void inputs_match_by_outpoint_or_push_and_add_nothing(void **state)
{
    spv_tx tx = tx_of();
    size_t before = 0;

    (void)state;
    tx.n_out = 1;
    for (int by_push = 0; by_push < 2; by_push++) {
        spv_filter f = filter_of(SPV_FILTER_UPDATE_ALL);
        spv_match m;

        if (by_push)
            spv_filter_insert(&f, pubkey, sizeof(pubkey));
        else
            spv_filter_insert_outpoint(&f, &ins[0].prev);
        before = spv_filter_bits_set(&f);
        assert_true(spv_filter_matches(&f, &tx));
        assert_true(spv_filter_match(&f, &tx, &m));
        assert_true(m.by_input && !m.by_txid);
        assert_int_equal(m.added, 0);
        assert_int_equal(spv_filter_bits_set(&f), before);
        spv_filter_clear(&f);
    }
}

static void txid_match_still_adds_matching_outputs(void **state)
{
    spv_tx tx = tx_of();
    spv_filter f = filter_of(SPV_FILTER_UPDATE_ALL);
    spv_match m;

    (void)state;
    spv_filter_insert(&f, tx.txid.bytes, 32);
    spv_filter_insert(&f, key_hash, sizeof(key_hash));
    spv_filter_insert_outpoint(&f, &ins[0].prev); /* not asked any more */
    assert_true(spv_filter_match(&f, &tx, &m));
    assert_true(m.by_txid);
    assert_false(m.by_input);
    assert_int_equal(m.added, 1);
    assert_true(has_outpoint(&f, &tx, 0));
    spv_filter_clear(&f);
}

static void pushes_before_a_broken_one_count(void **state)
{
    spv_tx tx = tx_of();
    spv_filter f = filter_of(SPV_FILTER_UPDATE_ALL);
    spv_match m;

    (void)state;
    spv_filter_insert(&f, other, sizeof(other));
    assert_true(spv_filter_matches_output(&f, &outs[3]));
    assert_true(spv_filter_match(&f, &tx, &m));
    assert_true(has_outpoint(&f, &tx, 3));
    spv_filter_clear(&f);
}

static void witness_is_never_looked_at(void **state)
{
    static const uint8_t witness[22] = {1, 20, 0xcc};
    static const uint8_t op_true[1] = {0x51};
    spv_tx tx = tx_of();
    spv_filter f = filter_of(SPV_FILTER_UPDATE_ALL);
    spv_match m;

    (void)state;
    spv_filter_insert(&f, other, sizeof(other));
    outs[0] = (spv_txout){.script = op_true, .script_len = 1};
    ins[0].witness = witness;
    ins[0].witness_len = sizeof(witness);
    tx.n_out = 1;
    tx.has_witness = true;
    assert_false(spv_filter_matches(&f, &tx));
    assert_false(spv_filter_match(&f, &tx, &m));
    spv_filter_clear(&f);
}

static void empty_pushes_are_no_elements(void **state)
{
    static const uint8_t zeros[2] = {0x00, 0x00};
    spv_tx tx = tx_of();
    spv_filter f = filter_of(SPV_FILTER_UPDATE_ALL);
    spv_match m;

    (void)state;
    spv_filter_insert(&f, zeros, 0);
    outs[0] = (spv_txout){.script = zeros, .script_len = sizeof(zeros)};
    tx.n_out = 1;
    assert_false(spv_filter_match(&f, &tx, &m));
    spv_filter_clear(&f);
}

static void zero_length_filter_matches_every_transaction(void **state)
{
    spv_tx tx = tx_of();
    spv_filter f = {.flags = SPV_FILTER_UPDATE_ALL};
    spv_match m;

    (void)state;
    assert_true(spv_filter_matches(&f, &tx));
    assert_true(spv_filter_match(&f, &tx, &m));
    assert_int_equal(m.added, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flags_decide_which_outpoints_are_added),
        cmocka_unit_test(inputs_match_by_outpoint_or_push_and_add_nothing),
        cmocka_unit_test(txid_match_still_adds_matching_outputs),
        cmocka_unit_test(pushes_before_a_broken_one_count),
        cmocka_unit_test(witness_is_never_looked_at),
        cmocka_unit_test(empty_pushes_are_no_elements),
        cmocka_unit_test(zero_length_filter_matches_every_transaction),
    };

    return cmocka_run_group_tests_name("bloom.match", tests, NULL, NULL);
}
