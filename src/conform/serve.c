#include <spv/serve.h>

#include <stdlib.h>
#include <string.h>

#include "conform/serve_watch.h"

enum {
    LINGER = 500, /* milliseconds without a client until it is over */
    /* Milliseconds of silence behind each of the first lies, whatever was
     * asked for: a client that leaves for one is seen to leave before the end.
     * One lie is not enough, for what is withheld shows only by what comes
     * next. So long when the ping there was answered, and when it was not. */
    PAUSES = 3,
    PAUSE = 200,
    PAUSE_UNANSWERED = 2000,
    /* Floods, in this world: more than any client can want, and less than a
     * reactor lets wait to be written. */
    ORPHANS = 20000,
    BRANCHES = 160
};

/** Silence behind a lie. */
typedef struct silence {
    size_t at;      /* bytes that are said before it */
    uint64_t nonce; /* of the last ping among them */
} silence;

/** A connection of the client's, which has a node of its own. */
typedef struct guest {
    spv_conn conn;
    spv_script_node *node;
    spv_serve_session session;
    size_t gone; /* bytes that the node has said, which are dropped */
    size_t sent; /* of what it has to say: to be dropped */
    silence silences[PAUSES];
    size_t n_silences;
    size_t over;        /* so many of them */
    spv_time breaks_at; /* the one after these ends; 0: it has yet to begin */
    struct guest *next;
} guest;

struct spv_serve {
    spv_serve_history history;
    spv_serve_watch *watches; /* one a node */
    size_t n;
    uint64_t seed;
    guest *guests;
    spv_conn names; /* given so far */
    spv_time timeout;
    spv_time ends_at;  /* for want of time; SPV_NEVER */
    spv_time quiet_at; /* for want of a client; SPV_NEVER */
    bool over;
    spv_err why;
};

/* ---- Life ---- */

static spv_err init_watches(spv_serve *s, const spv_serve_options *o)
{
    s->watches = calloc(o->n_scenarios, sizeof(*s->watches));
    if (!s->watches)
        return SPV_NOMEM;
    for (; s->n < o->n_scenarios; s->n++) {
        const spv_serve_row *row = spv__serve_row_find(o->scenarios[s->n]);
        spv_err err = SPV_NOT_FOUND;

        if (row)
            err = spv__serve_watch_init(&s->watches[s->n], row, &s->history);
        s->watches[s->n].is_alone = o->n_scenarios == 1;
        if (err != SPV_OK)
            return err;
    }
    return SPV_OK;
}

spv_err spv_serve_new(spv_serve **out, const spv_serve_options *o)
{
    spv_serve *s;
    spv_err err;

    *out = NULL;
    if (o->n_scenarios == 0 || o->n_scripts == 0)
        return SPV_INVAL;
    s = calloc(1, sizeof(*s));
    if (!s)
        return SPV_NOMEM;
    s->seed = o->seed;
    s->timeout = o->timeout;
    s->ends_at = s->quiet_at = SPV_NEVER;
    err = spv__serve_history_init(&s->history, o);
    if (err == SPV_OK)
        err = init_watches(s, o);
    if (err == SPV_OK)
        *out = s;
    else
        spv_serve_free(s);
    return err;
}

/** Forget a connection. */
static void dismiss(spv_serve *s, guest *g, spv_serve_ending ending)
{
    guest **at = &s->guests;

    while (*at != g)
        at = &(*at)->next;
    *at = g->next;
    spv__serve_session_end(&g->session, ending);
    spv__script_node_free(g->node);
    free(g);
}

void spv_serve_free(spv_serve *s)
{
    if (!s)
        return;
    while (s->guests)
        dismiss(s, s->guests, SPV_SERVE_ENDED);
    for (size_t i = 0; i < s->n; i++)
        spv__serve_watch_clear(&s->watches[i]);
    free(s->watches);
    spv__serve_history_clear(&s->history);
    free(s);
}

void spv_serve_at(spv_serve *s, size_t node, uint16_t port)
{
    s->watches[node].facts.port = port;
}

/* ---- The machine ---- */

static void end(spv_serve *s, spv_err why)
{
    if (!s->over)
        s->why = why;
    s->over = true;
}

static void tell_time(spv_serve *s, spv_time now)
{
    for (size_t i = 0; i < s->n; i++)
        s->watches[i].now = now;
    if (s->ends_at == SPV_NEVER && s->timeout > 0)
        s->ends_at = now + s->timeout;
}

static guest *find(const spv_serve *s, spv_conn conn)
{
    guest *g = s->guests;

    while (g && g->conn != conn)
        g = g->next;
    return g;
}

/** Let the session know; and be silent behind the first lies. */
static void notice(void *ctx, const spv_script_notice *n)
{
    guest *g = ctx;
    spv_time soon = g->session.watch->now + PAUSE;

    if (n->what == SPV_SCRIPT_LIED && g->n_silences < PAUSES)
        g->silences[g->n_silences++] = (silence){
            .at = spv__script_node_output(g->node)->len, .nonce = n->nonce};
    if (n->what == SPV_SCRIPT_HEARD && n->message->kind == SPV_MSG_PONG &&
        g->over < g->n_silences &&
        n->message->as.nonce == g->silences[g->over].nonce &&
        g->breaks_at > soon)
        g->breaks_at = soon;
    g->session.said = g->gone + spv__script_node_output(g->node)->len;
    spv__serve_session_notice(&g->session, n);
}

/** Something lies behind the silence, and has not been sent. */
static bool has_more_to_come(const guest *g)
{
    return spv__script_node_output(g->node)->len > g->sent;
}

static spv_script_habits habits_of(const spv_serve_row *row)
{
    spv_script_habits h = *spv__script_habits_find(row->scenario.name);

    if (h.orphan_flood > 0)
        h.orphan_flood = ORPHANS;
    if (h.header_flood > 0)
        h.header_flood = BRANCHES;
    return h;
}

static guest *welcome(spv_serve *s, spv_serve_watch *watch)
{
    const spv_script_habits habits = habits_of(watch->row);
    const spv_script_chain *chain = s->history.chain;
    guest *g = calloc(1, sizeof(*g));

    if (g)
        g->node = spv__script_node_new(chain, spv__script_chain_tip(chain),
                                       &habits, s->seed + s->names);
    if (!g || !g->node ||
        spv__serve_session_begin(&g->session, watch) != SPV_OK) {
        if (g)
            spv__script_node_free(g->node);
        free(g);
        return NULL;
    }
    g->conn = ++s->names;
    spv__script_node_observe(g->node, notice, g);
    spv__script_node_open(g->node);
    return g;
}

static spv_conn accepted(void *self, uint16_t port, spv_time now)
{
    spv_serve *s = self;
    size_t i = 0;
    guest *g;

    tell_time(s, now);
    while (i < s->n && s->watches[i].facts.port != port)
        i++;
    if (i == s->n)
        return 0;
    g = welcome(s, &s->watches[i]);
    if (!g) {
        end(s, SPV_NOMEM);
        return 0;
    }
    g->next = s->guests;
    s->guests = g;
    s->quiet_at = SPV_NEVER;
    return g->conn;
}

/** The client may have been the last one. */
static void listen_for_quiet(spv_serve *s, spv_time now)
{
    if (!s->guests)
        s->quiet_at = now + LINGER;
}

static void received(void *self, spv_conn conn, const uint8_t *bytes,
                     size_t len, spv_time now)
{
    spv_serve *s = self;
    guest *g = find(s, conn);

    tell_time(s, now);
    if (g)
        spv__script_node_receive(g->node, bytes, len, now);
}

static void closed(void *self, spv_conn conn, spv_err why, spv_time now)
{
    spv_serve *s = self;
    guest *g = find(s, conn);

    (void)why;
    tell_time(s, now);
    if (g)
        dismiss(s, g,
                has_more_to_come(g) ? SPV_SERVE_LEFT_EARLY : SPV_SERVE_LEFT);
    listen_for_quiet(s, now);
}

static void elapsed(void *self, spv_time now)
{
    spv_serve *s = self;

    tell_time(s, now);
    for (guest *g = s->guests; g; g = g->next)
        if (now >= spv__script_node_deadline(g->node))
            spv__script_node_elapsed(g->node, now);
    if (now >= s->quiet_at)
        end(s, SPV_OK);
    if (now >= s->ends_at)
        end(s, SPV_TIMEOUT);
}

/** How many of `len` bytes may be said now, those sent being dropped: up to
 * the next silence. */
static size_t sayable(guest *g, size_t len)
{
    spv_time now = g->session.watch->now;

    for (size_t i = g->over; i < g->n_silences; i++)
        g->silences[i].at -= g->sent;
    while (g->over < g->n_silences && g->silences[g->over].at == 0) {
        if (g->breaks_at == 0)
            g->breaks_at = now + PAUSE_UNANSWERED;
        if (now < g->breaks_at)
            return 0;
        g->over++;
        g->breaks_at = 0;
    }
    return g->over < g->n_silences ? g->silences[g->over].at : len;
}

/** What the node has to say, or that it hangs up. False: neither. */
static bool speak(spv_serve *s, guest *g, spv_out *out)
{
    spv_buf *say = spv__script_node_output(g->node);

    spv__buf_drop(say, g->sent);
    g->gone += g->sent;
    g->sent = sayable(g, say->len);
    if (g->sent > 0) {
        spv__serve_session_sent(&g->session, g->gone + g->sent);
        *out = (spv_out){.kind = SPV_OUT_SEND,
                         .conn = g->conn,
                         .bytes = say->bytes,
                         .len = g->sent};
        return true;
    }
    if (say->len > 0 || !spv__script_node_has_hung_up(g->node))
        return false;
    if (spv__script_node_err(g->node) != SPV_OK)
        end(s, spv__script_node_err(g->node));
    *out = (spv_out){.kind = SPV_OUT_CLOSE, .conn = g->conn};
    return true;
}

static bool next(void *self, spv_out *out)
{
    spv_serve *s = self;

    for (guest *g = s->guests; g; g = g->next)
        if (speak(s, g, out)) {
            if (out->kind == SPV_OUT_CLOSE) {
                spv_time now = g->session.watch->now;

                dismiss(s, g, SPV_SERVE_ENDED);
                listen_for_quiet(s, now);
            }
            return true;
        }
    if (!s->over)
        return false;
    *out = (spv_out){.kind = SPV_OUT_DONE, .why = s->why};
    return true;
}

static spv_time deadline(const void *self)
{
    const spv_serve *s = self;
    spv_time first = s->ends_at < s->quiet_at ? s->ends_at : s->quiet_at;

    if (s->timeout > 0 && s->ends_at == SPV_NEVER)
        return 0; /* it has yet to hear what time it is */
    for (const guest *g = s->guests; g; g = g->next) {
        spv_time at = g->breaks_at > 0 ? g->breaks_at
                                       : spv__script_node_deadline(g->node);

        if (at < first)
            first = at;
    }
    return first;
}

/* It asks for neither connections nor names. */
static void opened(void *self, spv_conn conn, spv_time now)
{
    (void)self;
    (void)conn;
    (void)now;
}

static void resolved(void *self, spv_conn conn, const spv_netaddr *addrs,
                     size_t n, spv_time now)
{
    (void)self;
    (void)conn;
    (void)addrs;
    (void)n;
    (void)now;
}

const spv_machine *spv_serve_machine(void)
{
    static const spv_machine face = {.opened = opened,
                                     .received = received,
                                     .closed = closed,
                                     .resolved = resolved,
                                     .elapsed = elapsed,
                                     .next = next,
                                     .deadline = deadline,
                                     .accepted = accepted};

    return &face;
}

/* ---- What it knows ---- */

spv_serve_truth spv_serve_tell(const spv_serve *s)
{
    const spv_serve_history *h = &s->history;
    spv_serve_truth truth = {.height = spv__script_chain_tip(h->chain),
                             .coins = h->coins,
                             .n_coins = h->n_coins,
                             .n_txs = h->n_txs,
                             .n_blocks = h->n_blocks};

    truth.block_hash = spv__script_chain_at(h->chain, truth.height)->hash;
    for (size_t i = 0; i < h->n_coins; i++)
        truth.balance += h->coins[i].value;
    return truth;
}

size_t spv_serve_nodes(const spv_serve *s)
{
    return s->n;
}

static void list_received(spv_serve_report *out, const spv_serve_watch *w)
{
    for (int kind = 0; kind <= SPV_MSG_REJECT; kind++)
        if (w->received[kind] > 0)
            out->received[out->n_received++] = (spv_serve_messages){
                spv__message_command((spv_message_kind)kind),
                w->received[kind]};
}

_Static_assert(SPV_MSG_REJECT < SPV_SERVE_KINDS_MAX, "every kind has room");

void spv_serve_report_of(const spv_serve *s, size_t node, spv_serve_report *out)
{
    const spv_serve_watch *w = &s->watches[node];

    *out = w->facts;
    out->fenced = out->filter.loads > 0 && w->unfenced == 0;
    list_received(out, w);
    spv__serve_judge(out, s->watches, s->n, node);
}

spv_serve_result spv_serve_verdict(const spv_serve *s)
{
    return spv__serve_verdict(s->watches, s->n);
}
