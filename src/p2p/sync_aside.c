#include "p2p/sync_parts.h"

/*
 * A block that nobody has.
 *
 * Whoever makes a header need not give its block to anybody, and a header tells
 * nothing of the wallet. A tip like that, with more work than any other or as
 * much and seen first, must not keep the client from the blocks that there are.
 * So a block is set aside, with all on top of it, when every connected peer
 * that showed its chain showed one without it, was asked for it, and sent its
 * pong instead. Whoever does show it is left before that, or delivers it: one
 * honest peer that has it is enough, and nobody can make us leave its chain.
 * Of what remains most work wins, as ever.
 *
 * What is set aside is not forgotten: a header on top of it, or a peer that
 * shows it, makes it count again; but each peer only once for as much work, and
 * not if it was left for not delivering that. While it has more work than the
 * chain that is followed, that is not called synced.
 */

/* A new block takes some seconds to come to all: the last peer to be asked has
 * refused it so often, two seconds apart. */
enum { DENIALS_MIN = 3 };

/* Longer chains are no tips: a day's blocks at most. */
enum { ASIDE_MAX = 144 };

/* The block that all wait for. */
static bool find_front(const spv_sync *s, spv_tree_block *front)
{
    return spv__tree_at(s->config.tree, s->board.base + 1, front);
}

void spv__sync_note_denial(spv_sync *s, spv_stream *stream,
                           const spv_request *request)
{
    spv_tree_block front;

    if (!find_front(s, &front) || !spv_hash_equal(&front.hash, &request->hash))
        return;
    if (!spv_hash_equal(&stream->denied, &front.hash))
        stream->denials = 0;
    stream->denied = front.hash;
    stream->denials++;
}

void spv__sync_note_vain(spv_sync *s, size_t place)
{
    spv_candidate *c = &s->pool.item[place];
    const spv_stream *stream = s->streams[place];
    spv_u256 work = spv__tree_work_of(s->config.tree, &stream->tip);
    spv_tree_block front;

    if (find_front(s, &front) && spv__sync_has_shown(s, stream, front.height) &&
        spv__u256_compare(work, c->vain) > 0)
        c->vain = work;
}

/* It was left for not delivering what it shows now. */
static bool shows_in_vain(const spv_sync *s, size_t place)
{
    spv_u256 work = spv__tree_work_of(s->config.tree, &s->streams[place]->tip);

    return spv__u256_compare(work, s->pool.item[place].vain) <= 0;
}

static bool denies(const spv_sync *s, size_t place, const spv_tree_block *block)
{
    const spv_stream *stream = s->streams[place];

    if (spv__sync_has_shown(s, stream, block->height))
        return shows_in_vain(s, place);
    return spv_hash_equal(&stream->denied, &block->hash);
}

static bool is_denied_by_all(const spv_sync *s, const spv_tree_block *block)
{
    for (size_t i = 0; i < s->pool.n; i++)
        if (s->streams[i] && s->streams[i]->headers_done &&
            !denies(s, i, block))
            return false;
    return true;
}

/* Nobody is to blame, and all can serve what is active now. */
static void begin_anew(spv_sync *s)
{
    for (size_t i = 0; i < s->pool.n; i++) {
        if (!s->streams[i])
            continue;
        s->streams[i]->refusals = 0;
        s->streams[i]->rests_until = 0;
    }
    s->news_at = s->now;
    s->synced_told = false;
}

bool spv__sync_set_aside(spv_sync *s, const spv_stream *stream)
{
    spv_tree_change change;
    spv_tree_block front;

    if (!find_front(s, &front) ||
        !spv_hash_equal(&stream->denied, &front.hash) ||
        spv__sync_has_shown(s, stream, front.height) ||
        stream->denials < DENIALS_MIN || !is_denied_by_all(s, &front) ||
        spv__tree_tip(s->config.tree).height - front.height >= ASIDE_MAX)
        return false;
    s->err = spv__tree_set_aside(s->config.tree, &front.hash, &change);
    if (!change.moved)
        return false;
    spv__sync_follow(s, &change);
    begin_anew(s);
    if (spv__tree_compare_aside(s->config.tree) == 0)
        s->warning = "nodes showed another chain of like work, but none sends "
                     "its blocks: wait before relying on the newest payments";
    return true;
}

void spv__sync_recall(spv_sync *s, size_t place, const spv_items *headers,
                      bool *news)
{
    spv_candidate *c = &s->pool.item[place];
    spv_tree_change change;
    spv_hash last;
    spv_u256 work;

    if (headers->n == 0 || s->err != SPV_OK)
        return;
    spv_header_hash(&last, spv__headers_get(headers, headers->n - 1));
    work = spv__tree_work_of(s->config.tree, &last);
    if (spv__u256_compare(work, c->vain) <= 0 ||
        spv__u256_compare(work, c->recalled) <= 0)
        return;
    s->err = spv__tree_recall(s->config.tree, &last, &change);
    if (!change.moved)
        return;
    spv__sync_follow(s, &change);
    c->recalled = work;
    *news = true;
}
