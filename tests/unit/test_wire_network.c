#include "wire_bytes.h"

#include <spv/header.h>
#include <spv/network.h>

static void each_network_is_found_by_its_names(void **state)
{
    static const struct {
        const char *name;
        spv_chain chain;
    } cases[] = {
        {"main", SPV_MAIN},         {"mainnet", SPV_MAIN},
        {"testnet3", SPV_TESTNET3}, {"test", SPV_TESTNET3},
        {"testnet4", SPV_TESTNET4}, {"signet", SPV_SIGNET},
        {"regtest", SPV_REGTEST},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const spv_network *n = spv_network_find(cases[i].name);

        assert_ptr_equal(n, spv_network_get(cases[i].chain));
        assert_int_equal(n->chain, cases[i].chain);
    }
}

static void other_names_find_nothing(void **state)
{
    static const char *const names[] = {"",         "Main",     "testnet",
                                        "testnet5", "regtest ", "bitcoin"};

    (void)state;
    for (size_t i = 0; i < COUNT(names); i++)
        assert_null(spv_network_find(names[i]));
}

static void the_genesis_header_hashes_to_the_genesis_hash(void **state)
{
    (void)state;
    for (int i = 0; i < SPV_CHAIN_COUNT; i++) {
        const spv_network *n = spv_network_get((spv_chain)i);
        spv_hash hash;
        spv_header header;

        spv_header_hash(&hash, n->genesis);
        assert_true(spv_hash_equal(&hash, &n->genesis_hash));
        spv_header_decode(&header, n->genesis);
        assert_int_equal(header.version, 1);
        assert_true(spv_hash_is_zero(&header.prev));
        assert_int_equal(header.bits, n->pow_limit_bits);
    }
}

static void no_two_networks_share_a_magic_or_a_port(void **state)
{
    (void)state;
    for (int i = 0; i < SPV_CHAIN_COUNT; i++)
        for (int j = 0; j < i; j++) {
            const spv_network *a = spv_network_get((spv_chain)i);
            const spv_network *b = spv_network_get((spv_chain)j);

            assert_memory_not_equal(a->magic, b->magic, 4);
            assert_int_not_equal(a->port, b->port);
        }
}

static void real_money_and_test_money_look_different(void **state)
{
    const spv_network *main_net = spv_network_get(SPV_MAIN);

    (void)state;
    assert_int_equal(main_net->coin_type, 0);
    for (int i = SPV_TESTNET3; i < SPV_CHAIN_COUNT; i++) {
        const spv_network *n = spv_network_get((spv_chain)i);

        assert_int_equal(n->coin_type, 1);
        assert_int_not_equal(n->p2pkh, main_net->p2pkh);
        assert_int_not_equal(n->p2sh, main_net->p2sh);
        assert_int_not_equal(n->wif, main_net->wif);
        assert_string_not_equal(n->hrp, main_net->hrp);
        assert_memory_not_equal(n->xpub, main_net->xpub, 4);
        assert_memory_not_equal(n->xprv, main_net->xprv, 4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_network_is_found_by_its_names),
        cmocka_unit_test(other_names_find_nothing),
        cmocka_unit_test(the_genesis_header_hashes_to_the_genesis_hash),
        cmocka_unit_test(no_two_networks_share_a_magic_or_a_port),
        cmocka_unit_test(real_money_and_test_money_look_different),
    };

    return cmocka_run_group_tests_name("wire.network", tests, NULL, NULL);
}
