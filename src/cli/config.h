#ifndef SPV_CLI_CONFIG_H
#define SPV_CLI_CONFIG_H

#include "cli/options.h"

/*
 * A settings file: bitcoin.conf's grammar.
 *
 *     # a comment
 *     connect=127.0.0.1
 *     [regtest]              from here on for this network only
 *     wallet=test
 */
typedef struct cli_entry {
    const spv_network *network; /**< NULL: above all sections */
    char *key;
    char *text;
    int line;
} cli_entry;

typedef struct cli_config {
    char *path;
    cli_entry *entries;
    size_t n;
} cli_config;

/** Read a file. No file is an empty one unless it `must_exist`. */
spv_err cli_config_read(cli_config *out, const char *path, bool must_exist,
                        spv_trouble *trouble);

/** Hand over what stands above all sections (NULL), or in a network's. */
spv_err cli_config_apply(const cli_config *config, cli_values *values,
                         const spv_network *network, spv_trouble *trouble);

void cli_config_clear(cli_config *config);

/** Hand over the variables SPVCLIENT_... of the environment. */
spv_err cli_environment_apply(cli_values *values, spv_trouble *trouble);

#endif
