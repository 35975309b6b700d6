#include "cli/progress.h"

#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { DRAW_MS = 100, REDRAW_MS = 1000, LINE_MAX_LEN = 160, BAR = 20 };

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
        s.target = r.headers;
        s.done = fraction(r.start_height, r.height, r.headers);
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

static void format_bar(char out[BAR + 1], double done)
{
    int full = (int)(done * BAR);

    for (int i = 0; i < BAR; i++)
        out[i] = i < full ? '#' : '.';
    out[BAR] = '\0';
}

static void format_line(char *out, size_t size, const picture *s)
{
    char bar[BAR + 1];
    char eta[32];
    char rate[32] = "";

    format_bar(bar, s->done);
    format_eta(eta, sizeof(eta), s);
    if (s->per_s > 0)
        (void)snprintf(rate, sizeof(rate), "  %.0f blocks/s", s->per_s);
    /* 100 % is only said when it is so. */
    (void)snprintf(out, size,
                   "%-10s [%s] %3d%%  %d/%d%s  %.1f MB  %zu peer%s%s", s->phase,
                   bar, (int)(s->done * 100), s->height, s->target, rate, s->mb,
                   s->peers, s->peers == 1 ? "" : "s", eta);
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

    format_line(line, sizeof(line), &s);
    if (width > 1 && strlen(line) >= width)
        line[width - 1] = '\0';
    (void)fprintf(stderr, "\r%s%s%s\033[K", p->color ? "\033[36m" : "", line,
                  p->color ? "\033[0m" : "");
    (void)fflush(stderr);
    p->drawn = true;
    p->drawn_at = now;
}

static void tick(cli_progress *p, spv_time now)
{
    if (p->shown && (!p->drawn || now - p->drawn_at >= DRAW_MS))
        draw(p, now);
}

void cli_progress_wipe(cli_progress *p)
{
    if (!p->drawn)
        return;
    (void)fputs("\r\033[K", stderr);
    (void)fflush(stderr);
    p->drawn = false;
}

void cli_progress_init(cli_progress *p, const cli *c, spv_client *client)
{
    *p = (cli_progress){.c = c,
                        .client = client,
                        .shown = c->level >= CLI_WARN && isatty(STDERR_FILENO),
                        .color = cli_has_color(c, stderr)};
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
