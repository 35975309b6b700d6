#include "unit/cmocka_all.h"

#include <string.h>

#include <spv/block.h>

#include "client/client.h"
#include "sim/truth.h"
#include "sim/user.h"
#include "support/must.h"

/*
 * A client that stays, in small worlds with scripted peers: new blocks however
 * they are announced, reorganisations, lost peers, and what is in no block.
 */
enum { TIP = 300, NODES_MAX = 2, TOLD_MAX = 4000, DAY = 86400 };

static const sim_link near_by = {.latency = 20, .jitter = 5};
static const sim_link broken = {.latency = 20, .refuses = true};

/* ---- A chain, and the book of who saw all of it ---- */

typedef struct history {
    chaingen *maker;
    simchain *chain;
} history;

static history history_of(const chaingen_options *o, int32_t tip)
{
    history h = {chaingen_new(o), simchain_new()};
    chaingen_block b;

    while (simchain_tip(h.chain) < tip && chaingen_next(h.maker, &b))
        simchain_add(h.chain, b.bytes, b.len);
    return h;
}

static void history_free(history *h)
{
    chaingen_free(h->maker);
    simchain_free(h->chain);
    *h = (history){0};
}

static history usual;

static int make_usual(void **state)
{
    chaingen_options o = chaingen_defaults();

    (void)state;
    usual = history_of(&o, TIP);
    return 0;
}

static int drop_usual(void **state)
{
    (void)state;
    history_free(&usual);
    return 0;
}

/* ---- A scene, and what its client told ---- */

typedef struct told {
    spv_event_kind kind;
    int32_t height;
    int32_t fork_height;
    spv_time at;
    spv_hash txid;
    uint32_t seen_by;
    int64_t confirmed; /* balance at the time */
} told;

typedef struct scene {
    sim *s;
    simnode *node[NODES_MAX];
    size_t n_nodes;
    user user;
    told told[TOLD_MAX];
    size_t n_told;
} scene;

static void on_event(void *ctx, const spv_event *e)
{
    scene *sc = ctx;
    spv_balance balance;
    told *t = &sc->told[sc->n_told];

    assert_true(sc->n_told < TOLD_MAX);
    spv_client_balance(sc->user.client, &balance);
    *t = (told){.kind = e->kind,
                .height = e->height,
                .fork_height = e->fork_height,
                .at = sim_now(sc->s),
                .confirmed = balance.confirmed};
    if (e->tx) {
        t->txid = e->tx->txid;
        t->height = e->tx->height;
        t->seen_by = e->tx->seen_by;
    }
    sc->n_told++;
}

static scene *scene_begin(void)
{
    scene *sc = calloc(1, sizeof(*sc));

    MUST(sc);
    sc->s = sim_new(1);
    return sc;
}

static void scene_add(scene *sc, const simchain *chain, int32_t tip,
                      const char *habit)
{
    simnode *node =
        simnode_new(chain, tip, simnode_habits_find(habit), sc->n_nodes + 1);

    (void)sim_add_node(sc->s, node, near_by);
    sc->node[sc->n_nodes++] = node;
}

/** The usual wallet begins to watch. */
static void scene_watch(scene *sc)
{
    spv_wallet_spec spec = user_spec("wpkh", 0);

    user_begin(&sc->user, &spec, false, sc->n_nodes, 1);
    sc->user.options.stay = true;
    sc->user.options.event = on_event;
    sc->user.options.event_ctx = sc;
    user_sync(&sc->user, sc->s);
}

static void scene_end(scene *sc)
{
    user_end(&sc->user);
    sim_free(sc->s);
    for (size_t i = 0; i < sc->n_nodes; i++)
        simnode_free(sc->node[i]);
    free(sc);
}

/** Let so many seconds go by; it must not end. */
static void scene_wait(scene *sc, spv_time seconds)
{
    spv_time until = sim_now(sc->s) + 1000 * seconds;

    assert_int_equal(sim_run(sc->s, until), SPV_TIMEOUT);
}

static void set_tip(scene *sc, size_t node, int32_t tip)
{
    simnode_set_tip(sc->node[node], tip);
    sim_flush_node(sc->s, node);
}

static const told *find_told(const scene *sc, spv_event_kind kind,
                             int32_t height)
{
    for (size_t i = 0; i < sc->n_told; i++)
        if (sc->told[i].kind == kind && sc->told[i].height == height)
            return &sc->told[i];
    return NULL;
}

static size_t count_told(const scene *sc, spv_event_kind kind,
                         const spv_hash *txid)
{
    size_t n = 0;

    for (size_t i = 0; i < sc->n_told; i++)
        n += sc->told[i].kind == kind &&
             (!txid || spv_hash_equal(&sc->told[i].txid, txid));
    return n;
}

static void assert_truth(const scene *sc, const history *h)
{
    const char *why =
        truth_differs(sc->user.client, chaingen_wallet(h->maker), h->chain);

    if (why)
        fail_msg("%s", why);
    if (user_accusation(&sc->user, 0))
        fail_msg("%s", user_accusation(&sc->user, 0));
}

static const simnode_counts *counts(const scene *sc, size_t node)
{
    return simnode_count(sc->node[node]);
}

/* ---- New blocks ---- */

typedef struct announcing {
    const char *habit;
    spv_time within; /* milliseconds until the block is in the wallet */
} announcing;

/** Thirty blocks, a few seconds apart: each is asked for once, in time. */
static void follow_blocks(void **state)
{
    const announcing *how = *state;
    scene *sc = scene_begin();

    scene_add(sc, usual.chain, TIP - 30, how->habit);
    scene_watch(sc);
    scene_wait(sc, 20);
    assert_non_null(find_told(sc, SPV_EVENT_SYNCED, TIP - 30));
    for (int32_t h = TIP - 29; h <= TIP; h++) {
        spv_time mined = sim_now(sc->s);

        set_tip(sc, 0, h);
        scene_wait(sc, 15);
        assert_non_null(find_told(sc, SPV_EVENT_TIP, h));
        assert_non_null(find_told(sc, SPV_EVENT_SYNCED, h));
        assert_in_range(find_told(sc, SPV_EVENT_SYNCED, h)->at - mined, 0,
                        how->within);
    }
    assert_int_equal(counts(sc, 0)->filtered_asked, TIP);
    assert_truth(sc, &usual);
    scene_end(sc);
}

static void mine_one(sim *s, void *arg)
{
    scene *sc = arg;
    int32_t tip = TIP - 60 + (int32_t)(sim_now(s) / 1000) - 1;

    set_tip(sc, 0, tip < TIP ? tip : TIP);
}

/** While it syncs: every second a block, from the first on. */
static void mined_every_second(void **state)
{
    const char *const habits[] = {"honest", "inv_only", "discreet"};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        scene *sc = scene_begin();

        scene_add(sc, usual.chain, TIP - 60, habits[i]);
        sim_set_link(sc->s, 0, (sim_link){.latency = 100, .rate = 20000});
        for (spv_time at = 1; at <= 61; at++)
            sim_at(sc->s, 1000 + 1000 * at, mine_one, sc);
        scene_watch(sc);
        scene_wait(sc, 90);
        assert_non_null(find_told(sc, SPV_EVENT_SYNCED, TIP));
        assert_int_equal(counts(sc, 0)->filtered_asked, TIP);
        assert_truth(sc, &usual);
        scene_end(sc);
    }
}

/* ---- Reorganisations ---- */

/** 150 deep, with the wallet's coins spent otherwise on either side; there and
 * back again. */
static void deep_reorganisation(void **state)
{
    chaingen_options o = chaingen_defaults();
    history lost;
    history won;
    scene *sc = scene_begin();

    (void)state;
    o.blocks = 330;
    o.wallet_blocks = 100;
    o.wallet_txs = 200;
    lost = history_of(&o, 329);
    o.fork_at = 180;
    o.fork_seed = 9;
    won = history_of(&o, 330);
    scene_add(sc, lost.chain, 329, "honest");
    scene_watch(sc);
    scene_wait(sc, 30);
    assert_truth(sc, &lost);
    simnode_switch(sc->node[0], won.chain, 330);
    sim_flush_node(sc->s, 0);
    scene_wait(sc, 30);
    assert_truth(sc, &won);
    assert_non_null(find_told(sc, SPV_EVENT_REORGANISED, 330));
    assert_int_equal(find_told(sc, SPV_EVENT_REORGANISED, 330)->fork_height,
                     179);
    assert_true(count_told(sc, SPV_EVENT_CONFLICTED, NULL) > 0);
    assert_true(count_told(sc, SPV_EVENT_TRANSACTION, NULL) > 0);
    assert_int_equal(count_told(sc, SPV_EVENT_CONNECTED, NULL), 1);
    scene_end(sc);
    history_free(&lost);
    history_free(&won);
}

/* ---- Peers ---- */

static void nobody_there(sim *s, void *arg)
{
    (void)arg;
    sim_set_link(s, 0, (sim_link){.latency = 20, .breaks = 10000});
}

static void still_nobody(sim *s, void *arg)
{
    (void)arg;
    sim_set_link(s, 0, broken);
}

/** Gone for an hour, which is told once; and found again in a minute or so. */
static void a_peer_comes_back(void **state)
{
    scene *sc = scene_begin();

    (void)state;
    scene_add(sc, usual.chain, TIP - 1, "honest");
    scene_watch(sc);
    scene_wait(sc, 20);
    sim_at(sc->s, sim_now(sc->s) + 1000, nobody_there, NULL);
    sim_at(sc->s, sim_now(sc->s) + 20000, still_nobody, NULL);
    scene_wait(sc, 3600);
    assert_int_equal(count_told(sc, SPV_EVENT_DISCONNECTED, NULL), 1);
    assert_in_range(count_told(sc, SPV_EVENT_WARNING, NULL), 1, 3);
    assert_in_range(sim_count(sc->s)->connects, 40, 100);
    sim_set_link(sc->s, 0, near_by);
    set_tip(sc, 0, TIP);
    scene_wait(sc, 100);
    assert_int_equal(count_told(sc, SPV_EVENT_CONNECTED, NULL), 2);
    assert_non_null(find_told(sc, SPV_EVENT_SYNCED, TIP));
    assert_truth(sc, &usual);
    scene_end(sc);
}

/** Nobody at the beginning, either: it waits. */
static void nobody_at_first(void **state)
{
    scene *sc = scene_begin();

    (void)state;
    scene_add(sc, usual.chain, TIP, "honest");
    sim_set_link(sc->s, 0, broken);
    scene_watch(sc);
    scene_wait(sc, 600);
    assert_int_equal(count_told(sc, SPV_EVENT_WARNING, NULL), 1);
    sim_set_link(sc->s, 0, near_by);
    scene_wait(sc, 120);
    assert_truth(sc, &usual);
    scene_end(sc);
}

static void it_ends_when_nobody_can_serve(void **state)
{
    static const struct {
        const char *habit;
        spv_err want;
    } cases[] = {{"no_bloom", SPV_NO_PEER}, {"false_proof", SPV_PROTOCOL}};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        scene *sc = scene_begin();

        scene_add(sc, usual.chain, TIP, cases[i].habit);
        scene_watch(sc);
        assert_int_equal(sim_run(sc->s, 100000), cases[i].want);
        scene_end(sc);
    }
}

static void it_ends_at_the_height_and_the_time_it_was_given(void **state)
{
    scene *sc = scene_begin();
    spv_wallet_info info;

    (void)state;
    scene_add(sc, usual.chain, TIP - 10, "honest");
    scene_watch(sc);
    user_end(&sc->user);
    scene_watch(sc);
    sc->user.options.timeout_s = 60;
    user_sync(&sc->user, sc->s);
    assert_int_equal(sim_run(sc->s, 100000), SPV_OK);
    assert_in_range(sim_now(sc->s), 60000, 63000);
    sc->user.options.timeout_s = 0;
    sc->user.options.until = TIP - 5;
    user_sync(&sc->user, sc->s);
    assert_int_equal(sim_run(sc->s, 100000), SPV_TIMEOUT);
    set_tip(sc, 0, TIP);
    assert_int_equal(sim_run(sc->s, 110000), SPV_OK);
    spv_client_info(sc->user.client, &info);
    assert_int_equal(info.synced_height, TIP - 5);
    scene_end(sc);
}

/* ---- What is in no block yet ---- */

/** The wallet's last transaction: in which block, and its bytes. */
typedef struct loose {
    spv_hash txid;
    int32_t height;
    int64_t net;
    uint8_t *bytes;
    size_t len;
} loose;

static loose last_of(const history *h)
{
    size_t n = 0;
    const genwallet_tx *txs = genwallet_history(chaingen_wallet(h->maker), &n);
    const genwallet_tx *last = &txs[n - 1];
    const simblock *b = simchain_at(h->chain, last->height);
    loose found = {
        .txid = last->txid, .height = last->height, .net = last->net};
    spv_block_reader reader;
    spv_tx tx;

    assert_int_equal(spv_block_open(&reader, b->bytes, b->len), SPV_OK);
    while (spv_block_next(&reader, &tx) == SPV_OK) {
        if (spv_hash_equal(&tx.txid, &last->txid)) {
            found.bytes = malloc(tx.len);
            found.len = tx.len;
            MUST(found.bytes);
            memcpy(found.bytes, tx.bytes, tx.len);
        }
        spv_tx_clear(&tx);
    }
    assert_non_null(found.bytes);
    return found;
}

/** The same with another lock time: it spends and pays the same. */
static loose rival_of(const loose *l)
{
    loose rival = *l;
    spv_tx tx;

    rival.bytes = malloc(l->len);
    MUST(rival.bytes);
    memcpy(rival.bytes, l->bytes, l->len);
    rival.bytes[l->len - 1] ^= 1;
    assert_int_equal(spv_tx_decode(&tx, rival.bytes, rival.len, NULL), SPV_OK);
    rival.txid = tx.txid;
    spv_tx_clear(&tx);
    return rival;
}

static void relay(scene *sc, size_t node, const loose *l)
{
    simnode_add_tx(sc->node[node], l->bytes, l->len);
    sim_flush_node(sc->s, node);
}

static spv_tx_state state_of(const scene *sc, const loose *l)
{
    spv_wallet_tx tx;

    assert_int_equal(spv_client_tx(sc->user.client, &l->txid, &tx), SPV_OK);
    return tx.state;
}

static int64_t confirmed_now(const scene *sc)
{
    spv_balance balance;

    spv_client_balance(sc->user.client, &balance);
    return balance.confirmed;
}

/** S24: in the mempool, by inv, from two peers, and in a block: one record. */
static void announced_then_mined(void **state)
{
    loose last = last_of(&usual);
    scene *sc = scene_begin();

    (void)state;
    scene_add(sc, usual.chain, last.height - 1, "honest");
    scene_add(sc, usual.chain, last.height - 1, "honest");
    simnode_add_tx(sc->node[0], last.bytes, last.len);
    scene_watch(sc);
    scene_wait(sc, 20);
    assert_int_equal(counts(sc, 0)->received[SPV_MSG_MEMPOOL], 1);
    assert_int_equal(counts(sc, 1)->received[SPV_MSG_MEMPOOL], 1);
    assert_int_equal(count_told(sc, SPV_EVENT_TRANSACTION, &last.txid), 1);
    assert_int_equal(state_of(sc, &last), SPV_TX_UNCONFIRMED);
    relay(sc, 1, &last);
    scene_wait(sc, 5);
    assert_int_equal(count_told(sc, SPV_EVENT_TRANSACTION, &last.txid), 2);
    assert_int_equal(sc->told[sc->n_told - 1].seen_by, 2);
    for (size_t i = 0; i < 2; i++)
        set_tip(sc, i, TIP);
    scene_wait(sc, 5);
    assert_int_equal(count_told(sc, SPV_EVENT_CONFIRMED, &last.txid), 1);
    assert_truth(sc, &usual);
    assert_int_equal(counts(sc, 0)->received[SPV_MSG_MEMPOOL], 1);
    free(last.bytes);
    scene_end(sc);
}

/** S44: a replacement is never counted twice, whoever wins in the end. */
static void replaced_then_mined(void **state)
{
    loose last = last_of(&usual);
    loose rival = rival_of(&last);
    scene *sc = scene_begin();
    spv_balance before;
    spv_balance after;

    (void)state;
    scene_add(sc, usual.chain, last.height - 1, "honest");
    scene_watch(sc);
    scene_wait(sc, 20);
    relay(sc, 0, &rival);
    scene_wait(sc, 5);
    spv_client_balance(sc->user.client, &before);
    relay(sc, 0, &last);
    scene_wait(sc, 5);
    spv_client_balance(sc->user.client, &after);
    assert_int_equal(before.unconfirmed, last.net);
    assert_int_equal(after.unconfirmed, last.net);
    assert_int_equal(count_told(sc, SPV_EVENT_REPLACED, &rival.txid), 1);
    set_tip(sc, 0, TIP);
    scene_wait(sc, 5);
    assert_int_equal(state_of(sc, &rival), SPV_TX_REPLACED);
    assert_int_equal(state_of(sc, &last), SPV_TX_CONFIRMED);
    assert_int_equal(counts(sc, 0)->filtered_asked, TIP); /* none again */
    assert_truth(sc, &usual);
    free(last.bytes);
    free(rival.bytes);
    scene_end(sc);
}

/** The one that did not win is conflicted. */
static void a_rival_is_mined(void **state)
{
    loose last = last_of(&usual);
    loose rival = rival_of(&last);
    scene *sc = scene_begin();

    (void)state;
    scene_add(sc, usual.chain, last.height - 1, "honest");
    scene_watch(sc);
    scene_wait(sc, 20);
    relay(sc, 0, &rival);
    set_tip(sc, 0, TIP);
    scene_wait(sc, 5);
    assert_int_equal(count_told(sc, SPV_EVENT_CONFLICTED, &rival.txid), 1);
    assert_truth(sc, &usual);
    free(last.bytes);
    free(rival.bytes);
    scene_end(sc);
}

/** Go on in another run, which begins `seconds` after the last one. */
static void scene_go_on(scene *sc, int64_t seconds)
{
    sc->user.options.unix_time += seconds;
    user_sync(&sc->user, sc->s);
}

/** S45: who makes a payment up moves nothing that counts, and two weeks later
 * it is gone. */
static void made_up_payments_expire(void **state)
{
    loose last = last_of(&usual);
    loose rival = rival_of(&last);
    scene *sc = scene_begin();
    int64_t confirmed = 0;

    (void)state;
    scene_add(sc, usual.chain, last.height - 1, "honest");
    scene_add(sc, usual.chain, last.height - 1, "honest");
    scene_watch(sc);
    scene_wait(sc, 20);
    confirmed = confirmed_now(sc);
    relay(sc, 0, &rival);
    scene_wait(sc, 20);
    assert_int_equal(sc->told[sc->n_told - 2].kind, SPV_EVENT_TRANSACTION);
    assert_int_equal(sc->told[sc->n_told - 2].seen_by, 1);
    assert_int_equal(confirmed_now(sc), confirmed);
    sim_set_link(sc->s, 0, broken);
    scene_go_on(sc, 14 * DAY - 3000);
    scene_wait(sc, 2000);
    assert_int_equal(state_of(sc, &rival), SPV_TX_UNCONFIRMED);
    scene_wait(sc, 6000);
    assert_int_equal(state_of(sc, &rival), SPV_TX_ABANDONED);
    assert_int_equal(count_told(sc, SPV_EVENT_ABANDONED, &rival.txid), 1);
    assert_int_equal(confirmed_now(sc), confirmed);
    sim_set_link(sc->s, 0, near_by);
    scene_wait(sc, 100); /* announced again it is here again */
    assert_int_equal(state_of(sc, &rival), SPV_TX_UNCONFIRMED);
    free(last.bytes);
    free(rival.bytes);
    scene_end(sc);
}

/** A node that tells of all it has, wanted or not, is not accused; and what it
 * has shown for nothing, another that comes later is not asked for. */
static void strangers_are_asked_for_once(void **state)
{
    loose last = last_of(&usual);
    const simblock *b = simchain_at(usual.chain, last.height);
    scene *sc = scene_begin();
    spv_block_reader reader;
    size_t asked = 0;
    spv_tx tx;

    (void)state;
    for (size_t i = 0; i < 2; i++)
        scene_add(sc, usual.chain, last.height - 1, "whole_mempool");
    assert_int_equal(spv_block_open(&reader, b->bytes, b->len), SPV_OK);
    for (; spv_block_next(&reader, &tx) == SPV_OK; asked++) {
        for (size_t i = 0; i < 2; i++)
            simnode_add_tx(sc->node[i], tx.bytes, tx.len);
        spv_tx_clear(&tx);
    }
    assert_true(asked > 2);
    sim_set_link(sc->s, 1, broken);
    scene_watch(sc);
    scene_wait(sc, 30);
    assert_int_equal(state_of(sc, &last), SPV_TX_UNCONFIRMED);
    assert_int_equal(counts(sc, 0)->txs_asked, asked);
    sim_set_link(sc->s, 1, near_by);
    scene_wait(sc, 100);
    assert_int_equal(counts(sc, 1)->received[SPV_MSG_MEMPOOL], 1);
    assert_int_equal(counts(sc, 1)->txs_asked, 0);
    for (size_t i = 0; i < 2; i++)
        set_tip(sc, i, TIP);
    scene_wait(sc, 5);
    assert_truth(sc, &usual);
    free(last.bytes);
    scene_end(sc);
}

/* ---- The table ---- */

static announcing by_headers = {"honest", 1000};
static announcing by_inv = {"inv_only", 1000};
static announcing by_nothing = {"discreet", 11000};

#define FOLLOWS(sentence, how)                                                \
    {                                                                         \
        .name = sentence, .test_func = follow_blocks, .initial_state = &(how) \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        FOLLOWS("S38 blocks announced by headers", by_headers),
        FOLLOWS("S38 blocks announced by inv", by_inv),
        FOLLOWS("S38 blocks announced by nothing", by_nothing),
        {.name = "S38 a block every second while it syncs",
         .test_func = mined_every_second},
        {.name = "a reorganisation 150 deep, spends on both sides",
         .test_func = deep_reorganisation},
        {.name = "S37 a peer is lost for an hour, and comes back",
         .test_func = a_peer_comes_back},
        {.name = "S37 nobody there at first", .test_func = nobody_at_first},
        {.name = "when nobody is left that could serve, it ends",
         .test_func = it_ends_when_nobody_can_serve},
        {.name = "it ends at a height, or a time",
         .test_func = it_ends_at_the_height_and_the_time_it_was_given},
        {.name = "S24 by inv, from two peers and in a block: one record",
         .test_func = announced_then_mined},
        {.name = "S44 a replacement is not counted twice",
         .test_func = replaced_then_mined},
        {.name = "S44 what a block spends otherwise is conflicted",
         .test_func = a_rival_is_mined},
        {.name = "S45 a made-up payment counts for nothing and expires",
         .test_func = made_up_payments_expire},
        {.name = "a node that tells of its whole mempool",
         .test_func = strangers_are_asked_for_once},
    };

    return cmocka_run_group_tests_name("sim.steady", tests, make_usual,
                                       drop_usual);
}
