#include <string.h>

#include "cmocka_all.h"
#include "conform/dialogue.h"

/* What a node says, compared with what it must say. */

enum {
    BLOCK_1 = 1,
    TX_1,
    TX_2,
    BLOCK_2,
    STRAY,
    PONG,
    OTHER_PONG,
    NOTFOUND,
    INV
};

/* Replies are of a byte each: a block with two transactions, then another
 * block, whose number is the byte. */
static void put(spv_dialogue *d, spv_message_kind kind, uint8_t byte)
{
    size_t mark = spv__reply_begin(d);

    spv__put_u8(&d->payloads, byte);
    spv__reply_end(d, kind, mark);
}

static void write_dialogue(spv_dialogue *d, spv_rng *rng, bool strict)
{
    spv__dialogue_init(d, spv_network_get(SPV_REGTEST), rng);
    d->strict = strict;
    spv__say(d, "getdata", NULL, 0, "getdata for two blocks");
    put(d, SPV_MSG_MERKLEBLOCK, BLOCK_1);
    put(d, SPV_MSG_TX, TX_1);
    put(d, SPV_MSG_TX, TX_2);
    put(d, SPV_MSG_MERKLEBLOCK, BLOCK_2);
}

static spv_heard_end hear(spv_hearing *h, uint8_t what)
{
    uint64_t fence = h->dialogue->turns[h->turn].fence ^ (what == OTHER_PONG);
    spv_buf payload = SPV_BUF_EMPTY;
    spv_heard heard = {0};
    spv_heard_end end = SPV_HEARD_ON;

    if (what == PONG || what == OTHER_PONG)
        spv__put_u64(&payload, fence);
    else
        spv__put_u8(&payload, what);
    heard.payload = payload.bytes;
    heard.len = payload.len;
    heard.kind = what == BLOCK_1 || what == BLOCK_2   ? SPV_MSG_MERKLEBLOCK
                 : what == PONG || what == OTHER_PONG ? SPV_MSG_PONG
                 : what == NOTFOUND                   ? SPV_MSG_NOTFOUND
                 : what == INV                        ? SPV_MSG_INV
                                                      : SPV_MSG_TX;
    end = spv__hearing_message(h, &heard);
    spv__buf_clear(&payload);
    return end;
}

/* How a turn ends in which all of this comes; 0 ends the list. */
static spv_heard_end play(const spv_dialogue *d, const uint8_t *what)
{
    spv_heard_end end = SPV_HEARD_ON;
    spv_hearing h = {0};

    spv__hearing_begin(&h, d, 0);
    for (; *what && end == SPV_HEARD_ON; what++)
        end = hear(&h, *what);
    if (*what) /* it ended before all was said */
        end = SPV_HEARD_WRONG;
    spv__hearing_clear(&h);
    return end;
}

static void a_turn_is_right_wrong_or_goes_on(void **state)
{
    static const struct {
        uint8_t what[9];
        spv_heard_end strict;
        spv_heard_end lenient;
    } table[] = {
        {{BLOCK_1, TX_1, TX_2, BLOCK_2, PONG},
         SPV_HEARD_RIGHT,
         SPV_HEARD_RIGHT},
        {{BLOCK_1, TX_1, TX_2, BLOCK_2}, SPV_HEARD_ON, SPV_HEARD_ON},
        {{OTHER_PONG, BLOCK_1, INV, TX_1, TX_2, BLOCK_2, PONG},
         SPV_HEARD_RIGHT,
         SPV_HEARD_RIGHT},
        {{BLOCK_1, TX_2, TX_1, BLOCK_2, PONG},
         SPV_HEARD_WRONG,
         SPV_HEARD_RIGHT},
        {{BLOCK_1, TX_1, BLOCK_2, TX_2, PONG},
         SPV_HEARD_WRONG,
         SPV_HEARD_RIGHT},
        {{BLOCK_1, BLOCK_2, TX_2, TX_1, PONG},
         SPV_HEARD_WRONG,
         SPV_HEARD_RIGHT},
        {{BLOCK_1, BLOCK_2, TX_1, PONG}, SPV_HEARD_WRONG, SPV_HEARD_ON},
        {{BLOCK_2, BLOCK_1, TX_1, TX_2, PONG},
         SPV_HEARD_WRONG,
         SPV_HEARD_WRONG},
        {{TX_1, BLOCK_1, TX_2, BLOCK_2, PONG},
         SPV_HEARD_WRONG,
         SPV_HEARD_WRONG},
        {{BLOCK_1, TX_1, TX_1, TX_2, BLOCK_2, PONG},
         SPV_HEARD_WRONG,
         SPV_HEARD_WRONG},
        {{BLOCK_1, TX_1, TX_2, STRAY, BLOCK_2, PONG},
         SPV_HEARD_WRONG,
         SPV_HEARD_WRONG},
        {{BLOCK_1, TX_1, TX_2, BLOCK_2, BLOCK_2, PONG},
         SPV_HEARD_WRONG,
         SPV_HEARD_WRONG},
        {{BLOCK_1, TX_1, TX_2, BLOCK_2, NOTFOUND, PONG},
         SPV_HEARD_WRONG,
         SPV_HEARD_WRONG},
        {{BLOCK_1, TX_1, TX_2, PONG}, SPV_HEARD_WRONG, SPV_HEARD_ON},
        {{BLOCK_1, TX_1, PONG, TX_2, BLOCK_2},
         SPV_HEARD_WRONG,
         SPV_HEARD_RIGHT},
        {{PONG}, SPV_HEARD_WRONG, SPV_HEARD_ON},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        for (int strict = 0; strict < 2; strict++) {
            spv_heard_end want = strict ? table[i].strict : table[i].lenient;
            spv_rng rng = {i};
            spv_dialogue d;

            write_dialogue(&d, &rng, strict);
            spv__end_turn(&d);
            assert_int_equal(d.err, SPV_OK);
            if (play(&d, table[i].what) != want)
                fail_msg("line %zu, strict %d", i, strict);
            spv__dialogue_clear(&d);
        }
}

static void what_may_be_left_out_may_also_come(void **state)
{
    static const uint8_t with[] = {BLOCK_1, TX_1, TX_2, BLOCK_2, PONG, 0};
    static const uint8_t without[] = {BLOCK_1, TX_2, BLOCK_2, PONG, 0};
    spv_rng rng = {1};
    spv_dialogue d;

    (void)state;
    write_dialogue(&d, &rng, true);
    d.replies[1].optional = true;
    spv__end_turn(&d);
    assert_int_equal(play(&d, with), SPV_HEARD_RIGHT);
    assert_int_equal(play(&d, without), SPV_HEARD_RIGHT);
    spv__dialogue_clear(&d);
}

static void another_form_is_as_right(void **state)
{
    static const uint8_t other[] = {BLOCK_1, STRAY, PONG, 0};
    static const uint8_t neither[] = {BLOCK_1, TX_2, PONG, 0};
    spv_rng rng = {1};
    spv_dialogue d;
    size_t mark = 0;

    (void)state;
    spv__dialogue_init(&d, spv_network_get(SPV_REGTEST), &rng);
    put(&d, SPV_MSG_MERKLEBLOCK, BLOCK_1);
    put(&d, SPV_MSG_TX, TX_1);
    mark = spv__reply_begin(&d);
    spv__put_u8(&d.payloads, STRAY);
    spv__reply_or(&d, mark);
    spv__end_turn(&d);
    assert_int_equal(play(&d, other), SPV_HEARD_RIGHT);
    assert_int_equal(play(&d, neither), SPV_HEARD_WRONG);
    spv__dialogue_clear(&d);
}

/* ---- How turns end ---- */

static spv_heard_end end_by(spv_dialogue *d, const char *how)
{
    spv_heard_end end = SPV_HEARD_ON;
    spv_hearing h = {0};

    spv__hearing_begin(&h, d, 0);
    if (strcmp(how, "pong") == 0)
        end = hear(&h, PONG);
    else if (strcmp(how, "close") == 0)
        end = spv__hearing_closed(&h);
    else
        end = spv__hearing_timeout(&h);
    spv__hearing_clear(&h);
    spv__dialogue_clear(d);
    return end;
}

static void a_node_must_may_or_must_not_hang_up(void **state)
{
    static const struct {
        void (*end)(spv_dialogue *);
        const char *how;
        spv_heard_end want;
    } table[] = {
        {spv__end_turn, "pong", SPV_HEARD_RIGHT},
        {spv__end_turn, "close", SPV_HEARD_WRONG},
        {spv__end_turn, "time", SPV_HEARD_WRONG},
        {spv__end_turn_closed, "pong", SPV_HEARD_WRONG},
        {spv__end_turn_closed, "close", SPV_HEARD_RIGHT},
        {spv__end_turn_closed, "time", SPV_HEARD_WRONG},
        {spv__end_turn_either_way, "pong", SPV_HEARD_RIGHT},
        {spv__end_turn_either_way, "close", SPV_HEARD_RIGHT},
        {spv__end_turn_either_way, "time", SPV_HEARD_WRONG},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        spv_rng rng = {i};
        spv_dialogue d;

        spv__dialogue_init(&d, spv_network_get(SPV_REGTEST), &rng);
        spv__say_filterclear(&d);
        table[i].end(&d);
        assert_int_equal(end_by(&d, table[i].how), table[i].want);
    }
}

/* ---- Words ---- */

static void a_failure_names_all_three_sides(void **state)
{
    spv_rng rng = {1};
    spv_buf text = SPV_BUF_EMPTY;
    spv_hearing h = {0};
    spv_dialogue d;

    (void)state;
    spv__dialogue_init(&d, spv_network_get(SPV_REGTEST), &rng);
    spv__say_filterclear(&d);
    spv__say_filteradd(&d, (const uint8_t *)"abc", 3);
    spv__end_turn_closed(&d);
    spv__hearing_begin(&h, &d, 0);
    assert_int_equal(hear(&h, NOTFOUND), SPV_HEARD_ON);
    assert_int_equal(hear(&h, PONG), SPV_HEARD_WRONG);
    spv__hearing_tell(&h, &text);
    spv__put_u8(&text, '\0');
    assert_string_equal((const char *)text.bytes,
                        "sent filterclear, filteradd (3 bytes), ping; expected "
                        "the node closes the connection; got notfound that "
                        "cannot be read, pong");
    spv__buf_clear(&text);
    spv__hearing_clear(&h);
    spv__dialogue_clear(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_turn_is_right_wrong_or_goes_on),
        cmocka_unit_test(what_may_be_left_out_may_also_come),
        cmocka_unit_test(another_form_is_as_right),
        cmocka_unit_test(a_node_must_may_or_must_not_hang_up),
        cmocka_unit_test(a_failure_names_all_three_sides),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
