#include <stdlib.h>
#include <string.h>

#include "p2p/sync_parts.h"

/* What is asked of peers, and when. */

/* ---- Connections ---- */

static void connect_to(spv_sync *s, spv_candidate *c)
{
    size_t place = spv__sync_place(s, c);
    spv_stream *stream = malloc(sizeof(*stream));
    spv_out out = {.kind = SPV_OUT_CONNECT, .addr = c->addr};

    if (!stream) {
        s->err = SPV_NOMEM;
        return;
    }
    c->state = SPV_CANDIDATE_ACTIVE;
    c->conn = out.conn = spv__sync_name(s);
    spv__stream_init(stream, (uint32_t)c->conn, spv__sync_random(s));
    spv__peer_init(&stream->peer, s->config.network, c->conn, &c->addr,
                   spv__sync_random(s), s->now);
    stream->peer.wants_addrs = c->found;
    s->streams[place] = stream;
    spv__sync_command(s, &out);
}

static void resolve(spv_sync *s, spv_candidate *c)
{
    spv_out out = {.kind = SPV_OUT_RESOLVE,
                   .addr = c->addr,
                   .bytes = (const uint8_t *)c->host,
                   .len = strlen(c->host)};

    c->state = SPV_CANDIDATE_RESOLVING;
    c->conn = out.conn = spv__sync_name(s);
    spv__sync_command(s, &out);
}

static void start_due(spv_sync *s)
{
    for (size_t i = 0; i < s->pool.n; i++) {
        spv_candidate *c = &s->pool.item[i];

        if (c->state != SPV_CANDIDATE_IDLE || c->retry_at > s->now)
            continue;
        if (c->resolved)
            connect_to(s, c);
        else
            resolve(s, c);
    }
}

/* ---- Headers: one peer after the other, each once ---- */

/* Until when the peer that was asked last is waited for; 0 when nobody owes
 * headers. */
static spv_time headers_due(const spv_sync *s)
{
    spv_time due = 0;

    for (size_t i = 0; i < s->pool.n; i++) {
        const spv_stream *stream = s->streams[i];

        if (stream && stream->headers_asked &&
            stream->headers_at + SPV__HEADERS_LATE_MS > due)
            due = stream->headers_at + SPV__HEADERS_LATE_MS;
    }
    return due;
}

/* The next peer that has neither shown its chain nor been asked for it: what
 * lies below the last checkpoint is not asked for so. */
static spv_stream *next_unheard(const spv_sync *s)
{
    for (size_t i = 0; i < s->pool.n && spv__ranges_done(&s->ranges); i++) {
        spv_stream *stream = s->streams[i];

        if (stream && stream->peer.state == SPV_PEER_READY &&
            !stream->headers_done && !stream->headers_asked &&
            !stream->ranges.relieved && !stream->guide)
            return stream;
    }
    return NULL;
}

static void ask_headers(spv_sync *s)
{
    spv_hash locator[SPV__TREE_LOCATOR_MAX];
    spv_stream *stream = next_unheard(s);

    if (stream && s->now >= headers_due(s))
        spv__stream_ask_headers(stream, locator,
                                spv__tree_locator(s->config.tree, locator),
                                s->now);
}

/* When the next peer is asked for headers although another was before it. */
static spv_time headers_deadline(const spv_sync *s)
{
    spv_time due = headers_due(s);

    return next_unheard(s) && s->now < due ? due : SPV_NEVER;
}

/* ---- Filtered blocks ---- */

/* Would an answer under the filter that the peer has now be believed? */
static bool filter_suffices(const spv_sync *s, const spv_stream *stream)
{
    spv_grant grant = spv__stream_grant(stream);

    return stream->generation > 0 && stream->coverage >= s->log.wanted &&
           spv__coverage_judge(&s->coverage, &grant) == SPV_COVERED;
}

/* The next free heights, up to `n` of them, lowest first. */
static size_t gather(spv_sync *s, spv_request *requests, size_t n, int32_t top)
{
    size_t count = 0;

    while (count < n) {
        int32_t height = spv__board_next_free(&s->board, top);
        spv_tree_block block;

        if (!height || !spv__tree_at(s->config.tree, height, &block))
            break;
        requests[count++] = (spv_request){.hash = block.hash, .height = height};
        /* A number to be given in a moment; the cell must not be free. */
        spv__board_ask(&s->board, height, 0, 0);
    }
    return count;
}

static void note_asked(spv_sync *s, const spv_stream *stream,
                       const spv_request *requests, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        spv_cell *cell = spv__board_at(&s->board, requests[i].height);

        cell->stream = stream->id;
        cell->sequence = requests[i].sequence;
        cell->asked_at = s->now;
        s->count.refetched += cell->again;
    }
}

static void ask_blocks(spv_sync *s, spv_stream *stream, size_t window,
                       int32_t top)
{
    spv_request requests[SPV__WINDOW_ALONE_MAX];
    size_t n = 0;

    if (stream->flight.n > window / 2)
        return;
    n = window - stream->flight.n;
    if (n > spv__sync_audit_room(s))
        n = spv__sync_audit_room(s);
    n = gather(s, requests, n, top);
    if (n == 0)
        return;
    s->err = spv__stream_ask(stream, requests, n, s->now);
    note_asked(s, stream, requests, n);
}

/* ---- Debts ---- */

bool spv__sync_debts_are_due(const spv_sync *s)
{
    return s->debts.n &&
           (s->board.base >= spv__sync_goal(s) || s->debts.n >= SPV__DEBTS_MAX);
}

static size_t gather_debts(spv_sync *s, spv_request *requests, size_t most)
{
    size_t n = 0;

    for (size_t i = 0; i < s->debts.n && n < most; i++) {
        const spv_debt *debt = &s->debts.item[i];
        spv_tree_block block;

        if (debt->state == SPV_DEBT_OPEN &&
            spv__tree_at(s->config.tree, debt->height, &block))
            requests[n++] =
                (spv_request){.hash = block.hash, .height = debt->height};
    }
    return n;
}

static void note_debts_asked(spv_sync *s, const spv_stream *stream,
                             const spv_request *requests, size_t n)
{
    for (size_t i = 0, k = 0; i < s->debts.n && k < n; i++) {
        spv_debt *debt = &s->debts.item[i];

        if (debt->height != requests[k].height)
            continue;
        debt->state = SPV_DEBT_ASKED;
        debt->stream = stream->id;
        debt->asked_at = s->now;
        debt->sequence = requests[k++].sequence;
        s->count.refetched++;
    }
}

static void ask_debts(spv_sync *s, spv_stream *stream)
{
    spv_request requests[SPV__DEBTS_BATCH];
    size_t n = spv__sync_audit_room(s);

    if (stream->flight.n)
        return;
    n = gather_debts(s, requests, n < SPV__DEBTS_BATCH ? n : SPV__DEBTS_BATCH);
    if (n == 0)
        return;
    s->err = spv__stream_ask(stream, requests, n, s->now);
    note_debts_asked(s, stream, requests, n);
}

/* ---- Who is asked ---- */

static void load(spv_sync *s, spv_stream *stream)
{
    s->err = spv__stream_load(stream, s->log.filter, s->log.length, s->now);
    s->count.filterloads++;
}

/* Ready to be asked for something, with a filter that lacks nothing. */
static bool is_equipped(spv_sync *s, spv_stream *stream)
{
    if (!stream->fence && (stream->load_wanted || !filter_suffices(s, stream)))
        load(s, stream);
    return s->err == SPV_OK && spv__stream_may_ask(stream);
}

/* Its filter is to hold what we wait for also while no block is asked for, but
 * that is no hurry: before the next block it is looked after anyway. One that
 * is merely unknown can wait for that, or a peer could have us send filters
 * without end. */
static void keep_informed(spv_sync *s, spv_stream *stream)
{
    bool may_load = !stream->fence && s->log.length &&
                    (stream->generation == 0 ||
                     s->now - stream->loaded_at >= SPV__IDLE_LOAD_MS);

    if (may_load && !filter_suffices(s, stream))
        load(s, stream);
    else if (spv__stream_may_ask(stream))
        spv__sync_listen(s, stream);
}

static spv_company company(const spv_sync *s, const spv_stream *stream,
                           size_t sharing)
{
    if (sharing > 1)
        return SPV_SHARING;
    return spv__sync_is_helped(s, stream) ? SPV_BEFORE_RESERVES : SPV_ALONE;
}

static void serve(spv_sync *s, size_t place, size_t sharing)
{
    spv_stream *stream = s->streams[place];
    int32_t top = spv__sync_goal(s);
    size_t window =
        spv__pace_window(&stream->pace, company(s, stream, sharing));
    int32_t reach = s->board.base + (int32_t)(2 * window * sharing);

    if (sharing > 1 && reach < top)
        top = reach;
    if (s->board.held > SPV__HELD_BYTES_MAX)
        top = s->board.base + 1;
    spv__sync_take_over(s, place);
    if (spv__board_next_free(&s->board, top)) {
        if (stream->shares && is_equipped(s, stream))
            ask_blocks(s, stream, window, top);
    } else if (spv__sync_debts_are_due(s)) {
        if (is_equipped(s, stream))
            ask_debts(s, stream);
    } else if (s->listens) {
        keep_informed(s, stream);
    }
}

static void ask_all(spv_sync *s)
{
    size_t sharing = spv__sync_choose_sharing(s);
    size_t first = s->first;

    for (size_t i = 0; i < s->pool.n && s->err == SPV_OK; i++) {
        size_t place = (first + i) % s->pool.n;

        if (spv__sync_serves(s, s->streams[place]))
            serve(s, place, sharing);
    }
}

void spv__sync_work(spv_sync *s)
{
    if (s->ended || s->err != SPV_OK || !s->began)
        return;
    spv__sync_find(s);
    start_due(s);
    spv__sync_ask_ranges(s);
    ask_headers(s);
    spv__sync_probe(s);
    spv__sync_relay(s);
    if (s->positioned)
        ask_all(s);
    spv__sync_ask_whole(s);
}

/* ---- Time ---- */

static void drop_late(spv_sync *s, size_t place)
{
    switch (s->streams[place]->peer.state) {
    case SPV_PEER_CONNECTING:
        spv__sync_drop(s, place, SPV_TIMEOUT, "cannot be reached in time");
        return;
    case SPV_PEER_GREETING:
    case SPV_PEER_AGREEING:
        spv__sync_drop(s, place, SPV_TIMEOUT,
                       "does not finish the handshake in time");
        return;
    case SPV_PEER_READY:
    case SPV_PEER_CLOSED:
        spv__sync_note_vain(s, place);
        spv__sync_drop(s, place, SPV_TIMEOUT, "does not answer in time");
        return;
    }
}

void spv__sync_elapsed(spv_sync *s, spv_time now)
{
    s->now = now;
    if (!s->began)
        s->began = now ? now : 1;
    spv__sync_catch_up(s);
    for (size_t i = 0; i < s->pool.n; i++)
        if (s->streams[i] && spv__stream_deadline(s->streams[i]) <= now)
            drop_late(s, i);
    for (size_t i = 0; i < s->pool.n; i++)
        spv__sync_watch_pace(s, i);
}

static spv_time earlier(spv_time a, spv_time b)
{
    return a < b ? a : b;
}

/* When the next filter is due of those that can wait: at that moment whatever
 * is asked for comes first, and looks after it. */
static spv_time inform_deadline(const spv_sync *s)
{
    spv_time first = SPV_NEVER;

    for (size_t i = 0; s->listens && i < s->pool.n; i++) {
        const spv_stream *stream = s->streams[i];

        if (spv__sync_serves(s, stream) && spv__stream_may_ask(stream) &&
            stream->loaded_at + SPV__IDLE_LOAD_MS > s->now &&
            !filter_suffices(s, stream))
            first = earlier(first, stream->loaded_at + SPV__IDLE_LOAD_MS);
    }
    return first;
}

spv_time spv__sync_deadline(const spv_sync *s)
{
    spv_time first = spv__pool_deadline(&s->pool);

    if (s->ended)
        return SPV_NEVER;
    if (!s->began)
        return 0;
    if (s->err != SPV_OK || s->later.len)
        return s->now; /* to be told, or looked at, at once */
    for (size_t i = 0; i < s->pool.n; i++)
        if (s->streams[i])
            first = earlier(first, spv__stream_deadline(s->streams[i]));
    first = earlier(first, spv__sync_share_deadline(s));
    first = earlier(first, spv__sync_ranges_deadline(s));
    first = earlier(first, headers_deadline(s));
    first = earlier(first, spv__sync_trust_deadline(s));
    first = earlier(first, spv__sync_probe_deadline(s));
    first = earlier(first, inform_deadline(s));
    first = earlier(first, spv__sync_find_deadline(s));
    if (s->positioned && s->board.base >= spv__sync_goal(s) &&
        s->now - s->news_at < SPV__SYNC_GRACE_MS)
        first = earlier(first, s->news_at + SPV__SYNC_GRACE_MS);
    if (s->positioned && spv__sync_is_hearing(s))
        first = earlier(first, s->now + SPV__SYNC_GRACE_MS);
    return first;
}

/* ---- Outputs ---- */

static bool next_command(spv_sync *s, spv_out *out)
{
    if (s->command_at == s->n_commands) {
        s->command_at = s->n_commands = 0;
        return false;
    }
    *out = s->commands[s->command_at++];
    return true;
}

static bool next_send(spv_sync *s, spv_out *out)
{
    for (size_t i = 0; i < s->pool.n; i++) {
        spv_peer *p = s->streams[i] ? &s->streams[i]->peer : NULL;
        spv_buf sent = s->sending;

        if (p && p->out.err != SPV_OK)
            s->err = p->out.err; /* half a frame: nothing more goes out */
        if (!p || p->out.len == 0 || s->err != SPV_OK)
            continue;
        s->sending = p->out;
        p->out = sent;
        spv__buf_reset(&p->out);
        p->bytes_sent += s->sending.len;
        *out = (spv_out){.kind = SPV_OUT_SEND,
                         .conn = p->conn,
                         .bytes = s->sending.bytes,
                         .len = s->sending.len};
        return true;
    }
    return false;
}

bool spv__sync_next_out(spv_sync *s, spv_out *out)
{
    if (next_command(s, out))
        return true;
    spv__sync_work(s);
    return next_command(s, out) || next_send(s, out);
}
