#ifndef SPV_CLI_OPEN_H
#define SPV_CLI_OPEN_H

#include "cli/cli.h"

/** Where the wallet that was asked for lies; borrowed from `c`. */
spv_err cli_place(cli *c, spv_place *out);

/** Open that wallet; owned, spv_client_free. A wallet that does not exist is
 * answered with how to make one. */
spv_err cli_open(cli *c, spv_client **out);

/** A point in the chain as people give it: one of both, the other is -1. */
typedef struct cli_point {
    int32_t height;
    int64_t time; /**< Unix seconds: midnight UTC at the date's beginning */
} cli_point;

/**
 * Read HEIGHT or YYYY-MM-DD; not given leaves both at -1. A date in the future
 * becomes today, and that is told.
 */
spv_err cli_point_of(cli *c, cli_option option, cli_point *out);

#endif
