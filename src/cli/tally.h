#ifndef SPV_CLI_TALLY_H
#define SPV_CLI_TALLY_H

#include <time.h>

#include "cli/cli.h"

/*
 * How far a command is through its lines, drawn on the terminal now and then:
 * at most ten times a second. Elsewhere than on a terminal nothing is drawn.
 */
typedef struct cli_tally {
    const char *doing; /* "building"; NULL: nothing is drawn */
    uint64_t lines;
    uint64_t bytes;
    uint64_t total; /* bytes there are; 0: unknown */
    bool color;
    bool drawn; /* there is a line to be wiped */
    struct timespec began;
    struct timespec drawn_at;
} cli_tally;

/** Begin with what standard input is: a file's length is known. `doing` is
 * borrowed; NULL is quiet. */
void cli_tally_begin(cli_tally *t, const cli *c, const char *doing);

/** So much more is done. */
void cli_tally_add(cli_tally *t, uint64_t lines, uint64_t bytes);

/** Wipe the line, before anything else is said. */
void cli_tally_end(cli_tally *t);

#endif
