#ifndef SPV_CLI_INTERRUPT_H
#define SPV_CLI_INTERRUPT_H

#include "cli/cli.h"

/*
 * Ctrl-C while a file is made, or a node is given what it lacks.
 *
 * Between begin and end SIGINT, SIGTERM and SIGHUP no longer end the program;
 * they are seen by whoever checks, who leaves in good order. The second of
 * them ends it at once, and takes the half-written file along. What the caller
 * of the program has it ignore (nohup) stays ignored.
 */

void cli_interrupt_begin(void);
void cli_interrupt_end(void);

/** The file to be deleted at once; NULL for none. Borrowed until changed. */
void cli_interrupt_takes(const char *path);

/** Whether there was such a signal since begin. */
bool cli_interrupt_seen(void);

/** SPV_INTERRUPTED, and the trouble is told, once there was such a signal. */
spv_err cli_interrupt_check(cli *c);

#endif
