#include "vectors/kinds_chain.h"

#include <stdlib.h>
#include <string.h>

#include <spv/chain.h>

#include "chain/pow.h"
#include "chain/rules.h"
#include "chain/tree.h"

/* Fields ------------------------------------------------------------------ */

const spv_network *spv__field_network(spv_case *c)
{
    const spv_network *network = spv_network_find(spv__case_text(c, "network"));

    if (network)
        return network;
    spv__expect_text(c, "network", "unknown", spv__case_text(c, "network"));
    return spv_network_get(SPV_MAIN);
}

int32_t spv__field_height(spv_case *c, const char *field)
{
    return (int32_t)spv__case_count(c, field, HEIGHT_MAX);
}

static uint32_t hex_value(const char *text)
{
    return (uint32_t)strtoul(text, NULL, 16);
}

uint32_t spv__field_hex_u32(spv_case *c, const char *field)
{
    return hex_value(spv__case_text(c, field));
}

/** A number that a field tells once more, in hex. */
void spv__expect_hex(spv_case *c, const char *field, int64_t number)
{
    spv__expect_int(c, field, spv__field_hex_u32(c, field), number);
}

/** A hex number, most significant digit first: the display form of a hash. */
spv_u256 spv__field_number(spv_case *c, const char *field)
{
    spv_hash bytes = spv__case_hash(c, field);

    return spv__u256_of_hash(&bytes);
}

void spv__expect_number(spv_case *c, const char *what, spv_u256 got,
                        spv_u256 want)
{
    spv_hash got_bytes;
    spv_hash want_bytes;

    spv__u256_to_hash(&got_bytes, got);
    spv__u256_to_hash(&want_bytes, want);
    spv__expect_hash(c, what, &got_bytes, &want_bytes);
}

/** 80 bytes of a header, zeros when the vector has something else. */
const uint8_t *spv__header_bytes(spv_case *c, spv_view v)
{
    static const uint8_t zeros[SPV_HEADER_LEN];

    spv__expect_int(c, "length of the header", (int64_t)v.len, SPV_HEADER_LEN);
    return v.len == SPV_HEADER_LEN ? v.bytes : zeros;
}

const uint8_t *spv__field_header(spv_case *c, const char *field)
{
    return spv__header_bytes(c, spv__case_hex(c, field));
}

spv_header spv__decoded_header(const uint8_t *bytes)
{
    spv_header h;

    spv_header_decode(&h, bytes);
    return h;
}

spv_hash spv__hash_of_header(const uint8_t *bytes)
{
    spv_hash hash;

    spv_header_hash(&hash, bytes);
    return hash;
}

void spv__expect_hash_field(spv_case *c, const char *field, const spv_hash *got)
{
    spv_hash want = spv__case_hash(c, field);

    spv__expect_hash(c, field, got, &want);
}

/* Headers ----------------------------------------------------------------- */

static void expect_header(spv_case *c, const uint8_t *bytes)
{
    spv_header h = spv__decoded_header(bytes);
    spv_hash hash = spv__hash_of_header(bytes);
    uint8_t again[SPV_HEADER_LEN];

    spv_header_encode(again, &h);
    spv__expect_bytes(c, "header again", again, sizeof(again),
                      (spv_view){bytes, SPV_HEADER_LEN});
    spv__expect_int(c, "version", h.version, spv__case_int(c, "version"));
    spv__expect_int(c, "time", h.time, spv__case_int(c, "time"));
    spv__expect_int(c, "bits", h.bits, spv__case_int(c, "bits"));
    spv__expect_hex(c, "bits_hex", h.bits);
    spv__expect_int(c, "nonce", h.nonce, spv__case_int(c, "nonce"));
    spv__expect_hash_field(c, "prev", &h.prev);
    spv__expect_hash_field(c, "merkle_root", &h.merkle_root);
    spv__expect_hash_field(c, "hash", &hash);
    spv__expect_true(c, "proof of work",
                     spv_pow_check(&hash, h.bits, spv__field_network(c)));
}

static void genesis(spv_case *c)
{
    const spv_network *network = spv__field_network(c);
    const uint8_t *bytes = spv__field_header(c, "header");

    expect_header(c, bytes);
    spv__expect_bytes(c, "our genesis", network->genesis, SPV_HEADER_LEN,
                      spv__case_hex(c, "header"));
    spv__expect_hash_field(c, "hash", &network->genesis_hash);
}

static spv_header_tree *tree_of(spv_case *c, const spv_network *network,
                                const spv_checkpoint *base)
{
    spv_header_tree *tree = NULL;

    spv__expect_ok(
        c, "tree",
        spv__tree_new(&tree, &(spv_tree_config){.network = network,
                                                .base = base,
                                                .no_checkpoints = true}));
    return tree;
}

static spv_verdict add(spv_header_tree *tree, const uint8_t *bytes)
{
    spv_tree_change change;

    return spv__tree_add(tree, bytes, LATE, &change);
}

static void expect_added(spv_case *c, spv_header_tree *tree,
                         const uint8_t *bytes)
{
    spv__expect_text(c, "verdict", spv_verdict_text(add(tree, bytes)),
                     spv_verdict_text(SPV_VERDICT_ADDED));
}

/** Add the headers of the vectors of this kind up to `height`, from genesis. */
static void add_up_to(spv_case *c, spv_header_tree *tree, int64_t height)
{
    size_t i = 0;
    json_t *v = NULL;

    json_array_foreach(spv__case_file(c), i, v)
    {
        const char *kind = json_string_value(json_object_get(v, "kind"));
        int64_t at = json_integer_value(json_object_get(v, "height"));
        spv_view bytes;

        if (!kind || strcmp(kind, "header") != 0 || at == 0 || at > height)
            continue;
        bytes = spv__case_hex_of(c, json_object_get(v, "header"));
        expect_added(c, tree, spv__header_bytes(c, bytes));
    }
}

static void header(spv_case *c)
{
    int64_t height = spv__case_int(c, "height");
    spv_header_tree *tree = tree_of(c, spv__field_network(c), NULL);
    spv_hash hash = spv__hash_of_header(spv__field_header(c, "header"));
    spv_tree_block tip;

    expect_header(c, spv__field_header(c, "header"));
    if (!tree)
        return;
    add_up_to(c, tree, height);
    tip = spv__tree_tip(tree);
    spv__expect_int(c, "height", tip.height, height);
    spv__expect_hash(c, "tip", &tip.hash, &hash);
    spv__expect_number(c, "chainwork", spv__tree_work(tree),
                       spv__field_number(c, "chainwork"));
    spv__expect_int(c, "median time past",
                    spv__tree_median_time(tree, tip.height),
                    spv__case_int(c, "median_time_past"));
    spv__expect_int(c, "median of", height < 10 ? height + 1 : SPV__MEDIAN_SPAN,
                    spv__case_int(c, "median_sample_count"));
    spv__tree_free(tree);
}

/* Sequences --------------------------------------------------------------- */

/** A tree that begins at the first header of the vector. */
static spv_header_tree *tree_from(spv_case *c, const uint8_t *first)
{
    spv_checkpoint base = {.height = spv__field_height(c, "first_height")};
    spv_hash own_work;

    memcpy(base.header, first, SPV_HEADER_LEN);
    spv__u256_to_hash(&own_work,
                      spv__bits_work(spv__decoded_header(first).bits));
    memcpy(base.work, own_work.bytes, sizeof(base.work));
    return tree_of(c, spv__field_network(c), &base);
}

/** What the vector says of header `i`. */
static void expect_item(spv_case *c, size_t i, const uint8_t *bytes)
{
    spv_header h = spv__decoded_header(bytes);
    spv_hash hash = spv__hash_of_header(bytes);

    spv__expect_int(
        c, "time", h.time,
        json_integer_value(json_array_get(spv__case_list(c, "times"), i)));
    if (spv__case_has(c, "hashes")) {
        spv_hash want = spv__case_hash_of(
            c, json_array_get(spv__case_list(c, "hashes"), i));
        const char *bits = json_string_value(
            json_array_get(spv__case_list(c, "expected_bits_hex"), i));

        spv__expect_hash(c, "hash", &hash, &want);
        spv__expect_int(c, "bits", h.bits, bits ? hex_value(bits) : 0);
    }
}

static void header_sequence(spv_case *c)
{
    const json_t *headers = spv__case_list(c, "headers");
    const json_t *times = spv__case_list(c, "times");
    spv_header_tree *tree = NULL;
    size_t i = 0;
    json_t *item = NULL;

    spv__expect_int(c, "times", (int64_t)json_array_size(times),
                    (int64_t)json_array_size(headers));

    json_array_foreach(headers, i, item)
    {
        const uint8_t *bytes = spv__header_bytes(c, spv__case_hex_of(c, item));

        expect_item(c, i, bytes);
        if (!tree)
            tree = tree_from(c, bytes);
        else
            expect_added(c, tree, bytes);
    }
    if (tree && spv__case_has(c, "median_time_past_of_parent")) {
        int32_t parent = spv__tree_tip(tree).height - 1;

        if (parent < spv__field_height(c, "first_height"))
            parent++; /* one header alone: its own past is all there is */

        spv__expect_true(c, "valid", spv__case_bool(c, "valid"));
        spv__expect_int(c, "median time past of the parent",
                        spv__tree_median_time(tree, parent),
                        spv__case_int(c, "median_time_past_of_parent"));
    }
    spv__tree_free(tree);
}

/** The file itself is not among the vectors: what can be told from its last
 * header is checked, and the rest against our checkpoints around it. */
static void header_file_fact(spv_case *c)
{
    const spv_network *network = spv__field_network(c);
    int32_t height = spv__field_height(c, "tip_height");
    const uint8_t *bytes = spv__field_header(c, "tip_header");
    spv_hash hash = spv__hash_of_header(bytes);
    const spv_checkpoint *below = spv_checkpoint_find(network, height);
    const spv_checkpoint *above =
        spv_checkpoint_find(network, height + 16 * SPV__RETARGET_INTERVAL);
    spv_u256 work_there = spv__field_number(c, "cumulative_work");

    spv__expect_int(c, "headers", height + 1, spv__case_int(c, "header_count"));
    spv__expect_hash_field(c, "tip_hash", &hash);
    spv__expect_true(
        c, "proof of work",
        spv_pow_check(&hash, spv__decoded_header(bytes).bits, network));
    spv__expect_true(c, "checkpoints around it",
                     below && above && below->height < height &&
                         height < above->height);
    for (int i = 0; below && above && i < 2; i++) {
        spv_hash w = {{0}};

        memcpy(w.bytes, i ? above->work : below->work, 16);
        spv__expect_int(
            c, "work lies between theirs",
            spv__u256_compare(spv__u256_of_hash(&w), work_there) > 0, i);
    }
}

/* Checkpoints ------------------------------------------------------------- */

static void expect_checkpoint(spv_case *c, int32_t height, const char *header,
                              const char *chainwork)
{
    const spv_checkpoint *p =
        spv_checkpoint_find(spv__field_network(c), height);
    spv_hash wide = {{0}};

    if (!p || p->height != height) {
        spv__expect_int(c, "height of our checkpoint", p ? p->height : -1,
                        height);
        return;
    }
    memcpy(wide.bytes, p->work, sizeof(p->work));
    spv__expect_bytes(c, "our checkpoint", p->header, SPV_HEADER_LEN,
                      spv__case_hex(c, header));
    spv__expect_number(c, "our work", spv__u256_of_hash(&wide),
                       spv__field_number(c, chainwork));
}

static void checkpoint(spv_case *c)
{
    expect_header(c, spv__field_header(c, "header"));
    expect_checkpoint(c, spv__field_height(c, "height"), "header", "chainwork");
}

static void checkpoint_entry(spv_case *c)
{
    const spv_network *network = spv__field_network(c);
    const uint8_t *bytes = spv__field_header(c, "header");
    spv_hash hash = spv__hash_of_header(bytes);
    spv_header h = spv__decoded_header(bytes);
    const spv_checkpoint *at_time =
        spv_checkpoint_find_time(network, spv__case_int(c, "time"));

    spv__expect_hash_field(c, "hash", &hash);
    spv__expect_int(c, "time", h.time, spv__case_int(c, "time"));
    spv__expect_int(c, "bits", h.bits, spv__field_hex_u32(c, "bits"));
    spv__expect_true(c, "proof of work", spv_pow_check(&hash, h.bits, network));
    expect_checkpoint(c, spv__field_height(c, "height"), "header", "chainwork");
    spv__expect_int(c, "found by its time", at_time ? at_time->height : -1,
                    spv__case_int(c, "height"));
}

/** A hash that Core knows. Some of our checkpoints stand at the same heights
 * or right behind them; the others' own proof of work is all we can see. */
static void checkpoint_hash(spv_case *c)
{
    const spv_network *network = spv__field_network(c);
    int32_t height = spv__field_height(c, "height");
    spv_hash want = spv__case_hash(c, "hash");
    const spv_checkpoint *p = spv_checkpoint_find(network, height + 1);
    uint32_t bits = network->pow_limit_bits;

    if (p && p->height == height) {
        spv_hash hash = spv__hash_of_header(p->header);

        spv__expect_hash(c, "our checkpoint's hash", &hash, &want);
    } else if (p && p->height == height + 1) {
        spv_hash prev = spv__decoded_header(p->header).prev;

        spv__expect_hash(c, "parent of our checkpoint", &prev, &want);
    }
    if (p && p->height <= height && !network->min_difficulty)
        bits = spv__decoded_header(p->header).bits;
    spv__expect_true(c, "meets the bits of its period",
                     spv_pow_check(&want, bits, network));
}

/* Locators ---------------------------------------------------------------- */

enum { MINED_MAX = 1000000 }; /* about two seconds */

/** Regtest headers, each with the least work there is. */
static void mine(spv_case *c, spv_header_tree *tree)
{
    spv_tree_block tip = spv__tree_tip(tree);
    spv_header h = {
        .version = 4, .prev = tip.hash, .time = tip.time + 1, .bits = tip.bits};
    uint8_t bytes[SPV_HEADER_LEN];
    spv_hash hash;

    do {
        h.nonce++;
        spv_header_encode(bytes, &h);
        spv_header_hash(&hash, bytes);
    } while (!spv_pow_check(&hash, h.bits, spv_network_get(SPV_REGTEST)));
    if (spv__tree_load(tree, bytes) != SPV_VERDICT_ADDED)
        spv__expect_true(c, "a mined header is added", false);
}

static void locator(spv_case *c)
{
    int32_t height = (int32_t)spv__case_count(c, "tip_height", MINED_MAX);
    const json_t *want = spv__case_list(c, "expected_heights");
    spv_header_tree *tree = tree_of(c, spv_network_get(SPV_REGTEST), NULL);
    spv_hash hashes[SPV__TREE_LOCATOR_MAX];
    size_t n = 0;

    if (!tree)
        return;
    while (spv__tree_tip(tree).height < height)
        mine(c, tree);
    n = spv__tree_locator(tree, hashes);
    spv__expect_int(c, "length", (int64_t)n, (int64_t)json_array_size(want));
    for (size_t i = 0; i < n; i++) {
        spv_tree_block block = {.height = -1};

        spv__expect_true(c, "known", spv__tree_find(tree, &hashes[i], &block));
        spv__expect_int(c, "height", block.height,
                        json_integer_value(json_array_get(want, i)));
    }
    spv__tree_free(tree);
}

/* Long chains ------------------------------------------------------------- */

/** The chain that all forks of its file leave. */
static spv_view main_chain(spv_case *c)
{
    size_t i = 0;
    json_t *v = NULL;

    json_array_foreach(spv__case_file(c), i, v)
    {
        const char *kind = json_string_value(json_object_get(v, "kind"));

        if (kind && strcmp(kind, "header_chain") == 0)
            return spv__case_hex_of(c, json_object_get(v, "headers"));
    }
    spv__expect_true(c, "a header_chain in the same file", false);
    return (spv_view){0};
}

/** Add headers `from`..`to` - 1 of a row of headers, by the rules. */
static void add_headers(spv_case *c, spv_header_tree *tree, spv_view headers,
                        size_t from, size_t to)
{
    for (size_t i = from; i < to && (i + 1) * SPV_HEADER_LEN <= headers.len;
         i++)
        expect_added(c, tree, headers.bytes + i * SPV_HEADER_LEN);
}

static void expect_block_at(spv_case *c, const spv_header_tree *tree,
                            int32_t height, const char *field)
{
    spv_tree_block block = {0};

    spv__expect_true(c, field, spv__tree_at(tree, height, &block));
    spv__expect_hash_field(c, field, &block.hash);
}

static void expect_bits_at(spv_case *c, const spv_header_tree *tree,
                           int32_t height, const char *field)
{
    spv_tree_block block = {0};

    spv__expect_true(c, field, spv__tree_at(tree, height, &block));
    spv__expect_int(c, field, block.bits, spv__field_hex_u32(c, field));
}

/** From a base inside a period on (S30), two retargets and all that follows. */
static void expect_from_the_middle(spv_case *c, spv_view headers)
{
    const size_t from = 1000;
    spv_checkpoint base = {.height = (int32_t)from, .work = {[8] = 1}};
    spv_header_tree *tree = NULL;

    if (headers.len < (from + 1) * SPV_HEADER_LEN)
        return;
    memcpy(base.header, headers.bytes + from * SPV_HEADER_LEN, SPV_HEADER_LEN);
    tree = tree_of(c, spv__field_network(c), &base);
    if (tree)
        add_headers(c, tree, headers, from + 1, headers.len / SPV_HEADER_LEN);
    if (tree)
        expect_block_at(c, tree, (int32_t)(headers.len / SPV_HEADER_LEN) - 1,
                        "tip_hash");
    spv__tree_free(tree);
}

/** The chain is made up, so a tree that knows the public one refuses it. */
static void expect_checkpoint_fault(spv_case *c, spv_view headers)
{
    spv_header_tree *tree = NULL;
    spv_tree_change change;
    size_t n = headers.len / SPV_HEADER_LEN;
    spv_verdict verdict = SPV_VERDICT_ADDED;

    spv__expect_ok(c, "tree",
                   spv__tree_new(&tree, &(spv_tree_config){
                                            .network = spv__field_network(c)}));
    for (size_t i = 1; tree && i < n && verdict == SPV_VERDICT_ADDED; i++)
        verdict = spv__tree_add(tree, headers.bytes + i * SPV_HEADER_LEN, LATE,
                                &change);
    spv__expect_text(c, "against the checkpoints", spv_verdict_text(verdict),
                     spv_verdict_text(SPV_VERDICT_CHECKPOINT));
    spv__expect_int(c, "up to height", tree ? spv__tree_tip(tree).height : -1,
                    2015);
    spv__tree_free(tree);
}

static void header_chain(spv_case *c)
{
    spv_view headers = spv__case_hex(c, "headers");
    size_t n = headers.len / SPV_HEADER_LEN;
    spv_header_tree *tree = tree_of(c, spv__field_network(c), NULL);

    if (!tree)
        return;
    spv__expect_int(c, "headers", (int64_t)n, spv__case_int(c, "header_count"));
    if (n > 0)
        add_headers(c, tree, headers, 1, n);
    expect_block_at(c, tree, spv__field_height(c, "first_height"),
                    "genesis_hash");
    expect_block_at(c, tree, 2016, "hash_2016");
    expect_block_at(c, tree, 4031, "hash_4031");
    expect_block_at(c, tree, (int32_t)n - 1, "tip_hash");
    expect_bits_at(c, tree, 2016, "bits_2016");
    expect_bits_at(c, tree, 4032, "bits_4032");
    spv__expect_number(c, "work", spv__tree_work(tree),
                       spv__field_number(c, "total_work"));
    spv__expect_int(c, "median time past",
                    spv__tree_median_time(tree, spv__tree_tip(tree).height),
                    spv__case_int(c, "median_time_past_of_tip"));
    spv__tree_free(tree);
    expect_from_the_middle(c, headers);
    expect_checkpoint_fault(c, headers);
}

/** The fork is added to as much of the chain as makes it win, so that its own
 * work can be seen, and then the rest of the chain wins back. */
static void header_chain_fork(spv_case *c)
{
    spv_view chain = main_chain(c);
    spv_view fork = spv__case_hex(c, "headers");
    size_t n = fork.len / SPV_HEADER_LEN;
    size_t first = (size_t)spv__field_height(c, "first_height");
    spv_header_tree *tree = tree_of(c, spv__field_network(c), NULL);

    if (!tree)
        return;
    spv__expect_int(c, "headers", (int64_t)n, spv__case_int(c, "header_count"));
    spv__expect_int(c, "leaves the chain after", (int64_t)first - 1,
                    spv__case_int(c, "fork_after_height"));
    add_headers(c, tree, chain, 1, first);
    add_headers(c, tree, fork, 0, n);
    expect_block_at(c, tree, spv__field_height(c, "tip_height"), "tip_hash");
    spv__expect_number(c, "work", spv__tree_work(tree),
                       spv__field_number(c, "total_work"));
    add_headers(c, tree, chain, first, chain.len / SPV_HEADER_LEN);
    spv__expect_int(c, "the heavier chain wins", spv__tree_tip(tree).height,
                    (int64_t)(chain.len / SPV_HEADER_LEN) - 1);
    spv__tree_free(tree);
}

const spv_kind spv__kinds_chain[] = {
    {{"compact", "compact bits to a target and back"}, spv__kind_compact},
    {{"compact_encode", "a target to compact bits"}, spv__kind_compact_encode},
    {{"work", "the work that compact bits stand for"}, spv__kind_work},
    {{"check_pow", "whether a hash has the work that its bits ask for"},
     spv__kind_check_pow},
    {{"genesis", "the first header of a network"}, genesis},
    {{"header", "fields, hash, chain work and median time of a header"},
     header},
    {{"median_time", "the median of the last eleven times"},
     spv__kind_median_time},
    {{"network_params", "constants of a network"}, spv__kind_network_params},
    {{"version_rules", "from which height on old versions are refused"},
     spv__kind_version_rules},
    {{"time_rules", "how early and how late a header may be"},
     spv__kind_time_rules},
    {{"retarget", "bits after a period of 2,016 blocks"}, spv__kind_retarget},
    {{"retarget_bip94", "the same by testnet4's rule (BIP 94)"},
     spv__kind_retarget_bip94},
    {{"retarget_headers", "the same for headers of real chains"},
     spv__kind_retarget_headers},
    {{"rule_fact", "testnet4's time warp rule; the 20 minute rule of testnets"},
     spv__kind_rule_fact},
    {{"header_sequence", "real headers in a row, by all rules"},
     header_sequence},
    {{"header_file_fact", "the tip of a long file of headers"},
     header_file_fact},
    {{"checkpoint", "a header that implementations carry with them"},
     checkpoint},
    {{"checkpoint_entry",
      "a header at a retarget height, and its chain's work"},
     checkpoint_entry},
    {{"checkpoint_hash", "a block hash at a height, from checkpoint lists"},
     checkpoint_hash},
    {{"locator", "the heights that a block locator names"}, locator},
    {{"header_chain", "a long made-up chain, by all rules of its network"},
     header_chain},
    {{"header_chain_fork", "a branch of that chain, and which of them wins"},
     header_chain_fork},
    {{"merkleblock", "a merkleblock, what it proves, and how it is built"},
     spv__kind_merkleblock},
    {{"merkleblock_accepted_edge",
      "odd merkleblocks that are accepted all the same"},
     spv__kind_merkleblock_accepted_edge},
    {{"merkleblock_invalid", "merkleblocks that prove nothing, and why not"},
     spv__kind_merkleblock_invalid},
    {{"merkleblock_policy", "merkleblocks that implementations differ about"},
     spv__kind_merkleblock_policy},
    {{"pmt_roundtrip", "partial merkle trees of made-up transactions"},
     spv__kind_pmt_roundtrip},
    {{NULL, NULL}, NULL},
};
