#include <stdio.h>
#include <string.h>

#include "client/client.h"
#include "wire/netaddr.h"

/* How a run stands, in numbers. */

static void report_filter(const spv_client *c, spv_sync_report *out)
{
    out->filter_elements = spv__wallet_element_count(c->wallet);
    out->filter_bytes = c->filter.len;
    out->hash_functions = c->filter.hash_funcs;
    out->fp_rate = spv_filter_rate(&c->filter);
    out->tweak = c->filter.tweak;
    out->flags = c->filter.flags;
}

static void report_peer(const spv_client *c, size_t i, spv_sync_report *out)
{
    const spv_candidate *peer = &c->run.sync.pool.item[i];
    const spv_stream *stream = c->run.sync.streams[i];
    spv_sync_peer *to = &out->peers[out->n_peers];

    if (stream) {
        out->bytes_received += stream->peer.bytes_received;
        out->bytes_sent += stream->peer.bytes_sent;
        if (stream->peer.claimed_height > out->headers_goal)
            out->headers_goal = stream->peer.claimed_height;
    }
    if (!peer->greeted)
        return;
    *to = (spv_sync_peer){.services = peer->services,
                          .blocks = peer->served,
                          .bytes_received = peer->bytes_received};
    spv__netaddr_format(to->address, &peer->addr);
    memcpy(to->user_agent, peer->user_agent, sizeof(to->user_agent));
    if (stream) {
        to->blocks += stream->served;
        to->bytes_received += stream->peer.bytes_received;
    }
    out->n_peers++;
}

void spv_client_report(const spv_client *c, spv_sync_report *out)
{
    const spv_run *run = &c->run;

    *out = (spv_sync_report){.phase = run->phase,
                             .height = c->position,
                             .block_hash = c->position_hash,
                             .start_height = run->start_height,
                             .headers = spv__tree_tip(c->tree).height};
    report_filter(c, out);
    if (!run->prepared)
        return;
    out->filtered_blocks = run->sync.count.filtered_blocks;
    out->matched_transactions = run->sync.count.matched;
    out->wallet_transactions = run->wallet_transactions;
    out->false_positives = run->false_positives;
    out->expected_false_positives = run->expected;
    out->refetched_blocks = run->sync.count.refetched;
    out->audited_blocks = run->sync.audits.done;
    out->omissions = run->sync.audits.omissions;
    out->generation = run->sync.count.filterloads;
    out->bytes_received = run->sync.count.bytes_received;
    out->bytes_sent = run->sync.count.bytes_sent;
    out->elapsed_ms = run->sync.began ? run->sync.now - run->sync.began : 0;
    out->headers_goal = out->headers;
    for (size_t i = 0; i < run->sync.pool.n; i++)
        report_peer(c, i, out);
}
