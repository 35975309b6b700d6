#ifndef SPV_CLI_SECRET_H
#define SPV_CLI_SECRET_H

#include "cli/cli.h"

/*
 * Secrets: read from where nobody else looks, and overwritten after use. They
 * pass through no stdio buffer, and a core dump is not written.
 */
enum { CLI_SECRET_MAX = 1024 };

typedef struct cli_secrets {
    char mnemonic[CLI_SECRET_MAX];
    char passphrase[CLI_SECRET_MAX];
} cli_secrets;

/** No core dumps from here on. To be called before a secret exists. */
void cli_secret_guard(void);

/**
 * The mnemonic: --mnemonic-stdin, --mnemonic-file, or asked for on the
 * terminal.
 */
spv_err cli_secret_mnemonic(cli *c, cli_secrets *out);

/** The passphrase, if an option names a source; else it stays empty. Asked
 * after the mnemonic it is the next line of standard input. */
spv_err cli_secret_passphrase(cli *c, cli_secrets *out);

/** Fill `out` with entropy fit for keys, from the system. */
spv_err cli_entropy(cli *c, void *out, size_t len);

/** Overwrite, in a way that the compiler keeps. */
void cli_cleanse(void *secret, size_t len);

#endif
