#ifndef SPV_CLI_PROGRESS_H
#define SPV_CLI_PROGRESS_H

#include "cli/cli.h"
#include "cli/sync_log.h"

/*
 * A client that shows how far it is while a reactor drives it.
 *
 * It is a machine that passes everything on to the client's and draws a line
 * on the terminal now and then: at most ten times a second, and at least once,
 * so that a stall can be seen too. Elsewhere than on a terminal nothing is
 * drawn. What there is to tell beside it goes to the log.
 */
typedef struct cli_progress {
    const cli *c;
    spv_client *client;
    int32_t until;
    bool shown;
    bool color;
    bool drawn; /* there is a line to be wiped */
    spv_time drawn_at;
    spv_time blocks_at; /* when filtered blocks began */
    int32_t blocks_from;
    bool in_blocks;
    cli_sync_log log;
} cli_progress;

/** Begin; nothing is drawn yet. All is borrowed. `until` is the height to stop
 * at, or 0. */
void cli_progress_init(cli_progress *p, const cli *c, spv_client *client,
                       int32_t until);

/** The face to give to the reactor, with the progress as its self. Static. */
const spv_machine *cli_progress_machine(void);

/** Say a warning beside it; `ctx` is the progress. */
void cli_progress_warn(void *ctx, const char *line);

/** Wipe the line, before anything else is said. */
void cli_progress_wipe(cli_progress *p);

#endif
