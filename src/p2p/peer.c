#include "p2p/peer.h"

#include <string.h>

void spv__peer_init(spv_peer *p, const spv_network *network, spv_conn conn,
                    const spv_netaddr *addr, uint64_t nonce, spv_time now)
{
    *p = (spv_peer){.network = network,
                    .conn = conn,
                    .addr = *addr,
                    .state = SPV_PEER_CONNECTING,
                    .since = now,
                    .nonce = nonce};
}

void spv__peer_clear(spv_peer *p)
{
    spv__buf_clear(&p->in);
    spv__buf_clear(&p->out);
    p->state = SPV_PEER_CLOSED;
}

static void enter(spv_peer *p, spv_peer_state state, spv_time now)
{
    p->state = state;
    p->since = now;
}

void spv__peer_fault(spv_peer *p, const char *why)
{
    if (!p->fault)
        p->fault = why;
    p->state = SPV_PEER_CLOSED;
}

/* ---- What we say ---- */

void spv__peer_say(spv_peer *p, spv_message_kind kind)
{
    spv__frame_end(
        &p->out,
        spv__frame_begin(&p->out, spv__message_command(kind), p->network));
}

static void say_nonce(spv_peer *p, spv_message_kind kind, uint64_t nonce)
{
    size_t mark =
        spv__frame_begin(&p->out, spv__message_command(kind), p->network);

    spv__put_u64(&p->out, nonce);
    spv__frame_end(&p->out, mark);
}

void spv__peer_ping(spv_peer *p, uint64_t nonce)
{
    say_nonce(p, SPV_MSG_PING, nonce);
}

static void say_version(spv_peer *p, int64_t unix_time)
{
    static const char agent[] = "/spvclient:" SPV_VERSION "/";
    size_t mark = spv__frame_begin(&p->out, "version", p->network);
    spv_version v = {.version = SPV__PROTOCOL_VERSION,
                     .time = unix_time,
                     .to = p->addr,
                     .nonce = p->nonce,
                     .user_agent = agent,
                     .user_agent_len = sizeof(agent) - 1,
                     .relay = false,
                     .relay_present = true};

    spv__put_version(&p->out, &v);
    spv__frame_end(&p->out, mark);
}

/* `stop` may be NULL. */
void spv__peer_getheaders(spv_peer *p, const spv_hash *locator, size_t n,
                          const spv_hash *stop)
{
    static const spv_hash as_many_as_possible;
    size_t mark = spv__frame_begin(&p->out, "getheaders", p->network);

    spv__put_locator(&p->out, SPV__PROTOCOL_VERSION, locator, n,
                     stop ? stop : &as_many_as_possible);
    spv__frame_end(&p->out, mark);
}

void spv__peer_getdata(spv_peer *p, const spv_inv *items, size_t n)
{
    size_t mark = spv__frame_begin(&p->out, "getdata", p->network);

    spv__put_inv(&p->out, items, n);
    spv__frame_end(&p->out, mark);
}

void spv__peer_filterload(spv_peer *p, const spv_filterload *filter)
{
    size_t mark = spv__frame_begin(&p->out, "filterload", p->network);

    spv__put_filterload(&p->out, filter);
    spv__frame_end(&p->out, mark);
}

/* ---- What the peer says ---- */

/* A foreign text is shown to people: nothing but printable ASCII stays. */
static void keep_user_agent(spv_peer *p, const spv_version *v)
{
    size_t n = v->user_agent_len;

    if (n > SPV__PEER_AGENT_MAX)
        n = SPV__PEER_AGENT_MAX;
    for (size_t i = 0; i < n; i++) {
        char c = v->user_agent[i];

        p->user_agent[i] = c >= ' ' && c <= '~' ? c : '?';
    }
    p->user_agent[n] = '\0';
}

/* A handler answers within the connection; true: tell those above. */
typedef bool (*handler)(spv_peer *p, spv_peer_event *e, spv_time now);

static bool ignore(spv_peer *p, spv_peer_event *e, spv_time now)
{
    (void)p;
    (void)e;
    (void)now;
    return false;
}

static bool pass_up(spv_peer *p, spv_peer_event *e, spv_time now)
{
    (void)p;
    (void)now;
    e->kind = SPV_PEER_EVENT_MESSAGE;
    return true;
}

static bool find_fault(spv_peer *p, spv_peer_event *e, const char *why)
{
    spv__peer_fault(p, why);
    e->kind = SPV_PEER_EVENT_FAULT;
    return true;
}

static bool on_version(spv_peer *p, spv_peer_event *e, spv_time now)
{
    spv_message m;

    if (spv__message_decode(&m, e->message, e->payload, e->len) != SPV_OK)
        return find_fault(p, e, "sent a version message that cannot be read");
    if (m.as.version.nonce == p->nonce)
        return find_fault(p, e, "is this very program");
    if (m.as.version.version < SPV__PROTOCOL_MIN)
        return find_fault(p, e, "speaks a protocol older than BIP 37");
    p->version = m.as.version.version < SPV__PROTOCOL_VERSION
                     ? m.as.version.version
                     : SPV__PROTOCOL_VERSION;
    p->services = m.as.version.services;
    p->claimed_height = m.as.version.start_height;
    keep_user_agent(p, &m.as.version);
    p->trip = now - p->since;
    /* BIP 155: "must only be sent in response to the version message [...]
     * and prior to sending verack". */
    if (p->wants_addrs && p->version >= SPV__PROTOCOL_WTXIDRELAY)
        spv__peer_say(p, SPV_MSG_SENDADDRV2);
    spv__peer_say(p, SPV_MSG_VERACK);
    enter(p, SPV_PEER_AGREEING, now);
    return false;
}

static bool on_verack(spv_peer *p, spv_peer_event *e, spv_time now)
{
    enter(p, SPV_PEER_READY, now);
    e->kind = SPV_PEER_EVENT_READY;
    return true;
}

static bool on_ping(spv_peer *p, spv_peer_event *e, spv_time now)
{
    spv_message m;

    (void)now;
    if (spv__message_decode(&m, e->message, e->payload, e->len) == SPV_OK)
        say_nonce(p, SPV_MSG_PONG, m.as.nonce);
    return false;
}

/*
 * Who answers what, in which state. What is not listed is passed up by a ready
 * peer and ignored before that: nodes may say much between version and verack
 * (BIP 155, 339 and whatever comes next), and nothing of it is asked for.
 */
static handler handler_of(spv_peer_state state, spv_message_kind message)
{
    static const struct {
        spv_peer_state state;
        spv_message_kind message;
        handler handle;
    } table[] = {
        {SPV_PEER_GREETING, SPV_MSG_VERSION, on_version},
        {SPV_PEER_AGREEING, SPV_MSG_VERACK, on_verack},
        {SPV_PEER_AGREEING, SPV_MSG_PING, on_ping},
        {SPV_PEER_READY, SPV_MSG_PING, on_ping},
        {SPV_PEER_READY, SPV_MSG_VERSION, ignore},
        {SPV_PEER_READY, SPV_MSG_VERACK, ignore},
        {SPV_PEER_READY, SPV_MSG_UNKNOWN, ignore},
    };

    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (table[i].state == state && table[i].message == message)
            return table[i].handle;
    return state == SPV_PEER_READY ? pass_up : ignore;
}

void spv__peer_opened(spv_peer *p, int64_t unix_time, spv_time now)
{
    say_version(p, unix_time);
    enter(p, SPV_PEER_GREETING, now);
}

/* Forget the bytes already looked at before taking in more. */
spv_err spv__peer_received(spv_peer *p, const uint8_t *bytes, size_t len)
{
    spv__buf_drop(&p->in, p->in_at);
    p->in_at = 0;
    p->bytes_received += len;
    spv__put_bytes(&p->in, bytes, len);
    return p->in.err;
}

bool spv__peer_next(spv_peer *p, spv_peer_event *e, spv_time now)
{
    while (p->state != SPV_PEER_CLOSED && p->in_at < p->in.len) {
        spv_frame f;
        spv_frame_state state = spv__frame_decode(
            &f, p->in.bytes + p->in_at, p->in.len - p->in_at, p->network);

        if (state == SPV_FRAME_PART)
            return false;
        *e = (spv_peer_event){0};
        if (state == SPV_FRAME_REFUSED)
            return find_fault(p, e, "sent bytes that are not this network's");
        p->in_at += f.size;
        if (state == SPV_FRAME_IGNORE)
            continue;
        e->message = spv__message_find(f.command);
        e->payload = f.payload;
        e->len = f.len;
        if (handler_of(p->state, e->message)(p, e, now))
            return true;
    }
    return false;
}

spv_message_kind spv__peer_incoming(const spv_peer *p)
{
    spv_frame f;

    if (p->in_at == p->in.len ||
        spv__frame_decode(&f, p->in.bytes + p->in_at, p->in.len - p->in_at,
                          p->network) != SPV_FRAME_PART)
        return SPV_MSG_UNKNOWN;
    return spv__message_find(f.command);
}

spv_time spv__peer_deadline(const spv_peer *p)
{
    switch (p->state) {
    case SPV_PEER_CONNECTING:
        return p->since + SPV__PEER_CONNECT_MS;
    case SPV_PEER_GREETING:
    case SPV_PEER_AGREEING:
        return p->since + SPV__PEER_HANDSHAKE_MS;
    case SPV_PEER_READY:
    case SPV_PEER_CLOSED:
        return SPV_NEVER;
    }
    return SPV_NEVER;
}

bool spv__peer_serves_filters(const spv_peer *p)
{
    /* Before BIP 111 (protocol 70011) every BIP 37 node answered them; since
     * then only those with NODE_BLOOM do, and others hang up. */
    return p->version < SPV__PROTOCOL_BLOOM_BIT ||
           (p->services & SPV__NODE_BLOOM);
}
