#ifndef SPV_CLI_MAPPED_H
#define SPV_CLI_MAPPED_H

#include "cli/cli.h"

/** A file's bytes, mapped and read only: however long it is, opening it takes
 * no time, and only what is looked at is read. */
typedef struct cli_mapped {
    const uint8_t *bytes; /**< NULL when nothing is mapped */
    size_t len;
} cli_mapped;

/**
 * Map the file called `path`, or standard input for NULL, if it is a regular
 * file that begins with the `n` bytes of `magic`. Anything else is left alone
 * for other readers: SPV_OK, and nothing is mapped. SPV_IO, with the trouble
 * told, if it could not be.
 */
spv_err cli_mapped_open(cli *c, cli_mapped *m, const char *path,
                        const uint8_t *magic, size_t n);

/** Let go of it. Allowed on a zeroed one. */
void cli_mapped_close(cli_mapped *m);

#endif
