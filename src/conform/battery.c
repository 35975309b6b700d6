#include "conform/battery.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wire/netaddr.h"

enum { TIMEOUT_DEFAULT_S = 300, MS = 1000 };

/* ---- Life ---- */

static bool is_wanted(const spv_conform_options *o, const char *id)
{
    for (size_t i = 0; i < o->n_only; i++)
        if (spv_conform_selects(o->only[i], id))
            return true;
    return o->n_only == 0;
}

static spv_err select_checks(spv_conform *b, const spv_conform_options *o)
{
    size_t n = 0;
    const spv_conform_check *list = spv_conform_list(&n);

    b->checks = calloc(n + 1, sizeof(*b->checks));
    b->details = calloc(n + 1, sizeof(*b->details));
    b->exchanges = calloc(n + 1, sizeof(*b->exchanges));
    b->rows = calloc(n + 1, sizeof(const spv_check *));
    if (!b->checks || !b->details || !b->exchanges || !b->rows)
        return SPV_NOMEM;
    for (size_t i = 0; i < n; i++)
        if (is_wanted(o, list[i].id)) {
            b->checks[b->n_checks] = list[i];
            b->rows[b->n_checks++] = spv__check_get(i);
        }
    return SPV_OK;
}

spv_err spv_conform_new(spv_conform **out, const spv_conform_options *o)
{
    spv_conform *b = calloc(1, sizeof(*b));
    uint32_t timeout_s = o->timeout_s ? o->timeout_s : TIMEOUT_DEFAULT_S;
    spv_err err = SPV_NOMEM;

    if (!b)
        return SPV_NOMEM;
    b->network = o->network;
    b->seed = o->seed;
    b->gentle = o->gentle;
    b->progress = o->progress;
    b->progress_ctx = o->progress_ctx;
    b->unix_time = o->unix_time;
    b->timeout = (spv_time)timeout_s * MS;
    b->rng.state = o->seed;
    b->node.chain = o->network->name;
    b->node.height = -1;
    spv__survey_init(&b->survey, o->network, spv__rng_next(&b->rng));
    if (o->must_have)
        b->survey.must_have = *o->must_have;
    b->scene.rng.state = spv__rng_next(&b->rng);
    err = spv__netaddr_parse_name(&b->addr, b->host, sizeof(b->host),
                                  o->connect, o->network->port);
    if (err == SPV_OK)
        err = select_checks(b, o);
    for (size_t i = 0; i < o->n_txs && err == SPV_OK; i++)
        err = spv__scene_add(&b->scene, o->txs[i].bytes, o->txs[i].len);
    if (err != SPV_OK) {
        spv_conform_free(b);
        return err;
    }
    (void)snprintf(b->node.address, sizeof(b->node.address), "%s", o->connect);
    b->phase = b->host[0] ? SPV_BATTERY_RESOLVING : SPV_BATTERY_SURVEYING;
    *out = b;
    return SPV_OK;
}

void spv_conform_free(spv_conform *b)
{
    if (!b)
        return;
    for (size_t i = 0; i < b->n_checks; i++) {
        free(b->details[i]);
        spv__exchange_clear(&b->exchanges[i]);
    }
    for (size_t i = 0; i < SPV__PLAYERS; i++)
        spv__player_clear(&b->players[i]);
    spv__scene_clear(&b->scene);
    spv__session_clear(&b->first);
    spv__survey_clear(&b->survey);
    spv__buf_clear(&b->sending);
    free(b->checks);
    free(b->details);
    free(b->exchanges);
    free((void *)b->rows);
    free(b);
}

/* ---- What the parts share ---- */

void spv__battery_end(spv_conform *b, spv_err outcome, const char *why)
{
    if (b->phase == SPV_BATTERY_OVER)
        return;
    b->phase = SPV_BATTERY_OVER;
    b->outcome = outcome;
    (void)snprintf(b->why, sizeof(b->why), "%s", why ? why : "");
    for (size_t i = 0; i < b->n_checks; i++)
        if (b->checks[i].result == SPV_CONFORM_PENDING)
            spv__battery_result(b, i, SPV_CONFORM_SKIPPED,
                                why ? why : "the battery ended before it");
}

void spv__battery_connect(spv_conform *b, spv_session *s, bool relay)
{
    spv__battery_hang_up(b, s);
    spv__session_begin(s, b->network, ++b->names, &b->addr, relay,
                       spv__rng_next(&b->rng), b->unix_time);
}

void spv__battery_hang_up(spv_conform *b, spv_session *s)
{
    spv__session_end(s);
    if (s->wants_end) {
        assert(b->n_closing < SPV__CLOSING_MAX);
        b->closing[b->n_closing++] = s->conn;
    }
    s->wants_end = false;
}

void spv__battery_result(spv_conform *b, size_t check,
                         spv_conform_result result, const char *detail)
{
    size_t size = detail ? strlen(detail) + 1 : 0;
    char *copy = size > 0 ? malloc(size) : NULL;

    b->n_done += b->checks[check].result == SPV_CONFORM_PENDING;
    b->checks[check].result = result;
    if (b->progress)
        b->progress(b->progress_ctx, b->n_done, b->n_checks);
    if (copy)
        memcpy(copy, detail, size);
    free(b->details[check]);
    b->details[check] = copy;
    b->checks[check].detail = copy ? copy : "";
    if (size > 0 && !copy)
        spv__battery_end(b, SPV_NOMEM, NULL);
}

/* ---- The survey ---- */

static void note_node(spv_conform *b)
{
    const spv_session *s = &b->first;

    memcpy(b->node.user_agent, s->user_agent, sizeof(b->node.user_agent));
    b->node.version = s->version;
    b->node.services = s->services;
    b->node.serves_filters = spv__session_serves_filters(s);
}

static void after_survey(spv_conform *b)
{
    if (b->survey.phase != SPV_SURVEY_DONE)
        return;
    spv__battery_hang_up(b, &b->first);
    b->node.height = spv__survey_height(&b->survey);
    b->node.blocks = b->survey.samples.n;
    b->due = SPV_NEVER;
    if (b->survey.err != SPV_OK)
        spv__battery_end(b, b->survey.err, b->survey.why);
    else
        b->phase = SPV_BATTERY_PLAYING;
}

/* Another network's bytes tell which one it is. */
static void stop_survey(spv_conform *b)
{
    const spv_session *s = &b->first;
    char why[64];

    if (s->theirs && s->theirs != b->network) {
        (void)snprintf(why, sizeof(why), "it is a node of %s, not of %s",
                       s->theirs->name, b->network->name);
        b->node.chain = s->theirs->name;
        spv__battery_end(b, SPV_NO_PEER, why);
        return;
    }
    spv__survey_stop(&b->survey, SPV_NO_PEER, s->why);
}

static void wait_for_first(spv_conform *b)
{
    b->due = b->now + SPV__STEP_MS;
    b->patience = (spv_patience){.end = b->now + SPV__TURN_MS};
}

static void hear_first(spv_conform *b)
{
    spv_session *s = &b->first;
    bool was_ready = s->state == SPV_SESSION_READY;
    spv_heard heard;

    while (b->survey.phase != SPV_SURVEY_DONE && spv__session_next(s, &heard)) {
        if (!was_ready)
            spv__survey_begin(&b->survey, s);
        was_ready = true;
        spv__survey_hear(&b->survey, s, &heard);
        wait_for_first(b);
    }
    if (!was_ready && s->state == SPV_SESSION_READY) {
        spv__survey_begin(&b->survey, s);
        wait_for_first(b);
    }
    if (s->state == SPV_SESSION_READY && b->node.version == 0)
        note_node(b);
    if (s->err != SPV_OK)
        spv__battery_end(b, s->err, NULL);
    else if (s->why)
        stop_survey(b);
}

static void stop_waiting(spv_conform *b)
{
    spv_session *s = &b->first;

    if (s->state != SPV_SESSION_READY)
        spv__survey_stop(&b->survey, SPV_NO_PEER, "the node does not answer");
    else if (!spv__session_moves(s, &b->patience, 0))
        spv__survey_stop(&b->survey, SPV_TIMEOUT,
                         "the node fell silent when it was asked for its "
                         "chain; it may still be syncing");
    else if (b->patience.end <= b->now)
        spv__survey_stop(&b->survey, SPV_TIMEOUT,
                         "the node, or the way to it, is too slow: one message "
                         "took longer than 200 seconds");
    else
        b->due = b->now + SPV__STEP_MS;
}

static void survey(spv_conform *b)
{
    if (b->first.state == SPV_SESSION_IDLE) {
        spv__battery_connect(b, &b->first, false);
        wait_for_first(b);
    }
    hear_first(b);
    if (b->due <= b->now)
        stop_waiting(b);
    after_survey(b);
}

/* ---- The machine ---- */

static void work(spv_conform *b)
{
    if (b->end <= b->now)
        spv__battery_end(b,
                         b->phase == SPV_BATTERY_PLAYING ? SPV_OK : SPV_TIMEOUT,
                         "time ran out");
    if (b->phase == SPV_BATTERY_SURVEYING)
        survey(b);
    if (b->phase == SPV_BATTERY_PLAYING)
        spv__players_work(b);
}

/* Every input comes through here: the clock, then its effects. */
static void arrive(spv_conform *b, spv_time now)
{
    if (b->end == 0) {
        b->end = now + b->timeout;
        b->due = now + SPV__STEP_MS;
    }
    b->now = now;
}

static spv_player *player_of(spv_conform *b, spv_conn conn)
{
    for (size_t i = 0; i < SPV__PLAYERS; i++)
        if (b->players[i].session.conn == conn)
            return &b->players[i];
    return NULL;
}

/* The session of that name that is not closed, or NULL. */
static spv_session *session_of(spv_conform *b, spv_conn conn)
{
    spv_player *p = player_of(b, conn);
    spv_session *s = p ? &p->session : spv__scene_session(&b->scene, conn);

    if (b->first.conn == conn)
        s = &b->first;

    return s && s->state != SPV_SESSION_CLOSED ? s : NULL;
}

static void opened(void *self, spv_conn conn, spv_time now)
{
    spv_conform *b = self;
    spv_session *s = session_of(b, conn);

    arrive(b, now);
    if (s)
        spv__session_opened(s);
    work(b);
}

static void received(void *self, spv_conn conn, const uint8_t *bytes,
                     size_t len, spv_time now)
{
    spv_conform *b = self;
    spv_session *s = session_of(b, conn);

    arrive(b, now);
    if (s)
        spv__session_received(s, bytes, len);
    work(b);
}

static void closed(void *self, spv_conn conn, spv_err why, spv_time now)
{
    spv_conform *b = self;
    spv_session *s = session_of(b, conn);
    bool was_open = s && s->state > SPV_SESSION_CONNECTING;

    (void)why;
    arrive(b, now);
    if (s)
        spv__session_closed(s, was_open ? "the node closed the connection"
                                        : "the node cannot be connected to");
    work(b);
}

static void resolved(void *self, spv_conn conn, const spv_netaddr *addrs,
                     size_t n, spv_time now)
{
    spv_conform *b = self;

    arrive(b, now);
    if (conn == b->lookup && b->phase == SPV_BATTERY_RESOLVING) {
        if (n == 0) {
            spv__battery_end(b, SPV_NO_PEER, "there is no node of this name");
        } else {
            b->addr = addrs[0];
            b->phase = SPV_BATTERY_SURVEYING;
        }
    }
    work(b);
}

static void elapsed(void *self, spv_time now)
{
    spv_conform *b = self;

    arrive(b, now);
    work(b);
}

/* ---- Outputs ---- */

static bool next_lookup(spv_conform *b, spv_out *out)
{
    if (b->phase != SPV_BATTERY_RESOLVING || b->lookup)
        return false;
    b->lookup = ++b->names;
    *out = (spv_out){.kind = SPV_OUT_RESOLVE,
                     .conn = b->lookup,
                     .addr = b->addr,
                     .bytes = (const uint8_t *)b->host,
                     .len = strlen(b->host)};
    return true;
}

static bool next_of_session(spv_conform *b, spv_session *s, spv_out *out)
{
    spv_buf sent = b->sending;

    if (s->state == SPV_SESSION_CONNECTING && !s->asked) {
        s->asked = true;
        *out = (spv_out){
            .kind = SPV_OUT_CONNECT, .conn = s->conn, .addr = s->addr};
        return true;
    }
    if (s->state <= SPV_SESSION_CONNECTING || s->state == SPV_SESSION_CLOSED ||
        s->out.len == 0)
        return false;
    b->sending = s->out;
    s->out = sent;
    spv__buf_reset(&s->out);
    *out = (spv_out){.kind = SPV_OUT_SEND,
                     .conn = s->conn,
                     .bytes = b->sending.bytes,
                     .len = b->sending.len};
    return true;
}

static bool next_done(spv_conform *b, spv_out *out)
{
    if (b->told)
        return false;
    b->told = true;
    *out = (spv_out){.kind = SPV_OUT_DONE, .why = b->outcome};
    return true;
}

static bool next(void *self, spv_out *out)
{
    spv_conform *b = self;

    if (b->n_closing > 0) {
        *out = (spv_out){.kind = SPV_OUT_CLOSE,
                         .conn = b->closing[--b->n_closing]};
        return true;
    }
    if (b->phase == SPV_BATTERY_OVER)
        return next_done(b, out);
    if (next_lookup(b, out) || next_of_session(b, &b->first, out))
        return true;
    for (size_t i = 0; i < SPV__PLAYERS; i++)
        if (next_of_session(b, &b->players[i].session, out))
            return true;
    for (size_t i = 0; i < SPV__WATCHERS_MAX; i++)
        if (next_of_session(b, &b->scene.watchers[i].session, out))
            return true;
    return false;
}

static spv_time deadline(const void *self)
{
    const spv_conform *b = self;
    spv_time first = b->end;
    spv_time players = spv__players_deadline(b);

    if (b->phase == SPV_BATTERY_OVER)
        return SPV_NEVER;
    if (b->end == 0)
        return 0; /* it wants to know what time it is */
    if (b->phase != SPV_BATTERY_PLAYING && b->due < first)
        first = b->due;
    return b->phase == SPV_BATTERY_PLAYING && players < first ? players : first;
}

const spv_machine *spv_conform_machine(void)
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

/* ---- Answers ---- */

const char *spv_conform_why(const spv_conform *b)
{
    return b->why;
}

void spv_conform_get_node(const spv_conform *b, spv_conform_node *out)
{
    *out = b->node;
}

const spv_conform_check *spv_conform_checks(const spv_conform *b, size_t *n)
{
    *n = b->n_checks;
    return b->checks;
}

const spv_conform_message *spv_conform_exchange(const spv_conform *b,
                                                size_t check,
                                                spv_conform_part part,
                                                size_t *n)
{
    const spv_messages *m = &b->exchanges[check].of[part];

    *n = m->n;
    return m->n > 0 ? m->item : NULL;
}

uint64_t spv_conform_seed(const spv_conform *b)
{
    return b->seed;
}
