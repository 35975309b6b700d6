#include "conform/recipe.h"

/* What matches, and what must not. */

#define ALGORITHM "BIP 37, filter matching algorithm: "

/* ---- Transactions ---- */

static void match_txid(spv_dialogue *d, const spv_samples *s, int arg)
{
    (void)arg;
    spv__recipe_ordinary(d, s);
}

/* ---- Outputs ---- */

static bool is_of_kind(const spv_spot *spot, const spv_txout *out,
                       const void *ctx)
{
    (void)spot;
    return spv_script_classify(out->script, out->script_len) ==
           *(const spv_script_kind *)ctx;
}

static void match_output(spv_dialogue *d, const spv_samples *s, int arg)
{
    spv_script_kind kind = (spv_script_kind)arg;
    const uint8_t *element = NULL;
    size_t len = 0;
    spv_spot spot;

    if (!spv__samples_pick_output(s, d->rng, is_of_kind, &kind, &spot)) {
        spv__dialogue_lacks(d, "no sampled block has an output of this form");
        return;
    }
    element = spv_script_element(spv__spot_output(&spot)->script,
                                 spv__spot_output(&spot)->script_len, &len);
    if (element)
        spv__recipe_element(d, element, len, SPV_FILTER_UPDATE_NONE,
                            spot.block);
}

static bool is_any_output(const spv_spot *spot, const spv_txout *out,
                          const void *ctx)
{
    (void)spot;
    (void)ctx;
    return out->script_len > 1;
}

static void miss_script(spv_dialogue *d, const spv_samples *s, int arg)
{
    spv_spot spot;

    (void)arg;
    if (!spv__samples_pick_output(s, d->rng, is_any_output, NULL, &spot)) {
        spv__dialogue_lacks(d, "no sampled block has an output");
        return;
    }
    spv__recipe_element(d, spv__spot_output(&spot)->script,
                        spv__spot_output(&spot)->script_len,
                        SPV_FILTER_UPDATE_NONE, spot.block);
}

/* ---- The table ---- */

const spv_check spv__checks_match[] = {
    {"match.txid", "a transaction matches by its txid",
     ALGORITHM "\"Test the hash of the transaction itself.\"", SPV_CONFORM_MUST,
     0, match_txid, 0},
    {"match.output-p2pkh", "a P2PKH output matches by its key hash",
     ALGORITHM
     "\"For each output, test each data element of the output script.\"",
     SPV_CONFORM_MUST, 0, match_output, SPV_SCRIPT_P2PKH},
    {"match.output-p2wpkh", "a P2WPKH output matches by its witness program",
     ALGORITHM
     "\"For each output, test each data element of the output script.\"",
     SPV_CONFORM_MUST, 0, match_output, SPV_SCRIPT_P2WPKH},
    {"match.output-p2pk", "a P2PK output matches by its public key",
     ALGORITHM
     "\"For each output, test each data element of the output script.\"",
     SPV_CONFORM_MUST, 0, match_output, SPV_SCRIPT_P2PK},
    {"nomatch.script-pubkey", "a whole output script is no data element",
     ALGORITHM "\"This means each hash and key in the output script is tested "
               "independently.\"",
     SPV_CONFORM_MUST, 0, miss_script, 0},
    {0},
};
