#include <stdlib.h>
#include <string.h>

#include <spv/witness.h>

#include "base/digest.h"
#include "conform/pushes.h"
#include "conform/recipe.h"

/*
 * What must not match: a filter of one thing that is in the block, and is no
 * element. Should the thing match all the same, by being an element elsewhere
 * in that block, then the oracle knows.
 */

#define OTHERWISE \
    "BIP 37, filter matching algorithm: \"Otherwise there is no match.\""

static void ask(spv_dialogue *d, const uint8_t *thing, size_t len,
                const spv_sample *b)
{
    spv__recipe_element(d, thing, len, SPV_FILTER_UPDATE_NONE, b);
}

/* ---- Of outputs ---- */

typedef enum output_thing {
    WHOLE_SCRIPT,
    HALF_PROGRAM, /* the first 20 of 32 bytes */
    AMOUNT,       /* as it is on the wire */
    OWN_OUTPOINT, /* which only the spender shows */
    SMALL_NUMBER  /* the 1 of OP_1, which is no push */
} output_thing;

static bool has_output_thing(const spv_spot *spot, const spv_txout *out,
                             const void *ctx)
{
    spv_script_kind kind = spv_script_classify(out->script, out->script_len);

    (void)spot;
    switch (*(const output_thing *)ctx) {
    case WHOLE_SCRIPT:
        return spv__push_count(out->script, out->script_len) > 0;
    case HALF_PROGRAM:
        return kind == SPV_SCRIPT_P2WSH || kind == SPV_SCRIPT_P2TR;
    case AMOUNT:
        return out->value > 0;
    case OWN_OUTPOINT:
        return true;
    case SMALL_NUMBER:
        return kind == SPV_SCRIPT_MULTISIG || kind == SPV_SCRIPT_P2TR;
    }
    return false;
}

static void ask_output_thing(spv_dialogue *d, output_thing thing,
                             const spv_spot *spot)
{
    const spv_txout *out = spv__spot_output(spot);
    spv_outpoint own = spv__spot_outpoint(spot);
    uint8_t bytes[SPV_OUTPOINT_LEN] = {1};

    switch (thing) {
    case WHOLE_SCRIPT:
        ask(d, out->script, out->script_len, spot->block);
        return;
    case HALF_PROGRAM:
        ask(d, out->script + 2, 20, spot->block);
        return;
    case AMOUNT:
        for (size_t i = 0; i < 8; i++)
            bytes[i] = (uint8_t)((uint64_t)out->value >> 8 * i);
        ask(d, bytes, 8, spot->block);
        return;
    case OWN_OUTPOINT:
        spv_outpoint_encode(bytes, &own);
        ask(d, bytes, sizeof(bytes), spot->block);
        return;
    case SMALL_NUMBER:
        ask(d, bytes, 1, spot->block);
        return;
    }
}

static void miss_output(spv_dialogue *d, const spv_samples *s, int arg)
{
    output_thing thing = (output_thing)arg;
    spv_spot spot;

    if (spv__samples_pick_output(s, d->rng, has_output_thing, &thing, &spot))
        ask_output_thing(d, thing, &spot);
    else
        spv__dialogue_lacks(d, "no sampled block has an output of this form");
}

/* ---- Of inputs ---- */

typedef enum input_thing {
    WHOLE_INPUT_SCRIPT,
    WITNESS_ITEM,
    WRONG_INDEX,   /* the outpoint, but of another output */
    PREVIOUS_TXID, /* without the index */
    KEY_HASH       /* of the public key that the input shows */
} input_thing;

static spv_push longest_witness(const spv_txin *in)
{
    spv_witness_reader reader;
    spv_push longest = {0};
    spv_push item = {0};

    spv_witness_open(&reader, in);
    while (spv_witness_next(&reader, &item.data, &item.len))
        if (item.len > longest.len)
            longest = item;
    return longest;
}

static bool has_input_thing(const spv_spot *spot, const spv_txin *in,
                            const void *ctx)
{
    if (spot->tx_at == 0)
        return false;
    switch (*(const input_thing *)ctx) {
    case WHOLE_INPUT_SCRIPT:
        return in->script_len > 1;
    case WITNESS_ITEM:
        return longest_witness(in).len > 1;
    case WRONG_INDEX:
    case PREVIOUS_TXID:
        return true;
    case KEY_HASH:
        return spv__push_count(in->script, in->script_len) == 2 &&
               spv__push_last(in->script, in->script_len).len == 33;
    }
    return false;
}

static void ask_input_thing(spv_dialogue *d, input_thing thing,
                            const spv_spot *spot)
{
    const spv_txin *in = spv__spot_input(spot);
    spv_outpoint prev = in->prev;
    uint8_t bytes[SPV_OUTPOINT_LEN];
    spv_push push = {0};

    switch (thing) {
    case WHOLE_INPUT_SCRIPT:
        ask(d, in->script, in->script_len, spot->block);
        return;
    case WITNESS_ITEM:
        push = longest_witness(in);
        ask(d, push.data, push.len, spot->block);
        return;
    case WRONG_INDEX:
        prev.vout ^= 0x10000;
        spv_outpoint_encode(bytes, &prev);
        ask(d, bytes, sizeof(bytes), spot->block);
        return;
    case PREVIOUS_TXID:
        ask(d, prev.txid.bytes, sizeof(prev.txid.bytes), spot->block);
        return;
    case KEY_HASH:
        push = spv__push_last(in->script, in->script_len);
        spv__hash160(bytes, push.data, push.len);
        ask(d, bytes, 20, spot->block);
        return;
    }
}

static void miss_input(spv_dialogue *d, const spv_samples *s, int arg)
{
    input_thing thing = (input_thing)arg;
    spv_spot spot;

    if (spv__samples_pick_input(s, d->rng, has_input_thing, &thing, &spot))
        ask_input_thing(d, thing, &spot);
    else
        spv__dialogue_lacks(d, "no sampled block has an input of this form");
}

/* ---- Of transactions and blocks ---- */

typedef enum hash_thing {
    REVERSED_TXID, /* as people print it */
    WTXID,
    BLOCK_HASH,
    NOTHING /* the empty string, which OP_0 pushes */
} hash_thing;

static bool has_witness(const spv_sample *b, const void *ctx)
{
    (void)ctx;
    return b->txs[b->n - 1].has_witness;
}

static void miss_hash(spv_dialogue *d, const spv_samples *s, int arg)
{
    hash_thing thing = (hash_thing)arg;
    const spv_sample *b = spv__recipe_pick(
        d, s, thing == WTXID ? has_witness : NULL, NULL,
        thing == WTXID ? SPV__LACKS_WITNESS : SPV__LACKS_BLOCKS);
    uint8_t reversed[32];

    if (!b)
        return;
    for (size_t i = 0; i < sizeof(reversed); i++)
        reversed[i] = b->txids[b->n - 1].bytes[31 - i];
    if (thing == REVERSED_TXID)
        ask(d, reversed, sizeof(reversed), b);
    else if (thing == WTXID)
        ask(d, b->txs[b->n - 1].wtxid.bytes, 32, b);
    else if (thing == BLOCK_HASH)
        ask(d, b->hash.bytes, sizeof(b->hash.bytes), b);
    else
        ask(d, reversed, 0, b);
}

/* ---- Keys and their hashes ---- */

static bool shows_key_of_hash(const spv_spend *spend, const void *ctx)
{
    const spv_txout *out = spv__spot_output(&spend->made);
    const spv_txin *in = spv__spot_input(&spend->spent);

    (void)ctx;
    return spend->made.block != spend->spent.block &&
           spv_script_classify(out->script, out->script_len) ==
               SPV_SCRIPT_P2PKH &&
           spv__push_count(in->script, in->script_len) == 2;
}

/* The key is known from the spend; the output shows its hash alone. */
static void miss_key(spv_dialogue *d, const spv_samples *s, int arg)
{
    const spv_spend *spend =
        spv__samples_pick_spend(s, d->rng, shows_key_of_hash, NULL);
    const spv_txin *in = NULL;
    spv_push key;

    (void)arg;
    if (!spend) {
        spv__dialogue_lacks(d, SPV__LACKS_SPEND);
        return;
    }
    in = spv__spot_input(&spend->spent);
    key = spv__push_last(in->script, in->script_len);
    ask(d, key.data, key.len, spend->made.block);
}

/* ---- The table ---- */

#define MISS(name, title, writer, arg)                                      \
    {                                                                       \
        "nomatch." name, title, OTHERWISE, SPV_CONFORM_MUST, 0, writer, arg \
    }

const spv_check spv__checks_nomatch[] = {
    MISS("output-script", "a whole output script is no element", miss_output,
         WHOLE_SCRIPT),
    MISS("output-part", "a part of a pushed program is no element", miss_output,
         HALF_PROGRAM),
    MISS("output-amount", "an amount is no element", miss_output, AMOUNT),
    MISS("output-small-number", "the number of OP_1 is no pushed element",
         miss_output, SMALL_NUMBER),
    MISS("output-own-outpoint",
         "an outpoint matches its spender, not who made it", miss_output,
         OWN_OUTPOINT),
    MISS("output-public-key",
         "a P2PKH output does not match by the key behind its hash", miss_key,
         0),
    MISS("input-script", "a whole input script is no element", miss_input,
         WHOLE_INPUT_SCRIPT),
    MISS("input-witness", "a witness item is no element", miss_input,
         WITNESS_ITEM),
    MISS("input-wrong-index", "an outpoint with another index does not match",
         miss_input, WRONG_INDEX),
    MISS("input-previous-txid",
         "a spend does not match by the txid alone that it spends from",
         miss_input, PREVIOUS_TXID),
    MISS("input-key-hash",
         "an input does not match by the hash of the key it shows", miss_input,
         KEY_HASH),
    MISS("txid-reversed", "a txid's bytes count in wire order", miss_hash,
         REVERSED_TXID),
    MISS("wtxid", "a wtxid is no element", miss_hash, WTXID),
    MISS("block-hash", "a block's hash is no element", miss_hash, BLOCK_HASH),
    {"nomatch.empty-push", "an empty push is not tested",
     "reference implementation: CBloomFilter::IsRelevantAndUpdate tests a push "
     "if \"data.size() != 0\"",
     SPV_CONFORM_SHOULD, 0, miss_hash, NOTHING},
    {0},
};
