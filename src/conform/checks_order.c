#include <stdlib.h>
#include <string.h>

#include "conform/oracle.h"
#include "conform/recipe.h"

/* What is asked in one request or several, and in which order it is answered.
 */

#define REFERENCE "reference implementation: net_processing, "
#define IN_ORDER  REFERENCE "ProcessGetData serves one item after the other"

enum { BATCH = 100 };

/* A filter that some transactions of several blocks match: strict, so that
 * the order counts. */
static bool load_some(spv_dialogue *d, const spv_sample *const *blocks,
                      size_t n)
{
    spv_filter f;

    if (!spv__recipe_filter(d, &f, SPV_FILTER_UPDATE_NONE))
        return false;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < blocks[i]->n && k < 3; k++)
            spv_filter_insert(&f, blocks[i]->txids[blocks[i]->n - 1 - k].bytes,
                              32);
    d->strict = true;
    spv__say_filterload(d, &f);
    spv_filter_clear(&f);
    return true;
}

/* ---- One block ---- */

static bool has_four(const spv_sample *b, const void *ctx)
{
    (void)ctx;
    return b->n >= 4;
}

static void txs_in_order(spv_dialogue *d, const spv_samples *s, int arg)
{
    const spv_sample *b =
        spv__recipe_pick(d, s, has_four, NULL, SPV__LACKS_SIZE);

    (void)arg;
    if (!b || !load_some(d, &b, 1))
        return;
    spv__ask_one(d, b);
    spv__end_turn(d);
}

static bool has_witness_tx(const spv_sample *b, const void *ctx)
{
    (void)ctx;
    return b->n > 1 && b->txs[b->n - 1].has_witness;
}

static void without_witness(spv_dialogue *d, const spv_samples *s, int arg)
{
    const spv_sample *b =
        spv__recipe_pick(d, s, has_witness_tx, NULL, SPV__LACKS_WITNESS);

    (void)arg;
    if (!b || !load_some(d, &b, 1))
        return;
    spv__ask_one(d, b);
    spv__end_turn(d);
}

/* The same block again: BIP 37 lets a node leave out what the client has. */
static void sent_again(spv_dialogue *d, const spv_samples *s, int arg)
{
    const spv_sample *b = spv__recipe_any(d, s);

    (void)arg;
    if (!b || !load_some(d, &b, 1))
        return;
    spv__ask_one(d, b);
    spv__end_turn(d);
    d->n_given = 0;
    spv__ask_one(d, b);
    spv__end_turn(d);
}

/* ---- Several ---- */

typedef enum several {
    ASCENDING,
    DESCENDING,
    TWICE_THE_SAME,
    EACH_ITS_OWN /* requests, all before the first answer */
} several;

static size_t choose_blocks(spv_dialogue *d, const spv_samples *s,
                            const spv_sample **blocks, size_t most)
{
    size_t n = s->n < most ? s->n : most;
    size_t first = (size_t)spv__rng_below(d->rng, s->n - n + 1);

    for (size_t i = 0; i < n; i++)
        blocks[i] = &s->item[first + i];
    return n;
}

static void reverse(const spv_sample **blocks, size_t n)
{
    for (size_t i = 0; i < n / 2; i++) {
        const spv_sample *b = blocks[i];

        blocks[i] = blocks[n - 1 - i];
        blocks[n - 1 - i] = b;
    }
}

static void ask_several(spv_dialogue *d, const spv_samples *s, int arg)
{
    const spv_sample *blocks[8];
    size_t n = choose_blocks(d, s, blocks, 8);

    if (n < 2) {
        spv__dialogue_lacks(d, SPV__LACKS_BLOCKS);
        return;
    }
    if ((several)arg == DESCENDING)
        reverse(blocks, n);
    if ((several)arg == TWICE_THE_SAME) {
        blocks[1] = blocks[0];
        n = 2;
    }
    if (!load_some(d, blocks, n))
        return;
    if ((several)arg == EACH_ITS_OWN)
        for (size_t i = 0; i < n; i++)
            spv__ask_one(d, blocks[i]);
    else
        spv__ask_filtered(d, blocks, n);
    spv__end_turn(d);
}

static void ask_batch(spv_dialogue *d, const spv_samples *s, int arg)
{
    const spv_sample *blocks[BATCH];
    size_t n = choose_blocks(d, s, blocks, BATCH);

    (void)arg;
    if (n < 10) {
        spv__dialogue_lacks(d, "fewer than ten blocks could be sampled");
        return;
    }
    if (!load_some(d, blocks, n))
        return;
    spv__ask_filtered(d, blocks, n);
    spv__end_turn(d);
}

/* A block filtered, whole, and filtered again, by one getdata. */
static void ask_mixed(spv_dialogue *d, const spv_samples *s, int arg)
{
    const spv_sample *b = spv__recipe_any(d, s);
    spv_inv items[3];
    size_t mark = 0;

    (void)arg;
    if (!b || !load_some(d, &b, 1))
        return;
    for (size_t i = 0; i < 3; i++)
        items[i] = (spv_inv){SPV_INV_FILTERED_BLOCK, b->hash};
    items[1].type = SPV_INV_WITNESS_BLOCK;
    spv__say_getdata(d, items, 3,
                     "getdata for a block filtered, whole, and "
                     "filtered again");
    spv__oracle_answer(d, b);
    mark = spv__reply_begin(d);
    spv__put_bytes(&d->payloads, b->bytes, b->len);
    spv__reply_end(d, SPV_MSG_BLOCK, mark);
    spv__oracle_answer(d, b);
    spv__end_turn(d);
}

/* ---- Blocks that are not answered ---- */

/* BIP 37: "If no filter has been set on the connection, a request for filtered
 * blocks is ignored." */
static void without_filter(spv_dialogue *d, const spv_samples *s, int notfound)
{
    const spv_sample *b = spv__recipe_any(d, s);

    if (!b)
        return;
    spv__ask_one(d, b);
    d->allows_notfound = notfound;
    spv__end_turn(d);
    spv__recipe_ordinary(d, s);
}

static void unknown_block(spv_dialogue *d, const spv_samples *s, int notfound)
{
    const spv_sample *b = spv__recipe_any(d, s);
    spv_inv items[2] = {{.type = SPV_INV_FILTERED_BLOCK}};

    if (!b || !load_some(d, &b, 1))
        return;
    spv__rng_bytes(d->rng, items[0].hash.bytes, sizeof(items[0].hash.bytes));
    items[1] = (spv_inv){SPV_INV_FILTERED_BLOCK, b->hash};
    spv__say_getdata(d, items, 2,
                     "getdata for a filtered block that nobody "
                     "has, and for one that it has");
    spv__oracle_answer(d, b);
    d->allows_notfound = notfound;
    spv__end_turn(d);
}

/* BIP 144 reserves the type; some nodes answer it. */
static void filtered_witness(spv_dialogue *d, const spv_samples *s, int arg)
{
    const spv_sample *b =
        spv__recipe_pick(d, s, has_witness_tx, NULL, SPV__LACKS_WITNESS);
    spv_inv item = {.type = SPV_INV_FILTERED_WITNESS_BLOCK};

    (void)arg;
    if (!b || !load_some(d, &b, 1))
        return;
    item.hash = b->hash;
    spv__say_getdata(d, &item, 1, "getdata of type MSG_FILTERED_WITNESS_BLOCK");
    spv__end_turn(d);
}

/* ---- The table ---- */

#define SHOULD(id, title, basis, writer, arg)                \
    {                                                        \
        id, title, basis, SPV_CONFORM_SHOULD, 0, writer, arg \
    }

const spv_check spv__checks_order[] = {
    SHOULD("order.transactions",
           "transactions follow their merkleblock in block order, then the "
           "pong",
           REFERENCE "ProcessGetBlockData", txs_in_order, 0),
    SHOULD("order.blocks", "blocks are answered in the order of the request",
           IN_ORDER, ask_several, ASCENDING),
    SHOULD("order.blocks-descending",
           "blocks are answered in the order of the request, newest first",
           IN_ORDER, ask_several, DESCENDING),
    SHOULD("order.same-block-twice",
           "a block that one request names twice is answered twice", IN_ORDER,
           ask_several, TWICE_THE_SAME),
    SHOULD("order.requests",
           "requests that are not waited for keep their order", IN_ORDER,
           ask_several, EACH_ITS_OWN),
    SHOULD("order.hundred-blocks", "a hundred blocks in one request", IN_ORDER,
           ask_batch, 0),
    SHOULD("order.mixed-types",
           "one request may name blocks filtered and whole", IN_ORDER,
           ask_mixed, 0),
    SHOULD("tx.without-witness",
           "transactions of a filtered block come without witness",
           REFERENCE "ProcessGetBlockData sends them with TX_NO_WITNESS",
           without_witness, 0),
    {"tx.sent-again", "a transaction that was sent before is sent again",
     "BIP 37 lets a node leave out what the client has received; the reference "
     "implementation does not",
     SPV_CONFORM_INFORMATIONAL, 0, sent_again, 0},
    {"getdata.without-filter",
     "a filtered block is not answered without a filter, and the connection "
     "serves on",
     "BIP 37: \"If no filter has been set on the connection, a request for "
     "filtered blocks is ignored.\"",
     SPV_CONFORM_MUST, 0, without_filter, true},
    {"getdata.without-filter-silence",
     "without a filter not even notfound comes",
     REFERENCE "ProcessGetData sends notfound for transactions only",
     SPV_CONFORM_INFORMATIONAL, 0, without_filter, false},
    SHOULD("getdata.unknown-block",
           "an unknown block does not keep others from being answered",
           REFERENCE "ProcessGetBlockData passes over blocks it does not have",
           unknown_block, true),
    {"getdata.unknown-block-silence",
     "an unknown block is answered by nothing, not even notfound",
     REFERENCE "ProcessGetData sends notfound for transactions only",
     SPV_CONFORM_INFORMATIONAL, 0, unknown_block, false},
    {"getdata.filtered-witness-block",
     "MSG_FILTERED_WITNESS_BLOCK is answered by nothing",
     "BIP 144: \"A further inv type MSG_FILTERED_WITNESS_BLOCK ... is reserved "
     "for future use.\"",
     SPV_CONFORM_INFORMATIONAL, 0, filtered_witness, 0},
    {0},
};
