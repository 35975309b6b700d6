#include "cli/sync_log.h"

#include <inttypes.h>

/* Between two lines about the same phase. */
enum { STRIDE = 10000 };

/* ---- Debug: each peer, filter and batch ---- */

static void tell_peers(cli_sync_log *log, const spv_sync_report *r)
{
    for (; log->n_peers < r->n_peers; log->n_peers++) {
        const spv_sync_peer *peer = &r->peers[log->n_peers];

        cli_say(log->c, CLI_INFO, "%s: connected to %s", peer->address,
                peer->user_agent);
        cli_say(log->c, CLI_DEBUG, "%s: services 0x%" PRIx64, peer->address,
                peer->services);
    }
}

static void tell_filter(cli_sync_log *log, const spv_sync_report *r)
{
    if (r->generation == log->generation)
        return;
    log->generation = r->generation;
    cli_say(log->c, CLI_DEBUG,
            "filter %" PRIu32 ": %zu elements, %zu bytes, %" PRIu32
            " hash functions, false positives %.3g",
            r->generation, r->filter_elements, r->filter_bytes,
            r->hash_functions, r->fp_rate);
}

static void tell_finds(cli_sync_log *log, const spv_sync_report *r)
{
    if (r->wallet_transactions != log->wallet_txs)
        cli_say(log->c, CLI_DEBUG,
                "height %" PRId32 ": %" PRIu32
                " transactions of the wallet so far",
                r->height, r->wallet_transactions);
    if (r->refetched_blocks != log->refetched)
        cli_say(log->c, CLI_DEBUG,
                "height %" PRId32 ": %" PRIu32
                " blocks were asked for again so far, with a newer filter",
                r->height, r->refetched_blocks);
    log->wallet_txs = r->wallet_transactions;
    log->refetched = r->refetched_blocks;
}

/* ---- Info: each phase, and how far it is ---- */

static int32_t height_of(const spv_sync_report *r)
{
    return r->phase == SPV_PHASE_HEADERS ? r->headers : r->height;
}

static void tell_phase(cli_sync_log *log, const spv_sync_report *r)
{
    if (r->phase == log->phase)
        return;
    log->phase = r->phase;
    log->told_height = height_of(r);
    switch (r->phase) {
    case SPV_PHASE_CONNECT:
        cli_say(log->c, CLI_INFO, "connecting");
        return;
    case SPV_PHASE_HEADERS:
        cli_say(log->c, CLI_INFO, "headers: from %" PRId32 " on", r->headers);
        return;
    case SPV_PHASE_BLOCKS:
        cli_say(log->c, CLI_INFO,
                "filtered blocks: from %" PRId32 " to %" PRId32,
                r->start_height, r->headers);
        return;
    case SPV_PHASE_SYNCED:
        cli_say(log->c, CLI_INFO, "synced at height %" PRId32, r->height);
        return;
    }
}

static void tell_height(cli_sync_log *log, const spv_sync_report *r)
{
    bool in_headers = r->phase == SPV_PHASE_HEADERS;

    if (height_of(r) < log->told_height + STRIDE)
        return;
    log->told_height = height_of(r);
    cli_say(log->c, CLI_DEBUG, "%s: at %" PRId32 " of %" PRId32,
            in_headers ? "headers" : "filtered blocks", height_of(r),
            in_headers ? r->headers_goal : r->headers);
}

/* ---- Both ---- */

void cli_sync_log_init(cli_sync_log *log, const cli *c,
                       const spv_client *client)
{
    *log = (cli_sync_log){.c = c, .client = client};
}

bool cli_sync_log_has_news(cli_sync_log *log)
{
    const spv_sync_report *r = &log->now;

    if (log->c->level < CLI_INFO)
        return false;
    spv_client_report(log->client, &log->now);
    return r->n_peers != log->n_peers || r->phase != log->phase ||
           r->generation != log->generation ||
           r->wallet_transactions != log->wallet_txs ||
           r->refetched_blocks != log->refetched ||
           height_of(r) >= log->told_height + STRIDE;
}

void cli_sync_log_tell(cli_sync_log *log)
{
    tell_peers(log, &log->now);
    tell_filter(log, &log->now);
    tell_finds(log, &log->now);
    tell_phase(log, &log->now);
    tell_height(log, &log->now);
}
