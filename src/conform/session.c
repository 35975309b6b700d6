#include "conform/session.h"

#include <string.h>

void spv__session_begin(spv_session *s, const spv_network *network,
                        spv_conn conn, const spv_netaddr *addr, bool relay,
                        uint64_t nonce, int64_t unix_time)
{
    spv__session_clear(s);
    s->network = network;
    s->conn = conn;
    s->addr = *addr;
    s->relay = relay;
    s->nonce = nonce;
    s->unix_time = unix_time;
    s->state = SPV_SESSION_CONNECTING;
}

void spv__session_clear(spv_session *s)
{
    spv__buf_clear(&s->in);
    spv__buf_clear(&s->out);
    *s = (spv_session){0};
}

void spv__session_end(spv_session *s)
{
    if (s->state != SPV_SESSION_IDLE && s->state != SPV_SESSION_CLOSED)
        s->wants_end = s->asked;
    s->state = SPV_SESSION_CLOSED;
}

void spv__session_closed(spv_session *s, const char *why)
{
    s->state = SPV_SESSION_CLOSED;
    s->why = why;
}

/* ---- What we say ---- */

void spv__session_note(spv_session *s)
{
    if (s->out.err != SPV_OK)
        s->err = s->out.err;
}

void spv__session_say(spv_session *s, const uint8_t *frames, size_t len)
{
    spv__put_bytes(&s->out, frames, len);
    spv__session_note(s);
}

static void say_version(spv_session *s)
{
    static const char agent[] = "/spvclient:" SPV_VERSION "/";
    size_t mark = spv__frame_begin(&s->out, "version", s->network);
    spv_version v = {.version = SPV__PROTOCOL_VERSION,
                     .time = s->unix_time,
                     .to = s->addr,
                     .nonce = s->nonce,
                     .user_agent = agent,
                     .user_agent_len = sizeof(agent) - 1,
                     .relay = s->relay,
                     .relay_present = true};

    spv__put_version(&s->out, &v);
    spv__frame_end(&s->out, mark);
    spv__session_note(s);
}

static void say_verack(spv_session *s)
{
    spv__frame_end(&s->out, spv__frame_begin(&s->out, "verack", s->network));
    spv__session_note(s);
}

static void say_pong(spv_session *s, uint64_t nonce)
{
    size_t mark = spv__frame_begin(&s->out, "pong", s->network);

    spv__put_u64(&s->out, nonce);
    spv__frame_end(&s->out, mark);
    spv__session_note(s);
}

void spv__session_opened(spv_session *s)
{
    say_version(s);
    s->opened = true;
    s->state = SPV_SESSION_GREETING;
}

/* ---- What the node says ---- */

void spv__session_received(spv_session *s, const uint8_t *bytes, size_t len)
{
    spv__buf_drop(&s->in, s->in_at);
    s->in_at = 0;
    spv__put_bytes(&s->in, bytes, len);
    if (s->in.err != SPV_OK)
        s->err = s->in.err;
}

/* A foreign text is shown to people: nothing but printable ASCII stays. */
static void keep_user_agent(spv_session *s, const spv_version *v)
{
    size_t n = v->user_agent_len;

    if (n > SPV__SESSION_AGENT_MAX)
        n = SPV__SESSION_AGENT_MAX;
    for (size_t i = 0; i < n; i++) {
        char c = v->user_agent[i];

        s->user_agent[i] = c >= ' ' && c <= '~' ? c : '?';
    }
    s->user_agent[n] = '\0';
}

static void fail(spv_session *s, const char *why)
{
    spv__session_end(s);
    s->why = why;
}

static void on_version(spv_session *s, const spv_heard *h)
{
    spv_message m;

    if (spv__message_decode(&m, h->kind, h->payload, h->len) != SPV_OK) {
        fail(s, "its version message cannot be read");
        return;
    }
    s->version = m.as.version.version;
    s->services = m.as.version.services;
    s->height = m.as.version.start_height;
    s->node_relay = m.as.version.relay;
    keep_user_agent(s, &m.as.version);
    say_verack(s);
    s->state = SPV_SESSION_AGREEING;
}

static void on_ping(spv_session *s, const spv_heard *h)
{
    spv_message m;

    if (spv__message_decode(&m, h->kind, h->payload, h->len) == SPV_OK &&
        m.has_nonce)
        say_pong(s, m.as.nonce);
}

/* True: hand it up. */
static bool is_for_above(spv_session *s, const spv_heard *h)
{
    if (h->kind == SPV_MSG_PING && s->state != SPV_SESSION_GREETING)
        on_ping(s, h);
    else if (s->state == SPV_SESSION_READY)
        return true;
    else if (s->state == SPV_SESSION_GREETING && h->kind == SPV_MSG_VERSION)
        on_version(s, h);
    else if (s->state == SPV_SESSION_AGREEING && h->kind == SPV_MSG_VERACK)
        s->state = SPV_SESSION_READY;
    return false;
}

/* The network whose frames begin as these bytes do, or NULL. */
static const spv_network *find_magic(const uint8_t *bytes, size_t len)
{
    for (int i = 0; i < SPV_CHAIN_COUNT; i++) {
        const spv_network *network = spv_network_get((spv_chain)i);

        if (len >= sizeof(network->magic) &&
            memcmp(bytes, network->magic, sizeof(network->magic)) == 0)
            return network;
    }
    return NULL;
}

static bool is_open(const spv_session *s)
{
    return s->state > SPV_SESSION_CONNECTING && s->state < SPV_SESSION_CLOSED;
}

bool spv__session_next(spv_session *s, spv_heard *heard)
{
    while (is_open(s) && s->in_at < s->in.len) {
        spv_frame f;
        spv_frame_state state = spv__frame_decode(
            &f, s->in.bytes + s->in_at, s->in.len - s->in_at, s->network);

        if (state == SPV_FRAME_PART)
            return false;
        if (state == SPV_FRAME_REFUSED) {
            s->theirs =
                find_magic(s->in.bytes + s->in_at, s->in.len - s->in_at);
            fail(s, "it sent bytes that are no message of this network");
            return false;
        }
        s->in_at += f.size;
        if (state == SPV_FRAME_IGNORE)
            continue;
        *heard = (spv_heard){.kind = spv__message_find(f.command),
                             .payload = f.payload,
                             .len = f.len};
        if (is_for_above(s, heard))
            return true;
    }
    return false;
}

bool spv__session_moves(const spv_session *s, spv_patience *p, size_t n)
{
    size_t part = s->in.len - s->in_at;
    bool moves = is_open(s) && (n != p->n || (part > 0 && part != p->part));

    p->n = n;
    p->part = part;
    return moves;
}

bool spv__session_serves_filters(const spv_session *s)
{
    return s->version < SPV__PROTOCOL_BLOOM_BIT ||
           (s->services & SPV__NODE_BLOOM);
}
