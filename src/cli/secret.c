#include "cli/secret.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <termios.h>
#include <unistd.h>
#ifdef __linux__
#    include <sys/prctl.h>
#endif

void cli_cleanse(void *secret, size_t len)
{
    volatile unsigned char *at = secret;

    while (len--)
        *at++ = 0;
}

/* Jansson's free() is not told a size, so each block begins with its own. */
typedef union block {
    size_t size;
    max_align_t align;
} block;

static void *document_alloc(size_t size)
{
    block *b = size < SIZE_MAX - sizeof(*b) ? malloc(sizeof(*b) + size) : NULL;

    if (!b)
        return NULL;
    b->size = size;
    return b + 1;
}

static void document_free(void *memory)
{
    block *b = memory;

    if (!b)
        return;
    b--;
    cli_cleanse(b + 1, b->size);
    free(b);
}

static char output[BUFSIZ];

void cli_secret_guard(void)
{
    const struct rlimit none = {0, 0};

    (void)setrlimit(RLIMIT_CORE, &none);
#ifdef __linux__
    /* A core that goes through a pipe heeds no limit; this it does. */
    (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
#endif
    json_set_alloc_funcs(document_alloc, document_free);
    (void)setvbuf(stdout, output, _IOFBF, sizeof(output));
}

void cli_secret_forget(void)
{
    cli_cleanse(output, sizeof(output));
}

spv_err cli_entropy(cli *c, void *out, size_t len)
{
    if (getentropy(out, len) != 0)
        return cli_fail(c, SPV_IO, "the system gives no entropy: %s",
                        strerror(errno));
    return SPV_OK;
}

/* ---- A line from a descriptor ---- */

/* A zero would end the text early, and half a passphrase opens another wallet
 * than the whole one. */
static spv_err refuse_zero(cli *c, const char *what, const char *where)
{
    (void)cli_fail(c, SPV_MALFORMED, "the %s from %s has a zero byte in it",
                   what, where);
    return cli_hint(&c->trouble, "it must be plain text in UTF-8");
}

/* Byte by byte, so that what follows the line stays unread. */
static spv_err read_line(cli *c, int fd, const char *what, const char *where,
                         char out[CLI_SECRET_MAX])
{
    size_t len = 0;
    char byte = 0;
    ssize_t got = 0;

    while ((got = read(fd, &byte, 1)) == 1 && byte != '\n') {
        if (len + 1 == CLI_SECRET_MAX)
            return cli_fail(c, SPV_LIMIT, "the %s is over %d bytes", what,
                            CLI_SECRET_MAX - 1);
        if (byte == '\0')
            return refuse_zero(c, what, where);
        out[len++] = byte;
    }
    if (got < 0 && errno == EINTR)
        return cli_fail(c, SPV_INTERRUPTED, "interrupted");
    if (got < 0)
        return cli_fail(c, SPV_IO, "cannot read the %s: %s", what,
                        strerror(errno));
    if (len && out[len - 1] == '\r')
        len--;
    out[len] = '\0';
    if (got == 0 && len == 0)
        return cli_fail(c, SPV_TRUNCATED, "%s holds no %s", where, what);
    return SPV_OK;
}

static spv_err read_file(cli *c, const char *path, const char *what,
                         char out[CLI_SECRET_MAX])
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    spv_err err = SPV_OK;

    if (fd < 0)
        return cli_fail(c, errno == ENOENT ? SPV_NOT_FOUND : SPV_IO,
                        "cannot read %s: %s", path, strerror(errno));
    err = read_line(c, fd, what, path, out);
    (void)close(fd);
    return err;
}

/* ---- A line from a terminal, unseen ---- */

/* What ends or stops a program from outside: never before its terminal shows
 * again what is typed. */
static const int wakers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP};
enum { WAKERS = sizeof(wakers) / sizeof(wakers[0]) };

static volatile sig_atomic_t woken_by;

static void wake_up(int number)
{
    woken_by = number;
}

typedef struct watch_kept {
    struct sigaction actions[WAKERS];
    sigset_t mask;
} watch_kept;

/* From here on the wakers only wake_up(), and only those who wait for it. */
static void begin_watch(watch_kept *before)
{
    const struct sigaction wake = {.sa_handler = wake_up};
    sigset_t all;

    woken_by = 0;
    (void)sigemptyset(&all);
    for (int i = 0; i < WAKERS; i++)
        (void)sigaddset(&all, wakers[i]);
    (void)sigprocmask(SIG_BLOCK, &all, &before->mask);
    for (int i = 0; i < WAKERS; i++)
        (void)sigaction(wakers[i], &wake, &before->actions[i]);
}

static void end_watch(const watch_kept *before)
{
    (void)sigprocmask(SIG_SETMASK, &before->mask, NULL);
    for (int i = 0; i < WAKERS; i++)
        (void)sigaction(wakers[i], &before->actions[i], NULL);
}

/* A terminal has something to read once its line is whole. */
static bool wait_for_line(int tty, const sigset_t *mask)
{
    fd_set ready;

    if (tty >= FD_SETSIZE)
        return true;
    FD_ZERO(&ready);
    FD_SET(tty, &ready);
    return pselect(tty + 1, &ready, NULL, NULL, NULL, mask) > 0;
}

static spv_err read_unseen(cli *c, int tty, const struct termios *shown,
                           const char *what, char out[CLI_SECRET_MAX])
{
    struct termios hidden = *shown;
    watch_kept before;
    spv_err err = SPV_OK;

    hidden.c_lflag &= ~(tcflag_t)ECHO;
    begin_watch(&before);
    (void)tcsetattr(tty, TCSAFLUSH, &hidden);
    (void)dprintf(tty, "%s: ", what);
    if (wait_for_line(tty, &before.mask))
        err = read_line(c, tty, what, "the terminal", out);
    (void)dprintf(tty, "\n");
    (void)tcsetattr(tty, TCSAFLUSH, shown);
    end_watch(&before);
    return woken_by ? cli_fail(c, SPV_INTERRUPTED, "interrupted") : err;
}

/* Stopped (Ctrl-Z), it stops, and asks again when it goes on. */
static spv_err ask_unseen(cli *c, int tty, const char *what,
                          char out[CLI_SECRET_MAX])
{
    struct termios shown;
    spv_err err = SPV_OK;

    if (tcgetattr(tty, &shown) != 0)
        return cli_fail(c, SPV_IO, "cannot hide what is typed: %s",
                        strerror(errno));
    do {
        err = read_unseen(c, tty, &shown, what, out);
        if (woken_by == SIGTSTP)
            (void)raise(SIGTSTP);
    } while (woken_by == SIGTSTP);
    return err;
}

/* What a secret is called, the options that say where it comes from, and what
 * it means that there is nowhere. */
typedef struct source {
    const char *what;
    cli_option from_stdin;
    cli_option from_file;
    spv_err lacking;
} source;

static const source mnemonic = {"mnemonic", CLI_MNEMONIC_STDIN,
                                CLI_MNEMONIC_FILE, SPV_INVAL};
static const source passphrase = {"passphrase", CLI_PASSPHRASE_STDIN,
                                  CLI_PASSPHRASE_FILE, SPV_INVAL};
static const source passphrase_if_any = {"passphrase (empty: none)",
                                         CLI_PASSPHRASE_STDIN,
                                         CLI_PASSPHRASE_FILE, SPV_INVAL};
static const source password = {"password", CLI_PASSWORD_STDIN,
                                CLI_PASSWORD_FILE, SPV_LOCKED};
static const source first_password = {"new password", CLI_PASSWORD_STDIN,
                                      CLI_PASSWORD_FILE, SPV_LOCKED};
static const source new_password = {"new password", CLI_NEW_PASSWORD_STDIN,
                                    CLI_NEW_PASSWORD_FILE, SPV_LOCKED};

static spv_err open_terminal(cli *c, const source *s, int *tty)
{
    *tty = isatty(STDIN_FILENO) ? open("/dev/tty", O_RDWR | O_CLOEXEC) : -1;
    if (*tty >= 0)
        return SPV_OK;
    (void)cli_fail(c, s->lacking, "there is no terminal to ask for the %s",
                   s->what);
    return cli_hint(&c->trouble, "pipe it in with --%s, or use --%s FILE",
                    cli_option_get(s->from_stdin)->name,
                    cli_option_get(s->from_file)->name);
}

/* How a secret is asked for on the terminal. */
typedef spv_err asker(cli *c, const source *s, char out[CLI_SECRET_MAX]);

static spv_err ask(cli *c, const source *s, char out[CLI_SECRET_MAX])
{
    int tty = -1;
    spv_err err = open_terminal(c, s, &tty);

    if (err != SPV_OK)
        return err;
    err = ask_unseen(c, tty, s->what, out);
    (void)close(tty);
    return err;
}

static spv_err ask_again(cli *c, int tty, const char *what,
                         const char first[CLI_SECRET_MAX])
{
    char again[CLI_SECRET_MAX];
    char prompt[32];
    spv_err err = SPV_OK;

    (void)snprintf(prompt, sizeof(prompt), "%s again", what);
    err = ask_unseen(c, tty, prompt, again);
    if (err == SPV_OK && strcmp(first, again) != 0)
        err = cli_fail(c, SPV_INVAL,
                       "the two are not the same: nothing was "
                       "changed");
    cli_cleanse(again, sizeof(again));
    return err;
}

/* What cannot be seen is typed twice, if nobody can tell whether it is right.
 */
static spv_err ask_twice(cli *c, const source *s, char out[CLI_SECRET_MAX])
{
    int tty = -1;
    spv_err err = open_terminal(c, s, &tty);

    if (err != SPV_OK)
        return err;
    err = ask_unseen(c, tty, s->what, out);
    if (err == SPV_OK && !*out)
        err = cli_fail(c, SPV_INVAL, "an empty %s would protect nothing",
                       s->what);
    if (err == SPV_OK)
        err = ask_again(c, tty, s->what, out);
    (void)close(tty);
    return err;
}

/* ---- Which of them ---- */

static bool is_named(const cli *c, const source *s)
{
    return cli_on(c, s->from_stdin) || cli_text(c, s->from_file);
}

/* Standard input that is a terminal shows what is typed: there it is asked for
 * unseen, whether or not an option names it. */
static bool is_typed(const cli *c, const source *s)
{
    return !cli_text(c, s->from_file) &&
           (!cli_on(c, s->from_stdin) || isatty(STDIN_FILENO));
}

static spv_err read_source(cli *c, const source *s, asker *by_hand,
                           char out[CLI_SECRET_MAX])
{
    spv_err err = SPV_OK;

    if (cli_on(c, s->from_stdin) && cli_text(c, s->from_file))
        return cli_fail(c, SPV_INVAL, "--%s and --%s exclude each other",
                        cli_option_get(s->from_stdin)->name,
                        cli_option_get(s->from_file)->name);
    if (is_typed(c, s))
        return by_hand(c, s, out);
    err = cli_on(c, s->from_stdin)
              ? read_line(c, STDIN_FILENO, s->what, "standard input", out)
              : read_file(c, cli_text(c, s->from_file), s->what, out);
    if (err == SPV_TRUNCATED && s->lacking == SPV_LOCKED)
        c->trouble.code = err = SPV_LOCKED;
    return err;
}

spv_err cli_secret_mnemonic(cli *c, cli_secrets *out)
{
    return read_source(c, &mnemonic, ask, out->mnemonic);
}

spv_err cli_secret_passphrase(cli *c, cli_secrets *out)
{
    if (is_named(c, &passphrase))
        return read_source(c, &passphrase, ask, out->passphrase);
    return is_typed(c, &mnemonic) ? ask(c, &passphrase_if_any, out->passphrase)
                                  : SPV_OK;
}

spv_err cli_secret_new_passphrase(cli *c, cli_secrets *out)
{
    return is_named(c, &passphrase)
               ? read_source(c, &passphrase, ask_twice, out->passphrase)
               : SPV_OK;
}

spv_err cli_secret_password(cli *c, char out[CLI_SECRET_MAX])
{
    return read_source(c, &password, ask, out);
}

spv_err cli_secret_new_password(cli *c, bool first, char out[CLI_SECRET_MAX])
{
    const source *s = &new_password;

    if (first && is_named(c, &first_password) && is_named(c, s))
        return cli_fail(c, SPV_INVAL,
                        "the wallet is not encrypted yet: it has "
                        "no old password, only a new one");
    if (first && !is_named(c, s))
        s = &first_password;
    return read_source(c, s, ask_twice, out);
}
