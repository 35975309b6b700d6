#include "p2p_scene.h"

/* What a stream does so that its peer need not be believed: whole blocks for
 * audits, and budgets. */

/* ---- Whole blocks ---- */

static void say_whole(scene *c, const world_block *b)
{
    spv_buf payload = SPV_BUF_EMPTY;

    spv__put_bytes(&payload, b->header, SPV_HEADER_LEN);
    spv__put_compact(&payload, b->n_tx);
    for (size_t i = 0; i < b->n_tx; i++)
        spv__put_bytes(&payload, b->tx[i].bytes.bytes, b->tx[i].bytes.len);
    say_payload(&c->said, SPV_MSG_BLOCK, &payload);
}

static void ask_whole(scene *c, int32_t height)
{
    spv_request r = {.hash = c->block[height].hash, .height = height};

    assert_int_equal(spv__stream_ask_whole(&c->s, &r, 1, NOW), SPV_OK);
    assert_int_equal(r.sequence, c->s.sequence - 1); /* a ping is behind it */
}

static void assert_whole(scene *c, spv_stream_event_kind kind, int32_t height)
{
    spv_stream_event e;

    assert_true(next(c, &e));
    assert_int_equal(e.kind, kind);
    assert_int_equal(e.request.height, height);
    if (kind == SPV_STREAM_WHOLE)
        assert_memory_equal(e.payload, c->block[height].header, SPV_HEADER_LEN);
}

static void whole_blocks_come_in_turn_with_filtered_ones(void **state)
{
    scene c = asked_scene(1);

    (void)state;
    ask_whole(&c, 5);
    ask_whole(&c, 6);
    ask(&c, 2, 2);
    say_filtered(&c.said, &c.block[1], &c.theirs);
    say_whole(&c, &c.block[5]);
    say_whole(&c, &c.block[6]);
    say_filtered(&c.said, &c.block[2], &c.theirs);
    receive(&c);
    assert_next(&c, SPV_STREAM_BLOCK, 1);
    assert_whole(&c, SPV_STREAM_WHOLE, 5);
    assert_whole(&c, SPV_STREAM_WHOLE, 6);
    assert_next(&c, SPV_STREAM_BLOCK, 2);
    assert_silent(&c);
    assert_false(spv__stream_owes(&c.s));
    end(&c);
}

static void a_whole_block_that_will_not_come_is_told(void **state)
{
    scene c = fenced_scene();

    (void)state;
    ask_whole(&c, 4);
    ask_whole(&c, 5);
    assert_true(spv__stream_owes(&c.s));
    say_whole(&c, &c.block[5]); /* so 4 was passed over */
    ask_whole(&c, 6);
    pong_last(&c);
    receive(&c);
    assert_whole(&c, SPV_STREAM_NO_WHOLE, 4);
    assert_whole(&c, SPV_STREAM_WHOLE, 5);
    assert_whole(&c, SPV_STREAM_NO_WHOLE, 6);
    assert_silent(&c);
    assert_true(spv__stream_deadline(&c.s) == SPV_NEVER);
    end(&c);
}

/* S26: only a whole block that was asked for is taken, and only once. */
static void S26_an_unasked_whole_block_is_a_fault(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        scene c = asked_scene(2);

        ask_whole(&c, 5);
        if (i == 0)
            say_whole(&c, &c.block[5]);
        say_whole(&c, &c.block[i == 0 ? 5 : 1]);
        receive(&c);
        if (i == 0)
            assert_whole(&c, SPV_STREAM_WHOLE, 5);
        assert_fault(&c);
        end(&c);
    }
}

/* ---- Audits and budgets ---- */

static void the_filter_before_an_answer_is_kept_when_wanted(void **state)
{
    scene c = asked_scene(2);

    (void)state;
    c.s.keep_before = true;
    say_filtered(&c.said, &c.block[1], &c.theirs);
    say_filtered(&c.said, &c.block[2], &c.theirs);
    receive(&c);
    assert_next(&c, SPV_STREAM_BLOCK, 1);
    assert_memory_equal(c.s.before.bytes, c.filter.bytes, c.filter.len);
    assert_memory_not_equal(c.s.mirror.bytes, c.filter.bytes, c.filter.len);
    assert_false(c.s.keep_before); /* for one answer */
    assert_next(&c, SPV_STREAM_BLOCK, 2);
    assert_null(c.s.before.bytes);
    end(&c);
}

/* S07: the first transaction that came in vain ends it, not the last. */
static void S07_the_first_that_does_not_match_is_a_fault(void **state)
{
    static const bool all[3] = {true, true, true};
    scene c = asked_scene(1);

    (void)state;
    say_merkleblock(&c.said, &c.block[1], all);
    say_tx(&c.said, &c.block[1].tx[0]);
    receive(&c);
    assert_silent(&c);
    say_tx(&c.said, &c.block[1].tx[1]);
    receive(&c);
    assert_fault(&c);
    assert_int_equal(c.s.answer.missing, 1);
    end(&c);
}

/* Guards memory and time: nothing true is longer. */
static void a_flood_between_proof_and_transactions_is_a_fault(void **state)
{
    static const bool first[3] = {true};
    uint8_t *script = calloc(1, 300000);
    scene c = asked_scene(1);
    world_tx stray;

    (void)state;
    assert_non_null(script);
    stray = world_pay(99, script, 300000);
    say_merkleblock(&c.said, &c.block[1], first);
    for (int i = 0; i < 13; i++)
        say_tx(&c.said, &stray);
    receive(&c);
    assert_silent(&c);
    say_tx(&c.said, &stray);
    receive(&c);
    assert_fault(&c);
    spv__buf_clear(&stray.bytes);
    free(script);
    end(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_blocks_come_in_turn_with_filtered_ones),
        cmocka_unit_test(a_whole_block_that_will_not_come_is_told),
        cmocka_unit_test(S26_an_unasked_whole_block_is_a_fault),
        cmocka_unit_test(the_filter_before_an_answer_is_kept_when_wanted),
        cmocka_unit_test(S07_the_first_that_does_not_match_is_a_fault),
        cmocka_unit_test(a_flood_between_proof_and_transactions_is_a_fault),
    };

    return cmocka_run_group_tests_name("p2p.stream_trust", tests, NULL, NULL);
}
