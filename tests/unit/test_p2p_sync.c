#include "no_memory.h"
#include "p2p_node.h"

#include <stdio.h>

#include "p2p/sync.h"
#include "p2p/sync_parts.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

enum { NODES = 3, HEIGHT = 40, FORK = 30, LOG = 10, LATENCY_MS = 1 };

/* Everything about one run. What the sync's owner would know is kept here. */
typedef struct stage {
    spv_sync s;
    spv_header_tree *tree;
    spv_filter filter;
    world_node node[NODES];
    size_t n_nodes;
    spv_conn conn[NODES]; /* 0: none */
    bool opening[NODES];
    spv_time now;
    spv_time connected_at[16];
    size_t connects;
    /* the owner's side */
    spv_hash applied[HEIGHT + 10]; /* by height */
    int32_t position;
    size_t blocks;
    size_t matched;
    size_t rewinds;
    size_t losses;
    const char *reason;  /* of the last loss */
    const char *warning; /* the last one */
    bool over;
    spv_sync_event end;
} stage;

/* Two chains, equal below FORK; the second is longer by one. */
static world_block chain_a[HEIGHT + 1];
static world_block chain_b[HEIGHT + 2];

static int mine_chains(void **state)
{
    (void)state;
    chain_a[0] = chain_b[0] = world_genesis();
    for (uint32_t h = 1; h <= HEIGHT; h++)
        chain_a[h] = world_next(&chain_a[h - 1], h, 3);
    for (uint32_t h = 1; h <= HEIGHT + 1; h++)
        chain_b[h] = world_next(&chain_b[h - 1], h < FORK ? h : 500 + h, 3);
    return 0;
}

static int bury_chains(void **state)
{
    (void)state;
    world_chain_clear(chain_a, HEIGHT);
    world_chain_clear(chain_b, HEIGHT + 1);
    return 0;
}

/* ---- The owner ---- */

static bool owes_nothing(const void *self, int32_t height, size_t *at)
{
    (void)height;
    (void)self;
    (void)at;
    return false;
}

static const uint8_t *knows_none(void *self, const spv_hash *txid, size_t *len)
{
    (void)self;
    (void)txid;
    (void)len;
    return NULL;
}

static void on_block(stage *g, const spv_answer *block)
{
    assert_int_equal(block->height, g->position + 1);
    assert_int_equal(block->missing, 0);
    if (spv__sync_judge(&g->s, block) != SPV_COVERED) {
        spv__sync_refetch(&g->s);
        return;
    }
    g->position++;
    g->applied[g->position] = block->hash;
    g->blocks++;
    g->matched += block->proof.n;
    spv__sync_settle(&g->s);
}

static void on_rewind(stage *g)
{
    spv_tree_block at;

    g->rewinds++;
    do
        g->position--;
    while (!spv__tree_at(g->tree, g->position, &at) ||
           !spv_hash_equal(&at.hash, &g->applied[g->position]));
    spv__sync_set_position(&g->s, g->position, &at.hash);
}

static void on_distrust(stage *g, int32_t height)
{
    assert_true(height <= g->position);
    g->position = height;
    spv__sync_set_position(&g->s, height, &g->applied[height]);
}

static void pump(stage *g)
{
    spv_sync_event e;

    while (spv__sync_next_event(&g->s, &e)) {
        assert_false(g->over);
        switch (e.kind) {
        case SPV_SYNC_HEADERS:
            spv__sync_set_position(&g->s, g->position,
                                   &g->applied[g->position]);
            break;
        case SPV_SYNC_BLOCK:
            on_block(g, e.block);
            break;
        case SPV_SYNC_DEBT:
            fail_msg("nothing is owed here");
            break;
        case SPV_SYNC_REWIND:
            on_rewind(g);
            break;
        case SPV_SYNC_RELAYED:
        case SPV_SYNC_PEER_READY:
            break;
        case SPV_SYNC_PEER_LOST:
            g->losses++;
            g->reason = e.peer->reason;
            break;
        case SPV_SYNC_DISTRUST:
            on_distrust(g, e.height);
            break;
        case SPV_SYNC_WARNING:
            g->warning = e.reason;
            break;
        case SPV_SYNC_SYNCED:
        case SPV_SYNC_FAILED:
            g->over = true;
            g->end = e;
            break;
        }
    }
}

/* ---- The reactor ---- */

static void connect_to(stage *g, const spv_out *out)
{
    size_t i = out->addr.port - 1u;

    assert_true(i < g->n_nodes);
    assert_int_equal(g->conn[i], 0);
    if (g->connects < COUNT(g->connected_at))
        g->connected_at[g->connects] = g->now;
    g->connects++;
    g->conn[i] = out->conn;
    g->opening[i] = true;
}

/* Nodes have memory of their own. */
static void tell_node(world_node *n, const spv_buf *bytes)
{
    bool armed = no_memory.armed;

    no_memory.armed = false;
    node_hear(n, bytes);
    no_memory.armed = armed;
}

static void pull(stage *g)
{
    spv_out out;

    while (spv__sync_next_out(&g->s, &out)) {
        spv_buf bytes = {.bytes = (uint8_t *)out.bytes, .len = out.len};

        if (out.kind == SPV_OUT_CONNECT)
            connect_to(g, &out);
        for (size_t i = 0; i < g->n_nodes; i++) {
            if (g->conn[i] != out.conn)
                continue;
            if (out.kind == SPV_OUT_SEND)
                tell_node(&g->node[i], &bytes);
            if (out.kind == SPV_OUT_CLOSE)
                g->conn[i] = 0;
        }
    }
}

static void after_input(stage *g)
{
    pump(g);
    pull(g);
    if (g->s.later.len) { /* what was put off until all is sent */
        assert_true(spv__sync_deadline(&g->s) <= g->now);
        spv__sync_elapsed(&g->s, g->now);
        pump(g);
        pull(g);
    }
    /* What is due was done: a reactor never spins. */
    assert_true(g->over || g->s.err != SPV_OK ||
                spv__sync_deadline(&g->s) > g->now);
}

static void hang_up(stage *g, size_t i)
{
    spv_conn conn = g->conn[i];

    g->conn[i] = 0;
    spv__sync_closed(&g->s, conn, SPV_CLOSED, g->now);
    after_input(g);
}

/* Whether something happened to the connection with node `i`. */
static bool turn(stage *g, size_t i)
{
    world_node *n = &g->node[i];

    if (!g->conn[i])
        return false;
    if (g->opening[i]) {
        g->opening[i] = false;
        if (n->habit == NODE_ABSENT) {
            hang_up(g, i);
            return true;
        }
        node_open(n);
        spv__sync_opened(&g->s, g->conn[i], g->now);
        after_input(g);
        return true;
    }
    if (n->said.len) {
        spv_buf said = n->said;

        n->said = (spv_buf)SPV_BUF_EMPTY;
        spv__sync_received(&g->s, g->conn[i], said.bytes, said.len, g->now);
        spv__buf_clear(&said);
        after_input(g);
        return true;
    }
    if (!n->hung_up)
        return false;
    hang_up(g, i);
    return true;
}

/* Time passes to the deadline, ten seconds at most if somebody chatters. */
static void wait(stage *g)
{
    spv_time until = spv__sync_deadline(&g->s);

    assert_true(until != SPV_NEVER);
    for (size_t i = 0; i < g->n_nodes; i++) {
        if (g->node[i].habit != NODE_CHATTERS || !g->conn[i] ||
            until - g->now <= 10000)
            continue;
        g->now += 10000;
        say_nonce(&g->node[i].said, SPV_MSG_PING, 3);
        return;
    }
    g->now = until;
    spv__sync_elapsed(&g->s, g->now);
    after_input(g);
}

/* Until the position is `height`, or the sync has ended. */
static void run_to(stage *g, int32_t height)
{
    for (int rounds = 0; !g->over && g->position < height; rounds++) {
        bool busy = false;

        assert_true(rounds < 3000);
        for (size_t i = 0; i < g->n_nodes && !g->over; i++)
            busy |= turn(g, i);
        g->now += busy ? LATENCY_MS : 0;
        if (!busy && !g->over)
            wait(g);
    }
}

static void run(stage *g)
{
    run_to(g, INT32_MAX);
    assert_true(spv__sync_deadline(&g->s) == SPV_NEVER);
}

static spv_err set_up(stage *g, const node_habit *habits, size_t n)
{
    spv_sync_config config = {.network = world_network(),
                              .known = {.find = knows_none},
                              .seed = 5,
                              .unix_time = chain_a[HEIGHT].time};
    spv_tree_config tree = {.network = world_network()};
    uint8_t program[20];
    spv_err err = SPV_OK;

    *g = (stage){.n_nodes = n, .now = 1000};
    memset(program, 1, sizeof(program));
    err = spv_filter_init(&g->filter, 512, 7, 3, SPV_FILTER_UPDATE_ALL);
    if (err == SPV_OK)
        err = spv__tree_new(&g->tree, &tree);
    config.tree = g->tree;
    if (err == SPV_OK)
        err = spv__sync_init(&g->s, &config);
    if (err != SPV_OK)
        return err;
    spv_filter_insert(&g->filter, program, sizeof(program));
    g->s.coverage.next_owed = owes_nothing;
    g->s.spacing.mean = 1000; /* coins are far between: all peers join in */
    g->applied[0] = chain_a[0].hash;
    for (size_t i = 0; i < n; i++) {
        char text[32];

        (void)snprintf(text, sizeof(text), "127.0.0.1:%zu", i + 1);
        assert_int_equal(spv__sync_add_peer(&g->s, text, 1), SPV_OK);
        g->node[i] = (world_node){
            .habit = habits[i], .chain = chain_a, .height = HEIGHT};
    }
    return SPV_OK;
}

static stage stage_of(const node_habit *habits, size_t n)
{
    stage g;

    assert_int_equal(set_up(&g, habits, n), SPV_OK);
    assert_int_equal(spv__sync_deadline(&g.s), 0); /* at once */
    return g;
}

static void start(stage *g)
{
    g->s.log =
        (spv_log_state){.filter = &g->filter, .length = LOG, .wanted = LOG};
    pull(g);
    spv__sync_elapsed(&g->s, g->now);
    after_input(g);
}

static void end(stage *g)
{
    spv__sync_clear(&g->s);
    spv__tree_free(g->tree);
    spv_filter_clear(&g->filter);
    for (size_t i = 0; i < g->n_nodes; i++)
        node_clear(&g->node[i]);
}

static void play(stage *g)
{
    start(g);
    run(g);
}

static void assert_synced_to(const stage *g, const world_block *tip)
{
    assert_int_equal(g->end.kind, SPV_SYNC_SYNCED);
    assert_int_equal(g->position, tip->height);
    assert_true(spv_hash_equal(&g->applied[tip->height], &tip->hash));
}

/* ---- Peers ---- */

static void an_honest_peer_gives_every_block_once_and_in_order(void **state)
{
    static const node_habit honest[] = {NODE_HONEST, NODE_HONEST, NODE_HONEST};

    (void)state;
    for (size_t n = 1; n <= COUNT(honest); n++) {
        stage g = stage_of(honest, n);

        play(&g);
        assert_synced_to(&g, &chain_a[HEIGHT]);
        assert_int_equal(g.blocks, HEIGHT);
        assert_int_equal(g.matched, HEIGHT); /* one payment in each */
        assert_int_equal(g.s.count.filtered_blocks, HEIGHT);
        assert_int_equal(g.s.count.transactions, 3 * HEIGHT);
        assert_int_equal(g.s.count.refetched, 0);
        assert_int_equal(g.losses, 0);
        for (size_t i = 0; i < n; i++)
            assert_true(g.node[i].filterloads <= 1);
        end(&g);
    }
}

/* Every payment adds an outpoint to the filter of the node that shows it. In a
 * filter of a hundred elements ten of them double the rate; the fresh one is
 * as the first was, and no block is asked for twice because of it. */
static void a_filter_that_wore_out_is_replaced_and_not_in_a_loop(void **state)
{
    static const node_habit honest[] = {NODE_HONEST, NODE_HONEST};
    stage g = stage_of(honest, COUNT(honest));
    double rate = 0;

    (void)state;
    for (uint32_t i = 0; i < 100; i++) {
        uint8_t decoy[20] = {0xdd, (uint8_t)i};

        spv_filter_insert(&g.filter, decoy, sizeof(decoy));
    }
    rate = spv_filter_rate(&g.filter);
    play(&g);
    assert_synced_to(&g, &chain_a[HEIGHT]);
    assert_int_equal(g.blocks, HEIGHT);
    assert_int_equal(g.s.count.refetched, 0);
    assert_in_range(g.s.count.filterloads, 3, 5);
    assert_true(spv_filter_rate(&g.filter) == rate);
    end(&g);
}

static void a_bad_peer_beside_a_good_one_only_costs_time(void **state)
{
    static const node_habit bad[] = {
        NODE_NO_BLOOM, NODE_ABSENT,    NODE_MUTE,        NODE_HANGS_UP,
        NODE_LIES,     NODE_REFUSES,   NODE_GOES_SILENT, NODE_HANGS_UP_LATE,
        NODE_CHATTERS, NODE_KEEPS_TXS,
    };

    (void)state;
    for (size_t i = 0; i < COUNT(bad); i++)
        for (size_t place = 0; place < 2; place++) {
            node_habit habits[] = {bad[i], NODE_HONEST};
            stage g;

            habits[place] = bad[i];
            habits[1 - place] = NODE_HONEST;
            g = stage_of(habits, COUNT(habits));
            play(&g);
            assert_synced_to(&g, &chain_a[HEIGHT]);
            assert_int_equal(g.blocks, HEIGHT);
            end(&g);
        }
}

static void when_nobody_is_left_the_reason_is_told(void **state)
{
    static const struct {
        node_habit habit;
        spv_err err;
        size_t connects;
        const char *reason; /* begins so */
    } cases[] = {
        {NODE_NO_BLOOM, SPV_NO_PEER, 1, "does not serve bloom filters"},
        {NODE_ABSENT, SPV_NO_PEER, SPV__POOL_TRIES, "refused the connection"},
        {NODE_MUTE, SPV_NO_PEER, SPV__POOL_TRIES, "does not finish"},
        {NODE_HANGS_UP, SPV_NO_PEER, SPV__POOL_TRIES, "hung up during"},
        {NODE_LIES, SPV_PROTOCOL, 1, "sent a transaction that does not match"},
        {NODE_KEEPS_TXS, SPV_TIMEOUT, SPV__POOL_TRIES, "does not answer"},
        /* Guards a mended bug: headers that were known already counted as
         * progress, so such a peer was tried without end and without pause. */
        {NODE_HANGS_UP_LATE, SPV_NO_PEER, SPV__POOL_TRIES + 1, "hung up when"},
        {NODE_REFUSES, SPV_TIMEOUT, SPV__POOL_TRIES + 1, "does not answer for"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        stage g = stage_of(&cases[i].habit, 1);

        play(&g);
        assert_int_equal(g.end.kind, SPV_SYNC_FAILED);
        assert_int_equal(g.end.err, cases[i].err);
        assert_in_range(g.connects, 1, cases[i].connects);
        assert_memory_equal(g.reason, cases[i].reason, strlen(cases[i].reason));
        end(&g);
    }
}

/* Guards a mended bug: a peer whose last answer was not the refusal was asked
 * for nothing any more, and nobody else was there. */
static void a_peer_that_refused_and_then_answered_is_asked_again(void **state)
{
    static const node_habit habits[] = {NODE_REFUSES_ONE};
    stage g = stage_of(habits, 1);

    (void)state;
    play(&g);
    assert_synced_to(&g, &chain_a[HEIGHT]);
    assert_int_equal(g.losses, 0);
    assert_int_equal(g.s.count.refetched, 1);
    end(&g);
}

static void each_try_waits_longer_than_the_one_before(void **state)
{
    static const node_habit habits[] = {NODE_ABSENT};
    stage g = stage_of(habits, 1);

    (void)state;
    play(&g);
    assert_int_equal(g.connects, SPV__POOL_TRIES);
    for (size_t i = 2; i < g.connects; i++)
        assert_true(g.connected_at[i] - g.connected_at[i - 1] >
                    g.connected_at[i - 1] - g.connected_at[i - 2]);
    end(&g);
}

/* A peer that stops half-way keeps what it gave, and is tried again. */
static void a_peer_that_tires_gets_there_in_small_steps(void **state)
{
    static const node_habit habits[] = {NODE_GOES_SILENT};
    stage g = stage_of(habits, 1);

    (void)state;
    play(&g);
    assert_synced_to(&g, &chain_a[HEIGHT]);
    assert_int_equal(g.blocks, HEIGHT);
    assert_true(g.losses >= HEIGHT / 2 - 1);
    end(&g);
}

/* Guards a mended bug: the stall deadline was put off by any byte at all. */
static void pinging_us_does_not_replace_an_answer(void **state)
{
    static const node_habit habits[] = {NODE_CHATTERS};
    stage g = stage_of(habits, 1);

    (void)state;
    start(&g);
    while (g.losses == 0) {
        assert_true(g.now < 100000);
        if (!turn(&g, 0))
            wait(&g);
    }
    assert_in_range(g.now, SPV__STREAM_STALL_MS, 2 * SPV__STREAM_STALL_MS);
    end(&g);
}

/* ---- Headers ---- */

/* Guards a mended bug: such a peer was asked for headers again and again, and
 * as long as anybody is being asked there was no end. */
static void announcing_what_is_never_shown_is_not_heard_for_ever(void **state)
{
    static const node_habit alone[] = {NODE_ANNOUNCES};
    static const node_habit beside[] = {NODE_ANNOUNCES, NODE_HONEST};
    stage g = stage_of(beside, 2);

    (void)state;
    play(&g);
    assert_int_equal(g.end.kind, SPV_SYNC_SYNCED);
    assert_int_equal(g.position, HEIGHT);
    end(&g);
    g = stage_of(alone, 1);
    start(&g);
    while (!g.over && g.losses == 0)
        if (!turn(&g, 0))
            wait(&g);
    assert_string_equal(g.reason, "announces blocks that it does not show");
    end(&g);
}

/* Guards a mended bug: the chain was taken to end where our clock did. */
static void a_clock_that_is_behind_is_no_end_of_the_chain(void **state)
{
    static const node_habit habits[] = {NODE_HONEST};
    stage g = stage_of(habits, 1);

    (void)state;
    g.s.config.unix_time = chain_a[1].time - 3 * 3600;
    play(&g);
    assert_int_equal(g.end.kind, SPV_SYNC_FAILED);
    assert_int_equal(g.end.err, SPV_TIMEOUT);
    assert_non_null(strstr(g.end.reason, "clock"));
    end(&g);
}

/* Headers for their own sake. */
static void mine_long(world_block *chain, uint32_t height)
{
    chain[0] = world_genesis();
    for (uint32_t h = 1; h <= height; h++) {
        chain[h].tx[0] = chain_a[1].tx[0]; /* borrowed */
        chain[h].n_tx = 1;
        world_mine(&chain[h], &chain[h - 1]);
    }
}

static void full_messages_that_come_at_once_are_looked_at_in_order(void **state)
{
    enum { ALL = 2 * SPV__HEADERS_MAX + 1 };
    static const node_habit habits[] = {NODE_HONEST};
    static world_block chain[ALL + 1];
    stage g = stage_of(habits, 1);
    spv_buf said = SPV_BUF_EMPTY;

    (void)state;
    mine_long(chain, ALL);
    g.s.config.unix_time = chain[ALL].time;
    start(&g);
    while (!spv__sync_hears_headers(&g.s))
        assert_true(turn(&g, 0));
    for (size_t h = 1; h <= ALL; h += SPV__HEADERS_MAX)
        say_headers(&said, chain + h, h < ALL ? SPV__HEADERS_MAX : 1);
    spv__sync_received(&g.s, g.conn[0], said.bytes, said.len, g.now);
    after_input(&g);
    assert_int_equal(spv__tree_tip(g.tree).height, ALL);
    assert_int_equal(g.losses, 0);
    spv__buf_clear(&said);
    end(&g);
}

/* Guards a mended bug: 2,000 headers that are all known were taken as a chain
 * that goes on, so the peer was asked for more without end. */
static void headers_that_lead_nowhere_are_a_fault(void **state)
{
    static const node_habit habits[] = {NODE_REPEATS};
    static world_block chain[SPV__HEADERS_MAX + 1];
    stage g = stage_of(habits, 1);

    (void)state;
    mine_long(chain, SPV__HEADERS_MAX);
    g.s.config.unix_time = chain[SPV__HEADERS_MAX].time;
    g.node[0].chain = chain;
    g.node[0].height = SPV__HEADERS_MAX;
    play(&g);
    assert_int_equal(g.end.kind, SPV_SYNC_FAILED);
    assert_int_equal(g.end.err, SPV_PROTOCOL);
    assert_int_equal(g.connects, 1);
    end(&g);
}

static void an_announced_block_is_asked_for_and_applied(void **state)
{
    static const node_habit habits[] = {NODE_HONEST, NODE_MUTE};
    spv_inv news = {.type = SPV_INV_BLOCK, .hash = chain_a[HEIGHT].hash};
    stage g = stage_of(habits, 2); /* the mute one keeps the sync from ending */

    (void)state;
    g.node[0].height = HEIGHT - 1;
    start(&g);
    run_to(&g, HEIGHT - 1);
    g.node[0].height = HEIGHT;
    say_inv(&g.node[0].said, &news, 1);
    run(&g);
    assert_synced_to(&g, &chain_a[HEIGHT]);
    end(&g);
}

/* ---- Reorganisations ---- */

/* The chain changes when `from` blocks were applied; others are held on the
 * board or in flight at that moment, and their answers are worth nothing. */
static void a_reorganisation_replaces_what_is_applied_held_and_in_flight(
    void **state)
{
    static const node_habit habits[] = {NODE_HONEST, NODE_HONEST};

    (void)state;
    for (int32_t from = 1; from <= HEIGHT; from += 3) {
        stage g = stage_of(habits, 2);

        start(&g);
        run_to(&g, from);
        for (size_t i = 0; i < 2; i++) {
            spv_inv news = {.type = SPV_INV_BLOCK,
                            .hash = chain_b[HEIGHT + 1].hash};

            g.node[i].chain = chain_b;
            g.node[i].height = HEIGHT + 1;
            say_inv(&g.node[i].said, &news, 1);
        }
        if (!g.over) {
            run(&g);
            assert_synced_to(&g, &chain_b[HEIGHT + 1]);
        }
        for (int32_t h = 1; h <= g.position && !g.rewinds; h++)
            assert_true(h >= FORK ||
                        spv_hash_equal(&g.applied[h], &chain_a[h].hash));
        end(&g);
    }
}

static void a_position_that_left_the_chain_is_told_before_any_block(
    void **state)
{
    static const node_habit habits[] = {NODE_HONEST};
    stage g = stage_of(habits, 1);

    (void)state;
    for (int32_t h = 0; h <= HEIGHT; h++)
        g.applied[h] = chain_a[h].hash;
    g.position = HEIGHT;
    g.node[0].chain = chain_b;
    g.node[0].height = HEIGHT + 1;
    play(&g);
    assert_synced_to(&g, &chain_b[HEIGHT + 1]);
    assert_int_equal(g.rewinds, 1);
    assert_int_equal(g.blocks, HEIGHT + 1 - (FORK - 1));
    end(&g);
}

/* ---- Goals ---- */

static void it_goes_as_far_as_it_is_told_and_never_back(void **state)
{
    static const struct {
        int32_t until;
        int32_t position;
        int32_t ends_at;
    } cases[] = {
        {0, 0, HEIGHT},          {1, 0, 1},    {17, 0, 17},
        {HEIGHT + 5, 0, HEIGHT}, {17, 20, 20}, {20, 20, 20},
        {0, HEIGHT, HEIGHT},
    };
    static const node_habit habits[] = {NODE_HONEST};

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        stage g = stage_of(habits, 1);

        for (int32_t h = 0; h <= HEIGHT; h++)
            g.applied[h] = chain_a[h].hash;
        g.position = cases[i].position;
        g.s.config.until = cases[i].until;
        play(&g);
        assert_int_equal(g.end.kind, SPV_SYNC_SYNCED);
        assert_int_equal(g.position, cases[i].ends_at);
        assert_int_equal(g.node[0].asked, cases[i].ends_at - cases[i].position);
        end(&g);
    }
}

static void a_chain_of_genesis_alone_is_synced_at_once(void **state)
{
    static const node_habit habits[] = {NODE_HONEST};
    stage g = stage_of(habits, 1);

    (void)state;
    g.node[0].height = 0;
    play(&g);
    assert_synced_to(&g, &chain_a[0]);
    assert_int_equal(g.node[0].filterloads, 0);
    end(&g);
}

/* ---- The filter ---- */

static void a_filter_that_lacks_a_key_is_replaced_and_blocks_come_again(
    void **state)
{
    static const node_habit habits[] = {NODE_HONEST};
    stage g = stage_of(habits, 1);

    (void)state;
    start(&g);
    run_to(&g, 5);
    g.s.log.length = g.s.log.wanted = LOG + 1;
    spv__coverage_need(&g.s.coverage, LOG + 1);
    run(&g);
    assert_synced_to(&g, &chain_a[HEIGHT]);
    assert_int_equal(g.blocks, HEIGHT);
    end(&g);
}

/* ---- Commands ---- */

/* However rarely its outputs are pulled, what it has to say has room. */
/* What waits on the board is bounded in bytes: then the lowest block alone is
 * asked for, which is what makes room. */
static void a_full_board_asks_for_the_lowest_block_only(void **state)
{
    static const node_habit honest[] = {NODE_HONEST};
    stage g = stage_of(honest, 1);

    (void)state;
    g.s.board.held = SPV__HELD_BYTES_MAX + 1;
    start(&g);
    for (int32_t h = 1; h <= 5; h++) {
        run_to(&g, h);
        assert_in_range(g.node[0].asked, h, h + 1);
    }
    g.s.board.held -= SPV__HELD_BYTES_MAX + 1;
    run(&g);
    assert_synced_to(&g, &chain_a[HEIGHT]);
    end(&g);
}

static void commands_have_room_even_when_nobody_pulls_them(void **state)
{
    stage g;
    spv_out out;
    size_t connects = 0;
    size_t closes = 0;

    (void)state;
    assert_int_equal(set_up(&g, NULL, 0), SPV_OK);
    for (size_t i = 0; i < SPV__POOL_MAX; i++)
        assert_int_equal(spv__sync_add_peer(&g.s, "127.0.0.1:9", 1), SPV_OK);
    for (spv_time now = 1; now < 400000; now += 5000) {
        spv__sync_elapsed(&g.s, now); /* and all that time out, do */
        if (now % 3 == 1 && spv__sync_next_out(&g.s, &out)) {
            connects += out.kind == SPV_OUT_CONNECT;
            closes += out.kind == SPV_OUT_CLOSE;
        }
        assert_true(g.s.n_commands <= SPV__SYNC_COMMANDS);
    }
    assert_true(connects > 0 && closes > 0);
    end(&g);
}

/* ---- Memory ---- */

/* How a run ends in which only so many allocations succeed. */
static spv_err play_with(size_t allocations)
{
    static const node_habit habits[] = {NODE_HONEST, NODE_HONEST};
    spv_err err = SPV_OK;
    stage g;

    no_memory.before = allocations;
    no_memory.armed = true;
    err = set_up(&g, habits, COUNT(habits));
    if (err == SPV_OK) {
        play(&g);
        err = g.end.err;
    }
    no_memory.armed = false;
    end(&g);
    return err;
}

static void running_out_of_memory_ends_the_sync_wherever_it_happens(
    void **state)
{
    size_t allocations = 0;

    (void)state;
    while (play_with(allocations) != SPV_OK) {
        assert_int_equal(play_with(allocations), SPV_NOMEM);
        allocations++;
        assert_true(allocations < 10000);
    }
    assert_true(allocations > HEIGHT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_honest_peer_gives_every_block_once_and_in_order),
        {.name = "S09 a filter that wore out is replaced, and not in a loop",
         .test_func = a_filter_that_wore_out_is_replaced_and_not_in_a_loop},
        cmocka_unit_test(a_bad_peer_beside_a_good_one_only_costs_time),
        cmocka_unit_test(when_nobody_is_left_the_reason_is_told),
        cmocka_unit_test(a_peer_that_refused_and_then_answered_is_asked_again),
        cmocka_unit_test(each_try_waits_longer_than_the_one_before),
        cmocka_unit_test(a_peer_that_tires_gets_there_in_small_steps),
        cmocka_unit_test(pinging_us_does_not_replace_an_answer),
        cmocka_unit_test(announcing_what_is_never_shown_is_not_heard_for_ever),
        cmocka_unit_test(a_clock_that_is_behind_is_no_end_of_the_chain),
        cmocka_unit_test(
            full_messages_that_come_at_once_are_looked_at_in_order),
        cmocka_unit_test(headers_that_lead_nowhere_are_a_fault),
        cmocka_unit_test(an_announced_block_is_asked_for_and_applied),
        cmocka_unit_test(
            a_reorganisation_replaces_what_is_applied_held_and_in_flight),
        cmocka_unit_test(
            a_position_that_left_the_chain_is_told_before_any_block),
        cmocka_unit_test(it_goes_as_far_as_it_is_told_and_never_back),
        cmocka_unit_test(a_chain_of_genesis_alone_is_synced_at_once),
        cmocka_unit_test(
            a_filter_that_lacks_a_key_is_replaced_and_blocks_come_again),
        cmocka_unit_test(a_full_board_asks_for_the_lowest_block_only),
        cmocka_unit_test(commands_have_room_even_when_nobody_pulls_them),
        cmocka_unit_test(
            running_out_of_memory_ends_the_sync_wherever_it_happens),
    };

    return cmocka_run_group_tests_name("p2p.sync", tests, mine_chains,
                                       bury_chains);
}
