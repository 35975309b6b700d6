#ifndef SPV_CLI_HELP_H
#define SPV_CLI_HELP_H

#include "cli/cli.h"

/** Answer --version. */
spv_err cli_version(cli *c, json_t **doc);

/** Answer --help, `help`, and both about a command or a noun. */
spv_err cli_help(cli *c, json_t **doc);

/** What either says, for people. */
void cli_help_text(const cli *c, const json_t *doc);
void cli_version_text(const cli *c, const json_t *doc);

#endif
