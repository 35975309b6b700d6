#include "p2p/stream.h"

#include <assert.h>
#include <stdlib.h>

#include "bloom/filter.h"

/* Less than this in SPV__STREAM_STALL_MS is silence: 136 bytes a second. */
enum { DRIP_BYTES = 4096 };

/* ---- Requests in flight ---- */

static spv_request *flight_at(const spv_flight *f, size_t i)
{
    return &f->ring[(f->head + i) & (f->cap - 1)];
}

static spv_err flight_grow(spv_flight *f, size_t need)
{
    size_t cap = f->cap ? f->cap : 64;
    spv_request *ring = NULL;

    while (cap < need)
        cap *= 2;
    ring = malloc(cap * sizeof(*ring));
    if (!ring)
        return SPV_NOMEM;
    for (size_t i = 0; i < f->n; i++)
        ring[i] = *flight_at(f, i);
    free(f->ring);
    *f = (spv_flight){.ring = ring, .cap = cap, .n = f->n};
    return SPV_OK;
}

static spv_err flight_push(spv_flight *f, const spv_request *request)
{
    if (f->n == f->cap && flight_grow(f, f->n + 1) != SPV_OK)
        return SPV_NOMEM;
    f->n++;
    *flight_at(f, f->n - 1) = *request;
    return SPV_OK;
}

static spv_request flight_pop(spv_flight *f)
{
    spv_request first = *flight_at(f, 0);

    f->head = (f->head + 1) & (f->cap - 1);
    f->n--;
    return first;
}

/* ---- Life ---- */

void spv__stream_init(spv_stream *s, uint32_t id, uint64_t nonce)
{
    *s = (spv_stream){.id = id, .nonce = nonce};
}

void spv__stream_clear(spv_stream *s)
{
    spv__peer_clear(&s->peer);
    spv_filter_clear(&s->mirror);
    spv_filter_clear(&s->loading);
    spv_filter_clear(&s->before);
    spv__answer_clear(&s->answer);
    spv__relay_clear(&s->relay);
    free(s->flight.ring);
    free(s->whole.ring);
    s->flight = s->whole = (spv_flight){0};
}

/* ---- What we ask ---- */

spv_grant spv__stream_grant(const spv_stream *s)
{
    return (spv_grant){.stream = s->id,
                       .generation = s->generation,
                       .sequence = s->sequence + 1,
                       .coverage = s->coverage};
}

/* Time counts for a peer that had nothing to do. */
static void note_asking(spv_stream *s, spv_time now)
{
    bool idle = s->flight.n == 0 && s->whole.n == 0 && !s->answering;

    if (idle)
        s->progress = now;
    spv__pace_asked(&s->pace, idle, now);
}

static void ping(spv_stream *s)
{
    spv__peer_ping(&s->peer, s->nonce + ++s->sequence);
}

spv_err spv__stream_load(spv_stream *s, const spv_filter *filter,
                         size_t coverage, spv_time now)
{
    spv_filterload message = spv__filter_message(filter);

    assert(s->fence == 0);
    spv_filter_clear(&s->loading);
    if (spv_filter_copy(&s->loading, filter) != SPV_OK)
        return SPV_NOMEM;
    spv__peer_filterload(&s->peer, &message);
    ping(s);
    s->fence = s->sequence;
    s->loading_coverage = coverage;
    s->loaded_at = now;
    s->load_wanted = false;
    note_asking(s, now);
    return s->peer.out.err;
}

/* A filter that we do not know any more is replaced. */
static void doubt_filter(spv_stream *s)
{
    s->load_wanted |= s->relay.unknown && !s->fence;
}

/* The peer has it, and has answered all that was asked before. */
static void take_force(spv_stream *s, spv_time now)
{
    spv_filter_clear(&s->mirror);
    s->mirror = s->loading;
    s->loading = (spv_filter){0};
    s->coverage = s->loading_coverage;
    s->rate = spv_filter_rate(&s->mirror);
    s->generation++;
    s->fence = 0;
    spv__relay_renew(&s->relay);
    doubt_filter(s);
    spv__pace_fence_passed(&s->pace, now);
}

static spv_err ask(spv_stream *s, spv_flight *flight, uint32_t type,
                   spv_request *requests, size_t n)
{
    spv_inv *items = malloc(n * sizeof(*items));
    spv_err err = items ? SPV_OK : SPV_NOMEM;

    for (size_t i = 0; i < n && err == SPV_OK; i++) {
        requests[i].sequence = ++s->sequence;
        items[i].type = type;
        items[i].hash = requests[i].hash;
        err = flight_push(flight, &requests[i]);
    }
    if (err == SPV_OK) {
        spv__peer_getdata(&s->peer, items, n);
        ping(s);
        err = s->peer.out.err;
    }
    free(items);
    return err;
}

spv_err spv__stream_ask(spv_stream *s, spv_request *requests, size_t n,
                        spv_time now)
{
    note_asking(s, now);
    return ask(s, &s->flight, SPV_INV_FILTERED_BLOCK, requests, n);
}

spv_err spv__stream_ask_whole(spv_stream *s, spv_request *requests, size_t n,
                              spv_time now)
{
    if (!spv__stream_owes(s))
        s->progress = now;
    return ask(s, &s->whole, SPV_INV_BLOCK, requests, n);
}

/* Match a transaction; what that adds stays only if the peer's filter of that
 * generation has it, too, or may have it. */
static bool match_announced(spv_filter *filter, uint32_t generation,
                            const spv_tx *tx, const spv_open_tx *open)
{
    spv_match match;
    spv_filter bare = *filter;

    if (filter->len == 0)
        return false;
    if (open->from <= generation && generation <= open->to)
        return spv_filter_match(filter, tx, &match);
    bare.flags = SPV_FILTER_UPDATE_NONE;
    return spv_filter_match(&bare, tx, &match);
}

bool spv__stream_mirror(spv_stream *s, const spv_tx *tx,
                        const spv_open_tx *open)
{
    bool now = match_announced(&s->mirror, s->generation, tx, open);
    bool soon = match_announced(&s->loading, s->generation + 1, tx, open);
    bool crossed = open->from != open->to;

    s->relay.unknown |= now && crossed && open->to == s->generation;
    s->relay.crossed |= soon && crossed && open->to > s->generation;
    s->relay.strangers += !now && !soon;
    doubt_filter(s);
    return now || soon;
}

void spv__stream_ask_txs(spv_stream *s, spv_time now)
{
    spv_inv items[SPV__RELAY_BATCH];
    spv_relay *r = &s->relay;

    assert(r->asked == 0);
    for (; r->asked < r->n && r->asked < SPV__RELAY_BATCH; r->asked++) {
        items[r->asked] =
            (spv_inv){.type = SPV_INV_TX, .hash = r->open[r->asked].txid};
        r->open[r->asked].number = s->sequence;
    }
    if (r->asked == 0)
        return;
    s->progress = now;
    spv__peer_getdata(&s->peer, items, r->asked);
    ping(s);
}

void spv__stream_ask_headers(spv_stream *s, const spv_hash *locator, size_t n,
                             spv_time now)
{
    spv__peer_getheaders(&s->peer, locator, n, NULL);
    s->headers_asked = true;
    s->headers_at = now;
    s->progress = now;
}

void spv__stream_ask_range(spv_stream *s, const spv_range_request *request,
                           spv_time now)
{
    if (s->ranges.n == 1)
        s->progress = now;
    spv__peer_getheaders(&s->peer, &request->locator, 1, &request->stop);
}

bool spv__stream_may_ask(const spv_stream *s)
{
    return s->peer.state == SPV_PEER_READY && s->generation > 0 &&
           s->fence == 0 && !s->load_wanted;
}

bool spv__stream_owes(const spv_stream *s)
{
    return s->flight.n || s->whole.n || s->answering || s->headers_asked ||
           s->ranges.n || s->relay.asked || s->fence;
}

spv_time spv__stream_deadline(const spv_stream *s)
{
    if (s->peer.state != SPV_PEER_READY)
        return spv__peer_deadline(&s->peer);
    return spv__stream_owes(s) ? s->progress + SPV__STREAM_STALL_MS : SPV_NEVER;
}

/* ---- What it answers ---- */

typedef struct spv_hearing {
    spv_stream *s;
    const spv_peer_event *heard;
    spv_stream_event *event;
    const spv_tx_source *known;
    spv_time now;
    spv_err *err;
} spv_hearing;

static bool find_fault(spv_hearing *h, const char *why)
{
    if (*h->err != SPV_OK)
        return false;
    spv__peer_fault(&h->s->peer, why);
    h->event->kind = SPV_STREAM_FAULT;
    return true;
}

/* BIP 37 lets a node leave out what it knows that we have. */
static const char *fill_in(spv_hearing *h)
{
    spv_answer *a = &h->s->answer;

    for (size_t i = 0; i < a->proof.n && a->missing; i++) {
        size_t len = 0;
        const uint8_t *bytes = NULL;
        bool taken = false;

        if (a->bytes[i])
            continue;
        bytes = h->known->find(h->known->self, &a->proof.leaves[i].txid, &len);
        if (bytes)
            (void)spv__answer_take(a, bytes, len, &taken, h->err);
        if (!taken)
            return "left out a transaction of a block it proved";
    }
    return NULL;
}

/* What a block has shown need not come by itself any more. */
static void close_announced(spv_stream *s)
{
    for (size_t i = 0; s->relay.n && i < s->answer.proof.n; i++)
        (void)spv__relay_take(&s->relay, &s->answer.proof.leaves[i].txid, NULL);
    doubt_filter(s);
}

/* The answer in the making has all it will get: hand it up, or find fault. */
static bool finish(spv_hearing *h)
{
    spv_stream *s = h->s;
    const char *fault = s->answer.missing ? fill_in(h) : NULL;

    if (!fault && *h->err == SPV_OK)
        fault = spv__answer_match(&s->answer, &s->mirror, &s->relay);
    close_announced(s);
    s->answering = false;
    if (fault || *h->err != SPV_OK)
        return find_fault(h, fault);
    h->event->kind = SPV_STREAM_BLOCK;
    return true;
}

static bool finish_if_whole(spv_hearing *h)
{
    return h->s->answer.missing == 0 && finish(h);
}

/* An event came of the message, but not its own: it will be heard again. */
static bool hear_again(spv_hearing *h)
{
    h->s->again = true;
    return true;
}

/*
 * Answers come in the order of the requests, so those before the one that is
 * answered now will not be. They are refused one by one: the message is heard
 * again until its own request is the oldest.
 */
static bool refuse_oldest(spv_hearing *h)
{
    h->event->kind = SPV_STREAM_REFUSED;
    h->event->request = flight_pop(&h->s->flight);
    return hear_again(h);
}

static bool refuse_whole(spv_hearing *h)
{
    h->event->kind = SPV_STREAM_NO_WHOLE;
    h->event->request = flight_pop(&h->s->whole);
    return hear_again(h);
}

static bool is_asked(const spv_flight *f, const spv_hash *hash)
{
    for (size_t i = 0; i < f->n; i++)
        if (spv_hash_equal(&flight_at(f, i)->hash, hash))
            return true;
    return false;
}

/* The filter as it is now is what the answer to come is audited by. */
static void keep_before(spv_hearing *h)
{
    spv_stream *s = h->s;

    spv_filter_clear(&s->before);
    if (s->keep_before && spv_filter_copy(&s->before, &s->mirror) != SPV_OK)
        *h->err = SPV_NOMEM;
    s->keep_before = false;
}

/* The answer to the oldest request begins. */
static const char *begin(spv_hearing *h)
{
    spv_stream *s = h->s;
    spv_request oldest = flight_pop(&s->flight);
    spv_grant grant = spv__stream_grant(s);

    grant.sequence = oldest.sequence;
    keep_before(h);
    return spv__answer_begin(&s->answer, h->heard->payload, h->heard->len,
                             &oldest, &grant, h->err);
}

static bool on_merkleblock(spv_hearing *h)
{
    spv_stream *s = h->s;
    spv_hash hash;
    const char *fault = NULL;

    if (s->answering)
        return finish(h) && hear_again(h);
    if (h->heard->len < SPV_HEADER_LEN)
        return find_fault(h, "sent a merkleblock that cannot be read");
    spv_header_hash(&hash, h->heard->payload);
    if (s->flight.n == 0 ||
        (!spv_hash_equal(&flight_at(&s->flight, 0)->hash, &hash) &&
         !is_asked(&s->flight, &hash)))
        return find_fault(h, "sent a filtered block that was not asked for");
    s->progress = h->now;
    if (!spv_hash_equal(&flight_at(&s->flight, 0)->hash, &hash))
        return refuse_oldest(h);
    fault = begin(h);
    if (fault || *h->err != SPV_OK)
        return find_fault(h, fault);
    s->answering = true;
    return finish_if_whole(h);
}

/* A transaction outside blocks. */
static bool hear_loose(spv_hearing *h, const spv_tx *tx)
{
    spv_stream *s = h->s;
    spv_open_tx open;

    if (!spv__relay_take(&s->relay, &tx->txid, &open))
        return false;
    s->progress = h->now;
    h->event->kind = SPV_STREAM_TX;
    h->event->payload = h->heard->payload;
    h->event->len = h->heard->len;
    h->event->request.hash = tx->txid;
    h->event->is_stranger = !spv__stream_mirror(s, tx, &open);
    return true;
}

static bool on_loose_tx(spv_hearing *h)
{
    bool told = false;
    spv_tx tx = {0};
    spv_err err = spv_tx_decode(&tx, h->heard->payload, h->heard->len, NULL);

    if (err == SPV_OK)
        told = hear_loose(h, &tx);
    else if (err == SPV_NOMEM)
        *h->err = err;
    spv_tx_clear(&tx);
    return told;
}

static bool on_tx(spv_hearing *h)
{
    bool taken = false;
    const char *fault = NULL;

    if (!h->s->answering)
        return h->s->relay.n && on_loose_tx(h);
    fault = spv__answer_take(&h->s->answer, h->heard->payload, h->heard->len,
                             &taken, h->err);
    if (!fault && taken)
        fault = spv__answer_match(&h->s->answer, &h->s->mirror, &h->s->relay);
    if (fault)
        return find_fault(h, fault);
    if (!taken)
        return h->s->relay.n && on_loose_tx(h);
    h->s->progress = h->now;
    return finish_if_whole(h);
}

static bool on_pong(spv_hearing *h)
{
    spv_stream *s = h->s;
    spv_message m;
    uint64_t number;

    if (s->answering)
        return finish(h) && hear_again(h);
    if (spv__message_decode(&m, SPV_MSG_PONG, h->heard->payload,
                            h->heard->len) != SPV_OK)
        return false;
    number = m.as.nonce - s->nonce;
    if (number <= s->ponged || number > s->sequence)
        return false;
    s->progress = h->now;
    if (s->flight.n && flight_at(&s->flight, 0)->sequence < number)
        return refuse_oldest(h);
    if (s->whole.n && flight_at(&s->whole, 0)->sequence < number)
        return refuse_whole(h);
    s->ponged = number;
    spv__relay_pass(&s->relay, number);
    doubt_filter(s);
    if (s->fence && number >= s->fence)
        take_force(s, h->now);
    return false;
}

static bool on_headers(spv_hearing *h)
{
    if (h->s->headers_asked && h->s->flight.n == 0)
        spv__pace_trip(&h->s->pace, h->now - h->s->headers_at);
    if (h->s->headers_asked || h->s->ranges.n)
        h->s->progress = h->now;
    h->event->kind = SPV_STREAM_HEADERS;
    h->event->payload = h->heard->payload;
    h->event->len = h->heard->len;
    return true;
}

/* Transactions that were matched by a filter of ours. Before the first nothing
 * is announced to us. */
static void hear_announced(spv_stream *s, const spv_items *inv)
{
    uint32_t newest = s->generation + (s->fence != 0);
    spv_open_tx open = {.from = s->generation ? s->generation : 1,
                        .to = newest};

    if (newest == 0)
        return; /* nobody asked for that */
    for (size_t i = 0; i < inv->n; i++) {
        spv_inv item = spv__inv_get(inv, i);

        open.txid = item.hash;
        if (item.type == SPV_INV_TX)
            spv__relay_announce(&s->relay, &open);
    }
    doubt_filter(s);
}

/* The last block of an inv is the newest. */
static bool on_inv(spv_hearing *h)
{
    spv_message m;

    if (spv__message_decode(&m, SPV_MSG_INV, h->heard->payload,
                            h->heard->len) != SPV_OK)
        return find_fault(h, "sent an inv that cannot be read");
    hear_announced(h->s, &m.as.inv);
    for (size_t i = m.as.inv.n; i-- > 0;) {
        spv_inv item = spv__inv_get(&m.as.inv, i);

        if (item.type == SPV_INV_BLOCK) {
            h->event->kind = SPV_STREAM_ANNOUNCED;
            h->event->request = (spv_request){.hash = item.hash};
            return true;
        }
    }
    return false;
}

static bool on_block(spv_hearing *h)
{
    spv_stream *s = h->s;
    spv_hash hash;

    if (s->answering)
        return finish(h) && hear_again(h);
    if (h->heard->len < SPV_HEADER_LEN)
        return find_fault(h, "sent a block that cannot be read");
    spv_header_hash(&hash, h->heard->payload);
    if (!is_asked(&s->whole, &hash))
        return find_fault(h, "sent a whole block that was not asked for");
    s->progress = h->now;
    if (!spv_hash_equal(&flight_at(&s->whole, 0)->hash, &hash))
        return refuse_whole(h);
    h->event->kind = SPV_STREAM_WHOLE;
    h->event->payload = h->heard->payload;
    h->event->len = h->heard->len;
    h->event->request = flight_pop(&s->whole);
    return true;
}

/* Of peers that nobody asked for them they are passed over. */
static bool on_addrs(spv_hearing *h)
{
    spv_message m;

    if (!h->s->peer.wants_addrs)
        return false;
    if (spv__message_decode(&m, h->heard->message, h->heard->payload,
                            h->heard->len) != SPV_OK)
        return find_fault(h, "sent addresses that cannot be read, or more than "
                             "are allowed");
    h->event->kind = SPV_STREAM_ADDRS;
    h->event->addrs = m.as.addrs;
    return true;
}

/* What a ready peer says that concerns us; all else is passed over. */
static bool hear(spv_hearing *h)
{
    static const struct {
        spv_message_kind message;
        bool (*handle)(spv_hearing *h);
    } table[] = {
        {SPV_MSG_MERKLEBLOCK, on_merkleblock},
        {SPV_MSG_TX, on_tx},
        {SPV_MSG_PONG, on_pong},
        {SPV_MSG_HEADERS, on_headers},
        {SPV_MSG_INV, on_inv},
        {SPV_MSG_BLOCK, on_block},
        {SPV_MSG_ADDR, on_addrs},
        {SPV_MSG_ADDRV2, on_addrs},
    };

    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (table[i].message == h->heard->message)
            return table[i].handle(h);
    return false;
}

/* Whether the message that is coming in may be what the peer owes. */
static bool is_awaited(const spv_stream *s)
{
    switch ((int)spv__peer_incoming(&s->peer)) {
    case SPV_MSG_MERKLEBLOCK:
        return s->flight.n > 0;
    case SPV_MSG_TX:
        return s->answering || s->relay.asked;
    case SPV_MSG_BLOCK:
        return s->whole.n > 0;
    case SPV_MSG_HEADERS:
        return s->headers_asked || s->ranges.n;
    default:
        return false;
    }
}

/* Bytes of a long message count as progress, if they are not too few. */
static void hear_part(spv_stream *s, spv_time now)
{
    if (s->peer.bytes_received - s->heard_bytes < DRIP_BYTES || !is_awaited(s))
        return;
    s->heard_bytes = s->peer.bytes_received;
    s->progress = now;
}

/* The message that was to be heard again, or else the next one. */
static bool next_message(spv_stream *s, spv_time now)
{
    bool again = s->again && s->peer.state == SPV_PEER_READY;

    s->again = false;
    return again || spv__peer_next(&s->peer, &s->heard, now);
}

bool spv__stream_next(spv_stream *s, spv_stream_event *event,
                      const spv_tx_source *known, spv_time now, spv_err *err)
{
    spv_hearing h = {.s = s,
                     .heard = &s->heard,
                     .event = event,
                     .known = known,
                     .now = now,
                     .err = err};

    while (*err == SPV_OK && next_message(s, now)) {
        *event = (spv_stream_event){0};
        switch (s->heard.kind) {
        case SPV_PEER_EVENT_READY:
            event->kind = SPV_STREAM_READY;
            return true;
        case SPV_PEER_EVENT_FAULT:
            event->kind = SPV_STREAM_FAULT;
            return true;
        case SPV_PEER_EVENT_MESSAGE:
            if (hear(&h))
                return true;
        }
    }
    hear_part(s, now);
    return false;
}
