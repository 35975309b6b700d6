#include <inttypes.h>
#include <string.h>

#include <spv/block.h>

#include "sim/truth.h"
#include "sim/user.h"
#include "support/chaingen.h"
#include "support/must.h"

/*
 * The coverage rule as a property.
 *
 * Each seed is a chain with a wallet in it, one to eight honest nodes behind
 * lines good and bad, perhaps a reorganisation while the client syncs, perhaps
 * its death, once or more; the client may be one that stays while the chain
 * grows, nodes relay what is in no block yet, and some payments go to keys far
 * ahead of those before. When it has settled, the
 * client's coins, history and balance are those of the book that saw every
 * block; and no honest node was accused of anything.
 *
 * With --liars the first node leaves matches out at random, as if they had
 * never been, and every block is audited.
 *
 *     sim_property                    the seeds that every build runs
 *     sim_property --seeds 1-5000     others
 *     sim_property --seed 17 --trace  one of them, told step by step
 *     sim_property --liars            the same for worlds with a liar
 *     sim_property --must-fail        succeeds when a seed finds a fault: for
 *                                     clients with a clause of the rule broken
 */
enum {
    NODES_MAX = 8,
    KILLS_MAX = 3,
    STEPS = 8, /* in which the chain grows */
    RELAYS_MAX = 10 + STEPS * NODES_MAX,
    BUSY_FROM = 110,  /* blocks below are empty */
    RUNS_MAX = 12,    /* until the client must have synced */
    RUNS_STORMY = 4,  /* after these, connections break no more */
    RUN_MS = 1800000, /* longest run, in virtual time */
    SEEDS_OF_A_TEST = 100,
    SEEDS_OF_LIARS = 40
};

/* ---- What a seed stands for ---- */

typedef struct kill {
    spv_time at;
    bool from_backup;
} kill;

/** A node hears of some of the wallet's transactions, from any one on. */
typedef struct relay {
    spv_time at;
    size_t node;
    uint64_t first;
    size_t n;
    bool is_news; /* the first is above the node's tip */
} relay;

typedef struct plan {
    uint64_t seed;
    chaingen_options chain;
    int32_t lost_tip; /* of the side that loses; 0: no reorganisation */
    uint32_t gap;
    uint32_t lookahead;
    bool may_miss; /* payments beyond the window */
    spv_wallet_updates updates;
    bool quiet;
    size_t n_liars; /* the first of the nodes */
    double audit_rate;
    size_t n_nodes;
    sim_link link[NODES_MAX];
    spv_time switch_at[NODES_MAX]; /* from the losing side to the other */
    bool on_disk;
    size_t n_kills;
    kill kill[KILLS_MAX];
    size_t n_relays;
    relay relay[RELAYS_MAX];
    bool stay;
    int32_t growth; /* blocks that nodes do not have at first */
    spv_time grows_at[NODES_MAX][STEPS];
} plan;

/** Much for the wallet, perhaps a burst. */
static void plan_lively(chaingen_options *o, spv_rng *r)
{
    int32_t busy = (int32_t)spv__rng_between(r, 10, 290);

    o->blocks = BUSY_FROM + busy;
    o->txs = (size_t)spv__rng_between(r, busy, 4 * busy);
    o->wallet_blocks = (int32_t)spv__rng_between(r, 1, busy * 2 / 3);
    o->wallet_txs =
        (size_t)o->wallet_blocks + (size_t)spv__rng_between(r, 0, 80);
    o->burst =
        spv__rng_chance(r, 1, 3) ? (size_t)spv__rng_between(r, 10, 40) : 0;
    if (o->burst)
        o->wallet_txs += o->burst;
}

/** Now and then something, so that blocks are held for long without one that
 * touches the wallet in between. */
static void plan_quiet(chaingen_options *o, spv_rng *r)
{
    o->blocks = BUSY_FROM + (int32_t)spv__rng_between(r, 400, 500);
    o->txs = 60;
    o->wallet_blocks = (int32_t)spv__rng_between(r, 14, 30);
    o->wallet_txs =
        (size_t)o->wallet_blocks + (size_t)spv__rng_between(r, 0, 20);
}

static void plan_chain(plan *p, spv_rng *r)
{
    chaingen_options *o = &p->chain;

    *o = chaingen_defaults();
    o->seed = spv__rng_next(r);
    p->quiet = p->seed % 5 == 2 || p->seed % 5 == 0;
    if (p->quiet)
        plan_quiet(o, r);
    else
        plan_lively(o, r);
    o->hasty = p->quiet || spv__rng_chance(r, 1, 2);
    o->type = (genwallet_type)spv__rng_below(r, GENWALLET_TR + 1);
}

static void plan_reorganisation(plan *p, spv_rng *r)
{
    int32_t tip = p->chain.blocks;

    if (!spv__rng_chance(r, 1, 3))
        return;
    p->chain.fork_at = tip - (int32_t)spv__rng_between(r, 0, 40);
    if (p->chain.fork_at <= BUSY_FROM)
        p->chain.fork_at = BUSY_FROM + 1;
    p->chain.fork_seed = spv__rng_chance(r, 3, 4) ? spv__rng_next(r) : 0;
    p->lost_tip = (int32_t)spv__rng_between(r, p->chain.fork_at - 1, tip - 1);
}

static sim_link any_link(spv_rng *r)
{
    sim_link link = {.latency = spv__rng_between(r, 1, 200),
                     .jitter = spv__rng_between(r, 0, 100),
                     .split = spv__rng_chance(r, 1, 2)};

    if (spv__rng_chance(r, 1, 3))
        link.rate = (size_t)spv__rng_between(r, 4000, 400000);
    if (spv__rng_chance(r, 1, 2))
        link.breaks = (unsigned)spv__rng_between(r, 1, 200);
    return link;
}

/** Nodes of uneven speed, none so quick that it is done before the others are
 * there: blocks of some are held until those of others come; and near, so that
 * they share in the work. */
static sim_link uneven_link(spv_rng *r)
{
    sim_link link = {.latency = spv__rng_between(r, 0, 6),
                     .rate = (size_t)spv__rng_between(r, 10, 100) * 1000,
                     .split = true};

    if (spv__rng_chance(r, 1, 2))
        link.breaks = (unsigned)spv__rng_between(r, 1, 300);
    return link;
}

/** So near that it shares in the work however dense the wallet's blocks are;
 * its speed is that of the line. */
static sim_link near_link(spv_rng *r)
{
    sim_link link = {.jitter = spv__rng_between(r, 0, 1),
                     .rate = (size_t)spv__rng_between(r, 20, 400) * 1000};

    if (spv__rng_chance(r, 1, 2))
        link.breaks = (unsigned)spv__rng_between(r, 1, 400);
    return link;
}

/** Some time in a sync: early ones are as likely as late ones. */
static spv_time some_time(spv_rng *r)
{
    return spv__rng_between(r, 1000,
                            1000 + (INT64_C(200) << spv__rng_below(r, 8)));
}

static void plan_nodes(plan *p, spv_rng *r)
{
    bool uneven = p->quiet || spv__rng_chance(r, 1, 5);
    bool near = !uneven && spv__rng_chance(r, 2, 3);

    p->n_nodes = uneven ? (size_t)spv__rng_between(r, 3, 4)
                        : 1 + (size_t)spv__rng_below(r, NODES_MAX);
    for (size_t i = 0; i < p->n_nodes; i++) {
        p->link[i] = near     ? near_link(r)
                     : uneven ? uneven_link(r)
                              : any_link(r);
        p->switch_at[i] = some_time(r);
    }
}

static void plan_kills(plan *p, spv_rng *r)
{
    p->on_disk = spv__rng_chance(r, 1, 4);
    if (spv__rng_chance(r, 1, 2))
        p->n_kills = 1 + (size_t)spv__rng_below(r, KILLS_MAX);
    for (size_t i = 0; i < p->n_kills; i++)
        p->kill[i] = (kill){some_time(r), spv__rng_chance(r, 1, 3)};
}

/** Few keys ahead, and they are missing again and again; many, and only
 * outpoints ever are. */
static void plan_wallet(plan *p, spv_rng *r)
{
    static const uint32_t ahead[] = {1, 5, 20, 500};

    p->gap = (uint32_t)spv__rng_between(r, 2, 20);
    p->lookahead = ahead[spv__rng_below(r, sizeof(ahead) / sizeof(ahead[0]))];
}

/** Payments skip keys, more than the gap has, and later ones fill in: some are
 * ours only then. With keys enough in the filter from the beginning none of
 * them is missed; with few ahead nobody promises that. Then nodes that add
 * nothing to their filter leave many debts, which show what was missed. */
static void plan_ahead(plan *p)
{
    spv_rng r = {~p->seed};

    if (!spv__rng_chance(&r, 1, 3))
        return;
    p->chain.ahead = p->gap + (uint32_t)spv__rng_between(&r, 1, 8);
    p->may_miss = spv__rng_chance(&r, 1, 2);
    p->lookahead = p->may_miss ? (uint32_t)spv__rng_between(&r, 4, 12) : 500;
    if (p->may_miss && spv__rng_chance(&r, 1, 3))
        p->updates = SPV_WALLET_UPDATES_NONE;
}

/** Nodes that may not add coins to their filter are told of each. */
static void plan_updates(plan *p, spv_rng *r)
{
    if (!p->quiet && spv__rng_chance(r, 1, 4))
        p->updates =
            (spv_wallet_updates)spv__rng_below(r, SPV_WALLET_UPDATES_NONE + 1);
}

/** Honest nodes that are there when they are needed: what nobody else has seen
 * nobody can vouch for. */
static void plan_liars(plan *p)
{
    p->n_liars = 1;
    p->audit_rate = 1;
    p->n_nodes += p->n_nodes == 1;
    p->lost_tip = 0;
    p->chain.fork_at = 0;
    for (size_t i = p->n_nodes; i-- > 0;) {
        if (!p->link[i].latency)
            p->link[i].latency = 20;
        p->link[i].breaks = 0;
        if (p->link[i].rate)
            p->link[i].rate += 20000;
    }
}

static relay any_relay(const plan *p, spv_rng *r)
{
    return (relay){.at = some_time(r),
                   .node = (size_t)spv__rng_below(r, p->n_nodes),
                   .first = spv__rng_next(r),
                   .n = (size_t)spv__rng_between(r, 1, 40)};
}

static void plan_relays(plan *p, spv_rng *r)
{
    size_t n = spv__rng_chance(r, 1, 2) ? (size_t)spv__rng_below(r, 10) : 0;

    while (p->n_relays < n)
        p->relay[p->n_relays++] = any_relay(p, r);
}

/** What is in the next blocks is heard of shortly before, by some nodes. */
static void plan_news(plan *p, size_t step, spv_rng *r)
{
    for (size_t i = 0; i < p->n_nodes; i++) {
        relay news = any_relay(p, r);

        news.node = i;
        news.is_news = true;
        news.at = p->grows_at[i][step] - spv__rng_between(r, 0, 3000);
        if (spv__rng_chance(r, 1, 2))
            p->relay[p->n_relays++] = news;
    }
}

/** It stays, while the chain grows if it is not one that is left. */
static void plan_stay(plan *p, spv_rng *r)
{
    spv_time at = 4000;

    p->stay = spv__rng_chance(r, 1, 2);
    if (!p->stay || p->lost_tip)
        return;
    p->growth = (int32_t)spv__rng_between(r, 1, p->chain.blocks - BUSY_FROM);
    for (size_t k = 0; k < STEPS; k++) {
        at += some_time(r);
        for (size_t i = 0; i < p->n_nodes; i++)
            p->grows_at[i][k] = at + spv__rng_between(r, 0, 300);
        plan_news(p, k, r);
    }
}

static plan plan_of(uint64_t seed, bool liars)
{
    spv_rng r = {seed};
    plan p = {.seed = seed, .audit_rate = seed % 5 == 4 ? 0.1 : 0};

    plan_wallet(&p, &r);
    plan_chain(&p, &r);
    plan_reorganisation(&p, &r);
    plan_nodes(&p, &r);
    plan_kills(&p, &r);
    plan_updates(&p, &r);
    plan_relays(&p, &r);
    plan_stay(&p, &r);
    plan_ahead(&p);
    if (liars)
        plan_liars(&p);
    return p;
}

static void print_plan(FILE *to, const plan *p)
{
    const chaingen_options *o = &p->chain;

    (void)fprintf(to,
                  "seed %" PRIu64 ": %d blocks, %s, gap %u + %u, updates %d, "
                  "%zu wallet transactions in %d blocks, burst %zu, "
                  "ahead %u\n",
                  p->seed, o->blocks, genwallet_type_name(o->type), p->gap,
                  p->lookahead, (int)p->updates, o->wallet_txs,
                  o->wallet_blocks, o->burst, o->ahead);
    if (p->lost_tip)
        (void)fprintf(to, "  fork at %d, losing tip %d\n", o->fork_at,
                      p->lost_tip);
    for (size_t i = 0; i < p->n_nodes; i++)
        (void)fprintf(to,
                      "  node %zu: latency %" PRId64 "+%" PRId64
                      " ms, rate %zu, breaks %u, switches at %" PRId64 "\n",
                      i, p->link[i].latency, p->link[i].jitter, p->link[i].rate,
                      p->link[i].breaks, p->switch_at[i]);
    if (p->stay)
        (void)fprintf(to, "  stays, %d blocks come later\n", p->growth);
    for (size_t i = 0; i < p->n_relays; i++)
        (void)fprintf(to, "  relay at %" PRId64 " by node %zu\n",
                      p->relay[i].at, p->relay[i].node);
    for (size_t i = 0; i < p->n_kills; i++)
        (void)fprintf(to, "  killed at %" PRId64 "%s\n", p->kill[i].at,
                      p->on_disk && p->kill[i].from_backup ? ", restored" : "");
}

/* ---- A world made from it ---- */

/** One side of the chain, with the book of who saw it all. */
typedef struct side {
    chaingen *maker;
    spv_script_chain *chain;
} side;

struct world;

typedef struct pending_switch {
    struct world *w;
    size_t node;
    bool done;
    int32_t tip; /* of the side that wins, which the node has by now */
} pending_switch;

typedef struct pending_step {
    struct world *w;
    size_t node;
    int32_t step;
} pending_step;

typedef struct pending_relay {
    struct world *w;
    const relay *relay;
} pending_relay;

typedef struct pending_kill {
    struct world *w;
    const kill *kill;
} pending_kill;

typedef struct world {
    plan plan;
    side lost; /* chain NULL: no reorganisation */
    side won;
    spv_script_node *node[NODES_MAX];
    pending_switch pending[NODES_MAX];
    pending_step steps[NODES_MAX][STEPS];
    pending_relay relays[RELAYS_MAX];
    pending_kill kills[KILLS_MAX];
    sim *s;
    user user;
} world;

static side make_side(const chaingen_options *o, int32_t tip)
{
    side made = {chaingen_new(o), spv__script_chain_new()};
    chaingen_block b;

    while (spv__script_chain_tip(made.chain) < tip &&
           chaingen_next(made.maker, &b))
        spv__script_chain_add(made.chain, b.bytes, b.len);
    return made;
}

static void free_side(side *made)
{
    chaingen_free(made->maker);
    spv__script_chain_free(made->chain);
}

static void make_chains(world *w)
{
    chaingen_options o = w->plan.chain;

    w->won = make_side(&o, o.blocks);
    o.fork_at = 0;
    o.fork_seed = 0;
    if (w->plan.lost_tip)
        w->lost = make_side(&o, w->plan.lost_tip);
}

static void switch_node(pending_switch *p)
{
    const spv_script_chain *chain = p->w->won.chain;

    if (p->done)
        return;
    p->done = true;
    p->tip = spv__script_chain_tip(chain);
    spv__script_node_switch(p->w->node[p->node], chain,
                            spv__script_chain_tip(chain));
    sim_flush_node(p->w->s, p->node);
}

static void on_switch(sim *s, void *arg)
{
    (void)s;
    switch_node(arg);
}

/** The chain grows; with the last step nothing is left to come. */
static void on_step(sim *s, void *arg)
{
    const pending_step *p = arg;
    world *w = p->w;
    int32_t left = w->plan.growth * (STEPS - p->step) / STEPS;

    if (w->pending[p->node].done)
        return;
    if (p->step == STEPS) {
        switch_node(&w->pending[p->node]);
        return;
    }
    w->pending[p->node].tip = w->plan.chain.blocks - left;
    spv__script_node_set_tip(w->node[p->node], w->pending[p->node].tip);
    sim_flush_node(s, p->node);
}

static void grow_later(world *w, size_t node)
{
    for (size_t k = 0; w->plan.growth && k < STEPS; k++) {
        w->steps[node][k] = (pending_step){w, node, (int32_t)k + 1};
        sim_at(w->s, w->plan.grows_at[node][k], on_step, &w->steps[node][k]);
    }
}

/** Announce a transaction of a block, if the node does not have it yet. */
static void announce(world *w, size_t node, const spv_script_block *b,
                     const spv_hash *txid)
{
    spv_block_reader reader;
    spv_tx tx;

    MUST(spv_block_open(&reader, b->bytes, b->len) == SPV_OK);
    while (spv_block_next(&reader, &tx) == SPV_OK) {
        if (spv_hash_equal(&tx.txid, txid) && !spv_tx_is_coinbase(&tx))
            spv__script_node_add_tx(w->node[node], tx.bytes, tx.len);
        spv_tx_clear(&tx);
    }
}

static void on_relay(sim *s, void *arg)
{
    const pending_relay *p = arg;
    const side *from = &p->w->won;
    size_t n = 0;
    const genwallet_tx *txs =
        genwallet_history(chaingen_wallet(from->maker), &n);
    size_t first = n ? p->relay->first % n : 0;
    int32_t tip = p->w->pending[p->relay->node].tip;

    if (p->relay->is_news)
        for (first = 0; first < n && txs[first].height <= tip;)
            first++;

    for (size_t i = first; i < n && i - first < p->relay->n; i++)
        announce(p->w, p->relay->node,
                 spv__script_chain_at(from->chain, txs[i].height),
                 &txs[i].txid);
    sim_flush_node(s, p->relay->node);
}

static void make_relays(world *w)
{
    for (size_t i = 0; i < w->plan.n_relays; i++) {
        w->relays[i] = (pending_relay){w, &w->plan.relay[i]};
        sim_at(w->s, w->plan.relay[i].at, on_relay, &w->relays[i]);
    }
}

static void make_nodes(world *w)
{
    const side *first = w->plan.lost_tip ? &w->lost : &w->won;
    int32_t tip = spv__script_chain_tip(first->chain) - w->plan.growth;

    for (size_t i = 0; i < w->plan.n_nodes; i++) {
        const spv_script_habits *habits =
            i < w->plan.n_liars ? spv__script_habits_find("omit_some") : NULL;

        w->node[i] =
            spv__script_node_new(first->chain, tip, habits, w->plan.seed + i);
        (void)sim_add_node(w->s, w->node[i], w->plan.link[i]);
        w->pending[i] =
            (pending_switch){w, i, !w->plan.lost_tip && !w->plan.growth,
                             w->plan.lost_tip ? 0 : tip};
        grow_later(w, i);
        if (w->plan.lost_tip)
            sim_at(w->s, w->plan.switch_at[i], on_switch, &w->pending[i]);
    }
}

/* The backup is from the kill before; the first goes back to the beginning. */
static void *on_kill(void *arg, void *self)
{
    pending_kill *k = arg;
    user *u = &k->w->user;
    void *fresh = NULL;

    u->restore = k->kill->from_backup;
    fresh = user_restart(u, self);
    if (u->folder[0])
        user_back_up(u);
    return fresh;
}

static void make_user(world *w)
{
    const plan *p = &w->plan;
    spv_wallet_spec spec =
        user_spec(genwallet_type_name(p->chain.type), p->gap);

    spec.lookahead = p->lookahead;
    spec.updates = p->updates;
    user_begin(&w->user, &spec, p->on_disk, p->n_nodes, p->seed);
    w->user.options.audit_rate = p->audit_rate;
    w->user.options.stay = p->stay;
    w->user.options.until = p->stay ? p->chain.blocks : 0;
    if (p->on_disk && p->n_kills)
        user_back_up(&w->user);
    for (size_t i = 0; i < p->n_kills; i++) {
        w->kills[i] = (pending_kill){w, &p->kill[i]};
        sim_kill_at(w->s, p->kill[i].at, on_kill, &w->kills[i]);
    }
}

static void world_begin(world *w, uint64_t seed, bool liars, FILE *trace)
{
    *w = (world){.plan = plan_of(seed, liars), .s = sim_new(seed)};
    sim_set_trace(w->s, trace);
    if (trace)
        print_plan(trace, &w->plan);
    make_chains(w);
    make_nodes(w);
    make_relays(w);
    make_user(w);
}

static void world_end(world *w)
{
    user_end(&w->user);
    sim_free(w->s);
    for (size_t i = 0; i < w->plan.n_nodes; i++)
        spv__script_node_free(w->node[i]);
    free_side(&w->lost);
    free_side(&w->won);
}

/* ---- What must hold ---- */

static bool is_at_tip(const user *u, const side *made)
{
    spv_wallet_info info;

    if (!made->chain)
        return false;
    spv_client_info(u->client, &info);
    return info.synced_height == spv__script_chain_tip(made->chain) &&
           spv_hash_equal(
               &info.synced_hash,
               &spv__script_chain_at(made->chain, info.synced_height)->hash);
}

/** NULL if a synced client knows what is true at the tip it is at. */
static const char *check(const world *w, bool settled)
{
    const side *at = is_at_tip(&w->user, &w->won) ? &w->won : &w->lost;

    if ((settled && at != &w->won) || !is_at_tip(&w->user, at))
        return "synced, but not to the best tip";
    if (w->plan.may_miss)
        return truth_is_broken(w->user.client, chaingen_wallet(at->maker));
    return truth_differs(w->user.client, chaingen_wallet(at->maker), at->chain);
}

static bool is_settled(const world *w)
{
    for (size_t i = 0; i < w->plan.n_nodes; i++)
        if (!w->pending[i].done)
            return false;
    return true;
}

static void settle(world *w)
{
    for (size_t i = 0; i < w->plan.n_nodes; i++)
        switch_node(&w->pending[i]);
}

static void calm(world *w)
{
    for (size_t i = 0; i < w->plan.n_nodes; i++) {
        w->plan.link[i].breaks = 0;
        sim_set_link(w->s, i, w->plan.link[i]);
    }
}

static bool is_stormy(const world *w)
{
    for (size_t i = 0; i < w->plan.n_nodes; i++)
        if (w->plan.link[i].breaks)
            return true;
    return false;
}

/** One run; NULL if nothing was wrong with it. */
static const char *run_once(world *w, bool *synced)
{
    spv_time until = sim_now(w->s) + RUN_MS;
    bool settled = is_settled(w);
    spv_err outcome = SPV_OK;

    user_sync(&w->user, w->s);
    outcome = sim_run(w->s, until);
    *synced = outcome == SPV_OK && settled;
    if (sim_now(w->s) >= until && w->plan.stay && is_stormy(w))
        return NULL; /* it does not give up; one begins anew */
    if (sim_now(w->s) >= until)
        return "the run does not come to an end";
    if (user_accusation(&w->user, w->plan.n_liars))
        return user_accusation(&w->user, w->plan.n_liars);
    if (outcome == SPV_OK)
        return check(w, settled);
    if (outcome == SPV_NO_PEER || outcome == SPV_TIMEOUT)
        return NULL; /* bad lines; one tries again */
    return spv_err_text(outcome);
}

static const char *run_world(world *w)
{
    bool synced = false;
    const char *why = NULL;

    for (int i = 0; i < RUNS_MAX && !synced && !why; i++) {
        if (i == RUNS_STORMY)
            calm(w);
        why = run_once(w, &synced);
        if (i > 0 && !synced)
            settle(w);
    }
    return synced || why ? why : "never synced, though the lines are good";
}

typedef struct command {
    uint64_t first;
    uint64_t last;
    bool liars;
    bool must_fail;
    FILE *trace;
} command;

static bool holds(uint64_t seed, const command *c, const char *program)
{
    world w;
    const char *why = NULL;

    world_begin(&w, seed, c->liars, c->trace);
    why = run_world(&w);
    if (why)
        (void)printf("seed %" PRIu64 ": %s\n  again: %s --seed %" PRIu64
                     "%s --trace\n",
                     seed, why, program, seed, c->liars ? " --liars" : "");
    world_end(&w);
    return why == NULL;
}

/* ---- The program ---- */

static bool read_command(command *c, int argc, char **argv)
{
    *c = (command){.first = 1};
    for (int i = 1; i < argc; i++) {
        bool more = i + 1 < argc;

        if (strcmp(argv[i], "--trace") == 0)
            c->trace = stdout;
        else if (strcmp(argv[i], "--must-fail") == 0)
            c->must_fail = true;
        else if (strcmp(argv[i], "--liars") == 0)
            c->liars = true;
        else if (more && strcmp(argv[i], "--seed") == 0 &&
                 sscanf(argv[++i], "%" SCNu64, &c->first) == 1)
            c->last = c->first;
        else if (!more || strcmp(argv[i], "--seeds") != 0 ||
                 sscanf(argv[++i], "%" SCNu64 "-%" SCNu64, &c->first,
                        &c->last) != 2)
            return false;
    }
    if (c->last == 0)
        c->last = c->liars ? SEEDS_OF_LIARS : SEEDS_OF_A_TEST;
    return true;
}

int main(int argc, char **argv)
{
    size_t failures = 0;
    command c;

    if (!read_command(&c, argc, argv)) {
        (void)fprintf(stderr,
                      "usage: %s [--liars] [--seed N | --seeds A-B] [--trace] "
                      "[--must-fail]\n",
                      argv[0]);
        return 2;
    }
    (void)setvbuf(stdout, NULL, _IOLBF, 0); /* a failure shows at once */
    for (uint64_t seed = c.first; seed <= c.last; seed++) {
        failures += !holds(seed, &c, argv[0]);
        if (c.must_fail && failures)
            return 0;
    }
    (void)printf("%" PRIu64 " seeds, %zu failures\n", c.last - c.first + 1,
                 failures);
    return c.must_fail || failures > 0;
}
