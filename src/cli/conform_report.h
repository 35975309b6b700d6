#ifndef SPV_CLI_CONFORM_REPORT_H
#define SPV_CLI_CONFORM_REPORT_H

#include "cli/cli.h"

/*
 * The results of a battery as people and build servers read them. All formats
 * are made of the same document.
 */

/** Check --format against --json; JSON is switched on if it is asked for. */
spv_err cli_conform_format(cli *c);

/** It ended without results: tell those who read TAP or JUnit why. Nothing is
 * done in other formats. */
void cli_conform_bail(cli *c);

/** Note how long the run took, for a format that tells it. */
void cli_conform_took(const cli *c, json_t *doc, double seconds);

#endif
