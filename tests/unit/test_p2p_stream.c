#include "p2p_scene.h"

/* ---- What we ask ---- */

static void nothing_is_asked_before_the_fence_has_passed(void **state)
{
    scene c = ready_scene();
    spv_message m;

    (void)state;
    assert_false(spv__stream_may_ask(&c.s)); /* no filter yet */
    load(&c, 10);
    assert_false(spv__stream_may_ask(&c.s)); /* sent; in force? */
    assert_int_equal(heard(&c.s.peer.out, SPV_MSG_FILTERLOAD, &m), 1);
    assert_int_equal(m.as.filterload.len, 512);
    pong_last(&c);
    receive(&c);
    assert_silent(&c);
    assert_true(spv__stream_may_ask(&c.s));
    c.s.load_wanted = true;
    assert_false(spv__stream_may_ask(&c.s));
    end(&c);
}

static void only_its_own_pong_opens_the_fence(void **state)
{
    static const struct {
        int64_t off; /* from the ping's nonce */
        bool opens;
    } cases[] = {
        {0, true},          {-1, false}, /* before any ping of ours */
        {1, false},                      /* a ping we have not sent */
        {INT32_MAX, false}, {INT64_MAX, false},
        {INT64_MIN, false}, {-PINGS_FROM - 1, false},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        scene c = ready_scene();

        load(&c, 10);
        say_nonce(&c.said, SPV_MSG_PONG,
                  last_ping(&c) + (uint64_t)cases[i].off);
        receive(&c);
        assert_silent(&c);
        assert_int_equal(spv__stream_may_ask(&c.s), cases[i].opens);
        end(&c);
    }
}

static void requests_go_out_in_order_with_a_ping_behind(void **state)
{
    scene c = asked_scene(3);
    spv_message m;

    (void)state;
    assert_int_equal(heard(&c.s.peer.out, SPV_MSG_GETDATA, &m), 1);
    assert_int_equal(m.as.inv.n, 3);
    for (size_t i = 0; i < 3; i++) {
        spv_inv item = spv__inv_get(&m.as.inv, i);

        assert_int_equal(item.type, SPV_INV_FILTERED_BLOCK);
        assert_true(spv_hash_equal(&item.hash, &c.block[i + 1].hash));
    }
    assert_int_equal(last_ping(&c) - PINGS_FROM, c.s.sequence);
    end(&c);
}

/* What may be believed of an answer rests on these numbers being exact. */
static void an_answer_carries_what_its_request_was_sent_under(void **state)
{
    scene c = asked_scene(2);
    uint64_t first = c.s.sequence - 2; /* then the second and the ping */

    (void)state;
    load(&c, 12); /* is behind both of them */
    assert_false(spv__stream_may_ask(&c.s));
    for (int32_t h = 1; h <= 2; h++) {
        spv_stream_event e;

        say_filtered(&c.said, &c.block[h], &c.theirs);
        receive(&c);
        assert_true(next(&c, &e));
        assert_int_equal(c.s.answer.grant.stream, 3);
        assert_int_equal(c.s.answer.grant.generation, 1);
        assert_int_equal(c.s.answer.grant.sequence, first + (uint64_t)h - 1);
        assert_int_equal(c.s.answer.grant.coverage, 10);
        spv__answer_clear(&c.s.answer);
    }
    assert_memory_equal(c.s.mirror.bytes, c.theirs.bytes, c.theirs.len);
    pong_last(&c);
    receive(&c);
    assert_silent(&c);
    assert_true(spv__stream_may_ask(&c.s));
    assert_memory_equal(c.s.mirror.bytes, c.filter.bytes, c.filter.len);
    assert_int_equal(spv__stream_grant(&c.s).generation, 2);
    assert_int_equal(spv__stream_grant(&c.s).coverage, 12);
    end(&c);
}

static void a_peer_may_be_asked_for_more_than_its_ring_held_at_first(
    void **state)
{
    scene c = fenced_scene();

    (void)state;
    for (int round = 0; round < 100; round++)
        ask(&c, 1, BLOCKS);
    assert_int_equal(c.s.flight.n, 100 * BLOCKS);
    for (int round = 0; round < 100; round++)
        for (int32_t h = 1; h <= BLOCKS; h++) {
            say_filtered(&c.said, &c.block[h], &c.theirs);
            receive(&c);
            assert_next(&c, SPV_STREAM_BLOCK, h);
        }
    assert_int_equal(c.s.flight.n, 0);
    end(&c);
}

/* ---- What it answers ---- */

static void blocks_come_whole_and_in_order(void **state)
{
    scene c = asked_scene(BLOCKS);

    (void)state;
    for (int32_t h = 1; h <= BLOCKS; h++)
        say_filtered(&c.said, &c.block[h], &c.theirs);
    pong_last(&c);
    receive(&c);
    for (int32_t h = 1; h <= BLOCKS; h++)
        assert_next(&c, SPV_STREAM_BLOCK, h);
    assert_silent(&c);
    assert_memory_equal(c.s.mirror.bytes, c.theirs.bytes, c.theirs.len);
    end(&c);
}

static void transactions_may_come_in_any_order_among_strangers(void **state)
{
    static const bool matched[3] = {true};
    world_tx stray = world_pay_who(99, 1);
    scene c = asked_scene(1);

    (void)state;
    say_tx(&c.said, &stray); /* before any block: nobody's */
    say_merkleblock(&c.said, &c.block[1], matched);
    say_tx(&c.said, &stray);
    say_tx(&c.said, &c.block[1].tx[2]);
    receive(&c);
    assert_silent(&c);
    say_tx(&c.said, &c.block[1].tx[0]);
    receive(&c);
    assert_next(&c, SPV_STREAM_BLOCK, 1);
    spv__buf_clear(&stray.bytes);
    end(&c);
}

static void a_pong_before_the_block_means_that_it_will_not_come(void **state)
{
    scene c = asked_scene(3);

    (void)state;
    say_filtered(&c.said, &c.block[1], &c.theirs);
    pong_last(&c);
    receive(&c);
    assert_next(&c, SPV_STREAM_BLOCK, 1);
    assert_next(&c, SPV_STREAM_REFUSED, 2);
    assert_next(&c, SPV_STREAM_REFUSED, 3);
    assert_silent(&c);
    assert_int_equal(c.s.flight.n, 0);
    end(&c);
}

static void a_later_block_means_that_the_earlier_will_not_come(void **state)
{
    scene c = asked_scene(4);

    (void)state;
    say_filtered(&c.said, &c.block[3], &c.theirs);
    receive(&c);
    assert_next(&c, SPV_STREAM_REFUSED, 1);
    assert_next(&c, SPV_STREAM_REFUSED, 2);
    assert_next(&c, SPV_STREAM_BLOCK, 3);
    assert_silent(&c);
    assert_int_equal(c.s.flight.n, 1);
    end(&c);
}

static void a_pong_refuses_only_what_was_asked_before_its_ping(void **state)
{
    scene c = fenced_scene();
    uint64_t first_ping = 0;

    (void)state;
    ask(&c, 1, 2);
    first_ping = last_ping(&c);
    ask(&c, 3, 4);
    say_nonce(&c.said, SPV_MSG_PONG, first_ping);
    receive(&c);
    assert_next(&c, SPV_STREAM_REFUSED, 1);
    assert_next(&c, SPV_STREAM_REFUSED, 2);
    assert_silent(&c);
    assert_int_equal(c.s.flight.n, 2);
    end(&c);
}

/* The block that was begun gets what is known already; the message that ended
 * it is then heard in its own right. */
static void a_block_left_incomplete_is_ended_by_whatever_comes_next(
    void **state)
{
    static const bool matched[3] = {true};
    static const struct {
        bool by_block; /* or by a pong */
        bool known;
    } cases[] = {{false, true}, {true, true}, {false, false}, {true, false}};

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        scene c = fenced_scene();
        spv_stream_event e;

        ask(&c, BLOCKS, BLOCKS);
        ask(&c, 1, 1);
        say_merkleblock(&c.said, &c.block[BLOCKS], matched);
        if (cases[i].by_block)
            say_filtered(&c.said, &c.block[1], &c.theirs);
        else
            pong_last(&c);
        receive(&c);
        assert_true(next_known(&c, &e, cases[i].known));
        assert_int_equal(e.kind,
                         cases[i].known ? SPV_STREAM_BLOCK : SPV_STREAM_FAULT);
        if (cases[i].known) {
            assert_int_equal(c.s.answer.height, BLOCKS);
            spv__answer_clear(&c.s.answer);
            assert_next(
                &c, cases[i].by_block ? SPV_STREAM_BLOCK : SPV_STREAM_REFUSED,
                1);
            assert_silent(&c);
        }
        end(&c);
    }
}

static void headers_and_news_go_up_as_they_are(void **state)
{
    scene c = ready_scene();
    spv_stream_event e;
    spv_inv items[] = {{.type = SPV_INV_TX}, {.type = SPV_INV_BLOCK}};

    (void)state;
    items[1].hash = c.block[2].hash;
    say_headers(&c.said, &c.block[1], 2);
    say_inv(&c.said, items, 1);
    say_inv(&c.said, items, 2);
    receive(&c);
    assert_true(next(&c, &e));
    assert_int_equal(e.kind, SPV_STREAM_HEADERS);
    assert_int_equal(e.len, 1 + 2 * 81);
    assert_true(next(&c, &e));
    assert_int_equal(e.kind, SPV_STREAM_ANNOUNCED);
    assert_true(spv_hash_equal(&e.request.hash, &c.block[2].hash));
    assert_silent(&c);
    end(&c);
}

/* Guards a mended bug: the first was taken, which may be known already. */
static void of_several_blocks_announced_the_last_is_the_news(void **state)
{
    scene c = ready_scene();
    spv_inv *items = calloc(SPV__INV_MAX, sizeof(*items));
    spv_stream_event e;

    (void)state;
    assert_non_null(items);
    for (size_t i = 0; i < SPV__INV_MAX; i++)
        items[i] = (spv_inv){.type = SPV_INV_BLOCK,
                             .hash = c.block[i % 2 ? 2 : 1].hash};
    say_inv(&c.said, items, SPV__INV_MAX);
    receive(&c);
    assert_true(next(&c, &e));
    assert_int_equal(e.kind, SPV_STREAM_ANNOUNCED);
    assert_true(spv_hash_equal(&e.request.hash, &c.block[2].hash));
    assert_silent(&c);
    free(items);
    end(&c);
}

/* ---- What it must not do ---- */

static void say_wrong_transaction(scene *c)
{
    static const bool second[3] = {false, true}; /* not in the filter */

    say_merkleblock(&c->said, &c->block[1], second);
    say_tx(&c->said, &c->block[1].tx[1]);
}

static void say_unasked_block(scene *c)
{
    say_filtered(&c->said, &c->block[BLOCKS], &c->theirs);
}

static void say_same_block_twice(scene *c)
{
    spv_stream_event e;

    say_filtered(&c->said, &c->block[1], &c->theirs);
    receive(c);
    assert_true(next(c, &e));
    spv__answer_clear(&c->s.answer);
    say_filtered(&c->said, &c->block[1], &c->theirs);
}

static void say_false_proof(scene *c)
{
    static const bool matched[3] = {true};
    spv_buf payload = proof_of(&c->block[1], matched);

    payload.bytes[SPV_HEADER_LEN + 5] ^= 1; /* of the first hash */
    say_payload(&c->said, SPV_MSG_MERKLEBLOCK, &payload);
}

static void say_short_merkleblock(scene *c)
{
    say(&c->said, SPV_MSG_MERKLEBLOCK);
}

/* A header that was asked for, and four million bytes of nothing. */
static void say_huge_merkleblock(scene *c)
{
    spv_buf payload = SPV_BUF_EMPTY;
    uint8_t *rest = calloc(1, SPV__PAYLOAD_MAX - SPV_HEADER_LEN);

    assert_non_null(rest);
    spv__put_bytes(&payload, c->block[1].header, SPV_HEADER_LEN);
    spv__put_bytes(&payload, rest, SPV__PAYLOAD_MAX - SPV_HEADER_LEN);
    free(rest);
    say_payload(&c->said, SPV_MSG_MERKLEBLOCK, &payload);
}

static void say_whole_block(scene *c)
{
    say(&c->said, SPV_MSG_BLOCK);
}

static void say_broken_transaction(scene *c)
{
    static const bool matched[3] = {true};

    say_merkleblock(&c->said, &c->block[1], matched);
    say(&c->said, SPV_MSG_TX);
}

static void say_broken_inv(scene *c)
{
    say(&c->said, SPV_MSG_INV);
}

static void say_too_long_inv(scene *c)
{
    spv_buf payload = SPV_BUF_EMPTY;

    spv__put_compact(&payload, SPV__INV_MAX + 1);
    say_payload(&c->said, SPV_MSG_INV, &payload);
}

static void a_peer_that_breaks_the_protocol_is_found_out_at_once(void **state)
{
    static void (*const cases[])(scene *) = {
        say_wrong_transaction, say_unasked_block,      say_same_block_twice,
        say_false_proof,       say_short_merkleblock,  say_huge_merkleblock,
        say_whole_block,       say_broken_transaction, say_broken_inv,
        say_too_long_inv,
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        scene c = asked_scene(2);

        cases[i](&c);
        receive(&c);
        assert_fault(&c);
        end(&c);
    }
}

static void a_hundred_thousand_unasked_messages_change_nothing(void **state)
{
    world_tx stray = world_pay_who(99, 1);
    scene c = asked_scene(1);
    uint64_t sequence = c.s.sequence;

    (void)state;
    for (int round = 0; round < 100; round++) {
        for (uint64_t i = 0; i < 250; i++) {
            say_tx(&c.said, &stray);
            say_nonce(&c.said, SPV_MSG_PONG, i);
            say(&c.said, SPV_MSG_SENDHEADERS);
            say_nonce(&c.said, SPV_MSG_FEEFILTER, i);
        }
        receive(&c);
        assert_silent(&c);
    }
    assert_int_equal(c.s.sequence, sequence);
    assert_int_equal(c.s.flight.n, 1);
    assert_true(c.s.peer.in.cap < 1000000);
    spv__buf_clear(&stray.bytes);
    end(&c);
}

/* ---- Time ---- */

static void whatever_is_owed_has_a_deadline(void **state)
{
    static const bool matched[3] = {true};
    scene c = ready_scene();

    (void)state;
    assert_true(spv__stream_deadline(&c.s) == SPV_NEVER);
    load(&c, 10);
    assert_int_equal(spv__stream_deadline(&c.s), NOW + SPV__STREAM_STALL_MS);
    pong_last(&c);
    receive(&c);
    assert_silent(&c);
    assert_true(spv__stream_deadline(&c.s) == SPV_NEVER);
    spv__stream_ask_headers(&c.s, &c.block[0].hash, 1, NOW + 1);
    assert_int_equal(spv__stream_deadline(&c.s),
                     NOW + 1 + SPV__STREAM_STALL_MS);
    c.s.headers_asked = false;
    ask(&c, 1, 1);
    assert_int_equal(spv__stream_deadline(&c.s), NOW + SPV__STREAM_STALL_MS);
    /* Guards a mended bug: a peer that sent the last merkleblock without its
     * transactions was waited for without end. */
    say_merkleblock(&c.said, &c.block[1], matched);
    receive(&c);
    assert_silent(&c);
    assert_int_equal(spv__stream_deadline(&c.s), NOW + SPV__STREAM_STALL_MS);
    end(&c);
}

static void put_long_frame(spv_buf *out, const char *command, size_t len)
{
    size_t mark = spv__frame_begin(out, command, world_network());

    for (size_t i = 0; i < len; i++)
        spv__put_u8(out, 0);
    spv__frame_end(out, mark);
}

/* Guards a mended bug: any byte would do, so a peer that pinged now and then
 * could owe its answers for ever. */
static void chatter_is_no_answer(void **state)
{
    world_tx stray = world_pay_who(99, 1);
    scene c = asked_scene(2);
    spv_time owed_since = spv__stream_deadline(&c.s);

    (void)state;
    c.now = NOW + 1000;
    say_nonce(&c.said, SPV_MSG_PING, 1);
    say_nonce(&c.said, SPV_MSG_PONG, 1);
    say_nonce(&c.said, SPV_MSG_PONG, PINGS_FROM + 1); /* heard before */
    say_inv(&c.said, &(spv_inv){.type = SPV_INV_TX}, 1);
    say_tx(&c.said, &stray);
    say_headers(&c.said, &c.block[1], 1);
    receive(&c);
    assert_next(&c, SPV_STREAM_HEADERS, 0);
    assert_silent(&c);
    assert_int_equal(spv__stream_deadline(&c.s), owed_since);
    say_filtered(&c.said, &c.block[1], &c.theirs);
    receive(&c);
    assert_next(&c, SPV_STREAM_BLOCK, 1);
    assert_int_equal(spv__stream_deadline(&c.s), owed_since + 1000);
    spv__buf_clear(&stray.bytes);
    end(&c);
}

/* Part of a long message that may be an answer is progress; but not a byte of
 * it now and then, nor all the bytes in the world of another (S33: by those
 * the deadline could be put off for ever). */
static void part_of_an_answer_is_progress_but_not_of_anything_else(void **state)
{
    static const struct {
        const char *command;
        size_t len;
        spv_time later;
    } cases[] = {{"merkleblock", 5000, 1000}, {"merkleblock", 30, 0},
                 {"nonsense", 8000, 0},       {"tx", 8000, 0},
                 {"block", 8000, 0},          {"headers", 8000, 0}};

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        scene c = asked_scene(2);
        spv_time owed_since = spv__stream_deadline(&c.s);

        c.now = NOW + 1000;
        put_long_frame(&c.said, cases[i].command, 9000);
        assert_int_equal(
            spv__peer_received(&c.s.peer, c.said.bytes, cases[i].len), SPV_OK);
        assert_silent(&c);
        assert_int_equal(spv__stream_deadline(&c.s),
                         owed_since + cases[i].later);
        end(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_asked_before_the_fence_has_passed),
        cmocka_unit_test(only_its_own_pong_opens_the_fence),
        cmocka_unit_test(requests_go_out_in_order_with_a_ping_behind),
        cmocka_unit_test(an_answer_carries_what_its_request_was_sent_under),
        cmocka_unit_test(
            a_peer_may_be_asked_for_more_than_its_ring_held_at_first),
        cmocka_unit_test(blocks_come_whole_and_in_order),
        cmocka_unit_test(transactions_may_come_in_any_order_among_strangers),
        cmocka_unit_test(a_pong_before_the_block_means_that_it_will_not_come),
        cmocka_unit_test(a_later_block_means_that_the_earlier_will_not_come),
        cmocka_unit_test(a_pong_refuses_only_what_was_asked_before_its_ping),
        {.name = "S24 what is known already need not be sent again",
         .test_func = a_block_left_incomplete_is_ended_by_whatever_comes_next},
        cmocka_unit_test(headers_and_news_go_up_as_they_are),
        cmocka_unit_test(of_several_blocks_announced_the_last_is_the_news),
        cmocka_unit_test(a_peer_that_breaks_the_protocol_is_found_out_at_once),
        cmocka_unit_test(a_hundred_thousand_unasked_messages_change_nothing),
        cmocka_unit_test(whatever_is_owed_has_a_deadline),
        cmocka_unit_test(chatter_is_no_answer),
        cmocka_unit_test(
            part_of_an_answer_is_progress_but_not_of_anything_else),
    };

    return cmocka_run_group_tests_name("p2p.stream", tests, NULL, NULL);
}
