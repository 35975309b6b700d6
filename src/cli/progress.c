#include "cli/progress.h"

#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
    DRAW_MS = 100,
    REDRAW_MS = 1000,
    LINE_MAX_LEN = 160,
    BAR = 20,
    BAR_LEAST = 4,
    PHASE = 10
};

/* ---- The line ---- */

typedef struct picture {
    const char *phase;
    int32_t height;
    int32_t target;
    double per_s; /* blocks; 0: unknown */
    double done;  /* 0 to 1 */
    double mb;
    size_t peers;
} picture;

static double fraction(int32_t from, int32_t at, int32_t to)
{
    if (to <= from)
        return 1;
    return at <= from ? 0 : at >= to ? 1 : (double)(at - from) / (to - from);
}

static void begin_blocks(cli_progress *p, const spv_sync_report *r,
                         spv_time now)
{
    if (p->in_blocks)
        return;
    p->in_blocks = true;
    p->blocks_at = now;
    p->blocks_from = r->height;
}

static picture look(cli_progress *p, spv_time now)
{
    spv_sync_report r;
    picture s = {.phase = "connecting"};

    spv_client_report(p->client, &r);
    s.mb = (double)r.bytes_received / 1e6;
    s.peers = r.n_peers;
    switch (r.phase) {
    case SPV_PHASE_CONNECT:
        return s;
    case SPV_PHASE_HEADERS:
        s.phase = "headers";
        s.height = r.headers;
        s.target = r.headers_goal > r.headers ? r.headers_goal : r.headers;
        s.done = fraction(0, s.height, s.target);
        return s;
    case SPV_PHASE_BLOCKS:
    case SPV_PHASE_SYNCED:
        begin_blocks(p, &r, now);
        s.phase = r.phase == SPV_PHASE_SYNCED ? "synced" : "blocks";
        s.height = r.height;
        s.target = p->until && p->until < r.headers ? p->until : r.headers;
        s.done = fraction(r.start_height, r.height, s.target);
        if (now > p->blocks_at)
            s.per_s = (double)(r.height - p->blocks_from) * 1000 /
                      (double)(now - p->blocks_at);
        return s;
    }
    return s;
}

static void format_eta(char *out, size_t size, const picture *s)
{
    double left = s->per_s > 0 ? (s->target - s->height) / s->per_s : -1;

    out[0] = '\0';
    if (left < 0 || left > 100 * 3600)
        return;
    if (left >= 3600)
        (void)snprintf(out, size, "  ETA %dh%02dm", (int)(left / 3600),
                       (int)(left / 60) % 60);
    else
        (void)snprintf(out, size, "  ETA %d:%02d", (int)(left / 60),
                       (int)left % 60);
}

/* As long a bar as there is room for, with a space behind; none if too short
 * to say anything. */
static void format_bar(char out[BAR + 4], size_t room, double done)
{
    int cells = room >= BAR + 3 ? BAR : (int)room - 3;
    int full = (int)(done * cells);

    out[0] = '\0';
    if (cells < BAR_LEAST)
        return;
    out[0] = '[';
    for (int i = 0; i < cells; i++)
        out[1 + i] = i < full ? '#' : '.';
    memcpy(out + 1 + cells, "] ", sizeof("] "));
}

/* 100 % is only said when it is so, and no height before one is known. */
static void format_rest(char *out, size_t size, const picture *s)
{
    char eta[32];
    char place[64] = "";
    char rate[32] = "";

    format_eta(eta, sizeof(eta), s);
    if (s->target > 0)
        (void)snprintf(place, sizeof(place), "%d%%  %d/%d  ",
                       (int)(s->done * 100), s->height, s->target);
    if (s->per_s > 0)
        (void)snprintf(rate, sizeof(rate), "%.0f blocks/s  ", s->per_s);
    (void)snprintf(out, size, "%s%s%.1f MB  %zu peer%s%s", place, rate, s->mb,
                   s->peers, s->peers == 1 ? "" : "s", eta);
}

static void format_line(char *out, size_t size, size_t width, const picture *s)
{
    char rest[LINE_MAX_LEN];
    char bar[BAR + 4];
    size_t taken = 0;

    format_rest(rest, sizeof(rest), s);
    taken = PHASE + 1 + strlen(rest);
    format_bar(bar, width > taken ? width - taken : 0, s->done);
    (void)snprintf(out, size, "%-*s %s%s", PHASE, s->phase, bar, rest);
}

static size_t terminal_width(void)
{
    struct winsize size;

    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return 80;
    return size.ws_col;
}

static void draw(cli_progress *p, spv_time now)
{
    char line[LINE_MAX_LEN];
    picture s = look(p, now);
    size_t width = terminal_width();

    format_line(line, sizeof(line), width - 1, &s);
    if (strlen(line) >= width)
        line[width - 1] = '\0';
    (void)fprintf(stderr, "\r%s%s%s\033[K", p->color ? "\033[36m" : "", line,
                  p->color ? "\033[0m" : "");
    (void)fflush(stderr);
    p->drawn = true;
    p->drawn_at = now;
}

void cli_progress_wipe(cli_progress *p)
{
    if (!p->drawn)
        return;
    (void)fputs("\r\033[K", stderr);
    (void)fflush(stderr);
    p->drawn = false;
}

void cli_progress_warn(void *ctx, const char *line)
{
    cli_progress *p = ctx;

    cli_progress_wipe(p);
    cli_say(p->c, CLI_WARN, "%s", line);
}

static void tick(cli_progress *p, spv_time now)
{
    if (cli_sync_log_has_news(&p->log)) {
        cli_progress_wipe(p);
        cli_sync_log_tell(&p->log);
    }
    if (p->shown && (!p->drawn || now - p->drawn_at >= DRAW_MS))
        draw(p, now);
}

void cli_progress_init(cli_progress *p, const cli *c, spv_client *client,
                       int32_t until)
{
    *p = (cli_progress){.c = c,
                        .client = client,
                        .until = until,
                        .shown = c->level >= CLI_WARN && isatty(STDERR_FILENO),
                        .color = cli_has_color(c, stderr)};
    cli_sync_log_init(&p->log, c, client);
}

/* ---- The machine in between ---- */

static void opened(void *self, spv_conn conn, spv_time now)
{
    cli_progress *p = self;

    spv_client_machine()->opened(p->client, conn, now);
    tick(p, now);
}

static void received(void *self, spv_conn conn, const uint8_t *bytes,
                     size_t len, spv_time now)
{
    cli_progress *p = self;

    spv_client_machine()->received(p->client, conn, bytes, len, now);
    tick(p, now);
}

static void closed(void *self, spv_conn conn, spv_err why, spv_time now)
{
    cli_progress *p = self;

    spv_client_machine()->closed(p->client, conn, why, now);
    tick(p, now);
}

static void resolved(void *self, spv_conn conn, const spv_netaddr *addrs,
                     size_t n, spv_time now)
{
    cli_progress *p = self;

    spv_client_machine()->resolved(p->client, conn, addrs, n, now);
    tick(p, now);
}

static void elapsed(void *self, spv_time now)
{
    cli_progress *p = self;
    spv_time due = spv_client_machine()->deadline(p->client);

    /* The line may have asked for this call, and the client not. */
    if (now >= due)
        spv_client_machine()->elapsed(p->client, now);
    tick(p, now);
}

static bool next(void *self, spv_out *out)
{
    cli_progress *p = self;

    return spv_client_machine()->next(p->client, out);
}

static spv_time deadline(const void *self)
{
    const cli_progress *p = self;
    spv_time first = spv_client_machine()->deadline(p->client);
    spv_time redraw = p->drawn_at + REDRAW_MS;

    return p->shown && p->drawn && redraw < first ? redraw : first;
}

const spv_machine *cli_progress_machine(void)
{
    static const spv_machine face = {.opened = opened,
                                     .received = received,
                                     .closed = closed,
                                     .resolved = resolved,
                                     .elapsed = elapsed,
                                     .next = next,
                                     .deadline = deadline};

    return &face;
}
