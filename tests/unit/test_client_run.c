#include "no_memory.h"

#include "client_world.h"

#include "client/client.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

enum { HEIGHT = 300, FORK = 290 };

/* Each block pays WORLD_RAW once; the second chain parts from the first at
 * FORK, is longer by one, and does not pay there. */
static world_block chain_a[HEIGHT + 1];
static world_block chain_b[HEIGHT + 2];

static int mine_chains(void **state)
{
    (void)state;
    chain_a[0] = chain_b[0] = world_genesis();
    for (uint32_t h = 1; h <= HEIGHT; h++)
        chain_a[h] = world_next(&chain_a[h - 1], h, 1);
    for (uint32_t h = 1; h <= HEIGHT + 1; h++) {
        chain_b[h].n_tx = 1;
        chain_b[h].tx[0] = world_pay_who(16 * h, h < FORK ? 1 : 2);
        world_mine(&chain_b[h], &chain_b[h - 1]);
    }
    return 0;
}

static int bury_chains(void **state)
{
    (void)state;
    world_chain_clear(chain_a, HEIGHT);
    world_chain_clear(chain_b, HEIGHT + 1);
    return 0;
}

static world_node node_of(node_habit habit)
{
    return (world_node){.habit = habit, .chain = chain_a, .height = HEIGHT};
}

static void assert_payments(const spv_client *c, int64_t n)
{
    spv_balance b;

    spv_client_balance(c, &b);
    assert_int_equal(b.confirmed, 50000 * n);
}

static int32_t height_of(const spv_client *c)
{
    spv_sync_report report;

    spv_client_report(c, &report);
    return report.height;
}

/* ---- A run ---- */

static void a_sync_finds_what_was_paid(void **state)
{
    world_node node = node_of(NODE_HONEST);
    spv_client *c = client_watching(WORLD_RAW, -1);
    spv_sync_options o = options_for(&node);
    spv_sync_report report;

    (void)state;
    assert_int_equal(run_whole(c, &node, &o), SPV_OK);
    assert_payments(c, HEIGHT);
    spv_client_report(c, &report);
    assert_int_equal(report.phase, SPV_PHASE_SYNCED);
    assert_int_equal(report.height, HEIGHT);
    assert_int_equal(report.headers, HEIGHT);
    assert_int_equal(report.filtered_blocks, HEIGHT);
    assert_int_equal(report.matched_transactions, HEIGHT);
    assert_int_equal(report.wallet_transactions, HEIGHT);
    assert_int_equal(report.false_positives, 0);
    assert_int_equal(report.refetched_blocks, 0);
    assert_int_equal(report.generation, 1);
    assert_int_equal(report.n_peers, 1);
    assert_int_equal(report.peers[0].blocks, HEIGHT);
    assert_true(report.bytes_received == report.peers[0].bytes_received);
    spv_client_free(c);
    node_clear(&node);
}

static void a_second_run_asks_only_for_what_is_new(void **state)
{
    world_node node = node_of(NODE_HONEST);
    spv_client *c = client_watching(WORLD_RAW, -1);
    spv_sync_options o = options_for(&node);

    (void)state;
    node.height = HEIGHT - 7;
    assert_int_equal(run_whole(c, &node, &o), SPV_OK);
    assert_payments(c, HEIGHT - 7);
    node.height = HEIGHT;
    node.asked = 0;
    assert_int_equal(run_whole(c, &node, &o), SPV_OK);
    assert_payments(c, HEIGHT);
    assert_int_equal(node.asked, 7);
    assert_int_equal(run_whole(c, &node, &o), SPV_OK);
    assert_int_equal(node.asked, 7);
    spv_client_free(c);
    node_clear(&node);
}

static void a_reorganisation_between_runs_is_undone(void **state)
{
    world_node node = node_of(NODE_HONEST);
    spv_client *c = client_watching(WORLD_RAW, -1);
    spv_sync_options o = options_for(&node);

    (void)state;
    assert_int_equal(run_whole(c, &node, &o), SPV_OK);
    node.chain = chain_b;
    node.height = HEIGHT + 1;
    assert_int_equal(run_whole(c, &node, &o), SPV_OK);
    assert_payments(c, FORK - 1);
    assert_int_equal(height_of(c), HEIGHT + 1);
    spv_client_free(c);
    node_clear(&node);
}

static spv_client *client_watching_nothing(void)
{
    spv_profile profile = {.gap = 20, .birthday = -1, .scan_from = -1};
    spv_client *c = NULL;

    assert_int_equal(spv__client_make(&c, world_network(), &profile, NULL),
                     SPV_OK);
    assert_int_equal(spv__client_begin(c, WORLD_ENTROPY, NULL), SPV_OK);
    return c;
}

static void an_empty_wallet_follows_headers_alone(void **state)
{
    world_node node = node_of(NODE_HONEST);
    spv_client *c = client_watching_nothing();
    spv_sync_options o = options_for(&node);

    (void)state;
    assert_int_equal(run_whole(c, &node, &o), SPV_OK);
    assert_int_equal(height_of(c), HEIGHT);
    assert_int_equal(node.filterloads, 0);
    assert_int_equal(node.asked, 0);
    spv_client_free(c);
    node_clear(&node);
}

/* ---- Where blocks begin and end ---- */

static void count_warning(void *ctx, const char *line)
{
    size_t *n = ctx;

    *n += strstr(line, "the chain ends at") != NULL;
}

static spv_client *client_born(int32_t height, int64_t time)
{
    static const char *const watched[] = {WORLD_RAW};
    spv_wallet_spec spec = {.descriptors = watched,
                            .n_descriptors = 1,
                            .birthday = height,
                            .birthday_time = time,
                            .entropy = WORLD_ENTROPY};
    spv_client *c = NULL;

    assert_int_equal(spv_client_new(&c, world_network(), &spec, NULL), SPV_OK);
    return c;
}

/** What a sync finds whose wallet has such a birthday, and how often it says
 * that the chain has not come so far. */
static void assert_born(int32_t height, int64_t time, int32_t first,
                        size_t told)
{
    world_node node = node_of(NODE_HONEST);
    spv_client *c = client_born(height, time);
    spv_sync_options o = options_for(&node);
    size_t n = 0;

    o.log = count_warning;
    o.log_ctx = &n;
    assert_int_equal(run_whole(c, &node, &o), SPV_OK);
    assert_payments(c, HEIGHT + 1 - first);
    assert_int_equal(run_whole(c, &node, &o), SPV_OK);
    assert_int_equal(n, told);
    spv_client_free(c);
    node_clear(&node);
}

static void blocks_begin_a_day_before_the_birthday(void **state)
{
    enum { MARGIN = SPV__BIRTHDAY_MARGIN };
    static const struct {
        int32_t birthday;
        int32_t first;
        size_t told;
    } cases[] = {
        {-1, 1, 0}, /* missing: the earliest */
        {0, 1, 0},
        {MARGIN, 1, 0},
        {200, 200 - MARGIN, 0},
        {HEIGHT, HEIGHT - MARGIN, 0},
        {HEIGHT + 9, HEIGHT + 9 - MARGIN, 0},
        {HEIGHT + MARGIN + 1, HEIGHT + 1, 0}, /* none of them yet */
        {HEIGHT + MARGIN + 2, HEIGHT - MARGIN, 1},
        {1000000, HEIGHT - MARGIN, 1}, /* the future is clamped */
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_born(cases[i].birthday, -1, cases[i].first, cases[i].told);
}

/* At least a day before: a date is put back by one, and so is its height. By
 * the median of eleven times, a block counts as five older than it is. */
static void a_birthday_may_be_a_date(void **state)
{
    enum { MARGIN = SPV__BIRTHDAY_MARGIN };
    const int64_t genesis = chain_a[0].time;
    const int64_t tip = chain_a[HEIGHT].time;
    const struct {
        int64_t time;
        int32_t first;
    } cases[] = {
        {-1, 1},
        {0, 1},
        {genesis, 1},
        {tip, HEIGHT - 2 * MARGIN + 5},
        {tip + SPV__BIRTHDAY_MARGIN_S, HEIGHT - MARGIN},
        {INT64_MAX, HEIGHT - MARGIN},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_born(-1, cases[i].time, cases[i].first, 0);
}

static void a_goal_is_reached_and_never_passed(void **state)
{
    static const int32_t goals[] = {1, 50, 50, 20, HEIGHT + 9};
    world_node node = node_of(NODE_HONEST);
    spv_client *c = client_watching(WORLD_RAW, -1);
    spv_sync_options o = options_for(&node);
    int32_t height = 0;

    (void)state;
    for (size_t i = 0; i < COUNT(goals); i++) {
        o.until = goals[i];
        if (goals[i] > height)
            height = goals[i] < HEIGHT ? goals[i] : HEIGHT;
        assert_int_equal(run_whole(c, &node, &o), SPV_OK);
        assert_int_equal(height_of(c), height);
        assert_payments(c, height);
    }
    spv_client_free(c);
    node_clear(&node);
}

static void a_rescan_looks_again_and_deletes_nothing(void **state)
{
    static const struct {
        int32_t from;
        int32_t start;
        size_t asked;
    } cases[] = {
        {HEIGHT - 9, HEIGHT - 9, 10},
        {HEIGHT + 9, HEIGHT + 9, 1},
        {0, 0, HEIGHT},
        {-1, 0, HEIGHT},
    };
    world_node node = node_of(NODE_HONEST);
    spv_client *c = client_watching(WORLD_RAW, -1);
    spv_sync_options o = options_for(&node);

    (void)state;
    assert_int_equal(run_whole(c, &node, &o), SPV_OK);
    for (size_t i = 0; i < COUNT(cases); i++) {
        int32_t start = -1;

        node.asked = 0;
        assert_int_equal(spv_client_rescan(c, cases[i].from, -1, 0, &start),
                         SPV_OK);
        assert_int_equal(start, cases[i].start);
        assert_payments(c, HEIGHT);
        assert_int_equal(run_whole(c, &node, &o), SPV_OK);
        assert_payments(c, HEIGHT);
        assert_int_equal(node.asked, cases[i].asked);
    }
    spv_client_free(c);
    node_clear(&node);
}

/* Guards a mended bug: blocks above the position that left the chain were
 * never undone, and what they paid stayed confirmed. */
static void a_rescan_finds_out_what_a_reorganisation_took(void **state)
{
    static const struct {
        int32_t from;
        int32_t until; /* what lies beyond is looked up all the same */
    } cases[] = {{1, 0}, {FORK - 5, 0}, {FORK, 0}, {HEIGHT, 0}, {1, 100}};

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        world_node node = node_of(NODE_HONEST);
        spv_client *c = client_watching(WORLD_RAW, -1);
        spv_sync_options o = options_for(&node);

        assert_int_equal(run_whole(c, &node, &o), SPV_OK);
        assert_int_equal(spv_client_rescan(c, cases[i].from, -1, 0, NULL),
                         SPV_OK);
        node.chain = chain_b;
        node.height = HEIGHT + 1;
        o.until = cases[i].until;
        assert_int_equal(run_whole(c, &node, &o), SPV_OK);
        assert_payments(c, FORK - 1);
        spv_client_free(c);
        node_clear(&node);
    }
}

/* The same while the rescan is under way. */
/* Guards a mended bug: the blocks of the new side below the rescan's start
 * were never asked for. */
static void a_rescan_begins_no_higher_than_a_fork(void **state)
{
    world_node node = node_of(NODE_HONEST);
    spv_client *c = client_watching(WORLD_RAW, -1);
    spv_sync_options o = options_for(&node);

    (void)state;
    assert_int_equal(run_whole(c, &node, &o), SPV_OK);
    assert_int_equal(spv_client_rescan(c, HEIGHT, -1, 0, NULL), SPV_OK);
    node.chain = chain_b;
    node.height = HEIGHT + 1;
    node.asked = 0;
    assert_int_equal(run_whole(c, &node, &o), SPV_OK);
    /* Each once; and again, since the filter lacked what payments spend that
     * this very reorganisation took back. */
    assert_in_range(node.asked, HEIGHT + 1 - (FORK - 1),
                    2 * (HEIGHT + 1 - (FORK - 1)));
    assert_payments(c, FORK - 1);
    spv_client_free(c);
    node_clear(&node);
}

static void a_reorganisation_above_a_rescan_is_noticed(void **state)
{
    world_node node = node_of(NODE_HONEST);
    spv_client *c = client_watching(WORLD_RAW, -1);
    spv_sync_options o = options_for(&node);
    spv_inv news = {.type = SPV_INV_BLOCK, .hash = chain_b[HEIGHT + 1].hash};
    client_run r;

    (void)state;
    assert_int_equal(run_whole(c, &node, &o), SPV_OK);
    assert_int_equal(spv_client_rescan(c, 1, -1, 0, NULL), SPV_OK);
    r = run_begin(c, &node, &o);
    while (c->run.phase != SPV_PHASE_BLOCKS)
        run_step(&r);
    node.chain = chain_b;
    node.height = HEIGHT + 1;
    say_inv(&node.said, &news, 1);
    while (!r.done)
        run_step(&r);
    assert_int_equal(r.why, SPV_OK);
    assert_int_equal(height_of(c), HEIGHT + 1);
    assert_payments(c, FORK - 1);
    spv_client_free(c);
    node_clear(&node);
}

/* ---- What can go wrong ---- */

static void peers_must_be_named_and_readable(void **state)
{
    static const char *const good[] = {"a", "b", "c", "d", "e", "f",
                                       "g", "h", "i", "j", "k", "l",
                                       "m", "n", "o", "p", "q"};
    static const char *const bad[] = {"127.0.0.1:99999"};
    static const struct {
        const char *const *connect;
        size_t n;
        spv_err err;
    } cases[] = {
        {NULL, 0, SPV_NO_PEER},
        {bad, 1, SPV_INVAL},
        {good, SPV_PEERS_MAX, SPV_OK},
        {good, SPV_PEERS_MAX + 1, SPV_INVAL},
    };
    spv_client *c = client_watching(WORLD_RAW, -1);

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        spv_sync_options o = {.connect = cases[i].connect,
                              .n_connect = cases[i].n};
        spv_trouble trouble = {0};

        assert_int_equal(spv_client_prepare(c, &o, &trouble), cases[i].err);
        assert_int_equal(trouble.text[0] != '\0', cases[i].err != SPV_OK);
    }
    spv_client_free(c);
}

static void a_run_that_fails_says_why(void **state)
{
    static const struct {
        node_habit habit;
        uint32_t timeout_s;
        spv_err err;
        const char *text;
        const char *hint;
    } cases[] = {
        {NODE_NO_BLOOM, 0, SPV_NO_PEER, "does not serve bloom filters",
         "peerbloomfilters=1"},
        {NODE_ABSENT, 0, SPV_NO_PEER, "127.0.0.1:1 refused the connection",
         "is running"},
        {NODE_ABSENT, 1, SPV_TIMEOUT, "1 s: 127.0.0.1:1 refused", "is running"},
        {NODE_HANGS_UP_LATE, 0, SPV_NO_PEER, "upload limit", ""},
        {NODE_MUTE, 5, SPV_TIMEOUT, "5 s: 127.0.0.1:1 does not answer",
         "is running"},
        {NODE_REFUSES, 0, SPV_TIMEOUT, "does not answer for blocks", ""},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        world_node node = node_of(cases[i].habit);
        spv_client *c = client_watching(WORLD_RAW, -1);
        spv_sync_options o = options_for(&node);
        spv_trouble trouble;

        o.timeout_s = cases[i].timeout_s;
        assert_int_equal(run_whole(c, &node, &o), cases[i].err);
        spv_client_trouble(c, &trouble);
        assert_int_equal(trouble.code, cases[i].err);
        assert_non_null(strstr(trouble.text, cases[i].text));
        assert_non_null(strstr(trouble.hint, cases[i].hint));
        spv_client_free(c);
        node_clear(&node);
    }
}

/* ---- Keeping ---- */

typedef struct notebook {
    size_t times;
    int32_t height; /* as last kept */
} notebook;

static spv_err note(void *self, spv_client *client, spv_trouble *trouble)
{
    notebook *book = self;

    (void)trouble;
    book->times++;
    book->height = client->position;
    client->changed = false;
    return SPV_OK;
}

static void ignore(void *self)
{
    (void)self;
}

static void keep_in(spv_client *c, notebook *book)
{
    c->keeper = (spv_keeper){.self = book, .keep = note, .free = ignore};
}

/* Guards a mended bug: what a peer gave before it fell silent was not kept
 * before the next thing happened, which could take half a minute. */
static void what_was_found_is_kept_soon_even_if_nothing_follows(void **state)
{
    world_node node = node_of(NODE_GOES_SILENT);
    spv_client *c = client_watching(WORLD_RAW, -1);
    spv_sync_options o = options_for(&node);
    notebook book = {.height = -1};
    client_run r;

    (void)state;
    keep_in(c, &book);
    r = run_begin(c, &node, &o);
    while (height_of(c) != 2)
        run_step(&r);
    o.unix_time = r.now;
    while (book.height != 2)
        run_step(&r);
    assert_true(r.now - o.unix_time <= SPV__KEEP_MS);
    spv_client_free(c);
    node_clear(&node);
}

static void a_run_without_findings_keeps_nothing_twice(void **state)
{
    world_node node = node_of(NODE_HONEST);
    spv_client *c = client_watching(WORLD_RAW, -1);
    spv_sync_options o = options_for(&node);
    notebook book = {0};

    (void)state;
    keep_in(c, &book);
    assert_int_equal(run_whole(c, &node, &o), SPV_OK);
    assert_int_equal(book.height, HEIGHT);
    assert_false(c->changed);
    book.times = 0;
    spv_client_free(c);
    assert_int_equal(book.times, 0);
    node_clear(&node);
}

/* Guards a mended bug: a wallet that ran out of memory half-way through a
 * block may only be freed, but was kept. */
static void a_wallet_that_ran_out_of_memory_is_not_kept(void **state)
{
    world_node node = node_of(NODE_HONEST);
    size_t failed = 0;
    bool synced = false;

    (void)state;
    node.height = 12;
    for (size_t before = 0; !synced; before++) {
        spv_client *c = client_watching(WORLD_RAW, -1);
        spv_sync_options o = options_for(&node);
        notebook book = {0};
        client_run r = run_begin(c, &node, &o);

        keep_in(c, &book);
        while (c->run.phase != SPV_PHASE_BLOCKS || !node.said.len)
            run_step(&r);
        while (!r.done && node.said.len) {
            spv_buf said = node.said;

            node.said = (spv_buf)SPV_BUF_EMPTY;
            book.times = 0;
            no_memory.before = before;
            no_memory.armed = true;
            spv_client_machine()->received(c, r.conn, said.bytes, said.len,
                                           r.now);
            no_memory.armed = false;
            spv__buf_clear(&said);
            run_pull(&r);
        }
        synced = r.done && r.why == SPV_OK;
        failed += c->run.outcome == SPV_NOMEM;
        if (c->run.outcome == SPV_NOMEM)
            assert_int_equal(book.times, 0);
        spv_client_free(c);
    }
    assert_true(failed > 12);
    node_clear(&node);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sync_finds_what_was_paid),
        cmocka_unit_test(a_second_run_asks_only_for_what_is_new),
        cmocka_unit_test(a_reorganisation_between_runs_is_undone),
        cmocka_unit_test(an_empty_wallet_follows_headers_alone),
        {.name = "S17 blocks begin a day before the birthday",
         .test_func = blocks_begin_a_day_before_the_birthday},
        {.name = "S17 a birthday may be a date",
         .test_func = a_birthday_may_be_a_date},
        cmocka_unit_test(a_goal_is_reached_and_never_passed),
        cmocka_unit_test(a_rescan_looks_again_and_deletes_nothing),
        cmocka_unit_test(a_rescan_finds_out_what_a_reorganisation_took),
        cmocka_unit_test(a_rescan_begins_no_higher_than_a_fork),
        cmocka_unit_test(a_reorganisation_above_a_rescan_is_noticed),
        cmocka_unit_test(peers_must_be_named_and_readable),
        cmocka_unit_test(a_run_that_fails_says_why),
        cmocka_unit_test(what_was_found_is_kept_soon_even_if_nothing_follows),
        cmocka_unit_test(a_run_without_findings_keeps_nothing_twice),
        cmocka_unit_test(a_wallet_that_ran_out_of_memory_is_not_kept),
    };

    return cmocka_run_group_tests_name("client.run", tests, mine_chains,
                                       bury_chains);
}
