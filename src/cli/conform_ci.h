#ifndef SPV_CLI_CONFORM_CI_H
#define SPV_CLI_CONFORM_CI_H

#include "cli/cli.h"

/*
 * A battery's results for build servers: TAP and JUnit.
 *
 * They agree with the exit code: a check that fails but is no `must` is marked
 * as not counting, and a run that came to no verdict is an error.
 */
void cli_conform_tap(const cli *c, const json_t *doc);
void cli_conform_junit(const cli *c, const json_t *doc);

/** The same for a run that ended without results. */
void cli_conform_tap_bail(const char *why);
void cli_conform_junit_bail(const char *why);

/** Whether a check of the document has that result, or that severity. */
bool cli_conform_has(const json_t *check, const char *key, const char *value);

/** The length of a check's group: "match" of "match.txid". */
int cli_conform_group(const json_t *check);

#endif
