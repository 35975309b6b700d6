#include <stdlib.h>

#include "p2p/sync_parts.h"

/*
 * What of all that peers say is believed.
 *
 * A proof decides what it can. That nothing was left out no proof shows: for
 * that there are audits and statistics here, and whoever is caught lying loses
 * all belief, so that what it served is asked of others. What only time or
 * other peers could tell is told to the user.
 */

/* ---- Who else is there ---- */

static bool has_another(const spv_sync *s, size_t place)
{
    for (size_t i = 0; i < s->pool.n; i++)
        if (i != place && s->pool.item[i].state != SPV_CANDIDATE_GIVEN_UP)
            return true;
    return false;
}

static bool is_alone(const spv_sync *s, size_t place)
{
    for (size_t i = 0; i < s->pool.n; i++)
        if (i != place && s->streams[i] &&
            s->streams[i]->peer.state == SPV_PEER_READY)
            return false;
    return true;
}

/* ---- A liar ---- */

void spv__sync_distrust(spv_sync *s, size_t place, const char *reason)
{
    spv_candidate *c = &s->pool.item[place];

    if (s->streams[place])
        spv__sync_drop(s, place, SPV_PROTOCOL, reason);
    else
        spv__sync_lose(s, place, SPV_PROTOCOL, reason);
    spv__audits_remove_of(&s->audits, place);
    if (c->served_from && (!s->distrusted || c->served_from < s->distrusted))
        s->distrusted = c->served_from;
    c->served_from = 0;
}

/* ---- Audits: which blocks ---- */

/* Every block is to be audited, so none is asked for that could not be. */
static bool is_strict(const spv_sync *s)
{
    return s->config.audit_rate >= 1;
}

void spv__sync_draw(spv_sync *s, size_t place)
{
    double rate = s->config.audit_rate;

    s->streams[place]->keep_before =
        rate > 0 && (double)(spv__sync_random(s) >> 11) * 0x1p-53 < rate;
}

/* A pruned node hangs up on whoever asks for an old block. */
static bool may_audit(const spv_sync *s, size_t auditor, size_t place)
{
    const spv_stream *stream = s->streams[auditor];

    return auditor != place && stream && stream->headers_done &&
           (stream->peer.services & SPV__NODE_NETWORK);
}

static bool has_auditor(const spv_sync *s, size_t place)
{
    for (size_t i = 0; i < s->pool.n; i++)
        if (may_audit(s, i, place))
            return true;
    return false;
}

/* In strict mode no block goes unaudited without a word. */
static void tell_unaudited(spv_sync *s, const char *why)
{
    if (!is_strict(s) || s->unaudited_told)
        return;
    s->warning = why;
    s->unaudited_told = true;
}

static void pick(spv_sync *s, size_t place)
{
    spv_stream *stream = s->streams[place];

    if (s->audits.n == SPV__AUDITS_MAX)
        tell_unaudited(s, "blocks could not be audited: too many waited");
    else if (stream->before.bytes && (is_strict(s) || has_auditor(s, place)))
        s->err = spv__audits_add(&s->audits, &stream->answer, &stream->before,
                                 place, s->now);
    spv_filter_clear(&stream->before);
    spv__sync_draw(s, place);
}

size_t spv__sync_audit_room(const spv_sync *s)
{
    size_t taken = s->audits.n;

    if (!is_strict(s))
        return SIZE_MAX;
    for (size_t i = 0; i < s->pool.n; i++)
        if (s->streams[i])
            taken += s->streams[i]->flight.n + s->streams[i]->answering;
    return taken < SPV__AUDITS_MAX ? SPV__AUDITS_MAX - taken : 0;
}

/* ---- Audits: whole blocks ---- */

enum {
    AUDIT_AGAIN_MS = 1000, /* a new block has come to all of them by then */
    AUDIT_LOOK_MS = 10000, /* it should have come, or be well on its way: */
    AUDIT_LOOK_BYTES = 100000
};

/* Each is asked once before any twice. While it is owed, and when it was asked
 * for often enough, only those are asked that were not yet. */
static bool may_ask(const spv_sync *s, const spv_audit *audit, size_t place)
{
    return may_audit(s, place, audit->place) &&
           (audit->asks[place].times == 0 ||
            (audit->tries < SPV__AUDIT_TRIES && !spv__audit_is_asked(audit)));
}

/* One that never was asked may yet come, or be back. */
static bool is_to_come(const spv_sync *s, const spv_audit *audit, size_t place)
{
    const spv_stream *stream = s->streams[place];

    return is_strict(s) && s->now - audit->since < SPV__AUDIT_WAIT_MS &&
           place != audit->place && audit->asks[place].times == 0 &&
           s->pool.item[place].state != SPV_CANDIDATE_GIVEN_UP &&
           !(stream && stream->headers_done);
}

/* Not as often as it should, or not all that there are. */
static bool has_more_to_ask(const spv_sync *s, const spv_audit *audit)
{
    if (audit->tries < SPV__AUDIT_TRIES)
        return true;
    for (size_t i = 0; i < s->pool.n; i++)
        if (may_ask(s, audit, i) || is_to_come(s, audit, i))
            return true;
    return false;
}

/* The less the better: how often it was asked, whether it disappointed, and
 * how busy it is. */
static size_t rank(const spv_sync *s, const spv_audit *audit, size_t place)
{
    size_t rank = (size_t)audit->asks[place].times * 2;

    rank += s->audits.missed[place];
    return rank * SPV__AUDITS_FLIGHT + s->streams[place]->whole.n;
}

/* The best that can be asked at once; pool.n: there is none. */
static size_t choose_auditor(const spv_sync *s, const spv_audit *audit)
{
    size_t best = s->pool.n;

    for (size_t i = 0; i < s->pool.n; i++)
        if (may_ask(s, audit, i) &&
            s->streams[i]->whole.n < SPV__AUDITS_FLIGHT &&
            (best == s->pool.n || rank(s, audit, i) < rank(s, audit, best)))
            best = i;
    return best;
}

static bool can_ask(const spv_sync *s, const spv_audit *audit)
{
    return choose_auditor(s, audit) < s->pool.n;
}

static bool owes(const spv_sync *s, const spv_audit *audit, size_t place)
{
    return s->streams[place] &&
           audit->asks[place].stream == s->streams[place]->id;
}

static uint64_t heard(const spv_sync *s, const spv_audit *audit)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < s->pool.n; i++)
        if (owes(s, audit, i))
            bytes += s->streams[i]->peer.bytes_received;
    return bytes;
}

/* Whoever owes it had the time to send it, and sends next to nothing. */
static bool is_late(const spv_sync *s, const spv_audit *audit)
{
    return spv__audit_is_asked(audit) && s->now >= audit->ask_at &&
           heard(s, audit) < audit->heard + AUDIT_LOOK_BYTES;
}

static bool is_active(const spv_sync *s, const spv_request *block)
{
    spv_tree_block at;

    return spv__tree_at(s->config.tree, block->height, &at) &&
           spv_hash_equal(&at.hash, &block->hash);
}

static bool waits_in_vain(const spv_sync *s, const spv_audit *audit)
{
    bool long_since = s->now - audit->since >= SPV__AUDIT_WAIT_MS;

    if (has_auditor(s, audit->place))
        return !is_strict(s) && long_since && !can_ask(s, audit);
    return !is_strict(s) || !has_another(s, audit->place) || long_since;
}

/* Why there is no use in waiting any more; NULL: there is. One that is to be
 * strict waits for whoever is slow. */
static const char *find_vain(const spv_sync *s, const spv_audit *audit)
{
    static const char unsent[] = "blocks could not be audited: no other node "
                                 "sent them whole";

    if (spv__audit_is_asked(audit))
        return !is_strict(s) && is_late(s, audit) && !can_ask(s, audit) ? unsent
                                                                        : NULL;
    if (waits_in_vain(s, audit))
        return audit->tries ? unsent
                            : "blocks could not be audited: there was no other "
                              "node to ask";
    return has_more_to_ask(s, audit) ? NULL : unsent;
}

/* A block that left the chain is audited in vain, and nobody's loss. */
static bool is_void(spv_sync *s, const spv_audit *audit)
{
    const char *why = NULL;

    if (!spv__audit_is_asked(audit) && !is_active(s, &audit->block))
        return true;
    why = find_vain(s, audit);
    if (why)
        tell_unaudited(s, why);
    return why != NULL;
}

static void look_again(const spv_sync *s, spv_audit *audit)
{
    audit->heard = heard(s, audit);
    audit->ask_at = s->now + AUDIT_LOOK_MS;
}

static void ask_whole(spv_sync *s, spv_audit *audit)
{
    size_t place = choose_auditor(s, audit);
    spv_request request = audit->block;

    if (place == s->pool.n)
        return;
    s->err = spv__stream_ask_whole(s->streams[place], &request, 1, s->now);
    spv__audit_note_ask(audit, place, s->streams[place]->id, request.sequence);
    look_again(s, audit);
}

/* One that is due and on its way is looked at; if it comes too slowly, another
 * peer is asked, too. */
static void watch_whole(spv_sync *s, spv_audit *audit)
{
    if (!is_late(s, audit)) {
        look_again(s, audit);
        return;
    }
    for (size_t i = 0; i < s->pool.n; i++)
        s->audits.missed[i] |= owes(s, audit, i);
    if (can_ask(s, audit))
        ask_whole(s, audit);
    else if (is_strict(s))
        look_again(s, audit);
}

void spv__sync_void_audits(spv_sync *s)
{
    for (size_t i = s->audits.n; i-- > 0;)
        if (is_void(s, &s->audits.item[i]))
            spv__audits_remove(&s->audits, i);
}

void spv__sync_ask_whole(spv_sync *s)
{
    for (size_t i = 0; i < s->audits.n && s->err == SPV_OK; i++) {
        spv_audit *audit = &s->audits.item[i];

        if (audit->ask_at > s->now)
            continue;
        if (spv__audit_is_asked(audit))
            watch_whole(s, audit);
        else
            ask_whole(s, audit);
    }
}

void spv__sync_miss_whole(spv_sync *s, size_t place, const spv_stream_event *e)
{
    uint32_t stream = s->streams[place]->id;
    size_t i = spv__audits_find(&s->audits, stream, e->request.sequence);

    if (i == s->audits.n)
        return;
    s->audits.missed[place] = true;
    spv__audit_release(&s->audits.item[i], stream);
    if (!spv__audit_is_asked(&s->audits.item[i]))
        s->audits.item[i].ask_at = s->now + AUDIT_AGAIN_MS;
}

/* What a whole block showed about the peer that filtered it. */
static void conclude(spv_sync *s, size_t i, spv_audit_verdict verdict)
{
    size_t audited = s->audits.item[i].place;

    spv__audits_remove(&s->audits, i);
    if (verdict == SPV_AUDIT_UNFIT) {
        tell_unaudited(s, "blocks could not be audited: they hold transactions "
                          "of 64 bytes");
        return;
    }
    s->audits.done++;
    if (verdict != SPV_AUDIT_OMISSION)
        return;
    s->audits.omissions++;
    spv__sync_distrust(s, audited,
                       "left a transaction out of a block that it filtered");
}

void spv__sync_hear_whole(spv_sync *s, size_t place, const spv_stream_event *e)
{
    size_t i = spv__audits_find(&s->audits, s->streams[place]->id,
                                e->request.sequence);
    spv_audit_verdict verdict = SPV_AUDIT_CLEAN;

    if (i == s->audits.n)
        return; /* it was given up meanwhile, or another sent it sooner */
    verdict = spv__audit_judge(&s->audits.item[i], e->payload, e->len);
    if (verdict == SPV_AUDIT_NOMEM)
        s->err = SPV_NOMEM;
    if (verdict == SPV_AUDIT_UNPROVED) {
        spv__sync_drop(s, place, SPV_PROTOCOL,
                       "sent a whole block that does not fit its header");
        return;
    }
    s->audits.missed[place] = false;
    conclude(s, i, verdict);
}

/* ---- Statistics ---- */

static bool seems_honest(spv_sync *s, size_t place)
{
    spv_stream *stream = s->streams[place];
    spv_candidate *c = &s->pool.item[place];
    const spv_answer *a = &stream->answer;

    if (!spv__suspicion_add(&c->suspicion, a->height, a->n_transactions,
                            stream->rate, a->proof.n))
        return true;
    if (has_another(s, place)) {
        spv__sync_distrust(s, place,
                           "matches far less than an honest node would: it "
                           "leaves transactions out");
        return false;
    }
    if (!c->doubted)
        c->warning = "matches far less than an honest node would: it may leave "
                     "transactions out; name another node, too";
    c->doubted = true;
    return true;
}

bool spv__sync_weigh(spv_sync *s, size_t place)
{
    spv_candidate *c = &s->pool.item[place];
    int32_t height = s->streams[place]->answer.height;

    if (!c->served_from || height < c->served_from)
        c->served_from = height;
    pick(s, place);
    return seems_honest(s, place);
}

/* ---- Headers ---- */

bool spv__sync_has_shown(const spv_sync *s, const spv_stream *stream,
                         int32_t height)
{
    spv_tree_block tip;

    return spv__tree_find(s->config.tree, &stream->tip, &tip) && tip.active &&
           tip.height >= height;
}

/* It was behind, and is no longer: once in a while, for it could show an old
 * header, and a new one, as often as it likes. */
static void forgive(const spv_sync *s, spv_stream *stream)
{
    if (stream->forgiven_at &&
        s->now - stream->forgiven_at < SPV__FORGIVEN_AGAIN_MS)
        return;
    stream->refusals = 0;
    stream->forgiven_at = s->now;
}

bool spv__sync_weigh_headers(spv_sync *s, size_t place,
                             const spv_items *headers, bool news)
{
    spv_stream *stream = s->streams[place];
    spv_tree_block last;
    spv_hash hash;

    if (headers->n == 0)
        return true;
    spv_header_hash(&hash, spv__headers_get(headers, headers->n - 1));
    if (!spv__tree_find(s->config.tree, &hash, &last))
        return true;
    if (last.active && !spv__sync_has_shown(s, stream, last.height))
        forgive(s, stream);
    stream->tip = hash;
    stream->side_headers += headers->n;
    if (news || last.active)
        stream->side_headers = 0;
    if (stream->side_headers <= SPV__SIDE_HEADERS_MAX)
        return true;
    spv__sync_drop(s, place, SPV_PROTOCOL,
                   "sends headers without end that are of no better chain");
    return false;
}

static bool shows_rival(const spv_sync *s, const spv_stream *stream)
{
    spv_tree_block tip;

    return stream && stream->headers_done &&
           spv__tree_find(s->config.tree, &stream->tip, &tip) && !tip.active &&
           tip.height + 1 >= spv__tree_tip(s->config.tree).height;
}

static bool is_stale(const spv_sync *s)
{
    int64_t age = spv__sync_unix_time(s) - spv__tree_tip(s->config.tree).time;

    return !s->config.network->no_retarget && age > SPV__STALE_S;
}

void spv__sync_look_at_tips(spv_sync *s)
{
    if (s->tips_told)
        return;
    s->tips_told = true;
    for (size_t i = 0; i < s->pool.n; i++)
        if (shows_rival(s, s->streams[i]))
            s->pool.item[i].warning =
                "has another chain of like work: wait before relying on the "
                "newest payments";
    if (is_stale(s))
        s->warning = "the newest block that any node has is more than three "
                     "hours old: they may be behind, or cut off";
}

/* ---- Time ---- */

void spv__sync_watch_pace(spv_sync *s, size_t place)
{
    spv_stream *stream = s->streams[place];
    spv_candidate *c = &s->pool.item[place];

    if (!stream || c->drags || stream->peer.state != SPV_PEER_READY ||
        !spv__drag_look(&stream->drag, spv__stream_owes(stream),
                        stream->peer.bytes_received, s->now) ||
        !is_alone(s, place))
        return;
    c->drags = true;
    c->warning = "answers slowly, less than a kilobyte a second, and is the "
                 "only node at hand";
}

/* A slow peer sends something again and again, and is looked at then; so only
 * audits wait for a moment, too. */
spv_time spv__sync_trust_deadline(const spv_sync *s)
{
    spv_time first = SPV_NEVER;

    for (size_t i = 0; i < s->audits.n; i++) {
        const spv_audit *audit = &s->audits.item[i];
        spv_time patience = audit->since + SPV__AUDIT_WAIT_MS;

        if (!spv__audit_is_asked(audit) && patience < first &&
            (patience > s->now || !has_auditor(s, audit->place)))
            first = patience;
        if (audit->ask_at > s->now && audit->ask_at < first)
            first = audit->ask_at;
    }
    return first;
}
