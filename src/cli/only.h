#ifndef SPV_CLI_ONLY_H
#define SPV_CLI_ONLY_H

#include "cli/cli.h"

/** Name number `i` of those that --only may select; NULL behind the last. */
typedef const char *cli_only_name(size_t i);

/** Hint what a pattern of --only that selects nothing may have meant: all that
 * begin so, a name that is near, or else `otherwise`. Returns the trouble's
 * code. */
spv_err cli_only_hint(cli *c, const char *pattern, cli_only_name *name_at,
                      const char *otherwise);

#endif
