#ifndef SPV_CLI_DRIVE_H
#define SPV_CLI_DRIVE_H

#include <spv/uv.h>

#include "cli/cli.h"

/*
 * What commands share that meet peers: options, a reactor, signals.
 */

/** --connect, --until, --timeout, the clock and entropy, into `o`. */
spv_err cli_run_options(cli *c, spv_sync_options *o);

/** Drive a machine to its end, or until SIGINT, SIGTERM or cli_drive_stop. Its
 * outcome, or SPV_INTERRUPTED. */
spv_err cli_drive(const spv_machine *face, void *self);

/** The same for a reactor that is there already, and stays. */
spv_err cli_drive_reactor(spv_reactor *reactor);

/** Let cli_drive return soon; for whoever is called by the machine. */
void cli_drive_stop(void);

#endif
