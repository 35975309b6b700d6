#include "p2p/sync_parts.h"

/*
 * Among whom the blocks are shared.
 *
 * Several peers are faster than one. But a coin that one of them shows is
 * missing from the filters of the others: each gets a new one, and waits for
 * two round trips without work, and what it had been asked by then is a debt,
 * to be fetched again. So a peer joins the first one only while coins are
 * further apart, in blocks, than what it could have answered meanwhile. Until
 * then, and when it is far away for good, it is a reserve, which takes over
 * when the first one is late.
 */

/* Round trips that a coin costs a peer, with what is in flight in them, and as
 * much again: a second peer takes half of the work at best. */
enum { TRIPS_OF_A_COIN = 6 };

/* What a coin costs beside a near one, in blocks: the filterload, at both ends,
 * and the debts. */
enum { BLOCKS_OF_A_COIN = 11 };

/* To begin takes so much more than to go on: every change costs debts too. */
static const double TO_BEGIN = 1.25;

/* A trip that may have been none. */
enum { CLOCK_GRAIN_MS = 1 };

void spv__sync_note_coins(spv_sync *s)
{
    spv__spacing_note(&s->spacing, s->coverage.n != s->taught);
    s->taught = s->coverage.n;
}

/* ---- Who shares ---- */

/* One that refused blocks first shows its chain again, and may need rest. */
bool spv__sync_serves(const spv_sync *s, const spv_stream *stream)
{
    return stream && stream->headers_done && !stream->refusing &&
           stream->rests_until <= s->now;
}

bool spv__sync_is_helped(const spv_sync *s, const spv_stream *stream)
{
    for (size_t i = 0; i < s->pool.n; i++)
        if (s->streams[i] != stream && spv__sync_serves(s, s->streams[i]))
            return true;
    return false;
}

/* The first is the nearest, until it is late. */
static const spv_stream *first_of_all(spv_sync *s)
{
    size_t best = s->pool.n;

    if (spv__sync_serves(s, s->streams[s->first]))
        return s->streams[s->first];
    for (size_t i = 0; i < s->pool.n; i++)
        if (spv__sync_serves(s, s->streams[i]) &&
            (best == s->pool.n ||
             s->streams[i]->pace.trip < s->streams[best]->pace.trip))
            best = i;
    if (best == s->pool.n)
        return NULL;
    s->first = best;
    return s->streams[best];
}

static bool pays(const spv_sync *s, const spv_stream *stream)
{
    const spv_pace *pace = &stream->pace;
    double trip = pace->trip > CLOCK_GRAIN_MS ? (double)pace->trip : 0;
    double lost =
        BLOCKS_OF_A_COIN + TRIPS_OF_A_COIN * trip * spv__pace_rate(pace);

    return spv__spacing_get(&s->spacing) >=
           (stream->shares ? lost : TO_BEGIN * lost);
}

/* It will serve in a moment: blocks are left for it. */
static bool is_coming(const spv_sync *s, const spv_stream *stream)
{
    spv_time since = stream->peer.since;

    if (stream->guide)
        return false;
    if (stream->peer.state == SPV_PEER_READY)
        since = stream->headers_asked ? stream->headers_at : s->now;
    return s->now - since < SPV__COMING_MS;
}

size_t spv__sync_choose_sharing(spv_sync *s)
{
    const spv_stream *first = first_of_all(s);
    size_t n = 0;

    for (size_t i = 0; i < s->pool.n; i++) {
        spv_stream *stream = s->streams[i];

        if (!stream)
            continue;
        stream->shares =
            spv__sync_serves(s, stream) && (stream == first || pays(s, stream));
        n += stream->shares ||
             (!spv__sync_serves(s, stream) && is_coming(s, stream));
    }
    return n;
}

/* ---- Who is late ---- */

static bool is_idle(const spv_sync *s, const spv_stream *stream)
{
    return spv__sync_serves(s, stream) &&
           stream->peer.state == SPV_PEER_READY && !stream->fence &&
           stream->flight.n == 0 && !stream->answering;
}

/* What all wait for is asked of one stream while another idles: since when,
 * and of which. SPV_NEVER when nothing is. */
static spv_time waits_since(const spv_sync *s, const spv_stream *idle,
                            uint32_t *late)
{
    const spv_cell *front = spv__board_at(&s->board, s->board.base + 1);

    *late = front->stream;
    if (front->state == SPV_CELL_ASKED && front->stream != idle->id)
        return front->asked_at;
    for (size_t i = 0; spv__sync_debts_are_due(s) && i < s->debts.n; i++) {
        const spv_debt *debt = &s->debts.item[i];

        *late = debt->stream;
        if (debt->state == SPV_DEBT_ASKED && debt->stream != idle->id)
            return debt->asked_at;
    }
    return SPV_NEVER;
}

/* Half a second, and longer where the line is. */
static spv_time patience(const spv_sync *s, uint32_t late)
{
    for (size_t i = 0; i < s->pool.n; i++)
        if (s->streams[i] && s->streams[i]->id == late)
            return SPV__OVERDUE_MS + 2 * s->streams[i]->pace.trip;
    return SPV__OVERDUE_MS;
}

/* When `idle` is to take over, and of whom. */
static spv_time takeover_due(const spv_sync *s, const spv_stream *idle,
                             uint32_t *late)
{
    spv_time since = is_idle(s, idle) ? waits_since(s, idle, late) : SPV_NEVER;

    return since == SPV_NEVER ? since : since + patience(s, *late);
}

void spv__sync_take_over(spv_sync *s, size_t place)
{
    uint32_t late = 0;

    if (takeover_due(s, s->streams[place], &late) > s->now)
        return;
    spv__board_release_stream(&s->board, late);
    spv__debts_release(&s->debts, late);
    s->first = place;
}

spv_time spv__sync_share_deadline(const spv_sync *s)
{
    spv_time first = SPV_NEVER;
    uint32_t late = 0;

    for (size_t i = 0; s->positioned && i < s->pool.n; i++) {
        const spv_stream *stream = s->streams[i];
        bool rests = stream && stream->rests_until > s->now;
        spv_time due =
            rests ? stream->rests_until : takeover_due(s, stream, &late);

        if (due < first)
            first = due;
    }
    return first;
}
