#include "wire_bytes.h"

#include <stdio.h>

#include "wire/message.h"
#include "wire/netaddr.h"
#include "wire/seeds.h"

static void only_regtest_has_no_seeds(void **state)
{
    (void)state;
    for (int i = 0; i < SPV_CHAIN_COUNT; i++) {
        const spv_seeds *seeds = spv__seeds_get((spv_chain)i);

        assert_int_equal(seeds->n_hosts > 0, i != SPV_REGTEST);
        assert_true(seeds->n_hosts <= SPV__SEEDS_MAX);
    }
    assert_int_equal(spv__seeds_get(SPV_REGTEST)->n_nodes, 0);
}

static void the_prefix_asks_for_nodes_that_serve_filters(void **state)
{
    char prefix[8];

    (void)state;
    (void)snprintf(prefix, sizeof(prefix), "x%x.",
                   (unsigned)(SPV__NODE_NETWORK | SPV__NODE_BLOOM));
    assert_string_equal(prefix, SPV__SEEDS_PREFIX);
}

static void hosts_are_names(void **state)
{
    (void)state;
    for (int i = 0; i < SPV_CHAIN_COUNT; i++) {
        const spv_seeds *seeds = spv__seeds_get((spv_chain)i);

        for (size_t k = 0; k < seeds->n_hosts; k++) {
            spv_netaddr addr;
            char name[256];

            assert_int_equal(spv__netaddr_parse_name(&addr, name, sizeof(name),
                                                     seeds->hosts[k], 1),
                             SPV_OK);
            assert_string_equal(name, seeds->hosts[k]);
        }
    }
}

static bool same_group(const spv_netaddr *a, const spv_netaddr *b)
{
    return a->net == b->net &&
           memcmp(a->addr, b->addr, a->net == SPV__NET_IPV4 ? 2 : 4) == 0;
}

static void nodes_are_spread(void **state)
{
    (void)state;
    for (int i = 0; i < SPV_CHAIN_COUNT; i++) {
        const spv_seeds *seeds = spv__seeds_get((spv_chain)i);
        spv_netaddr addr[64];

        assert_true(seeds->n_nodes <= COUNT(addr));
        for (size_t k = 0; k < seeds->n_nodes; k++) {
            assert_int_equal(spv__netaddr_parse(&addr[k], seeds->nodes[k], 1),
                             SPV_OK);
            assert_int_equal(addr[k].port, 1);
            for (size_t j = 0; j < k; j++)
                assert_false(same_group(&addr[k], &addr[j]));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_regtest_has_no_seeds),
        cmocka_unit_test(the_prefix_asks_for_nodes_that_serve_filters),
        cmocka_unit_test(hosts_are_names),
        cmocka_unit_test(nodes_are_spread),
    };

    return cmocka_run_group_tests_name("wire.seeds", tests, NULL, NULL);
}
