#include <string.h>

#include "conform/pushes.h"
#include "conform/recipe.h"

/* What matches: a filter of one element, asked about the block that holds it.
 */

#define STEPS "BIP 37, filter matching algorithm: "

/* ---- Txids ---- */

static void match_txid(spv_dialogue *d, const spv_samples *s, int coinbase)
{
    const spv_sample *b = spv__recipe_any(d, s);
    size_t at = 0;

    if (!b)
        return;
    if (!coinbase)
        at = (size_t)spv__rng_below(d->rng, b->n);
    spv__recipe_element(d, b->txids[at].bytes, sizeof(b->txids[at].bytes),
                        SPV_FILTER_UPDATE_NONE, b);
}

/* ---- Outputs ---- */

static bool is_of_kind(const spv_spot *spot, const spv_txout *out,
                       const void *ctx)
{
    (void)spot;
    return spv_script_classify(out->script, out->script_len) ==
               *(const spv_script_kind *)ctx &&
           spv__push_count(out->script, out->script_len) > 0;
}

/* `arg` is the kind, or -kind for the last push rather than the first. */
static void match_output(spv_dialogue *d, const spv_samples *s, int arg)
{
    spv_script_kind kind = (spv_script_kind)(arg < 0 ? -arg : arg);
    const spv_txout *out = NULL;
    spv_push push;
    spv_spot spot;

    if (!spv__samples_pick_output(s, d->rng, is_of_kind, &kind, &spot)) {
        spv__dialogue_lacks(d, "no sampled block has an output of this form");
        return;
    }
    out = spv__spot_output(&spot);
    push = arg < 0 ? spv__push_last(out->script, out->script_len)
                   : spv__push_get(out->script, out->script_len, 0);
    spv__recipe_element(d, push.data, push.len, SPV_FILTER_UPDATE_NONE,
                        spot.block);
}

/* ---- Inputs ---- */

static bool spends(const spv_spot *spot, const spv_txin *in, const void *ctx)
{
    (void)in;
    (void)ctx;
    return spot->tx_at > 0; /* the first one is the coinbase */
}

static void match_outpoint(spv_dialogue *d, const spv_samples *s, int coinbase)
{
    uint8_t outpoint[SPV_OUTPOINT_LEN];
    spv_spot spot = {.block = spv__samples_pick(s, d->rng, NULL, NULL)};

    if (!spot.block || (!coinbase && !spv__samples_pick_input(s, d->rng, spends,
                                                              NULL, &spot))) {
        spv__dialogue_lacks(d,
                            "no sampled block has a transaction that spends");
        return;
    }
    spv_outpoint_encode(outpoint, &spv__spot_input(&spot)->prev);
    spv__recipe_element(d, outpoint, sizeof(outpoint), SPV_FILTER_UPDATE_NONE,
                        spot.block);
}

/* What an input script's pushes look like. */
typedef enum input_form {
    FORM_SIGNATURE,  /* of P2PKH: a signature, then a key */
    FORM_PUBLIC_KEY, /* the same, the other push */
    FORM_REDEEM,     /* of P2SH: the last push is the script */
    FORM_COINBASE
} input_form;

static bool is_key(spv_push p)
{
    return (p.len == 33 && (p.data[0] == 2 || p.data[0] == 3)) ||
           (p.len == 65 && p.data[0] == 4);
}

static bool has_signature_and_key(const spv_txin *in)
{
    return spv__push_count(in->script, in->script_len) == 2 &&
           is_key(spv__push_get(in->script, in->script_len, 1)) &&
           spv__push_get(in->script, in->script_len, 0).data[0] == 0x30;
}

static bool is_of_form(const spv_spot *spot, const spv_txin *in,
                       const void *ctx)
{
    switch (*(const input_form *)ctx) {
    case FORM_SIGNATURE:
    case FORM_PUBLIC_KEY:
        return spot->tx_at > 0 && has_signature_and_key(in);
    case FORM_REDEEM:
        return spot->tx_at > 0 && !has_signature_and_key(in) &&
               spv__push_last(in->script, in->script_len).len >= 20;
    case FORM_COINBASE:
        return spot->tx_at == 0 &&
               spv__push_count(in->script, in->script_len) > 0;
    }
    return false;
}

static void match_input(spv_dialogue *d, const spv_samples *s, int arg)
{
    input_form form = (input_form)arg;
    const spv_txin *in = NULL;
    spv_push push;
    spv_spot spot;

    if (!spv__samples_pick_input(s, d->rng, is_of_form, &form, &spot)) {
        spv__dialogue_lacks(d, "no sampled block has an input of this form");
        return;
    }
    in = spv__spot_input(&spot);
    push = form == FORM_SIGNATURE || form == FORM_COINBASE
               ? spv__push_get(in->script, in->script_len, 0)
               : spv__push_last(in->script, in->script_len);
    spv__recipe_element(d, push.data, push.len, SPV_FILTER_UPDATE_NONE,
                        spot.block);
}

/* ---- Several ---- */

static bool has_some(const spv_sample *b, const void *ctx)
{
    return b->n >= *(const size_t *)ctx;
}

/* Every second transaction of a block, by whatever it can be found. */
static void match_several(spv_dialogue *d, const spv_samples *s, int arg)
{
    const size_t least = (size_t)arg;
    const spv_sample *b =
        spv__recipe_pick(d, s, has_some, &least, SPV__LACKS_SIZE);
    spv_filter f;

    if (!b || !spv__recipe_filter(d, &f, SPV_FILTER_UPDATE_NONE))
        return;
    for (size_t i = 0; i < b->n; i += 2) {
        const spv_txout *out = &b->txs[i].out[0];
        spv_push push = spv__push_get(out->script, out->script_len, 0);

        if (push.len > 0 && i % 4 == 0)
            spv_filter_insert(&f, push.data, push.len);
        else
            spv_filter_insert(&f, b->txids[i].bytes, 32);
    }
    spv__recipe_ask(d, &f, b);
}

/* ---- The table ---- */

#define TXID STEPS "\"Test the hash of the transaction itself.\""
#define OUTPUTS                                                      \
    STEPS "\"For each output, test each data element of the output " \
          "script.\""
#define OUTPOINTS \
    STEPS "\"For each input, test the serialized COutPoint structure.\""
#define INPUTS                                                     \
    STEPS "\"For each input, test each data element of the input " \
          "script\""
#define MATCH(name, title, basis, writer, arg)                        \
    {                                                                 \
        "match." name, title, basis, SPV_CONFORM_MUST, 0, writer, arg \
    }

const spv_check spv__checks_match[] = {
    MATCH("txid", "a transaction matches by its txid", TXID, match_txid, 0),
    MATCH("coinbase-txid", "a coinbase matches by its txid", TXID, match_txid,
          1),
    MATCH("output-p2pk", "a P2PK output matches by its public key", OUTPUTS,
          match_output, SPV_SCRIPT_P2PK),
    MATCH("output-multisig-first-key",
          "a bare multisig output matches by its first key", OUTPUTS,
          match_output, SPV_SCRIPT_MULTISIG),
    MATCH("output-multisig-last-key",
          "a bare multisig output matches by its last key", OUTPUTS,
          match_output, -SPV_SCRIPT_MULTISIG),
    MATCH("output-p2pkh", "a P2PKH output matches by its key hash", OUTPUTS,
          match_output, SPV_SCRIPT_P2PKH),
    MATCH("output-p2sh", "a P2SH output matches by its script hash", OUTPUTS,
          match_output, SPV_SCRIPT_P2SH),
    MATCH("output-p2wpkh", "a P2WPKH output matches by its witness program",
          OUTPUTS, match_output, SPV_SCRIPT_P2WPKH),
    MATCH("output-p2wsh", "a P2WSH output matches by its witness program",
          OUTPUTS, match_output, SPV_SCRIPT_P2WSH),
    MATCH("output-p2tr", "a P2TR output matches by its output key", OUTPUTS,
          match_output, SPV_SCRIPT_P2TR),
    MATCH("output-op-return", "an OP_RETURN output matches by its data",
          OUTPUTS, match_output, SPV_SCRIPT_NULLDATA),
    MATCH("output-nonstandard", "any other output matches by what it pushes",
          OUTPUTS, match_output, SPV_SCRIPT_OTHER),
    MATCH("outpoint", "a spend matches by the outpoint that it spends",
          OUTPOINTS, match_outpoint, 0),
    MATCH("coinbase-outpoint", "a coinbase matches by its null outpoint",
          OUTPOINTS, match_outpoint, 1),
    MATCH("input-signature", "an input matches by a signature in its script",
          INPUTS, match_input, FORM_SIGNATURE),
    MATCH("input-public-key", "an input matches by a public key in its script",
          INPUTS, match_input, FORM_PUBLIC_KEY),
    MATCH("input-redeem-script",
          "an input matches by a redeem script in its script", INPUTS,
          match_input, FORM_REDEEM),
    MATCH("input-coinbase", "a coinbase matches by what its script pushes",
          INPUTS, match_input, FORM_COINBASE),
    MATCH("several", "several transactions of a block match, each by its own",
          STEPS "\"To determine if a transaction matches the filter\"",
          match_several, 4),
    {0},
};
