#ifndef SPV_CLI_ELEMENT_H
#define SPV_CLI_ELEMENT_H

#include "cli/cli.h"

/** What goes into a filter. `bytes` lies in the line that was parsed, or in
 * `own`. */
typedef struct cli_element {
    const uint8_t *bytes;
    size_t len;
    bool is_blank; /**< the line held nothing */
    uint8_t own[64];
} cli_element;

/** Refuse --text and --address together. */
spv_err cli_element_check_form(cli *c);

/**
 * Read a line as --text, --address or neither (hex, or TXID:VOUT) ask. The
 * line may be overwritten; the element is valid as long as both are.
 */
spv_err cli_element_parse(cli *c, char *line, size_t len, cli_element *out);

#endif
