#include <stdlib.h>
#include <string.h>

#include <spv/block.h>
#include <spv/material.h>

#include "cmocka_all.h"
#include "conform/oracle.h"
#include "conform/pushes.h"

/* Sampled blocks, and what the oracle says of them. */

typedef struct scene {
    spv_material *material;
    spv_samples samples;
} scene;

static int begin(void **state)
{
    static scene s;
    spv_material_options o = spv_material_defaults();
    size_t n = 0;

    s = (scene){0};
    assert_int_equal(spv_material_new(&s.material, &o), SPV_OK);
    n = spv_material_blocks(s.material);
    for (size_t i = n; i-- > n - 40;) { /* the newest first */
        spv_material_block b = spv_material_block_at(s.material, i);

        assert_int_equal(spv__samples_add(&s.samples, b.bytes, b.len, b.height),
                         SPV_OK);
    }
    assert_int_equal(spv__samples_settle(&s.samples), SPV_OK);
    *state = &s;
    return 0;
}

static int end(void **state)
{
    scene *s = *state;

    spv__samples_clear(&s->samples);
    spv_material_free(s->material);
    return 0;
}

static void blocks_are_ordered_by_height(void **state)
{
    const spv_samples *s = &((scene *)*state)->samples;

    for (size_t i = 1; i < s->n; i++)
        assert_int_equal(s->item[i].height, s->item[i - 1].height + 1);
}

static void a_block_is_taken_once(void **state)
{
    scene *s = *state;
    spv_material_block b = spv_material_block_at(s->material, 450);

    assert_int_equal(spv__samples_add(&s->samples, b.bytes, b.len, b.height),
                     SPV_EXISTS);
}

static void a_block_of_other_transactions_is_refused(void **state)
{
    scene *s = *state;
    spv_material_block b = spv_material_block_at(s->material, 0);
    uint8_t *bytes = malloc(b.len);

    assert_non_null(bytes);
    memcpy(bytes, b.bytes, b.len);
    bytes[b.len - 1] ^= 1; /* of the lock time of its only transaction */
    assert_int_equal(spv__samples_add(&s->samples, bytes, b.len, 1), SPV_PROOF);
    assert_int_equal(spv__samples_add(&s->samples, bytes, b.len - 1, 1),
                     SPV_TRUNCATED);
    assert_int_equal(spv__samples_add(&s->samples, bytes, 79, 1),
                     SPV_TRUNCATED);
    bytes[80] = 0;
    assert_int_not_equal(spv__samples_add(&s->samples, bytes, 81, 1), SPV_OK);
    free(bytes);
}

/* Checks look at the first input and output of a transaction: whoever mines
 * one that lacks them must not lead them astray. */
static void a_transaction_without_inputs_or_outputs_is_refused(void **state)
{
    static const struct {
        uint8_t bytes[60];
        size_t len;
    } txs[] = {
        {{1, [4] = 1, [41] = 0}, 51}, /* an input, no output */
        {{1}, 10},                    /* neither */
    };

    (void)state;
    for (size_t i = 0; i < sizeof(txs) / sizeof(txs[0]); i++) {
        uint8_t block[200] = {[SPV_HEADER_LEN] = 1};
        spv_samples s = {0};
        spv_tx tx;

        assert_int_equal(spv_tx_decode(&tx, txs[i].bytes, txs[i].len, NULL),
                         SPV_OK);
        memcpy(block + 36, tx.txid.bytes, sizeof(tx.txid.bytes));
        memcpy(block + SPV_HEADER_LEN + 1, txs[i].bytes, txs[i].len);
        spv_tx_clear(&tx);
        assert_int_equal(
            spv__samples_add(&s, block, SPV_HEADER_LEN + 1 + txs[i].len, 1),
            SPV_MALFORMED);
        spv__samples_clear(&s);
    }
}

static void every_shape_is_there_but_in_no_samples(void **state)
{
    const spv_samples *s = &((scene *)*state)->samples;
    const spv_samples none = {0};

    assert_int_equal(spv__samples_lacks(s), 0);
    assert_true(spv__samples_lacks(&none) > 10);
}

/* Each spend's input names its maker's output, which comes before it. */
static void spends_join_makers_and_spenders(void **state)
{
    const spv_samples *s = &((scene *)*state)->samples;
    size_t within = 0;

    assert_true(s->n_spends > 50);
    for (size_t i = 0; i < s->n_spends; i++) {
        const spv_spend *spend = &s->spends[i];
        spv_outpoint made = spv__spot_outpoint(&spend->made);

        assert_true(
            spv_outpoint_equal(&made, &spv__spot_input(&spend->spent)->prev));
        assert_true(spend->made.at < spv__spot_tx(&spend->made)->n_out);
        assert_true(spend->made.block->height <= spend->spent.block->height);
        within += spend->made.block == spend->spent.block;
    }
    assert_true(within > 0 && within < s->n_spends);
}

static bool is_large(const spv_sample *b, const void *ctx)
{
    return b->n > *(const size_t *)ctx;
}

static void picking_is_by_chance_among_those_that_pass(void **state)
{
    const spv_samples *s = &((scene *)*state)->samples;
    const size_t eight = 8;
    const size_t most = 1000000;
    spv_rng r = {1};
    bool differs = false;
    const spv_sample *first = spv__samples_pick(s, &r, is_large, &eight);

    for (int i = 0; i < 100; i++) {
        const spv_sample *b = spv__samples_pick(s, &r, is_large, &eight);

        assert_true(b->n > 8);
        differs |= b != first;
    }
    assert_true(differs);
    assert_null(spv__samples_pick(s, &r, is_large, &most));
}

/* ---- The oracle ---- */

/* A filter of one element matches exactly the transactions that hold it. */
static void the_oracle_agrees_with_exact_comparison(void **state)
{
    const spv_samples *s = &((scene *)*state)->samples;
    size_t matches = 0;

    for (size_t b = 0; b < s->n; b++) {
        const spv_tx *tx = &s->item[b].txs[s->item[b].n - 1];
        spv_push e = spv__push_get(tx->out[0].script, tx->out[0].script_len, 0);
        bool matched[1000];
        spv_filter f;

        assert_true(s->item[b].n <= 1000);
        if (e.len == 0)
            continue;
        assert_int_equal(spv_filter_init(&f, 36000, 20, 5, 0), SPV_OK);
        spv_filter_insert(&f, e.data, e.len);
        matches += spv__oracle_match(&f, &s->item[b], matched);
        for (size_t i = 0; i < s->item[b].n; i++)
            assert_int_equal(matched[i],
                             spv__tx_holds(&s->item[b].txs[i], e.data, e.len));
        spv_filter_clear(&f);
    }
    assert_true(matches > 10);
}

/* Without its witness a transaction hashes to its txid. */
static void transactions_lose_their_witness(void **state)
{
    const spv_samples *s = &((scene *)*state)->samples;
    size_t with_witness = 0;

    for (size_t b = 0; b < s->n; b++)
        for (size_t i = 0; i < s->item[b].n; i++) {
            const spv_tx *tx = &s->item[b].txs[i];
            spv_buf bare = SPV_BUF_EMPTY;
            spv_tx again;

            spv__put_bare_tx(&bare, tx);
            assert_int_equal(bare.len, tx->stripped_len);
            assert_int_equal(spv_tx_decode(&again, bare.bytes, bare.len, NULL),
                             SPV_OK);
            assert_false(again.has_witness);
            assert_true(spv_hash_equal(&again.txid, &tx->txid));
            with_witness += tx->has_witness;
            spv_tx_clear(&again);
            spv__buf_clear(&bare);
        }
    assert_true(with_witness > 10);
}

/* The answer is a proof of what matches, then just that; what the connection
 * had before may be left out. */
static void an_answer_proves_what_it_sends(void **state)
{
    const spv_samples *s = &((scene *)*state)->samples;
    const spv_sample *b = &s->item[s->n - 1];
    spv_rng rng = {3};
    spv_dialogue d;
    spv_filter f;

    for (size_t i = 0; i < s->n; i++)
        if (s->item[i].n > b->n)
            b = &s->item[i];
    assert_int_equal(spv_filter_init(&f, 4000, 10, 0, 0), SPV_OK);
    spv_filter_insert(&f, b->txids[1].bytes, 32);
    spv_filter_insert(&f, b->txids[b->n - 1].bytes, 32);
    spv__dialogue_init(&d, spv_network_get(SPV_REGTEST), &rng);
    spv__say_filterload(&d, &f);
    spv__ask_one(&d, b);
    spv__ask_one(&d, b);
    assert_int_equal(d.err, SPV_OK);
    assert_int_equal(d.n_replies, 6);
    for (size_t i = 0; i < 6; i += 3) {
        spv_merkle_proof proof = {0};

        assert_int_equal(d.replies[i].kind, SPV_MSG_MERKLEBLOCK);
        assert_int_equal(spv_merkle_verify_block(
                             &proof, d.payloads.bytes + d.replies[i].at,
                             d.replies[i].len, spv_network_get(SPV_REGTEST)),
                         SPV_MERKLE_OK);
        assert_int_equal(proof.n, 2);
        assert_true(spv_hash_equal(&proof.leaves[0].txid, &b->txids[1]));
        assert_int_equal(d.replies[i + 1].kind, SPV_MSG_TX);
        assert_int_equal(d.replies[i + 1].optional, i == 3);
        spv_merkle_proof_clear(&proof);
    }
    spv_filter_clear(&f);
    spv__dialogue_clear(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_ordered_by_height),
        cmocka_unit_test(a_block_is_taken_once),
        cmocka_unit_test(a_block_of_other_transactions_is_refused),
        cmocka_unit_test(a_transaction_without_inputs_or_outputs_is_refused),
        cmocka_unit_test(every_shape_is_there_but_in_no_samples),
        cmocka_unit_test(spends_join_makers_and_spenders),
        cmocka_unit_test(picking_is_by_chance_among_those_that_pass),
        cmocka_unit_test(the_oracle_agrees_with_exact_comparison),
        cmocka_unit_test(transactions_lose_their_witness),
        cmocka_unit_test(an_answer_proves_what_it_sends),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
