#include "cmocka_all.h"

#include "chain/pow.h"

static const spv_network *main_network(void)
{
    return spv_network_get(SPV_MAIN);
}

/** Every target that bits can name, its neighbours, and what is far off. */
static void check_agrees_with_256_bit_numbers(uint32_t bits,
                                              const spv_network *network)
{
    spv_target t = spv__bits_decode(bits);
    spv_u256 limit = spv__bits_decode(network->pow_limit_bits).value;
    bool possible = !t.negative && !t.overflow && !spv__u256_is_zero(t.value) &&
                    spv__u256_compare(t.value, limit) <= 0;
    spv_u256 one = spv__u256(1);
    const spv_u256 tries[] = {spv__u256(0),
                              one,
                              t.value,
                              spv__u256_sub(t.value, one),
                              spv__u256_add(t.value, one),
                              spv__u256_shl(t.value, 1),
                              spv__u256_shr(t.value, 9),
                              spv__u256_not(t.value),
                              spv__u256_not(spv__u256(0))};

    for (size_t i = 0; i < sizeof(tries) / sizeof(tries[0]); i++) {
        spv_hash hash;

        spv__u256_to_hash(&hash, tries[i]);
        assert_int_equal(spv_pow_check(&hash, bits, network),
                         possible && spv__u256_compare(tries[i], t.value) <= 0);
    }
}

static void quick_check_is_the_slow_one(void **state)
{
    static const uint32_t mantissas[] = {
        0x000000, 0x000001, 0x00007f, 0x000080, 0x0000ff, 0x000100,
        0x00ffff, 0x008000, 0x010000, 0x123456, 0x7fffff, 0x800000,
        0x800001, 0x80ffff, 0xffffff, 0x00d86a, 0x0377ae};

    (void)state;
    for (uint32_t size = 0; size < 256; size++)
        for (size_t i = 0; i < sizeof(mantissas) / sizeof(mantissas[0]); i++)
            for (int chain = 0; chain < SPV_CHAIN_COUNT; chain++)
                check_agrees_with_256_bit_numbers(
                    size << 24 | mantissas[i],
                    spv_network_get((spv_chain)chain));
}

static void genesis_blocks_have_proof_of_work(void **state)
{
    (void)state;
    for (int i = 0; i < SPV_CHAIN_COUNT; i++) {
        const spv_network *n = spv_network_get((spv_chain)i);

        assert_true(spv_pow_check(&n->genesis_hash, n->pow_limit_bits, n));
        assert_false(
            spv_pow_check(&n->genesis_hash, n->pow_limit_bits + (1u << 24), n));
    }
}

static void limit_of_one_network_is_not_anothers(void **state)
{
    const spv_network *regtest = spv_network_get(SPV_REGTEST);
    spv_hash zero = {{0}};

    (void)state;
    assert_true(spv_pow_check(&zero, 0x207fffff, regtest));
    assert_false(spv_pow_check(&zero, 0x207fffff, main_network()));
    assert_true(spv_pow_check(&zero, 0x1d00ffff, main_network()));
    assert_false(spv_pow_check(&zero, 0x1d010000, main_network()));
}

static void encoding_undoes_decoding_of_canonical_bits(void **state)
{
    static const uint32_t bits[] = {0x1d00ffff, 0x1b0404cb, 0x207fffff,
                                    0x1e0377ae, 0x05009234, 0x01120000,
                                    0x02008000, 0x03123456};

    (void)state;
    for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); i++)
        assert_int_equal(spv__bits_encode(spv__bits_decode(bits[i]).value),
                         bits[i]);
}

static void work_is_expected_hashes(void **state)
{
    static const struct {
        uint32_t bits;
        uint64_t work;
    } cases[] = {{0x1d00ffff, 0x100010001},
                 {0x207fffff, 2},
                 {0x1d80ffff, 0},
                 {0xff7fffff, 0},
                 {0, 0}};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(spv__u256_compare(spv__bits_work(cases[i].bits),
                                           spv__u256(cases[i].work)),
                         0);
}

static void verdicts_have_words_and_sides(void **state)
{
    (void)state;
    assert_string_equal(spv_verdict_text(SPV_VERDICT_ADDED), "added");
    assert_string_equal(spv_verdict_text((spv_verdict)99), "unknown verdict");
    assert_false(spv_verdict_is_fault(SPV_VERDICT_FUTURE));
    assert_false(spv_verdict_is_fault(SPV_VERDICT_ORPHAN));
    assert_true(spv_verdict_is_fault(SPV_VERDICT_BAD_POW));
    assert_true(spv_verdict_is_fault(SPV_VERDICT_SIDE_LIMIT));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quick_check_is_the_slow_one),
        cmocka_unit_test(genesis_blocks_have_proof_of_work),
        cmocka_unit_test(limit_of_one_network_is_not_anothers),
        cmocka_unit_test(encoding_undoes_decoding_of_canonical_bits),
        cmocka_unit_test(work_is_expected_hashes),
        cmocka_unit_test(verdicts_have_words_and_sides),
    };

    return cmocka_run_group_tests_name("chain.pow", tests, NULL, NULL);
}
