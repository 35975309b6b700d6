#include "p2p_world.h"

#include "p2p/audit.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

enum { TXS = 6, PLACE = 3, NOW = 70 };

/*
 * A block whose transactions 0 and 3 pay the wallet, 4 spends what 3 paid (so
 * it matches by what the filter learned from 3 alone), and whose others are
 * strangers'.
 */
typedef struct scene {
    world_block block;
    spv_filter filter; /* before the block */
    spv_audits audits;
} scene;

static const bool all_that_match[TXS] = {true, false, false, true, true, false};

static scene begin(void)
{
    world_block genesis = world_genesis();
    scene c = {.block = {.n_tx = TXS}};
    uint8_t mine[20];
    uint8_t stranger[22] = {0x00, 20, 9};

    memset(mine, 1, sizeof(mine));
    for (uint32_t i = 0; i < TXS; i++)
        c.block.tx[i] = world_pay_who(i, i == 0 || i == 3 ? 1 : 50);
    spv__buf_clear(&c.block.tx[4].bytes);
    c.block.tx[4] = world_spend(4, &(spv_outpoint){.txid = c.block.tx[3].txid},
                                stranger, sizeof(stranger));
    world_mine(&c.block, &genesis);
    assert_int_equal(
        spv_filter_init(&c.filter, 512, 7, 3, SPV_FILTER_UPDATE_ALL), SPV_OK);
    spv_filter_insert(&c.filter, mine, sizeof(mine));
    return c;
}

static void end(scene *c)
{
    spv__audits_clear(&c->audits);
    spv_filter_clear(&c->filter);
    world_block_clear(&c->block);
}

/* What a peer said that matched. */
static spv_answer answer_of(const world_block *b, const bool *matched)
{
    spv_buf payload = proof_of(b, matched);
    spv_request request = {.hash = b->hash, .height = b->height};
    spv_answer a;
    spv_err err = SPV_OK;

    assert_null(spv__answer_begin(&a, payload.bytes, payload.len, &request,
                                  &(spv_grant){.stream = 1}, &err));
    for (size_t i = 0; i < b->n_tx; i++) {
        bool taken = false;

        if (!matched[i])
            continue;
        assert_null(spv__answer_take(&a, b->tx[i].bytes.bytes,
                                     b->tx[i].bytes.len, &taken, &err));
        assert_true(taken);
    }
    spv__buf_clear(&payload);
    return a;
}

static spv_audit *audit_of(scene *c, const bool *answered)
{
    spv_answer a = answer_of(&c->block, answered);
    spv_filter before;

    assert_int_equal(spv_filter_copy(&before, &c->filter), SPV_OK);
    assert_int_equal(spv__audits_add(&c->audits, &a, &before, PLACE, NOW),
                     SPV_OK);
    assert_null(before.bytes);
    spv__answer_clear(&a);
    return &c->audits.item[c->audits.n - 1];
}

/* The block as it goes over the wire, with `n` transactions claimed. */
static spv_buf whole(const world_block *b, uint64_t n)
{
    spv_buf out = SPV_BUF_EMPTY;

    spv__put_bytes(&out, b->header, SPV_HEADER_LEN);
    spv__put_compact(&out, n);
    for (size_t i = 0; i < b->n_tx; i++)
        spv__put_bytes(&out, b->tx[i].bytes.bytes, b->tx[i].bytes.len);
    return out;
}

static spv_audit_verdict verdict_on(scene *c, const bool *answered)
{
    spv_audit *audit = audit_of(c, answered);
    spv_buf bytes = whole(&c->block, TXS);
    spv_audit_verdict verdict = spv__audit_judge(audit, bytes.bytes, bytes.len);

    spv__buf_clear(&bytes);
    spv__audits_remove(&c->audits, 0);
    return verdict;
}

static void an_honest_answer_is_clean(void **state)
{
    scene c = begin();

    (void)state;
    assert_int_equal(verdict_on(&c, all_that_match), SPV_AUDIT_CLEAN);
    end(&c);
}

static void every_omission_is_found(void **state)
{
    static const bool answers[][TXS] = {
        {false, false, false, true, true, false}, /* a receipt */
        {true, false, false, false, false, false},
        {true, false, false, true, false, false}, /* a spend in the block */
        {true, false, false, false, true, false},
        {false},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(answers); i++) {
        scene c = begin();

        assert_int_equal(verdict_on(&c, answers[i]), SPV_AUDIT_OMISSION);
        end(&c);
    }
}

/* A long block: the first transaction pays the wallet, the last spends that. */
static world_tx long_tx(uint32_t i, uint32_t last, const spv_hash *first)
{
    uint8_t stranger[22] = {0x00, 20, 9};

    if (i < last)
        return world_pay_who(i, i == 0 ? 1 : 50);
    return world_spend(i, &(spv_outpoint){.txid = *first}, stranger,
                       sizeof(stranger));
}

static spv_buf long_block(spv_hash *txids, uint32_t n)
{
    spv_buf block = SPV_BUF_EMPTY;
    spv_header h = {.version = 4};
    uint8_t header[SPV_HEADER_LEN] = {0};

    spv__put_bytes(&block, header, sizeof(header));
    spv__put_compact(&block, n);
    for (uint32_t i = 0; i < n; i++) {
        world_tx t = long_tx(i, n - 1, &txids[0]);

        txids[i] = t.txid;
        spv__put_bytes(&block, t.bytes.bytes, t.bytes.len);
        spv__buf_clear(&t.bytes);
    }
    assert_int_equal(spv_merkle_root(&h.merkle_root, txids, n), SPV_OK);
    spv_header_encode(block.bytes, &h);
    assert_int_equal(block.err, SPV_OK);
    return block;
}

static void what_a_long_block_adds_at_first_counts_to_its_end(void **state)
{
    static const uint32_t sizes[] = {2, 255, 256, 257, 512, 513, 600};
    static spv_hash txids[600];

    (void)state;
    for (size_t i = 0; i < COUNT(sizes); i++)
        for (size_t told = 1; told <= 2; told++) {
            spv_buf block = long_block(txids, sizes[i]);
            spv_hash answered[] = {txids[0], txids[sizes[i] - 1]};
            scene c = begin();
            spv_audit audit = {
                .before = c.filter, .answered = answered, .n = told};

            assert_int_equal(spv__audit_judge(&audit, block.bytes, block.len),
                             told == 2 ? SPV_AUDIT_CLEAN : SPV_AUDIT_OMISSION);
            spv__buf_clear(&block);
            end(&c);
        }
}

/* A peer is held to the filter that it had then: what came in later matches
 * later. */
static void only_the_filter_as_it_was_counts(void **state)
{
    static const bool none[TXS] = {false};
    scene c = begin();

    (void)state;
    memset(c.filter.bytes, 0, c.filter.len);
    assert_int_equal(verdict_on(&c, none), SPV_AUDIT_CLEAN);
    end(&c);
}

/* ---- What the auditor sends ---- */

static void cut_short(spv_buf *bytes)
{
    bytes->len--;
}

static void add_a_byte(spv_buf *bytes)
{
    spv__put_u8(bytes, 0);
}

static void change_a_transaction(spv_buf *bytes)
{
    bytes->bytes[bytes->len - 1] ^= 1; /* of its lock time */
}

static void claim_another_number(spv_buf *bytes)
{
    bytes->bytes[SPV_HEADER_LEN] = TXS - 1;
}

static void claim_none(spv_buf *bytes)
{
    bytes->bytes[SPV_HEADER_LEN] = 0;
    bytes->len = SPV_HEADER_LEN + 1;
}

/* CVE-2012-2459: the last two once more make the same root. */
static void repeat_the_last_two(spv_buf *bytes)
{
    size_t len = (bytes->len - SPV_HEADER_LEN - 1) / TXS;

    for (size_t i = 0; i < 2; i++)
        spv__put_bytes(bytes, bytes->bytes + bytes->len - 2 * len, len);
    bytes->bytes[SPV_HEADER_LEN] = TXS + 2;
}

static void a_block_that_does_not_fit_its_header_is_the_auditors(void **state)
{
    static void (*const cases[])(spv_buf *) = {
        cut_short,  add_a_byte,           change_a_transaction,
        claim_none, claim_another_number, repeat_the_last_two,
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        scene c = begin();
        spv_audit *audit = audit_of(&c, all_that_match);
        spv_buf bytes = whole(&c.block, TXS);

        cases[i](&bytes);
        assert_int_equal(spv__audit_judge(audit, bytes.bytes, bytes.len),
                         SPV_AUDIT_UNPROVED);
        spv__buf_clear(&bytes);
        end(&c);
    }
}

/* S21: 64 bytes could be an inner node in disguise, whatever the root says. But
 * who sends a block that has them cannot help it, and is not at fault. */
static void S21_a_transaction_of_64_bytes_proves_nothing(void **state)
{
    static const bool first[2] = {true};
    world_block genesis = world_genesis();
    scene c = begin();
    world_block b = {.n_tx = 2};
    uint8_t four[4] = {0x03, 1, 2, 3};
    spv_audit *audit = NULL;
    spv_buf bytes;

    (void)state;
    world_block_clear(&c.block);
    b.tx[0] = world_pay_who(1, 1);
    b.tx[1] = world_pay(2, four, sizeof(four));
    assert_int_equal(b.tx[1].bytes.len, 64);
    world_mine(&b, &genesis);
    c.block = b;
    bytes = whole(&c.block, 2);
    audit = audit_of(&c, first);
    assert_int_equal(spv__audit_judge(audit, bytes.bytes, bytes.len),
                     SPV_AUDIT_UNFIT);
    change_a_transaction(&bytes);
    assert_int_equal(spv__audit_judge(audit, bytes.bytes, bytes.len),
                     SPV_AUDIT_UNPROVED);
    spv__buf_clear(&bytes);
    end(&c);
}

/* What does not fit its header teaches the filter nothing: the spend of a
 * payment that is not in the block would match then. */
static void a_false_block_frames_nobody(void **state)
{
    static const bool none[TXS] = {false};
    scene c = begin();
    spv_audit *audit = audit_of(&c, none);
    spv_buf bytes = whole(&c.block, TXS);
    size_t len = c.filter.len;

    (void)state;
    change_a_transaction(&bytes);
    assert_int_equal(spv__audit_judge(audit, bytes.bytes, bytes.len),
                     SPV_AUDIT_UNPROVED);
    assert_memory_equal(audit->before.bytes, c.filter.bytes, len);
    spv__buf_clear(&bytes);
    end(&c);
}

static void a_count_that_the_bytes_cannot_hold_asks_for_no_memory(void **state)
{
    scene c = begin();
    spv_audit *audit = audit_of(&c, all_that_match);
    spv_buf bytes = whole(&c.block, UINT64_MAX);

    (void)state;
    assert_int_equal(spv__audit_judge(audit, bytes.bytes, bytes.len),
                     SPV_AUDIT_UNPROVED);
    assert_int_equal(spv__audit_judge(audit, bytes.bytes, 0),
                     SPV_AUDIT_UNPROVED);
    spv__buf_clear(&bytes);
    end(&c);
}

/* ---- The table ---- */

static void pending_ones_are_found_released_and_forgotten(void **state)
{
    scene c = begin();

    (void)state;
    assert_int_equal(spv__audits_lowest(&c.audits), INT32_MAX);
    for (uint64_t i = 0; i < SPV__AUDITS_MAX; i++) {
        spv_audit *audit = audit_of(&c, all_that_match);

        spv__audit_note_ask(audit, 0, 7 + (uint32_t)(i % 2), i);
        audit->block.height = 100 - (int32_t)i;
        audit->place = i % 4;
    }
    assert_int_equal(spv__audits_lowest(&c.audits), 101 - SPV__AUDITS_MAX);
    assert_int_equal(spv__audits_find(&c.audits, 8, 5), 5);
    assert_int_equal(spv__audits_find(&c.audits, 7, 5), c.audits.n);
    spv__audits_release(&c.audits, 8);
    assert_int_equal(spv__audits_find(&c.audits, 8, 5), c.audits.n);
    assert_int_equal(spv__audits_find(&c.audits, 7, 4), 4);
    assert_true(spv__audits_concern(&c.audits, 0));
    spv__audits_remove_of(&c.audits, 0);
    assert_false(spv__audits_concern(&c.audits, 0));
    assert_int_equal(c.audits.n, SPV__AUDITS_MAX * 3 / 4);
    assert_int_equal(c.audits.item[0].place, 1);
    end(&c);
    assert_int_equal(c.audits.n, 0);
}

/* What the peer before it in that place was asked is not its debt. */
static void a_new_peer_in_a_place_owes_nothing(void **state)
{
    scene c = begin();
    spv_audit *audit = audit_of(&c, all_that_match);

    (void)state;
    spv__audit_note_ask(audit, 0, 7, 20);
    spv__audit_note_ask(audit, 1, 8, 3);
    c.audits.missed[0] = true;
    spv__audits_renew(&c.audits, 0);
    assert_false(c.audits.missed[0]);
    assert_int_equal(audit->tries, 1);
    assert_int_equal(spv__audits_find(&c.audits, 7, 20), c.audits.n);
    assert_int_equal(spv__audits_find(&c.audits, 8, 3), 0);
    end(&c);
}

/* A block is asked of two, as one is slow: either may send it. */
static void what_two_peers_owe_is_found_by_either(void **state)
{
    scene c = begin();
    spv_audit *audit = audit_of(&c, all_that_match);

    (void)state;
    assert_false(spv__audit_is_asked(audit));
    spv__audit_note_ask(audit, 0, 7, 20);
    spv__audit_note_ask(audit, SPV__POOL_MAX - 1, 8, 3);
    assert_int_equal(spv__audits_find(&c.audits, 7, 20), 0);
    assert_int_equal(spv__audits_find(&c.audits, 8, 3), 0);
    assert_int_equal(spv__audits_find(&c.audits, 7, 3), 1);
    spv__audits_release(&c.audits, 7);
    assert_int_equal(spv__audits_find(&c.audits, 7, 20), 1);
    assert_true(spv__audit_is_asked(audit));
    spv__audits_release(&c.audits, 8);
    assert_false(spv__audit_is_asked(audit));
    assert_int_equal(audit->tries, 2);
    end(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_honest_answer_is_clean),
        cmocka_unit_test(every_omission_is_found),
        cmocka_unit_test(what_a_long_block_adds_at_first_counts_to_its_end),
        cmocka_unit_test(only_the_filter_as_it_was_counts),
        cmocka_unit_test(a_block_that_does_not_fit_its_header_is_the_auditors),
        cmocka_unit_test(S21_a_transaction_of_64_bytes_proves_nothing),
        cmocka_unit_test(a_count_that_the_bytes_cannot_hold_asks_for_no_memory),
        cmocka_unit_test(a_false_block_frames_nobody),
        cmocka_unit_test(pending_ones_are_found_released_and_forgotten),
        cmocka_unit_test(a_new_peer_in_a_place_owes_nothing),
        cmocka_unit_test(what_two_peers_owe_is_found_by_either),
    };

    return cmocka_run_group_tests_name("p2p.audit", tests, NULL, NULL);
}
