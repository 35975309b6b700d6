/*
 * How long headers take from nodes that are 50 milliseconds away.
 *
 * In the simulator, so the times are exact and the same every day: 100,000
 * headers with a checkpoint every 2,016, as on the main network, from one node
 * and from several. The yardstick is the same client without checkpoints, which
 * needs a round trip for every 2,000 headers, one after the other.
 *
 * Prints one JSON line for each number of nodes.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/fetcher.h"
#include "support/chaintake.h"
#include "support/must.h"
#include "support/sim.h"

enum {
    HEADERS = 100000,
    SPACING = 2016,
    ROUND_TRIP_MS = 50,
    RATE = 12500000, /* bytes a second each: 100 megabits */
    NODES_MAX = 4,
    LONG = 600000
};

static spv_script_chain *mine(void)
{
    chaingen_options o = chaingen_defaults();
    spv_script_chain *chain = spv__script_chain_new();
    chaingen *maker = NULL;

    o.blocks = HEADERS;
    o.txs = o.wallet_txs = 0;
    maker = chaingen_new(&o);
    chain_take(chain, maker);
    chaingen_free(maker);
    return chain;
}

/** Milliseconds until all headers are here. */
static spv_time fetch(const spv_script_chain *chain, size_t nodes,
                      int32_t spacing)
{
    sim_link link = {.latency = ROUND_TRIP_MS / 2, .rate = RATE};
    spv_script_node *node[NODES_MAX];
    sim *s = sim_new(1);
    spv_time took = 0;
    fetcher f;

    for (size_t i = 0; i < nodes; i++) {
        node[i] = spv__script_node_new(chain, HEADERS, NULL, i + 1);
        (void)sim_add_node(s, node[i], link);
    }
    fetcher_begin(&f, chain, spacing, HEADERS, 1);
    fetcher_connect_all(&f, nodes);
    sim_set_client(s, fetcher_machine(), &f);
    MUST(sim_run(s, sim_now(s) + LONG) == SPV_OK);
    MUST(spv__tree_tip(f.tree).height == HEADERS);
    took = f.headers_at - f.sync.began;
    fetcher_end(&f);
    sim_free(s);
    for (size_t i = 0; i < nodes; i++)
        spv__script_node_free(node[i]);
    return took;
}

int main(void)
{
    static const size_t nodes[] = {1, 2, NODES_MAX};
    spv_script_chain *chain = mine();
    spv_time serial = fetch(chain, 1, 0);

    for (size_t i = 0; i < sizeof(nodes) / sizeof(nodes[0]); i++) {
        spv_time took = fetch(chain, nodes[i], SPACING);

        printf("{\"bench\":\"headers-far\",\"headers\":%d,\"nodes\":%zu,"
               "\"round_trip_ms\":%d,\"serial_ms\":%" PRId64
               ",\"ranges_ms\":%" PRId64 ",\"ratio\":%.2f}\n",
               HEADERS, nodes[i], ROUND_TRIP_MS, serial, took,
               (double)took / (double)serial);
    }
    spv__script_chain_free(chain);
    return EXIT_SUCCESS;
}
