#include "no_memory.h"

#include "p2p_world.h"

#include "p2p/stream.h"

static spv_hash hash_of(unsigned number)
{
    return (spv_hash){
        {(uint8_t)number, (uint8_t)(number >> 8), (uint8_t)(number >> 16), 1}};
}

static void announce(spv_relay *r, unsigned number)
{
    spv_open_tx open = {.txid = hash_of(number), .from = 1, .to = 1};

    spv__relay_announce(r, &open);
}

/** As the stream does it: what is open is asked for under a number. */
static void ask(spv_relay *r, size_t n, uint64_t number)
{
    for (; r->asked < n; r->asked++)
        r->open[r->asked].number = number;
}

/** A transaction that spends an output of that one. */
static bool excuses_child_of(spv_relay *r, unsigned number)
{
    spv_outpoint prev = {.txid = hash_of(number), .vout = 1};
    world_tx child = world_spend(1, &prev, (const uint8_t *)"", 0);
    spv_tx tx;
    bool excused = false;

    assert_int_equal(
        spv_tx_decode(&tx, child.bytes.bytes, child.bytes.len, NULL), SPV_OK);
    excused = spv__relay_excuses(r, &tx);
    spv_tx_clear(&tx);
    spv__buf_clear(&child.bytes);
    return excused;
}

static void what_comes_is_taken_off_once(void **state)
{
    spv_relay r = {0};
    spv_hash txid = hash_of(8);

    (void)state;
    assert_false(spv__relay_take(&r, &txid, NULL));
    announce(&r, 7);
    announce(&r, 8);
    announce(&r, 8);
    assert_int_equal(r.n, 2);
    ask(&r, 2, 5);
    assert_true(spv__relay_take(&r, &txid, NULL));
    assert_int_equal(r.n, 1);
    assert_int_equal(r.asked, 1);
    assert_false(spv__relay_take(&r, &txid, NULL));
    assert_false(r.unknown);
    spv__relay_clear(&r);
}

static void what_does_not_come_leaves_the_filter_unknown(void **state)
{
    spv_relay r = {0};

    (void)state;
    announce(&r, 1);
    announce(&r, 2);
    announce(&r, 3);
    ask(&r, 2, 9);
    spv__relay_pass(&r, 9); /* the ping before */
    assert_int_equal(r.n, 3);
    assert_false(r.unknown);
    spv__relay_pass(&r, 10);
    assert_int_equal(r.n, 1); /* the third was not asked for */
    assert_int_equal(r.asked, 0);
    assert_true(r.unknown);
    spv__relay_renew(&r);
    assert_false(r.unknown);
    spv__relay_clear(&r);
}

static void nothing_is_excused_by_nothing(void **state)
{
    spv_relay r = {0};
    spv_hash txid = hash_of(1);

    (void)state;
    assert_false(excuses_child_of(&r, 1));
    announce(&r, 1);
    assert_true(spv__relay_take(&r, &txid, NULL)); /* it is in the mirror */
    assert_false(excuses_child_of(&r, 1));
    spv__relay_clear(&r);
}

static void a_child_of_an_open_one_is_excused_without_end(void **state)
{
    spv_relay r = {0};

    (void)state;
    announce(&r, 1);
    for (unsigned i = 0; i < 10 * SPV__RELAY_PARDONS; i++)
        assert_true(excuses_child_of(&r, 1));
    assert_false(r.unknown);
    spv__relay_clear(&r);
}

static void all_else_is_excused_a_few_times_and_costs_a_filter(void **state)
{
    spv_relay r = {0};

    (void)state;
    announce(&r, 1);
    for (int round = 0; round < 2; round++) {
        for (unsigned i = 0; i < SPV__RELAY_PARDONS; i++) {
            assert_true(excuses_child_of(&r, 2));
            assert_true(r.unknown);
        }
        assert_false(excuses_child_of(&r, 2));
        spv__relay_renew(&r);
    }
    spv__relay_clear(&r);
}

static void so_many_are_open_and_no_more(void **state)
{
    spv_relay r = {0};

    (void)state;
    for (unsigned i = 0; i < SPV__RELAY_MAX; i++)
        announce(&r, i);
    assert_false(r.unknown);
    announce(&r, SPV__RELAY_MAX);
    assert_int_equal(r.n, SPV__RELAY_MAX);
    assert_true(r.unknown);
    spv__relay_clear(&r);
}

/* What is ours may be announced last. */
static void a_mempool_with_many_chance_matches_is_heard_to_its_end(void **state)
{
    enum { MATCHES = 8000 };
    spv_relay r = {0};

    (void)state;
    for (unsigned i = 0; i < MATCHES; i++)
        announce(&r, i);
    assert_int_equal(r.n, MATCHES);
    assert_false(r.unknown);
    assert_true(excuses_child_of(&r, MATCHES - 1));
    spv__relay_clear(&r);
}

static void who_announces_what_does_not_match_is_not_listened_to(void **state)
{
    spv_relay r = {.strangers = SPV__RELAY_STRANGERS - 1};

    (void)state;
    announce(&r, 1);
    assert_int_equal(r.n, 1);
    r.strangers++;
    announce(&r, 2);
    assert_int_equal(r.n, 1);
    assert_true(r.unknown);
    spv__relay_clear(&r);
}

/* Each is looked for among all that are open. */
static void who_repeats_itself_is_not_listened_to(void **state)
{
    spv_relay r = {0};

    (void)state;
    for (unsigned i = 0; i <= SPV__RELAY_REPEATS; i++)
        announce(&r, 1);
    assert_int_equal(r.n, 1);
    assert_false(r.unknown);
    announce(&r, 2);
    assert_int_equal(r.n, 1);
    assert_true(r.unknown);
    spv__relay_clear(&r);
}

static void without_memory_nothing_is_open(void **state)
{
    spv_relay r = {0};

    (void)state;
    no_memory.armed = true;
    announce(&r, 1);
    no_memory.armed = false;
    assert_int_equal(r.n, 0);
    assert_true(r.unknown);
    spv__relay_clear(&r);
}

/* ---- A stream whose peer announces ---- */

enum { NOW = 5000, WHO = 1, STRANGER = 2 };

/* The coin, its spend whole to a stranger, and the block that has the spend.
 * The peer's filter got the coin's outpoint when it announced the coin. */
typedef struct scene {
    spv_stream s;
    spv_filter filter; /* as it was loaded */
    world_tx coin;
    world_block genesis;
    world_block block;
    spv_buf said;
} scene;

static const uint8_t *knows_none(void *self, const spv_hash *txid, size_t *len)
{
    (void)self;
    (void)txid;
    (void)len;
    return NULL;
}

static bool next(scene *c, spv_stream_event *e)
{
    spv_tx_source known = {.find = knows_none};
    spv_err err = SPV_OK;
    bool any = spv__stream_next(&c->s, e, &known, NOW, &err);

    assert_int_equal(err, SPV_OK);
    return any;
}

static void hear(scene *c)
{
    assert_int_equal(spv__peer_received(&c->s.peer, c->said.bytes, c->said.len),
                     SPV_OK);
    spv__buf_reset(&c->said);
}

static void assert_next(scene *c, spv_stream_event_kind kind)
{
    spv_stream_event e;

    hear(c);
    assert_true(next(c, &e));
    assert_int_equal(e.kind, kind);
    if (kind == SPV_STREAM_BLOCK)
        spv__answer_clear(&c->s.answer);
}

static void assert_silent(scene *c)
{
    spv_stream_event e;

    hear(c);
    assert_false(next(c, &e));
    assert_null(c->s.peer.fault);
}

static void pong(scene *c)
{
    say_nonce(&c->said, SPV_MSG_PONG, c->s.nonce + c->s.sequence);
}

static void say_coin(scene *c)
{
    say_tx(&c->said, &c->coin);
}

static void say_announcement(scene *c)
{
    say_inv(&c->said, &(spv_inv){.type = SPV_INV_TX, .hash = c->coin.txid}, 1);
}

static void load(scene *c)
{
    assert_int_equal(spv__stream_load(&c->s, &c->filter, 1, NOW), SPV_OK);
}

static void insert_who(spv_filter *f)
{
    uint8_t program[20];

    memset(program, WHO, sizeof(program));
    spv_filter_insert(f, program, sizeof(program));
}

static scene scene_begin(void)
{
    scene c = {.coin = world_pay_who(1, WHO),
               .genesis = world_genesis(),
               .said = SPV_BUF_EMPTY};
    uint8_t script[22] = {0x00, 20, STRANGER};

    c.block.n_tx = 2;
    c.block.tx[0] = world_pay_who(2, STRANGER);
    c.block.tx[1] = world_spend(3, &(spv_outpoint){.txid = c.coin.txid}, script,
                                sizeof(script));
    world_mine(&c.block, &c.genesis);
    assert_int_equal(
        spv_filter_init(&c.filter, 512, 7, 3, SPV_FILTER_UPDATE_ALL), SPV_OK);
    insert_who(&c.filter);
    spv__stream_init(&c.s, 3, 1000);
    spv__peer_init(&c.s.peer, world_network(), 3, &(spv_netaddr){0}, 77, NOW);
    spv__peer_opened(&c.s.peer, 0, NOW);
    say_hello(&c.said);
    assert_next(&c, SPV_STREAM_READY);
    return c;
}

static scene loaded_scene(void)
{
    scene c = scene_begin();

    load(&c);
    pong(&c);
    assert_silent(&c);
    return c;
}

static void ask_block(scene *c)
{
    spv_request request = {.hash = c->block.hash, .height = 1};

    assert_int_equal(spv__stream_ask(&c->s, &request, 1, NOW), SPV_OK);
}

/** The spend matched at the peer, by the outpoint that it added. */
static void say_block(scene *c)
{
    static const bool second[WORLD_TXS_MAX] = {false, true};

    say_merkleblock(&c->said, &c->block, second);
    say_tx(&c->said, &c->block.tx[1]);
}

static void scene_end(scene *c)
{
    spv__stream_clear(&c->s);
    spv_filter_clear(&c->filter);
    spv__buf_clear(&c->coin.bytes);
    spv__buf_clear(&c->said);
    world_block_clear(&c->block);
}

static void nothing_announced_before_the_first_filter_counts(void **state)
{
    scene c = scene_begin();

    (void)state;
    say_announcement(&c);
    assert_silent(&c);
    assert_int_equal(c.s.relay.n, 0);
    scene_end(&c);
}

/* Guards a mended bug: the peer's filter had grown by what it announced, ours
 * had not, and an honest peer was dropped for matching by its own. */
static void a_spend_of_what_was_announced_is_no_lie(void **state)
{
    static const struct {
        bool announced;
        bool came;
        bool before; /* the block was */
        spv_stream_event_kind want;
    } cases[] = {
        {false, false, false, SPV_STREAM_FAULT},
        {true, true, false, SPV_STREAM_BLOCK},
        {true, false, true, SPV_STREAM_BLOCK},
        {true, true, true, SPV_STREAM_BLOCK},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        scene c = loaded_scene();

        if (cases[i].before)
            ask_block(&c);
        if (cases[i].announced)
            say_announcement(&c);
        assert_silent(&c);
        spv__stream_ask_txs(&c.s, NOW);
        if (!cases[i].before && cases[i].came) {
            say_coin(&c);
            assert_next(&c, SPV_STREAM_TX);
        }
        if (!cases[i].before)
            ask_block(&c);
        say_block(&c);
        assert_next(&c, cases[i].want);
        if (cases[i].before && cases[i].came) {
            say_coin(&c);
            assert_next(&c, SPV_STREAM_TX);
        }
        assert_false(c.s.load_wanted);
        scene_end(&c);
    }
}

static void what_is_announced_is_asked_for_once_and_mirrored(void **state)
{
    scene c = loaded_scene();
    spv_outpoint point = {.txid = c.coin.txid};
    spv_stream_event e;
    spv_message m;

    (void)state;
    say_announcement(&c);
    say_announcement(&c);
    assert_silent(&c);
    spv__buf_reset(&c.s.peer.out);
    spv__stream_ask_txs(&c.s, NOW);
    assert_int_equal(heard(&c.s.peer.out, SPV_MSG_GETDATA, &m), 1);
    assert_int_equal(m.as.inv.n, 1);
    assert_int_equal(spv__inv_get(&m.as.inv, 0).type, SPV_INV_TX);
    assert_int_equal(spv__stream_deadline(&c.s), NOW + SPV__STREAM_STALL_MS);
    say_coin(&c);
    pong(&c);
    say_coin(&c); /* nobody's by now */
    hear(&c);
    assert_true(next(&c, &e));
    assert_int_equal(e.kind, SPV_STREAM_TX);
    assert_false(e.is_stranger);
    assert_silent(&c);
    assert_true(spv_filter_contains_outpoint(&c.s.mirror, &point));
    assert_true(spv__stream_deadline(&c.s) == SPV_NEVER);
    scene_end(&c);
}

static void what_does_not_match_is_a_stranger_and_not_mirrored(void **state)
{
    scene c = loaded_scene();
    world_tx other = world_pay_who(4, STRANGER);
    spv_outpoint point = {.txid = other.txid};
    spv_stream_event e;

    (void)state;
    say_inv(&c.said, &(spv_inv){.type = SPV_INV_TX, .hash = other.txid}, 1);
    assert_silent(&c);
    spv__stream_ask_txs(&c.s, NOW);
    say_tx(&c.said, &other);
    hear(&c);
    assert_true(next(&c, &e));
    assert_true(e.is_stranger);
    assert_true(spv_hash_equal(&e.request.hash, &other.txid));
    assert_false(spv_filter_contains_outpoint(&c.s.mirror, &point));
    assert_int_equal(c.s.relay.strangers, 1);
    spv__buf_clear(&other.bytes);
    scene_end(&c);
}

static void what_never_comes_costs_a_filter(void **state)
{
    scene c = loaded_scene();

    (void)state;
    say_announcement(&c);
    assert_silent(&c);
    spv__stream_ask_txs(&c.s, NOW);
    say_inv(&c.said, &(spv_inv){.type = SPV_INV_TX, .hash = c.block.hash}, 1);
    pong(&c); /* and no transaction before it */
    assert_silent(&c);
    assert_true(c.s.load_wanted);
    assert_false(spv__stream_may_ask(&c.s));
    load(&c);
    pong(&c);
    assert_silent(&c);
    assert_true(spv__stream_may_ask(&c.s));
    scene_end(&c);
}

static void fetch_coin(scene *c)
{
    spv_stream_event e;

    spv__stream_ask_txs(&c->s, NOW);
    say_coin(c);
    hear(c);
    assert_true(next(c, &e));
    assert_int_equal(e.kind, SPV_STREAM_TX);
    assert_false(e.is_stranger);
}

/* Guards a mended bug: what came after a filterload, and was announced before,
 * went into the mirror of a filter that did not have it, and an honest peer was
 * convicted by an audit of having left out what spends it. A filter that is on
 * its way when something is announced may have it, and may not: it is to be
 * loaded once more. */
static void a_filterload_takes_out_what_was_announced_before(void **state)
{
    enum { BEFORE, DURING, AFTER }; /* the fence */
    static const struct {
        int announced;
        int came;
        bool mirrored; /* at last */
        bool load_wanted;
    } cases[] = {
        {BEFORE, BEFORE, false, false}, {BEFORE, DURING, false, false},
        {BEFORE, AFTER, false, false},  {DURING, DURING, true, true},
        {DURING, AFTER, true, true},    {AFTER, AFTER, true, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        scene c = loaded_scene();
        spv_outpoint point = {.txid = c.coin.txid};

        for (int step = BEFORE; step <= AFTER; step++) {
            if (cases[i].announced == step)
                say_announcement(&c);
            assert_silent(&c);
            if (cases[i].came == step)
                fetch_coin(&c);
            if (step == BEFORE)
                load(&c);
            if (step == DURING)
                pong(&c);
            assert_silent(&c);
        }
        assert_int_equal(spv_filter_contains_outpoint(&c.s.mirror, &point),
                         cases[i].mirrored);
        assert_int_equal(c.s.load_wanted, cases[i].load_wanted);
        scene_end(&c);
    }
}

/* A peer that was told of no filter announces nothing before it has the first.
 */
static void nothing_crosses_the_first_filter(void **state)
{
    scene c = scene_begin();
    spv_outpoint point = {.txid = c.coin.txid};

    (void)state;
    load(&c);
    say_announcement(&c);
    assert_silent(&c);
    fetch_coin(&c);
    pong(&c);
    assert_silent(&c);
    assert_true(spv_filter_contains_outpoint(&c.s.mirror, &point));
    assert_true(spv__stream_may_ask(&c.s));
    scene_end(&c);
}

static void what_a_block_shows_is_not_waited_for(void **state)
{
    static const bool first[WORLD_TXS_MAX] = {true};
    scene c = loaded_scene();
    world_block b = {.n_tx = 1};

    (void)state;
    b.tx[0] = world_pay_who(1, WHO); /* the coin itself */
    world_mine(&b, &c.genesis);
    ask_block(&c);
    c.s.flight.ring[c.s.flight.head].hash = b.hash;
    say_announcement(&c);
    assert_silent(&c);
    spv__stream_ask_txs(&c.s, NOW);
    say_merkleblock(&c.said, &b, first);
    say_coin(&c);
    assert_next(&c, SPV_STREAM_BLOCK);
    assert_int_equal(c.s.relay.n, 0);
    pong(&c);
    assert_silent(&c);
    assert_false(c.s.load_wanted);
    world_block_clear(&b);
    scene_end(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_comes_is_taken_off_once),
        cmocka_unit_test(what_does_not_come_leaves_the_filter_unknown),
        cmocka_unit_test(nothing_is_excused_by_nothing),
        cmocka_unit_test(a_child_of_an_open_one_is_excused_without_end),
        cmocka_unit_test(all_else_is_excused_a_few_times_and_costs_a_filter),
        cmocka_unit_test(so_many_are_open_and_no_more),
        cmocka_unit_test(
            a_mempool_with_many_chance_matches_is_heard_to_its_end),
        cmocka_unit_test(who_announces_what_does_not_match_is_not_listened_to),
        cmocka_unit_test(who_repeats_itself_is_not_listened_to),
        cmocka_unit_test(without_memory_nothing_is_open),
        cmocka_unit_test(nothing_announced_before_the_first_filter_counts),
        cmocka_unit_test(a_spend_of_what_was_announced_is_no_lie),
        cmocka_unit_test(what_is_announced_is_asked_for_once_and_mirrored),
        cmocka_unit_test(what_does_not_match_is_a_stranger_and_not_mirrored),
        cmocka_unit_test(what_never_comes_costs_a_filter),
        cmocka_unit_test(a_filterload_takes_out_what_was_announced_before),
        cmocka_unit_test(nothing_crosses_the_first_filter),
        cmocka_unit_test(what_a_block_shows_is_not_waited_for),
    };

    return cmocka_run_group_tests_name("p2p.relay", tests, NULL, NULL);
}
