#include "cli/advice.h"

#include <stdarg.h>
#include <string.h>

#include "cli/commands.h"

enum { WORD_MAX = 15 };

static const char program[] = "'spvclient ";

/* The command that a text begins with, or NULL. */
static const cli_command *command_at(const char *text)
{
    char words[2][WORD_MAX + 1] = {{0}};
    const char *const list[] = {words[0], words[1]};
    size_t used = 0;
    int n = sscanf(text, "%15[a-z] %15[a-z]", words[0], words[1]);

    return n > 0 ? cli_command_find(list, (size_t)n, &used) : NULL;
}

static bool is_about_a_wallet(const cli_command *command)
{
    static cli_run *const of_a_wallet[] = {
        cli_wallet_create, cli_wallet_restore, cli_wallet_watch,
        cli_wallet_show,   cli_wallet_rescan,  cli_wallet_encrypt,
        cli_wallet_backup, cli_address_next,   cli_address_new,
        cli_address_list,  cli_sync,           cli_watch,
        cli_balance,       cli_coins,          cli_history,
        cli_tx_show,       cli_filter_wallet,  cli_privacy};

    for (size_t i = 0; i < sizeof(of_a_wallet) / sizeof(of_a_wallet[0]); i++)
        if (command->run == of_a_wallet[i])
            return true;
    return false;
}

CLI_PRINTF(2, 3)
static void add(char out[CLI_SAID_MAX], const char *format, ...)
{
    size_t len = strlen(out);
    va_list args;

    va_start(args, format);
    (void)vsnprintf(out + len, CLI_SAID_MAX - len, format, args);
    va_end(args);
}

/* Others are refused anyway, and a terminal might obey them. */
static bool is_plain(const char *name)
{
    return strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                        "abcdefghijklmnopqrstuvwxyz"
                        "0123456789._-") == strlen(name);
}

static void add_options(const cli *c, char out[CLI_SAID_MAX],
                        const cli_command *command)
{
    const char *wallet = cli_text(c, CLI_WALLET);

    if (c->network->chain != SPV_MAIN)
        add(out, "--%s ", c->network->name);
    if (wallet && is_plain(wallet) && is_about_a_wallet(command))
        add(out, "--wallet %s ", wallet);
}

void cli_advice(const cli *c, char out[CLI_SAID_MAX], const char *text)
{
    const char *at = NULL;

    *out = '\0';
    while ((at = strstr(text, program))) {
        const cli_command *command = NULL;

        at += sizeof(program) - 1;
        command = command_at(at);
        add(out, "%.*s", (int)(at - text), text);
        if (command)
            add_options(c, out, command);
        text = at;
    }
    add(out, "%s", text);
}
