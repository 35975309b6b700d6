#include "support/sim.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include <spv/network.h>

#include "base/rng.h"
#include "support/must.h"
#include "support/simqueue.h"
#include "wire/frame.h"

/** A connection, from CONNECT until both sides know that it has ended. */
typedef struct link_state {
    spv_conn conn;
    size_t life;
    size_t node;
    bool node_open;          /* the node is in this session */
    bool client_open;        /* the client has not closed it, nor been told */
    spv_time busy;           /* the line towards the client sends until then */
    spv_time last_to_client; /* arrivals never overtake one another */
    spv_time last_to_node;
} link_state;

typedef struct place {
    spv_script_node *node;
    sim_link link;
} place;

struct sim {
    spv_rng rng;
    spv_time now;
    simqueue queue;
    const spv_machine *face;
    void *self;
    size_t life;
    bool done;
    spv_err why;
    place *places;
    size_t n_places;
    size_t places_cap;
    link_state *links;
    size_t n_links;
    size_t links_cap;
    sim_name *names;
    size_t n_names;
    size_t names_cap;
    sim_counts counts;
    FILE *trace;
    uint64_t digest;
};

enum {
    RESOLVE_MS = 20,
    SPINS_MAX = 1000, /* calls of elapsed with no time passing between */
    PIECES_MAX = 6
};

sim *sim_new(uint64_t seed)
{
    sim *s = calloc(1, sizeof(*s));

    MUST(s);
    s->rng.state = seed;
    s->now = 1000; /* machines must not take zero for the beginning */
    s->digest = UINT64_C(0xcbf29ce484222325);
    return s;
}

void sim_free(sim *s)
{
    if (!s)
        return;
    simqueue_clear(&s->queue);
    free(s->places);
    free(s->links);
    free(s->names);
    free(s);
}

size_t sim_add_node(sim *s, spv_script_node *node, sim_link link)
{
    s->places =
        must_grow(s->places, s->n_places, &s->places_cap, sizeof(place));
    s->places[s->n_places] = (place){node, link};
    return s->n_places++;
}

spv_netaddr sim_node_addr(size_t number)
{
    return (spv_netaddr){
        .net = 1, .len = 4, .addr = {5, (uint8_t)number, 0, 1}, .port = 18444};
}

void sim_node_text(char out[32], size_t number)
{
    (void)snprintf(out, 32, "5.%zu.0.1:18444", number);
}

void sim_add_name(sim *s, sim_name name)
{
    s->names = must_grow(s->names, s->n_names, &s->names_cap, sizeof(name));
    s->names[s->n_names++] = name;
}

void sim_set_link(sim *s, size_t number, sim_link link)
{
    MUST(number < s->n_places);
    s->places[number].link = link;
}

void sim_at(sim *s, spv_time at, void (*event)(sim *s, void *arg), void *arg)
{
    simqueue_put(&s->queue, (simevent){.at = at,
                                       .kind = SIMEVENT_WORLD,
                                       .event = event,
                                       .arg = arg});
}

void sim_kill_at(sim *s, spv_time at, void *(*restart)(void *arg, void *self),
                 void *arg)
{
    simqueue_put(&s->queue, (simevent){.at = at,
                                       .kind = SIMEVENT_KILL,
                                       .restart = restart,
                                       .arg = arg});
}

spv_time sim_now(const sim *s)
{
    return s->now;
}

void *sim_client(const sim *s)
{
    return s->self;
}

const sim_counts *sim_count(const sim *s)
{
    return &s->counts;
}

void sim_set_trace(sim *s, FILE *to)
{
    s->trace = to;
}

uint64_t sim_digest(const sim *s)
{
    return s->digest;
}

/* ---- What is told of a run ---- */

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
note(sim *s, const char *format, ...)
{
    char line[200];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(line, sizeof(line), format, args);
    va_end(args);
    for (const char *c = line; *c != '\0'; c++)
        s->digest = (s->digest ^ (uint8_t)*c) * UINT64_C(0x100000001b3);
    s->digest += (uint64_t)s->now;
    if (s->trace)
        (void)fprintf(s->trace, "%8" PRId64 " %s\n", s->now, line);
}

/** Name the messages in bytes that begin with a whole one. */
static void note_frames(sim *s, const link_state *l, const char *arrow,
                        const uint8_t *bytes, size_t len)
{
    const spv_network *network = spv_network_get(SPV_REGTEST);
    spv_frame f;

    while (len > 0 &&
           spv__frame_decode(&f, bytes, len, network) == SPV_FRAME_WHOLE) {
        note(s, "conn %" PRIu64 " %s node %zu: %s, %zu bytes", l->conn, arrow,
             l->node, f.command, f.len);
        bytes += f.size;
        len -= f.size;
    }
    if (len > 0)
        note(s, "conn %" PRIu64 " %s node %zu: %zu bytes", l->conn, arrow,
             l->node, len);
}

/* ---- Connections ---- */

static link_state *link_find(sim *s, spv_conn conn, size_t life)
{
    for (size_t i = 0; i < s->n_links; i++)
        if (s->links[i].conn == conn && s->links[i].life == life)
            return &s->links[i];
    return NULL;
}

static const sim_link *link_of(const sim *s, const link_state *l)
{
    /* Addresses that somebody made up: nobody listens there. */
    static const sim_link nowhere = {.latency = 50, .refuses = true};

    return l->node < s->n_places ? &s->places[l->node].link : &nowhere;
}

static spv_script_node *node_of(const sim *s, const link_state *l)
{
    return l->node < s->n_places ? s->places[l->node].node : NULL;
}

/** The time a piece takes, beside the sending itself. */
static spv_time delay(sim *s, const link_state *l)
{
    const sim_link *link = link_of(s, l);

    return link->latency +
           (spv_time)spv__rng_below(&s->rng, (uint64_t)link->jitter + 1);
}

/** When something sent now arrives, behind all that was sent before. */
static spv_time arrival(sim *s, link_state *l, spv_time sent, spv_time *last)
{
    spv_time at = sent + delay(s, l);

    if (at > *last)
        *last = at;
    return *last;
}

static spv_time arrival_at_client(sim *s, link_state *l, size_t len)
{
    size_t rate = link_of(s, l)->rate;

    if (l->busy < s->now)
        l->busy = s->now;
    if (rate > 0)
        l->busy += (spv_time)(len * 1000 / rate);
    return arrival(s, l, l->busy, &l->last_to_client);
}

static simevent link_event(const link_state *l, simevent_kind kind, spv_time at)
{
    return (simevent){.at = at,
                      .kind = kind,
                      .life = l->life,
                      .conn = l->conn,
                      .node = l->node};
}

/** The client is to learn, behind the bytes under way, that this ended. */
static void tell_closed(sim *s, link_state *l, spv_err why)
{
    simevent e = link_event(l, SIMEVENT_CLOSED, arrival_at_client(s, l, 0));

    e.why = why;
    simqueue_put(&s->queue, e);
}

/** Put bytes on their way as one piece. */
static void send_piece(sim *s, link_state *l, simevent_kind kind,
                       const uint8_t *bytes, size_t len)
{
    spv_time at = kind == SIMEVENT_TO_CLIENT
                      ? arrival_at_client(s, l, len)
                      : arrival(s, l, s->now, &l->last_to_node);
    simevent e = link_event(l, kind, at);

    e.bytes = malloc(len);
    e.len = len;
    MUST(e.bytes);
    memcpy(e.bytes, bytes, len);
    simqueue_put(&s->queue, e);
}

static void send_bytes(sim *s, link_state *l, simevent_kind kind,
                       const uint8_t *bytes, size_t len)
{
    size_t pieces = link_of(s, l)->split ? PIECES_MAX : 1;

    note_frames(s, l, kind == SIMEVENT_TO_CLIENT ? "<-" : "->", bytes, len);
    while (len > 0) {
        size_t n =
            --pieces == 0 ? len : 1 + (size_t)spv__rng_below(&s->rng, len);

        send_piece(s, l, kind, bytes, n);
        bytes += n;
        len -= n;
    }
}

/* ---- The nodes' side ---- */

static void leave_node(sim *s, link_state *l)
{
    if (l->node_open)
        spv__script_node_close(node_of(s, l));
    l->node_open = false;
}

/** All connections of the present life end; a new one begins. */
static void begin_life(sim *s)
{
    for (size_t i = 0; i < s->n_links; i++)
        leave_node(s, &s->links[i]);
    s->n_links = 0;
    s->life++;
}

void sim_set_client(sim *s, const spv_machine *face, void *self)
{
    begin_life(s);
    s->face = face;
    s->self = self;
    s->done = false;
}

/** Send what a node has to say, and arrange to tell it the time. */
static void pump_node(sim *s, link_state *l)
{
    spv_script_node *node = node_of(s, l);
    spv_buf *out = spv__script_node_output(node);
    spv_time due = spv__script_node_deadline(node);

    if (out->len > 0)
        send_bytes(s, l, SIMEVENT_TO_CLIENT, out->bytes, out->len);
    spv__buf_reset(out);
    if (due != SPV_NEVER)
        simqueue_put(&s->queue, link_event(l, SIMEVENT_NODE_TIME, due));
    if (spv__script_node_has_hung_up(node)) {
        note(s, "conn %" PRIu64 ": node %zu hangs up", l->conn, l->node);
        leave_node(s, l);
        tell_closed(s, l, SPV_CLOSED);
    }
}

static link_state *session_of(sim *s, size_t number)
{
    for (size_t i = 0; i < s->n_links; i++)
        if (s->links[i].node == number && s->links[i].node_open)
            return &s->links[i];
    return NULL;
}

void sim_flush_node(sim *s, size_t number)
{
    link_state *l = session_of(s, number);

    if (l)
        pump_node(s, l);
}

/** A request to connect arrives. A node has one session: an older one ends. */
static void on_arrives(sim *s, link_state *l)
{
    const sim_link *link = link_of(s, l);
    link_state *older = session_of(s, l->node);

    if (link->black_hole || !l->client_open)
        return;
    if (link->refuses) {
        tell_closed(s, l, SPV_IO);
        return;
    }
    if (older) {
        leave_node(s, older);
        tell_closed(s, older, SPV_CLOSED);
    }
    l->node_open = true;
    spv__script_node_open(node_of(s, l));
    simqueue_put(&s->queue,
                 link_event(l, SIMEVENT_OPENED, arrival_at_client(s, l, 0)));
}

/* ---- What the client wants ---- */

/** Number of the node at an address; a number above all if there is none. */
static size_t node_at(const sim *s, const spv_netaddr *addr)
{
    size_t i = 0;

    for (; i < s->n_places; i++) {
        spv_netaddr there = sim_node_addr(i);

        if (there.net == addr->net && there.port == addr->port &&
            memcmp(there.addr, addr->addr, there.len) == 0)
            break;
    }
    return i;
}

static void do_connect(sim *s, const spv_out *out)
{
    link_state l = {.conn = out->conn,
                    .life = s->life,
                    .node = node_at(s, &out->addr),
                    .client_open = true};
    spv_time at = arrival(s, &l, s->now, &l.last_to_node);

    MUST(!link_find(s, out->conn, s->life)); /* names are never used twice */
    s->counts.connects++;
    s->links = must_grow(s->links, s->n_links, &s->links_cap, sizeof(l));
    s->links[s->n_links++] = l;
    note(s, "conn %" PRIu64 " -> node %zu: connect", l.conn, l.node);
    simqueue_put(&s->queue, link_event(&l, SIMEVENT_ARRIVES, at));
}

static void do_close(sim *s, link_state *l)
{
    l->client_open = false;
    note(s, "conn %" PRIu64 ": client closes", l->conn);
    simqueue_put(
        &s->queue,
        link_event(l, SIMEVENT_LEFT, arrival(s, l, s->now, &l->last_to_node)));
}

static sim_name name_of(const sim *s, const spv_out *out)
{
    for (size_t i = 0; i < s->n_names; i++)
        if (strlen(s->names[i].text) == out->len &&
            memcmp(s->names[i].text, out->bytes, out->len) == 0)
            return s->names[i];
    return (sim_name){0};
}

static void do_resolve(sim *s, const spv_out *out)
{
    sim_name name = name_of(s, out);

    s->counts.resolves++;
    note(s, "look-up %" PRIu64 ": %.*s", out->conn, (int)out->len,
         (const char *)out->bytes);
    if (!name.silent)
        simqueue_put(&s->queue, (simevent){.at = s->now + RESOLVE_MS,
                                           .kind = SIMEVENT_RESOLVED,
                                           .life = s->life,
                                           .conn = out->conn,
                                           .node = name.first,
                                           .len = name.n,
                                           .port = out->addr.port});
}

static void perform(sim *s, const spv_out *out)
{
    link_state *l = link_find(s, out->conn, s->life);

    switch (out->kind) {
    case SPV_OUT_CONNECT:
        do_connect(s, out);
        break;
    case SPV_OUT_SEND:
        if (!l || !l->client_open)
            break; /* what is said of an ended connection is ignored */
        s->counts.to_nodes += out->len;
        send_bytes(s, l, SIMEVENT_TO_NODE, out->bytes, out->len);
        break;
    case SPV_OUT_CLOSE:
        if (l && l->client_open)
            do_close(s, l);
        break;
    case SPV_OUT_RESOLVE:
        do_resolve(s, out);
        break;
    case SPV_OUT_DONE:
        note(s, "client is done: %s", spv_err_name(out->why));
        s->done = true;
        s->why = out->why;
        break;
    }
}

static void pump_client(sim *s)
{
    spv_out out = {0};

    while (!s->done && s->face->next(s->self, &out)) {
        perform(s, &out);
        out = (spv_out){0};
    }
}

/* ---- Events ---- */

/** The connection breaks: both sides learn it, neither why. */
static void break_link(sim *s, link_state *l)
{
    s->counts.breaks++;
    note(s, "conn %" PRIu64 " breaks", l->conn);
    leave_node(s, l);
    l->client_open = false;
    s->face->closed(s->self, l->conn, SPV_CLOSED, s->now);
}

static void on_client_bytes(sim *s, link_state *l, const simevent *e)
{
    if (!l->client_open)
        return;
    if (spv__rng_chance(&s->rng, link_of(s, l)->breaks, 10000)) {
        break_link(s, l);
        return;
    }
    s->counts.to_client += e->len;
    s->face->received(s->self, l->conn, e->bytes, e->len, s->now);
}

static void on_closed(sim *s, link_state *l, spv_err why)
{
    if (!l->client_open)
        return;
    l->client_open = false;
    note(s, "conn %" PRIu64 ": client learns of the end", l->conn);
    s->face->closed(s->self, l->conn, why, s->now);
}

static void on_resolved(sim *s, const simevent *e)
{
    spv_netaddr addrs[16];
    size_t n = e->len < 16 ? e->len : 16;

    for (size_t i = 0; i < n; i++) {
        addrs[i] = sim_node_addr(e->node + i);
        addrs[i].port = e->port;
    }
    s->face->resolved(s->self, e->conn, addrs, n, s->now);
}

static void on_link_event(sim *s, link_state *l, const simevent *e)
{
    spv_script_node *node = node_of(s, l);

    switch (e->kind) {
    case SIMEVENT_ARRIVES:
        on_arrives(s, l);
        break;
    case SIMEVENT_OPENED:
        if (l->client_open)
            s->face->opened(s->self, l->conn, s->now);
        break;
    case SIMEVENT_TO_NODE:
        if (!l->node_open)
            break;
        spv__script_node_receive(node, e->bytes, e->len, s->now);
        pump_node(s, l);
        break;
    case SIMEVENT_NODE_TIME:
        if (!l->node_open)
            break;
        spv__script_node_elapsed(node, s->now);
        pump_node(s, l);
        break;
    case SIMEVENT_LEFT:
        leave_node(s, l);
        break;
    case SIMEVENT_TO_CLIENT:
        on_client_bytes(s, l, e);
        break;
    case SIMEVENT_CLOSED:
        on_closed(s, l, e->why);
        break;
    case SIMEVENT_RESOLVED:
    case SIMEVENT_WORLD:
    case SIMEVENT_KILL:
        break; /* these have no connection */
    }
}

static void kill_client(sim *s, const simevent *e)
{
    s->counts.kills++;
    note(s, "client is killed");
    begin_life(s);
    s->self = e->restart(e->arg, s->self);
}

static void happen(sim *s, const simevent *e)
{
    link_state *l = link_find(s, e->conn, e->life);

    if (e->kind == SIMEVENT_WORLD)
        e->event(s, e->arg);
    else if (e->kind == SIMEVENT_KILL)
        kill_client(s, e);
    else if (e->life == s->life && e->kind == SIMEVENT_RESOLVED)
        on_resolved(s, e);
    else if (e->life == s->life && l)
        on_link_event(s, l, e);
}

/** One event, or the client's deadline, whichever comes first. */
static void step(sim *s, size_t *spins)
{
    spv_time due = s->face->deadline(s->self);

    s->counts.steps++;
    if (due <= simqueue_next(&s->queue)) {
        *spins = due > s->now ? 0 : *spins + 1;
        MUST(*spins < SPINS_MAX);
        s->now = due > s->now ? due : s->now;
        s->counts.wakes++;
        s->face->elapsed(s->self, s->now);
    } else {
        simevent e = simqueue_take(&s->queue);

        *spins = 0;
        s->now = e.at > s->now ? e.at : s->now;
        happen(s, &e);
        free(e.bytes);
    }
    pump_client(s);
}

spv_err sim_run(sim *s, spv_time until)
{
    size_t spins = 0;

    pump_client(s);
    while (!s->done) {
        spv_time due = s->face->deadline(s->self);
        spv_time next = simqueue_next(&s->queue);

        if ((due < next ? due : next) > until) {
            s->now = until;
            return SPV_TIMEOUT;
        }
        step(s, &spins);
    }
    return s->why;
}
