#include "p2p_world.h"

#include "p2p/answer.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

enum { TXS = 5 };

static world_block block_of_five(void)
{
    world_block genesis = world_genesis();

    return world_next(&genesis, 1, TXS);
}

static spv_request request_of(const world_block *b)
{
    return (spv_request){.hash = b->hash, .height = b->height, .sequence = 9};
}

/** The fault with which an answer begins, or NULL. */
static const char *begin(spv_answer *a, const world_block *b,
                         const spv_buf *payload)
{
    spv_request request = request_of(b);
    spv_grant grant = {.stream = 4, .sequence = 9};
    spv_err err = SPV_OK;
    const char *fault = spv__answer_begin(a, payload->bytes, payload->len,
                                          &request, &grant, &err);

    assert_int_equal(err, SPV_OK);
    return fault;
}

static spv_answer begun(const world_block *b, const bool *matched)
{
    spv_buf payload = proof_of(b, matched);
    spv_answer a;

    assert_null(begin(&a, b, &payload));
    spv__buf_clear(&payload);
    return a;
}

static bool take(spv_answer *a, const world_tx *t)
{
    bool taken = false;
    spv_err err = SPV_OK;

    assert_null(
        spv__answer_take(a, t->bytes.bytes, t->bytes.len, &taken, &err));
    assert_int_equal(err, SPV_OK);
    return taken;
}

static void it_is_whole_once_every_proved_transaction_is_here(void **state)
{
    static const bool matched[TXS] = {true, false, true, true, false};
    static const size_t orders[][3] = {
        {0, 2, 3},
        {3, 2, 0},
        {2, 0, 3},
        {2, 3, 0},
    };
    world_block b = block_of_five();

    (void)state;
    for (size_t k = 0; k < COUNT(orders); k++) {
        spv_answer a = begun(&b, matched);

        assert_int_equal(a.missing, 3);
        for (size_t i = 0; i < 3; i++) {
            assert_true(take(&a, &b.tx[orders[k][i]]));
            assert_false(take(&a, &b.tx[orders[k][i]])); /* twice is once */
            assert_int_equal(a.missing, 2 - i);
        }
        assert_true(spv_hash_equal(&a.txs[0].txid, &b.tx[0].txid));
        assert_true(spv_hash_equal(&a.txs[1].txid, &b.tx[2].txid));
        assert_true(spv_hash_equal(&a.txs[2].txid, &b.tx[3].txid));
        spv__answer_clear(&a);
        spv__answer_clear(&a);
    }
    world_block_clear(&b);
}

static void it_tells_what_it_was_asked_under_and_what_it_claims(void **state)
{
    static const bool none[TXS] = {false};
    world_block b = block_of_five();
    spv_answer a = begun(&b, none);

    (void)state;
    assert_int_equal(a.missing, 0);
    assert_int_equal(a.proof.n, 0);
    assert_int_equal(a.height, 1);
    assert_int_equal(a.time, b.time);
    assert_int_equal(a.n_transactions, TXS);
    assert_int_equal(a.grant.stream, 4);
    assert_int_equal(a.grant.sequence, 9);
    assert_true(spv_hash_equal(&a.hash, &b.hash));
    spv__answer_clear(&a);
    world_block_clear(&b);
}

static void a_transaction_that_is_not_proved_is_nobodys(void **state)
{
    static const bool matched[TXS] = {true};
    world_block b = block_of_five();
    world_tx stray = world_pay_who(999, 1);
    spv_answer a = begun(&b, matched);

    (void)state;
    assert_false(take(&a, &stray));
    assert_false(take(&a, &b.tx[1]));
    assert_int_equal(a.missing, 1);
    spv__answer_clear(&a);
    spv__buf_clear(&stray.bytes);
    world_block_clear(&b);
}

static void every_changed_byte_of_a_proof_is_noticed(void **state)
{
    static const bool matched[TXS] = {true};
    world_block b = block_of_five();
    spv_buf payload = proof_of(&b, matched);

    (void)state;
    for (size_t at = 0; at < payload.len; at++) {
        spv_answer a;

        payload.bytes[at] ^= 0x01; /* never a padding bit of the flags */
        assert_non_null(begin(&a, &b, &payload));
        spv__answer_clear(&a);
        payload.bytes[at] ^= 0x01;
    }
    for (size_t len = 0; len < payload.len; len++) {
        spv_buf part = {.bytes = payload.bytes, .len = len};
        spv_answer a;

        assert_non_null(begin(&a, &b, &part));
        spv__answer_clear(&a);
    }
    spv__buf_clear(&payload);
    world_block_clear(&b);
}

static void a_proof_of_another_block_is_refused(void **state)
{
    static const bool none[TXS] = {false};
    world_block b = block_of_five();
    world_block other = world_next(&b, 2, TXS);
    spv_buf payload = proof_of(&other, none);
    spv_answer a;

    (void)state;
    assert_non_null(begin(&a, &b, &payload));
    assert_null(begin(&a, &other, &payload));
    spv__answer_clear(&a);
    spv__buf_clear(&payload);
    world_block_clear(&b);
    world_block_clear(&other);
}

/* CVE-2017-12842: sixty-four bytes may be an inner node of the tree. */
static void a_transaction_of_64_bytes_is_believed_by_nobody(void **state)
{
    static const uint8_t script[] = {0x51, 0x51, 0x51, 0x51};
    static const bool matched[TXS] = {true};
    world_tx small = world_pay(1, script, sizeof(script));
    world_block b = block_of_five();
    spv_answer a = begun(&b, matched);
    spv_err err = SPV_OK;
    bool taken = false;

    (void)state;
    assert_int_equal(small.bytes.len, 64);
    assert_non_null(
        spv__answer_take(&a, small.bytes.bytes, small.bytes.len, &taken, &err));
    assert_false(taken);
    assert_non_null(spv__answer_take(&a, small.bytes.bytes, 63, &taken, &err));
    assert_non_null(spv__answer_take(&a, NULL, 0, &taken, &err));
    assert_int_equal(err, SPV_OK);
    spv__answer_clear(&a);
    spv__buf_clear(&small.bytes);
    world_block_clear(&b);
}

static spv_filter filter_of(const uint8_t *who, size_t n)
{
    spv_filter f;

    assert_int_equal(spv_filter_init(&f, 512, 7, 3, SPV_FILTER_UPDATE_ALL),
                     SPV_OK);
    for (size_t i = 0; i < n; i++) {
        uint8_t program[20];

        memset(program, who[i], sizeof(program));
        spv_filter_insert(&f, program, sizeof(program));
    }
    return f;
}

static void what_does_not_match_the_filter_is_a_fault(void **state)
{
    static const uint8_t ours[] = {1, 3};
    static const struct {
        bool matched[TXS];
        bool fault;
    } cases[] = {
        {{true, false, true}, false},
        {{true}, false}, /* left out: not ours to see here */
        {{false}, false},
        {{true, true, true}, true},
        {{false, false, false, false, true}, true},
    };
    world_block b = block_of_five();

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        spv_filter f = filter_of(ours, COUNT(ours));
        spv_answer a = begun(&b, cases[i].matched);

        for (size_t k = 0; k < TXS; k++)
            assert_int_equal(take(&a, &b.tx[k]), cases[i].matched[k]);
        assert_int_equal(spv__answer_match(&a, &f, &(spv_relay){0}) != NULL,
                         cases[i].fault);
        spv__answer_clear(&a);
        spv_filter_clear(&f);
    }
    world_block_clear(&b);
}

/* A payment, and a spend of it that shows nothing of ours but the outpoint. */
static void a_spend_matches_by_what_its_block_added_before(void **state)
{
    static const uint8_t ours[] = {1};
    static const bool both[] = {true, true};
    static const uint8_t stranger[22] = {0x00, 20, 0x99};
    world_block genesis = world_genesis();
    world_block b = {.n_tx = 2};
    spv_filter f = filter_of(ours, 1);
    spv_answer a;

    (void)state;
    b.tx[0] = world_pay_who(1, 1);
    b.tx[1] = world_spend(2, &(spv_outpoint){.txid = b.tx[0].txid}, stranger,
                          sizeof(stranger));
    world_mine(&b, &genesis);
    a = begun(&b, both);
    assert_true(take(&a, &b.tx[1]));
    assert_true(take(&a, &b.tx[0]));
    assert_null(spv__answer_match(&a, &f, &(spv_relay){0}));
    spv__answer_clear(&a);
    spv_filter_clear(&f);
    world_block_clear(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_whole_once_every_proved_transaction_is_here),
        cmocka_unit_test(it_tells_what_it_was_asked_under_and_what_it_claims),
        cmocka_unit_test(a_transaction_that_is_not_proved_is_nobodys),
        cmocka_unit_test(every_changed_byte_of_a_proof_is_noticed),
        cmocka_unit_test(a_proof_of_another_block_is_refused),
        cmocka_unit_test(a_transaction_of_64_bytes_is_believed_by_nobody),
        cmocka_unit_test(what_does_not_match_the_filter_is_a_fault),
        cmocka_unit_test(a_spend_matches_by_what_its_block_added_before),
    };

    return cmocka_run_group_tests_name("p2p.answer", tests, NULL, NULL);
}
