#include <string.h>

#include "conform/pushes.h"
#include "conform/recipe.h"

/*
 * What a node adds to a filter by itself, and in which order.
 *
 * Made of coins whose maker and spender are both sampled: the filter holds what
 * the coin's output pushes, and the spender shows nothing of that, so it
 * matches by the outpoint that the node has added, or not at all.
 */

#define ALL                                                                \
    "BIP 37: \"BLOOM_UPDATE_ALL (1) means if the filter matches any data " \
    "element in a scriptPubKey the outpoint is serialized and inserted "   \
    "into the filter.\""
#define NONE                                                                 \
    "BIP 37: \"BLOOM_UPDATE_NONE (0) means the filter is not adjusted when " \
    "a match is found.\""
#define P2PUBKEY                                                               \
    "BIP 37: BLOOM_UPDATE_P2PUBKEY_ONLY (2), \"only if a data element in the " \
    "scriptPubKey is matched, and that script is of the standard 'pay to "     \
    "pubkey' or 'pay to multisig' forms\""
#define ORDER                                                               \
    "BIP 37: \"By updating the bloom filter atomically in step 2 with the " \
    "discovered outpoint, the filter will match against TX 2 in step 3\""
#define SETS                                                        \
    "BIP 37: \"filterload, which sets the current Bloom filter on " \
    "the connection\""
#define REFERENCE "reference implementation: CBloomFilter::IsRelevantAndUpdate "

/* ---- Coins whose spend shows only by an update ---- */

typedef struct wish {
    bool within;          /* made and spent in one block; else in two */
    bool either;          /* that does not matter */
    spv_script_kind kind; /* SPV_SCRIPT_OTHER: any */
} wish;

static spv_push element_of(const spv_spot *output)
{
    const spv_txout *out = spv__spot_output(output);

    return spv__push_get(out->script, out->script_len, 0);
}

static bool same(spv_push a, spv_push b)
{
    return a.len == b.len && memcmp(a.data, b.data, a.len) == 0;
}

/* Of two outputs that push the same, BIP 37's words add only the first, the
 * reference implementation both. */
static bool is_first_of_its_kind(const spv_spot *output)
{
    spv_push element = element_of(output);
    spv_spot before = *output;

    while (before.at-- > 0) {
        const spv_txout *out = spv__spot_output(&before);

        if (spv__script_holds(out->script, out->script_len, element.data,
                              element.len))
            return false;
    }
    return true;
}

static bool is_wished(const spv_spend *spend, const void *ctx)
{
    const wish *w = ctx;
    const spv_txout *out = spv__spot_output(&spend->made);
    spv_push element = element_of(&spend->made);

    if (!w->either && w->within != (spend->made.block == spend->spent.block))
        return false;
    if (w->kind != SPV_SCRIPT_OTHER &&
        w->kind != spv_script_classify(out->script, out->script_len))
        return false;
    return element.len > 0 && is_first_of_its_kind(&spend->made) &&
           !spv__tx_holds(spv__spot_tx(&spend->spent), element.data,
                          element.len);
}

static const spv_spend *pick(spv_dialogue *d, const spv_samples *s,
                             const wish *w)
{
    const spv_spend *spend = spv__samples_pick_spend(s, d->rng, is_wished, w);

    if (!spend)
        spv__dialogue_lacks(d, SPV__LACKS_SPEND);
    return spend;
}

/* Load a filter of the coin's element. */
static bool load(spv_dialogue *d, const spv_spend *spend, uint8_t flags)
{
    spv_push element = element_of(&spend->made);
    spv_filter f;

    if (!spv__recipe_filter(d, &f, flags))
        return false;
    spv_filter_insert(&f, element.data, element.len);
    spv__say_filterload(d, &f);
    spv_filter_clear(&f);
    return true;
}

/* Both blocks in one getdata, or the one that both are in. */
static void ask_both(spv_dialogue *d, const spv_spend *spend)
{
    const spv_sample *blocks[] = {spend->made.block, spend->spent.block};

    spv__ask_filtered(d, blocks, blocks[0] == blocks[1] ? 1 : 2);
}

/* Load the filter, which is freed, and ask for both; a turn. */
static void load_and_ask(spv_dialogue *d, spv_filter *f, const spv_spend *spend)
{
    spv__say_filterload(d, f);
    spv_filter_clear(f);
    ask_both(d, spend);
    spv__end_turn(d);
}

/* ---- Modes ---- */

/* `arg`: flags, and the kind of the output. */
#define MODE(flags, kind) ((flags) | (kind) << 8)

static void mode(spv_dialogue *d, const spv_samples *s, int arg)
{
    wish w = {.either = true, .kind = (spv_script_kind)(arg >> 8)};
    const spv_spend *spend = pick(d, s, &w);

    if (!spend || !load(d, spend, (uint8_t)arg))
        return;
    ask_both(d, spend);
    spv__end_turn(d);
}

/* ---- Order ---- */

/* `arg`: as of `mode`, and whether both are in one block. */
#define WITHIN 0x80

static void one_request(spv_dialogue *d, const spv_samples *s, int arg)
{
    wish w = {.within = arg & WITHIN};
    const spv_spend *spend = pick(d, s, &w);

    if (!spend || !load(d, spend, (uint8_t)(arg & SPV_FILTER_UPDATE_MASK)))
        return;
    ask_both(d, spend);
    spv__end_turn(d);
}

static void across_requests(spv_dialogue *d, const spv_samples *s, int arg)
{
    wish w = {.within = false};
    const spv_spend *spend = pick(d, s, &w);

    if (!spend || !load(d, spend, (uint8_t)arg))
        return;
    spv__ask_one(d, spend->made.block);
    spv__end_turn(d);
    spv__ask_one(d, spend->spent.block);
    spv__end_turn(d);
}

/* The spender's block first: nothing of it is known then, and is later. */
static void reversed(spv_dialogue *d, const spv_samples *s, int arg)
{
    wish w = {.within = false};
    const spv_spend *spend = pick(d, s, &w);

    if (!spend || !load(d, spend, (uint8_t)arg))
        return;
    spv__ask_one(d, spend->spent.block);
    spv__ask_one(d, spend->made.block);
    spv__end_turn(d);
    spv__ask_one(d, spend->spent.block);
    spv__end_turn(d);
}

/* ---- What else is said between ---- */

static void reloaded(spv_dialogue *d, const spv_samples *s, int arg)
{
    wish w = {.either = true};
    const spv_spend *spend = pick(d, s, &w);

    (void)arg;
    if (!spend || !load(d, spend, SPV_FILTER_UPDATE_ALL))
        return;
    spv__ask_one(d, spend->made.block);
    spv__end_turn(d);
    if (!load(d, spend, SPV_FILTER_UPDATE_NONE))
        return;
    spv__ask_one(d, spend->spent.block);
    spv__end_turn(d);
}

static void added_to(spv_dialogue *d, const spv_samples *s, int arg)
{
    wish w = {.within = false};
    const spv_spend *spend = pick(d, s, &w);
    uint8_t stranger[20];

    (void)arg;
    if (!spend || !load(d, spend, SPV_FILTER_UPDATE_ALL))
        return;
    spv__ask_one(d, spend->made.block);
    spv__end_turn(d);
    spv__rng_bytes(d->rng, stranger, sizeof(stranger));
    spv__say_filteradd(d, stranger, sizeof(stranger));
    spv__ask_one(d, spend->spent.block);
    spv__end_turn(d);
}

/* ---- What is added, and what is not ---- */

/* By which other way than the coin's output its maker matches. */
typedef enum other_way {
    BY_TXID,
    BY_INPUT,
    BY_SIBLING /* another output of it, which pushes something else */
} other_way;

static bool is_spent_by(const spv_spot *output, const spv_tx *tx)
{
    const spv_outpoint at = {spv__spot_tx(output)->txid, (uint32_t)output->at};

    for (size_t i = 0; i < tx->n_in; i++)
        if (spv_outpoint_equal(&tx->in[i].prev, &at))
            return true;
    return false;
}

/* Another output of the maker that the spender does not spend, and whose
 * element neither the coin's output nor the spender has; `n_out` if there is
 * none. */
static size_t find_sibling(const spv_spend *spend)
{
    const spv_tx *spender = spv__spot_tx(&spend->spent);
    spv_push own = element_of(&spend->made);
    spv_spot sibling = spend->made;
    size_t n = spv__spot_tx(&sibling)->n_out;

    for (sibling.at = 0; sibling.at < n; sibling.at++) {
        spv_push e = element_of(&sibling);

        if (e.len > 0 && (own.len == 0 || !same(e, own)) &&
            !spv__tx_holds(spender, e.data, e.len) &&
            !is_spent_by(&sibling, spender))
            return sibling.at;
    }
    return n;
}

static bool has_other_way(const spv_spend *spend, const void *ctx)
{
    switch (*(const other_way *)ctx) {
    case BY_TXID:
        return true;
    case BY_INPUT:
        return spend->made.tx_at > 0;
    case BY_SIBLING:
        return find_sibling(spend) < spv__spot_tx(&spend->made)->n_out;
    }
    return false;
}

static void insert_way(spv_filter *f, const spv_spend *spend, other_way way)
{
    const spv_tx *maker = spv__spot_tx(&spend->made);
    spv_spot sibling = spend->made;
    spv_push e;

    switch (way) {
    case BY_TXID:
        spv_filter_insert(f, maker->txid.bytes, sizeof(maker->txid.bytes));
        return;
    case BY_INPUT:
        spv_filter_insert_outpoint(f, &maker->in[0].prev);
        return;
    case BY_SIBLING:
        sibling.at = find_sibling(spend);
        e = element_of(&sibling);
        spv_filter_insert(f, e.data, e.len);
        return;
    }
}

/* The maker matches, the coin's output does not: its spend must not show. */
static void adds_nothing(spv_dialogue *d, const spv_samples *s, int arg)
{
    other_way way = (other_way)arg;
    const spv_spend *spend =
        spv__samples_pick_spend(s, d->rng, has_other_way, &way);
    spv_filter f;

    if (!spend) {
        spv__dialogue_lacks(d, SPV__LACKS_SPEND);
        return;
    }
    if (!spv__recipe_filter(d, &f, SPV_FILTER_UPDATE_ALL))
        return;
    insert_way(&f, spend, way);
    load_and_ask(d, &f, spend);
}

/* "Once a match is found the algorithm aborts", says BIP 37; the reference
 * implementation looks at all outputs, and adds each that matches. */
static void with_txid(spv_dialogue *d, const spv_samples *s, int arg)
{
    wish w = {.either = true};
    const spv_spend *spend = pick(d, s, &w);
    const spv_tx *maker = NULL;
    spv_push element;
    spv_filter f;

    (void)arg;
    if (!spend || !spv__recipe_filter(d, &f, SPV_FILTER_UPDATE_ALL))
        return;
    maker = spv__spot_tx(&spend->made);
    element = element_of(&spend->made);
    spv_filter_insert(&f, maker->txid.bytes, sizeof(maker->txid.bytes));
    spv_filter_insert(&f, element.data, element.len);
    load_and_ask(d, &f, spend);
}

static bool is_of_second_output(const spv_spend *spend, const void *ctx)
{
    spv_spot first = spend->made;

    first.at = 0;
    return spend->made.at > 0 && element_of(&first).len > 0 &&
           is_wished(spend, ctx);
}

static void every_output(spv_dialogue *d, const spv_samples *s, int arg)
{
    wish w = {.either = true};
    const spv_spend *spend =
        spv__samples_pick_spend(s, d->rng, is_of_second_output, &w);
    spv_spot spot;
    spv_filter f;

    (void)arg;
    if (!spend) {
        spv__dialogue_lacks(d, SPV__LACKS_SPEND);
        return;
    }
    if (!spv__recipe_filter(d, &f, SPV_FILTER_UPDATE_ALL))
        return;
    for (spot = spend->made, spot.at = 0; spot.at <= spend->made.at;
         spot.at++) {
        spv_push e = element_of(&spot);

        if (e.len > 0)
            spv_filter_insert(&f, e.data, e.len);
    }
    load_and_ask(d, &f, spend);
}

/* ---- The table ---- */

#define MUST(name, title, basis, writer, arg)                          \
    {                                                                  \
        "update." name, title, basis, SPV_CONFORM_MUST, 0, writer, arg \
    }
#define SHOULD(name, title, basis, writer, arg)                          \
    {                                                                    \
        "update." name, title, basis, SPV_CONFORM_SHOULD, 0, writer, arg \
    }

const spv_check spv__checks_update[] = {
    MUST("all-within-a-block",
         "with UPDATE_ALL a spend later in the same block matches", ALL,
         one_request, WITHIN | SPV_FILTER_UPDATE_ALL),
    MUST("all-across-blocks",
         "with UPDATE_ALL a spend in a later block of one request matches",
         ORDER, one_request, SPV_FILTER_UPDATE_ALL),
    MUST("all-across-requests",
         "with UPDATE_ALL a spend in a block asked for later matches", ORDER,
         across_requests, SPV_FILTER_UPDATE_ALL),
    MUST("all-reversed-requests",
         "a spend asked for before its coin was seen matches only afterwards",
         ORDER, reversed, SPV_FILTER_UPDATE_ALL),
    MUST("all-p2pkh", "with UPDATE_ALL a P2PKH coin is added", ALL, mode,
         MODE(SPV_FILTER_UPDATE_ALL, SPV_SCRIPT_P2PKH)),
    MUST("all-p2sh", "with UPDATE_ALL a P2SH coin is added", ALL, mode,
         MODE(SPV_FILTER_UPDATE_ALL, SPV_SCRIPT_P2SH)),
    MUST("all-p2wpkh", "with UPDATE_ALL a P2WPKH coin is added", ALL, mode,
         MODE(SPV_FILTER_UPDATE_ALL, SPV_SCRIPT_P2WPKH)),
    MUST("all-p2tr", "with UPDATE_ALL a P2TR coin is added", ALL, mode,
         MODE(SPV_FILTER_UPDATE_ALL, SPV_SCRIPT_P2TR)),
    MUST("none", "with UPDATE_NONE nothing is added", NONE, mode,
         MODE(SPV_FILTER_UPDATE_NONE, SPV_SCRIPT_OTHER)),
    MUST("none-across-requests",
         "with UPDATE_NONE nothing is remembered for a later request", NONE,
         across_requests, SPV_FILTER_UPDATE_NONE),
    MUST("p2pubkey-p2pk", "with UPDATE_P2PUBKEY_ONLY a P2PK coin is added",
         P2PUBKEY, mode,
         MODE(SPV_FILTER_UPDATE_P2PUBKEY_ONLY, SPV_SCRIPT_P2PK)),
    MUST("p2pubkey-multisig",
         "with UPDATE_P2PUBKEY_ONLY a bare multisig coin is added", P2PUBKEY,
         mode, MODE(SPV_FILTER_UPDATE_P2PUBKEY_ONLY, SPV_SCRIPT_MULTISIG)),
    MUST("p2pubkey-p2pkh",
         "with UPDATE_P2PUBKEY_ONLY a P2PKH coin is not added", P2PUBKEY, mode,
         MODE(SPV_FILTER_UPDATE_P2PUBKEY_ONLY, SPV_SCRIPT_P2PKH)),
    MUST("p2pubkey-p2sh", "with UPDATE_P2PUBKEY_ONLY a P2SH coin is not added",
         P2PUBKEY, mode,
         MODE(SPV_FILTER_UPDATE_P2PUBKEY_ONLY, SPV_SCRIPT_P2SH)),
    MUST("p2pubkey-p2wpkh",
         "with UPDATE_P2PUBKEY_ONLY a P2WPKH coin is not added", P2PUBKEY, mode,
         MODE(SPV_FILTER_UPDATE_P2PUBKEY_ONLY, SPV_SCRIPT_P2WPKH)),
    MUST("p2pubkey-p2tr", "with UPDATE_P2PUBKEY_ONLY a P2TR coin is not added",
         P2PUBKEY, mode,
         MODE(SPV_FILTER_UPDATE_P2PUBKEY_ONLY, SPV_SCRIPT_P2TR)),
    MUST("txid-adds-nothing", "a match by txid adds no outpoint", ALL,
         adds_nothing, BY_TXID),
    MUST("input-adds-nothing", "a match by an input adds no outpoint", ALL,
         adds_nothing, BY_INPUT),
    MUST("sibling-adds-nothing", "only the output that matches is added", ALL,
         adds_nothing, BY_SIBLING),
    MUST("filterload-forgets", "a new filter knows nothing of what was added",
         SETS, reloaded, 0),
    MUST(
        "filteradd-keeps", "filteradd leaves what was added by the node",
        "BIP 37: \"The given data element will be added to the Bloom filter.\"",
        added_to, 0),
    SHOULD("txid-and-output",
           "outputs are tested and added although the txid matched",
           REFERENCE "tests them all, where BIP 37 says that it aborts",
           with_txid, 0),
    SHOULD("every-output", "every output that matches is added",
           REFERENCE "tests them all, where BIP 37 says that it aborts",
           every_output, 0),
    SHOULD("flags-3", "with flags of 3 nothing is added",
           REFERENCE "compares with BLOOM_UPDATE_MASK", mode,
           MODE(3, SPV_SCRIPT_OTHER)),
    SHOULD("flags-high-bits", "unknown flags do not hide UPDATE_ALL",
           REFERENCE "compares with BLOOM_UPDATE_MASK", mode,
           MODE(0xf1, SPV_SCRIPT_OTHER)),
    {0},
};
