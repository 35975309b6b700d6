#include "cli/tally.h"

#include <inttypes.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DRAW_MS = 100, LINE_MAX_LEN = 160, BAR = 20 };

static double seconds_between(const struct timespec *a,
                              const struct timespec *b)
{
    return (double)(b->tv_sec - a->tv_sec) +
           (double)(b->tv_nsec - a->tv_nsec) / 1e9;
}

/* Lines typed by hand need no bar. */
void cli_tally_begin(cli_tally *t, const cli *c, const char *doing)
{
    struct stat input;
    bool shown = doing && c->level >= CLI_WARN && isatty(STDERR_FILENO) &&
                 !isatty(STDIN_FILENO);

    *t = (cli_tally){.doing = shown ? doing : NULL,
                     .color = cli_has_color(c, stderr)};
    if (fstat(STDIN_FILENO, &input) == 0 && S_ISREG(input.st_mode) &&
        input.st_size > 0)
        t->total = (uint64_t)input.st_size;
    (void)clock_gettime(CLOCK_MONOTONIC, &t->began);
    t->drawn_at = t->began;
}

/* "12.3 M": three or four figures are enough for an eye. */
static void format_count(char out[24], double n)
{
    static const char *const units[] = {"", " k", " M", " G"};
    size_t i = 0;

    for (; n >= 1000 && i < 3; i++)
        n /= 1000;
    (void)snprintf(out, 24, i ? "%.1f%s" : "%.0f%s", n, units[i]);
}

static void format_bar(char *out, size_t size, double done)
{
    char bar[BAR + 1];

    memset(bar, '.', BAR);
    memset(bar, '#', (size_t)(done * BAR));
    bar[BAR] = '\0';
    (void)snprintf(out, size, "[%s] %d%%  ", bar, (int)(done * 100));
}

static void format_line(char out[LINE_MAX_LEN], const cli_tally *t, double s)
{
    char lines[24];
    char pace[24];
    char bar[BAR + 16] = "";
    char eta[32] = "";
    double done = t->total ? (double)t->bytes / (double)t->total : 0;

    format_count(lines, (double)t->lines);
    format_count(pace, (double)t->lines / s);
    if (t->total && done <= 1) {
        double left = done > 0 ? s * (1 - done) / done : 0;

        format_bar(bar, sizeof(bar), done);
        (void)snprintf(eta, sizeof(eta), "  ETA %d:%02d", (int)left / 60,
                       (int)left % 60);
    }
    (void)snprintf(out, LINE_MAX_LEN, "%s  %s%s lines  %s lines/s%s", t->doing,
                   bar, lines, pace, eta);
}

static size_t terminal_width(void)
{
    struct winsize size;

    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return 80;
    return size.ws_col;
}

static void draw(cli_tally *t, double s)
{
    char line[LINE_MAX_LEN];
    size_t width = terminal_width();

    format_line(line, t, s);
    if (strlen(line) >= width)
        line[width - 1] = '\0';
    (void)fprintf(stderr, "\r%s%s%s\033[K", t->color ? "\033[36m" : "", line,
                  t->color ? "\033[0m" : "");
    (void)fflush(stderr);
    t->drawn = true;
}

void cli_tally_add(cli_tally *t, uint64_t lines, uint64_t bytes)
{
    struct timespec now;

    t->lines += lines;
    t->bytes += bytes;
    if (!t->doing)
        return;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    if (seconds_between(&t->drawn_at, &now) * 1000 < DRAW_MS)
        return;
    t->drawn_at = now;
    draw(t, seconds_between(&t->began, &now));
}

void cli_tally_end(cli_tally *t)
{
    if (!t->drawn)
        return;
    (void)fputs("\r\033[K", stderr);
    (void)fflush(stderr);
    t->drawn = false;
}
