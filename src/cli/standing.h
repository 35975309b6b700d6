#ifndef SPV_CLI_STANDING_H
#define SPV_CLI_STANDING_H

#include "cli/cli.h"

/** Tell on the side what keeps a wallet's answers from being all there is:
 * that it was never synced, or that a rescan is pending or under way. */
void cli_tell_standing(const cli *c, const spv_wallet_info *info);

#endif
