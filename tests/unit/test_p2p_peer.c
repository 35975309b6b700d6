#include "p2p_world.h"

#include "p2p/peer.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

enum { OUR_NONCE = 77 };

static spv_peer opened_peer(void)
{
    spv_netaddr addr = {.net = 1, .len = 4, .addr = {127, 0, 0, 1}, .port = 1};
    spv_peer p;

    spv__peer_init(&p, world_network(), 5, &addr, OUR_NONCE, 1000);
    spv__peer_opened(&p, 1700000000, 2000);
    return p;
}

/** Hand over what was said; it is forgotten then. */
static void receive(spv_peer *p, spv_buf *said)
{
    assert_int_equal(spv__peer_received(p, said->bytes, said->len), SPV_OK);
    spv__buf_clear(said);
}

static bool next(spv_peer *p, spv_peer_event *e)
{
    return spv__peer_next(p, e, 3000);
}

static spv_peer ready_peer(void)
{
    spv_peer p = opened_peer();
    spv_buf said = SPV_BUF_EMPTY;
    spv_peer_event e;

    say_hello(&said);
    receive(&p, &said);
    assert_true(next(&p, &e));
    assert_int_equal(e.kind, SPV_PEER_EVENT_READY);
    spv__buf_reset(&p.out);
    return p;
}

/* ---- The handshake ---- */

static void our_version_goes_out_first_and_asks_for_no_relay(void **state)
{
    spv_peer p = opened_peer();
    spv_message m;

    (void)state;
    assert_int_equal(heard(&p.out, SPV_MSG_VERSION, &m), 1);
    assert_int_equal(m.as.version.version, SPV__PROTOCOL_VERSION);
    assert_int_equal(m.as.version.time, 1700000000);
    assert_int_equal(m.as.version.nonce, OUR_NONCE);
    assert_true(m.as.version.relay_present);
    assert_false(m.as.version.relay);
    assert_int_equal(m.as.version.services, 0);
    spv__peer_clear(&p);
}

/** BIP 155: between the two versions and our verack; and only if others'
 * addresses are wanted, of a peer that may know the message. */
static void sendaddrv2_goes_out_before_verack_if_it_is_wanted(void **state)
{
    static const struct {
        bool wanted;
        int32_t version;
        bool sent;
    } cases[] = {{true, SPV__PROTOCOL_WTXIDRELAY, true},
                 {true, SPV__PROTOCOL_WTXIDRELAY - 1, false},
                 {false, SPV__PROTOCOL_WTXIDRELAY, false}};

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        spv_peer p = opened_peer();
        spv_buf said = SPV_BUF_EMPTY;
        spv_peer_event e;
        size_t sent = 0;

        p.wants_addrs = cases[i].wanted;
        say_version(&said, cases[i].version, SPV__NODE_BLOOM, 1);
        receive(&p, &said);
        assert_false(next(&p, &e));
        sent = heard(&p.out, SPV_MSG_SENDADDRV2, NULL);
        assert_int_equal(sent, cases[i].sent);
        assert_int_equal(heard(&p.out, SPV_MSG_VERACK, NULL), 1);
        spv__peer_clear(&p);
    }
}

/* What a peer may say before it is ready: one letter a message. */
static void say_letter(spv_buf *out, char letter)
{
    switch (letter) {
    case 'V':
        say_version(out, SPV__PROTOCOL_VERSION, SPV__NODE_BLOOM, 1);
        return;
    case 'A':
        say(out, SPV_MSG_VERACK);
        return;
    case 'W':
        say(out, SPV_MSG_WTXIDRELAY);
        return;
    case 'P':
        say_nonce(out, SPV_MSG_PING, 9);
        return;
    case 'M':
        say(out, SPV_MSG_MERKLEBLOCK); /* nonsense, and far too early */
        return;
    default:
        spv__frame_end(out,
                       spv__frame_begin(out, "newmessage", world_network()));
        return;
    }
}

static void S48_the_handshake_bears_whatever_nodes_put_in_between(void **state)
{
    static const struct {
        const char *said;
        spv_peer_state state;
    } cases[] = {
        {"", SPV_PEER_GREETING},   {"V", SPV_PEER_AGREEING},
        {"VA", SPV_PEER_READY},    {"A", SPV_PEER_GREETING},
        {"AV", SPV_PEER_AGREEING}, {"AVA", SPV_PEER_READY},
        {"VWxA", SPV_PEER_READY},  {"xVxWPA", SPV_PEER_READY},
        {"VV", SPV_PEER_AGREEING}, {"VVA", SPV_PEER_READY},
        {"PMVMA", SPV_PEER_READY},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        spv_peer p = opened_peer();
        spv_buf said = SPV_BUF_EMPTY;
        spv_peer_event e;

        for (const char *c = cases[i].said; *c; c++)
            say_letter(&said, *c);
        receive(&p, &said);
        assert_int_equal(next(&p, &e), cases[i].state == SPV_PEER_READY);
        assert_int_equal(p.state, cases[i].state);
        assert_null(p.fault);
        assert_int_equal(heard(&p.out, SPV_MSG_VERACK, NULL),
                         cases[i].state >= SPV_PEER_AGREEING);
        spv__peer_clear(&p);
    }
}

static void a_ready_peer_is_not_greeted_again(void **state)
{
    spv_peer p = ready_peer();
    spv_buf said = SPV_BUF_EMPTY;
    spv_peer_event e;

    (void)state;
    say_hello(&said);
    receive(&p, &said);
    assert_false(next(&p, &e));
    assert_int_equal(p.state, SPV_PEER_READY);
    assert_int_equal(p.out.len, 0);
    spv__peer_clear(&p);
}

static void some_peers_are_not_worth_greeting(void **state)
{
    static const struct {
        int32_t version;
        uint64_t nonce;
        bool fault;
    } cases[] = {
        {SPV__PROTOCOL_VERSION, 1, false},
        {SPV__PROTOCOL_VERSION + 1000, 1, false},
        {SPV__PROTOCOL_MIN, 1, false},
        {SPV__PROTOCOL_MIN - 1, 1, true},
        {-1, 1, true},
        {SPV__PROTOCOL_VERSION, OUR_NONCE, true}, /* ourselves */
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        spv_peer p = opened_peer();
        spv_buf said = SPV_BUF_EMPTY;
        spv_peer_event e;

        say_version(&said, cases[i].version, 0, cases[i].nonce);
        receive(&p, &said);
        assert_int_equal(next(&p, &e), cases[i].fault);
        assert_int_equal(p.state == SPV_PEER_CLOSED, cases[i].fault);
        assert_int_equal(p.fault != NULL, cases[i].fault);
        assert_true(p.version <= SPV__PROTOCOL_VERSION);
        spv__peer_clear(&p);
    }
}

static void a_user_agent_is_shown_without_its_control_characters(void **state)
{
    spv_peer p = ready_peer();

    (void)state;
    assert_string_equal(p.user_agent, "/world?:1/");
    assert_int_equal(p.claimed_height, 7);
    spv__peer_clear(&p);
}

static void filters_are_served_by_those_who_say_so_and_by_the_old(void **state)
{
    static const struct {
        int32_t version;
        uint64_t services;
        bool serves;
    } cases[] = {
        {70016, SPV__NODE_NETWORK | SPV__NODE_BLOOM, true},
        {70016, SPV__NODE_NETWORK, false},
        {70011, 0, false},
        {70010, 0, true}, /* before BIP 111 */
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        spv_peer p = {.version = cases[i].version,
                      .services = cases[i].services};

        assert_int_equal(spv__peer_serves_filters(&p), cases[i].serves);
    }
}

static void no_state_before_ready_lasts(void **state)
{
    spv_netaddr addr = {0};
    spv_peer p;

    (void)state;
    spv__peer_init(&p, world_network(), 5, &addr, OUR_NONCE, 1000);
    assert_int_equal(spv__peer_deadline(&p), 1000 + SPV__PEER_CONNECT_MS);
    spv__peer_opened(&p, 0, 2000);
    assert_int_equal(spv__peer_deadline(&p), 2000 + SPV__PEER_HANDSHAKE_MS);
    spv__peer_clear(&p);
    assert_true(spv__peer_deadline(&p) == SPV_NEVER);
    p = ready_peer();
    assert_true(spv__peer_deadline(&p) == SPV_NEVER);
    spv__peer_clear(&p);
}

/* ---- Messages ---- */

static void pings_are_answered_with_their_own_nonce(void **state)
{
    spv_peer p = ready_peer();
    spv_buf said = SPV_BUF_EMPTY;
    spv_peer_event e;
    spv_message m;

    (void)state;
    say_nonce(&said, SPV_MSG_PING, UINT64_C(0xfeedfacecafebeef));
    receive(&p, &said);
    assert_false(next(&p, &e));
    assert_int_equal(heard(&p.out, SPV_MSG_PONG, &m), 1);
    assert_true(m.as.nonce == UINT64_C(0xfeedfacecafebeef));
    spv__peer_clear(&p);
}

static void S49_messages_come_up_whole_whatever_pieces_they_came_in(
    void **state)
{
    world_tx tx = world_pay_who(1, 1);
    spv_buf said = SPV_BUF_EMPTY;
    spv_peer_event e;

    (void)state;
    for (int i = 0; i < 3; i++)
        say_tx(&said, &tx);
    for (size_t piece = 1; piece <= said.len; piece = piece * 3 + 1) {
        spv_peer p = ready_peer();
        size_t n = 0;

        for (size_t at = 0; at < said.len; at += piece) {
            size_t len = said.len - at < piece ? said.len - at : piece;

            assert_int_equal(spv__peer_received(&p, said.bytes + at, len),
                             SPV_OK);
            for (; next(&p, &e); n++) {
                assert_int_equal(e.message, SPV_MSG_TX);
                assert_int_equal(e.len, tx.bytes.len);
                assert_memory_equal(e.payload, tx.bytes.bytes, e.len);
            }
        }
        assert_int_equal(n, 3);
        spv__peer_clear(&p);
    }
    spv__buf_clear(&tx.bytes);
    spv__buf_clear(&said);
}

static void S49_bytes_that_are_no_message_are_a_fault_or_nothing(void **state)
{
    static const struct {
        size_t at; /* of the frame's byte that is changed */
        uint8_t to;
        bool fault;
    } cases[] = {
        {0, 0x00, true},   /* magic */
        {19, 0xff, true},  /* a length of four thousand million */
        {20, 0x00, false}, /* checksum: passed over, as all that follow */
        {5, 0x01, false},  /* a command that is no text */
        {8, 'x', false},   /* a command of nobody's */
        {31, 0x09, false}, /* a payload that has another checksum */
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        spv_peer p = ready_peer();
        spv_buf said = SPV_BUF_EMPTY;
        spv_peer_event e;

        say_nonce(&said, SPV_MSG_PONG, 0);
        said.bytes[cases[i].at] = cases[i].to;
        say_nonce(&said, SPV_MSG_PING, 1);
        receive(&p, &said);
        assert_int_equal(next(&p, &e), cases[i].fault);
        assert_int_equal(p.state == SPV_PEER_CLOSED, cases[i].fault);
        assert_int_equal(heard(&p.out, SPV_MSG_PONG, NULL), !cases[i].fault);
        spv__peer_clear(&p);
    }
}

static void nothing_is_heard_of_a_closed_peer(void **state)
{
    spv_peer p = ready_peer();
    spv_buf said = SPV_BUF_EMPTY;
    spv_peer_event e;

    (void)state;
    say_nonce(&said, SPV_MSG_PONG, 1);
    receive(&p, &said);
    spv__peer_fault(&p, "lied");
    spv__peer_fault(&p, "lied again");
    assert_false(next(&p, &e));
    assert_string_equal(p.fault, "lied"); /* the first reason stays */
    spv__peer_clear(&p);
}

static void S49_what_was_looked_at_does_not_pile_up(void **state)
{
    spv_peer p = ready_peer();
    spv_buf said = SPV_BUF_EMPTY;
    spv_peer_event e;

    (void)state;
    for (int i = 0; i < 1000; i++)
        say_nonce(&said, SPV_MSG_PONG, (uint64_t)i);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(spv__peer_received(&p, said.bytes, said.len), SPV_OK);
        while (next(&p, &e))
            assert_int_equal(e.message, SPV_MSG_PONG);
    }
    assert_true(p.in.cap <= 4 * said.len);
    spv__buf_clear(&said);
    spv__peer_clear(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(our_version_goes_out_first_and_asks_for_no_relay),
        cmocka_unit_test(sendaddrv2_goes_out_before_verack_if_it_is_wanted),
        cmocka_unit_test(S48_the_handshake_bears_whatever_nodes_put_in_between),
        cmocka_unit_test(a_ready_peer_is_not_greeted_again),
        cmocka_unit_test(some_peers_are_not_worth_greeting),
        cmocka_unit_test(a_user_agent_is_shown_without_its_control_characters),
        cmocka_unit_test(filters_are_served_by_those_who_say_so_and_by_the_old),
        cmocka_unit_test(no_state_before_ready_lasts),
        cmocka_unit_test(pings_are_answered_with_their_own_nonce),
        cmocka_unit_test(
            S49_messages_come_up_whole_whatever_pieces_they_came_in),
        cmocka_unit_test(S49_bytes_that_are_no_message_are_a_fault_or_nothing),
        cmocka_unit_test(nothing_is_heard_of_a_closed_peer),
        cmocka_unit_test(S49_what_was_looked_at_does_not_pile_up),
    };

    return cmocka_run_group_tests_name("p2p.peer", tests, NULL, NULL);
}
