#include "sim/fetcher.h"

#include <stdlib.h>
#include <string.h>

#include "support/must.h"
#include "support/sim.h"

/* ---- Life ---- */

static void mark(fetcher *f, const spv_script_chain *chain, int32_t spacing,
                 int32_t last)
{
    size_t n = spacing > 0 ? (size_t)(last / spacing) : 0;

    f->checkpoints = calloc(n + 1, sizeof(*f->checkpoints));
    MUST(f->checkpoints);
    for (size_t i = 0; i < n; i++) {
        spv_checkpoint *c = &f->checkpoints[i];

        c->height = spacing * (int32_t)(i + 1);
        memcpy(c->header, spv__script_chain_at(chain, c->height)->header,
               SPV_HEADER_LEN);
    }
    f->list = (spv_checkpoint_list){f->checkpoints, n};
}

static uint32_t time_of(const spv_script_chain *chain)
{
    spv_header h;

    spv_header_decode(
        &h, spv__script_chain_at(chain, spv__script_chain_tip(chain))->header);
    return h.time;
}

static void start(fetcher *f, int64_t unix_time, uint64_t seed)
{
    spv_tree_config tree = {.network = spv_network_get(SPV_REGTEST),
                            .checkpoints = &f->list};
    spv_sync_config config = {
        .network = tree.network, .seed = seed, .unix_time = unix_time};

    MUST(spv__tree_new(&f->tree, &tree) == SPV_OK);
    config.tree = f->tree;
    MUST(spv__sync_init(&f->sync, &config) == SPV_OK);
}

void fetcher_begin(fetcher *f, const spv_script_chain *chain, int32_t spacing,
                   int32_t last, uint64_t seed)
{
    *f = (fetcher){0};
    mark(f, chain, spacing, last);
    start(f, time_of(chain), seed);
}

void fetcher_begin_at(fetcher *f, int64_t unix_time)
{
    *f = (fetcher){0};
    start(f, unix_time, (uint64_t)unix_time);
}

void fetcher_connect(fetcher *f, const char *text)
{
    MUST(spv__sync_add_peer(&f->sync, text, 1) == SPV_OK);
}

void fetcher_connect_all(fetcher *f, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char text[32];

        sim_node_text(text, i);
        fetcher_connect(f, text);
    }
}

void fetcher_load(fetcher *f, const spv_script_chain *chain, int32_t n)
{
    spv_sync_config config = f->sync.config;
    spv_pool pool = f->sync.pool;

    for (int32_t h = 1; h <= n; h++)
        MUST(spv__tree_load(f->tree, spv__script_chain_at(chain, h)->header) ==
             SPV_VERDICT_ADDED);
    spv__sync_clear(&f->sync);
    MUST(spv__sync_init(&f->sync, &config) == SPV_OK);
    f->sync.pool = pool;
}

void fetcher_end(fetcher *f)
{
    spv__sync_clear(&f->sync);
    spv__tree_free(f->tree);
    free(f->checkpoints);
    *f = (fetcher){0};
}

/* ---- What it is told ---- */

static void stay_at_the_tip(fetcher *f)
{
    spv_tree_block tip = spv__tree_tip(f->tree);

    if (!spv_hash_equal(&tip.hash, &f->sync.position))
        spv__sync_set_position(&f->sync, tip.height, &tip.hash);
}

static void on_event(fetcher *f, const spv_sync_event *e)
{
    switch (e->kind) {
    case SPV_SYNC_HEADERS:
        f->headers_at = f->now;
        stay_at_the_tip(f);
        break;
    case SPV_SYNC_PEER_LOST:
        if (f->n_lines < FETCHER_LINES)
            f->line[f->n_lines++] = e->peer->reason;
        break;
    case SPV_SYNC_WARNING:
    case SPV_SYNC_PEER_READY:
        break;
    case SPV_SYNC_SYNCED:
    case SPV_SYNC_FAILED:
        f->over = true;
        f->outcome = e->err;
        f->reason = e->reason;
        break;
    case SPV_SYNC_BLOCK:
    case SPV_SYNC_DEBT:
    case SPV_SYNC_REWIND:
    case SPV_SYNC_DISTRUST:
    case SPV_SYNC_RELAYED:
        /* Nothing is fetched, and the position is always the tip. */
        MUST(e->kind == SPV_SYNC_HEADERS);
    }
}

static void watch_the_bound(fetcher *f)
{
    const spv_ranges *r = &f->sync.ranges;
    size_t held = 0;

    for (size_t i = 0; i < r->n; i++)
        held += r->item[i].n;
    if (held > f->ahead)
        f->ahead = held;
}

static void after_input(fetcher *f, spv_time now)
{
    spv_sync_event e;

    f->now = now;
    watch_the_bound(f);
    if (f->sync.positioned)
        stay_at_the_tip(f);
    while (spv__sync_next_event(&f->sync, &e))
        on_event(f, &e);
}

bool fetcher_was_told(const fetcher *f, const char *text)
{
    for (size_t i = 0; i < f->n_lines; i++)
        if (strstr(f->line[i], text))
            return true;
    return false;
}

/* ---- The machine ---- */

static void opened(void *self, spv_conn conn, spv_time now)
{
    fetcher *f = self;

    spv__sync_opened(&f->sync, conn, now);
    after_input(f, now);
}

static void received(void *self, spv_conn conn, const uint8_t *bytes,
                     size_t len, spv_time now)
{
    fetcher *f = self;

    spv__sync_received(&f->sync, conn, bytes, len, now);
    after_input(f, now);
}

static void closed(void *self, spv_conn conn, spv_err why, spv_time now)
{
    fetcher *f = self;

    spv__sync_closed(&f->sync, conn, why, now);
    after_input(f, now);
}

static void resolved(void *self, spv_conn conn, const spv_netaddr *addrs,
                     size_t n, spv_time now)
{
    fetcher *f = self;

    spv__sync_resolved(&f->sync, conn, addrs, n, now);
    after_input(f, now);
}

static void elapsed(void *self, spv_time now)
{
    fetcher *f = self;

    spv__sync_elapsed(&f->sync, now);
    after_input(f, now);
}

static bool next(void *self, spv_out *out)
{
    fetcher *f = self;

    if (!f->over)
        return spv__sync_next_out(&f->sync, out);
    if (f->told)
        return false;
    f->told = true;
    *out = (spv_out){.kind = SPV_OUT_DONE, .why = f->outcome};
    return true;
}

static spv_time deadline(const void *self)
{
    const fetcher *f = self;

    return spv__sync_deadline(&f->sync);
}

const spv_machine *fetcher_machine(void)
{
    static const spv_machine face = {.opened = opened,
                                     .received = received,
                                     .closed = closed,
                                     .resolved = resolved,
                                     .elapsed = elapsed,
                                     .next = next,
                                     .deadline = deadline};

    return &face;
}
