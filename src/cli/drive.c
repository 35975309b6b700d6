#include "cli/drive.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/secret.h"

enum { UNTIL_MAX = 10000000, TIMEOUT_MAX = 31536000 };

/* A whole block of the main chain is about a megabyte, a filtered one about a
 * kilobyte: one in a thousand as much as doubles what is received. */
static const double AUDIT_RATE = 0.001;

/* ---- Options ---- */

static void tell_repeated(const cli *c, const cli_value *connect)
{
    for (size_t i = 0; i < connect->n; i++)
        for (size_t k = 0; k < i; k++)
            if (strcmp(connect->texts[i], connect->texts[k]) == 0) {
                cli_say(c, CLI_NOTE,
                        "a node that is named more than once is connected to "
                        "once");
                return;
            }
}

static bool names_several(const cli_value *connect)
{
    for (size_t i = 1; i < connect->n; i++)
        if (strcmp(connect->texts[i], connect->texts[0]) != 0)
            return true;
    return false;
}

/* A block is audited by another node than filtered it; when none is named,
 * several are found. */
static spv_err read_audit_rate(cli *c, double *rate)
{
    const char *text = cli_text(c, CLI_AUDIT);
    const cli_value *connect = &c->values.of[CLI_CONNECT];
    bool several = connect->n == 0 || names_several(connect);
    char *end = NULL;

    *rate = several ? AUDIT_RATE : 0;
    if (!text)
        return SPV_OK;
    *rate = strtod(text, &end);
    if (end == text || *end != '\0' || !(*rate >= 0 && *rate <= 1))
        return cli_fail(c, SPV_INVAL,
                        "--audit is a number from 0 to 1, not '%s'", text);
    if (*rate > 0 && !several)
        cli_say(c, CLI_NOTE,
                "nothing can be audited with one node: name another, too");
    return SPV_OK;
}

spv_err cli_run_options(cli *c, spv_sync_options *o)
{
    const cli_value *connect = &c->values.of[CLI_CONNECT];
    uint64_t until = 0;
    uint64_t timeout = 0;
    spv_err err = cli_number(c, CLI_UNTIL, 1, UNTIL_MAX, 0, &until);

    if (err == SPV_OK)
        err = cli_number(c, CLI_TIMEOUT, 1, TIMEOUT_MAX, 0, &timeout);
    if (err == SPV_OK)
        err = read_audit_rate(c, &o->audit_rate);
    if (err == SPV_OK)
        err = cli_entropy(c, &o->seed, sizeof(o->seed));
    tell_repeated(c, connect);
    o->connect = (const char *const *)connect->texts;
    o->n_connect = connect->n;
    o->until = (int32_t)until;
    o->timeout_s = (uint32_t)timeout;
    o->unix_time = (int64_t)time(NULL);
    return err;
}

/* ---- The run ---- */

/* For whoever stops it alone; set while the reactor may be stopped. */
static spv_reactor *volatile running;

void cli_drive_stop(void)
{
    if (running)
        spv_reactor_stop(running);
}

static void on_signal(int number)
{
    (void)number;
    cli_drive_stop();
}

/* The first Ctrl-C ends the run in good order, the second the program. */
static void listen_to_signals(spv_reactor *reactor)
{
    const struct sigaction on = {.sa_handler = on_signal,
                                 .sa_flags = (int)SA_RESETHAND};
    const struct sigaction off = {.sa_handler = SIG_DFL};
    static const int signals[] = {SIGINT, SIGTERM};

    running = reactor;
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
        (void)sigaction(signals[i], reactor ? &on : &off, NULL);
}

spv_err cli_drive_reactor(spv_reactor *reactor)
{
    spv_err err;

    listen_to_signals(reactor);
    err = spv_reactor_run(reactor);
    listen_to_signals(NULL);
    return err;
}

spv_err cli_drive(const spv_machine *face, void *self)
{
    spv_reactor *reactor = NULL;
    spv_err err = spv_reactor_new(&reactor, face, self);

    if (err == SPV_OK)
        err = cli_drive_reactor(reactor);
    spv_reactor_free(reactor);
    return err;
}
