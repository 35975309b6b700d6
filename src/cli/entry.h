#ifndef SPV_CLI_ENTRY_H
#define SPV_CLI_ENTRY_H

#include "cli/cli.h"

/*
 * What the wallet holds, as more than one command shows it.
 */

/** The document of `balance`. */
json_t *cli_balance_doc(const spv_client *client);

/** An entry of `history`; confirmations count from `tip`. */
spv_err cli_entry_doc(cli *c, const spv_client *client, const spv_wallet_tx *tx,
                      int32_t tip, json_t **out);

#endif
