#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/advice.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/secret.h"
#include "cli/text.h"

/* ---- Failure ---- */

/* As promised: {"error":{"code","name","message","hint"}}, and "rule". */
static void print_error_json(const cli *c)
{
    const spv_trouble *t = &c->trouble;
    char hint[CLI_SAID_MAX];
    json_t *doc = NULL;

    cli_advice(c, hint, t->hint);
    doc = json_pack("{s:{s:i, s:s, s:s, s:s?, s:s*}}", "error", "code",
                    cli_exit_code(t->code), "name", spv_err_name(t->code),
                    "message", t->text, "hint", hint[0] ? hint : NULL, "rule",
                    c->rule);

    if (doc && c->by_line)
        cli_print_json_line(doc);
    else if (doc)
        cli_print_json(doc);
    else
        (void)puts("{\"error\": {\"code\": 1, \"name\": \"NOMEM\", "
                   "\"message\": \"out of memory\", \"hint\": null}}");
    json_decref(doc);
}

static void print_error_text(const cli *c)
{
    bool color = cli_has_color(c, stderr);
    char hint[CLI_SAID_MAX];

    cli_advice(c, hint, c->trouble.hint);
    (void)fprintf(stderr, "%sspvclient: %s%s\n", color ? "\033[1;31m" : "",
                  color ? "\033[0m" : "", c->trouble.text);
    if (hint[0])
        (void)fprintf(stderr, "  %s\n", hint);
}

/* ---- Answer ---- */

typedef struct answer {
    cli_run *run;
    cli_show *show;
} answer;

/* "help COMMAND" is "COMMAND --help". */
static bool take_help_word(cli *c)
{
    if (c->n_words == 0 || strcmp(c->words[0], "help") != 0)
        return false;
    c->n_words--;
    memmove(c->words, c->words + 1, c->n_words * sizeof(*c->words));
    return true;
}

static spv_err choose(cli *c, answer *out)
{
    spv_err err = SPV_OK;

    if (cli_on(c, CLI_VERSION)) {
        *out = (answer){cli_version, cli_version_text};
        return SPV_OK;
    }
    if (take_help_word(c) || cli_on(c, CLI_HELP)) {
        *out = (answer){cli_help, cli_help_text};
        return SPV_OK;
    }
    err = cli_command_choose(c);
    if (err == SPV_OK)
        *out = (answer){c->command->run, c->command->show};
    return err;
}

/* A wallet whose words were not shown is of use to nobody. */
static void take_back_wallet(cli *c)
{
    if (!c->made)
        return;
    spv_client_take_back(c->made);
    c->made = NULL;
    (void)cli_hint(&c->trouble, "the wallet was taken back: there is none");
}

static spv_err answer_command(cli *c)
{
    answer a = {0};
    json_t *doc = NULL;
    spv_err err = choose(c, &a);

    if (err == SPV_OK)
        err = a.run(c, &doc);
    if (err == SPV_OK && !doc && !c->by_line)
        err = cli_fail_plain(c, SPV_NOMEM);
    if (err == SPV_OK && doc) {
        if (c->json || !a.show)
            cli_print_json(doc);
        else
            a.show(c, doc);
    }
    json_decref(doc);
    if (err != SPV_OK)
        take_back_wallet(c);
    return err;
}

/* Whoever reads through a pipe may have seen enough ("| head"). */
static bool has_reader(void)
{
    struct pollfd out = {.fd = STDOUT_FILENO};

    return poll(&out, 1, 0) != 1 || !(out.revents & POLLERR);
}

/* What could not be written was not answered. */
static spv_err close_output(cli *c, spv_err err)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return err;
    if (!c->made && !has_reader())
        return err == SPV_OK ? SPV_IO : err;
    if (err == SPV_OK)
        (void)cli_fail(c, SPV_IO, "cannot write to standard output: %s",
                       errno ? strerror(errno) : spv_err_text(SPV_IO));
    take_back_wallet(c);
    print_error_text(c);
    return c->trouble.code;
}

/* ---- Surroundings ---- */

/* A standard descriptor that is closed would go to the next file opened, and
 * what is meant for standard error be written into that. What stands in for it
 * refuses to be read or written, as a closed one does. */
static void fill_standard_descriptors(void)
{
    static const int unusable[] = {
        [STDIN_FILENO] = O_WRONLY,
        [STDOUT_FILENO] = O_RDONLY,
        [STDERR_FILENO] = O_RDONLY,
    };

    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            (void)open("/dev/null", unusable[fd]);
}

/* A write that cannot be done fails, and that is reported. */
static void ignore_signals_of_writes(void)
{
    (void)signal(SIGPIPE, SIG_IGN);
#ifdef SIGXFSZ
    (void)signal(SIGXFSZ, SIG_IGN);
#endif
}

int main(int argc, char **argv)
{
    cli c;
    spv_err err = SPV_OK;

    fill_standard_descriptors();
    ignore_signals_of_writes();
    err = cli_settle(&c, argc, argv);
    if (err == SPV_OK)
        err = answer_command(&c);
    cli_trouble_make_text(&c.trouble);
    if (err != SPV_OK && c.json)
        print_error_json(&c);
    else if (err != SPV_OK)
        print_error_text(&c);
    err = close_output(&c, err);
    cli_secret_forget();
    cli_clear(&c);
    return err == SPV_OK ? c.verdict : cli_exit_code(err);
}
