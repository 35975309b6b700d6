#ifndef SPV_CLI_FILTER_FILE_H
#define SPV_CLI_FILTER_FILE_H

#include "cli/filter_kind.h"

/**
 * The filter that operand `i` names: a filterload payload (hex, or a file of
 * it), or a saved filter, which is known by its magic. Without the operand, or
 * for "-", standard input. A saved filter is looked at where it lies in its
 * file; one that `changes` is a copy. Its checksum is verified once, here,
 * unless --no-verify says otherwise; what changes is always verified.
 *
 * SPV_DAMAGED for a saved filter that is spoilt or cut short, SPV_UNSUPPORTED
 * for one from a newer version, else as cli_input_bytes. `f` is zeroed then.
 */
spv_err cli_filter_open(cli *c, size_t i, bool changes, cli_filter *f);

/** The same for operand 0 of a command that also reads elements; they and the
 * filter cannot come through one pipe. */
spv_err cli_filter_open_beside_lines(cli *c, bool changes, cli_filter *f);

/** Free everything. Allowed on a zeroed one. */
void cli_filter_close(cli_filter *f);

/** Write a filter to a planned file, whole. */
spv_err cli_filter_write(cli *c, const cli_filter *f, cli_outfile *o);

/** Operand `i` as messages call it. */
const char *cli_filter_name(const cli *c, size_t i);

#endif
