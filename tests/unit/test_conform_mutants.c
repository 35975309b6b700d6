#include "conform_world.h"

#include <spv/block.h>
#include <spv/filter.h>

#include "base/rng.h"
#include "conform/script_break.h"

/*
 * The battery against nodes that break one rule of BIP 37 each: what is wrong
 * with a node fails the check that is about it. And what breaks no rule is
 * never accused.
 */
static const struct {
    spv_script_break rule;
    const char *check; /* that must fail, whatever else does */
} mutants[] = {
    {SPV_BREAK_TWEAK, "filter.tweak-any"},
    {SPV_BREAK_SEED, "filter.most-functions"},
    {SPV_BREAK_ONE_LESS, "filter.one-function"},
    {SPV_BREAK_ONE_MORE, "match.txid"},
    {SPV_BREAK_BIT_ORDER, "match.txid"},
    {SPV_BREAK_TXID_REVERSED, "nomatch.txid-reversed"},
    {SPV_BREAK_TXID_UNMATCHED, "match.txid"},
    {SPV_BREAK_WTXID_MATCHED, "nomatch.wtxid"},
    {SPV_BREAK_SCRIPT_WHOLE, "nomatch.output-script"},
    {SPV_BREAK_FIRST_PUSH, "match.output-multisig-last-key"},
    {SPV_BREAK_OUTPUT_UNMATCHED, "match.output-p2wpkh"},
    {SPV_BREAK_OUTPOINT_UNMATCHED, "match.outpoint"},
    {SPV_BREAK_OUTPOINT_TXID, "nomatch.input-previous-txid"},
    {SPV_BREAK_INPUT_UNMATCHED, "match.input-signature"},
    {SPV_BREAK_WITNESS_MATCHED, "nomatch.input-witness"},
    {SPV_BREAK_ALL_AS_NONE, "update.all-within-a-block"},
    {SPV_BREAK_NONE_AS_ALL, "update.none"},
    {SPV_BREAK_PUBKEY_AS_ALL, "update.p2pubkey-p2pkh"},
    {SPV_BREAK_PUBKEY_NO_MULTISIG, "update.p2pubkey-multisig"},
    {SPV_BREAK_PUBKEY_AS_NONE, "update.p2pubkey-p2pk"},
    {SPV_BREAK_FLAGS_UNMASKED, "update.flags-high-bits"},
    {SPV_BREAK_FLAGS_3, "update.flags-3"},
    {SPV_BREAK_UPDATES_FORGOTTEN, "update.all-across-blocks"},
    {SPV_BREAK_UPDATE_INDEX, "update.every-output"},
    {SPV_BREAK_UPDATE_FIRST, "update.every-output"},
    {SPV_BREAK_UPDATE_SIBLINGS, "update.sibling-adds-nothing"},
    {SPV_BREAK_UPDATE_BY_TXID, "update.txid-adds-nothing"},
    {SPV_BREAK_UPDATE_BY_INPUT, "update.input-adds-nothing"},
    {SPV_BREAK_TXID_ENOUGH, "update.txid-and-output"},
    {SPV_BREAK_ADD_IGNORED, "add.element"},
    {SPV_BREAK_ADD_REPLACES, "add.many"},
    {SPV_BREAK_ADD_FORGETS, "update.filteradd-keeps"},
    {SPV_BREAK_LOAD_ADDS, "load.replaces"},
    {SPV_BREAK_LOAD_IGNORED, "load.replaces"},
    {SPV_BREAK_TXS_REVERSED, "order.transactions"},
    {SPV_BREAK_TXS_FIRST, "order.transactions"},
    {SPV_BREAK_PONG_FIRST, "order.transactions"},
    {SPV_BREAK_EMPTY_SILENT, "proof.nothing-matches"},
    {SPV_BREAK_ODD_DOUBLED, "proof.three-transactions"},
    {SPV_BREAK_FLAG_BITS, "proof.one-transaction"},
    {SPV_BREAK_MATCH_COUNT, "proof.first"},
    {SPV_BREAK_WITH_WITNESS, "tx.without-witness"},
    {SPV_BREAK_FIRST_ONLY, "order.blocks"},
    {SPV_BREAK_UNFILTERED, "getdata.without-filter"},
    {SPV_BREAK_UNKNOWN_ENDS, "getdata.unknown-block"},
    {SPV_BREAK_BLOCKS_REVERSED, "order.blocks"},
    {SPV_BREAK_MEMPOOL_SILENT, "mempool.all"},
    {SPV_BREAK_RELAYS_EARLY, "relay.silent-before-filter"},
    {SPV_BREAK_RELAYS_ALL, "relay.filterload-restricts"},
    {SPV_BREAK_LARGEST_REFUSED, "limit.filterload-36000-bytes"},
    {SPV_BREAK_TOO_LARGE_TAKEN, "limit.filterload-36001-bytes"},
    {SPV_BREAK_FIFTY_REFUSED, "limit.filterload-50-functions"},
    {SPV_BREAK_TOO_MANY_TAKEN, "limit.filterload-51-functions"},
    {SPV_BREAK_ADD_520_REFUSED, "limit.filteradd-520-bytes"},
    {SPV_BREAK_ADD_521_TAKEN, "limit.filteradd-521-bytes"},
    {SPV_BREAK_ADD_MAKES, "limit.filteradd-without-filter"},
    {SPV_BREAK_CLEAR_IGNORED, "clear.then-ask"},
    {SPV_BREAK_SERVES_UNTOLD, "nobloom.filterload"},
};

enum { MUTANTS = sizeof(mutants) / sizeof(mutants[0]) };

static void examine(world *w, const spv_script_habits *habits)
{
    spv_conform_options o = world_options();
    spv_conform_tx txs[WORLD_TXS];

    world_init(w, "honest");
    w->habits = habits;
    world_take_txs(w, &o, txs);
    world_begin(w, &o);
    world_run(w);
    assert_int_equal(w->outcome, SPV_OK);
}

static void every_broken_rule_fails_its_check(void **state)
{
    size_t missed = 0;

    (void)state;
    for (size_t i = 0; i < MUTANTS; i++) {
        const spv_script_habits habits = {.breaks = mutants[i].rule};
        const spv_conform_check *check = NULL;
        world w;

        examine(&w, &habits);
        check = world_check(&w, mutants[i].check);
        assert_non_null(check);
        if (check->result != SPV_CONFORM_FAIL) {
            print_error("%s: %s is %s: %s\n",
                        spv__script_break_does(mutants[i].rule), check->id,
                        spv_conform_result_name(check->result), check->detail);
            world_print(&w, SPV_CONFORM_FAIL);
            missed++;
        }
        world_clear(&w);
    }
    assert_int_equal(missed, 0);
}

static void every_rule_has_its_mutant(void **state)
{
    (void)state;
    assert_int_equal(MUTANTS, SPV_BREAK_COUNT - 1);
    for (size_t i = 0; i < MUTANTS; i++)
        assert_int_equal(mutants[i].rule, i + 1);
}

/* ---- The matcher that rules are broken in ---- */

/** A filter in which many of a block's transactions are found, by chance. */
static spv_filter some_filter(spv_rng *r, const spv_script_block *block)
{
    spv_filter f;

    assert_int_equal(spv_filter_init(&f, 1 + (size_t)spv__rng_below(r, 60),
                                     1 + (uint32_t)spv__rng_below(r, 4),
                                     (uint32_t)spv__rng_next(r),
                                     (uint8_t)spv__rng_below(r, 8)),
                     SPV_OK);
    for (size_t i = 0; i < 20; i++) {
        size_t at = (size_t)spv__rng_below(r, block->len - 40);

        spv_filter_insert(&f, block->bytes + at,
                          20 + (size_t)spv__rng_below(r, 17));
    }
    return f;
}

static size_t match_block(spv_rng *r, const spv_script_block *block)
{
    spv_filter ours = some_filter(r, block);
    spv_block_reader reader;
    size_t matches = 0;
    spv_filter theirs;

    assert_int_equal(spv_filter_copy(&theirs, &ours), SPV_OK);
    assert_int_equal(spv_block_open(&reader, block->bytes, block->len), SPV_OK);
    for (uint64_t i = 0; i < reader.n_tx; i++) {
        spv_match match;
        bool found;
        spv_tx tx;

        assert_int_equal(spv_block_next(&reader, &tx), SPV_OK);
        found = spv__script_match(&theirs, &tx, SPV_BREAK_NONE);
        assert_int_equal(found, spv_filter_match(&ours, &tx, &match));
        assert_memory_equal(ours.bytes, theirs.bytes, ours.len);
        matches += found;
        spv_tx_clear(&tx);
    }
    spv_filter_clear(&ours);
    spv_filter_clear(&theirs);
    return matches;
}

/** With no rule broken it is the library's, though it shares no line with it:
 * the same matches, and the same bits afterwards. */
static void without_a_broken_rule_both_matchers_agree(void **state)
{
    spv_rng r = {1};
    size_t matches = 0;
    world w;

    (void)state;
    world_init(&w, "honest");
    for (int32_t i = 1; i <= spv__script_chain_tip(w.chain); i++)
        for (int k = 0; k < 5; k++)
            matches += match_block(&r, spv__script_chain_at(w.chain, i));
    assert_true(matches > 1000);
    world_clear(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_broken_rule_both_matchers_agree),
        cmocka_unit_test(every_rule_has_its_mutant),
        cmocka_unit_test(every_broken_rule_fails_its_check),
    };

    return cmocka_run_group_tests_name("conform.mutants", tests, NULL, NULL);
}
