#include <stdlib.h>
#include <string.h>

#include "chain/rules.h"
#include "p2p/sync_parts.h"

/* What peers say, and what it changes. */

/* A peer that refuses so many blocks in a row of the chain it showed us has
 * not got them. */
enum { REFUSALS_MAX = 3 };

/* One that is behind is given so much time. */
enum { REST_MS = 2000 };

/* Nor one that announces so many blocks and shows none of them. */
enum { IN_VAIN_MAX = 10 };

/* ---- Connections ---- */

void spv__sync_opened(spv_sync *s, spv_conn conn, spv_time now)
{
    spv_candidate *c = spv__pool_find(&s->pool, conn);

    s->now = now;
    if (c && s->streams[spv__sync_place(s, c)])
        spv__peer_opened(&s->streams[spv__sync_place(s, c)]->peer,
                         spv__sync_unix_time(s), now);
}

static const char *reason_for_closing(const spv_stream *stream, spv_err why)
{
    bool connecting = stream && stream->peer.state == SPV_PEER_CONNECTING;

    if (connecting && why == SPV_CLOSED)
        return "refused the connection";
    if (!stream || stream->peer.state == SPV_PEER_CONNECTING)
        return "cannot be reached";
    if (stream->peer.state != SPV_PEER_READY)
        return "hung up during the handshake";
    if (stream->flight.n || stream->whole.n)
        return "hung up when asked for blocks (pruned, or its upload limit "
               "is reached?)";
    return "hung up";
}

void spv__sync_closed(spv_sync *s, spv_conn conn, spv_err why, spv_time now)
{
    spv_candidate *c = spv__pool_find(&s->pool, conn);

    s->now = now;
    if (!c)
        return;
    if (why == SPV_NOMEM)
        s->err = SPV_NOMEM;
    spv__sync_lose(s, spv__sync_place(s, c), why == SPV_TIMEOUT ? why : SPV_IO,
                   reason_for_closing(s->streams[spv__sync_place(s, c)], why));
}

void spv__sync_resolved(spv_sync *s, spv_conn conn, const spv_netaddr *addrs,
                        size_t n, spv_time now)
{
    spv_candidate *c = spv__pool_find(&s->pool, conn);

    s->now = now;
    if (!c && spv__search_resolved(&s->search, conn, addrs, n,
                                   spv__sync_unix_time(s)))
        s->err = s->search.err;
    if (!c || c->state != SPV_CANDIDATE_RESOLVING)
        return;
    if (n == 0) {
        spv__sync_lose(s, spv__sync_place(s, c), SPV_IO,
                       "has a name that cannot be resolved");
        return;
    }
    c->addr = addrs[0];
    c->resolved = true;
    c->state = SPV_CANDIDATE_IDLE;
    c->retry_at = now;
}

/* ---- Headers ---- */

void spv__sync_follow(spv_sync *s, const spv_tree_change *change)
{
    int32_t top = s->board.base + SPV__BOARD_CELLS;

    if (!change->moved || change->n_disconnected == 0)
        return;
    for (int32_t h = change->fork + 1; h <= top; h++)
        spv__board_release(&s->board, h);
}

/* Ask this peer for what comes after the headers it sent; `last` may be NULL
 * when there were none. */
static void ask_on(spv_sync *s, spv_stream *stream, const spv_hash *last)
{
    spv_hash locator[SPV__TREE_LOCATOR_MAX + 1];
    size_t n = 0;

    if (last)
        locator[n++] = *last;
    else
        stream->headers_top = 0;
    n += spv__tree_locator(s->config.tree, locator + n);
    spv__stream_ask_headers(stream, locator, n, s->now);
}

static void heard_all_headers(spv_sync *s, size_t place)
{
    if (!s->streams[place]->headers_done)
        spv__sync_shown(s, place);
    s->streams[place]->headers_done = true;
    spv__sync_note_service(s, place);
    s->pool.item[place].tried = true;
}

/* A full message must end above the one before it: nobody keeps us busy with
 * headers that we know. */
static bool leads_on(const spv_sync *s, spv_stream *stream,
                     const spv_hash *last)
{
    spv_tree_block block;

    if (!spv__tree_find(s->config.tree, last, &block) ||
        block.height <= stream->headers_top)
        return false;
    stream->headers_top = block.height;
    return true;
}

spv_verdict spv__sync_add_header(spv_sync *s, const uint8_t *header, bool *news)
{
    spv_tree_change change;
    spv_verdict verdict =
        spv__tree_add(s->config.tree, header, spv__sync_unix_time(s), &change);

    spv__sync_follow(s, &change);
    *news |= change.moved;
    return verdict;
}

/* Add headers until one is not taken; its verdict is returned. */
static spv_verdict add_headers(spv_sync *s, const spv_items *headers,
                               bool *news)
{
    spv_verdict verdict = SPV_VERDICT_ADDED;

    for (size_t i = 0; i < headers->n; i++) {
        verdict = spv__sync_add_header(s, spv__headers_get(headers, i), news);
        if (verdict != SPV_VERDICT_ADDED && verdict != SPV_VERDICT_DUPLICATE)
            break;
    }
    return verdict;
}

/* What the peer did, for a header that breaks a rule. */
static const char *header_fault(spv_verdict verdict)
{
    switch ((int)verdict) {
    case SPV_VERDICT_ORPHAN:
        return "sent headers that do not follow from what was asked for";
    case SPV_VERDICT_BAD_POW:
        return "sent a header whose hash is above the target";
    case SPV_VERDICT_BAD_BITS:
        return "sent a header whose difficulty is not what the network's rules "
               "require";
    case SPV_VERDICT_OLD_TIME:
        return "sent a header whose time is not above the median of the eleven "
               "before it";
    case SPV_VERDICT_TIME_WARP:
        return "sent a header whose time is too far before the block ahead of "
               "its period";
    case SPV_VERDICT_OLD_VERSION:
        return "sent a header whose version is too low for its height";
    case SPV_VERDICT_CHECKPOINT:
        return "sent a header that conflicts with a checkpoint";
    default:
        return "sent a side branch that is too long for its work";
    }
}

/* When no other block is missing, whoever shows new ones is asked for them
 * first: the others may not have them yet. */
static void note_who_has_news(spv_sync *s, size_t place, size_t n)
{
    if (s->board.base + (int32_t)n >= spv__sync_goal(s))
        s->first = place;
}

/* Headers of a peer that was asked for them, or not. `ahead`: what comes after
 * them was asked for already. */
static void take_headers(spv_sync *s, size_t place, const spv_items *headers,
                         bool asked, bool ahead)
{
    spv_stream *stream = s->streams[place];
    bool news = false;
    bool behind = stream->headers_future;
    spv_verdict verdict = add_headers(s, headers, &news);
    bool grown = news;
    spv_hash last;

    stream->headers_at = s->now;
    stream->refusing = false;
    spv__sync_recall(s, place, headers, &news);
    if (!spv__sync_weigh_headers(s, place, headers, news))
        return;
    /* What follows a header that was set aside is no orphan of the peer's. */
    stream->headers_future = verdict == SPV_VERDICT_FUTURE ||
                             (behind && verdict == SPV_VERDICT_ORPHAN);
    if (headers->n)
        stream->in_vain = 0;
    if (grown)
        spv__pool_progress(&s->pool.item[place]);
    if (news) {
        s->news_at = s->now;
        note_who_has_news(s, place, headers->n);
    }
    if (verdict == SPV_VERDICT_NOMEM)
        s->err = SPV_NOMEM;
    if (spv_verdict_is_fault(verdict) ||
        (asked && verdict == SPV_VERDICT_ORPHAN && !behind)) {
        spv__sync_drop(s, place, SPV_PROTOCOL, header_fault(verdict));
        return;
    }
    if (verdict == SPV_VERDICT_ORPHAN && !behind) {
        ask_on(s, stream, NULL);
        return;
    }
    if (headers->n < SPV__HEADERS_MAX || stream->headers_future) {
        heard_all_headers(s, place);
        return;
    }
    spv_header_hash(&last, spv__headers_get(headers, headers->n - 1));
    if (!leads_on(s, stream, &last))
        spv__sync_drop(s, place, SPV_PROTOCOL,
                       "sends the same headers again and again");
    else if (!ahead)
        ask_on(s, stream, &last);
}

/* A full message, none of whose headers is ahead of our clock: whatever is
 * wrong with it is a fault, and else more will come. */
static bool leads_on_or_lies(const spv_sync *s, const spv_items *headers)
{
    for (size_t i = 0; i < headers->n; i++) {
        spv_header h;

        spv_header_decode(&h, spv__headers_get(headers, i));
        if (h.time > spv__sync_unix_time(s) + SPV__FUTURE_MAX)
            return false;
    }
    return headers->n == SPV__HEADERS_MAX;
}

/* Ask for what comes after it before it is looked at: the node works while we
 * do. */
static void put_off(spv_sync *s, size_t place, const spv_items *headers,
                    const spv_stream_event *e)
{
    spv_hash last;

    spv__put_bytes(&s->later, e->payload, e->len);
    s->err = s->later.err;
    s->later_of = s->streams[place]->id;
    spv_header_hash(&last, spv__headers_get(headers, headers->n - 1));
    ask_on(s, s->streams[place], &last);
}

void spv__sync_catch_up(spv_sync *s)
{
    spv_message m;

    if (s->later.len == 0 || s->err != SPV_OK)
        return;
    (void)spv__message_decode(&m, SPV_MSG_HEADERS, s->later.bytes,
                              s->later.len);
    for (size_t i = 0; i < s->pool.n; i++)
        if (s->streams[i] && s->streams[i]->id == s->later_of)
            take_headers(s, i, &m.as.headers, true, true);
    spv__buf_reset(&s->later);
}

static void on_headers(spv_sync *s, size_t place, const spv_stream_event *e)
{
    spv_stream *stream = s->streams[place];
    bool asked = stream->headers_asked;
    spv_message m;

    if (spv__message_decode(&m, SPV_MSG_HEADERS, e->payload, e->len) !=
        SPV_OK) {
        spv__sync_drop(s, place, SPV_PROTOCOL,
                       "sent headers that cannot be read");
        return;
    }
    if (stream->ranges.n) {
        spv__sync_hear_range(s, place, &m.as.headers);
        return;
    }
    stream->headers_asked = false;
    if (asked && leads_on_or_lies(s, &m.as.headers))
        put_off(s, place, &m.as.headers, e);
    else
        take_headers(s, place, &m.as.headers, asked, false);
}

static void on_announced(spv_sync *s, size_t place, const spv_stream_event *e)
{
    spv_stream *stream = s->streams[place];

    if (stream->headers_asked || !spv__ranges_done(&s->ranges) ||
        spv__tree_find(s->config.tree, &e->request.hash, NULL))
        return;
    if (++stream->in_vain > IN_VAIN_MAX) {
        spv__sync_drop(s, place, SPV_TIMEOUT,
                       "announces blocks that it does not show");
        return;
    }
    ask_on(s, stream, NULL);
}

/* ---- Handshake and blocks ---- */

static void on_ready(spv_sync *s, size_t place, const spv_stream_event *e)
{
    const spv_peer *peer = &s->streams[place]->peer;
    spv_candidate *c = &s->pool.item[place];

    (void)e;
    memcpy(c->user_agent, peer->user_agent, sizeof(c->user_agent));
    c->services = peer->services;
    if (c->found && !spv__sync_welcome(s, place))
        return;
    c->greeted = true;
    c->ready_untold = true;
    spv__pace_trip(&s->streams[place]->pace, peer->trip);
    if (!spv__peer_serves_filters(peer)) {
        spv__sync_drop(s, place, SPV_NO_PEER, "does not serve bloom filters");
        return;
    }
    if (!s->first_ready)
        s->first_ready = s->now;
    spv__sync_draw(s, place);
}

/* What matched by chance made the peer's filter match more by chance. */
static bool is_worn(const spv_sync *s, const spv_stream *stream)
{
    double rate = spv_filter_rate(&stream->mirror);

    return rate > SPV__MIRROR_LEAST &&
           rate > SPV__MIRROR_BAND * stream->rate && /* ours is not below it */
           rate > SPV__MIRROR_BAND * spv_filter_rate(s->log.filter);
}

/* A peer that refused some of what it was asked, and then answered the rest,
 * has another chain by now. */
static void hear_again(spv_sync *s, spv_stream *stream)
{
    if (!stream->refusing || stream->flight.n)
        return;
    spv__debts_release(&s->debts, stream->id);
    if (!stream->headers_asked)
        ask_on(s, stream, NULL);
}

/* Of the block that is wanted, by a filter that lacked no key. */
static bool is_welcome(const spv_sync *s, const spv_answer *answer)
{
    spv_tree_block at;

    return spv__tree_at(s->config.tree, answer->height, &at) &&
           spv_hash_equal(&at.hash, &answer->hash) &&
           spv__coverage_judge(&s->coverage, &answer->grant) != SPV_LACKS_KEY;
}

static void on_block(spv_sync *s, size_t place, const spv_stream_event *e)
{
    spv_stream *stream = s->streams[place];

    (void)e;
    stream->refusals = 0;
    spv__pace_answered(&stream->pace, stream->flight.n, s->now);
    if (stream->answer.proof.n && !stream->fence && is_worn(s, stream))
        stream->load_wanted = true;
    if (!spv__sync_weigh(s, place))
        return;
    if (spv__board_hold(&s->board, &stream->answer,
                        is_welcome(s, &stream->answer), &s->err) ||
        spv__debts_hold(&s->debts, &stream->answer, &s->coverage, &s->err)) {
        stream->served++;
        spv__pool_progress(&s->pool.item[place]);
    }
    spv__answer_clear(&stream->answer);
    hear_again(s, stream);
}

/* A round ended without the blocks. A peer that never showed them may be
 * behind: it is given time, and not blamed while others serve. */
static bool gives_up(spv_sync *s, spv_stream *stream, int32_t height)
{
    bool shown = spv__sync_has_shown(s, stream, height);

    if (!shown)
        stream->rests_until = s->now + REST_MS;
    if (!shown && spv__sync_is_helped(s, stream))
        return false;
    return ++stream->refusals == REFUSALS_MAX;
}

static void give_up(spv_sync *s, size_t place, int32_t height)
{
    bool shown = spv__sync_has_shown(s, s->streams[place], height);

    spv__sync_note_vain(s, place);
    spv__sync_drop(s, place, SPV_TIMEOUT,
                   shown ? "does not answer for blocks of the chain it showed"
                         : "does not answer for blocks: it may be behind");
}

/* The peer's chain may have changed under the request: hear it again. */
static void on_refused(spv_sync *s, size_t place, const spv_stream_event *e)
{
    spv_stream *stream = s->streams[place];
    const spv_cell *cell = spv__board_at(&s->board, e->request.height);

    if (cell && cell->state == SPV_CELL_ASKED && cell->stream == stream->id &&
        cell->sequence == e->request.sequence)
        spv__board_release(&s->board, e->request.height);
    stream->refusing = true;
    if (stream->flight.n == 0)
        spv__debts_release(&s->debts, stream->id);
    spv__sync_note_denial(s, stream, &e->request);
    if (stream->flight.n || stream->headers_asked)
        return;
    if (!spv__sync_set_aside(s, stream) &&
        gives_up(s, stream, e->request.height))
        give_up(s, place, e->request.height);
    else
        ask_on(s, stream, NULL);
}

static void on_fault(spv_sync *s, size_t place, const spv_stream_event *e)
{
    (void)e;
    spv__sync_drop(s, place, SPV_PROTOCOL, s->streams[place]->peer.fault);
}

/* A guide announces blocks like any other node, and is not asked for them. */
static bool concerns_us(const spv_stream *stream, const spv_stream_event *e)
{
    return !stream->guide || e->kind == SPV_STREAM_ADDRS ||
           e->kind == SPV_STREAM_FAULT;
}

static void hear(spv_sync *s, size_t place, const spv_stream_event *e)
{
    static void (*const table[])(spv_sync * s, size_t place,
                                 const spv_stream_event *e) = {
        [SPV_STREAM_READY] = on_ready,
        [SPV_STREAM_HEADERS] = on_headers,
        [SPV_STREAM_BLOCK] = on_block,
        [SPV_STREAM_REFUSED] = on_refused,
        [SPV_STREAM_WHOLE] = spv__sync_hear_whole,
        [SPV_STREAM_NO_WHOLE] = spv__sync_miss_whole,
        [SPV_STREAM_ANNOUNCED] = on_announced,
        [SPV_STREAM_TX] = spv__sync_hear_tx,
        [SPV_STREAM_ADDRS] = spv__sync_hear_addrs,
        [SPV_STREAM_FAULT] = on_fault,
    };

    spv__sync_catch_up(s); /* everything in its order */
    if (s->streams[place] && concerns_us(s->streams[place], e))
        table[e->kind](s, place, e);
}

void spv__sync_received(spv_sync *s, spv_conn conn, const uint8_t *bytes,
                        size_t len, spv_time now)
{
    spv_candidate *c = spv__pool_find(&s->pool, conn);
    size_t place = c ? spv__sync_place(s, c) : 0;
    spv_stream_event e;

    s->now = now;
    if (!c || !s->streams[place] || s->err != SPV_OK)
        return;
    s->err = spv__peer_received(&s->streams[place]->peer, bytes, len);
    while (
        s->err == SPV_OK && s->streams[place] &&
        spv__stream_next(s->streams[place], &e, &s->config.known, now, &s->err))
        hear(s, place, &e);
    spv__sync_watch_pace(s, place);
}
