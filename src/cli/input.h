#ifndef SPV_CLI_INPUT_H
#define SPV_CLI_INPUT_H

#include "cli/cli.h"

/* Bytes that people hand over: as hex, in a file, or through a pipe. */

/** Most bytes read in one piece: a full block is at most 4 MB. */
enum { CLI_INPUT_MAX = 8 << 20 };

/**
 * The bytes of operand `i`: hex itself, the name of a file that holds hex or
 * the bytes, or "-"; standard input when there is no such operand. A file's
 * name that is all hex digits is written ./NAME.
 *
 * `*bytes` is owned (free). Fails as SPV_NOT_FOUND, SPV_IO, SPV_LIMIT,
 * SPV_MALFORMED.
 */
spv_err cli_input_bytes(cli *c, size_t i, uint8_t **bytes, size_t *len);

/** Operand `i`, or the first line of standard input; owned (free). */
spv_err cli_input_line(cli *c, size_t i, char **line);

/** What to do with a line, its newline taken off. */
typedef spv_err cli_line(void *ctx, char *line, size_t len);

/** Do it with operands `from` and after, or, when there are none, with every
 * line of standard input. */
spv_err cli_input_lines(cli *c, size_t from, cli_line *take, void *ctx);

#endif
