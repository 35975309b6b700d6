#include "cmocka_all.h"

#include <string.h>

#include "wallet/sighash.h"

/* The vectors have the algorithms; here are the corners that they leave. */

static spv_txin inputs[3] = {{.prev = {.vout = 1}, .sequence = 7},
                             {.prev = {.vout = 2}, .sequence = 8},
                             {.prev = {.vout = 3}, .sequence = 9}};
static spv_txout outputs[2] = {{.value = 10, .script = NULL, .script_len = 0},
                               {.value = 20, .script = NULL, .script_len = 0}};
static const spv_tx tx = {
    .version = 1, .in = inputs, .n_in = 3, .out = outputs, .n_out = 2};

static void legacy_single_without_an_output_signs_the_number_one(void **state)
{
    static const uint8_t one[32] = {1};
    uint8_t got[32];

    (void)state;
    assert_int_equal(
        spv__sighash_legacy(got, &tx, 2, NULL, 0, SPV__SIGHASH_SINGLE), SPV_OK);
    assert_memory_equal(got, one, 32);
    assert_int_equal(
        spv__sighash_legacy(got, &tx, 3, NULL, 0, SPV__SIGHASH_ALL), SPV_OK);
    assert_memory_equal(got, one, 32);
    assert_int_equal(
        spv__sighash_legacy(got, &tx, 1, NULL, 0, SPV__SIGHASH_SINGLE), SPV_OK);
    assert_memory_not_equal(got, one, 32);
}

static void code_separators_are_left_out_but_not_within_pushes(void **state)
{
    static const struct {
        uint8_t script[8];
        size_t len;
        uint8_t plain[8];
        size_t plain_len;
    } cases[] = {
        {{0xab}, 1, {0}, 0},
        {{0xab, 0xab, 0xac, 0xab}, 4, {0xac}, 1},
        {{0x51, 0xab, 0x52}, 3, {0x51, 0x52}, 2},
        {{0x02, 0xab, 0xab, 0xab, 0xac}, 5, {0x02, 0xab, 0xab, 0xac}, 4},
        {{0x4c, 0x01, 0xab, 0xac}, 4, {0x4c, 0x01, 0xab, 0xac}, 4},
        {{0xab, 0x05, 0xab}, 3, {0x05, 0xab}, 2}, /* a push that runs out */
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        spv_buf message = SPV_BUF_EMPTY;

        assert_int_equal(
            spv__sighash_legacy_message(&message, &tx, 0, cases[i].script,
                                        cases[i].len, SPV__SIGHASH_ALL),
            SPV_OK);
        assert_int_equal(message.bytes[41], cases[i].plain_len);
        assert_memory_equal(message.bytes + 42, cases[i].plain,
                            cases[i].plain_len);
        spv__buf_clear(&message);
    }
}

static void bip_143_single_without_an_output_signs_zeros_for_it(void **state)
{
    static const uint8_t zeros[32];
    spv_buf message = SPV_BUF_EMPTY;
    spv_sighash_parts parts;

    (void)state;
    assert_int_equal(spv__sighash_parts(&parts, &tx, NULL), SPV_OK);
    assert_int_equal(spv__sighash_v0_message(&message, &tx, &parts, 2,
                                             &outputs[0], SPV__SIGHASH_SINGLE),
                     SPV_OK);
    assert_memory_equal(message.bytes + message.len - 40, zeros, 32);
    spv__buf_clear(&message);
}

static void an_input_that_is_not_there_has_no_segwit_hash(void **state)
{
    static const spv_txout spent[3];
    spv_sighash_parts parts;
    uint8_t got[32];

    (void)state;
    assert_int_equal(spv__sighash_parts(&parts, &tx, spent), SPV_OK);
    assert_int_equal(
        spv__sighash_v0(got, &tx, &parts, 3, &outputs[0], SPV__SIGHASH_ALL),
        SPV_INVAL);
    assert_int_equal(
        spv__sighash_taproot(got, &tx, &parts, 3, spent, SPV__SIGHASH_ALL),
        SPV_INVAL);
}

static void each_part_depends_on_its_own_field_alone(void **state)
{
    spv_txout spent[3] = {{0}};
    spv_sighash_parts before;
    spv_sighash_parts after;

    (void)state;
    assert_int_equal(spv__sighash_parts(&before, &tx, spent), SPV_OK);
    spent[1].value = 1;
    inputs[0].sequence++;
    assert_int_equal(spv__sighash_parts(&after, &tx, spent), SPV_OK);
    inputs[0].sequence--;
    assert_memory_equal(before.prevouts, after.prevouts, 32);
    assert_memory_not_equal(before.sequences, after.sequences, 32);
    assert_memory_equal(before.outputs, after.outputs, 32);
    assert_memory_not_equal(before.amounts, after.amounts, 32);
    assert_memory_equal(before.scripts, after.scripts, 32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(legacy_single_without_an_output_signs_the_number_one),
        cmocka_unit_test(code_separators_are_left_out_but_not_within_pushes),
        cmocka_unit_test(bip_143_single_without_an_output_signs_zeros_for_it),
        cmocka_unit_test(an_input_that_is_not_there_has_no_segwit_hash),
        cmocka_unit_test(each_part_depends_on_its_own_field_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
