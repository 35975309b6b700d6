#include "conform_world.h"

#include "conform/battery.h"
#include "conform/script_break.h"

/* The battery against scripted nodes: an honest one, and odd ones. */

static void an_honest_node_passes_every_check(void **state)
{
    spv_conform_options o = world_options();
    spv_conform_tx txs[WORLD_TXS];
    spv_conform_node node;
    world w;

    (void)state;
    world_init(&w, "honest");
    world_take_txs(&w, &o, txs);
    world_begin(&w, &o);
    world_run(&w);
    assert_int_equal(w.outcome, SPV_OK);
    world_print(&w, SPV_CONFORM_FAIL);
    world_print(&w, SPV_CONFORM_SKIPPED);
    assert_int_equal(world_count(&w, SPV_CONFORM_FAIL), 0);
    assert_int_equal(world_count(&w, SPV_CONFORM_PENDING), 0);
    assert_int_equal(world_count(&w, SPV_CONFORM_SKIPPED), 4); /* nobloom.* */
    spv_conform_get_node(w.battery, &node);
    assert_true(node.serves_filters);
    assert_int_equal(node.height, spv__script_chain_tip(w.chain));
    assert_string_equal(spv_conform_why(w.battery), "");
    world_clear(&w);
}

/* ---- Chance ---- */

static void run_seed(world *w, uint64_t seed)
{
    spv_conform_options o = world_options();
    spv_conform_tx txs[WORLD_TXS];

    o.seed = seed;
    world_init(w, "honest");
    world_take_txs(w, &o, txs);
    world_begin(w, &o);
    world_run(w);
    assert_int_equal(w->outcome, SPV_OK);
}

static void an_honest_node_is_never_accused(void **state)
{
    (void)state;
    for (uint64_t seed = 100; seed < 130; seed++) {
        world w;

        run_seed(&w, seed);
        world_print(&w, SPV_CONFORM_FAIL);
        assert_int_equal(world_count(&w, SPV_CONFORM_FAIL), 0);
        world_clear(&w);
    }
}

static void the_same_seed_gives_the_same_results(void **state)
{
    const spv_conform_check *x = NULL;
    const spv_conform_check *y = NULL;
    spv_conform_options o = world_options();
    size_t n = 0;
    world one;
    world two;

    (void)state;
    o.seed = UINT64_C(1) << 53;
    world_init(&one, "omit_tx");
    world_init(&two, "omit_tx");
    world_begin(&one, &o);
    world_begin(&two, &o);
    world_run(&one);
    world_run(&two);
    x = spv_conform_checks(one.battery, &n);
    y = spv_conform_checks(two.battery, &n);
    assert_true(world_count(&one, SPV_CONFORM_FAIL) > 0);
    assert_true(spv_conform_seed(one.battery) == o.seed);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(x[i].result, y[i].result);
        assert_string_equal(x[i].detail, y[i].detail);
    }
    world_clear(&one);
    world_clear(&two);
}

/* One check alone fails as it does among the others: with the same words. */
static void a_check_alone_is_the_same_check(void **state)
{
    static const char *const only[] = {"proof.last"};
    spv_conform_options o = world_options();
    size_t n = 0;
    world all;
    world alone;

    (void)state;
    world_init(&all, "omit_tx");
    world_begin(&all, &o);
    world_run(&all);
    o.only = only;
    o.n_only = 1;
    world_init(&alone, "omit_tx");
    world_begin(&alone, &o);
    world_run(&alone);
    (void)spv_conform_checks(alone.battery, &n);
    assert_int_equal(n, 1);
    assert_int_equal(world_check(&all, "proof.last")->result, SPV_CONFORM_FAIL);
    assert_string_equal(world_check(&all, "proof.last")->detail,
                        world_check(&alone, "proof.last")->detail);
    world_clear(&all);
    world_clear(&alone);
}

/* ---- Liars ---- */

/* Who lies is caught, by the check whose business it is. */
static void liars_are_caught_by_the_right_check(void **state)
{
    static const struct {
        const char *habit;
        const char *check;
    } table[] = {
        {"match_everything", "nomatch.txid-reversed"},
        {"extra_tx", "proof.nothing-matches"},
        {"stray_tx", "proof.nothing-matches"},
        {"withhold_tx", "match.output-p2pkh"},
        {"omit_tx", "match.outpoint"},
        {"omit_all", "match.several"},
        {"false_proof", "proof.last"},
        {"not_found", "match.txid"},
        {"full_block", "proof.any-part"},
        {"unrequested", "load.replaces"},
        {"early_inv", "relay.silent-before-filter"},
        {"whole_mempool", "mempool.filtered"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        spv_conform_options o = world_options();
        spv_conform_tx txs[WORLD_TXS];
        world w;

        world_init(&w, table[i].habit);
        world_take_txs(&w, &o, txs);
        world_begin(&w, &o);
        world_run(&w);
        assert_int_equal(w.outcome, SPV_OK);
        if (world_check(&w, table[i].check)->result != SPV_CONFORM_FAIL)
            fail_msg("%s is not caught by %s", table[i].habit, table[i].check);
        world_clear(&w);
    }
}

/* A failure says what was sent, what should have come, and what came. */
static void a_failure_is_told_in_words(void **state)
{
    static const char *const only[] = {"match.txid"};
    spv_conform_options o = world_options();
    const char *detail = NULL;
    world w;

    (void)state;
    o.only = only;
    o.n_only = 1;
    world_init(&w, "omit_all");
    world_begin(&w, &o);
    world_run(&w);
    detail = world_check(&w, "match.txid")->detail;
    assert_non_null(
        strstr(detail, "sent filterload (2048 bytes, 11 functions"));
    assert_non_null(strstr(detail, "getdata for filtered block "));
    assert_non_null(strstr(detail, "expected merkleblock with 1 of "));
    assert_non_null(strstr(detail, "got merkleblock with 0 of "));
    assert_true(strlen(detail) < 600);
    world_clear(&w);
}

/* ---- Odd nodes ---- */

/* Whatever a node is, the battery ends, and in time. */
/* A failure can be done again from its messages: what was sent is whole, and
 * what came is what should have come but for what the node left out. */
static void a_failure_is_told_in_messages(void **state)
{
    static const char *const only[] = {"match.outpoint", "match.txid"};
    spv_conform_options o = world_options();
    const spv_conform_message *sent = NULL;
    size_t n[SPV_CONFORM_PARTS];
    world w;

    (void)state;
    o.only = only;
    o.n_only = 2;
    world_init(&w, "withhold_tx");
    world_begin(&w, &o);
    world_run(&w);
    assert_int_equal(world_count(&w, SPV_CONFORM_FAIL), 2);
    sent = spv_conform_exchange(w.battery, 0, SPV_CONFORM_SENT,
                                &n[SPV_CONFORM_SENT]);
    assert_int_equal(n[SPV_CONFORM_SENT], 3);
    assert_string_equal(sent[0].command, "filterload");
    assert_string_equal(sent[1].command, "getdata");
    assert_int_equal(sent[1].len, 37);
    assert_string_equal(sent[2].command, "ping");
    for (int part = SPV_CONFORM_EXPECTED; part <= SPV_CONFORM_GOT; part++) {
        const spv_conform_message *m = spv_conform_exchange(
            w.battery, 0, (spv_conform_part)part, &n[part]);

        assert_string_equal(m[0].command, "merkleblock");
        assert_string_equal(m[n[part] - 1].command, "pong");
        assert_memory_equal(m[n[part] - 1].payload, sent[2].payload, 8);
    }
    assert_true(n[SPV_CONFORM_EXPECTED] > n[SPV_CONFORM_GOT]);
    world_clear(&w);
}

/* What is longer than any filter is cut off, and says how long it was. */
static void what_is_kept_of_a_message_has_bounds(void **state)
{
    static const uint8_t payload[SPV_CONFORM_PAYLOAD_MAX + 1];
    spv_messages m = {0};

    (void)state;
    for (int i = 0; i <= SPV__MESSAGES_MAX; i++)
        assert_int_equal(
            spv__messages_add(&m, "tx", payload, sizeof(payload), false),
            SPV_OK);
    assert_int_equal(m.n, SPV__MESSAGES_MAX);
    assert_int_equal(m.item[0].len, SPV_CONFORM_PAYLOAD_MAX);
    assert_int_equal(m.item[0].whole_len, sizeof(payload));
    spv__messages_clear(&m);
}

static void a_passing_check_keeps_no_messages(void **state)
{
    static const char *const only[] = {"match.txid"};
    spv_conform_options o = world_options();
    size_t n = 1;
    world w;

    (void)state;
    o.only = only;
    o.n_only = 1;
    world_init(&w, "honest");
    world_begin(&w, &o);
    world_run(&w);
    assert_null(spv_conform_exchange(w.battery, 0, SPV_CONFORM_GOT, &n));
    assert_int_equal(n, 0);
    world_clear(&w);
}

static void odd_nodes_end_in_time(void **state)
{
    static const char *const only[] = {"load.replaces",
                                       "limit.filterload-36001-bytes"};
    static const struct {
        const char *habit;
        spv_err outcome;
    } table[] = {
        {"mute", SPV_NO_PEER},
        {"wrong_magic", SPV_NO_PEER},
        {"garbage", SPV_NO_PEER},
        {"headers_none", SPV_OK},
        {"headers_gap", SPV_PROTOCOL},
        {"easy_header", SPV_PROTOCOL},
        {"other_whole", SPV_PROTOCOL},
        {"no_whole", SPV_OK},
        {"hang_up_on_data", SPV_NO_PEER},
        {"babbles", SPV_OK},
        {"chatter", SPV_OK},
        {"verack_first", SPV_NO_PEER},
        {"two_versions", SPV_OK},
        {"addr_flood", SPV_OK},
        {"orphan_flood", SPV_OK},
        {"header_flood", SPV_OK},
        {"late_filter", SPV_OK},
        {"silent_after_100", SPV_OK},
        {"claims_too_much", SPV_OK},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        spv_conform_options o = world_options();
        world w;

        o.only = only;
        o.n_only = 2;
        world_init(&w, table[i].habit);
        world_begin(&w, &o);
        world_run(&w);
        if (w.outcome != table[i].outcome)
            fail_msg("%s ends with %s: %s", table[i].habit,
                     spv_err_name(w.outcome), spv_conform_why(w.battery));
        assert_int_equal(world_count(&w, SPV_CONFORM_PENDING), 0);
        assert_true(w.now <= 1000 + 301 * 1000);
        if (w.outcome != SPV_OK)
            assert_true(strlen(spv_conform_why(w.battery)) > 0);
        world_clear(&w);
    }
}

static void a_node_that_is_not_there_is_said_so(void **state)
{
    spv_conform_options o = world_options();
    world w;

    (void)state;
    world_init(&w, "honest");
    w.refuses = true;
    world_begin(&w, &o);
    world_run(&w);
    assert_int_equal(w.outcome, SPV_NO_PEER);
    assert_string_equal(spv_conform_why(w.battery),
                        "the node cannot be connected to");
    world_clear(&w);

    world_init(&w, "honest");
    w.deaf = true;
    world_begin(&w, &o);
    world_run(&w);
    assert_int_equal(w.outcome, SPV_NO_PEER);
    assert_string_equal(spv_conform_why(w.battery), "the node does not answer");
    world_clear(&w);
}

/* One connection speaks another language: it is closed before the next. */
static void what_is_tried_again_is_closed_first(void **state)
{
    static const char *const only[] = {"load.replaces"};
    static const uint8_t noise[64] = {0};
    spv_conform_options o = world_options();
    world w;

    (void)state;
    o.only = only;
    o.n_only = 1;
    world_init(&w, "honest");
    world_begin(&w, &o);
    while (w.n_conns < 2) /* the survey's, then the check's */
        if (!world_step(&w))
            world_wait(&w);
    WORLD_CALL(&w, received, w.conns[1].name, noise, sizeof(noise), w.now);
    assert_string_equal(world_check(&w, only[0])->detail, "");
    world_run(&w);
    assert_int_equal(w.n_conns, 3);
    assert_false(w.conns[1].is_open);
    assert_int_equal(world_check(&w, only[0])->result, SPV_CONFORM_PASS);
    world_clear(&w);
}

static void a_name_that_is_none_is_said_so(void **state)
{
    spv_conform_options o = world_options();
    world w;

    (void)state;
    o.connect = "nowhere.example:18444";
    world_init(&w, "honest");
    world_begin(&w, &o);
    world_run(&w);
    assert_int_equal(w.outcome, SPV_NO_PEER);
    world_clear(&w);
}

static void what_is_no_address_is_refused(void **state)
{
    static const char *const texts[] = {
        "", ":1", "host:", "host:0", "host:65536", "host:1x"};
    spv_conform_options o = world_options();
    spv_conform *battery = NULL;

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        o.connect = texts[i];
        assert_int_equal(spv_conform_new(&battery, &o), SPV_INVAL);
        assert_null(battery);
    }
}

/* It bans after a while: what is left is skipped, with the reason. */
static void a_node_that_bans_leaves_the_rest_skipped(void **state)
{
    spv_conform_options o = world_options();
    world w;

    (void)state;
    world_init(&w, "honest");
    w.conns_max = 20;
    world_begin(&w, &o);
    world_run(&w);
    assert_int_equal(w.outcome, SPV_OK);
    assert_true(world_count(&w, SPV_CONFORM_PASS) > 0);
    assert_int_equal(world_count(&w, SPV_CONFORM_FAIL), 0);
    assert_non_null(strstr(world_check(&w, "limit.filteradd-cut-short")->detail,
                           "--gentle"));
    world_clear(&w);
}

static void a_node_without_node_bloom_is_asked_for_its_manners(void **state)
{
    spv_conform_options o = world_options();
    spv_conform_node node;
    world w;

    (void)state;
    world_init(&w, "no_bloom");
    world_begin(&w, &o);
    world_run(&w);
    assert_int_equal(w.outcome, SPV_OK);
    spv_conform_get_node(w.battery, &node);
    assert_false(node.serves_filters);
    assert_int_equal(world_count(&w, SPV_CONFORM_PASS), 4);
    assert_int_equal(world_count(&w, SPV_CONFORM_FAIL), 0);
    assert_int_equal(world_check(&w, "nobloom.filterload")->result,
                     SPV_CONFORM_PASS);
    world_clear(&w);
}

/* ---- Slow ways ---- */

static void begin_slow(world *w, const char *const only[1])
{
    spv_conform_options o = world_options();

    o.only = only;
    o.n_only = 1;
    o.timeout_s = 86400;
    world_init(w, "honest");
    world_begin(w, &o);
}

/* Its first headers message alone takes half a minute. */
static void a_slow_survey_is_not_silence(void **state)
{
    static const char *const only[] = {"match.several"};
    world w;

    (void)state;
    begin_slow(&w, only);
    w.piece = 100;
    w.pace = 250;
    world_run(&w);
    assert_string_equal(spv_conform_why(w.battery), "");
    assert_int_equal(world_check(&w, only[0])->result, SPV_CONFORM_PASS);
    world_clear(&w);
}

/* Only the answer is slow: the survey and the greeting are not. */
static spv_time run_slow_check(world *w, size_t piece, spv_time pace)
{
    static const char *const only[] = {"match.several"};
    spv_time began;

    begin_slow(w, only);
    while (!w->battery->players[0].busy || w->battery->players[0].waits)
        if (!world_step(w))
            world_wait(w);
    w->piece = piece;
    w->pace = pace;
    began = w->now;
    world_run(w);
    return w->now - began;
}

/* An answer on its way is no silence; one that never ends is no answer. */
static void who_is_slow_is_not_accused(void **state)
{
    spv_time took;
    world w;

    (void)state;
    took = run_slow_check(&w, 100, 4000);
    assert_int_equal(world_check(&w, "match.several")->result,
                     SPV_CONFORM_PASS);
    assert_true(took > SPV__STEP_MS);
    world_clear(&w);

    took = run_slow_check(&w, 1, 1000);
    assert_int_equal(world_check(&w, "match.several")->result,
                     SPV_CONFORM_SKIPPED);
    assert_non_null(
        strstr(world_check(&w, "match.several")->detail, "too slow"));
    assert_true(took <= SPV__TURN_MS + SPV__STEP_MS);
    world_clear(&w);
}

/* ---- Announcements ---- */

static const char *const scene_ids[] = {"relay", "mempool"};

static void begin_scene(world *w, const spv_script_habits *habits,
                        spv_conform_tx txs[WORLD_TXS])
{
    spv_conform_options o = world_options();

    world_init(w, "honest");
    w->habits = habits ? habits : w->habits;
    o.only = scene_ids;
    o.n_only = 2;
    world_take_txs(w, &o, txs);
    world_begin(w, &o);
}

/* Hang up on the watcher of this role once it has said all that it says. */
static void hang_up_on(world *w, spv_role role)
{
    const spv_watcher *found = NULL;

    while (!found) {
        if (!world_step(w))
            world_wait(w);
        for (size_t i = 0; i < SPV__WATCHERS_MAX; i++) {
            const spv_watcher *one = &w->battery->scene.watchers[i];

            if (one->used && one->acted && one->role == role)
                found = one;
        }
    }
    world_find(w, found->session.conn)->is_open = false;
    WORLD_CALL(w, closed, found->session.conn, SPV_CLOSED, w->now);
}

/* It breaks no rule of what is announced; but a question is to be answered. */
static void who_hangs_up_is_accused_only_if_it_was_asked(void **state)
{
    static const struct {
        spv_role role;
        const char *check;
        spv_conform_result result;
    } table[] = {
        {SPV_ROLE_SILENT, "relay.silent-before-filter", SPV_CONFORM_SKIPPED},
        {SPV_ROLE_CLEARED, "relay.all-after-filterclear", SPV_CONFORM_SKIPPED},
        {SPV_ROLE_POOL, "mempool.all", SPV_CONFORM_FAIL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        spv_conform_tx txs[WORLD_TXS];
        world w;

        begin_scene(&w, NULL, txs);
        hang_up_on(&w, table[i].role);
        world_run(&w);
        assert_int_equal(world_check(&w, table[i].check)->result,
                         table[i].result);
        assert_non_null(strstr(world_check(&w, table[i].check)->detail,
                               "the node closed the connection"));
        world_clear(&w);
    }
}

/* BIP 35 is offered by NODE_NETWORK, which a pruned node does not set. */
static void a_pruned_node_owes_no_mempool(void **state)
{
    static const spv_script_habits silent = {.breaks =
                                                 SPV_BREAK_MEMPOOL_SILENT};

    (void)state;
    for (int pruned = 0; pruned < 2; pruned++) {
        spv_conform_tx txs[WORLD_TXS];
        world w;

        begin_scene(&w, &silent, txs);
        while (w.battery->phase != SPV_BATTERY_PLAYING)
            if (!world_step(&w))
                world_wait(&w);
        if (pruned)
            w.battery->node.services &= ~(uint64_t)SPV__NODE_NETWORK;
        world_run(&w);
        assert_int_equal(world_check(&w, "mempool.all")->result,
                         pruned ? SPV_CONFORM_SKIPPED : SPV_CONFORM_FAIL);
        world_clear(&w);
    }
}

/* ---- Selections ---- */

static void gentle_leaves_out_what_a_node_may_ban_for(void **state)
{
    spv_conform_options o = world_options();
    world w;

    (void)state;
    o.gentle = true;
    world_init(&w, "honest");
    world_begin(&w, &o);
    world_run(&w);
    assert_int_equal(world_check(&w, "limit.filterload-36001-bytes")->result,
                     SPV_CONFORM_SKIPPED);
    assert_int_equal(world_check(&w, "limit.filterload-36000-bytes")->result,
                     SPV_CONFORM_PASS);
    for (size_t i = 0; i < w.n_conns; i++)
        assert_int_equal(spv__script_node_count(w.conns[i].node)->faults, 0);
    world_clear(&w);
}

static void patterns_select_checks(void **state)
{
    static const struct {
        const char *pattern;
        const char *id;
        bool selects;
    } table[] = {
        {"match.txid", "match.txid", true},
        {"match.txi", "match.txid", false},
        {"match", "match.txid", true},
        {"mat", "match.txid", false},
        {"mat*", "match.txid", true},
        {"match.t*", "match.txid", true},
        {"match.t*", "match.outpoint", false},
        {"match", "nomatch.wtxid", false},
        {"*", "anything", true},
        {"", "match.txid", false},
        {"match.txid.more", "match.txid", false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        assert_int_equal(spv_conform_selects(table[i].pattern, table[i].id),
                         table[i].selects);
}

/* ---- The list ---- */

static void there_are_enough_checks_and_each_is_described(void **state)
{
    size_t n = 0;
    const spv_conform_check *list = spv_conform_list(&n);

    (void)state;
    assert_true(n >= 60);
    for (size_t i = 0; i < n; i++) {
        assert_non_null(strchr(list[i].id, '.'));
        assert_true(strlen(list[i].title) > 10);
        assert_true(strncmp(list[i].basis, "BIP ", 4) == 0 ||
                    strstr(list[i].basis, "reference implementation"));
        if (list[i].severity == SPV_CONFORM_MUST)
            assert_true(strncmp(list[i].basis, "BIP ", 4) == 0);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(list[i].id, list[k].id);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_honest_node_passes_every_check),
        cmocka_unit_test(an_honest_node_is_never_accused),
        cmocka_unit_test(the_same_seed_gives_the_same_results),
        cmocka_unit_test(a_check_alone_is_the_same_check),
        cmocka_unit_test(liars_are_caught_by_the_right_check),
        cmocka_unit_test(a_failure_is_told_in_words),
        cmocka_unit_test(a_failure_is_told_in_messages),
        cmocka_unit_test(what_is_kept_of_a_message_has_bounds),
        cmocka_unit_test(a_passing_check_keeps_no_messages),
        cmocka_unit_test(odd_nodes_end_in_time),
        cmocka_unit_test(a_node_that_is_not_there_is_said_so),
        cmocka_unit_test(what_is_tried_again_is_closed_first),
        cmocka_unit_test(who_hangs_up_is_accused_only_if_it_was_asked),
        cmocka_unit_test(a_pruned_node_owes_no_mempool),
        cmocka_unit_test(a_name_that_is_none_is_said_so),
        cmocka_unit_test(what_is_no_address_is_refused),
        cmocka_unit_test(a_node_that_bans_leaves_the_rest_skipped),
        cmocka_unit_test(a_node_without_node_bloom_is_asked_for_its_manners),
        cmocka_unit_test(a_slow_survey_is_not_silence),
        cmocka_unit_test(who_is_slow_is_not_accused),
        cmocka_unit_test(gentle_leaves_out_what_a_node_may_ban_for),
        cmocka_unit_test(patterns_select_checks),
        cmocka_unit_test(there_are_enough_checks_and_each_is_described),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
