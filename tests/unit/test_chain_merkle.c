#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "chain/merkle.h"

static spv_hash txids[SPV_MERKLE_TXS_MAX];
static bool matched[SPV_MERKLE_TXS_MAX];

static void make_txids(uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        spv__sha256d(&txids[i], &i, sizeof(i));
}

static void every_subset_of_small_blocks_is_proved(void **state)
{
    spv_merkle_proof proof = {0};

    (void)state;
    make_txids(11);
    for (uint32_t n = 1; n <= 11; n++) {
        spv_hash root;

        assert_int_equal(spv_merkle_root(&root, txids, n), SPV_OK);
        for (uint32_t set = 0; set < 1u << n; set++) {
            spv_merkle_tree tree;
            size_t at = 0;

            for (uint32_t i = 0; i < n; i++)
                matched[i] = set >> i & 1;
            assert_int_equal(spv_merkle_build(&tree, txids, matched, n),
                             SPV_OK);
            assert_int_equal(spv_merkle_verify(&proof, &tree, &root),
                             SPV_MERKLE_OK);
            for (uint32_t i = 0; i < n; i++)
                if (matched[i]) {
                    assert_true(at < proof.n);
                    assert_int_equal(proof.leaves[at].position, i);
                    assert_true(
                        spv_hash_equal(&proof.leaves[at++].txid, &txids[i]));
                }
            assert_int_equal(at, proof.n);
            spv_merkle_tree_free(&tree);
        }
    }
    spv_merkle_proof_clear(&proof);
}

static void the_largest_block_is_proved_whole(void **state)
{
    spv_merkle_proof proof = {0};
    spv_merkle_tree tree;
    spv_hash root;

    (void)state;
    make_txids(SPV_MERKLE_TXS_MAX);
    for (size_t i = 0; i < SPV_MERKLE_TXS_MAX; i++)
        matched[i] = true;
    assert_int_equal(spv_merkle_root(&root, txids, SPV_MERKLE_TXS_MAX), SPV_OK);
    assert_int_equal(
        spv_merkle_build(&tree, txids, matched, SPV_MERKLE_TXS_MAX), SPV_OK);
    assert_int_equal(spv_merkle_verify(&proof, &tree, &root), SPV_MERKLE_OK);
    assert_int_equal(proof.n, SPV_MERKLE_TXS_MAX);
    tree.n_txs++;
    assert_int_equal(spv_merkle_verify(&proof, &tree, &root),
                     SPV_MERKLE_TOO_MANY_TXS);
    assert_int_equal(proof.n, 0);
    tree.n_txs--;
    spv_merkle_tree_free(&tree);
    spv_merkle_proof_clear(&proof);
}

/* Whatever bit or byte changes, the proof fails or proves the same txids. */
static void no_changed_proof_proves_another_txid(void **state)
{
    enum { COUNT = 7 };
    spv_merkle_proof proof = {0};
    spv_merkle_tree tree;
    spv_hash root;

    (void)state;
    make_txids(COUNT);
    for (uint32_t i = 0; i < COUNT; i++)
        matched[i] = i == 2 || i == 6;
    assert_int_equal(spv_merkle_root(&root, txids, COUNT), SPV_OK);
    assert_int_equal(spv_merkle_build(&tree, txids, matched, COUNT), SPV_OK);
    for (size_t bit = 0; bit < tree.n_hashes * 256; bit++) {
        uint8_t *bytes = (uint8_t *)(uintptr_t)tree.hashes;

        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_int_not_equal(spv_merkle_verify(&proof, &tree, &root),
                             SPV_MERKLE_OK);
        assert_int_equal(proof.n, 0);
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    for (uint32_t n = 0; n < 40; n++) {
        tree.n_txs = n;
        if (spv_merkle_verify(&proof, &tree, &root))
            continue;
        assert_int_equal(proof.n, 2);
        assert_true(spv_hash_equal(&proof.leaves[0].txid, &txids[2]));
    }
    spv_merkle_tree_free(&tree);
    spv_merkle_proof_clear(&proof);
}

/* CVE-2012-2459: the same node twice has the root of that node once. */
static void twins_are_refused(void **state)
{
    const uint8_t flags[] = {0x07};
    spv_hash pair[2];
    spv_hash root;
    spv_merkle_proof proof = {0};
    spv_merkle_tree tree = {.n_txs = 2,
                            .hashes = pair[0].bytes,
                            .n_hashes = 2,
                            .flags = flags,
                            .flags_len = 1};

    (void)state;
    make_txids(1);
    pair[0] = pair[1] = txids[0];
    spv__sha256d_pair(&root, &pair[0], &pair[1]);
    assert_int_equal(spv_merkle_verify(&proof, &tree, &root), SPV_MERKLE_TWINS);
    pair[1].bytes[5] ^= 1;
    spv__sha256d_pair(&root, &pair[0], &pair[1]);
    assert_int_equal(spv_merkle_verify(&proof, &tree, &root), SPV_MERKLE_OK);
    spv_merkle_proof_clear(&proof);
}

/** A 64-byte transaction whose scripts take `script` and 4 - `script` bytes. */
static void tx64(uint8_t tx[64], size_t script)
{
    size_t outputs = 42 + script + 4;

    for (size_t i = 0; i < 64; i++)
        tx[i] = (uint8_t)(0x80 + i); /* as a txid in its second half would be */
    memcpy(tx, (uint8_t[]){1, 0, 0, 0, 1}, 5);
    tx[41] = (uint8_t)script;
    tx[outputs] = 1;
    memset(&tx[outputs + 1], 0, 8);
    tx[outputs + 2] = 9;
    tx[outputs + 9] = (uint8_t)(4 - script);
}

/* CVE-2017-12842, one way: a leaf "below" a real transaction of 64 bytes. */
static void S21_nodes_that_read_as_transactions_are_refused(void **state)
{
    /* Inputs, script; behind it outputs, top of the value, script. */
    static const size_t shape[] = {4, 41, 46, 54, 55};
    const uint8_t flags[] = {0x05}; /* root, left not matched, right matched */
    uint8_t tx[64];
    spv_merkle_proof proof = {0};
    spv_merkle_tree tree = {.n_txs = 2,
                            .hashes = tx,
                            .n_hashes = 2,
                            .flags = flags,
                            .flags_len = 1};

    (void)state;
    for (size_t script = 0; script <= 4; script++) {
        spv_hash root;
        spv_tx decoded;

        tx64(tx, script);
        assert_int_equal(spv_tx_decode(&decoded, tx, sizeof(tx), NULL), SPV_OK);
        root = decoded.txid;
        assert_false(spv_merkle_may_prove(&decoded));
        spv_tx_clear(&decoded);
        assert_int_equal(spv_merkle_verify(&proof, &tree, &root),
                         SPV_MERKLE_NODE_IS_TX);
        assert_int_equal(proof.n, 0);
        for (size_t at = 0; at < sizeof(shape) / sizeof(shape[0]); at++) {
            size_t i = shape[at] + (at > 1 ? script : 0);

            tx[i] ^= 0x40; /* no longer a transaction of this length */
            assert_int_equal(spv_merkle_verify(&proof, &tree, NULL),
                             SPV_MERKLE_OK);
            tx[i] ^= 0x40;
        }
    }
    spv_merkle_proof_clear(&proof);
}

/* The other way: an inner node shown as a leaf proves, but only two hashes
 * side by side have its txid, and those 64 bytes are never believed. */
static void S21_inner_nodes_shown_as_transactions_are_not_believed(void **state)
{
    spv_tx tx = {.stripped_len = 64, .len = 64};

    (void)state;
    assert_false(spv_merkle_may_prove(&tx));
    tx.len = 200; /* a witness does not hide it: the txid leaves it out */
    assert_false(spv_merkle_may_prove(&tx));
    tx.stripped_len = 63;
    assert_true(spv_merkle_may_prove(&tx));
    tx.stripped_len = 65;
    assert_true(spv_merkle_may_prove(&tx));
}

static void S20_all_the_ways_to_fail_have_names(void **state)
{
    (void)state;
    assert_string_equal(spv_merkle_verdict_text(SPV_MERKLE_OK), "accepted");
    assert_string_equal(spv_merkle_verdict_text(SPV_MERKLE_POW),
                        "proof-of-work");
    assert_string_equal(spv_merkle_verdict_text((spv_merkle_verdict)99),
                        "unknown verdict");
}

static void S20_random_trees_are_bounded(void **state)
{
    spv_merkle_proof proof = {0};
    static uint8_t bytes[4096];

    (void)state;
    srand(3);
    for (int round = 0; round < 5000; round++) {
        spv_merkle_tree tree = {.n_txs = (uint32_t)(rand() % 200),
                                .hashes = bytes,
                                .n_hashes = (size_t)(rand() % 64),
                                .flags = bytes + 2048,
                                .flags_len = (size_t)(rand() % 16)};

        for (size_t i = 0; i < sizeof(bytes); i++)
            bytes[i] = (uint8_t)rand();
        (void)spv_merkle_verify(&proof, &tree, NULL);
        assert_true(proof.n <= tree.n_hashes);
    }
    spv_merkle_proof_clear(&proof);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_subset_of_small_blocks_is_proved),
        cmocka_unit_test(the_largest_block_is_proved_whole),
        cmocka_unit_test(no_changed_proof_proves_another_txid),
        cmocka_unit_test(twins_are_refused),
        cmocka_unit_test(S21_nodes_that_read_as_transactions_are_refused),
        cmocka_unit_test(
            S21_inner_nodes_shown_as_transactions_are_not_believed),
        cmocka_unit_test(S20_all_the_ways_to_fail_have_names),
        cmocka_unit_test(S20_random_trees_are_bounded),
    };

    return cmocka_run_group_tests_name("chain.merkle", tests, NULL, NULL);
}
