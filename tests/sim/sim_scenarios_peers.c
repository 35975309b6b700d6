#include "unit/cmocka_all.h"

#include <string.h>

#include "client/client.h"
#include "p2p/reach.h"
#include "sim/scene.h"
#include "support/must.h"
#include "wire/netaddr.h"

/*
 * Peers that nobody named: how they are found, whom of them is believed what,
 * and what is remembered of them.
 */
static const char *const hosts[] = {"dead.example", "silent.example",
                                    "good.example"};

static const spv_seeds three_names = {.hosts = hosts, .n_hosts = 3};
static const spv_seeds dead_names = {.hosts = hosts, .n_hosts = 2};

/** When somebody was first connected to. */
typedef struct watcher {
    sim *s;
    spv_time connected;
} watcher;

static void watch(void *ctx, const spv_event *event)
{
    watcher *w = ctx;

    if (event->kind == SPV_EVENT_CONNECTED && !w->connected)
        w->connected = sim_now(w->s);
}

static void wallet(scene *sc, const spv_seeds *seeds, bool on_disk)
{
    spv_wallet_spec spec = user_spec("wpkh", 0);

    user_begin(&sc->user, &spec, on_disk, 0, 1);
    sc->user.seeds = seeds;
}

/** The good name finds the first `n` nodes, the silent one is never answered.
 */
static void know_names(scene *sc, size_t n)
{
    sim_add_name(sc->s,
                 (sim_name){.text = "x5.silent.example", .silent = true});
    sim_add_name(sc->s, (sim_name){.text = "x5.good.example", .n = n});
}

static void add_peers(scene *sc, const char *habit, size_t n)
{
    for (size_t i = 0; i < n; i++)
        (void)scene_peer(sc, habit);
}

static const spv_book_entry *known(const scene *sc, size_t node)
{
    spv_netaddr addr = sim_node_addr(node);

    return spv__book_find(&sc->user.client->book, &addr);
}

static size_t sessions(const scene *sc, size_t node)
{
    return spv__script_node_count(sc->node[node])->sessions;
}

static size_t resolves(const scene *sc)
{
    return sim_count(sc->s)->resolves;
}

static size_t n_peers(const scene *sc)
{
    spv_sync_report report;

    spv_client_report(sc->user.client, &report);
    return report.n_peers;
}

static void assert_not_found(scene *sc)
{
    spv_trouble trouble;

    assert_int_equal(scene_sync(sc), SPV_NO_PEER);
    spv_client_trouble(sc->user.client, &trouble);
    assert_non_null(strstr(trouble.text, "no usable peer was found"));
    assert_non_null(strstr(trouble.hint, "--connect"));
}

/* ---- S39: names ---- */

static void s39_names(void **state)
{
    enum { ANSWER_MS = 20, SOON_MS = 2000 };
    watcher w = {0};
    spv_time began = 0;
    scene sc;

    (void)state;
    scene_begin(&sc);
    add_peers(&sc, "honest", 3);
    know_names(&sc, 3);
    wallet(&sc, &three_names, false);
    w.s = sc.s;
    sc.user.options.event = watch;
    sc.user.options.event_ctx = &w;
    began = sim_now(sc.s);
    assert_synced(&sc, &usual);
    assert_in_range(w.connected - began, ANSWER_MS, ANSWER_MS + SOON_MS);
    assert_int_equal(n_peers(&sc), 3);
    assert_int_equal(sc.user.n_lines, 0);
    scene_end(&sc);
}

/** A seed that does not know the bits is asked for its plain name. */
static void s39_plain(void **state)
{
    scene sc;

    (void)state;
    scene_begin(&sc);
    add_peers(&sc, "honest", 1);
    sim_add_name(sc.s, (sim_name){.text = "good.example", .n = 1});
    wallet(&sc, &three_names, false);
    assert_synced(&sc, &usual);
    assert_int_equal(resolves(&sc), 3 + 3);
    scene_end(&sc);
}

/** Stored peers, then those of the program's list, then a clear message. */
static void s39_all_dead(void **state)
{
    static const char *const nodes[] = {"5.1.0.1", "5.0.0.1"};
    const spv_seeds seeds = {
        .hosts = hosts, .n_hosts = 2, .nodes = nodes, .n_nodes = 2};
    scene sc;

    (void)state;
    scene_begin(&sc);
    (void)scene_add(&sc, usual.chain, BLOCKS, "honest", nobody);
    (void)scene_peer(&sc, "honest");
    know_names(&sc, 0);
    wallet(&sc, &dead_names, true);
    assert_not_found(&sc);
    assert_int_equal(connects(&sc), 0);
    sc.user.seeds = &seeds;
    assert_synced(&sc, &usual);
    sc.user.seeds = &dead_names;
    assert_synced(&sc, &usual);
    sim_set_link(sc.s, 1, nobody);
    assert_not_found(&sc);
    scene_end(&sc);
}

/** Many more dead nodes than there are places for candidates, and the first
 * node of the world. */
enum { DEAD = 50 };

typedef struct dead_list {
    char text[DEAD][16];
    const char *nodes[DEAD + 1];
    spv_seeds seeds;
} dead_list;

static void make_dead(dead_list *d)
{
    for (size_t i = 0; i < DEAD; i++) {
        (void)snprintf(d->text[i], sizeof(d->text[i]), "7.%zu.0.1", i);
        d->nodes[i] = d->text[i];
    }
    d->nodes[DEAD] = "5.0.0.1";
    d->seeds = (spv_seeds){
        .hosts = hosts, .n_hosts = 1, .nodes = d->nodes, .n_nodes = DEAD + 1};
}

static void s39_many_are_dead(void **state)
{
    dead_list dead;
    scene sc;

    (void)state;
    make_dead(&dead);
    scene_begin(&sc);
    (void)scene_add(&sc, usual.chain, BLOCKS, "honest", nobody);
    wallet(&sc, &dead.seeds, false);
    assert_not_found(&sc);
    assert_int_equal(connects(&sc), DEAD + 1);
    sim_set_link(sc.s, 0, near_by);
    assert_synced(&sc, &usual);
    assert_int_equal(n_peers(&sc), 1);
    scene_end(&sc);
}

/* Connecting takes long and comes to nothing: each is tried once. */
static void s39_nobody_answers(void **state)
{
    enum { NODES = NODES_MAX, SOON_MS = 60000 };
    static const sim_link black_hole = {.black_hole = true};
    char text[NODES][16];
    const char *nodes[NODES];
    const spv_seeds seeds = {
        .hosts = hosts, .n_hosts = 1, .nodes = nodes, .n_nodes = NODES};
    spv_time began = 0;
    scene sc;

    (void)state;
    scene_begin(&sc);
    for (size_t i = 0; i < NODES; i++) {
        (void)snprintf(text[i], sizeof(text[i]), "5.%zu.0.1", i);
        nodes[i] = text[i];
        (void)scene_add(&sc, usual.chain, BLOCKS, "honest", black_hole);
    }
    wallet(&sc, &seeds, false);
    began = sim_now(sc.s);
    assert_not_found(&sc);
    assert_in_range(sim_now(sc.s) - began, 0, SOON_MS);
    assert_int_equal(connects(&sc), NODES);
    scene_end(&sc);
}

/* The page of a hotel's network, say: whoever was never met told no lie. */
static void s39_something_else_answers(void **state)
{
    static const char *const nodes[] = {"5.0.0.1", "5.1.0.1"};
    const spv_seeds seeds = {
        .hosts = hosts, .n_hosts = 1, .nodes = nodes, .n_nodes = 2};
    scene sc;

    (void)state;
    scene_begin(&sc);
    add_peers(&sc, "wrong_magic", 2);
    wallet(&sc, &seeds, false);
    assert_not_found(&sc);
    assert_int_equal(connects(&sc), 2);
    for (size_t i = 0; i < 2; i++) {
        assert_true(known(&sc, i)->last_tried > 0);
        assert_int_equal(known(&sc, i)->banned_until, 0);
        assert_int_equal(known(&sc, i)->last_seen, 0);
    }
    scene_end(&sc);
}

/** Nobody there at all, and nothing burnt while waiting for somebody. */
static void arrive(sim *s, void *arg)
{
    (void)arg;
    sim_set_link(s, 0, near_by);
}

static void s37_no_network(void **state)
{
    enum { AWAY_MS = 600000, WAKES_MAX = 5000, ROUNDS_MAX = 30 };
    dead_list dead;
    scene sc;

    (void)state;
    make_dead(&dead);
    scene_begin(&sc);
    (void)scene_add(&sc, usual.chain, BLOCKS, "honest", nobody);
    wallet(&sc, &dead.seeds, false);
    sc.user.options.stay = true;
    sc.user.options.until = BLOCKS;
    sim_at(sc.s, AWAY_MS, arrive, NULL);
    assert_synced(&sc, &usual);
    assert_true(sim_now(sc.s) > AWAY_MS);
    assert_true(sim_count(sc.s)->wakes < WAKES_MAX);
    assert_true(connects(&sc) < ROUNDS_MAX * DEAD);
    assert_true(user_was_told(&sc.user, "no usable peer was found so far"));
    scene_end(&sc);
}

/* ---- S40: who is chosen, and remembered ---- */

static void s40_remembered(void **state)
{
    size_t before[2];
    size_t asked = 0;
    spv_trouble trouble;
    scene sc;

    (void)state;
    scene_begin(&sc);
    add_peers(&sc, "no_bloom", 2);
    add_peers(&sc, "honest", 4);
    know_names(&sc, 6);
    wallet(&sc, &three_names, true);
    assert_synced(&sc, &usual);
    asked = resolves(&sc);
    for (size_t i = 0; i < 2; i++)
        before[i] = sessions(&sc, i);
    user_die(&sc.user);
    assert_int_equal(user_open(&sc.user, &trouble), SPV_OK);
    assert_synced(&sc, &usual);
    assert_int_equal(resolves(&sc), asked);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(sessions(&sc, i), before[i]);
    for (size_t i = 2; i < 6; i++)
        assert_true(known(&sc, i)->last_success > 0);
    scene_end(&sc);
}

/** The same when the first run was killed while it was at it. */
static void s40_killed(void **state)
{
    static const sim_link far = {.latency = 200};
    enum { KILL_MS = 1800 };
    size_t asked = 0;
    scene sc;

    (void)state;
    scene_begin(&sc);
    for (size_t i = 0; i < 4; i++)
        (void)scene_add(&sc, usual.chain, BLOCKS, "honest", far);
    know_names(&sc, 4);
    wallet(&sc, &three_names, true);
    sim_kill_at(sc.s, sim_now(sc.s) + KILL_MS, user_restart, &sc.user);
    user_sync(&sc.user, sc.s);
    assert_int_equal(sim_run(sc.s, sim_now(sc.s) + KILL_MS - 1), SPV_TIMEOUT);
    asked = resolves(&sc);
    assert_true(asked > 0);
    assert_int_equal(sim_run(sc.s, LONG), SPV_OK);
    assert_int_equal(sim_count(sc.s)->kills, 1);
    assert_int_equal(resolves(&sc), asked);
    assert_true_history(&sc, &usual);
    scene_end(&sc);
}

static void s40_no_more_than_wanted(void **state)
{
    size_t lasting = 0;
    scene sc;

    (void)state;
    scene_begin(&sc);
    add_peers(&sc, "honest", NODES_MAX);
    know_names(&sc, NODES_MAX);
    wallet(&sc, &three_names, false);
    assert_synced(&sc, &usual);
    assert_int_equal(n_peers(&sc), SPV__SYNC_FOUND);
    for (size_t i = 0; i < NODES_MAX; i++)
        lasting += heard(&sc, i, SPV_MSG_GETHEADERS) > 0;
    assert_int_equal(lasting, SPV__SYNC_FOUND);
    scene_end(&sc);
}

/* ---- What peers tell of others ---- */

enum { FLOOD = 500 };

static spv_addr_entry told(spv_netaddr addr)
{
    return (spv_addr_entry){.time =
                                (uint32_t)chaingen_defaults().end_time - 3600,
                            .services = SPV__NODE_NETWORK | SPV__NODE_BLOOM,
                            .addr = addr,
                            .known = true};
}

/** Many of one /16, then those of other networks, then a good one. */
static size_t flood(spv_addr_entry *entries, size_t good)
{
    static const spv_netaddr others[] = {
        {.net = SPV__NET_TORV3, .len = 32, .addr = {1}, .port = 8333},
        {.net = SPV__NET_I2P, .len = 32, .addr = {2}, .port = 8333},
        {.net = SPV__NET_CJDNS, .len = 16, .addr = {0xfc}, .port = 8333},
        {.net = SPV__NET_IPV4, .len = 4, .addr = {10, 1, 1, 1}, .port = 8333},
        {.net = 77, .len = 3, .addr = {3}, .port = 8333},
    };
    size_t n = 0;

    for (; n < FLOOD; n++)
        entries[n] =
            told((spv_netaddr){.net = SPV__NET_IPV4,
                               .len = 4,
                               .addr = {6, 6, (uint8_t)(n >> 8), (uint8_t)n},
                               .port = 18444});
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        entries[n++] = told(others[i]);
    entries[n++] = told(sim_node_addr(good));
    return n;
}

static size_t count_in_6_6(const scene *sc)
{
    const spv_book *book = &sc->user.client->book;
    size_t n = 0;

    for (size_t i = 0; i < book->n; i++)
        n += book->item[i].addr.addr[0] == 6;
    return n;
}

static void assert_only_reachable(const scene *sc)
{
    const spv_book *book = &sc->user.client->book;

    for (size_t i = 0; i < book->n; i++)
        assert_true(spv__reach_is_public(&book->item[i].addr));
}

/** A node without filters is asked for others, and nothing else; the one it
 * knows that serves is found, whatever else it says. */
static void s40_flood_of_one_16(void **state)
{
    spv_addr_entry entries[FLOOD + 16];
    scene sc;

    (void)state;
    scene_begin(&sc);
    add_peers(&sc, "no_bloom", 1);
    add_peers(&sc, "honest", 1);
    assert_int_equal(
        spv__script_node_tell(sc.node[0], entries, flood(entries, 1)), SPV_OK);
    know_names(&sc, 1);
    wallet(&sc, &three_names, false);
    assert_synced(&sc, &usual);
    assert_int_equal(heard(&sc, 0, SPV_MSG_GETADDR), 1);
    assert_int_equal(heard(&sc, 0, SPV_MSG_SENDADDRV2), 1);
    assert_int_equal(heard(&sc, 0, SPV_MSG_GETHEADERS), 0);
    assert_int_equal(heard(&sc, 0, SPV_MSG_FILTERLOAD), 0);
    assert_in_range(count_in_6_6(&sc), 0, SPV__BOOK_GROUP_MAX);
    assert_only_reachable(&sc);
    assert_true(connects(&sc) <= 2 + SPV__BOOK_GROUP_MAX);
    scene_end(&sc);
}

/** One entry more than is allowed: the peer is left, and not believed. */
static void s50_too_many(void **state)
{
    static spv_addr_entry entries[SPV__ADDR_MAX + 1];
    scene sc;

    (void)state;
    for (size_t i = 0; i <= SPV__ADDR_MAX; i++)
        entries[i] = told(
            (spv_netaddr){.net = SPV__NET_IPV4,
                          .len = 4,
                          .addr = {(uint8_t)(16 + i % 40), (uint8_t)i, 0, 1},
                          .port = 18444});
    for (size_t n = SPV__ADDR_MAX; n <= SPV__ADDR_MAX + 1; n++) {
        bool wrong = n > SPV__ADDR_MAX;

        scene_begin(&sc);
        add_peers(&sc, "honest", 2);
        assert_int_equal(spv__script_node_tell(sc.node[0], entries, n), SPV_OK);
        know_names(&sc, 2);
        wallet(&sc, &three_names, false);
        assert_synced(&sc, &usual);
        assert_int_equal(user_was_told(&sc.user, "sent addresses that cannot"),
                         wrong);
        assert_int_equal(known(&sc, 0)->banned_until > 0, wrong);
        assert_int_equal(sc.user.client->book.n > 2, !wrong);
        scene_end(&sc);
    }
}

/* ---- Who misbehaves is left for another ---- */

/** Whoever was caught is banned; who is only slow is not. */
static void liars_are_replaced(void **state)
{
    size_t banned = 0;
    scene sc;

    (void)state;
    scene_begin(&sc);
    add_peers(&sc, "easy_header", 2);
    add_peers(&sc, "garbage", 1);
    add_peers(&sc, "mute", 1);
    add_peers(&sc, "honest", 2);
    know_names(&sc, 6);
    wallet(&sc, &three_names, false);
    assert_synced(&sc, &usual);
    for (size_t i = 0; i < 6; i++) {
        bool caught = known(&sc, i)->banned_until > 0;

        assert_true(!caught || i < 3);
        banned += caught;
    }
    assert_true(banned > 0);
    assert_true(sessions(&sc, 4) + sessions(&sc, 5) > 0);
    scene_end(&sc);
}

static void a_ban_is_heeded(void **state)
{
    spv_netaddr banned = sim_node_addr(0);
    scene sc;

    (void)state;
    scene_begin(&sc);
    add_peers(&sc, "honest", 2);
    know_names(&sc, 2);
    wallet(&sc, &three_names, false);
    assert_int_equal(spv__book_ban(&sc.user.client->book, &banned, INT64_MAX),
                     SPV_OK);
    assert_synced(&sc, &usual);
    assert_int_equal(sessions(&sc, 0), 0);
    assert_int_equal(sessions(&sc, 1), 1);
    scene_end(&sc);
}

/** Named ones are all there is: nobody is asked for others. */
static void named_peers_are_not_asked_for_others(void **state)
{
    spv_addr_entry entries[FLOOD + 16];
    scene sc;

    (void)state;
    scene_begin(&sc);
    add_peers(&sc, "honest", 1);
    assert_int_equal(
        spv__script_node_tell(sc.node[0], entries, flood(entries, 1)), SPV_OK);
    scene_wallet(&sc, false);
    sc.user.seeds = &three_names;
    assert_synced(&sc, &usual);
    assert_int_equal(resolves(&sc), 0);
    assert_int_equal(heard(&sc, 0, SPV_MSG_GETADDR), 0);
    assert_int_equal(heard(&sc, 0, SPV_MSG_SENDADDRV2), 0);
    assert_int_equal(sc.user.client->book.n, 0);
    scene_end(&sc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        {.name = "S37 no network for long: the search goes on, and rests",
         .test_func = s37_no_network},
        {.name = "S39 one name dead, one silent, one good",
         .test_func = s39_names},
        {.name = "S39 a seed that knows no bits", .test_func = s39_plain},
        {.name = "S39 all names dead: stored peers, fixed ones, a message",
         .test_func = s39_all_dead},
        {.name = "S39 more dead nodes than places",
         .test_func = s39_many_are_dead},
        {.name = "S39 nobody answers: each is tried once, and that is the end",
         .test_func = s39_nobody_answers},
        {.name = "S39 something else answers: nobody is banned for it",
         .test_func = s39_something_else_answers},
        {.name = "S40 good peers come first after a restart, without DNS",
         .test_func = s40_remembered},
        {.name = "S40 and after a kill", .test_func = s40_killed},
        {.name = "S40 no more peers than are wanted",
         .test_func = s40_no_more_than_wanted},
        {.name = "S40 a flood of one /16 and of other networks",
         .test_func = s40_flood_of_one_16},
        {.name = "S50 a thousand addresses are taken, one more is refused",
         .test_func = s50_too_many},
        cmocka_unit_test(liars_are_replaced),
        cmocka_unit_test(a_ban_is_heeded),
        cmocka_unit_test(named_peers_are_not_asked_for_others),
    };

    return cmocka_run_group_tests_name("sim.scenarios_peers", tests, make_usual,
                                       drop_usual);
}
