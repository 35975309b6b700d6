#include "unit/cmocka_all.h"

#include <string.h>

#include "support/chaintake.h"
#include "support/must.h"
#include "support/sim.h"
#include "wire/frame.h"

/*
 * The simulated world, met by the simplest client there can be: one node, all
 * headers, one filter behind a fence, then all blocks at once. It believes
 * everything and counts what it got, so that what a node does shows.
 */
typedef struct walker {
    size_t node;
    bool connected;
    bool retries; /* connect again when the connection ends */
    bool hasty;   /* asks before the fence has passed */
    spv_conn conn;
    spv_conn last_conn;
    spv_buf in;
    spv_buf out;
    bool sending; /* `out` is what next has handed over */
    bool want_close;
    bool done;
    bool told_done;
    spv_err why;
    spv_time due;
    spv_hash *hashes; /* of all blocks above genesis */
    size_t n_hashes;
    size_t asked;
    uint8_t element[20]; /* what the filter holds */
    size_t pongs;
    size_t got[SPV_MSG_REJECT + 1];
    size_t closes;
} walker;

static const spv_network *regtest(void)
{
    return spv_network_get(SPV_REGTEST);
}

static void walker_end(walker *w, spv_err why)
{
    w->done = true;
    w->why = why;
}

/* ---- What it says ---- */

static void say_u64(walker *w, const char *command, uint64_t value)
{
    size_t mark = spv__frame_begin(&w->out, command, regtest());

    spv__put_u64(&w->out, value);
    spv__frame_end(&w->out, mark);
}

static void say_nothing(walker *w, const char *command)
{
    spv__frame_end(&w->out, spv__frame_begin(&w->out, command, regtest()));
}

static void say_version(walker *w)
{
    spv_version v = {.version = SPV__PROTOCOL_VERSION,
                     .nonce = 1,
                     .user_agent = "",
                     .relay_present = true};
    size_t mark = spv__frame_begin(&w->out, "version", regtest());

    v.to.net = v.from.net = 1;
    v.to.len = v.from.len = 4;
    spv__put_version(&w->out, &v);
    spv__frame_end(&w->out, mark);
}

static void say_getheaders(walker *w)
{
    spv_hash from = regtest()->genesis_hash;
    const spv_hash stop = {{0}};
    size_t mark = spv__frame_begin(&w->out, "getheaders", regtest());

    if (w->n_hashes > 0)
        from = w->hashes[w->n_hashes - 1];
    spv__put_locator(&w->out, SPV__PROTOCOL_VERSION, &from, 1, &stop);
    spv__frame_end(&w->out, mark);
}

static void say_filter(walker *w)
{
    size_t mark = spv__frame_begin(&w->out, "filterload", regtest());
    spv_filter f;
    uint8_t payload[SPV_FILTER_PAYLOAD_MAX];

    MUST(spv_filter_init(&f, 1000, 10, 5, SPV_FILTER_UPDATE_ALL) == SPV_OK);
    spv_filter_insert(&f, w->element, sizeof(w->element));
    spv__put_bytes(&w->out, payload, spv_filter_encode(payload, &f));
    spv_filter_clear(&f);
    spv__frame_end(&w->out, mark);
}

static void say_getdata(walker *w)
{
    size_t mark = spv__frame_begin(&w->out, "getdata", regtest());
    spv_inv *items = calloc(w->n_hashes + 1, sizeof(*items));

    MUST(items);
    for (size_t i = 0; i < w->n_hashes; i++)
        items[i] = (spv_inv){SPV_INV_FILTERED_BLOCK, w->hashes[i]};
    spv__put_inv(&w->out, items, w->n_hashes);
    spv__frame_end(&w->out, mark);
    w->asked += w->n_hashes;
    free(items);
}

/* ---- What it hears ---- */

static void hear_headers(walker *w, const spv_items *headers)
{
    w->hashes =
        realloc(w->hashes, (w->n_hashes + headers->n + 1) * sizeof(spv_hash));
    MUST(w->hashes);
    for (size_t i = 0; i < headers->n; i++)
        spv_header_hash(&w->hashes[w->n_hashes++],
                        spv__headers_get(headers, i));
    if (headers->n == SPV__HEADERS_MAX) {
        say_getheaders(w);
        return;
    }
    say_filter(w);
    say_u64(w, "ping", 1); /* the fence */
    if (w->hasty)
        say_getdata(w);
}

/** The first pong says that the filter is in force, the second that all
 * blocks were sent. */
static void hear_pong(walker *w)
{
    if (++w->pongs > 1) {
        walker_end(w, SPV_OK);
        return;
    }
    if (!w->hasty)
        say_getdata(w);
    say_u64(w, "ping", 2);
}

static void hear(walker *w, const spv_frame *f)
{
    spv_message_kind kind = spv__message_find(f->command);
    spv_message m;

    w->got[kind]++;
    if (spv__message_decode(&m, kind, f->payload, f->len) != SPV_OK) {
        walker_end(w, SPV_MALFORMED);
        return;
    }
    if (kind == SPV_MSG_VERSION)
        say_nothing(w, "verack");
    if (kind == SPV_MSG_VERACK)
        say_getheaders(w);
    if (kind == SPV_MSG_HEADERS)
        hear_headers(w, &m.as.headers);
    if (kind == SPV_MSG_PONG)
        hear_pong(w);
    spv__message_clear(&m);
}

/* ---- The machine ---- */

static void opened(void *self, spv_conn conn, spv_time now)
{
    walker *w = self;

    (void)conn;
    (void)now;
    say_version(w);
}

static void received(void *self, spv_conn conn, const uint8_t *bytes,
                     size_t len, spv_time now)
{
    walker *w = self;
    spv_frame f;
    spv_frame_state state;
    size_t at = 0;

    (void)now;
    assert_int_equal(conn, w->conn);
    spv__put_bytes(&w->in, bytes, len);
    while ((state = spv__frame_decode(&f, w->in.bytes + at, w->in.len - at,
                                      regtest())) == SPV_FRAME_WHOLE) {
        hear(w, &f);
        at += f.size;
    }
    spv__buf_drop(&w->in, at);
    if (state == SPV_FRAME_REFUSED)
        walker_end(w, SPV_NETWORK);
}

static void closed(void *self, spv_conn conn, spv_err why, spv_time now)
{
    walker *w = self;

    (void)conn;
    w->closes++;
    w->connected = false;
    if (!w->retries)
        walker_end(w, why);
    w->due = now + 100;
    w->n_hashes = 0;
    w->pongs = 0;
    spv__buf_reset(&w->in);
    spv__buf_reset(&w->out);
}

static void resolved(void *self, spv_conn conn, const spv_netaddr *addrs,
                     size_t n, spv_time now)
{
    (void)self;
    (void)conn;
    (void)addrs;
    (void)n;
    (void)now;
}

static void elapsed(void *self, spv_time now)
{
    walker *w = self;

    (void)now;
    w->due = SPV_NEVER;
}

static spv_time deadline(const void *self)
{
    const walker *w = self;

    return w->connected ? SPV_NEVER : w->due;
}

static bool next(void *self, spv_out *out)
{
    walker *w = self;

    if (w->sending)
        spv__buf_reset(&w->out);
    w->sending = w->out.len > 0;
    if (w->sending) {
        *out = (spv_out){.kind = SPV_OUT_SEND,
                         .conn = w->conn,
                         .bytes = w->out.bytes,
                         .len = w->out.len};
        return true;
    }
    if (w->done) {
        *out = (spv_out){.kind = SPV_OUT_DONE, .why = w->why};
        return true;
    }
    if (!w->connected && w->due == SPV_NEVER) {
        w->conn = ++w->last_conn;
        w->connected = true;
        *out = (spv_out){.kind = SPV_OUT_CONNECT,
                         .conn = w->conn,
                         .addr = sim_node_addr(w->node)};
        return true;
    }
    return false;
}

static const spv_machine face = {
    .opened = opened,
    .received = received,
    .closed = closed,
    .resolved = resolved,
    .elapsed = elapsed,
    .next = next,
    .deadline = deadline,
};

static void walker_init(walker *w)
{
    *w = (walker){.due = SPV_NEVER};
}

static void walker_clear(walker *w)
{
    spv__buf_clear(&w->in);
    spv__buf_clear(&w->out);
    free(w->hashes);
}

/* ---- A world with one node ---- */

static spv_script_chain *chain; /* shared by all tests */
static uint8_t receiver[20];    /* a key hash that the chain pays */
static size_t payments;         /* how many outputs pay it */

static int make_chain(void **state)
{
    chaingen_options options = chaingen_defaults();
    chaingen *g = NULL;
    const genwallet_coin *coins = NULL;
    size_t n = 0;

    (void)state;
    options.type = GENWALLET_WPKH;
    g = chaingen_new(&options);
    chain = spv__script_chain_new();
    chain_take(chain, g);
    coins = genwallet_coins(chaingen_wallet(g), &n);
    MUST(n > 0);
    memcpy(receiver, coins[0].out.script + 2, sizeof(receiver));
    for (size_t i = 0; i < n; i++)
        payments += memcmp(coins[i].out.script + 2, receiver, 20) == 0;
    chaingen_free(g);
    return 0;
}

static int drop_chain(void **state)
{
    (void)state;
    spv__script_chain_free(chain);
    return 0;
}

/** One run: what came of it, who took part. */
typedef struct run {
    walker w;
    spv_script_node *node;
    sim *s;
    spv_err err;
} run;

static void run_begin(run *r, const char *habit, sim_link link, uint64_t seed)
{
    const spv_script_habits *habits = spv__script_habits_find(habit);

    assert_non_null(habits);
    walker_init(&r->w);
    memcpy(r->w.element, receiver, sizeof(receiver));
    r->node =
        spv__script_node_new(chain, spv__script_chain_tip(chain), habits, seed);
    r->s = sim_new(seed);
    (void)sim_add_node(r->s, r->node, link);
    sim_set_client(r->s, &face, &r->w);
}

static void run_end(run *r)
{
    sim_free(r->s);
    spv__script_node_free(r->node);
    walker_clear(&r->w);
}

static const sim_link near_by = {.latency = 10};
static const sim_link rough = {
    .latency = 40, .jitter = 30, .split = true, .rate = 200000};

static void honest_node_serves_the_whole_chain(void **state)
{
    run r;

    (void)state;
    run_begin(&r, "honest", near_by, 1);
    assert_int_equal(sim_run(r.s, 60000), SPV_OK);
    assert_int_equal(r.w.n_hashes, spv__script_chain_tip(chain));
    assert_int_equal(r.w.got[SPV_MSG_MERKLEBLOCK],
                     spv__script_chain_tip(chain));
    assert_true(r.w.got[SPV_MSG_TX] >= payments);
    assert_true(r.w.got[SPV_MSG_TX] < payments + 20);
    assert_int_equal(spv__script_node_count(r.node)->filtered_served,
                     spv__script_chain_tip(chain));
    assert_int_equal(spv__script_node_count(r.node)->asked_while_busy, 0);
    run_end(&r);
}

static void roughest_line_carries_the_same(void **state)
{
    run smooth;
    run r;

    (void)state;
    run_begin(&smooth, "honest", near_by, 3);
    run_begin(&r, "honest", rough, 3);
    assert_int_equal(sim_run(smooth.s, 60000), SPV_OK);
    assert_int_equal(sim_run(r.s, 600000), SPV_OK);
    assert_int_equal(r.w.got[SPV_MSG_TX], smooth.w.got[SPV_MSG_TX]);
    assert_int_equal(sim_count(r.s)->to_client, sim_count(smooth.s)->to_client);
    assert_true(sim_now(r.s) > sim_now(smooth.s));
    run_end(&smooth);
    run_end(&r);
}

static void same_seed_is_the_same_run(void **state)
{
    static const uint64_t seeds[] = {5, 5, 6};
    uint64_t digest[3];

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        run r;

        run_begin(&r, "honest", rough, seeds[i]);
        assert_int_equal(sim_run(r.s, 600000), SPV_OK);
        digest[i] = sim_digest(r.s);
        run_end(&r);
    }
    assert_true(digest[0] == digest[1]);
    assert_true(digest[0] != digest[2]);
}

static void slow_line_takes_its_time(void **state)
{
    sim_link slow = {.latency = 10, .rate = 500};
    run r;

    (void)state;
    run_begin(&r, "honest", slow, 1);
    assert_int_equal(sim_run(r.s, 20000), SPV_TIMEOUT);
    assert_int_equal(sim_now(r.s), 20000);
    assert_true(sim_count(r.s)->to_client <= 10000);
    run_end(&r);
}

static void every_habit_shows(void **state)
{
    static const struct {
        const char *habit;
        spv_err want;
        spv_message_kind kind; /* compared with an honest run: */
        int more;              /* less, as many, or more of it */
    } cases[] = {
        /* the walker speaks before its own verack, and is passed over: */
        {"verack_first", SPV_TIMEOUT, SPV_MSG_MERKLEBLOCK, -1},
        {"chatter", SPV_OK, SPV_MSG_UNKNOWN, 1},
        {"two_versions", SPV_OK, SPV_MSG_VERSION, 1},
        {"mute", SPV_TIMEOUT, SPV_MSG_VERSION, -1},
        {"no_bloom", SPV_CLOSED, SPV_MSG_MERKLEBLOCK, -1},
        {"match_everything", SPV_OK, SPV_MSG_TX, 1},
        {"extra_tx", SPV_OK, SPV_MSG_TX, 1},
        {"stray_tx", SPV_OK, SPV_MSG_TX, 1},
        {"withhold_tx", SPV_OK, SPV_MSG_TX, -1},
        {"omit_tx", SPV_OK, SPV_MSG_TX, -1},
        {"omit_some", SPV_OK, SPV_MSG_TX, -1},
        {"omit_all", SPV_OK, SPV_MSG_TX, -1},
        {"false_proof", SPV_OK, SPV_MSG_MERKLEBLOCK, 0},
        {"easy_header", SPV_OK, SPV_MSG_MERKLEBLOCK, -1},
        {"headers_gap", SPV_OK, SPV_MSG_MERKLEBLOCK, -1},
        {"headers_beside", SPV_OK, SPV_MSG_MERKLEBLOCK, -1},
        {"headers_beyond", SPV_OK, SPV_MSG_MERKLEBLOCK, 0},
        {"headers_short", SPV_OK, SPV_MSG_MERKLEBLOCK, -1},
        {"headers_none", SPV_OK, SPV_MSG_MERKLEBLOCK, -1},
        {"four_headers", SPV_OK, SPV_MSG_HEADERS, 0},
        {"wrong_magic", SPV_NETWORK, SPV_MSG_VERSION, -1},
        {"garbage", SPV_NETWORK, SPV_MSG_MERKLEBLOCK, -1},
        {"hang_up_on_data", SPV_CLOSED, SPV_MSG_MERKLEBLOCK, -1},
        {"not_found", SPV_OK, SPV_MSG_NOTFOUND, 1},
        {"full_block", SPV_OK, SPV_MSG_BLOCK, 1},
        {"other_whole", SPV_OK, SPV_MSG_MERKLEBLOCK, 0},
        {"no_whole", SPV_OK, SPV_MSG_MERKLEBLOCK, 0},
        {"unrequested", SPV_OK, SPV_MSG_MERKLEBLOCK, 1},
        {"babbles", SPV_MALFORMED, SPV_MSG_MERKLEBLOCK, -1},
        {"orphan_flood", SPV_OK, SPV_MSG_MERKLEBLOCK, 1},
        {"header_flood", SPV_OK, SPV_MSG_HEADERS, 1},
        {"early_inv", SPV_OK, SPV_MSG_INV, 1},
        {"silent_after_100", SPV_OK, SPV_MSG_MERKLEBLOCK, -1},
        {"claims_too_much", SPV_OK, SPV_MSG_MERKLEBLOCK, 0},
        {"claims_too_little", SPV_OK, SPV_MSG_MERKLEBLOCK, 0},
        {"addr_flood", SPV_OK, SPV_MSG_ADDRV2, 1},
        {"late_filter", SPV_OK, SPV_MSG_MERKLEBLOCK, 0},
        /* these show to a client that stays (sim_steady): */
        {"inv_only", SPV_OK, SPV_MSG_INV, 0},
        {"discreet", SPV_OK, SPV_MSG_INV, 0},
        {"whole_mempool", SPV_OK, SPV_MSG_INV, 0},
    };
    size_t n_names = 0;
    run honest;

    (void)state;
    while (spv__script_habits_names()[n_names])
        n_names++;
    assert_int_equal(n_names, 1 + sizeof(cases) / sizeof(cases[0]));
    run_begin(&honest, "honest", near_by, 1);
    assert_int_equal(sim_run(honest.s, 60000), SPV_OK);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        spv_message_kind kind = cases[i].kind;
        size_t usual = honest.w.got[kind];
        run r;

        run_begin(&r, cases[i].habit, near_by, 1);
        assert_int_equal(sim_run(r.s, 60000), cases[i].want);
        if ((r.w.got[kind] > usual) - (r.w.got[kind] < usual) != cases[i].more)
            fail_msg("%s: %zu of %s, honest %zu", cases[i].habit, r.w.got[kind],
                     spv__message_command(kind), usual);
        run_end(&r);
    }
    run_end(&honest);
}

static void late_filter_tells_a_hasty_client(void **state)
{
    static const bool hasty[] = {false, true};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        run r;

        run_begin(&r, "late_filter", near_by, 1);
        r.w.hasty = hasty[i];
        assert_int_equal(sim_run(r.s, 60000), SPV_OK);
        assert_int_equal(spv__script_node_count(r.node)->asked_while_busy > 0,
                         hasty[i]);
        assert_true(sim_now(r.s) >= 2000);
        run_end(&r);
    }
}

static void broken_lines_are_told_and_can_be_opened_again(void **state)
{
    sim_link shaky = {.latency = 10, .split = true, .breaks = 1500};
    run r;

    (void)state;
    run_begin(&r, "honest", shaky, 9);
    r.w.retries = true;
    assert_int_equal(sim_run(r.s, 600000), SPV_OK);
    assert_true(sim_count(r.s)->breaks > 0);
    assert_int_equal(sim_count(r.s)->breaks, r.w.closes);
    assert_int_equal(sim_count(r.s)->connects, r.w.closes + 1);
    run_end(&r);
}

static void closed_doors_are_told(void **state)
{
    static const struct {
        sim_link link;
        size_t node;
        spv_err want;
    } cases[] = {
        {{.latency = 10, .refuses = true}, 0, SPV_IO},
        {{.latency = 10, .black_hole = true}, 0, SPV_TIMEOUT},
        {{.latency = 10}, 99, SPV_IO}, /* an address that is nobody's */
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        run r;

        run_begin(&r, "honest", cases[i].link, 1);
        r.w.node = cases[i].node;
        assert_int_equal(sim_run(r.s, 60000), cases[i].want);
        run_end(&r);
    }
}

static void *restart(void *arg, void *self)
{
    walker *old = self;
    walker *fresh = arg;

    walker_clear(old);
    *old = (walker){0};
    return fresh;
}

static void killed_client_begins_anew(void **state)
{
    walker second;
    run r;

    (void)state;
    walker_init(&second);
    memcpy(second.element, receiver, sizeof(receiver));
    run_begin(&r, "honest", rough, 4);
    sim_kill_at(r.s, 1500, restart, &second);
    assert_int_equal(sim_run(r.s, 600000), SPV_OK);
    assert_ptr_equal(sim_client(r.s), &second);
    assert_int_equal(second.got[SPV_MSG_MERKLEBLOCK],
                     spv__script_chain_tip(chain));
    assert_int_equal(spv__script_node_count(r.node)->sessions, 2);
    walker_clear(&second);
    run_end(&r);
}

static void grow(sim *s, void *arg)
{
    run *r = arg;

    spv__script_node_set_tip(r->node, spv__script_chain_tip(chain));
    sim_flush_node(s, 0);
}

static void new_blocks_are_announced(void **state)
{
    run r;

    (void)state;
    run_begin(&r, "honest", near_by, 1);
    spv__script_node_set_tip(r.node, 250);
    sim_at(r.s, 1065, grow, &r); /* after the handshake */
    assert_int_equal(sim_run(r.s, 60000), SPV_OK);
    assert_int_equal(r.w.got[SPV_MSG_INV], 1);
    run_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(honest_node_serves_the_whole_chain),
        cmocka_unit_test(roughest_line_carries_the_same),
        cmocka_unit_test(same_seed_is_the_same_run),
        cmocka_unit_test(slow_line_takes_its_time),
        cmocka_unit_test(every_habit_shows),
        cmocka_unit_test(late_filter_tells_a_hasty_client),
        cmocka_unit_test(broken_lines_are_told_and_can_be_opened_again),
        cmocka_unit_test(closed_doors_are_told),
        cmocka_unit_test(killed_client_begins_anew),
        cmocka_unit_test(new_blocks_are_announced),
    };

    return cmocka_run_group_tests_name("sim.support.world", tests, make_chain,
                                       drop_chain);
}
