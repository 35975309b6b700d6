#ifndef SPV_CLI_FILTER_WISH_H
#define SPV_CLI_FILTER_WISH_H

#include "cli/filter_kind.h"

/* What the options say of a filter that is to be made. */

/** The rate when none is asked for. */
extern const double cli_fp_rate;

/** Read a rate from text: above 0 and below 1. */
bool cli_rate_parse(double *out, const char *text);

/** --fp-rate, or the rate when none is asked for. */
spv_err cli_rate_read(cli *c, double *out);

/** What --flags calls what nodes may add to a wallet's filter. */
const char *cli_updates_word(spv_wallet_updates updates);

/**
 * The kind (a filterload payload unless --out or --kind ask for another) and
 * its parameters. `elements` is 0 where they are not given and have to be
 * counted. What the kind cannot have is refused.
 */
spv_err cli_filter_wish_read(cli *c, const cli_filter_kind **kind,
                             cli_filter_wish *wish);

#endif
