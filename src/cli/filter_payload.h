#ifndef SPV_CLI_FILTER_PAYLOAD_H
#define SPV_CLI_FILTER_PAYLOAD_H

#include "cli/cli.h"

/** Say why bytes that are called `name` could not be read as a filterload
 * payload; `err` is what reading them came to, and is returned. */
spv_err cli_payload_refuse(cli *c, const char *name, spv_err err,
                           const uint8_t *bytes, size_t len);

#endif
