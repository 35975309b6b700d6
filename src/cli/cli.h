#ifndef SPV_CLI_CLI_H
#define SPV_CLI_CLI_H

#include <stdbool.h>
#include <stdio.h>

#include <jansson.h>

#include <spv/client.h>

#include "cli/options.h"
#include "cli/trouble.h"

/*
 * One run of the program: what it was asked, and how it answers.
 *
 *     argv, environment, file -> settings -> command -> document -> stdout
 *
 * A command fills in a JSON document; --json prints it as it is, and people
 * get the same values as text. So the two cannot say different things.
 */

typedef struct cli_command cli_command;

/** What is told on the side, and how much of it. */
typedef enum cli_level {
    CLI_ERROR,
    CLI_WARN, /* something may be wrong */
    CLI_NOTE, /* all is well, and a person should know this */
    CLI_INFO,
    CLI_DEBUG
} cli_level;

typedef struct cli {
    cli_values values;
    const spv_network *network;
    char *datadir; /* owned; NULL when there is none by default */
    const cli_command *command;
    const char **words; /* owned array: all operands, the command's too */
    size_t n_words;
    const char *const *args; /* operands after the command */
    size_t n_args;
    bool json;
    bool by_line; /* the command prints by itself, a document a line */
    cli_level level;
    FILE *log; /* stderr or --log-file */
    spv_trouble trouble;
    spv_client *made; /* owned: taken back if its making cannot be told */
    int verdict;      /* exit code of an answer that was given, and is a no */
    const char *rule; /* of a proof, that was broken; or NULL. Static */
} cli;

/** Work out every setting; the trouble is in `c`. */
spv_err cli_settle(cli *c, int argc, char **argv);

/** Free everything. */
void cli_clear(cli *c);

/** Fail: the sentence goes to `c->trouble`; returns `code`. */
CLI_PRINTF(3, 4)
spv_err cli_fail(cli *c, spv_err code, const char *format, ...);

/** Fail with the words of `code` alone. */
spv_err cli_fail_plain(cli *c, spv_err code);

/** Tell something on the side, never on standard output: a line that says
 * "spvclient: note: ..." or whatever its level is. */
CLI_PRINTF(3, 4)
void cli_say(const cli *c, cli_level level, const char *format, ...);

/** Whether `stream` is to be written in color. */
bool cli_has_color(const cli *c, FILE *stream);

/* Shorthands for the values of options. */
const char *cli_text(const cli *c, cli_option option);
bool cli_on(const cli *c, cli_option option);

/** A whole number from `least` to `most`, or `otherwise` if not given. */
spv_err cli_number(cli *c, cli_option option, uint64_t least, uint64_t most,
                   uint64_t otherwise, uint64_t *out);

/** Read decimal digits and nothing else; false also when over `most`. */
bool cli_parse_number(uint64_t *out, const char *text, uint64_t most);

#endif
