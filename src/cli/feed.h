#ifndef SPV_CLI_FEED_H
#define SPV_CLI_FEED_H

#include <spv/conform.h>
#include <spv/material.h>

#include "cli/cli.h"

/*
 * A regtest node is given blocks of every shape (spv/material.h), and some
 * transactions that wait for one, over its RPC. As many more are kept back: the
 * battery sends them itself, to see to whom the node announces them.
 */
typedef struct cli_feed {
    spv_material *material; /* owned */
    spv_hash tip;           /* its last block */
    spv_conform_tx *unsent; /* owned; what they point to is the material's */
    size_t n_unsent;
} cli_feed;

/**
 * Feed the node of --rpc; nothing is done without that option.
 *
 * Within `timeout_s` seconds; 0: 300.
 * SPV_NETWORK unless both --chain and the node's are regtest; as cli_rpc_call;
 * SPV_PROTOCOL for a block that the node refuses, whose reason is told.
 */
spv_err cli_feed_node(cli *c, uint64_t seed, uint32_t timeout_s, cli_feed *out);
void cli_feed_clear(cli_feed *feed);

#endif
