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

/** Passwords that encrypt: the one until now, and the one from now on. */
typedef struct cli_passwords {
    char old[CLI_SECRET_MAX];
    char fresh[CLI_SECRET_MAX];
} cli_passwords;

/**
 * Make ready for a secret: no core dump is written, no other process may look
 * into this one's memory, documents overwrite theirs when they are freed, and
 * standard output has a buffer that cli_secret_forget can wipe. To be called
 * before anything is printed or filled in.
 */
void cli_secret_guard(void);

/** Wipe what standard output was last given, once it is flushed. */
void cli_secret_forget(void);

/**
 * The mnemonic: --mnemonic-stdin, --mnemonic-file, or asked for on the
 * terminal.
 */
spv_err cli_secret_mnemonic(cli *c, cli_secrets *out);

/** The passphrase that belongs to a mnemonic read before it: the next line of
 * standard input, a file, or asked for where the mnemonic was; else it stays
 * empty. */
spv_err cli_secret_passphrase(cli *c, cli_secrets *out);

/** That of a new wallet, if an option names a source; else it stays empty. On
 * the terminal it is asked for twice. */
spv_err cli_secret_new_passphrase(cli *c, cli_secrets *out);

/** The wallet's password: from the source that an option names, or asked for
 * on the terminal. */
spv_err cli_secret_password(cli *c, char out[CLI_SECRET_MAX]);

/** A new one: on the terminal it is asked for twice. For a wallet that has none
 * yet (`first`) the options of the password name it as well. */
spv_err cli_secret_new_password(cli *c, bool first, char out[CLI_SECRET_MAX]);

/** Fill `out` with entropy fit for keys, from the system. */
spv_err cli_entropy(cli *c, void *out, size_t len);

/** Overwrite, in a way that the compiler keeps. */
void cli_cleanse(void *secret, size_t len);

#endif
