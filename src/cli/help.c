#include "cli/help.h"

#include <string.h>

#include "cli/commands.h"
#include "cli/text.h"

/*
 * Help is a document like any other: what commands and options there are.
 * With --json it is what a test compares the manual with.
 */
enum { WIDTH = 78 };

/* ---- The document ---- */

static json_t *option_doc(cli_option option)
{
    const cli_option_spec *spec = cli_option_get(option);
    char letter[2] = {spec->letter, '\0'};

    return json_pack("{s:s, s:s?, s:s?, s:s}", "name", spec->name, "letter",
                     spec->letter ? letter : NULL, "value", spec->value, "help",
                     spec->help);
}

static json_t *options_doc(uint64_t own, bool global)
{
    json_t *list = json_array();

    for (size_t i = 0; i < CLI_OPTION_COUNT; i++) {
        cli_option option = (cli_option)i;
        unsigned traits = cli_option_get(option)->traits;
        bool wanted =
            global ? (traits & CLI_GLOBAL) != 0 : cli_option_is_in(own, option);

        if (wanted && cli_option_is_shown(option))
            (void)json_array_append_new(list, option_doc(option));
    }
    return list;
}

static json_t *command_doc(const cli_command *command)
{
    char name[40];

    cli_command_name(name, sizeof(name), command);
    return json_pack(
        "{s:s, s:s?, s:s, s:s?, s:s, s:s?, s:o}", "name", name, "alias",
        command->alias, "arguments", command->args ? command->args : "",
        "needs", command->needs, "help", command->help, "more", command->more,
        "options", options_doc(command->options, false));
}

/* All commands, those of a noun, or one. */
static json_t *commands_doc(const char *noun, const cli_command *only)
{
    json_t *list = json_array();

    for (const cli_command *k = cli_commands; k->noun; k++)
        if (only ? k == only : !noun || strcmp(k->noun, noun) == 0)
            (void)json_array_append_new(list, command_doc(k));
    return list;
}

/* "help address" is about everything of that noun. */
static const cli_command *asked_about(const cli *c)
{
    size_t used = 0;
    const cli_command *found = cli_command_find(c->words, c->n_words, &used);
    bool noun_alone =
        found && c->n_words == 1 && strcmp(found->noun, c->words[0]) == 0;

    return noun_alone ? NULL : found;
}

spv_err cli_help(cli *c, json_t **doc)
{
    const char *noun = c->n_words ? c->words[0] : NULL;
    json_t *list = commands_doc(noun, asked_about(c));

    if (noun && json_array_size(list) == 0) {
        json_decref(list);
        return cli_command_choose(c); /* which says what is wrong with it */
    }
    *doc = json_pack("{s:s, s:b, s:o, s:o}", "usage",
                     "spvclient [OPTION...] COMMAND [ARGUMENT...]", "whole",
                     !noun, "commands", list, "options", options_doc(0, true));
    return SPV_OK;
}

spv_err cli_version(cli *c, json_t **doc)
{
    (void)c;
    *doc = json_pack("{s:s, s:s}", "name", "spvclient", "version", SPV_VERSION);
    return SPV_OK;
}

/* ---- For people ---- */

void cli_version_text(const cli *c, const json_t *doc)
{
    (void)c;
    (void)printf("spvclient %s\n", cli_doc_text(doc, "version"));
}

/* A paragraph, broken between words. */
static void print_wrapped(const char *text, int indent)
{
    int column = 0;

    while (*text) {
        int len = (int)strcspn(text, " ");

        if (column && column + 1 + len > WIDTH) {
            (void)putchar('\n');
            column = 0;
        }
        if (column)
            (void)putchar(' ');
        else
            (void)printf("%*s", indent, "");
        column += (column ? 1 : indent) + len;
        (void)printf("%.*s", len, text);
        text += len;
        text += strspn(text, " ");
    }
    (void)putchar('\n');
}

static void print_option(const json_t *option)
{
    const char *letter = json_string_value(json_object_get(option, "letter"));
    const char *value = json_string_value(json_object_get(option, "value"));
    char left[48];

    (void)snprintf(left, sizeof(left), "%s%s--%s%s%s", letter ? "-" : "",
                   letter ? letter : "", cli_doc_text(option, "name"),
                   value ? " " : "", value ? value : "");
    if (letter) /* "-h, --help" */
        (void)snprintf(left, sizeof(left), "-%s, --%s", letter,
                       cli_doc_text(option, "name"));
    (void)printf("  %-24s %s\n", left, cli_doc_text(option, "help"));
}

static void print_options(const json_t *options, const char *title)
{
    size_t i = 0;
    const json_t *option = NULL;

    if (json_array_size(options))
        (void)printf("\n%s:\n", title);
    json_array_foreach(options, i, option) print_option(option);
}

/* What a command and those behind it are about; NULL: as the one before. */
static const char *heading_of(const char *name)
{
    static const char *const headings[][2] = {
        {"wallet create", "wallet"},
        {"sync", "network"},
        {"balance", "money"},
        {"filter size", "filters"},
        {"decode tx", "bytes from anywhere"},
        {"conform", "for implementers"},
    };

    for (size_t i = 0; i < sizeof(headings) / sizeof(headings[0]); i++)
        if (strcmp(headings[i][0], name) == 0)
            return headings[i][1];
    return NULL;
}

static void print_command_line(const json_t *command)
{
    const char *heading = heading_of(cli_doc_text(command, "name"));

    if (heading)
        (void)printf("\n %s\n", heading);
    (void)printf("  %-18s  %s\n", cli_doc_text(command, "name"),
                 cli_doc_text(command, "help"));
}

static void print_command(const json_t *command, bool first)
{
    const char *args = cli_doc_text(command, "arguments");
    const char *alias = json_string_value(json_object_get(command, "alias"));
    const char *more = json_string_value(json_object_get(command, "more"));
    const char *needs = json_string_value(json_object_get(command, "needs"));

    (void)printf("%sspvclient %s%s%s%s%s%s\n", first ? "" : "\n",
                 cli_doc_text(command, "name"), needs ? " " : "",
                 needs ? needs : "", *args ? " " : "", args,
                 json_array_size(json_object_get(command, "options"))
                     ? " [OPTION...]"
                     : "");
    print_wrapped(cli_doc_text(command, "help"), 4);
    if (alias)
        (void)printf("    short: spvclient %s\n", alias);
    if (more) {
        (void)putchar('\n');
        print_wrapped(more, 4);
    }
    print_options(json_object_get(command, "options"), "  options");
}

void cli_help_text(const cli *c, const json_t *doc)
{
    bool whole = json_is_true(json_object_get(doc, "whole"));
    size_t i = 0;
    const json_t *command = NULL;

    (void)c;
    if (whole)
        (void)printf("usage: %s\n\nAn SPV Bitcoin client over BIP 37.\n\n"
                     "commands ('spvclient help COMMAND' tells more):\n",
                     cli_doc_text(doc, "usage"));
    json_array_foreach(json_object_get(doc, "commands"), i, command)
    {
        if (whole)
            print_command_line(command);
        else
            print_command(command, i == 0);
    }
    if (whole) {
        print_options(json_object_get(doc, "options"),
                      "options, before or after the command");
        (void)printf(
            "\nA switch is turned off with --no-NAME, as in --no-json. "
            "All but --version and --help\ncan also stand in the settings "
            "file (json=1) or the environment (SPVCLIENT_JSON=1); what\n"
            "one command alone takes cannot.\n");
    } else {
        (void)printf("\nOptions of every command: spvclient --help\n");
    }
}
