#include "cli/commands.h"

#include <string.h>

#include "cli/nearest.h"

enum { ANY = 100000 }; /* operands */

#define SECRETS                                         \
    (CLI_BIT(MNEMONIC_STDIN) | CLI_BIT(MNEMONIC_FILE) | \
     CLI_BIT(PASSPHRASE_STDIN) | CLI_BIT(PASSPHRASE_FILE))
#define LINES (CLI_BIT(TEXT) | CLI_BIT(ADDRESS))

#define ABOUT_SECRETS                                                      \
    "A mnemonic or passphrase is asked for on the terminal, or read from " \
    "standard input or a file; it is never an argument."
#define ABOUT_ELEMENTS                                                   \
    "Elements are hex, or TXID:VOUT for an outpoint; with --text whole " \
    "lines, with --address addresses."
#define ABOUT_PAYLOAD                                                    \
    "PAYLOAD is a filterload payload in hex, the name of a file that "   \
    "holds one (hex or bytes; write ./NAME if a name could be hex), or " \
    "- for standard input."
#define ABOUT_INPUT                                                        \
    "HEX may also be the name of a file that holds it (hex or bytes), or " \
    "-. Without it standard input is read."

static const cli_command commands[] = {
    {"wallet", "create", NULL, "", 0, 0, cli_wallet_create,
     cli_wallet_create_text,
     CLI_BIT(TYPE) | CLI_BIT(WORDS) | CLI_BIT(GAP) | CLI_BIT(ACCOUNT) |
         CLI_BIT(PASSPHRASE_STDIN) | CLI_BIT(PASSPHRASE_FILE),
     "make a wallet with a new mnemonic, which is shown once",
     "The mnemonic is all that is needed to get the coins back: write it "
     "down."},
    {"wallet", "restore", NULL, "", 0, 0, cli_wallet_restore,
     cli_wallet_made_text,
     CLI_BIT(TYPE) | CLI_BIT(BIRTHDAY) | CLI_BIT(GAP) | CLI_BIT(ACCOUNT) |
         SECRETS,
     "make a wallet from a mnemonic", ABOUT_SECRETS},
    {"wallet", "watch", NULL, "DESCRIPTOR|XPUB|ADDRESS...", 1, ANY,
     cli_wallet_watch, cli_wallet_made_text, CLI_BIT(BIRTHDAY) | CLI_BIT(GAP),
     "make a wallet that watches and cannot spend",
     "Descriptors are those of BIP 380, with <0;1> (BIP 389) and checksums; - "
     "reads them from standard input, one a line."},
    {"wallet", "list", "wallets", "", 0, 0, cli_wallet_list,
     cli_wallet_list_text, 0, "name the wallets of this network", NULL},
    {"wallet", "show", NULL, "", 0, 0, cli_wallet_show, cli_wallet_show_text, 0,
     "what a wallet is: type, birthday, descriptors", NULL},
    {"wallet", "rescan", NULL, "", 0, 0, cli_wallet_rescan,
     cli_wallet_rescan_text, CLI_BIT(FROM) | CLI_BIT(GAP),
     "look through old blocks again at the next sync",
     "Nothing that was found is forgotten. A larger --gap finds coins beyond "
     "a stretch of unused addresses."},
    {"address", "new", NULL, "", 0, 0, cli_address_new, cli_address_text,
     CLI_BIT(CHANGE), "an address that was not given out before", NULL},
    {"address", "list", "addresses", "", 0, 0, cli_address_list,
     cli_address_list_text, 0, "the addresses used or given out", NULL},
    {"address", NULL, NULL, "", 0, 0, cli_address_next, cli_address_text,
     CLI_BIT(CHANGE), "the next unused address",
     "It stays the same until it is used, or 'address new' gives out another."},
    {"sync", NULL, NULL, "", 0, 0, cli_sync, cli_sync_text,
     CLI_BIT(UNTIL) | CLI_BIT(TIMEOUT),
     "bring the wallet up to the tip of the chain",
     "The nodes named with --connect are asked. A progress line shows on a "
     "terminal. Interrupted, it goes on where it was."},
    {"balance", NULL, NULL, "", 0, 0, cli_balance, cli_balance_text, 0,
     "how much is in the wallet", NULL},
    {"coins", NULL, NULL, "", 0, 0, cli_coins, cli_coins_text, 0,
     "the unspent outputs, oldest first", NULL},
    {"history", NULL, NULL, "", 0, 0, cli_history, cli_history_text, 0,
     "the transactions, newest last", NULL},
    {"tx", "show", NULL, "TXID", 1, 1, cli_tx_show, cli_tx_text, 0,
     "one transaction of the wallet", NULL},
    {"filter", "size", NULL, "", 0, 0, cli_filter_size, cli_filter_size_text,
     CLI_BIT(ELEMENTS) | CLI_BIT(FP_RATE),
     "how large a BIP 37 filter is for so many elements", NULL},
    {"filter", "build", NULL, "", 0, 0, cli_filter_build, cli_filter_hex_text,
     CLI_BIT(ELEMENTS) | CLI_BIT(FP_RATE) | CLI_BIT(TWEAK) | CLI_BIT(FLAGS) |
         LINES,
     "make a filterload payload of the lines on standard input",
     "Without --elements the filter is sized for the lines. " ABOUT_ELEMENTS},
    {"filter", "add", NULL, "PAYLOAD [ELEMENT...]", 1, ANY, cli_filter_add,
     cli_filter_hex_text, LINES, "add elements to a filter",
     ABOUT_PAYLOAD
     " Without ELEMENT they are the lines of standard input. " ABOUT_ELEMENTS},
    {"filter", "test", NULL, "PAYLOAD [ELEMENT...]", 1, ANY, cli_filter_test,
     cli_filter_test_text, LINES | CLI_BIT(INVERT),
     "print the elements that may be in it",
     ABOUT_PAYLOAD
     " Without ELEMENT they are the lines of standard input. " ABOUT_ELEMENTS},
    {"filter", "show", NULL, "[PAYLOAD]", 0, 1, cli_filter_show,
     cli_filter_show_text, 0, "a filter in numbers", ABOUT_PAYLOAD},
    {"filter", "wallet", NULL, "", 0, 0, cli_filter_wallet, cli_filter_hex_text,
     0, "the filterload payload that the wallet's next sync sends",
     "It holds decoys too, so that it is as full as it will ever be."},
    {"decode", "tx", NULL, "[HEX]", 0, 1, cli_decode_tx, NULL, 0,
     "take a transaction apart", ABOUT_INPUT},
    {"decode", "block", NULL, "[HEX]", 0, 1, cli_decode_block, NULL, 0,
     "take a block apart", ABOUT_INPUT},
    {"decode", "header", NULL, "[HEX]", 0, 1, cli_decode_header, NULL, 0,
     "take a block header apart", ABOUT_INPUT},
    {"decode", "merkleblock", NULL, "[HEX]", 0, 1, cli_decode_merkleblock, NULL,
     0, "take a merkleblock message apart, believing nothing", ABOUT_INPUT},
    {"decode", "filterload", NULL, "[HEX]", 0, 1, cli_decode_filterload, NULL,
     0, "take a filterload message apart", ABOUT_INPUT},
    {"decode", "script", NULL, "[HEX]", 0, 1, cli_decode_script, NULL, 0,
     "what a script says and whom it pays", ABOUT_INPUT},
    {"decode", "address", NULL, "[ADDRESS]", 0, 1, cli_decode_address, NULL, 0,
     "the script and filter element of an address",
     "Without ADDRESS a line of standard input is read."},
    {"decode", "descriptor", NULL, "[DESCRIPTOR]", 0, 1, cli_decode_descriptor,
     NULL, 0, "check a descriptor; its public form and first addresses",
     "Without DESCRIPTOR a line of standard input is read. One with a private "
     "key is only taken from there."},
    {"proof", "verify", NULL, "[HEX]", 0, 1, cli_proof_verify, cli_proof_text,
     0, "check a merkleblock and list what it proves",
     "Proof of work and merkle tree are checked. That the block is in the best "
     "chain is for you to know. " ABOUT_INPUT},
};

enum { COMMANDS = sizeof(commands) / sizeof(commands[0]) };

/* Promised commands that are not here yet; never silent, never in the help. */
static const char *const later[][2] = {
    {"send", NULL},       {"bump", NULL},    {"abandon", NULL},
    {"psbt", NULL},       {"watch", NULL},   {"privacy", NULL},
    {"peers", NULL},      {"conform", NULL}, {"wallet", "encrypt"},
    {"wallet", "backup"},
};

const cli_command *cli_commands(size_t *n)
{
    *n = COMMANDS;
    return commands;
}

void cli_command_name(char *out, size_t size, const cli_command *command)
{
    (void)snprintf(out, size, "%s%s%s", command->noun, command->verb ? " " : "",
                   command->verb ? command->verb : "");
}

/* ---- Finding ---- */

static bool same(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

const cli_command *cli_command_find(const char *const *words, size_t n_words,
                                    size_t *used)
{
    const char *noun = n_words > 0 ? words[0] : NULL;
    const char *verb = n_words > 1 ? words[1] : NULL;

    for (size_t i = 0; i < COMMANDS; i++)
        if (same(commands[i].noun, noun) && same(commands[i].verb, verb)) {
            *used = 2;
            return &commands[i];
        }
    for (size_t i = 0; i < COMMANDS; i++)
        if (same(commands[i].alias, noun) ||
            (same(commands[i].noun, noun) && !commands[i].verb)) {
            *used = 1;
            return &commands[i];
        }
    return NULL;
}

bool cli_command_is_later(const char *const *words, size_t n_words)
{
    for (size_t i = 0; i < sizeof(later) / sizeof(later[0]); i++)
        if (n_words > 0 && same(later[i][0], words[0]) &&
            (!later[i][1] || (n_words > 1 && same(later[i][1], words[1]))))
            return true;
    return false;
}

spv_err cli_command_refuse_later(cli *c)
{
    bool pair = c->n_words > 1 && same(c->words[0], "wallet");

    (void)cli_fail(c, SPV_UNSUPPORTED, "'%s%s%s' is not in this version",
                   c->words[0], pair ? " " : "", pair ? c->words[1] : "");
    return cli_hint(&c->trouble, "'spvclient --help' lists what is");
}

/* ---- Refusing ---- */

static bool is_noun(const char *word)
{
    for (size_t i = 0; i < COMMANDS; i++)
        if (same(commands[i].noun, word))
            return true;
    return false;
}

static spv_err unknown_noun(cli *c)
{
    cli_nearest near;

    cli_nearest_init(&near, c->words[0]);
    for (size_t i = 0; i < COMMANDS; i++) {
        cli_nearest_try(&near, commands[i].noun);
        if (commands[i].alias)
            cli_nearest_try(&near, commands[i].alias);
    }
    (void)cli_fail(c, SPV_INVAL, "there is no command '%s'", c->words[0]);
    return cli_hint(&c->trouble, "did you mean '%s'?", near.best);
}

static spv_err unknown_verb(cli *c)
{
    const char *noun = c->words[0];
    const char *verb = c->n_words > 1 ? c->words[1] : "";
    cli_nearest near;

    cli_nearest_init(&near, verb);
    for (size_t i = 0; i < COMMANDS; i++)
        if (same(commands[i].noun, noun) && commands[i].verb)
            cli_nearest_try(&near, commands[i].verb);
    if (c->n_words == 1) {
        (void)cli_fail(c, SPV_INVAL, "'%s' needs a second word", noun);
        return cli_hint(&c->trouble, "'spvclient help %s' lists them", noun);
    }
    (void)cli_fail(c, SPV_INVAL, "there is no command '%s %s'", noun, verb);
    return cli_hint(&c->trouble, "did you mean '%s %s'?", noun, near.best);
}

static spv_err unknown_command(cli *c)
{
    if (c->n_words == 0) {
        (void)cli_fail(c, SPV_INVAL, "no command was given");
        return cli_hint(&c->trouble, "'spvclient --help' lists them");
    }
    if (cli_command_is_later(c->words, c->n_words))
        return cli_command_refuse_later(c);
    return is_noun(c->words[0]) ? unknown_verb(c) : unknown_noun(c);
}

static spv_err check_options(cli *c)
{
    char name[40];

    cli_command_name(name, sizeof(name), c->command);
    for (size_t i = 0; i < CLI_OPTION_COUNT; i++) {
        const cli_option_spec *spec = cli_option_get((cli_option)i);

        if (c->values.of[i].source == CLI_FROM_NOWHERE ||
            (spec->traits & CLI_GLOBAL) ||
            (c->command->options & (UINT64_C(1) << i)))
            continue;
        (void)cli_fail(c, SPV_INVAL, "'%s' does not take --%s", name,
                       spec->name);
        return cli_hint(&c->trouble, "'spvclient help %s' lists what it takes",
                        name);
    }
    return SPV_OK;
}

static spv_err check_args(cli *c)
{
    const cli_command *command = c->command;
    char name[40];

    cli_command_name(name, sizeof(name), command);
    if (c->n_args < command->least_args)
        return cli_fail(c, SPV_INVAL, "'%s' needs %s", name, command->args);
    if (c->n_args <= command->most_args)
        return SPV_OK;
    if (command->options & CLI_BIT(MNEMONIC_STDIN)) {
        /* Most likely it is the mnemonic: not to be repeated. */
        (void)cli_fail(c, SPV_INVAL, "'%s' takes no operands", name);
        return cli_hint(&c->trouble, "give a mnemonic with --mnemonic-stdin, "
                                     "--mnemonic-file, or when asked");
    }
    /* "address nwe": the operand was meant as a verb. */
    if (!command->verb && !*command->args && is_noun(c->words[0])) {
        for (size_t i = 0; i < COMMANDS; i++)
            if (same(commands[i].noun, c->words[0]) && commands[i].verb)
                return unknown_verb(c);
    }
    return cli_fail(c, SPV_INVAL, "'%s' does not take '%s'", name,
                    c->args[command->most_args]);
}

spv_err cli_command_choose(cli *c)
{
    size_t used = 0;
    spv_err err = SPV_OK;

    c->command = cli_command_find(c->words, c->n_words, &used);
    if (!c->command)
        return unknown_command(c);
    c->args = c->words + used;
    c->n_args = c->n_words - used;
    err = check_args(c);
    return err == SPV_OK ? check_options(c) : err;
}
