#include "runner.h"

#include <stdlib.h>
#include <string.h>

#include <spv/chain.h>
#include <spv/merkle.h>

#include "base/digest.h"
#include "chain/merkle.h"
#include "chain/pow.h"
#include "chain/rules.h"
#include "chain/tree.h"

/* Long after every header of the vectors. */
#define LATE INT64_C(4000000000)

/* Fields ------------------------------------------------------------------ */

static const spv_network *network_of(spv_case *c)
{
    const spv_network *network = spv_network_find(case_text(c, "network"));

    if (network)
        return network;
    expect_text(c, "network", "unknown", case_text(c, "network"));
    return spv_network_get(SPV_MAIN);
}

static uint32_t hex_value(const char *text)
{
    return (uint32_t)strtoul(text, NULL, 16);
}

static uint32_t hex_u32(spv_case *c, const char *field)
{
    return hex_value(case_text(c, field));
}

/** A hex number, most significant digit first: the display form of a hash. */
static spv_u256 number(spv_case *c, const char *field)
{
    spv_hash bytes = case_hash(c, field);

    return spv__u256_of_hash(&bytes);
}

static void expect_number(spv_case *c, const char *what, spv_u256 got,
                          spv_u256 want)
{
    spv_hash got_bytes;
    spv_hash want_bytes;

    spv__u256_to_hash(&got_bytes, got);
    spv__u256_to_hash(&want_bytes, want);
    expect_hash(c, what, &got_bytes, &want_bytes);
}

/** 80 bytes of a header, zeros when the vector has something else. */
static const uint8_t *header_bytes(spv_case *c, spv_view v)
{
    static const uint8_t zeros[SPV_HEADER_LEN];

    expect_int(c, "length of the header", (int64_t)v.len, SPV_HEADER_LEN);
    return v.len == SPV_HEADER_LEN ? v.bytes : zeros;
}

static const uint8_t *header_field(spv_case *c, const char *field)
{
    return header_bytes(c, case_hex(c, field));
}

static spv_header decoded(const uint8_t *bytes)
{
    spv_header h;

    spv_header_decode(&h, bytes);
    return h;
}

static spv_hash hash_of(const uint8_t *bytes)
{
    spv_hash hash;

    spv_header_hash(&hash, bytes);
    return hash;
}

static void expect_hash_field(spv_case *c, const char *field,
                              const spv_hash *got)
{
    spv_hash want = case_hash(c, field);

    expect_hash(c, field, got, &want);
}

/* Targets ----------------------------------------------------------------- */

static void compact(spv_case *c)
{
    uint32_t bits = (uint32_t)case_int(c, "compact");
    spv_target t = spv__bits_decode(bits);
    uint32_t sign = t.negative ? 0x00800000u : 0;

    expect_int(c, "negative", t.negative, case_bool(c, "negative"));
    expect_int(c, "overflow", t.overflow, case_bool(c, "overflow"));
    if (t.overflow)
        return;
    expect_number(c, "target", t.value, number(c, "target"));
    expect_int(c, "reencoded", spv__bits_encode(t.value) | sign,
               case_int(c, "reencoded"));
}

static void compact_encode(spv_case *c)
{
    expect_int(c, "compact", spv__bits_encode(number(c, "target")),
               case_int(c, "compact"));
}

static void work(spv_case *c)
{
    expect_number(c, "work", spv__bits_work((uint32_t)case_int(c, "bits")),
                  number(c, "expected_work_hex"));
}

static void check_pow(spv_case *c)
{
    spv_hash hash = case_hash(c, "hash");

    expect_int(
        c, "proof of work",
        spv_pow_check(&hash, (uint32_t)case_int(c, "bits"), network_of(c)),
        case_bool(c, "expected"));
}

/* Headers ----------------------------------------------------------------- */

static void expect_header(spv_case *c, const uint8_t *bytes)
{
    spv_header h = decoded(bytes);
    spv_hash hash = hash_of(bytes);
    uint8_t again[SPV_HEADER_LEN];

    spv_header_encode(again, &h);
    expect_bytes(c, "header again", again, sizeof(again),
                 (spv_view){bytes, SPV_HEADER_LEN});
    expect_int(c, "version", h.version, case_int(c, "version"));
    expect_int(c, "time", h.time, case_int(c, "time"));
    expect_int(c, "bits", h.bits, case_int(c, "bits"));
    expect_int(c, "bits in hex", h.bits, hex_u32(c, "bits_hex"));
    expect_int(c, "nonce", h.nonce, case_int(c, "nonce"));
    expect_hash_field(c, "prev", &h.prev);
    expect_hash_field(c, "merkle_root", &h.merkle_root);
    expect_hash_field(c, "hash", &hash);
    expect_true(c, "proof of work",
                spv_pow_check(&hash, h.bits, network_of(c)));
}

static void genesis(spv_case *c)
{
    const spv_network *network = network_of(c);
    const uint8_t *bytes = header_field(c, "header");

    expect_header(c, bytes);
    expect_bytes(c, "our genesis", network->genesis, SPV_HEADER_LEN,
                 case_hex(c, "header"));
    expect_hash_field(c, "hash", &network->genesis_hash);
}

static spv_header_tree *tree_of(spv_case *c, const spv_network *network,
                                const spv_checkpoint *base)
{
    spv_header_tree *tree = NULL;

    expect_ok(c, "tree",
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
    expect_text(c, "verdict", spv_verdict_text(add(tree, bytes)),
                spv_verdict_text(SPV_VERDICT_ADDED));
}

/** Add the headers of the vectors of this kind up to `height`, from genesis. */
static void add_up_to(spv_case *c, spv_header_tree *tree, int64_t height)
{
    size_t i = 0;
    json_t *v = NULL;

    json_array_foreach(case_file(c), i, v)
    {
        const char *kind = json_string_value(json_object_get(v, "kind"));
        int64_t at = json_integer_value(json_object_get(v, "height"));
        spv_view bytes;

        if (!kind || strcmp(kind, "header") != 0 || at == 0 || at > height)
            continue;
        bytes = case_hex_of(c, json_object_get(v, "header"));
        expect_added(c, tree, header_bytes(c, bytes));
    }
}

static void header(spv_case *c)
{
    int64_t height = case_int(c, "height");
    spv_header_tree *tree = tree_of(c, network_of(c), NULL);
    spv_hash hash = hash_of(header_field(c, "header"));
    spv_tree_block tip;

    expect_header(c, header_field(c, "header"));
    if (!tree)
        return;
    add_up_to(c, tree, height);
    tip = spv__tree_tip(tree);
    expect_int(c, "height", tip.height, height);
    expect_hash(c, "tip", &tip.hash, &hash);
    expect_number(c, "chainwork", spv__tree_work(tree), number(c, "chainwork"));
    expect_int(c, "median time past", spv__tree_median_time(tree, tip.height),
               case_int(c, "median_time_past"));
    expect_int(c, "median of", height < 10 ? height + 1 : SPV__MEDIAN_SPAN,
               case_int(c, "median_sample_count"));
    spv__tree_free(tree);
}

static void median_time(spv_case *c)
{
    const json_t *list = case_json(c, "times_oldest_first");
    uint32_t times[64];
    size_t n = 0;
    size_t i = 0;
    json_t *t = NULL;
    size_t skip = 0;

    json_array_foreach(list, i, t)
    {
        if (n < 64)
            times[n++] = (uint32_t)json_integer_value(t);
    }
    skip = n > SPV__MEDIAN_SPAN ? n - SPV__MEDIAN_SPAN : 0;
    expect_int(c, "median", spv__median_time(times + skip, (int)(n - skip)),
               case_int(c, "expected"));
}

/* Rules ------------------------------------------------------------------- */

static void network_params(spv_case *c)
{
    const spv_network *n = network_of(c);
    bool twenty_minutes = n->min_difficulty;

    expect_bytes(c, "message start", n->magic, sizeof(n->magic),
                 case_hex(c, "message_start"));
    if (case_has(c, "challenge")) {
        spv_view script = case_hex(c, "challenge");
        uint8_t len = (uint8_t)script.len;
        spv_hash hash;

        spv__sha256d_slices(
            &hash, (spv_slice[]){{&len, 1}, {script.bytes, script.len}}, 2);
        expect_bytes(c, "hash of the challenge", hash.bytes, 4,
                     case_hex(c, "message_start"));
        return;
    }
    expect_int(c, "port", n->port, case_int(c, "default_port"));
    expect_int(c, "limit", n->pow_limit_bits, case_int(c, "pow_limit_bits"));
    expect_int(c, "limit of the target",
               spv__bits_encode(number(c, "pow_limit")), n->pow_limit_bits);
    expect_int(c, "minimum difficulty", twenty_minutes,
               case_bool(c, "allow_min_difficulty_blocks"));
    expect_int(c, "no retarget", n->no_retarget,
               case_bool(c, "no_retargeting"));
    expect_int(c, "bip94", n->bip94,
               case_has(c, "enforce_bip94") && case_bool(c, "enforce_bip94"));
    expect_int(c, "interval", SPV__RETARGET_INTERVAL,
               case_int(c, "retarget_interval"));
    expect_int(c, "timespan", SPV__TARGET_TIMESPAN,
               case_int(c, "target_timespan"));
    expect_int(c, "spacing", SPV__TARGET_SPACING,
               case_int(c, "target_spacing"));
}

static void version_rules(spv_case *c)
{
    static const char *const fields[] = {"min_version_2_from_height",
                                         "min_version_3_from_height",
                                         "min_version_4_from_height"};
    const spv_network *network = network_of(c);

    for (int32_t i = 0; i < 3; i++) {
        int32_t from = (int32_t)case_int(c, fields[i]);

        expect_true(c, fields[i], spv__version_min(network, from) >= i + 2);
        expect_true(c, fields[i], spv__version_min(network, from - 1) < i + 2);
    }
}

/* A made-up past: even times and bits, but for its first and last header. */
typedef struct made_past {
    int32_t first_height;
    int32_t last_height;
    spv_stamp first;
    spv_stamp last;
    spv_stamp between;
} made_past;

static spv_stamp made_get(void *self, int32_t height)
{
    const made_past *p = self;

    if (height == p->first_height)
        return p->first;
    return height == p->last_height ? p->last : p->between;
}

static spv_past past_of(made_past *p)
{
    return (spv_past){.parent = p->last_height,
                      .base = p->first_height,
                      .get = made_get,
                      .self = p};
}

/** Bits required after a past, whatever the next header claims. */
static uint32_t required_after(const spv_network *network, made_past *p,
                               uint32_t time)
{
    spv_past past = past_of(p);
    uint32_t required = 0;

    (void)spv__bits_allowed(network, &past, (spv_stamp){.time = time},
                            &required);
    return required;
}

/** A period of 2016 that ends at `last_height`. */
static made_past period(int32_t last_height, spv_stamp first, spv_stamp last)
{
    return (made_past){.first_height = last_height + 1 - SPV__RETARGET_INTERVAL,
                       .last_height = last_height,
                       .first = first,
                       .last = last,
                       .between = last};
}

static void retarget(spv_case *c)
{
    const spv_network *network = network_of(c);
    uint32_t bits = (uint32_t)case_int(c, "last_bits");
    spv_stamp first = {(uint32_t)case_int(c, "first_time"), bits};
    spv_stamp last = {(uint32_t)case_int(c, "last_time"), bits};
    int32_t height = case_has(c, "last_height")
                         ? (int32_t)case_int(c, "last_height")
                         : 2 * SPV__RETARGET_INTERVAL - 1;
    made_past p = period(height, first, last);

    expect_int(c, "bits", spv__retarget(network, bits, first.time, last.time),
               case_int(c, "expected_bits"));
    expect_int(c, "bits of the next header",
               required_after(network, &p, last.time + 1),
               case_int(c, "expected_bits"));
}

static void retarget_bip94(spv_case *c)
{
    spv_stamp first = {(uint32_t)case_int(c, "first_time"),
                       (uint32_t)case_int(c, "first_bits")};
    spv_stamp last = {(uint32_t)case_int(c, "last_time"),
                      (uint32_t)case_int(c, "last_bits")};
    made_past p = period(2 * SPV__RETARGET_INTERVAL - 1, first, last);

    expect_int(c, "bits", required_after(network_of(c), &p, last.time + 1),
               case_int(c, "expected_bits"));
    expect_int(c, "bits by testnet3's rule",
               required_after(spv_network_get(SPV_TESTNET3), &p, last.time + 1),
               hex_u32(c, "testnet3_rule_would_give"));
}

static void retarget_headers(spv_case *c)
{
    const spv_network *network = network_of(c);
    spv_header first = decoded(header_field(c, "first_header"));
    spv_header last = decoded(header_field(c, "last_header"));
    spv_header next = decoded(header_field(c, "next_header"));
    spv_hash hashes[3] = {hash_of(header_field(c, "first_header")),
                          hash_of(header_field(c, "last_header")),
                          hash_of(header_field(c, "next_header"))};
    made_past p = period((int32_t)case_int(c, "last_height"),
                         (spv_stamp){first.time, first.bits},
                         (spv_stamp){last.time, last.bits});

    expect_hash_field(c, "first_hash", &hashes[0]);
    expect_hash_field(c, "last_hash", &hashes[1]);
    expect_hash_field(c, "next_hash", &hashes[2]);
    expect_hash(c, "parent of the next", &next.prev, &hashes[1]);
    expect_int(c, "first time", first.time, case_int(c, "first_time"));
    expect_int(c, "last time", last.time, case_int(c, "last_time"));
    expect_int(c, "last bits", last.bits, hex_u32(c, "last_bits_hex"));
    expect_int(c, "first height", p.first_height, case_int(c, "first_height"));
    expect_int(c, "next bits", next.bits, case_int(c, "expected_bits"));
    expect_int(c, "required bits", required_after(network, &p, next.time),
               case_int(c, "expected_bits"));
    for (int i = 0; i < 3; i++)
        expect_true(
            c, "proof of work",
            spv_pow_check(&hashes[i], i == 2 ? next.bits : last.bits, network));
}

/** A network's verdict on a header that is only made up to the rules. */
static spv_verdict rules_verdict(const spv_network *network, made_past *p,
                                 spv_stamp next, int64_t now)
{
    spv_past past = past_of(p);
    spv_header h = {.version = 4, .time = next.time, .bits = next.bits};

    return spv__rules_check(network, &past, &h, now);
}

static void time_rules(spv_case *c)
{
    const spv_network *network = spv_network_get(SPV_MAIN);
    spv_stamp even = {1000000, network->pow_limit_bits};
    made_past p = {
        .last_height = 100, .first = even, .last = even, .between = even};
    spv_stamp same = even;
    spv_stamp above = {even.time + 1, even.bits};
    int64_t ahead = case_int(c, "max_future_seconds");

    expect_int(c, "span", SPV__MEDIAN_SPAN, case_int(c, "median_span"));
    expect_int(c, "at the median is too early",
               rules_verdict(network, &p, same, LATE) == SPV_VERDICT_OLD_TIME,
               case_bool(c, "strictly_greater_than_median"));
    expect_int(c, "above the median", rules_verdict(network, &p, above, LATE),
               SPV_VERDICT_ADDED);
    expect_int(c, "as far ahead as may be",
               rules_verdict(network, &p, above, above.time - ahead),
               SPV_VERDICT_ADDED);
    expect_int(c, "one second more",
               rules_verdict(network, &p, above, above.time - ahead - 1),
               SPV_VERDICT_FUTURE);
}

static void time_warp_fact(spv_case *c)
{
    const spv_network *network = network_of(c);
    int32_t interval = (int32_t)case_int(c, "applies_when_height_mod");
    uint32_t back = (uint32_t)case_int(c, "max_backward_seconds");
    uint32_t end = 1700000000;
    made_past p =
        period(2 * interval - 1, (spv_stamp){end - 1209600, 0x1c0ffff0},
               (spv_stamp){end, 0x1c0ffff0});
    spv_stamp next = {end - back, 0};

    p.between.time = end - 2 * back;
    next.bits = required_after(network, &p, next.time);
    expect_int(c, "as far back as may be",
               rules_verdict(network, &p, next, LATE), SPV_VERDICT_ADDED);
    next.time--;
    expect_int(c, "one second more", rules_verdict(network, &p, next, LATE),
               SPV_VERDICT_TIME_WARP);
    next.bits = required_after(spv_network_get(SPV_TESTNET3), &p, next.time);
    expect_int(c, "only there",
               rules_verdict(spv_network_get(SPV_TESTNET3), &p, next, LATE),
               SPV_VERDICT_ADDED);
    p.last_height--;
    p.first_height--;
    next.bits = 0x1c0ffff0;
    expect_int(c, "only then", rules_verdict(network, &p, next, LATE),
               SPV_VERDICT_ADDED);
}

static void rule_fact(spv_case *c)
{
    const spv_network *network = network_of(c);
    spv_stamp usual = {1500000000, 0x1c0ffff0};
    made_past p = {
        .last_height = 100, .first = usual, .last = usual, .between = usual};
    uint32_t gap = 0;

    if (case_has(c, "max_backward_seconds")) {
        time_warp_fact(c);
        return;
    }
    gap = (uint32_t)case_int(c, "gap_seconds");
    expect_int(c, "bits", required_after(network, &p, usual.time + gap),
               case_bool(c, "min_difficulty_applies") ? network->pow_limit_bits
                                                      : usual.bits);
}

/* Sequences --------------------------------------------------------------- */

/** A tree that begins at the first header of the vector. */
static spv_header_tree *tree_from(spv_case *c, const uint8_t *first)
{
    spv_checkpoint base = {.height = (int32_t)case_int(c, "first_height")};
    spv_hash own_work;

    memcpy(base.header, first, SPV_HEADER_LEN);
    spv__u256_to_hash(&own_work, spv__bits_work(decoded(first).bits));
    memcpy(base.work, own_work.bytes, sizeof(base.work));
    return tree_of(c, network_of(c), &base);
}

/** What the vector says of header `i`. */
static void expect_item(spv_case *c, size_t i, const uint8_t *bytes)
{
    spv_header h = decoded(bytes);
    spv_hash hash = hash_of(bytes);

    expect_int(c, "time", h.time,
               json_integer_value(json_array_get(case_json(c, "times"), i)));
    if (case_has(c, "hashes")) {
        spv_hash want =
            case_hash_of(c, json_array_get(case_json(c, "hashes"), i));
        const char *bits = json_string_value(
            json_array_get(case_json(c, "expected_bits_hex"), i));

        expect_hash(c, "hash", &hash, &want);
        expect_int(c, "bits", h.bits, bits ? hex_value(bits) : 0);
    }
}

static void header_sequence(spv_case *c)
{
    const json_t *headers = case_json(c, "headers");
    spv_header_tree *tree = NULL;
    size_t i = 0;
    json_t *item = NULL;

    json_array_foreach(headers, i, item)
    {
        const uint8_t *bytes = header_bytes(c, case_hex_of(c, item));

        expect_item(c, i, bytes);
        if (!tree)
            tree = tree_from(c, bytes);
        else
            expect_added(c, tree, bytes);
    }
    if (tree && case_has(c, "median_time_past_of_parent")) {
        int32_t parent = spv__tree_tip(tree).height - 1;

        expect_true(c, "valid", case_bool(c, "valid"));
        expect_int(c, "median time past of the parent",
                   spv__tree_median_time(tree, parent),
                   case_int(c, "median_time_past_of_parent"));
    }
    spv__tree_free(tree);
}

/** The file itself is not among the vectors: what can be told from its last
 * header is checked, and the rest against our checkpoints around it. */
static void header_file_fact(spv_case *c)
{
    const spv_network *network = network_of(c);
    int32_t height = (int32_t)case_int(c, "tip_height");
    const uint8_t *bytes = header_field(c, "tip_header");
    spv_hash hash = hash_of(bytes);
    const spv_checkpoint *below = spv_checkpoint_find(network, height);
    const spv_checkpoint *above =
        spv_checkpoint_find(network, height + 16 * SPV__RETARGET_INTERVAL);
    spv_u256 work_there = number(c, "cumulative_work");

    expect_int(c, "headers", height + 1, case_int(c, "header_count"));
    expect_hash_field(c, "tip_hash", &hash);
    expect_true(c, "proof of work",
                spv_pow_check(&hash, decoded(bytes).bits, network));
    expect_true(c, "checkpoints around it",
                below && above && below->height < height &&
                    height < above->height);
    for (int i = 0; below && above && i < 2; i++) {
        spv_hash w = {{0}};

        memcpy(w.bytes, i ? above->work : below->work, 16);
        expect_int(c, "work lies between theirs",
                   spv__u256_compare(spv__u256_of_hash(&w), work_there) > 0, i);
    }
}

/* Checkpoints ------------------------------------------------------------- */

static void expect_checkpoint(spv_case *c, int32_t height, const char *header,
                              const char *chainwork)
{
    const spv_checkpoint *p = spv_checkpoint_find(network_of(c), height);
    spv_hash wide = {{0}};

    if (!p || p->height != height) {
        expect_int(c, "height of our checkpoint", p ? p->height : -1, height);
        return;
    }
    memcpy(wide.bytes, p->work, sizeof(p->work));
    expect_bytes(c, "our checkpoint", p->header, SPV_HEADER_LEN,
                 case_hex(c, header));
    expect_number(c, "our work", spv__u256_of_hash(&wide),
                  number(c, chainwork));
}

static void checkpoint(spv_case *c)
{
    expect_header(c, header_field(c, "header"));
    expect_checkpoint(c, (int32_t)case_int(c, "height"), "header", "chainwork");
}

static void checkpoint_entry(spv_case *c)
{
    const spv_network *network = network_of(c);
    const uint8_t *bytes = header_field(c, "header");
    spv_hash hash = hash_of(bytes);
    spv_header h = decoded(bytes);
    const spv_checkpoint *at_time =
        spv_checkpoint_find_time(network, case_int(c, "time"));

    expect_hash_field(c, "hash", &hash);
    expect_int(c, "time", h.time, case_int(c, "time"));
    expect_int(c, "bits", h.bits, hex_u32(c, "bits"));
    expect_true(c, "proof of work", spv_pow_check(&hash, h.bits, network));
    expect_checkpoint(c, (int32_t)case_int(c, "height"), "header", "chainwork");
    expect_int(c, "found by its time", at_time ? at_time->height : -1,
               case_int(c, "height"));
}

/** A hash that Core knows. Some of our checkpoints stand at the same heights
 * or right behind them; the others' own proof of work is all we can see. */
static void checkpoint_hash(spv_case *c)
{
    const spv_network *network = network_of(c);
    int32_t height = (int32_t)case_int(c, "height");
    spv_hash want = case_hash(c, "hash");
    const spv_checkpoint *p = spv_checkpoint_find(network, height + 1);
    uint32_t bits = network->pow_limit_bits;

    if (p && p->height == height) {
        spv_hash hash = hash_of(p->header);

        expect_hash(c, "our checkpoint's hash", &hash, &want);
    } else if (p && p->height == height + 1) {
        spv_hash prev = decoded(p->header).prev;

        expect_hash(c, "parent of our checkpoint", &prev, &want);
    }
    if (p && p->height <= height && !network->min_difficulty)
        bits = decoded(p->header).bits;
    expect_true(c, "meets the bits of its period",
                spv_pow_check(&want, bits, network));
}

/* Locators ---------------------------------------------------------------- */

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
        expect_true(c, "a mined header is added", false);
}

static void locator(spv_case *c)
{
    int32_t height = (int32_t)case_int(c, "tip_height");
    const json_t *want = case_json(c, "expected_heights");
    spv_header_tree *tree = tree_of(c, spv_network_get(SPV_REGTEST), NULL);
    spv_hash hashes[SPV__TREE_LOCATOR_MAX];
    size_t n = 0;

    if (!tree)
        return;
    while (spv__tree_tip(tree).height < height)
        mine(c, tree);
    n = spv__tree_locator(tree, hashes);
    expect_int(c, "length", (int64_t)n, (int64_t)json_array_size(want));
    for (size_t i = 0; i < n; i++) {
        spv_tree_block block = {.height = -1};

        expect_true(c, "known", spv__tree_find(tree, &hashes[i], &block));
        expect_int(c, "height", block.height,
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

    json_array_foreach(case_file(c), i, v)
    {
        const char *kind = json_string_value(json_object_get(v, "kind"));

        if (kind && strcmp(kind, "header_chain") == 0)
            return case_hex_of(c, json_object_get(v, "headers"));
    }
    expect_true(c, "a header_chain in the same file", false);
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

    expect_true(c, field, spv__tree_at(tree, height, &block));
    expect_hash_field(c, field, &block.hash);
}

static void expect_bits_at(spv_case *c, const spv_header_tree *tree,
                           int32_t height, const char *field)
{
    spv_tree_block block = {0};

    expect_true(c, field, spv__tree_at(tree, height, &block));
    expect_int(c, field, block.bits, hex_u32(c, field));
}

static void header_chain(spv_case *c)
{
    spv_view headers = case_hex(c, "headers");
    size_t n = headers.len / SPV_HEADER_LEN;
    spv_header_tree *tree = tree_of(c, network_of(c), NULL);

    if (!tree)
        return;
    expect_int(c, "headers", (int64_t)n, case_int(c, "header_count"));
    add_headers(c, tree, headers, 1, n);
    expect_block_at(c, tree, (int32_t)case_int(c, "first_height"),
                    "genesis_hash");
    expect_block_at(c, tree, 2016, "hash_2016");
    expect_block_at(c, tree, 4031, "hash_4031");
    expect_block_at(c, tree, (int32_t)n - 1, "tip_hash");
    expect_bits_at(c, tree, 2016, "bits_2016");
    expect_bits_at(c, tree, 4032, "bits_4032");
    expect_number(c, "work", spv__tree_work(tree), number(c, "total_work"));
    expect_int(c, "median time past",
               spv__tree_median_time(tree, (int32_t)n - 1),
               case_int(c, "median_time_past_of_tip"));
    spv__tree_free(tree);
}

/** The fork is added to as much of the chain as makes it win, so that its own
 * work can be seen, and then the rest of the chain wins back. */
static void header_chain_fork(spv_case *c)
{
    spv_view chain = main_chain(c);
    spv_view fork = case_hex(c, "headers");
    size_t n = fork.len / SPV_HEADER_LEN;
    size_t first = (size_t)case_int(c, "first_height");
    spv_header_tree *tree = tree_of(c, network_of(c), NULL);

    if (!tree)
        return;
    expect_int(c, "headers", (int64_t)n, case_int(c, "header_count"));
    expect_int(c, "leaves the chain after", (int64_t)first - 1,
               case_int(c, "fork_after_height"));
    add_headers(c, tree, chain, 1, first);
    add_headers(c, tree, fork, 0, n);
    expect_block_at(c, tree, (int32_t)case_int(c, "tip_height"), "tip_hash");
    expect_number(c, "work", spv__tree_work(tree), number(c, "total_work"));
    add_headers(c, tree, chain, first, chain.len / SPV_HEADER_LEN);
    expect_int(c, "the heavier chain wins", spv__tree_tip(tree).height,
               (int64_t)(chain.len / SPV_HEADER_LEN) - 1);
    spv__tree_free(tree);
}

/* Partial merkle trees ---------------------------------------------------- */

static void expect_proof(spv_case *c, const spv_merkle_proof *proof)
{
    const json_t *want = case_json(c, "expected_matches");

    expect_int(c, "matches", (int64_t)proof->n, (int64_t)json_array_size(want));
    for (size_t i = 0; i < proof->n && i < json_array_size(want); i++) {
        const json_t *row = json_array_get(want, i);
        spv_hash txid = case_hash_of(c, json_object_get(row, "txid"));

        expect_int(c, "position", proof->leaves[i].position,
                   json_integer_value(json_object_get(row, "index")));
        expect_hash(c, "txid", &proof->leaves[i].txid, &txid);
    }
}

/** Made-up headers have no proof of work: then only the tree is tested. */
static spv_merkle_verdict verify(spv_case *c, spv_merkle_proof *proof)
{
    spv_view payload = case_hex(c, "payload");
    bool no_work = case_has(c, "pow_valid") && !case_bool(c, "pow_valid");

    return spv_merkle_verify_block(proof, payload.bytes, payload.len,
                                   no_work ? NULL : spv_network_get(SPV_MAIN));
}

static void accepted(spv_case *c)
{
    spv_merkle_proof proof = {0};

    expect_text(c, "result", spv_merkle_verdict_text(verify(c, &proof)),
                spv_merkle_verdict_text(SPV_MERKLE_OK));
    expect_text(c, "result", "accept", case_text(c, "expected_result"));
    expect_proof(c, &proof);
    spv_merkle_proof_clear(&proof);
}

static void rejected(spv_case *c)
{
    spv_merkle_proof proof = {0};
    spv_merkle_verdict verdict = verify(c, &proof);

    expect_text(c, "result", verdict ? "reject" : "accept",
                case_text(c, "expected_result"));
    expect_text(c, "reason", spv_merkle_verdict_text(verdict),
                case_text(c, "reason"));
    expect_int(c, "matches", (int64_t)proof.n, 0);
    spv_merkle_proof_clear(&proof);
}

/** Trailing bytes are left to policy; ours is to refuse the message. */
static void policy(spv_case *c)
{
    spv_view payload = case_hex(c, "payload");
    spv_merkle_proof proof = {0};

    expect_text(c, "reason", "trailing-bytes", case_text(c, "reason"));
    expect_int(c, "with the byte", verify(c, &proof), SPV_MERKLE_PARSE);
    expect_int(c, "without it",
               spv_merkle_verify_block(&proof, payload.bytes, payload.len - 1,
                                       spv_network_get(SPV_MAIN)),
               SPV_MERKLE_OK);
    spv_merkle_proof_clear(&proof);
}

/* A block's own partial tree ---------------------------------------------- */

typedef struct txid_list {
    spv_hash *txids;
    bool *matched;
    uint32_t n;
} txid_list;

static txid_list list_new(size_t n)
{
    return (txid_list){.txids = calloc(n + 1, sizeof(spv_hash)),
                       .matched = calloc(n + 1, sizeof(bool))};
}

static void list_free(txid_list *l)
{
    free(l->txids);
    free(l->matched);
}

static void list_block(spv_case *c, txid_list *l, const spv_block *block)
{
    size_t at = 0;

    for (size_t i = 0; i < block->n_tx; i++) {
        spv_tx tx;
        size_t used = 0;

        expect_ok(
            c, "transaction of the block",
            spv_tx_decode(&tx, block->txs + at, block->txs_len - at, &used));
        l->txids[l->n++] = tx.txid;
        at += used;
        spv_tx_clear(&tx);
    }
}

static void expect_tree(spv_case *c, const txid_list *l, const uint8_t *header)
{
    spv_buf payload = SPV_BUF_EMPTY;
    spv_merkle_tree tree;
    spv_merkleblock m;
    spv_hash root;

    expect_ok(c, "root", spv_merkle_root(&root, l->txids, l->n));
    expect_hash_field(c, "merkle_root", &root);
    expect_ok(c, "tree", spv_merkle_build(&tree, l->txids, l->matched, l->n));
    m = spv__merkleblock_of(header, &tree);
    spv__put_merkleblock(&payload, &m);
    expect_bytes(c, "payload as we build it", payload.bytes, payload.len,
                 case_hex(c, "payload"));
    spv__buf_clear(&payload);
    spv_merkle_tree_free(&tree);
}

/** Build the payload again from the whole block that the vector gives. */
static void rebuild(spv_case *c)
{
    spv_view bytes = case_hex(c, "block");
    spv_message m = {0};
    txid_list l;
    size_t i = 0;
    json_t *row = NULL;

    expect_ok(c, "block",
              spv__message_decode(&m, SPV_MSG_BLOCK, bytes.bytes, bytes.len));
    l = list_new(m.as.block.n_tx);
    list_block(c, &l, &m.as.block);
    json_array_foreach(case_json(c, "expected_matches"), i, row)
    {
        int64_t at = json_integer_value(json_object_get(row, "index"));

        if (at >= 0 && at < l.n)
            l.matched[at] = true;
    }
    expect_tree(c, &l, m.as.block.header);
    list_free(&l);
}

static void expect_fields(spv_case *c, const spv_merkleblock *m)
{
    const json_t *hashes = case_json(c, "hashes");
    spv_header h = decoded(m->header);
    spv_hash hash = hash_of(m->header);

    expect_hash_field(c, "block_hash", &hash);
    expect_hash_field(c, "merkle_root", &h.merkle_root);
    expect_int(c, "transactions", m->n_transactions,
               case_int(c, "n_transactions"));
    expect_bytes(c, "flags", m->flags, m->flags_len, case_hex(c, "flags"));
    expect_int(c, "hashes", (int64_t)m->hashes.n,
               (int64_t)json_array_size(hashes));
    for (size_t i = 0; i < m->hashes.n && i < json_array_size(hashes); i++)
        expect_bytes(c, "hash", m->hashes.bytes + 32 * i, 32,
                     case_hex_of(c, json_array_get(hashes, i)));
}

static void merkleblock(spv_case *c)
{
    spv_view payload = case_hex(c, "payload");
    spv_message m = {0};

    expect_ok(c, "message",
              spv__message_decode(&m, SPV_MSG_MERKLEBLOCK, payload.bytes,
                                  payload.len));
    if (m.as.merkleblock.header)
        expect_fields(c, &m.as.merkleblock);
    accepted(c);
    if (case_has(c, "block"))
        rebuild(c);
}

/* Round trips ------------------------------------------------------------- */

static bool is_matched(const char *pattern, uint32_t i, uint32_t n)
{
    if (strcmp(pattern, "all") == 0)
        return true;
    if (strcmp(pattern, "last only") == 0)
        return i + 1 == n;
    return strcmp(pattern, "every index with index % 3 == 1") == 0 &&
           i % 3 == 1;
}

/** "version 2, zero inputs, zero outputs, lock time j" */
static spv_hash made_txid(uint32_t j)
{
    const uint8_t tx[10] = {2,
                            0,
                            0,
                            0,
                            0,
                            0,
                            (uint8_t)j,
                            (uint8_t)(j >> 8),
                            (uint8_t)(j >> 16),
                            (uint8_t)(j >> 24)};
    spv_hash txid;

    spv__sha256d(&txid, tx, sizeof(tx));
    return txid;
}

static txid_list made_list(spv_case *c, uint32_t n)
{
    txid_list l = list_new(n);

    for (; l.n < n; l.n++) {
        l.txids[l.n] = made_txid(l.n);
        l.matched[l.n] = is_matched(case_text(c, "pattern"), l.n, n);
    }
    return l;
}

/** The tree without a header, as the vectors have it. */
static void put_tree(spv_buf *b, const spv_merkle_tree *tree)
{
    spv__put_u32(b, tree->n_txs);
    spv__put_compact(b, tree->n_hashes);
    spv__put_bytes(b, tree->hashes, tree->n_hashes * 32);
    spv__put_var_bytes(b, tree->flags, tree->flags_len);
}

static void expect_serialized(spv_case *c, const spv_merkle_tree *tree)
{
    spv_buf b = SPV_BUF_EMPTY;
    uint8_t digest[32];

    put_tree(&b, tree);
    spv__sha256(digest, b.bytes, b.len);
    expect_int(c, "length", (int64_t)b.len, case_int(c, "serialized_length"));
    expect_true(c, "bound", (int64_t)b.len <= case_int(c, "size_bound"));
    expect_bytes(c, "digest", digest, sizeof(digest),
                 case_hex(c, "serialized_sha256"));
    if (case_has(c, "serialized"))
        expect_bytes(c, "serialized", b.bytes, b.len,
                     case_hex(c, "serialized"));
    spv__buf_clear(&b);
}

static void expect_leaves(spv_case *c, const txid_list *l,
                          const spv_merkle_tree *tree)
{
    spv_merkle_proof proof = {0};
    size_t at = 0;

    expect_text(c, "verdict",
                spv_merkle_verdict_text(spv_merkle_verify(&proof, tree, NULL)),
                spv_merkle_verdict_text(SPV_MERKLE_OK));
    expect_bytes(c, "root", proof.root.bytes, 32,
                 case_hex(c, "merkle_root_wire"));
    expect_int(c, "matches", (int64_t)proof.n, case_int(c, "matched_count"));
    for (uint32_t i = 0; i < l->n; i++)
        if (l->matched[i] && at < proof.n) {
            expect_int(c, "position", proof.leaves[at].position, i);
            expect_hash(c, "txid", &proof.leaves[at++].txid, &l->txids[i]);
        }
    spv_merkle_proof_clear(&proof);
}

static unsigned levels_above(uint32_t n)
{
    unsigned height = 0;

    while (((n + (1u << height) - 1) >> height) > 1)
        height++;
    return height;
}

static void pmt_roundtrip(spv_case *c)
{
    txid_list l = made_list(c, (uint32_t)case_int(c, "n_transactions"));
    spv_merkle_tree tree;
    spv_hash root;

    expect_ok(c, "root", spv_merkle_root(&root, l.txids, l.n));
    expect_bytes(c, "root", root.bytes, 32, case_hex(c, "merkle_root_wire"));
    expect_ok(c, "tree", spv_merkle_build(&tree, l.txids, l.matched, l.n));
    expect_int(c, "height", levels_above(l.n), case_int(c, "tree_height"));
    expect_int(c, "hashes", (int64_t)tree.n_hashes, case_int(c, "hash_count"));
    expect_int(c, "flag bytes", (int64_t)tree.flags_len,
               case_int(c, "flag_bytes"));
    expect_serialized(c, &tree);
    expect_leaves(c, &l, &tree);
    spv_merkle_tree_free(&tree);
    list_free(&l);
}

const spv_kind spv__kinds_chain[] = {
    {"compact", compact},
    {"compact_encode", compact_encode},
    {"work", work},
    {"check_pow", check_pow},
    {"genesis", genesis},
    {"header", header},
    {"median_time", median_time},
    {"network_params", network_params},
    {"version_rules", version_rules},
    {"time_rules", time_rules},
    {"retarget", retarget},
    {"retarget_bip94", retarget_bip94},
    {"retarget_headers", retarget_headers},
    {"rule_fact", rule_fact},
    {"header_sequence", header_sequence},
    {"header_file_fact", header_file_fact},
    {"checkpoint", checkpoint},
    {"checkpoint_entry", checkpoint_entry},
    {"checkpoint_hash", checkpoint_hash},
    {"locator", locator},
    {"header_chain", header_chain},
    {"header_chain_fork", header_chain_fork},
    {"merkleblock", merkleblock},
    {"merkleblock_accepted_edge", accepted},
    {"merkleblock_invalid", rejected},
    {"merkleblock_policy", policy},
    {"pmt_roundtrip", pmt_roundtrip},
    {NULL, NULL},
};
