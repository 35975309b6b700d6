#include "p2p/sync_parts.h"

/* Headers up to the last checkpoint: ranges, from all peers at once. */

/* A peer whose answer to a range takes so long is late, whatever else it says.
 * Twice what a slow line needs for a queue of them. */
enum { RANGE_LATE_MS = 15000 };

/* ---- Asking ---- */

/* Answers are told apart by their order: a peer is asked for its own chain when
 * no range is missing any more, so what it still owes of them comes first. */
static bool is_ready(const spv_stream *stream)
{
    return stream && stream->peer.state == SPV_PEER_READY && !stream->guide;
}

static void ask(spv_sync *s, spv_stream *stream)
{
    spv_range_request request;

    while (spv__ranges_ask(&s->ranges, &stream->ranges, s->now, &request))
        spv__stream_ask_range(stream, &request, s->now);
}

/* From when on the peer is late: it is silent, or all but. */
static spv_time late_at(const spv_stream *stream)
{
    spv_time silent = stream->progress + SPV__HEADERS_LATE_MS;
    spv_time slow = silent;

    if (stream->ranges.n)
        slow = stream->ranges.item[0].at + RANGE_LATE_MS;
    return silent < slow ? silent : slow;
}

/* When somebody else may fetch what this peer was asked for; SPV_NEVER when it
 * holds up nothing, or nobody else is there. */
static spv_time relief_at(const spv_sync *s, const spv_stream *stream)
{
    if (!spv__ranges_rest_on(&s->ranges, &stream->ranges))
        return SPV_NEVER;
    for (size_t i = 0; i < s->pool.n; i++)
        if (s->streams[i] && s->streams[i] != stream &&
            is_ready(s->streams[i]) &&
            spv__ranges_has_room(&s->streams[i]->ranges))
            return late_at(stream);
    return SPV_NEVER;
}

void spv__sync_ask_ranges(spv_sync *s)
{
    for (size_t i = 0; i < s->pool.n; i++)
        if (s->streams[i] && relief_at(s, s->streams[i]) <= s->now)
            spv__ranges_release(&s->ranges, &s->streams[i]->ranges);
    for (size_t i = 0; i < s->pool.n; i++)
        if (is_ready(s->streams[i]))
            ask(s, s->streams[i]);
}

spv_time spv__sync_ranges_deadline(const spv_sync *s)
{
    spv_time first = SPV_NEVER;

    for (size_t i = 0; i < s->pool.n; i++) {
        spv_time at = s->streams[i] ? relief_at(s, s->streams[i]) : SPV_NEVER;

        first = at < first ? at : first;
    }
    return first;
}

/* ---- Hearing ---- */

static bool is_taken(spv_verdict verdict)
{
    return verdict == SPV_VERDICT_ADDED || verdict == SPV_VERDICT_DUPLICATE;
}

/* Whether the tree has all of them now. */
static bool add_all(spv_sync *s, const uint8_t *headers, size_t n)
{
    spv_verdict verdict = SPV_VERDICT_ADDED;
    bool news = false;

    for (size_t i = 0; i < n && is_taken(verdict); i++)
        verdict = spv__sync_add_header(s, headers + i * SPV_HEADER_LEN, &news);
    if (verdict == SPV_VERDICT_NOMEM)
        s->err = SPV_NOMEM;
    return is_taken(verdict);
}

/* The lowest range goes into the tree when it is whole. It is proved, so if a
 * rule is against it something else is wrong, with our clock for one: peers
 * are then asked for their chains in the ordinary way, which finds out. */
static void join(spv_sync *s)
{
    const uint8_t *headers = NULL;
    size_t n = 0;

    while ((headers = spv__ranges_front(&s->ranges, &n))) {
        if (add_all(s, headers, n))
            spv__ranges_pop(&s->ranges);
        else
            spv__ranges_stop(&s->ranges);
    }
}

void spv__sync_hear_range(spv_sync *s, size_t place, const spv_items *headers)
{
    spv_stream *stream = s->streams[place];
    spv_range_heard heard =
        spv__ranges_hear(&s->ranges, &stream->ranges, headers, s->now);

    if (heard.err == SPV_NOMEM) {
        s->err = SPV_NOMEM;
        return;
    }
    if (heard.err != SPV_OK) {
        spv__sync_drop(s, place, heard.err, heard.reason);
        return;
    }
    if (heard.taken == 0)
        return;
    spv__pool_progress(&s->pool.item[place]);
    s->news_at = s->now;
    join(s);
}
