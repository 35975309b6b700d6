#include "cli/options.h"

#include <stdlib.h>
#include <string.h>

#include "cli/array.h"
#include "cli/nearest.h"
#include "cli/trouble.h"

static const cli_option_spec specs[CLI_OPTION_COUNT] = {
#define X(id, name, letter, value, traits, help) \
    [CLI_##id] = {name, letter, value, traits, help},
    CLI_OPTION_MAP(X)
#undef X
};

_Static_assert(CLI_SET_END - CLI_SET_FIRST <= 64, "a set has 64 bits");

const cli_option_spec *cli_option_get(cli_option option)
{
    return &specs[option];
}

bool cli_option_find(cli_option *out, const char *name)
{
    for (size_t i = 0; i < CLI_OPTION_COUNT; i++)
        if (strcmp(specs[i].name, name) == 0) {
            *out = (cli_option)i;
            return true;
        }
    return false;
}

bool cli_option_is_in(uint64_t set, cli_option option)
{
    int bit = (int)option - CLI_SET_FIRST;

    return bit >= 0 && (int)option < CLI_SET_END && (set >> bit & 1) != 0;
}

bool cli_option_is_shown(cli_option option)
{
    return !(specs[option].traits & (CLI_SECRET | CLI_LATER));
}

/* ---- Values ---- */

static void value_clear(cli_value *value)
{
    for (size_t i = 0; i < value->n; i++)
        free(value->texts[i]);
    free(value->texts);
    *value = (cli_value){0};
}

void cli_values_clear(cli_values *v)
{
    for (size_t i = 0; i < CLI_OPTION_COUNT; i++)
        value_clear(&v->of[i]);
}

static spv_err value_add(cli_value *value, const char *text)
{
    if (!cli_array_room(&value->texts, value->n, sizeof(*value->texts)))
        return SPV_NOMEM;
    value->texts[value->n] = strdup(text);
    if (!value->texts[value->n])
        return SPV_NOMEM;
    value->n++;
    return SPV_OK;
}

spv_err cli_values_set(cli_values *v, cli_option option, const char *text,
                       cli_source source)
{
    cli_value *value = &v->of[option];

    if (value->source > source)
        return SPV_OK;
    if (value->source < source || !(specs[option].traits & CLI_REPEATS))
        value_clear(value);
    value->source = source;
    return value_add(value, text);
}

const char *cli_values_text(const cli_values *v, cli_option option)
{
    const cli_value *value = &v->of[option];

    return value->n ? value->texts[value->n - 1] : NULL;
}

bool cli_values_on(const cli_values *v, cli_option option)
{
    const char *text = cli_values_text(v, option);

    return text && strcmp(text, "1") == 0;
}

/* ---- Refusals ---- */

static spv_err refuse_secret(spv_trouble *trouble, const char *name)
{
    (void)cli_trouble(trouble, SPV_INVAL,
                      "a secret is never taken from the command line, the "
                      "environment or a settings file: other programs can "
                      "read those ('%s')",
                      name);
    return cli_hint(trouble, "type it when asked, or use --mnemonic-stdin, "
                             "--mnemonic-file, --passphrase-stdin, "
                             "--passphrase-file, --password-stdin, "
                             "--password-file, --new-password-stdin or "
                             "--new-password-file");
}

static spv_err refuse_later(spv_trouble *trouble, const char *name)
{
    return cli_trouble(trouble, SPV_UNSUPPORTED,
                       "'%s' is not supported in this version, and is refused "
                       "rather than ignored",
                       name);
}

/* What may not be given at all, wherever it came from. */
static spv_err check_allowed(cli_option option, spv_trouble *trouble)
{
    const cli_option_spec *spec = &specs[option];

    if (spec->traits & CLI_SECRET)
        return refuse_secret(trouble, spec->name);
    if (spec->traits & CLI_LATER)
        return refuse_later(trouble, spec->name);
    return SPV_OK;
}

/* An empty name of a folder or a wallet would mean some other one. */
static spv_err check_value(cli_option option, const char *text,
                           spv_trouble *trouble)
{
    if (*text || !(specs[option].traits & CLI_GLOBAL))
        return SPV_OK;
    return cli_trouble(trouble, SPV_INVAL, "'%s' needs a value: %s",
                       specs[option].name, specs[option].value);
}

static spv_err unknown_option(const char *name, spv_trouble *trouble)
{
    cli_nearest near;

    cli_nearest_init(&near, name);
    for (size_t i = 0; i < CLI_OPTION_COUNT; i++)
        if (cli_option_is_shown((cli_option)i))
            cli_nearest_try(&near, specs[i].name);
    (void)cli_trouble(trouble, SPV_INVAL, "there is no option --%s", name);
    return cli_nearest_hint(&near, trouble, "--", "",
                            "'spvclient help COMMAND' lists what it takes");
}

static spv_err unknown_key(const char *name, spv_trouble *trouble)
{
    cli_nearest near;

    cli_nearest_init(&near, name);
    for (size_t i = 0; i < CLI_OPTION_COUNT; i++)
        if (cli_option_is_shown((cli_option)i) &&
            (specs[i].traits & CLI_GLOBAL) && !(specs[i].traits & CLI_ARGV))
            cli_nearest_try(&near, specs[i].name);
    (void)cli_trouble(trouble, SPV_INVAL, "there is no setting '%s'", name);
    return cli_nearest_hint(&near, trouble, "'", "'",
                            "'spvclient --help' lists them");
}

/* ---- Environment and file ---- */

static spv_err parse_switch(const char **out, const char *name,
                            const char *text, spv_trouble *trouble)
{
    static const char *const words[][2] = {{"1", "1"},    {"0", "0"},
                                           {"true", "1"}, {"false", "0"},
                                           {"yes", "1"},  {"no", "0"}};

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strcmp(text, words[i][0]) == 0) {
            *out = words[i][1];
            return SPV_OK;
        }
    return cli_trouble(trouble, SPV_INVAL, "'%s' is 1 or 0, not '%s'", name,
                       text);
}

/* Name the chain, unless a stronger source has taken that name back. */
static spv_err name_chain(cli_values *v, const char *name, cli_source source)
{
    for (size_t i = 0; i < CLI_OPTION_COUNT; i++)
        if ((specs[i].traits & CLI_CHAIN_NAME) && v->of[i].source > source &&
            strcmp(specs[i].name, name) == 0)
            return SPV_OK;
    return cli_values_set(v, CLI_CHAIN, name, source);
}

/* --regtest and its like name the chain, and --no-regtest takes that back:
 * what its own source said before, and what weaker ones say. */
static spv_err set_chain(cli_values *v, cli_option option, bool on,
                         cli_source source)
{
    cli_value *chain = &v->of[CLI_CHAIN];
    const char *name = specs[option].name;
    const char *now = cli_values_text(v, CLI_CHAIN);

    if (on)
        return name_chain(v, name, source);
    if (now && chain->source <= source && strcmp(now, name) == 0)
        value_clear(chain);
    return cli_values_set(v, option, "0", source);
}

static spv_err set_switch(cli_values *v, cli_option option, const char *on,
                          cli_source source)
{
    return specs[option].traits & CLI_CHAIN_NAME
               ? set_chain(v, option, strcmp(on, "1") == 0, source)
               : cli_values_set(v, option, on, source);
}

#define LIST_GAPS ", \t"

/* "a, b c": several values of an option that repeats; a list of none would
 * mean another than none was given. */
static spv_err set_list(cli_values *v, cli_option option, const char *text,
                        cli_source source, spv_trouble *trouble)
{
    char *copy = strdup(text);
    char *rest = NULL;
    spv_err err = copy ? SPV_OK : SPV_NOMEM;

    for (char *item = copy ? strtok_r(copy, LIST_GAPS, &rest) : NULL;
         item && err == SPV_OK; item = strtok_r(NULL, LIST_GAPS, &rest))
        err = cli_values_set(v, option, item, source);
    free(copy);
    if (err == SPV_OK && text[strspn(text, LIST_GAPS)] == '\0')
        return cli_trouble(trouble, SPV_INVAL, "'%s' needs a value: %s",
                           specs[option].name, specs[option].value);
    return err;
}

spv_err cli_values_set_named(cli_values *v, const char *name, const char *text,
                             cli_source source, spv_trouble *trouble)
{
    cli_option option = CLI_OPTION_COUNT;
    const char *on = NULL;
    spv_err err = SPV_OK;

    if (!cli_option_find(&option, name))
        return unknown_key(name, trouble);
    err = check_allowed(option, trouble);
    if (err != SPV_OK)
        return err;
    if ((specs[option].traits & CLI_ARGV) ||
        !(specs[option].traits & CLI_GLOBAL))
        return cli_trouble(trouble, SPV_INVAL,
                           "'%s' can only be given on the command line", name);
    if (specs[option].value) {
        err = check_value(option, text, trouble);
        if (err != SPV_OK)
            return err;
        if (option == CLI_CHAIN)
            return name_chain(v, text, source);
        return specs[option].traits & CLI_REPEATS
                   ? set_list(v, option, text, source, trouble)
                   : cli_values_set(v, option, text, source);
    }
    err = parse_switch(&on, name, text, trouble);
    return err == SPV_OK ? set_switch(v, option, on, source) : err;
}

/* ---- Command line ---- */

typedef struct argv_reader {
    cli_values *values;
    char **argv;
    int argc;
    int at;
    spv_trouble *trouble;
} argv_reader;

static spv_err take_value(argv_reader *r, cli_option option, const char *text)
{
    if (!text) {
        if (r->at + 1 >= r->argc)
            return cli_trouble(r->trouble, SPV_INVAL, "--%s needs a value: %s",
                               specs[option].name, specs[option].value);
        text = r->argv[++r->at];
    }
    if (check_value(option, text, r->trouble) != SPV_OK)
        return r->trouble->code;
    if ((specs[option].traits & CLI_REPEATS) &&
        (specs[option].traits & CLI_GLOBAL))
        return set_list(r->values, option, text, CLI_FROM_ARGV, r->trouble);
    return cli_values_set(r->values, option, text, CLI_FROM_ARGV);
}

static spv_err take_option(argv_reader *r, cli_option option, const char *text)
{
    spv_err err = check_allowed(option, r->trouble);

    if (err != SPV_OK)
        return err;
    if (specs[option].value)
        return take_value(r, option, text);
    if (text)
        return cli_trouble(r->trouble, SPV_INVAL, "--%s takes no value",
                           specs[option].name);
    return set_switch(r->values, option, "1", CLI_FROM_ARGV);
}

/* --no-json undoes what the file or the environment turned on. */
static bool find_negated(cli_option *out, const char *name)
{
    static const char no[] = "no-";

    return strncmp(name, no, sizeof(no) - 1) == 0 &&
           cli_option_find(out, name + sizeof(no) - 1) && !specs[*out].value &&
           (specs[*out].traits & CLI_GLOBAL) &&
           !(specs[*out].traits & CLI_ARGV);
}

static spv_err take_long(argv_reader *r, const char *arg)
{
    const char *equals = strchr(arg, '=');
    size_t len = equals ? (size_t)(equals - arg) : strlen(arg);
    char name[64];
    cli_option option = CLI_OPTION_COUNT;

    if (len >= sizeof(name))
        len = sizeof(name) - 1;
    memcpy(name, arg, len);
    name[len] = '\0';
    if (cli_option_find(&option, name))
        return take_option(r, option, equals ? equals + 1 : NULL);
    if (!equals && find_negated(&option, name))
        return set_switch(r->values, option, "0", CLI_FROM_ARGV);
    return unknown_option(name, r->trouble);
}

static spv_err take_letters(argv_reader *r, const char *letters)
{
    for (const char *at = letters; *at; at++) {
        size_t i = 0;
        spv_err err = SPV_OK;

        while (i < CLI_OPTION_COUNT && specs[i].letter != *at)
            i++;
        if (i == CLI_OPTION_COUNT) {
            (void)cli_trouble(r->trouble, SPV_INVAL, "there is no option -%c",
                              *at);
            return cli_hint(r->trouble, "options are written out: see "
                                        "'spvclient --help'");
        }
        err = take_option(r, (cli_option)i, NULL);
        if (err != SPV_OK)
            return err;
    }
    return SPV_OK;
}

static bool is_operand(const char *arg)
{
    return arg[0] != '-' || arg[1] == '\0';
}

spv_err cli_values_parse(cli_values *v, int argc, char **argv,
                         const char **operands, size_t *n_operands,
                         spv_trouble *trouble)
{
    argv_reader r = {
        .values = v, .argv = argv, .argc = argc, .trouble = trouble};
    bool only_operands = false;
    spv_err err = SPV_OK;

    for (r.at = 1; r.at < argc && err == SPV_OK; r.at++) {
        const char *arg = argv[r.at];

        if (only_operands || is_operand(arg))
            operands[(*n_operands)++] = arg;
        else if (strcmp(arg, "--") == 0)
            only_operands = true;
        else if (arg[1] == '-')
            err = take_long(&r, arg + 2);
        else
            err = take_letters(&r, arg + 1);
    }
    return err;
}
