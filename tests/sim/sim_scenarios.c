#include "unit/cmocka_all.h"

#include <string.h>

#include <spv/block.h>

#include "client/client.h"
#include "sim/scene.h"
#include "support/must.h"

/*
 * What has gone wrong for users of such clients, as small worlds with scripted
 * peers. Each name is that of the case; after every one of them the wallet
 * knows what the book knows.
 */
/* ---- Peers that misbehave, beside an honest one and alone ---- */

typedef struct bad_peer {
    const char *name;
    const char *habit;
    const char *told; /* of it, to the user; NULL: nothing is wrong with it */
    spv_err alone;    /* how a run with it alone ends */
} bad_peer;

static const bad_peer bad_peers[] = {
    {"S06 a peer without NODE_BLOOM gets no filter message", "no_bloom",
     "does not serve bloom filters", SPV_NO_PEER},
    {"S07 a peer that matches everything is dropped", "match_everything",
     "does not match the filter", SPV_PROTOCOL},
    {"S08 a peer that proves what does not match is at fault", "extra_tx",
     "does not match the filter", SPV_PROTOCOL},
    {"S08 a transaction that nothing proves is nobody's", "stray_tx", NULL,
     SPV_OK},
    {"S10 no block is asked for before the filter is in force", "late_filter",
     NULL, SPV_OK},
    {"S20 a proof that does not hold is a fault", "false_proof",
     "merkle proof that does not hold", SPV_PROTOCOL},
    {"S22 a matched transaction that never comes is a fault", "withhold_tx",
     "left out a transaction", SPV_PROTOCOL},
    {"S25 filtered blocks that nobody asked for are a fault", "unrequested",
     "was not asked for", SPV_PROTOCOL},
    {"S26 a whole block instead of a filtered one is a fault", "full_block",
     "sent a whole block", SPV_PROTOCOL},
    {"S29 a header without its work is a fault", "easy_header",
     "sent a header whose hash is above the target", SPV_PROTOCOL},
    {"S33 a peer that goes silent half-way is left", "silent_after_100",
     "does not answer", SPV_TIMEOUT},
    {"S35 a height claimed too high plays no part", "claims_too_much", NULL,
     SPV_OK},
    {"S35 a height claimed too low plays no part", "claims_too_little", NULL,
     SPV_OK},
    {"S36 a peer that hangs up on getdata is named as such", "hang_up_on_data",
     "hung up when asked for blocks", SPV_NO_PEER},
    {"S36 a peer that finds no block is left", "not_found",
     "does not answer for blocks", SPV_TIMEOUT},
    {"S48 a peer that says verack first is timed out", "verack_first",
     "does not finish the handshake", SPV_NO_PEER},
    {"S48 two versions are tolerated", "two_versions", NULL, SPV_OK},
    {"S48 unknown messages before verack are tolerated", "chatter", NULL,
     SPV_OK},
    {"S48 a peer that says nothing is timed out", "mute",
     "does not finish the handshake", SPV_NO_PEER},
    {"S49 another network's language is a fault", "wrong_magic",
     "not this network's", SPV_PROTOCOL},
    {"S49 noise is a fault", "garbage", "not this network's", SPV_PROTOCOL},
    {"S50 a flood of addresses of all networks is passed over", "addr_flood",
     NULL, SPV_OK},
    {"S51 an inv before the filter is loaded is passed over", "early_inv", NULL,
     SPV_OK},
};

/** What every client owes its peers, whatever they do. */
static void assert_manners(const scene *sc, size_t node, const bad_peer *bad)
{
    const spv_script_counts *met = spv__script_node_count(sc->node[node]);

    assert_int_equal(met->asked_while_busy, 0);
    assert_int_equal(met->received[SPV_MSG_FILTERADD], 0);
    assert_int_equal(met->received[SPV_MSG_FILTERCLEAR], 0);
    if (strcmp(bad->habit, "no_bloom") == 0)
        assert_int_equal(met->received[SPV_MSG_FILTERLOAD], 0);
}

static void beside_an_honest_one(const bad_peer *bad)
{
    scene sc;

    scene_begin(&sc);
    (void)scene_add(&sc, usual.chain, BLOCKS, bad->habit, at_hand);
    (void)scene_peer(&sc, "honest");
    scene_wallet(&sc, false);
    assert_synced(&sc, &usual);
    if (bad->alone == SPV_PROTOCOL)
        assert_true(user_was_told(&sc.user, bad->told));
    if (!bad->told)
        assert_int_equal(sc.user.n_lines, 0);
    assert_manners(&sc, 0, bad);
    scene_end(&sc);
}

static void alone(const bad_peer *bad)
{
    spv_trouble trouble;
    scene sc;

    scene_begin(&sc);
    (void)scene_peer(&sc, bad->habit);
    scene_wallet(&sc, false);
    assert_int_equal(scene_sync(&sc), bad->alone);
    if (bad->alone == SPV_OK)
        assert_true_history(&sc, &usual);
    spv_client_trouble(sc.user.client, &trouble);
    if (bad->told && !strstr(trouble.text, bad->told))
        fail_msg("'%s' does not say '%s'", trouble.text, bad->told);
    assert_manners(&sc, 0, bad);
    scene_end(&sc);
}

static void play_bad_peer(void **state)
{
    const bad_peer *bad = *state;

    beside_an_honest_one(bad);
    alone(bad);
}

/* ---- Filters ---- */

/** Coins come by one peer, and are spent wholly before the eyes of another. */
static void s02(void **state)
{
    static const genwallet_type types[] = {GENWALLET_PKH, GENWALLET_WPKH,
                                           GENWALLET_SH_WPKH, GENWALLET_TR};

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        chaingen_options o = chaingen_defaults();
        history h;
        scene sc;
        spv_wallet_spec spec = user_spec(genwallet_type_name(types[i]), 0);

        o.type = types[i];
        o.hasty = true;
        h = history_of(&o, o.blocks);
        scene_begin(&sc);
        (void)scene_add(&sc, h.chain, 200, "honest", near_by);
        (void)scene_add(&sc, h.chain, 300, "honest", nobody);
        user_begin(&sc.user, &spec, false, 2, 1);
        assert_int_equal(scene_sync(&sc), SPV_OK);
        sim_set_link(sc.s, 0, nobody);
        sim_set_link(sc.s, 1, near_by);
        assert_synced(&sc, &h);
        assert_int_equal(spv__script_node_count(sc.node[1])->filtered_served,
                         100);
        scene_end(&sc);
        history_free(&h);
    }
}

/** A wallet that watches nothing: the public doors do not make one. */
static spv_client *empty_client(void)
{
    static const uint8_t entropy[32] = {4};
    spv_profile nothing = {.type = "watch",
                           .watch_only = true,
                           .gap = SPV__GAP_DEFAULT,
                           .lookahead = SPV__CLIENT_LOOKAHEAD,
                           .birthday = -1,
                           .birthday_time = -1,
                           .scan_from = -1};
    spv_client *c = NULL;

    MUST(spv__client_make(&c, spv_network_get(SPV_REGTEST), &nothing, NULL) ==
         SPV_OK);
    MUST(spv__client_begin(c, entropy, NULL) == SPV_OK);
    return c;
}

static void s04(void **state)
{
    scene sc;

    (void)state;
    scene_begin(&sc);
    (void)scene_peer(&sc, "honest");
    scene_wallet(&sc, false);
    spv_client_free(sc.user.client);
    sc.user.client = empty_client();
    assert_int_equal(scene_sync(&sc), SPV_OK);
    assert_true(heard(&sc, 0, SPV_MSG_GETHEADERS) > 0);
    assert_int_equal(heard(&sc, 0, SPV_MSG_FILTERLOAD), 0);
    assert_int_equal(heard(&sc, 0, SPV_MSG_GETDATA), 0);
    scene_end(&sc);
}

static void s06(void **state)
{
    spv_trouble trouble;
    scene sc;

    (void)state;
    scene_begin(&sc);
    (void)scene_peer(&sc, "no_bloom");
    scene_wallet(&sc, false);
    assert_int_equal(scene_sync(&sc), SPV_NO_PEER);
    spv_client_trouble(sc.user.client, &trouble);
    assert_non_null(strstr(trouble.hint, "peerbloomfilters=1"));
    assert_int_equal(connects(&sc), 1);
    scene_end(&sc);
}

static bool holds_all(const spv_filter *more, const spv_filter *less)
{
    if (more->len != less->len || more->tweak != less->tweak ||
        more->hash_funcs != less->hash_funcs)
        return false;
    for (size_t i = 0; i < less->len; i++)
        if ((more->bytes[i] & less->bytes[i]) != less->bytes[i])
            return false;
    return true;
}

static spv_filter filter_now(const scene *sc)
{
    spv_filter f = {0};

    assert_int_equal(spv_client_filter(sc->user.client, &f), SPV_OK);
    return f;
}

static void s11(void **state)
{
    spv_filter first;
    spv_filter last;
    scene sc;

    (void)state;
    scene_begin(&sc);
    (void)scene_peer(&sc, "honest");
    scene_wallet(&sc, true);
    first = filter_now(&sc);
    for (int i = 0; i < 10; i++) {
        spv_filter again;

        (void)user_restart(&sc.user, sc.user.client);
        again = filter_now(&sc);
        assert_int_equal(again.len, first.len);
        assert_memory_equal(again.bytes, first.bytes, first.len);
        assert_int_equal(again.tweak, first.tweak);
        spv_filter_clear(&again);
    }
    assert_synced(&sc, &usual);
    last = filter_now(&sc);
    assert_true(holds_all(&last, &first));
    spv_filter_clear(&first);
    spv_filter_clear(&last);
    scene_end(&sc);
}

/* ---- Gap limit ---- */

/** One wallet of the usual words with few keys ahead, on a chain of its own. */
static void sync_all(const chaingen_options *o, uint32_t gap,
                     uint32_t lookahead)
{
    history h = history_of(o, o->blocks);
    spv_wallet_spec spec = user_spec("wpkh", gap);
    scene sc;

    spec.lookahead = lookahead;
    scene_begin(&sc);
    (void)scene_add(&sc, h.chain, o->blocks, "honest", near_by);
    user_begin(&sc.user, &spec, false, 1, 1);
    assert_synced(&sc, &h);
    scene_end(&sc);
    history_free(&h);
}

static void s14_one_block(void **state)
{
    chaingen_options o = chaingen_defaults();

    (void)state;
    o.burst = 30;
    o.wallet_blocks = 4;
    sync_all(&o, 20, 1);
    sync_all(&o, 2, 1);
}

static void s14_every_block(void **state)
{
    chaingen_options o = chaingen_defaults();

    (void)state;
    o.blocks = 320;
    o.wallet_txs = 200;
    o.wallet_blocks = 200;
    sync_all(&o, 20, 1);
    sync_all(&o, 20, 0);
}

/* ---- Transactions ---- */

static void s22_alone(void **state)
{
    spv_wallet_info info;
    scene sc;

    (void)state;
    scene_begin(&sc);
    (void)scene_peer(&sc, "withhold_tx");
    scene_wallet(&sc, false);
    assert_int_equal(scene_sync(&sc), SPV_PROTOCOL);
    spv_client_info(sc.user.client, &info);
    assert_true(info.synced_height < BLOCKS);
    assert_int_equal(spv__script_node_count(sc.node[0])->sessions, 1);
    scene_end(&sc);
}

/** The last transaction of the wallet's, announced while the client syncs. */
static void announce_last(sim *s, void *arg)
{
    scene *sc = arg;
    size_t n = 0;
    const genwallet_tx *txs =
        genwallet_history(chaingen_wallet(usual.maker), &n);
    const spv_script_block *b =
        spv__script_chain_at(usual.chain, txs[n - 1].height);
    spv_block_reader reader;
    spv_tx tx;

    assert_int_equal(spv_block_open(&reader, b->bytes, b->len), SPV_OK);
    while (spv_block_next(&reader, &tx) == SPV_OK) {
        if (spv_hash_equal(&tx.txid, &txs[n - 1].txid))
            spv__script_node_add_tx(sc->node[0], tx.bytes, tx.len);
        spv_tx_clear(&tx);
    }
    sim_flush_node(s, 0);
}

static void s23(void **state)
{
    sim_link slow = {.latency = 50, .rate = 20000};
    scene sc;

    (void)state;
    scene_begin(&sc);
    (void)scene_add(&sc, usual.chain, BLOCKS, "honest", slow);
    scene_wallet(&sc, false);
    sim_at(sc.s, 3000, announce_last, &sc);
    assert_synced(&sc, &usual);
    scene_end(&sc);
}

/* ---- Reorganisations ---- */

static size_t count_state(const scene *sc, spv_tx_state want)
{
    spv_wallet_tx *txs = NULL;
    size_t n = 0;
    size_t count = 0;

    assert_int_equal(spv_client_history(sc->user.client, &txs, &n), SPV_OK);
    for (size_t i = 0; i < n; i++)
        count += txs[i].state == want;
    free(txs);
    return count;
}

/** Sync to one side of a fork, then to the other, which is longer. */
static void switch_sides(int32_t fork_at, uint64_t fork_seed, scene *sc,
                         history *won)
{
    chaingen_options o = chaingen_defaults();
    history lost;

    o.blocks = 160;
    o.wallet_blocks = 40; /* of the last fifty: the fork is among them */
    o.wallet_txs = 80;
    lost = history_of(&o, 159);
    o.fork_at = fork_at;
    o.fork_seed = fork_seed;
    *won = history_of(&o, 160);
    scene_begin(sc);
    (void)scene_add(sc, lost.chain, 159, "honest", near_by);
    scene_wallet(sc, true);
    assert_synced(sc, &lost);
    spv__script_node_switch(sc->node[0], won->chain, 160);
    assert_synced(sc, won);
    history_free(&lost);
}

static void s27_on_both_sides(void **state)
{
    history won;
    scene sc;

    (void)state;
    switch_sides(159, 0, &sc, &won);
    assert_int_equal(count_state(&sc, SPV_TX_UNCONFIRMED), 0);
    scene_end(&sc);
    history_free(&won);
}

static void s27_dropped(void **state)
{
    history won;
    scene sc;

    (void)state;
    switch_sides(140, 5, &sc, &won);
    assert_true(count_state(&sc, SPV_TX_UNCONFIRMED) > 0);
    assert_true(count_state(&sc, SPV_TX_CONFLICTED) > 0);
    (void)user_restart(&sc.user, sc.user.client);
    assert_true_history(&sc, &won);
    scene_end(&sc);
    history_free(&won);
}

/** The usual wallet, whose headers begin at a checkpoint at height 200. */
static void wallet_from_checkpoint(scene *sc)
{
    const spv_script_block *b = spv__script_chain_at(usual.chain, 200);
    spv_checkpoint base = {.height = b->height, .work = {0, 2}};
    spv_tree_config config = {.network = spv_network_get(SPV_REGTEST),
                              .base = &base};
    spv_client *c = NULL;

    memcpy(base.header, b->header, sizeof(base.header));
    scene_wallet(sc, false);
    c = sc->user.client;
    spv__tree_free(c->tree);
    assert_int_equal(spv__tree_new(&c->tree, &config), SPV_OK);
}

/** Whose chain ends below the checkpoint, or leaves ours there. */
static void beyond_checkpoint(const spv_script_chain *chain, int32_t tip)
{
    spv_wallet_info info;
    scene sc;

    scene_begin(&sc);
    (void)scene_add(&sc, chain, tip, "honest", at_hand);
    (void)scene_peer(&sc, "honest");
    wallet_from_checkpoint(&sc);
    assert_int_equal(scene_sync(&sc), SPV_OK);
    spv_client_info(sc.user.client, &info);
    assert_int_equal(info.synced_height, BLOCKS);
    assert_memory_equal(info.synced_hash.bytes,
                        spv__script_chain_at(usual.chain, BLOCKS)->hash.bytes,
                        32);
    assert_int_equal(spv__script_node_count(sc.node[0])->filtered_asked, 0);
    assert_int_equal(sc.user.n_lines, 1);
    scene_end(&sc);
}

static void s31(void **state)
{
    chaingen_options o = chaingen_defaults();
    history other;

    (void)state;
    o.fork_at = 150;
    o.fork_seed = 1;
    other = history_of(&o, BLOCKS);
    beyond_checkpoint(usual.chain, 100);
    beyond_checkpoint(other.chain, 180);
    beyond_checkpoint(other.chain, BLOCKS);
    history_free(&other);
}

/* ---- Peers ---- */

static void s33(void **state)
{
    scene sc;

    (void)state;
    scene_begin(&sc);
    for (int i = 0; i < 3; i++)
        (void)scene_peer(&sc, "silent_after_100");
    (void)scene_peer(&sc, "honest");
    scene_wallet(&sc, false);
    assert_synced(&sc, &usual);
    scene_end(&sc);
}

static void s35(void **state)
{
    spv_sync_report report;
    scene sc;

    (void)state;
    scene_begin(&sc);
    (void)scene_peer(&sc, "claims_too_much");
    scene_wallet(&sc, false);
    assert_synced(&sc, &usual);
    spv_client_report(sc.user.client, &report);
    assert_int_equal(report.headers, BLOCKS);
    scene_end(&sc);
}

/** Nobody there: a few tries, further and further apart, and then an end. */
static void s37(void **state)
{
    static const sim_link links[] = {
        {.latency = 20, .refuses = true},
        {.latency = 20, .black_hole = true},
        {.latency = 20, .breaks = 10000},
    };

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        scene sc;

        scene_begin(&sc);
        (void)scene_add(&sc, usual.chain, BLOCKS, "honest", links[i]);
        scene_wallet(&sc, false);
        assert_int_equal(scene_sync(&sc), SPV_NO_PEER);
        assert_in_range(connects(&sc), 2, SPV__POOL_TRIES);
        assert_true(sim_now(sc.s) > 1000 + 3 * SPV__POOL_FIRST_WAIT_MS);
        assert_true(sim_count(sc.s)->steps < 100);
        scene_end(&sc);
    }
}

static void sync_little(int32_t tip, int32_t birthday)
{
    spv_wallet_spec spec = user_spec("wpkh", 0);
    spv_sync_report report;
    scene sc;

    spec.birthday = birthday;
    scene_begin(&sc);
    (void)scene_add(&sc, usual.chain, tip, "honest", near_by);
    user_begin(&sc.user, &spec, false, 1, 1);
    assert_int_equal(scene_sync(&sc), SPV_OK);
    spv_client_report(sc.user.client, &report);
    assert_int_equal(report.phase, SPV_PHASE_SYNCED);
    assert_int_equal(report.height, tip);
    assert_int_equal(report.headers, tip);
    scene_end(&sc);
}

static void s41(void **state)
{
    (void)state;
    sync_little(0, -1);      /* genesis only */
    sync_little(0, 0);       /* ... and that is the birthday */
    sync_little(0, 1000);    /* a birthday that is yet to come */
    sync_little(50, 50);     /* born at the tip */
    sync_little(BLOCKS, 50); /* money came later */
}

static void s48_none(void **state)
{
    scene sc;

    (void)state;
    scene_begin(&sc);
    (void)scene_peer(&sc, "mute");
    scene_wallet(&sc, false);
    assert_int_equal(scene_sync(&sc), SPV_NO_PEER);
    assert_true(sim_now(sc.s) > SPV__PEER_HANDSHAKE_MS);
    scene_end(&sc);
}

static void s49_pieces(void **state)
{
    sim_link pieces = {.latency = 20, .jitter = 30, .split = true};
    scene sc;

    (void)state;
    scene_begin(&sc);
    (void)scene_add(&sc, usual.chain, BLOCKS, "honest", pieces);
    scene_wallet(&sc, false);
    assert_synced(&sc, &usual);
    scene_end(&sc);
}

/* ---- The table ---- */

static const struct CMUnitTest scenes[] = {
    {.name = "S02 every spend is seen when the peer changes in between",
     .test_func = s02},
    {.name = "S04 with nothing to look for, no filter is sent",
     .test_func = s04},
    {.name = "S06 the only peer lacks NODE_BLOOM: its setting is named",
     .test_func = s06},
    {.name = "S11 restarts show the same filter, receipts only add to it",
     .test_func = s11},
    {.name = "S14 thirty payments in one block", .test_func = s14_one_block},
    {.name = "S14 a payment a block for 200 blocks",
     .test_func = s14_every_block},
    {.name = "S22 the block stays open when its only peer withholds",
     .test_func = s22_alone},
    {.name = "S23 announced, then in a block: confirmed once",
     .test_func = s23},
    {.name = "S27 a transaction on both sides stays confirmed",
     .test_func = s27_on_both_sides},
    {.name = "S27 what the new side drops is unconfirmed",
     .test_func = s27_dropped},
    {.name = "S31 a chain below the checkpoint is not followed",
     .test_func = s31},
    {.name = "S33 three peers go silent, the fourth is good", .test_func = s33},
    {.name = "S35 a claimed height is no header", .test_func = s35},
    {.name = "S37 nobody there: back-off, then an end", .test_func = s37},
    {.name = "S41 little or nothing to do is synced too", .test_func = s41},
    {.name = "S48 a peer that never says its version is timed out",
     .test_func = s48_none},
    {.name = "S49 messages in pieces", .test_func = s49_pieces},
};

enum {
    N_BAD_PEERS = sizeof(bad_peers) / sizeof(bad_peers[0]),
    N_SCENES = sizeof(scenes) / sizeof(scenes[0])
};

int main(void)
{
    struct CMUnitTest tests[N_BAD_PEERS + N_SCENES];

    memcpy(tests, scenes, sizeof(scenes));
    for (size_t i = 0; i < N_BAD_PEERS; i++)
        tests[N_SCENES + i] =
            (struct CMUnitTest){.name = bad_peers[i].name,
                                .test_func = play_bad_peer,
                                .initial_state = (void *)&bad_peers[i]};
    return cmocka_run_group_tests_name("sim.scenarios", tests, make_usual,
                                       drop_usual);
}
