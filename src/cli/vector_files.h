#ifndef SPV_CLI_VECTOR_FILES_H
#define SPV_CLI_VECTOR_FILES_H

#include "cli/cli.h"

/* Files of test vectors, found and read. */

/** Does something with a file. */
typedef spv_err cli_vector_file(void *self, const char *path);

/**
 * Visit the file at `path`; or, of a folder, all files below it whose names
 * end in .json, in the order of names. Schemas (.schema.json), hidden files
 * and folders behind links are passed over. "-" is standard input.
 *
 * SPV_NOT_FOUND, with the trouble told, when there is nothing at `path`, or no
 * such file in that folder. Ends with the first failure of `visit`.
 */
spv_err cli_vector_files(cli *c, const char *path, cli_vector_file *visit,
                         void *self);

/**
 * Read a file whole, but no more than one byte over SPV_VECTORS_MAX. `*text`
 * is owned (free), on failure too. SPV_NOMEM; SPV_IO with `errno` set.
 */
spv_err cli_vector_file_read(const char *path, char **text, size_t *len);

#endif
