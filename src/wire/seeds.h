#ifndef SPV_WIRE_SEEDS_H
#define SPV_WIRE_SEEDS_H

#include <stddef.h>

#include <spv/network.h>

/*
 * Where to begin when no peer is known: names that answer with nodes, and
 * nodes that were there for long.
 *
 * A seed that crawls the network answers a name with "xN." before its own with
 * nodes that have the service bits N, in hex. Not all of them know every N: one
 * that finds nothing is asked for its plain name.
 */
typedef struct spv_seeds {
    const char *const *hosts; /**< names, without a dot at the end */
    size_t n_hosts;
    const char *const *nodes; /**< numeric, on the network's port */
    size_t n_nodes;
} spv_seeds;

/** Most names of a network. */
enum { SPV__SEEDS_MAX = 8 };

/** What is asked for: NODE_NETWORK and NODE_BLOOM. */
#define SPV__SEEDS_PREFIX "x5."

/** Those of a network, static; regtest has none. */
const spv_seeds *spv__seeds_get(spv_chain chain);

#endif
