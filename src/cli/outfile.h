#ifndef SPV_CLI_OUTFILE_H
#define SPV_CLI_OUTFILE_H

#include <stdio.h>

#include "cli/cli.h"

/*
 * A file that is written whole: under another name, synced, then renamed. So
 * whoever opens it finds the old file or the new one, never half of one, and a
 * filter that is mapped elsewhere does not change under its reader.
 *
 * A file that is there already is not overwritten unless --force says so. A
 * device or a pipe is written to as it is.
 */
typedef struct cli_outfile {
    const char *name; /* as it was given; borrowed */
    char *path;       /* behind symbolic links */
    char *temp;       /* its other name; NULL: written in place */
    bool made;        /* there is a file of that name */
    int fd;
    bool replaces; /* may take the place of another file */
} cli_outfile;

/**
 * Check that FILE can be written, before any work is done for it; nothing is
 * created yet. With `replaces` it may be there. SPV_EXISTS, SPV_NOT_FOUND (no
 * such folder), SPV_INVAL, SPV_IO, SPV_NOMEM; `o` can be dropped then too.
 */
spv_err cli_outfile_plan(cli *c, cli_outfile *o, const char *name,
                         bool replaces);

/** Write so many bytes; the first call creates the file. */
spv_err cli_outfile_write(cli *c, cli_outfile *o, const void *bytes,
                          size_t len);

/** Sync and rename: only now it is there. */
spv_err cli_outfile_finish(cli *c, cli_outfile *o);

/** Write and finish a text that `draw` prints, from `subject`, to a stream. */
spv_err cli_outfile_draw(cli *c, cli_outfile *o,
                         void (*draw)(FILE *out, const void *subject),
                         const void *subject);

/** Free everything; what was not finished is deleted. */
void cli_outfile_drop(cli_outfile *o);

#endif
