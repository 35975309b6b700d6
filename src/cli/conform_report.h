#ifndef SPV_CLI_CONFORM_REPORT_H
#define SPV_CLI_CONFORM_REPORT_H

#include "cli/cli.h"

/*
 * The results of a battery as people and build servers read them. All formats
 * are made of the same document.
 */

/** Check --format against --json; JSON is switched on if it is asked for. */
spv_err cli_conform_format(cli *c);

#endif
