#include "unit/cmocka_all.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/fetcher.h"
#include "support/chaintake.h"
#include "support/must.h"
#include "support/sim.h"

/*
 * Headers from several peers at once, between the checkpoints of a cheap chain
 * and above them. The clock is the simulator's, so times are exact.
 */
enum {
    BLOCKS = 20300,
    SPACING = 2016, /* as on the main network */
    LAST = 20160,   /* height of the last checkpoint */
    FORK = 9000,
    NODES_MAX = 4,
    LONG = 600000
};

/* 50 milliseconds there and back, on a line of 20 megabytes a second. */
static const sim_link far_away = {.latency = 25, .rate = 20000000};
static const sim_link at_hand = {.latency = 1};

static spv_script_chain *usual;
static spv_script_chain
    *other; /* leaves it below the last checkpoint, and is longer */
static spv_script_chain *longer; /* leaves it above, and is longer by one */

static spv_script_chain *mine(int32_t blocks, int32_t fork_at)
{
    chaingen_options o = chaingen_defaults();
    spv_script_chain *chain = spv__script_chain_new();
    chaingen *maker = NULL;

    o.blocks = blocks;
    o.txs = o.wallet_txs = 0;
    o.fork_at = fork_at;
    o.fork_seed = fork_at ? 7 : 0;
    maker = chaingen_new(&o);
    chain_take(chain, maker);
    chaingen_free(maker);
    return chain;
}

static int mine_chains(void **state)
{
    (void)state;
    usual = mine(BLOCKS, 0);
    other = mine(BLOCKS, FORK);
    longer = mine(BLOCKS, LAST + 100);
    return 0;
}

static int drop_chains(void **state)
{
    (void)state;
    spv__script_chain_free(usual);
    spv__script_chain_free(other);
    spv__script_chain_free(longer);
    return 0;
}

/* ---- A world ---- */

typedef struct scene {
    sim *s;
    spv_script_node *node[NODES_MAX];
    size_t n_nodes;
    fetcher f;
} scene;

static void scene_begin(scene *sc, uint64_t seed)
{
    *sc = (scene){.s = sim_new(seed)};
}

static size_t scene_add(scene *sc, const spv_script_chain *chain, int32_t tip,
                        const char *habit, sim_link link)
{
    const spv_script_habits *habits = spv__script_habits_find(habit);
    spv_script_node *node = NULL;

    assert_non_null(habits);
    node = spv__script_node_new(chain, tip, habits, sc->n_nodes + 1);
    sc->node[sc->n_nodes++] = node;
    return sim_add_node(sc->s, node, link);
}

static size_t scene_peer(scene *sc, const char *habit)
{
    return scene_add(sc, usual, BLOCKS, habit, far_away);
}

static void scene_client(scene *sc, int32_t spacing)
{
    fetcher_begin(&sc->f, usual, spacing, LAST, 1);
    fetcher_connect_all(&sc->f, sc->n_nodes);
}

static spv_err scene_run(scene *sc)
{
    sim_set_client(sc->s, fetcher_machine(), &sc->f);
    return sim_run(sc->s, sim_now(sc->s) + LONG);
}

static void scene_end(scene *sc)
{
    fetcher_end(&sc->f);
    sim_free(sc->s);
    for (size_t i = 0; i < sc->n_nodes; i++)
        spv__script_node_free(sc->node[i]);
}

static void assert_tip(const scene *sc, const spv_script_chain *chain,
                       int32_t height)
{
    spv_tree_block tip = spv__tree_tip(sc->f.tree);

    assert_int_equal(tip.height, height);
    assert_memory_equal(tip.hash.bytes,
                        spv__script_chain_at(chain, height)->hash.bytes,
                        sizeof(tip.hash.bytes));
}

static void assert_synced(scene *sc)
{
    assert_int_equal(scene_run(sc), SPV_OK);
    assert_tip(sc, usual, BLOCKS);
}

static size_t asked(const scene *sc, size_t node)
{
    return spv__script_node_count(sc->node[node])->received[SPV_MSG_GETHEADERS];
}

/* ---- How long it takes ---- */

/** Until `peers` honest nodes have given all headers. */
static spv_time time_with(size_t peers, int32_t spacing)
{
    spv_time took = 0;
    scene sc;

    scene_begin(&sc, 1);
    for (size_t i = 0; i < peers; i++)
        (void)scene_peer(&sc, "honest");
    scene_client(&sc, spacing);
    assert_synced(&sc);
    assert_int_equal(sc.f.n_lines, 0);
    took = sc.f.headers_at - sc.f.sync.began;
    scene_end(&sc);
    return took;
}

static void two_peers_take_at_most_half_of_a_serial_chain(void **state)
{
    spv_time serial = time_with(2, 0);
    spv_time ranges = time_with(2, SPACING);

    (void)state;
    assert_true(serial >= BLOCKS / SPV__HEADERS_MAX * 50);
    if (2 * ranges > serial)
        fail_msg("%" PRId64 " ms, one after the other %" PRId64, ranges,
                 serial);
}

static void one_peer_is_not_asked_one_by_one_either(void **state)
{
    spv_time serial = time_with(1, 0);
    spv_time ranges = time_with(1, SPACING);

    (void)state;
    if (10 * ranges > 7 * serial)
        fail_msg("%" PRId64 " ms, one after the other %" PRId64, ranges,
                 serial);
}

static void peers_share_the_work(void **state)
{
    scene sc;

    (void)state;
    scene_begin(&sc, 1);
    (void)scene_peer(&sc, "honest");
    (void)scene_peer(&sc, "honest");
    scene_client(&sc, SPACING);
    assert_synced(&sc);
    assert_true(asked(&sc, 0) >= 8 && asked(&sc, 1) >= 8);
    /* two a range; each shows the last checkpoint, and its chain once */
    assert_int_equal(asked(&sc, 0) + asked(&sc, 1), 2 * LAST / SPACING + 4);
    scene_end(&sc);
}

/* ---- Peers that lie, beside an honest one and alone ---- */

typedef struct bad_peer {
    const char *name;
    const char *habit;
    int32_t spacing;
    const char *told;
    spv_err alone;
} bad_peer;

static const bad_peer bad_peers[] = {
    {"headers with a gap are a lie", "headers_gap", SPACING, "do not follow",
     SPV_PROTOCOL},
    {"headers that end beside the checkpoint are a lie", "headers_beside", 1000,
     "conflict with a checkpoint", SPV_PROTOCOL},
    {"headers that leave the chain on the way are a lie", "headers_beside",
     SPACING, "do not follow", SPV_PROTOCOL},
    {"headers beyond the checkpoint are a lie", "headers_beyond", SPACING,
     "beyond the checkpoint", SPV_PROTOCOL},
    {"headers that end below the checkpoint are a lie", "headers_short",
     SPACING, "end below a checkpoint", SPV_PROTOCOL},
    {"S31 a node that is still syncing is left, and is no liar", "headers_none",
     SPACING, "without the last checkpoint", SPV_NO_PEER},
    {"a peer that goes silent half-way is left", "four_headers", SPACING,
     "does not answer in time", SPV_TIMEOUT},
};

static void alone(const bad_peer *bad)
{
    scene sc;

    scene_begin(&sc, 1);
    (void)scene_peer(&sc, bad->habit);
    scene_client(&sc, bad->spacing);
    assert_int_equal(scene_run(&sc), bad->alone);
    if (!fetcher_was_told(&sc.f, bad->told))
        fail_msg("%s", sc.f.line[0]);
    assert_tip(&sc, usual, spv__tree_tip(sc.f.tree).height);
    scene_end(&sc);
}

static void beside_an_honest_one(const bad_peer *bad)
{
    scene sc;

    scene_begin(&sc, 1);
    (void)scene_add(&sc, usual, BLOCKS, bad->habit, at_hand);
    (void)scene_peer(&sc, "honest");
    scene_client(&sc, bad->spacing);
    assert_synced(&sc);
    assert_true(sc.f.headers_at - sc.f.sync.began < 2 * SPV__HEADERS_LATE_MS);
    if (bad->alone == SPV_PROTOCOL)
        assert_true(fetcher_was_told(&sc.f, bad->told));
    scene_end(&sc);
}

static void play_bad_peer(void **state)
{
    alone(*state);
    beside_an_honest_one(*state);
}

/* ---- Peers that have not got it all ---- */

static void chain_that_is_not_ours(const spv_script_chain *chain, int32_t tip)
{
    for (size_t honest = 0; honest < 2; honest++) {
        scene sc;

        scene_begin(&sc, 1);
        (void)scene_add(&sc, chain, tip, "honest", at_hand);
        if (honest)
            (void)scene_peer(&sc, "honest");
        scene_client(&sc, SPACING);
        assert_int_equal(scene_run(&sc), honest ? SPV_OK : SPV_NO_PEER);
        assert_int_equal(sc.f.n_lines, 1);
        assert_true(fetcher_was_told(&sc.f, "without the last checkpoint"));
        if (honest)
            assert_tip(&sc, usual, BLOCKS);
        scene_end(&sc);
    }
}

static void s31_a_chain_that_ends_below_the_checkpoint_is_left(void **state)
{
    (void)state;
    chain_that_is_not_ours(usual, 0);
    chain_that_is_not_ours(usual, 5000);
    chain_that_is_not_ours(usual, LAST - 1);
}

static void s31_a_chain_that_forks_below_the_checkpoint_is_left(void **state)
{
    (void)state;
    chain_that_is_not_ours(other, BLOCKS);
}

static void s31_holds_for_headers_from_an_earlier_run_too(void **state)
{
    scene sc;

    (void)state;
    scene_begin(&sc, 1);
    (void)scene_add(&sc, usual, 5000, "honest", at_hand);
    scene_client(&sc, SPACING);
    fetcher_load(&sc.f, usual, BLOCKS);
    assert_int_equal(scene_run(&sc), SPV_NO_PEER);
    assert_true(fetcher_was_told(&sc.f, "without the last checkpoint"));
    scene_end(&sc);
}

static void every_peer_still_shows_its_own_chain(void **state)
{
    scene sc;

    (void)state;
    scene_begin(&sc, 1);
    (void)scene_add(&sc, usual, BLOCKS - 1, "honest", at_hand);
    (void)scene_add(&sc, longer, BLOCKS, "honest", far_away);
    scene_client(&sc, SPACING);
    assert_int_equal(scene_run(&sc), SPV_OK);
    assert_tip(&sc, longer, BLOCKS);
    assert_int_equal(sc.f.n_lines, 0);
    scene_end(&sc);
}

/* ---- Trouble on the way ---- */

static void break_the_first(sim *s, void *arg)
{
    sim_link broken = far_away;

    (void)arg;
    broken.breaks = 10000;
    broken.refuses = true;
    sim_set_link(s, 0, broken);
}

static void ranges_of_a_lost_peer_go_to_another(void **state)
{
    scene sc;

    (void)state;
    scene_begin(&sc, 1);
    (void)scene_peer(&sc, "honest");
    (void)scene_peer(&sc, "honest");
    scene_client(&sc, SPACING);
    sim_at(sc.s, sim_now(sc.s) + 230, break_the_first, NULL);
    assert_synced(&sc);
    assert_true(asked(&sc, 0) > 2); /* it had been given some */
    assert_true(sc.f.n_lines > 0);
    assert_true(sc.f.headers_at - sc.f.sync.began < 1500);
    scene_end(&sc);
}

/* One answer of its takes sixteen seconds. */
static void slow_peer_holds_up_nobody_for_long(void **state)
{
    static const sim_link slow = {.latency = 25, .rate = 10000};
    scene sc;

    (void)state;
    scene_begin(&sc, 1);
    (void)scene_add(&sc, usual, BLOCKS, "honest", slow);
    (void)scene_peer(&sc, "honest");
    scene_client(&sc, SPACING);
    assert_synced(&sc);
    assert_true(sc.f.headers_at - sc.f.sync.began < 2 * SPV__HEADERS_LATE_MS);
    scene_end(&sc);
}

static void find_a_block(sim *s, void *arg)
{
    spv__script_node_set_tip(arg, BLOCKS);
    sim_flush_node(s, 0);
}

static void a_block_that_is_announced_meanwhile_can_wait(void **state)
{
    scene sc;

    (void)state;
    scene_begin(&sc, 1);
    (void)scene_add(&sc, usual, BLOCKS - 1, "honest", far_away);
    scene_client(&sc, SPACING);
    sim_at(sc.s, sim_now(sc.s) + 230, find_a_block, sc.node[0]);
    assert_synced(&sc);
    assert_int_equal(sc.f.n_lines, 0);
    assert_int_equal(asked(&sc, 0), 2 * LAST / SPACING + 2);
    scene_end(&sc);
}

static void an_earlier_run_may_have_ended_anywhere(void **state)
{
    static const int32_t ends[] = {1,        SPACING - 1, SPACING, SPACING + 1,
                                   LAST - 1, LAST,        BLOCKS};

    (void)state;
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        scene sc;

        scene_begin(&sc, 1);
        (void)scene_peer(&sc, "honest");
        scene_client(&sc, SPACING);
        fetcher_load(&sc.f, usual, ends[i]);
        assert_synced(&sc);
        scene_end(&sc);
    }
}

static void a_branch_from_an_earlier_run_is_left(void **state)
{
    scene sc;

    (void)state;
    scene_begin(&sc, 1);
    (void)scene_peer(&sc, "honest");
    scene_client(&sc, SPACING);
    fetcher_load(&sc.f, other, FORK + 50);
    assert_synced(&sc);
    scene_end(&sc);
}

static void a_clock_that_is_behind_is_told_as_ever(void **state)
{
    scene sc;

    (void)state;
    scene_begin(&sc, 1);
    (void)scene_peer(&sc, "honest");
    scene_client(&sc, SPACING);
    sc.f.sync.config.unix_time -= 15000 * 600;
    assert_int_equal(scene_run(&sc), SPV_TIMEOUT);
    assert_non_null(strstr(sc.f.reason, "two hours ahead"));
    assert_true(asked(&sc, 0) < 2 * LAST / SPACING); /* no more of them */
    assert_int_equal(sc.f.n_lines, 0);
    scene_end(&sc);
}

/* ---- The same tree as one peer gives one by one ---- */

static sim_link any_link(spv_rng *r)
{
    return (sim_link){.latency = (spv_time)spv__rng_below(r, 120),
                      .jitter = (spv_time)spv__rng_below(r, 60),
                      .rate = spv__rng_chance(r, 1, 2)
                                  ? 50000 + (size_t)spv__rng_below(r, 2000000)
                                  : 0,
                      .split = spv__rng_chance(r, 1, 3),
                      .breaks = spv__rng_chance(r, 1, 3)
                                    ? (unsigned)spv__rng_below(r, 300)
                                    : 0};
}

static void any_scene(scene *sc, uint64_t seed)
{
    static const int32_t spacings[] = {300, 700, 2000, 2016, 4100, 9000};
    spv_rng r = {.state = seed};
    size_t bad = (size_t)spv__rng_below(&r, NODES_MAX);

    scene_begin(sc, seed);
    (void)scene_add(sc, usual, BLOCKS, "honest",
                    (sim_link){.latency = (spv_time)spv__rng_below(&r, 300),
                               .split = spv__rng_chance(&r, 1, 2)});
    for (size_t i = 0; i < bad; i++) {
        static const char *const habits[] = {
            "honest",        "headers_gap",  "headers_beside", "headers_beyond",
            "headers_short", "headers_none", "four_headers",   "easy_header"};

        (void)scene_add(sc, spv__rng_chance(&r, 1, 5) ? other : usual,
                        spv__rng_chance(&r, 1, 3)
                            ? (int32_t)spv__rng_below(&r, BLOCKS)
                            : BLOCKS,
                        habits[spv__rng_below(&r, 8)], any_link(&r));
    }
    fetcher_begin(&sc->f, usual, spacings[spv__rng_below(&r, 6)], LAST, seed);
    fetcher_connect_all(&sc->f, sc->n_nodes);
    if (spv__rng_chance(&r, 1, 4))
        fetcher_load(&sc->f, usual, (int32_t)spv__rng_below(&r, BLOCKS));
}

static void the_tree_is_the_same_whoever_serves_it(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        spv_tree_block tip;
        scene sc;

        any_scene(&sc, seed);
        if (scene_run(&sc) != SPV_OK)
            fail_msg("seed %" PRIu64 " fails", seed);
        tip = spv__tree_tip(sc.f.tree);
        if (!spv_hash_equal(&tip.hash,
                            &spv__script_chain_at(usual, BLOCKS)->hash))
            fail_msg("seed %" PRIu64 " ends at %" PRId32, seed, tip.height);
        assert_true(sc.f.ahead <= SPV__RANGES_AHEAD);
        if (sc.f.sync.pool.item[0].reason) /* the honest one */
            fail_msg("seed %" PRIu64 ": %s", seed,
                     sc.f.sync.pool.item[0].reason);
        scene_end(&sc);
    }
}

int main(void)
{
    enum { BAD = sizeof(bad_peers) / sizeof(bad_peers[0]) };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_peers_take_at_most_half_of_a_serial_chain),
        cmocka_unit_test(one_peer_is_not_asked_one_by_one_either),
        cmocka_unit_test(peers_share_the_work),
        cmocka_unit_test(s31_a_chain_that_ends_below_the_checkpoint_is_left),
        cmocka_unit_test(s31_a_chain_that_forks_below_the_checkpoint_is_left),
        cmocka_unit_test(s31_holds_for_headers_from_an_earlier_run_too),
        cmocka_unit_test(every_peer_still_shows_its_own_chain),
        cmocka_unit_test(ranges_of_a_lost_peer_go_to_another),
        cmocka_unit_test(slow_peer_holds_up_nobody_for_long),
        cmocka_unit_test(a_block_that_is_announced_meanwhile_can_wait),
        cmocka_unit_test(an_earlier_run_may_have_ended_anywhere),
        cmocka_unit_test(a_branch_from_an_earlier_run_is_left),
        cmocka_unit_test(a_clock_that_is_behind_is_told_as_ever),
        cmocka_unit_test(the_tree_is_the_same_whoever_serves_it),
    };
    struct CMUnitTest plays[BAD];
    int failed = 0;

    for (size_t i = 0; i < BAD; i++)
        plays[i] = (struct CMUnitTest){.name = bad_peers[i].name,
                                       .test_func = play_bad_peer,
                                       .initial_state = (void *)&bad_peers[i]};
    failed = cmocka_run_group_tests(tests, mine_chains, drop_chains);
    return failed + cmocka_run_group_tests(plays, mine_chains, drop_chains);
}
