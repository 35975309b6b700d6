#include <string.h>

#include "conform/recipe.h"

/* filterload, filteradd and filterclear one after another. */

#define LOAD                                                        \
    "BIP 37: \"filterload, which sets the current Bloom filter on " \
    "the connection\""
#define ADD                                                        \
    "BIP 37: \"The given data element will be added to the Bloom " \
    "filter.\""
#define CLEAR                                                      \
    "BIP 37: \"filterclear, which deletes the current filter and " \
    "goes back to regular pre-BIP37 usage\""

/* Two transactions of one block, which is what most of these are about. */
typedef struct pair {
    const spv_sample *block;
    const spv_hash *first;
    const spv_hash *second;
} pair;

static bool has_two(const spv_sample *b, const void *ctx)
{
    (void)ctx;
    return b->n >= 2;
}

static bool pick_pair(spv_dialogue *d, const spv_samples *s, pair *out)
{
    const spv_sample *b =
        spv__recipe_pick(d, s, has_two, NULL, SPV__LACKS_SIZE);
    size_t at = 0;

    if (!b)
        return false;
    at = (size_t)spv__rng_below(d->rng, b->n - 1);
    *out = (pair){b, &b->txids[at], &b->txids[at + 1]};
    return true;
}

static void load(spv_dialogue *d, const spv_hash *txid)
{
    spv_filter f;

    if (!spv__recipe_filter(d, &f, SPV_FILTER_UPDATE_NONE))
        return;
    spv_filter_insert(&f, txid->bytes, sizeof(txid->bytes));
    spv__say_filterload(d, &f);
    spv_filter_clear(&f);
}

static void add(spv_dialogue *d, const spv_hash *txid)
{
    spv__say_filteradd(d, txid->bytes, sizeof(txid->bytes));
}

static void ask(spv_dialogue *d, const pair *p)
{
    spv__ask_one(d, p->block);
    spv__end_turn(d);
}

/* ---- What is said of a pair ---- */

static void replace(spv_dialogue *d, const pair *p)
{
    load(d, p->first);
    ask(d, p);
    load(d, p->second);
    ask(d, p);
}

/* A filter takes force for what is asked behind it, with no pause between. */
static void replace_at_once(spv_dialogue *d, const pair *p)
{
    load(d, p->first);
    spv__ask_one(d, p->block);
    load(d, p->second);
    spv__ask_one(d, p->block);
    spv__end_turn(d);
}

static void add_element(spv_dialogue *d, const pair *p)
{
    load(d, p->first);
    ask(d, p);
    add(d, p->second);
    ask(d, p);
}

static void add_many(spv_dialogue *d, const pair *p)
{
    uint8_t stranger[33];

    load(d, p->first);
    for (int i = 0; i < 50; i++) {
        spv__rng_bytes(d->rng, stranger, sizeof(stranger));
        spv__say_filteradd(d, stranger, 1 + (size_t)i % sizeof(stranger));
    }
    add(d, p->second);
    ask(d, p);
}

static void clear_and_ask(spv_dialogue *d, const pair *p)
{
    load(d, p->first);
    ask(d, p);
    spv__say_filterclear(d);
    d->allows_notfound = true;
    ask(d, p);
}

static void clear_and_load(spv_dialogue *d, const pair *p)
{
    load(d, p->first);
    spv__say_filterclear(d);
    load(d, p->second);
    ask(d, p);
}

typedef enum script {
    REPLACE,
    REPLACE_AT_ONCE,
    ADD_ELEMENT,
    ADD_MANY,
    CLEAR_AND_ASK,
    CLEAR_AND_LOAD
} script;

/* `arg`: which of these is played with a pair. */
static void play_pair(spv_dialogue *d, const spv_samples *s, int arg)
{
    static void (*const scripts[])(spv_dialogue *, const pair *) = {
        [REPLACE] = replace,
        [REPLACE_AT_ONCE] = replace_at_once,
        [ADD_ELEMENT] = add_element,
        [ADD_MANY] = add_many,
        [CLEAR_AND_ASK] = clear_and_ask,
        [CLEAR_AND_LOAD] = clear_and_load,
    };
    pair p;

    if (pick_pair(d, s, &p))
        scripts[arg](d, &p);
}

/* ---- Without a pair ---- */

static bool spends(const spv_spot *spot, const spv_txin *in, const void *ctx)
{
    (void)in;
    (void)ctx;
    return spot->tx_at > 0;
}

static void add_outpoint(spv_dialogue *d, const spv_samples *s, int arg)
{
    uint8_t outpoint[SPV_OUTPOINT_LEN];
    spv_spot spot;

    (void)arg;
    if (!spv__samples_pick_input(s, d->rng, spends, NULL, &spot)) {
        spv__dialogue_lacks(d,
                            "no sampled block has a transaction that spends");
        return;
    }
    load(d, &spot.block->txids[0]);
    spv_outpoint_encode(outpoint, &spv__spot_input(&spot)->prev);
    spv__say_filteradd(d, outpoint, sizeof(outpoint));
    spv__ask_one(d, spot.block);
    spv__end_turn(d);
}

/* Nothing is there to be deleted, and nothing is wrong with that. */
static void clear_nothing(spv_dialogue *d, const spv_samples *s, int arg)
{
    (void)arg;
    spv__say_filterclear(d);
    spv__end_turn(d);
    spv__recipe_ordinary(d, s);
}

/* ---- The table ---- */

#define MUST(id, title, basis, writer, arg)                \
    {                                                      \
        id, title, basis, SPV_CONFORM_MUST, 0, writer, arg \
    }

const spv_check spv__checks_load[] = {
    MUST("load.replaces", "a second filterload replaces the first filter", LOAD,
         play_pair, REPLACE),
    MUST("load.at-once", "a filter counts for what is asked behind it", LOAD,
         play_pair, REPLACE_AT_ONCE),
    MUST("add.element", "filteradd adds to the filter that is loaded", ADD,
         play_pair, ADD_ELEMENT),
    MUST("add.outpoint", "filteradd takes an outpoint", ADD, add_outpoint, 0),
    MUST("add.many", "filteradd may come many times", ADD, play_pair, ADD_MANY),
    MUST("clear.then-ask", "after filterclear a filtered block is not answered",
         CLEAR, play_pair, CLEAR_AND_ASK),
    MUST("clear.then-load", "after filterclear a filter can be loaded", CLEAR,
         play_pair, CLEAR_AND_LOAD),
    {"clear.nothing", "filterclear without a filter does no harm",
     "reference implementation: net_processing, FILTERCLEAR",
     SPV_CONFORM_SHOULD, 0, clear_nothing, 0},
    {0},
};
