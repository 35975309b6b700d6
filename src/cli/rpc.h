#ifndef SPV_CLI_RPC_H
#define SPV_CLI_RPC_H

#include "cli/cli.h"

/*
 * JSON-RPC to a node of the user's own, over HTTP: bitcoind's words, which
 * bcoin understands too.
 *
 * User and password are in no message and no log: neither is the URL that they
 * came in, only host and port. What can be set from outside for all programs
 * (proxies, .netrc) does not count.
 */
typedef struct cli_rpc cli_rpc;

/**
 * Make ready for --rpc, with --rpc-cookie if there is one; nothing is sent. All
 * calls together may take `timeout_s` seconds from now.
 * Owned: cli_rpc_close. SPV_INVAL, SPV_NOT_FOUND, SPV_IO, SPV_NOMEM;
 * SPV_UNSUPPORTED without libcurl.
 */
spv_err cli_rpc_open(cli *c, uint32_t timeout_s, cli_rpc **out);
void cli_rpc_close(cli_rpc *rpc);

/**
 * Call a method; `params` is an array that is taken over. `*result` is a new
 * reference, json_null for none. A signal (cli/interrupt.h) ends it.
 *
 * SPV_IO when the node answers with an error, whose words are in the
 * trouble; SPV_NO_PEER when there is no answer, SPV_TIMEOUT when there is none
 * in time, SPV_LOCKED when it wants another password, SPV_PROTOCOL for an
 * answer that is none, SPV_INTERRUPTED.
 */
spv_err cli_rpc_call(cli_rpc *rpc, const char *method, json_t *params,
                     json_t **result);

/** Words of the node, fit to be told (cli/foreign.h), and without the password
 * even if they had it. Valid until the next call. */
const char *cli_rpc_quote(cli_rpc *rpc, const char *words);

#endif
