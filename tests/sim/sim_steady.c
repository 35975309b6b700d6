#include "unit/cmocka_all.h"

#include <string.h>

#include <spv/block.h>

#include "client/client.h"
#include "sim/scene.h"
#include "support/must.h"

/*
 * A client that stays, in small worlds with scripted peers: new blocks however
 * they are announced, reorganisations, lost peers, and what is in no block.
 */
enum { TOLD_MAX = 4000, DAY = 86400 };

/* ---- A client that stays, and what it told ---- */

typedef struct told {
    spv_event_kind kind;
    int32_t height;
    int32_t fork_height;
    spv_time at;
    spv_hash txid;
    uint32_t seen_by;
    int64_t confirmed; /* balance at the time */
} told;

/** A scene whose client stays, and what that told. */
typedef struct vigil {
    scene scene;
    told told[TOLD_MAX];
    size_t n_told;
} vigil;

static void on_event(void *ctx, const spv_event *e)
{
    vigil *v = ctx;
    spv_balance balance;
    told *t = &v->told[v->n_told];

    assert_true(v->n_told < TOLD_MAX);
    spv_client_balance(v->scene.user.client, &balance);
    *t = (told){.kind = e->kind,
                .height = e->height,
                .fork_height = e->fork_height,
                .at = sim_now(v->scene.s),
                .confirmed = balance.confirmed};
    if (e->tx) {
        t->txid = e->tx->txid;
        t->height = e->tx->height;
        t->seen_by = e->tx->seen_by;
    }
    v->n_told++;
}

static vigil *vigil_begin(void)
{
    vigil *v = calloc(1, sizeof(*v));

    MUST(v);
    scene_begin(&v->scene);
    return v;
}

static void add_node(vigil *v, const spv_script_chain *chain, int32_t tip,
                     const char *habit)
{
    (void)scene_add(&v->scene, chain, tip, habit, near_by);
}

/** The usual wallet begins to watch. */
static void vigil_watch(vigil *v)
{
    scene_wallet(&v->scene, false);
    v->scene.user.options.stay = true;
    v->scene.user.options.event = on_event;
    v->scene.user.options.event_ctx = v;
    user_sync(&v->scene.user, v->scene.s);
}

static void vigil_end(vigil *v)
{
    scene_end(&v->scene);
    free(v);
}

/** Let so many seconds go by; it must not end. */
static void vigil_wait(vigil *v, spv_time seconds)
{
    spv_time until = sim_now(v->scene.s) + 1000 * seconds;

    assert_int_equal(sim_run(v->scene.s, until), SPV_TIMEOUT);
}

static void set_tip(vigil *v, size_t node, int32_t tip)
{
    spv__script_node_set_tip(v->scene.node[node], tip);
    sim_flush_node(v->scene.s, node);
}

static const told *find_told(const vigil *v, spv_event_kind kind,
                             int32_t height)
{
    for (size_t i = 0; i < v->n_told; i++)
        if (v->told[i].kind == kind && v->told[i].height == height)
            return &v->told[i];
    return NULL;
}

static size_t count_told(const vigil *v, spv_event_kind kind,
                         const spv_hash *txid)
{
    size_t n = 0;

    for (size_t i = 0; i < v->n_told; i++)
        n += v->told[i].kind == kind &&
             (!txid || spv_hash_equal(&v->told[i].txid, txid));
    return n;
}

static void assert_truth(const vigil *v, const history *h)
{
    assert_true_history(&v->scene, h);
    if (user_accusation(&v->scene.user, 0))
        fail_msg("%s", user_accusation(&v->scene.user, 0));
}

static const spv_script_counts *counts(const vigil *v, size_t node)
{
    return spv__script_node_count(v->scene.node[node]);
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
    vigil *v = vigil_begin();

    add_node(v, usual.chain, BLOCKS - 30, how->habit);
    vigil_watch(v);
    vigil_wait(v, 20);
    assert_non_null(find_told(v, SPV_EVENT_SYNCED, BLOCKS - 30));
    for (int32_t h = BLOCKS - 29; h <= BLOCKS; h++) {
        spv_time mined = sim_now(v->scene.s);

        set_tip(v, 0, h);
        vigil_wait(v, 15);
        assert_non_null(find_told(v, SPV_EVENT_TIP, h));
        assert_non_null(find_told(v, SPV_EVENT_SYNCED, h));
        assert_in_range(find_told(v, SPV_EVENT_SYNCED, h)->at - mined, 0,
                        how->within);
    }
    assert_int_equal(counts(v, 0)->filtered_asked, BLOCKS);
    assert_truth(v, &usual);
    vigil_end(v);
}

static void mine_one(sim *s, void *arg)
{
    vigil *v = arg;
    int32_t tip = BLOCKS - 60 + (int32_t)(sim_now(s) / 1000) - 1;

    set_tip(v, 0, tip < BLOCKS ? tip : BLOCKS);
}

/** While it syncs: every second a block, from the first on. */
static void mined_every_second(void **state)
{
    const char *const habits[] = {"honest", "inv_only", "discreet"};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        vigil *v = vigil_begin();

        add_node(v, usual.chain, BLOCKS - 60, habits[i]);
        sim_set_link(v->scene.s, 0, (sim_link){.latency = 100, .rate = 20000});
        for (spv_time at = 1; at <= 61; at++)
            sim_at(v->scene.s, 1000 + 1000 * at, mine_one, v);
        vigil_watch(v);
        vigil_wait(v, 90);
        assert_non_null(find_told(v, SPV_EVENT_SYNCED, BLOCKS));
        assert_int_equal(counts(v, 0)->filtered_asked, BLOCKS);
        assert_truth(v, &usual);
        vigil_end(v);
    }
}

/** Thirty blocks, each of which one of the nodes has two seconds before the
 * other, in turn. */
static void the_one_that_shows_a_block_is_asked_for_it(void **state)
{
    vigil *v = vigil_begin();

    (void)state;
    for (size_t node = 0; node < 2; node++)
        add_node(v, usual.chain, BLOCKS - 30, "honest");
    vigil_watch(v);
    vigil_wait(v, 20);
    for (int32_t h = BLOCKS - 29; h <= BLOCKS; h++) {
        size_t behind = (size_t)h % 2;
        size_t asked = counts(v, behind)->filtered_asked;

        set_tip(v, 1 - behind, h);
        vigil_wait(v, 2);
        assert_non_null(find_told(v, SPV_EVENT_SYNCED, h));
        assert_int_equal(counts(v, behind)->filtered_asked, asked);
        set_tip(v, behind, h);
        vigil_wait(v, 2);
    }
    assert_truth(v, &usual);
    vigil_end(v);
}

/** One node announces blocks and hangs up when it is asked for them; the others
 * have them a second later, and are no worse for it the fourth time. */
static void one_that_is_behind_now_and_then_is_kept(void **state)
{
    vigil *v = vigil_begin();

    (void)state;
    add_node(v, usual.chain, BLOCKS - 6, "honest");
    add_node(v, usual.chain, BLOCKS - 6, "hang_up_on_data");
    add_node(v, usual.chain, BLOCKS - 6, "honest");
    vigil_watch(v);
    vigil_wait(v, 100);
    for (int32_t h = BLOCKS - 5; h <= BLOCKS; h++) {
        set_tip(v, 1, h);
        vigil_wait(v, 1);
        assert_null(find_told(v, SPV_EVENT_SYNCED, h));
        set_tip(v, 0, h);
        vigil_wait(v, 1);
        set_tip(v, 2, h);
        vigil_wait(v, 100); /* the other is connected to again */
        assert_non_null(find_told(v, SPV_EVENT_SYNCED, h));
    }
    assert_int_equal(counts(v, 0)->sessions, 1);
    assert_int_equal(counts(v, 2)->sessions, 1);
    assert_truth(v, &usual);
    vigil_end(v);
}

/** A header is shown, and no block; what there is counts meanwhile, and the
 * block when it comes after all. */
static void a_tip_that_nobody_has_counts_when_it_comes(void **state)
{
    chaingen_options o = chaingen_defaults();
    history withheld = history_of(&o, BLOCKS);
    vigil *v = vigil_begin();

    (void)state;
    history_withhold(&withheld);
    for (size_t i = 0; i < 2; i++)
        add_node(v, usual.chain, BLOCKS - 1, "honest");
    add_node(v, withheld.chain, BLOCKS - 1, "honest");
    vigil_watch(v);
    vigil_wait(v, 20);
    set_tip(v, 2, BLOCKS);
    vigil_wait(v, 300);
    assert_int_equal(count_told(v, SPV_EVENT_REORGANISED, NULL), 1);
    assert_int_equal(v->told[v->n_told - 1].kind, SPV_EVENT_SYNCED);
    assert_int_equal(v->told[v->n_told - 1].height, BLOCKS - 1);
    assert_true(user_was_told(&v->scene.user, "none sends its blocks"));
    assert_null(find_told(v, SPV_EVENT_SYNCED, BLOCKS));
    set_tip(v, 1, BLOCKS);
    vigil_wait(v, 5);
    assert_non_null(find_told(v, SPV_EVENT_SYNCED, BLOCKS));
    assert_true_history(&v->scene, &usual);
    assert_int_equal(counts(v, 0)->sessions, 1);
    vigil_end(v);
    history_free(&withheld);
}

/* ---- Reorganisations ---- */

/** 150 deep, with the wallet's coins spent otherwise on either side; there and
 * back again. */
static void deep_reorganisation(void **state)
{
    chaingen_options o = chaingen_defaults();
    history lost;
    history won;
    vigil *v = vigil_begin();

    (void)state;
    o.blocks = 330;
    o.wallet_blocks = 100;
    o.wallet_txs = 200;
    lost = history_of(&o, 329);
    o.fork_at = 180;
    o.fork_seed = 9;
    won = history_of(&o, 330);
    add_node(v, lost.chain, 329, "honest");
    vigil_watch(v);
    vigil_wait(v, 30);
    assert_truth(v, &lost);
    spv__script_node_switch(v->scene.node[0], won.chain, 330);
    sim_flush_node(v->scene.s, 0);
    vigil_wait(v, 30);
    assert_truth(v, &won);
    assert_non_null(find_told(v, SPV_EVENT_REORGANISED, 330));
    assert_int_equal(find_told(v, SPV_EVENT_REORGANISED, 330)->fork_height,
                     179);
    assert_true(count_told(v, SPV_EVENT_CONFLICTED, NULL) > 0);
    assert_true(count_told(v, SPV_EVENT_TRANSACTION, NULL) > 0);
    assert_int_equal(count_told(v, SPV_EVENT_CONNECTED, NULL), 1);
    vigil_end(v);
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
    sim_set_link(s, 0, nobody);
}

/** Gone for an hour, which is told once; and found again in a minute or so. */
static void a_peer_comes_back(void **state)
{
    vigil *v = vigil_begin();

    (void)state;
    add_node(v, usual.chain, BLOCKS - 1, "honest");
    vigil_watch(v);
    vigil_wait(v, 20);
    sim_at(v->scene.s, sim_now(v->scene.s) + 1000, nobody_there, NULL);
    sim_at(v->scene.s, sim_now(v->scene.s) + 20000, still_nobody, NULL);
    vigil_wait(v, 3600);
    assert_int_equal(count_told(v, SPV_EVENT_DISCONNECTED, NULL), 1);
    assert_in_range(count_told(v, SPV_EVENT_WARNING, NULL), 1, 3);
    assert_in_range(connects(&v->scene), 40, 100);
    sim_set_link(v->scene.s, 0, near_by);
    set_tip(v, 0, BLOCKS);
    vigil_wait(v, 100);
    assert_int_equal(count_told(v, SPV_EVENT_CONNECTED, NULL), 2);
    assert_non_null(find_told(v, SPV_EVENT_SYNCED, BLOCKS));
    assert_truth(v, &usual);
    vigil_end(v);
}

/** Nobody at the beginning, either: it waits. */
static void nobody_at_first(void **state)
{
    vigil *v = vigil_begin();

    (void)state;
    add_node(v, usual.chain, BLOCKS, "honest");
    sim_set_link(v->scene.s, 0, nobody);
    vigil_watch(v);
    vigil_wait(v, 600);
    assert_int_equal(count_told(v, SPV_EVENT_WARNING, NULL), 1);
    sim_set_link(v->scene.s, 0, near_by);
    vigil_wait(v, 120);
    assert_truth(v, &usual);
    vigil_end(v);
}

static void it_ends_when_nobody_can_serve(void **state)
{
    static const struct {
        const char *habit;
        spv_err want;
    } cases[] = {{"no_bloom", SPV_NO_PEER}, {"false_proof", SPV_PROTOCOL}};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        vigil *v = vigil_begin();

        add_node(v, usual.chain, BLOCKS, cases[i].habit);
        vigil_watch(v);
        assert_int_equal(sim_run(v->scene.s, 100000), cases[i].want);
        vigil_end(v);
    }
}

static void it_ends_at_the_height_and_the_time_it_was_given(void **state)
{
    vigil *v = vigil_begin();
    spv_wallet_info info;

    (void)state;
    add_node(v, usual.chain, BLOCKS - 10, "honest");
    vigil_watch(v);
    user_end(&v->scene.user);
    vigil_watch(v);
    v->scene.user.options.timeout_s = 60;
    user_sync(&v->scene.user, v->scene.s);
    assert_int_equal(sim_run(v->scene.s, 100000), SPV_OK);
    assert_in_range(sim_now(v->scene.s), 60000, 63000);
    v->scene.user.options.timeout_s = 0;
    v->scene.user.options.until = BLOCKS - 5;
    user_sync(&v->scene.user, v->scene.s);
    assert_int_equal(sim_run(v->scene.s, 100000), SPV_TIMEOUT);
    set_tip(v, 0, BLOCKS);
    assert_int_equal(sim_run(v->scene.s, 110000), SPV_OK);
    spv_client_info(v->scene.user.client, &info);
    assert_int_equal(info.synced_height, BLOCKS - 5);
    vigil_end(v);
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
    const spv_script_block *b = spv__script_chain_at(h->chain, last->height);
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

static void relay(vigil *v, size_t node, const loose *l)
{
    spv__script_node_add_tx(v->scene.node[node], l->bytes, l->len);
    sim_flush_node(v->scene.s, node);
}

static spv_tx_state state_of(const vigil *v, const loose *l)
{
    spv_wallet_tx tx;

    assert_int_equal(spv_client_tx(v->scene.user.client, &l->txid, &tx),
                     SPV_OK);
    return tx.state;
}

static int64_t confirmed_now(const vigil *v)
{
    spv_balance balance;

    spv_client_balance(v->scene.user.client, &balance);
    return balance.confirmed;
}

/** S24: in the mempool, by inv, from two peers, and in a block: one record. */
static void announced_then_mined(void **state)
{
    loose last = last_of(&usual);
    vigil *v = vigil_begin();

    (void)state;
    add_node(v, usual.chain, last.height - 1, "honest");
    add_node(v, usual.chain, last.height - 1, "honest");
    spv__script_node_add_tx(v->scene.node[0], last.bytes, last.len);
    vigil_watch(v);
    vigil_wait(v, 20);
    assert_int_equal(heard(&v->scene, 0, SPV_MSG_MEMPOOL), 1);
    assert_int_equal(heard(&v->scene, 1, SPV_MSG_MEMPOOL), 1);
    assert_int_equal(count_told(v, SPV_EVENT_TRANSACTION, &last.txid), 1);
    assert_int_equal(state_of(v, &last), SPV_TX_UNCONFIRMED);
    relay(v, 1, &last);
    vigil_wait(v, 5);
    assert_int_equal(count_told(v, SPV_EVENT_TRANSACTION, &last.txid), 2);
    assert_int_equal(v->told[v->n_told - 1].seen_by, 2);
    for (size_t i = 0; i < 2; i++)
        set_tip(v, i, BLOCKS);
    vigil_wait(v, 5);
    assert_int_equal(count_told(v, SPV_EVENT_CONFIRMED, &last.txid), 1);
    assert_truth(v, &usual);
    assert_int_equal(heard(&v->scene, 0, SPV_MSG_MEMPOOL), 1);
    free(last.bytes);
    vigil_end(v);
}

/** S44: a replacement is never counted twice, whoever wins in the end. */
static void replaced_then_mined(void **state)
{
    loose last = last_of(&usual);
    loose rival = rival_of(&last);
    vigil *v = vigil_begin();
    spv_balance before;
    spv_balance after;

    (void)state;
    add_node(v, usual.chain, last.height - 1, "honest");
    vigil_watch(v);
    vigil_wait(v, 20);
    relay(v, 0, &rival);
    vigil_wait(v, 5);
    spv_client_balance(v->scene.user.client, &before);
    relay(v, 0, &last);
    vigil_wait(v, 5);
    spv_client_balance(v->scene.user.client, &after);
    assert_int_equal(before.unconfirmed, last.net);
    assert_int_equal(after.unconfirmed, last.net);
    assert_int_equal(count_told(v, SPV_EVENT_REPLACED, &rival.txid), 1);
    set_tip(v, 0, BLOCKS);
    vigil_wait(v, 5);
    assert_int_equal(state_of(v, &rival), SPV_TX_REPLACED);
    assert_int_equal(state_of(v, &last), SPV_TX_CONFIRMED);
    assert_int_equal(counts(v, 0)->filtered_asked, BLOCKS); /* none again */
    assert_truth(v, &usual);
    free(last.bytes);
    free(rival.bytes);
    vigil_end(v);
}

/** The one that did not win is conflicted. */
static void a_rival_is_mined(void **state)
{
    loose last = last_of(&usual);
    loose rival = rival_of(&last);
    vigil *v = vigil_begin();

    (void)state;
    add_node(v, usual.chain, last.height - 1, "honest");
    vigil_watch(v);
    vigil_wait(v, 20);
    relay(v, 0, &rival);
    set_tip(v, 0, BLOCKS);
    vigil_wait(v, 5);
    assert_int_equal(count_told(v, SPV_EVENT_CONFLICTED, &rival.txid), 1);
    assert_truth(v, &usual);
    free(last.bytes);
    free(rival.bytes);
    vigil_end(v);
}

/** Go on in another run, which begins `seconds` after the last one. */
static void vigil_go_on(vigil *v, int64_t seconds)
{
    v->scene.user.options.unix_time += seconds;
    user_sync(&v->scene.user, v->scene.s);
}

/** S45: who makes a payment up moves nothing that counts, and two weeks later
 * it is gone. */
static void made_up_payments_expire(void **state)
{
    loose last = last_of(&usual);
    loose rival = rival_of(&last);
    vigil *v = vigil_begin();
    int64_t confirmed = 0;

    (void)state;
    add_node(v, usual.chain, last.height - 1, "honest");
    add_node(v, usual.chain, last.height - 1, "honest");
    vigil_watch(v);
    vigil_wait(v, 20);
    confirmed = confirmed_now(v);
    relay(v, 0, &rival);
    vigil_wait(v, 20);
    assert_int_equal(v->told[v->n_told - 2].kind, SPV_EVENT_TRANSACTION);
    assert_int_equal(v->told[v->n_told - 2].seen_by, 1);
    assert_int_equal(confirmed_now(v), confirmed);
    sim_set_link(v->scene.s, 0, nobody);
    vigil_go_on(v, 14 * DAY - 3000);
    vigil_wait(v, 2000);
    assert_int_equal(state_of(v, &rival), SPV_TX_UNCONFIRMED);
    vigil_wait(v, 6000);
    assert_int_equal(state_of(v, &rival), SPV_TX_ABANDONED);
    assert_int_equal(count_told(v, SPV_EVENT_ABANDONED, &rival.txid), 1);
    assert_int_equal(confirmed_now(v), confirmed);
    sim_set_link(v->scene.s, 0, near_by);
    vigil_wait(v, 100); /* announced again it is here again */
    assert_int_equal(state_of(v, &rival), SPV_TX_UNCONFIRMED);
    free(last.bytes);
    free(rival.bytes);
    vigil_end(v);
}

/** A node that tells of all it has, wanted or not, is not accused; and what it
 * has shown for nothing, another that comes later is not asked for. */
static void strangers_are_asked_for_once(void **state)
{
    loose last = last_of(&usual);
    const spv_script_block *b = spv__script_chain_at(usual.chain, last.height);
    vigil *v = vigil_begin();
    spv_block_reader reader;
    size_t asked = 0;
    spv_tx tx;

    (void)state;
    for (size_t i = 0; i < 2; i++)
        add_node(v, usual.chain, last.height - 1, "whole_mempool");
    assert_int_equal(spv_block_open(&reader, b->bytes, b->len), SPV_OK);
    for (; spv_block_next(&reader, &tx) == SPV_OK; asked++) {
        for (size_t i = 0; i < 2; i++)
            spv__script_node_add_tx(v->scene.node[i], tx.bytes, tx.len);
        spv_tx_clear(&tx);
    }
    assert_true(asked > 2);
    sim_set_link(v->scene.s, 1, nobody);
    vigil_watch(v);
    vigil_wait(v, 30);
    assert_int_equal(state_of(v, &last), SPV_TX_UNCONFIRMED);
    assert_int_equal(counts(v, 0)->txs_asked, asked);
    sim_set_link(v->scene.s, 1, near_by);
    vigil_wait(v, 100);
    assert_int_equal(heard(&v->scene, 1, SPV_MSG_MEMPOOL), 1);
    assert_int_equal(counts(v, 1)->txs_asked, 0);
    for (size_t i = 0; i < 2; i++)
        set_tip(v, i, BLOCKS);
    vigil_wait(v, 5);
    assert_truth(v, &usual);
    free(last.bytes);
    vigil_end(v);
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
        cmocka_unit_test(the_one_that_shows_a_block_is_asked_for_it),
        cmocka_unit_test(one_that_is_behind_now_and_then_is_kept),
        cmocka_unit_test(a_tip_that_nobody_has_counts_when_it_comes),
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
