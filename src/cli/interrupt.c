#include "cli/interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
enum { SIGNALS = sizeof(signals) / sizeof(signals[0]) };

static struct sigaction before[SIGNALS];
static volatile sig_atomic_t told;
static const char *volatile doomed;

static void tell(int number)
{
    (void)number;
    if (!told) {
        told = 1;
        return;
    }
    if (doomed)
        (void)unlink(doomed);
    _exit(cli_exit_code(SPV_INTERRUPTED));
}

/* Without SA_RESTART: a read that waits for input is to end as well. */
void cli_interrupt_begin(void)
{
    struct sigaction listen = {.sa_handler = tell};

    told = 0;
    (void)sigemptyset(&listen.sa_mask);
    for (size_t i = 0; i < SIGNALS; i++)
        (void)sigaddset(&listen.sa_mask, signals[i]);
    for (size_t i = 0; i < SIGNALS; i++) {
        (void)sigaction(signals[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN)
            (void)sigaction(signals[i], &listen, NULL);
    }
}

void cli_interrupt_end(void)
{
    for (size_t i = 0; i < SIGNALS; i++)
        (void)sigaction(signals[i], &before[i], NULL);
    doomed = NULL;
}

void cli_interrupt_takes(const char *path)
{
    doomed = path;
}

bool cli_interrupt_seen(void)
{
    return told != 0;
}

spv_err cli_interrupt_check(cli *c)
{
    return told ? cli_fail(c, SPV_INTERRUPTED,
                           "interrupted: nothing was written")
                : SPV_OK;
}
