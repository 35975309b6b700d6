#include "unit/cmocka_all.h"

#include <string.h>

#include <spv/block.h>

#include "conform/script_chain.h"
#include "support/chaintake.h"

/*
 * The generator against itself. That its chains are valid is for a real node
 * to say (tests/regtest); here: they repeat, they fork, the book is right.
 */

/** The whole chain of these options. Owned, like the generator. */
static spv_script_chain *chain_of(const chaingen_options *options, chaingen **g)
{
    spv_script_chain *c = spv__script_chain_new();

    *g = chaingen_new(options);
    chain_take(c, *g);
    return c;
}

static spv_hash tip_of(const chaingen_options *options)
{
    chaingen *g = NULL;
    spv_script_chain *c = chain_of(options, &g);
    spv_hash hash = spv__script_chain_at(c, spv__script_chain_tip(c))->hash;

    spv__script_chain_free(c);
    chaingen_free(g);
    return hash;
}

static void equal_options_give_equal_chains(void **state)
{
    chaingen_options options = chaingen_defaults();
    spv_hash first = tip_of(&options);
    spv_hash second = tip_of(&options);
    spv_hash other;

    (void)state;
    options.seed = 2;
    other = tip_of(&options);
    assert_true(spv_hash_equal(&first, &second));
    assert_false(spv_hash_equal(&first, &other));
}

/** Every block follows the one before and its root is that of its txids. */
static void check_block(const spv_script_chain *c, int32_t height)
{
    const spv_script_block *b = spv__script_chain_at(c, height);
    spv_block_reader reader;
    spv_hash txids[512];
    spv_header header;
    spv_hash root;
    spv_tx tx;

    assert_int_equal(spv_block_open(&reader, b->bytes, b->len), SPV_OK);
    assert_true(reader.n_tx <= 512);
    while (spv_block_next(&reader, &tx) == SPV_OK) {
        txids[reader.n_read - 1] = tx.txid;
        spv_tx_clear(&tx);
    }
    assert_int_equal(reader.n_read, reader.n_tx);
    assert_int_equal(reader.left, 0);
    assert_int_equal(spv_merkle_root(&root, txids, reader.n_tx), SPV_OK);
    spv_header_decode(&header, b->header);
    assert_true(spv_hash_equal(&root, &header.merkle_root));
    assert_true(spv_hash_equal(&header.prev,
                               &spv__script_chain_at(c, height - 1)->hash));
}

static void blocks_hang_together(void **state)
{
    chaingen_options options = chaingen_defaults();
    chaingen *g = NULL;
    spv_script_chain *c = chain_of(&options, &g);

    (void)state;
    assert_int_equal(spv__script_chain_tip(c), options.blocks);
    for (int32_t h = 1; h <= spv__script_chain_tip(c); h++) {
        const spv_script_block *b = spv__script_chain_at(c, h);

        check_block(c, h);
        assert_ptr_equal(spv__script_chain_find(c, &b->hash), b);
    }
    spv__script_chain_free(c);
    chaingen_free(g);
}

static void forks_share_what_lies_below(void **state)
{
    static const uint64_t seeds[] = {0, 77};
    chaingen_options options = chaingen_defaults();
    chaingen *g = NULL;
    chaingen *other_g = NULL;
    spv_script_chain *c = chain_of(&options, &g);

    (void)state;
    options.fork_at = 200;
    for (size_t i = 0; i < 2; i++) {
        spv_script_chain *other = NULL;

        options.fork_seed = seeds[i];
        other = chain_of(&options, &other_g);
        assert_true(spv_hash_equal(&spv__script_chain_at(c, 199)->hash,
                                   &spv__script_chain_at(other, 199)->hash));
        assert_null(
            spv__script_chain_find(c, &spv__script_chain_at(other, 200)->hash));
        spv__script_chain_free(other);
        chaingen_free(other_g);
    }
    spv__script_chain_free(c);
    chaingen_free(g);
}

static void wallet_is_as_busy_as_was_asked(void **state)
{
    chaingen_options options = chaingen_defaults();

    (void)state;
    options.burst = 15;
    options.wallet_txs = 60;
    for (options.type = GENWALLET_PKH; options.type <= GENWALLET_TR;
         options.type++) {
        chaingen *g = NULL;
        spv_script_chain *c = chain_of(&options, &g);
        const genwallet_tx *txs = NULL;
        size_t blocks = 0;
        size_t n = 0;

        txs = genwallet_history(chaingen_wallet(g), &n);
        assert_int_equal(n, options.wallet_txs);
        for (size_t i = 0; i < n; i++)
            blocks += i == 0 || txs[i].height != txs[i - 1].height;
        assert_int_equal(blocks, options.wallet_blocks);
        spv__script_chain_free(c);
        chaingen_free(g);
    }
}

static void history_sums_to_the_balance(void **state)
{
    chaingen_options options = chaingen_defaults();
    chaingen *g = NULL;
    spv_script_chain *c = chain_of(&options, &g);
    genwallet *w = chaingen_wallet(g);
    genwallet_balance balance = genwallet_balance_at(w, options.blocks);
    const genwallet_tx *txs = NULL;
    int64_t sum = 0;
    size_t n = 0;

    (void)state;
    txs = genwallet_history(w, &n);
    for (size_t i = 0; i < n; i++)
        sum += txs[i].net;
    assert_true(sum > 0);
    assert_int_equal(sum, balance.confirmed + balance.immature);
    spv__script_chain_free(c);
    chaingen_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_options_give_equal_chains),
        cmocka_unit_test(blocks_hang_together),
        cmocka_unit_test(forks_share_what_lies_below),
        cmocka_unit_test(wallet_is_as_busy_as_was_asked),
        cmocka_unit_test(history_sums_to_the_balance),
    };

    return cmocka_run_group_tests_name("sim.support.chain", tests, NULL, NULL);
}
