#ifndef SPV_CLI_ADVICE_H
#define SPV_CLI_ADVICE_H

#include "cli/cli.h"

/** Longest that is told on the side, with its zero. */
enum { CLI_SAID_MAX = 4096 };

/**
 * A text, with the commands it names ('spvclient sync') as they are typed to
 * mean the same network and wallet as this run: 'spvclient --regtest sync'.
 */
void cli_advice(const cli *c, char out[CLI_SAID_MAX], const char *text);

#endif
