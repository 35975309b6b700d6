#include "p2p/sync_parts.h"

/*
 * What a sync does that stays: it sees to it that no block is missed.
 *
 * Peers announce blocks by headers, once they are asked to (BIP 130), or by
 * inv. One that announces nothing is asked now and then: its answer, though
 * mostly empty, also shows that the connection still leads somewhere.
 */

/* A fifth of the spacing of blocks that all networks have but regtest, where
 * blocks come when somebody wants one. */
enum { PROBE_MS = 120000, PROBE_REGTEST_MS = 10000 };

static spv_time probe_due(const spv_sync *s, const spv_stream *stream)
{
    if (!s->config.stay || !stream || !stream->headers_done ||
        stream->headers_asked)
        return SPV_NEVER;
    return stream->headers_at +
           (s->config.network->no_retarget ? PROBE_REGTEST_MS : PROBE_MS);
}

void spv__sync_probe(spv_sync *s)
{
    spv_hash locator[SPV__TREE_LOCATOR_MAX];

    for (size_t i = 0; i < s->pool.n; i++) {
        if (probe_due(s, s->streams[i]) > s->now)
            continue;
        s->streams[i]->headers_top = 0;
        spv__stream_ask_headers(s->streams[i], locator,
                                spv__tree_locator(s->config.tree, locator),
                                s->now);
    }
}

spv_time spv__sync_probe_deadline(const spv_sync *s)
{
    spv_time first = SPV_NEVER;

    for (size_t i = 0; i < s->pool.n; i++) {
        spv_time due = probe_due(s, s->streams[i]);

        if (due < first)
            first = due;
    }
    return first;
}

/* Not before it has shown its chain: a header whose parents are still to come
 * would look like a lie. */
void spv__sync_shown(spv_sync *s, size_t place)
{
    spv_peer *peer = &s->streams[place]->peer;

    if (s->config.stay && peer->version >= SPV__PROTOCOL_SENDHEADERS)
        spv__peer_say(peer, SPV_MSG_SENDHEADERS);
}
