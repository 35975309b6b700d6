#include "cmocka_all.h"
#include "no_memory.h"

#include <string.h>

#include <spv/network.h>

#include "p2p/ranges.h"

enum { TIP = 9000, SPACING = 3000, SMALL = 100, NOW = 5000 };

/* A chain of cheap headers, by height. */
static uint8_t chain[TIP + 1][SPV_HEADER_LEN];

static const spv_network *regtest(void)
{
    return spv_network_get(SPV_REGTEST);
}

static spv_hash hash_at(int32_t height)
{
    spv_hash hash;

    spv_header_hash(&hash, chain[height]);
    return hash;
}

static int mine(void **state)
{
    (void)state;
    memcpy(chain[0], regtest()->genesis, SPV_HEADER_LEN);
    for (int32_t h = 1; h <= TIP; h++) {
        spv_header header = {.version = 4,
                             .prev = hash_at(h - 1),
                             .time = 1400000000u + (uint32_t)h * 600,
                             .bits = regtest()->pow_limit_bits};
        spv_hash hash;

        do {
            header.nonce++;
            spv_header_encode(chain[h], &header);
            hash = hash_at(h);
        } while (!spv_pow_check(&hash, header.bits, regtest()));
    }
    return 0;
}

/* ---- A tree with checkpoints, and the ranges above its tip ---- */

typedef struct stage {
    spv_checkpoint item[TIP / SMALL];
    spv_checkpoint_list list;
    spv_header_tree *tree;
    spv_ranges r;
    spv_range_queue a;
    spv_range_queue b;
} stage;

/* Checkpoints every `spacing` blocks, and a tree that ends at `tip`. */
static void begin(stage *g, int32_t spacing, int32_t tip)
{
    spv_tree_config config = {.network = regtest(), .checkpoints = &g->list};

    *g = (stage){.list.items = g->item};
    for (int32_t h = spacing; spacing && h <= TIP; h += spacing) {
        spv_checkpoint *c = &g->item[g->list.n++];

        c->height = h;
        memcpy(c->header, chain[h], SPV_HEADER_LEN);
    }
    assert_int_equal(spv__tree_new(&g->tree, &config), SPV_OK);
    for (int32_t h = 1; h <= tip; h++)
        assert_int_equal(spv__tree_load(g->tree, chain[h]), SPV_VERDICT_ADDED);
    spv__ranges_init(&g->r, g->tree);
}

static void end(stage *g)
{
    spv__ranges_clear(&g->r);
    spv__tree_free(g->tree);
}

static void assert_no_ask(stage *g, spv_range_queue *q)
{
    spv_range_request request;

    assert_false(spv__ranges_ask(&g->r, q, NOW, &request));
}

/* The next request is for what follows `from`, up to `to`. */
static void assert_asks(stage *g, spv_range_queue *q, int32_t from, int32_t to)
{
    spv_hash lower = hash_at(from);
    spv_hash upper = hash_at(to);
    spv_range_request request;

    assert_true(spv__ranges_ask(&g->r, q, NOW, &request));
    assert_memory_equal(&request.locator, &lower, sizeof(lower));
    assert_memory_equal(&request.stop, &upper, sizeof(upper));
}

/* A headers message: each header, and a transaction count of zero. */
static spv_range_heard say(stage *g, spv_range_queue *q,
                           const uint8_t (*headers)[SPV_HEADER_LEN], size_t n,
                           spv_time now)
{
    static uint8_t bytes[(SPV__HEADERS_MAX + 1) * (SPV_HEADER_LEN + 1)];
    spv_items items = {.bytes = bytes, .n = n};

    for (size_t i = 0; i < n; i++)
        memcpy(bytes + i * (SPV_HEADER_LEN + 1), headers[i], SPV_HEADER_LEN);
    return spv__ranges_hear(&g->r, q, &items, now);
}

/* The answer is the chain's headers above `from`, up to `to`. */
static spv_range_heard hear(stage *g, spv_range_queue *q, int32_t from,
                            int32_t to)
{
    return say(g, q, (const uint8_t(*)[SPV_HEADER_LEN])chain + from + 1,
               (size_t)(to - from), NOW);
}

static void assert_hears(stage *g, spv_range_queue *q, int32_t from, int32_t to)
{
    spv_range_heard heard = hear(g, q, from, to);

    assert_int_equal(heard.err, SPV_OK);
    assert_int_equal(heard.taken, to - from);
}

static void show(stage *g, spv_range_queue *q)
{
    assert_asks(g, q, TIP - 1, TIP);
    assert_int_equal(hear(g, q, TIP - 1, TIP).err, SPV_OK);
    assert_true(q->shown);
}

static void assert_front(stage *g, int32_t from, int32_t to)
{
    size_t n = 0;
    const uint8_t *headers = spv__ranges_front(&g->r, &n);

    assert_non_null(headers);
    assert_int_equal(n, to - from);
    assert_memory_equal(headers, chain[from + 1], n * SPV_HEADER_LEN);
}

static bool has_front(const stage *g)
{
    size_t n = 0;

    return spv__ranges_front(&g->r, &n) != NULL;
}

/* ---- What there is to ask ---- */

static void without_checkpoints_nothing_is_asked(void **state)
{
    stage g;

    (void)state;
    begin(&g, 0, 10);
    assert_true(spv__ranges_done(&g.r));
    assert_no_ask(&g, &g.a);
    end(&g);
}

static void above_the_last_checkpoint_it_is_shown_and_that_is_all(void **state)
{
    stage g;

    (void)state;
    begin(&g, SPACING, TIP);
    assert_true(spv__ranges_done(&g.r));
    show(&g, &g.a);
    assert_no_ask(&g, &g.a);
    end(&g);
}

static void ranges_begin_at_the_checkpoint_below_the_tip(void **state)
{
    static const struct {
        int32_t tip;
        int32_t from;
    } cases[] = {{0, 0},
                 {SPACING - 1, 0},
                 {SPACING, SPACING},
                 {SPACING + 1, SPACING},
                 {TIP - 1, TIP - SPACING}};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        stage g;

        begin(&g, SPACING, cases[i].tip);
        show(&g, &g.a);
        assert_asks(&g, &g.a, cases[i].from, cases[i].from + SPACING);
        end(&g);
    }
}

static void a_peer_is_asked_for_several_ranges_and_more_as_it_answers(
    void **state)
{
    stage g;

    (void)state;
    begin(&g, SMALL, 0);
    assert_asks(&g, &g.a, TIP - 1, TIP);
    assert_asks(&g, &g.a, 0, 100); /* without waiting */
    assert_asks(&g, &g.a, 100, 200);
    assert_asks(&g, &g.a, 200, 300);
    assert_no_ask(&g, &g.a);
    assert_asks(&g, &g.b, TIP - 1, TIP);
    assert_asks(&g, &g.b, 300, 400);
    assert_int_equal(hear(&g, &g.a, TIP - 1, TIP).err, SPV_OK);
    assert_asks(&g, &g.a, 400, 500);
    assert_asks(&g, &g.a, 500, 600);
    assert_no_ask(&g, &g.a);
    end(&g);
}

static void a_slow_peer_is_asked_for_less(void **state)
{
    stage g;

    (void)state;
    begin(&g, SMALL, 0);
    show(&g, &g.a);
    assert_int_equal(g.a.depth, SPV__RANGE_QUEUE_FIRST + 1);
    assert_asks(&g, &g.a, 0, 100);
    assert_int_equal(say(&g, &g.a, (const uint8_t(*)[SPV_HEADER_LEN])chain + 1,
                         100, NOW + 4000)
                         .err,
                     SPV_OK);
    assert_int_equal(g.a.depth, SPV__RANGE_QUEUE_FIRST);
    end(&g);
}

static void only_so_many_ranges_are_held(void **state)
{
    stage g;

    (void)state;
    begin(&g, SMALL, 0);
    assert_int_equal(g.r.n, SPV__RANGES_MAX);
    assert_int_equal(g.r.item[SPV__RANGES_MAX - 1].to, SPV__RANGES_MAX * SMALL);
    spv__ranges_clear(&g.r);
    for (size_t i = 0; i < g.list.n; i++) /* as on testnet3 */
        g.item[i].height = 32256 * (int32_t)(i + 1);
    spv__ranges_init(&g.r, g.tree);
    assert_int_equal(g.r.n, SPV__RANGES_AHEAD / 32256);
    spv__ranges_clear(&g.r);
    for (size_t i = 0; i < g.list.n; i++)
        g.item[i].height = 100000 * (int32_t)(i + 1);
    spv__ranges_init(&g.r, g.tree);
    assert_int_equal(g.r.n, 1);
    end(&g);
}

/* ---- What is answered ---- */

static void a_long_range_is_continued_by_its_own_peer(void **state)
{
    stage g;

    (void)state;
    begin(&g, SPACING, 0);
    show(&g, &g.a);
    show(&g, &g.b);
    assert_asks(&g, &g.a, 0, SPACING);
    assert_hears(&g, &g.a, 0, 2000);
    assert_false(has_front(&g));
    assert_true(spv__ranges_rest_on(&g.r, &g.a));
    assert_asks(&g, &g.b, SPACING, 2 * SPACING);
    assert_asks(&g, &g.a, 2000, SPACING);
    assert_asks(&g, &g.a, 2 * SPACING, TIP);
    assert_hears(&g, &g.a, 2000, SPACING);
    assert_front(&g, 0, SPACING);
    end(&g);
}

static void ranges_leave_in_order(void **state)
{
    stage g;

    (void)state;
    begin(&g, SMALL, TIP - 2 * SMALL);
    show(&g, &g.a);
    show(&g, &g.b);
    assert_asks(&g, &g.a, TIP - 200, TIP - 100);
    assert_asks(&g, &g.b, TIP - 100, TIP);
    assert_hears(&g, &g.b, TIP - 100, TIP);
    assert_false(has_front(&g));
    assert_hears(&g, &g.a, TIP - 200, TIP - 100);
    assert_front(&g, TIP - 200, TIP - 100);
    spv__ranges_pop(&g.r);
    assert_false(spv__ranges_done(&g.r));
    assert_front(&g, TIP - 100, TIP);
    spv__ranges_pop(&g.r);
    assert_true(spv__ranges_done(&g.r));
    end(&g);
}

static void as_one_range_leaves_another_is_opened(void **state)
{
    stage g;

    (void)state;
    begin(&g, SMALL, 0);
    show(&g, &g.a);
    assert_asks(&g, &g.a, 0, SMALL);
    assert_hears(&g, &g.a, 0, SMALL);
    spv__ranges_pop(&g.r);
    assert_int_equal(g.r.n, SPV__RANGES_MAX);
    assert_int_equal(g.r.item[SPV__RANGES_MAX - 1].to,
                     (SPV__RANGES_MAX + 1) * SMALL);
    end(&g);
}

static void a_peer_without_the_last_checkpoint_is_no_liar(void **state)
{
    static const struct {
        int32_t from;
        int32_t to;
    } cases[] = {{TIP - 1, TIP - 1} /* while it syncs */,
                 {0, 2000} /* it knows no better */,
                 {TIP - 2, TIP - 1}};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        stage g;
        spv_range_heard heard;

        begin(&g, SPACING, 0);
        assert_asks(&g, &g.a, TIP - 1, TIP);
        heard = hear(&g, &g.a, cases[i].from, cases[i].to);
        assert_int_equal(heard.err, SPV_NOT_FOUND);
        assert_non_null(strstr(heard.reason, "without the last checkpoint"));
        assert_false(g.a.shown);
        end(&g);
    }
}

/* Answers to [0, SPACING), of which 2,000 headers came before. */
static void every_lie_about_a_range_is_found(void **state)
{
    static const struct {
        int32_t from;
        int32_t to;
        spv_err err;
        const char *reason;
    } cases[] = {
        {2000, 2000, SPV_NOT_FOUND, "has no headers between"},
        {1999, SPACING - 1, SPV_PROTOCOL, "do not follow"},
        {2001, SPACING, SPV_PROTOCOL, "do not follow"},
        {0, 2000, SPV_PROTOCOL, "do not follow"},
        {2000, SPACING - 1, SPV_PROTOCOL, "end below a checkpoint"},
        {2000, SPACING + 1, SPV_PROTOCOL, "beyond the checkpoint"},
        {2000, 4000, SPV_PROTOCOL, "beyond the checkpoint"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        stage g;
        spv_range_heard heard;

        begin(&g, SPACING, 0);
        show(&g, &g.a);
        assert_asks(&g, &g.a, 0, SPACING);
        assert_hears(&g, &g.a, 0, 2000);
        assert_asks(&g, &g.a, 2000, SPACING);
        heard = hear(&g, &g.a, cases[i].from, cases[i].to);
        assert_int_equal(heard.err, cases[i].err);
        assert_non_null(strstr(heard.reason, cases[i].reason));
        assert_false(has_front(&g));
        show(&g, &g.b); /* what was here of it is asked for again */
        assert_asks(&g, &g.b, 0, SPACING);
        end(&g);
    }
}

static void a_chain_that_ends_beside_the_checkpoint_is_a_lie(void **state)
{
    uint8_t headers[SMALL][SPV_HEADER_LEN];
    stage g;
    spv_range_heard heard;

    (void)state;
    begin(&g, SMALL, 0);
    show(&g, &g.a);
    assert_asks(&g, &g.a, 0, SMALL);
    memcpy(headers, chain[1], sizeof(headers));
    headers[SMALL - 1][SPV_HEADER_LEN - 1] ^= 1;
    heard =
        say(&g, &g.a, (const uint8_t(*)[SPV_HEADER_LEN])headers, SMALL, NOW);
    assert_int_equal(heard.err, SPV_PROTOCOL);
    assert_non_null(strstr(heard.reason, "conflict with a checkpoint"));
    assert_false(has_front(&g));
    end(&g);
}

/* ---- Peers that are late, or lost ---- */

static void what_a_late_peer_was_asked_for_goes_to_another(void **state)
{
    stage g;

    (void)state;
    begin(&g, SPACING, 0);
    show(&g, &g.a);
    show(&g, &g.b);
    assert_asks(&g, &g.a, 0, SPACING);
    assert_hears(&g, &g.a, 0, 2000);
    assert_asks(&g, &g.a, 2000, SPACING);
    assert_true(spv__ranges_has_room(&g.a));
    spv__ranges_release(&g.r, &g.a);
    assert_false(spv__ranges_rest_on(&g.r, &g.a));
    assert_false(spv__ranges_has_room(&g.a));
    assert_no_ask(&g, &g.a);
    assert_asks(&g, &g.b, 0, SPACING);

    /* What it answers after all is passed over, and it may be asked again. */
    assert_int_equal(hear(&g, &g.a, 2000, SPACING).taken, 0);
    assert_true(spv__ranges_has_room(&g.a));
    assert_asks(&g, &g.a, SPACING, 2 * SPACING);
    assert_hears(&g, &g.b, 0, 2000);
    assert_asks(&g, &g.b, 2000, SPACING);
    assert_hears(&g, &g.b, 2000, SPACING);
    assert_front(&g, 0, SPACING);
    end(&g);
}

static void an_answer_to_an_earlier_request_is_never_joined_twice(void **state)
{
    stage g;

    (void)state;
    begin(&g, SPACING, 0);
    show(&g, &g.a);
    assert_asks(&g, &g.a, 0, SPACING);
    assert_asks(&g, &g.a, SPACING, 2 * SPACING);
    spv__ranges_release(&g.r, &g.a);
    assert_int_equal(hear(&g, &g.a, 0, 2000).taken, 0);
    assert_no_ask(&g, &g.a); /* it owes one more */
    assert_int_equal(hear(&g, &g.a, SPACING, SPACING + 2000).taken, 0);
    assert_asks(&g, &g.a, 0, SPACING);
    assert_hears(&g, &g.a, 0, 2000);
    end(&g);
}

static void stopped_ranges_are_asked_for_no_more(void **state)
{
    stage g;

    (void)state;
    begin(&g, SMALL, 0);
    show(&g, &g.a);
    assert_asks(&g, &g.a, 0, SMALL);
    spv__ranges_stop(&g.r);
    assert_true(spv__ranges_done(&g.r));
    assert_int_equal(hear(&g, &g.a, 0, SMALL).taken, 0);
    assert_no_ask(&g, &g.a);
    end(&g);
}

static void memory_that_runs_out_is_told(void **state)
{
    spv_range_heard heard;
    stage g;

    (void)state;
    begin(&g, SMALL, 0);
    show(&g, &g.a);
    assert_asks(&g, &g.a, 0, SMALL);
    no_memory.before = 0;
    no_memory.armed = true;
    heard = hear(&g, &g.a, 0, SMALL);
    no_memory.armed = false;
    assert_int_equal(heard.err, SPV_NOMEM);
    assert_false(has_front(&g));
    end(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_checkpoints_nothing_is_asked),
        cmocka_unit_test(above_the_last_checkpoint_it_is_shown_and_that_is_all),
        cmocka_unit_test(ranges_begin_at_the_checkpoint_below_the_tip),
        cmocka_unit_test(
            a_peer_is_asked_for_several_ranges_and_more_as_it_answers),
        cmocka_unit_test(a_slow_peer_is_asked_for_less),
        cmocka_unit_test(only_so_many_ranges_are_held),
        cmocka_unit_test(a_long_range_is_continued_by_its_own_peer),
        cmocka_unit_test(ranges_leave_in_order),
        cmocka_unit_test(as_one_range_leaves_another_is_opened),
        cmocka_unit_test(a_peer_without_the_last_checkpoint_is_no_liar),
        cmocka_unit_test(every_lie_about_a_range_is_found),
        cmocka_unit_test(a_chain_that_ends_beside_the_checkpoint_is_a_lie),
        cmocka_unit_test(what_a_late_peer_was_asked_for_goes_to_another),
        cmocka_unit_test(an_answer_to_an_earlier_request_is_never_joined_twice),
        cmocka_unit_test(stopped_ranges_are_asked_for_no_more),
        cmocka_unit_test(memory_that_runs_out_is_told),
    };

    return cmocka_run_group_tests(tests, mine, NULL);
}
