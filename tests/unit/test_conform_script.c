#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include <spv/block.h>
#include <spv/material.h>
#include <spv/network.h>

#include "conform/script_node.h"
#include "no_memory.h"
#include "wire/frame.h"

/*
 * The scripted node itself: what it notices, and that it ends a session for
 * want of memory rather than a program. How it serves is for the battery
 * (test_conform_battery.c), how it lies for the simulator (tests/sim).
 */
enum { HEIGHT = 12 };

static spv_script_chain *chain_of_material(void)
{
    spv_material_options o = spv_material_defaults();
    spv_script_chain *c = spv__script_chain_new();
    spv_material *m = NULL;

    assert_non_null(c);
    assert_int_equal(spv_material_new(&m, &o), SPV_OK);
    for (size_t i = 0; i < HEIGHT; i++) {
        spv_material_block b = spv_material_block_at(m, i);

        assert_int_equal(spv__script_chain_add(c, b.bytes, b.len), SPV_OK);
    }
    spv_material_free(m);
    return c;
}

/* ---- A client's side of a session ---- */

static size_t begin(spv_buf *b, const char *command)
{
    return spv__frame_begin(b, command, spv_network_get(SPV_REGTEST));
}

static void say(spv_buf *b, const char *command, const void *payload,
                size_t len)
{
    size_t mark = begin(b, command);

    spv__put_bytes(b, payload, len);
    spv__frame_end(b, mark);
}

static void say_version(spv_buf *b)
{
    spv_version v = {.version = SPV__PROTOCOL_VERSION,
                     .to = {.net = 1, .len = 4},
                     .from = {.net = 1, .len = 4},
                     .user_agent = "/test/",
                     .user_agent_len = 6};
    size_t mark = begin(b, "version");

    spv__put_version(b, &v);
    spv__frame_end(b, mark);
}

static void say_getheaders(spv_buf *b)
{
    static const spv_hash zero;
    size_t mark = begin(b, "getheaders");

    spv__put_locator(b, SPV__PROTOCOL_VERSION, &zero, 1, &zero);
    spv__frame_end(b, mark);
}

static void say_getdata(spv_buf *b, const spv_script_chain *chain)
{
    spv_inv items[HEIGHT + 1];
    size_t mark = begin(b, "getdata");

    for (int32_t i = 1; i <= HEIGHT; i++)
        items[i - 1] = (spv_inv){SPV_INV_FILTERED_BLOCK,
                                 spv__script_chain_at(chain, i)->hash};
    items[HEIGHT] = (spv_inv){SPV_INV_BLOCK, items[0].hash};
    spv__put_inv(b, items, HEIGHT + 1);
    spv__frame_end(b, mark);
}

/** The coinbase of the first block, as if it were news. */
static void say_tx(spv_buf *b, const spv_script_chain *chain)
{
    const spv_script_block *block = spv__script_chain_at(chain, 1);
    spv_block_reader reader;
    spv_tx tx;

    assert_int_equal(spv_block_open(&reader, block->bytes, block->len), SPV_OK);
    assert_int_equal(spv_block_next(&reader, &tx), SPV_OK);
    say(b, "tx", tx.bytes, tx.len);
    spv_tx_clear(&tx);
}

/** All that a client says, in one piece. Owned. */
static spv_buf session(const spv_script_chain *chain)
{
    static const uint8_t ones[] = {1, 0xff, 1, 0, 0, 0, 0, 0, 0, 0, 1};
    static const uint8_t nonce[8] = {7};
    spv_buf b = SPV_BUF_EMPTY;

    say_version(&b);
    say(&b, "verack", "", 0);
    say(&b, "pong", nonce, sizeof(nonce));
    say_getheaders(&b);
    say(&b, "filterload", ones, sizeof(ones));
    say(&b, "filteradd", "\1x", 2);
    say_tx(&b, chain);
    say_getdata(&b, chain);
    say(&b, "mempool", "", 0);
    say(&b, "ping", nonce, sizeof(nonce));
    say(&b, "filterclear", "", 0);
    assert_int_equal(b.err, SPV_OK);
    return b;
}

/* ---- Being observed ---- */

typedef struct seen {
    size_t of[SPV_SCRIPT_LIED + 1];
    size_t heard[SPV_MSG_REJECT + 1];
    size_t ignored[SPV_MSG_REJECT + 1];
    uint64_t nonces[HEIGHT + 1]; /* of the pings behind lies */
    bool whole;
} seen;

static void notice(void *ctx, const spv_script_notice *n)
{
    seen *s = ctx;

    s->of[n->what]++;
    if (n->what == SPV_SCRIPT_HEARD)
        s->heard[n->message->kind]++;
    if (n->what == SPV_SCRIPT_IGNORED)
        s->ignored[n->message->kind]++;
    if (n->what == SPV_SCRIPT_LIED)
        s->nonces[s->of[n->what] - 1] = n->nonce;
    if (n->what == SPV_SCRIPT_SERVED && n->whole)
        s->whole = true;
}

static spv_script_node *play(const spv_script_chain *chain, const char *habit,
                             seen *s)
{
    spv_buf said = session(chain);
    spv_script_node *n =
        spv__script_node_new(chain, HEIGHT, spv__script_habits_find(habit), 1);

    assert_non_null(n);
    *s = (seen){.whole = false};
    spv__script_node_observe(n, notice, s);
    spv__script_node_open(n);
    spv__script_node_receive(n, said.bytes, said.len, 0);
    spv__buf_clear(&said);
    return n;
}

static void an_observer_is_told_what_was_heard_and_served(void **state)
{
    spv_script_chain *chain = chain_of_material();
    spv_script_node *n;
    seen s;

    (void)state;
    n = play(chain, "honest", &s);
    assert_int_equal(s.heard[SPV_MSG_VERSION], 1);
    assert_int_equal(s.heard[SPV_MSG_PONG], 1);
    assert_int_equal(s.heard[SPV_MSG_GETDATA], 1);
    assert_int_equal(s.heard[SPV_MSG_FILTERCLEAR], 1);
    assert_int_equal(s.of[SPV_SCRIPT_SERVED], HEIGHT + 1);
    assert_true(s.whole);
    assert_int_equal(s.of[SPV_SCRIPT_LIED] + s.of[SPV_SCRIPT_OMITTED], 0);
    spv__script_node_free(n);
    spv__script_chain_free(chain);
}

static void what_comes_before_its_time_is_told_as_ignored(void **state)
{
    spv_script_chain *chain = chain_of_material();
    spv_script_node *n = spv__script_node_new(chain, HEIGHT, NULL, 1);
    spv_buf said = SPV_BUF_EMPTY;
    seen s = {.whole = false};

    (void)state;
    spv__script_node_observe(n, notice, &s);
    spv__script_node_open(n);
    say_getdata(&said, chain);
    say(&said, "nonsense", "", 0);
    spv__script_node_receive(n, said.bytes, said.len, 0);
    assert_int_equal(s.ignored[SPV_MSG_GETDATA], 1);
    assert_int_equal(s.ignored[SPV_MSG_UNKNOWN], 1);
    assert_int_equal(s.of[SPV_SCRIPT_HEARD], 0);
    spv__buf_clear(&said);
    spv__script_node_free(n);
    spv__script_chain_free(chain);
}

/** Where in the answer the message of this command and first eight bytes is. */
static size_t find(const spv_buf *out, const char *command, uint64_t first)
{
    const spv_network *network = spv_network_get(SPV_REGTEST);
    size_t number = 1;
    spv_frame f;

    for (size_t at = 0; spv__frame_decode(&f, out->bytes + at, out->len - at,
                                          network) == SPV_FRAME_WHOLE;
         at += f.size, number++) {
        uint64_t begins = 0;

        if (f.len >= sizeof(begins))
            memcpy(&begins, f.payload, sizeof(begins));
        if (strcmp(f.command, command) == 0 && (!first || begins == first))
            return number;
    }
    return 0;
}

/** The first lie is the proof of the first block; its ping comes behind what
 * was proved, and before the next block. */
static void a_ping_follows_each_lie(void **state)
{
    spv_script_chain *chain = chain_of_material();
    const spv_buf *out;
    spv_script_node *n;
    seen s;

    (void)state;
    n = play(chain, "false_proof", &s);
    out = spv__script_node_output(n);
    assert_int_equal(s.of[SPV_SCRIPT_LIED], HEIGHT);
    assert_int_equal(s.of[SPV_SCRIPT_SERVED], 1); /* the whole block */
    assert_int_equal(find(out, "ping", s.nonces[0]),
                     find(out, "merkleblock", 0) + 2); /* its one tx between */
    assert_true(find(out, "ping", s.nonces[1]) >
                find(out, "ping", s.nonces[0]));
    spv__script_node_free(n);
    spv__script_chain_free(chain);
}

static void an_omission_is_noticed_and_not_pinged(void **state)
{
    spv_script_chain *chain = chain_of_material();
    spv_script_node *n;
    seen s;

    (void)state;
    n = play(chain, "omit_all", &s);
    assert_int_equal(s.of[SPV_SCRIPT_OMITTED], HEIGHT);
    assert_int_equal(s.of[SPV_SCRIPT_LIED], 0);
    spv__script_node_free(n);
    spv__script_chain_free(chain);
}

/* ---- No memory ---- */

/** How a session goes with so much of it. */
static spv_err session_with(const spv_script_chain *chain, const spv_buf *said,
                            const spv_script_habits *habits, size_t allocations)
{
    spv_script_node *n = spv__script_node_new(chain, HEIGHT, habits, 1);
    spv_err err;

    assert_non_null(n);
    spv__script_node_open(n);
    no_memory.before = allocations;
    no_memory.armed = true;
    spv__script_node_receive(n, said->bytes, said->len, 0);
    no_memory.armed = false;
    err = spv__script_node_err(n);
    assert_int_equal(spv__script_node_has_hung_up(n), err != SPV_OK);
    spv__script_node_free(n);
    return err;
}

static void without_memory_a_session_hangs_up(void **state)
{
    static const spv_script_habits habits[] = {
        {.chatter = true}, {.header_flood = 2}, {.addr_flood = 2}};
    spv_script_chain *chain = chain_of_material();
    spv_buf said = session(chain);

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        size_t n = 0;
        spv_err err;

        do {
            err = session_with(chain, &said, &habits[i], n++);
            assert_true(err == SPV_OK || err == SPV_NOMEM);
        } while (err != SPV_OK);
        assert_true(n > 20);
    }
    spv__buf_clear(&said);
    spv__script_chain_free(chain);
}

static void without_memory_there_is_no_chain_and_no_node(void **state)
{
    spv_script_chain *chain = chain_of_material();

    (void)state;
    for (size_t n = 0; n < 3; n++) {
        no_memory.before = n;
        no_memory.armed = true;
        assert_null(spv__script_chain_new());
        no_memory.armed = false;
    }
    no_memory.before = 0;
    no_memory.armed = true;
    assert_null(spv__script_node_new(chain, 0, NULL, 1));
    no_memory.armed = false;
    spv__script_chain_free(chain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_observer_is_told_what_was_heard_and_served),
        cmocka_unit_test(what_comes_before_its_time_is_told_as_ignored),
        cmocka_unit_test(a_ping_follows_each_lie),
        cmocka_unit_test(an_omission_is_noticed_and_not_pinged),
        cmocka_unit_test(without_memory_a_session_hangs_up),
        cmocka_unit_test(without_memory_there_is_no_chain_and_no_node),
    };

    return cmocka_run_group_tests_name("conform.script", tests, NULL, NULL);
}
