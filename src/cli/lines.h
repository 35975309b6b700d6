#ifndef SPV_CLI_LINES_H
#define SPV_CLI_LINES_H

#include <spv/local_filter.h>

#include "cli/cli.h"

/*
 * Lines in bulk: read by the megabyte, handed on by the thousand.
 *
 * Workload: many millions of short lines, with little to do for each; so a line
 * is never copied, and no call is made for one alone.
 */

enum { CLI_BATCH = 1024 };

/** Some lines and what they say, blank ones left out. All is borrowed until
 * the call returns. */
typedef struct cli_batch {
    const spv_element *lines;    /**< as they came, without newlines */
    const spv_element *elements; /**< as --text, --address or neither ask */
    size_t n;
} cli_batch;

/** What to do with a batch. */
typedef spv_err cli_take(void *ctx, const cli_batch *batch);

/**
 * Take operands `from` and after or, when there are none or only "-", every
 * line of standard input. `doing` is the word for the progress line, NULL for
 * none. A line that says no element ends it all, once those before it are
 * taken.
 */
spv_err cli_lines_each(cli *c, size_t from, const char *doing, cli_take *take,
                       void *ctx);

#endif
