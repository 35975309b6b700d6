#ifndef SPV_CLI_DECODE_H
#define SPV_CLI_DECODE_H

#include <spv/filter.h>
#include <spv/header.h>
#include <spv/tx.h>

#include "cli/cli.h"

/* Documents of what the protocol carries; keys as bitcoin-cli has them,
 * amounts in satoshi. */
json_t *cli_tx_doc(const spv_tx *tx, const spv_network *network);
json_t *cli_script_doc(const uint8_t *script, size_t len,
                       const spv_network *network);
json_t *cli_header_doc(const uint8_t header[SPV_HEADER_LEN],
                       const spv_network *network);
json_t *cli_filter_doc(const spv_filter *f);

/** The operations of a script in words, as a new string; NULL without memory.
 */
json_t *cli_script_asm(const uint8_t *script, size_t len);

/** A filterload payload from operand 0 or standard input. */
spv_err cli_filter_of_input(cli *c, spv_filter *out);

/** Say what is wrong with an address, and of which network it is if that is
 * what is wrong. Returns `err`. */
spv_err cli_address_fail(cli *c, spv_err err, const char *text);

#endif
