#include "cli/commands.h"

#include <string.h>

#include "cli/nearest.h"

/* Promised commands that are not here yet; never silent, never in the help. */
static const char *const later[] = {"send", "bump", "abandon", "psbt"};

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

    for (const cli_command *k = cli_commands; k->noun; k++)
        if (same(k->noun, noun) && same(k->verb, verb)) {
            *used = 2;
            return k;
        }
    for (const cli_command *k = cli_commands; k->noun; k++)
        if (same(k->alias, noun) || (same(k->noun, noun) && !k->verb)) {
            *used = 1;
            return k;
        }
    return NULL;
}

bool cli_command_is_later(const char *const *words, size_t n_words)
{
    for (size_t i = 0; i < sizeof(later) / sizeof(later[0]); i++)
        if (n_words > 0 && same(later[i], words[0]))
            return true;
    return false;
}

spv_err cli_command_refuse_later(cli *c)
{
    (void)cli_fail(c, SPV_UNSUPPORTED, "'%s' is not in this version",
                   c->words[0]);
    return cli_hint(&c->trouble, "'spvclient --help' lists what is");
}

/* ---- Refusing ---- */

static bool is_noun(const char *word)
{
    for (const cli_command *k = cli_commands; k->noun; k++)
        if (same(k->noun, word))
            return true;
    return false;
}

/* The one command whose second word this is, or NULL. */
static const cli_command *find_verb(const char *word)
{
    const cli_command *found = NULL;

    for (const cli_command *k = cli_commands; k->noun; k++) {
        if (!same(k->verb, word))
            continue;
        if (found)
            return NULL;
        found = k;
    }
    return found;
}

static spv_err unknown_noun(cli *c)
{
    const cli_command *meant = find_verb(c->words[0]);
    cli_nearest near;

    cli_nearest_init(&near, c->words[0]);
    for (const cli_command *k = cli_commands; k->noun; k++) {
        cli_nearest_try(&near, k->noun);
        if (k->alias)
            cli_nearest_try(&near, k->alias);
    }
    (void)cli_fail(c, SPV_INVAL, "there is no command '%s'", c->words[0]);
    if (meant)
        return cli_hint(&c->trouble, "did you mean '%s %s'?", meant->noun,
                        meant->verb);
    return cli_nearest_hint(&near, &c->trouble, "'", "'",
                            "'spvclient --help' lists them");
}

/* The one command of a noun, or NULL. */
static const cli_command *only_command(const char *noun)
{
    const cli_command *found = NULL;

    for (const cli_command *k = cli_commands; k->noun; k++) {
        if (!same(k->noun, noun))
            continue;
        if (found)
            return NULL;
        found = k;
    }
    return found;
}

static spv_err unknown_verb(cli *c)
{
    const char *noun = c->words[0];
    const char *verb = c->n_words > 1 ? c->words[1] : "";
    const cli_command *only = only_command(noun);
    char before[32];
    char list[48];
    cli_nearest near;

    cli_nearest_init(&near, verb);
    for (const cli_command *k = cli_commands; k->noun; k++)
        if (same(k->noun, noun) && k->verb)
            cli_nearest_try(&near, k->verb);
    (void)snprintf(before, sizeof(before), "'%s ", noun);
    (void)snprintf(list, sizeof(list), "'spvclient help %s' lists them", noun);
    if (c->n_words == 1) {
        (void)cli_fail(c, SPV_INVAL, "'%s' needs a second word", noun);
        return cli_hint(&c->trouble, "%s", list);
    }
    (void)cli_fail(c, SPV_INVAL, "there is no command '%s %s'", noun, verb);
    if (only)
        return cli_hint(&c->trouble, "did you mean '%s %s'?", noun, only->verb);
    return cli_nearest_hint(&near, &c->trouble, before, "'", list);
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

static bool is_mistaken_passphrase(const cli_command *command,
                                   cli_option option)
{
    return (command->options & CLI_BIT(PASSWORD_STDIN)) &&
           (option == CLI_PASSPHRASE_STDIN || option == CLI_PASSPHRASE_FILE);
}

static spv_err check_options(cli *c)
{
    char name[40];

    cli_command_name(name, sizeof(name), c->command);
    for (size_t i = 0; i < CLI_OPTION_COUNT; i++) {
        const cli_option_spec *spec = cli_option_get((cli_option)i);

        if (c->values.of[i].source == CLI_FROM_NOWHERE ||
            (spec->traits & CLI_GLOBAL) ||
            cli_option_is_in(c->command->options, (cli_option)i))
            continue;
        (void)cli_fail(c, SPV_INVAL, "'%s' does not take --%s", name,
                       spec->name);
        if (is_mistaken_passphrase(c->command, (cli_option)i))
            return cli_hint(&c->trouble,
                            "that is BIP 39's, and decides which addresses "
                            "there are; what encrypts is the password: "
                            "--password-stdin, --password-file");
        return cli_hint(&c->trouble, "'spvclient help %s' lists what it takes",
                        name);
    }
    return SPV_OK;
}

/* Most likely it is the mnemonic or a password: not to be repeated. */
static spv_err refuse_secret_operand(cli *c, const char *name)
{
    const char *what =
        c->command->options & CLI_BIT(MNEMONIC_STDIN) ? "mnemonic" : "password";

    (void)cli_fail(c, SPV_INVAL, "'%s' takes no operands", name);
    return cli_hint(&c->trouble,
                    "give a %s with --%s-stdin, --%s-file, or when asked", what,
                    what, what);
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
    if (command->options & (CLI_BIT(MNEMONIC_STDIN) | CLI_BIT(PASSWORD_STDIN)))
        return refuse_secret_operand(c, name);
    if (command->needs && strpbrk(c->args[0], ".:")) {
        (void)cli_fail(c, SPV_INVAL, "'%s' does not take '%s'", name,
                       c->args[0]);
        return cli_hint(&c->trouble, "name the node with %s", command->needs);
    }
    /* "address nwe": the operand was meant as a verb. */
    if (!command->verb && !command->args && is_noun(c->words[0])) {
        for (const cli_command *k = cli_commands; k->noun; k++)
            if (same(k->noun, c->words[0]) && k->verb)
                return unknown_verb(c);
    }
    (void)cli_fail(c, SPV_INVAL, "'%s' does not take '%s'", name,
                   c->args[command->most_args]);
    return cli_hint(&c->trouble, "'spvclient help %s' lists what it takes",
                    name);
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
