#include "vectors/kinds_chain.h"

#include <spv/chain.h>

#include "base/digest.h"
#include "chain/pow.h"
#include "chain/rules.h"

/* Targets ----------------------------------------------------------------- */

void spv__kind_compact(spv_case *c)
{
    uint32_t bits = (uint32_t)spv__case_int(c, "compact");
    spv_target t = spv__bits_decode(bits);
    uint32_t sign = t.negative ? 0x00800000u : 0;

    spv__expect_hex(c, "compact_hex", bits);
    spv__expect_int(c, "negative", t.negative, spv__case_bool(c, "negative"));
    spv__expect_int(c, "overflow", t.overflow, spv__case_bool(c, "overflow"));
    if (t.overflow)
        return;
    spv__expect_number(c, "target", t.value, spv__field_number(c, "target"));
    spv__expect_int(c, "reencoded", spv__bits_encode(t.value) | sign,
                    spv__case_int(c, "reencoded"));
    spv__expect_hex(c, "reencoded_hex", spv__case_int(c, "reencoded"));
}

void spv__kind_compact_encode(spv_case *c)
{
    spv__expect_hex(c, "compact_hex", spv__case_int(c, "compact"));
    spv__expect_int(c, "compact",
                    spv__bits_encode(spv__field_number(c, "target")),
                    spv__case_int(c, "compact"));
}

void spv__kind_work(spv_case *c)
{
    spv__expect_hex(c, "bits_hex", spv__case_int(c, "bits"));
    spv__expect_number(c, "work",
                       spv__bits_work((uint32_t)spv__case_int(c, "bits")),
                       spv__field_number(c, "expected_work_hex"));
}

void spv__kind_check_pow(spv_case *c)
{
    spv_hash hash = spv__case_hash(c, "hash");

    spv__expect_hex(c, "bits_hex", spv__case_int(c, "bits"));
    spv__expect_int(c, "proof of work",
                    spv_pow_check(&hash, (uint32_t)spv__case_int(c, "bits"),
                                  spv__field_network(c)),
                    spv__case_bool(c, "expected"));
}

/* Rules ------------------------------------------------------------------- */

void spv__kind_network_params(spv_case *c)
{
    const spv_network *n = spv__field_network(c);
    bool twenty_minutes = n->min_difficulty;

    spv__expect_bytes(c, "message start", n->magic, sizeof(n->magic),
                      spv__case_hex(c, "message_start"));
    if (spv__case_has(c, "challenge")) {
        spv_view script = spv__case_hex(c, "challenge");
        uint8_t len = (uint8_t)script.len;
        spv_hash hash;

        spv__sha256d_slices(
            &hash, (spv_slice[]){{&len, 1}, {script.bytes, script.len}}, 2);
        spv__expect_bytes(c, "hash of the challenge", hash.bytes, 4,
                          spv__case_hex(c, "message_start"));
        return;
    }
    spv__expect_int(c, "port", n->port, spv__case_int(c, "default_port"));
    spv__expect_int(c, "limit", n->pow_limit_bits,
                    spv__case_int(c, "pow_limit_bits"));
    spv__expect_hex(c, "pow_limit_bits_hex", n->pow_limit_bits);
    spv__expect_int(c, "limit of the target",
                    spv__bits_encode(spv__field_number(c, "pow_limit")),
                    n->pow_limit_bits);
    spv__expect_int(c, "minimum difficulty", twenty_minutes,
                    spv__case_bool(c, "allow_min_difficulty_blocks"));
    spv__expect_int(c, "no retarget", n->no_retarget,
                    spv__case_bool(c, "no_retargeting"));
    spv__expect_int(c, "bip94", n->bip94,
                    spv__case_has(c, "enforce_bip94") &&
                        spv__case_bool(c, "enforce_bip94"));
    spv__expect_int(c, "interval", SPV__RETARGET_INTERVAL,
                    spv__case_int(c, "retarget_interval"));
    spv__expect_int(c, "timespan", SPV__TARGET_TIMESPAN,
                    spv__case_int(c, "target_timespan"));
    spv__expect_int(c, "spacing", SPV__TARGET_SPACING,
                    spv__case_int(c, "target_spacing"));
}

void spv__kind_version_rules(spv_case *c)
{
    static const char *const fields[] = {"min_version_2_from_height",
                                         "min_version_3_from_height",
                                         "min_version_4_from_height"};
    const spv_network *network = spv__field_network(c);

    for (int32_t i = 0; i < 3; i++) {
        int32_t from = spv__field_height(c, fields[i]);

        spv__expect_true(c, fields[i],
                         spv__version_min(network, from) >= i + 2);
        spv__expect_true(c, fields[i],
                         spv__version_min(network, from - 1) < i + 2);
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

void spv__kind_retarget(spv_case *c)
{
    const spv_network *network = spv__field_network(c);
    uint32_t bits = (uint32_t)spv__case_int(c, "last_bits");
    spv_stamp first = {(uint32_t)spv__case_int(c, "first_time"), bits};
    spv_stamp last = {(uint32_t)spv__case_int(c, "last_time"), bits};
    int32_t height = spv__case_has(c, "last_height")
                         ? spv__field_height(c, "last_height")
                         : 2 * SPV__RETARGET_INTERVAL - 1;
    made_past p = period(height, first, last);

    spv__expect_hex(c, "last_bits_hex", bits);
    spv__expect_hex(c, "expected_bits_hex", spv__case_int(c, "expected_bits"));
    spv__expect_int(c, "bits",
                    spv__retarget(network, bits, first.time, last.time),
                    spv__case_int(c, "expected_bits"));
    spv__expect_int(c, "bits of the next header",
                    required_after(network, &p, last.time + 1),
                    spv__case_int(c, "expected_bits"));
}

void spv__kind_retarget_bip94(spv_case *c)
{
    spv_stamp first = {(uint32_t)spv__case_int(c, "first_time"),
                       (uint32_t)spv__case_int(c, "first_bits")};
    spv_stamp last = {(uint32_t)spv__case_int(c, "last_time"),
                      (uint32_t)spv__case_int(c, "last_bits")};
    made_past p = period(2 * SPV__RETARGET_INTERVAL - 1, first, last);

    spv__expect_hex(c, "expected_bits_hex", spv__case_int(c, "expected_bits"));
    spv__expect_int(c, "bits",
                    required_after(spv__field_network(c), &p, last.time + 1),
                    spv__case_int(c, "expected_bits"));
    spv__expect_int(
        c, "bits by testnet3's rule",
        required_after(spv_network_get(SPV_TESTNET3), &p, last.time + 1),
        spv__field_hex_u32(c, "testnet3_rule_would_give"));
}

void spv__kind_retarget_headers(spv_case *c)
{
    const spv_network *network = spv__field_network(c);
    spv_header first =
        spv__decoded_header(spv__field_header(c, "first_header"));
    spv_header last = spv__decoded_header(spv__field_header(c, "last_header"));
    spv_header next = spv__decoded_header(spv__field_header(c, "next_header"));
    spv_hash hashes[3] = {
        spv__hash_of_header(spv__field_header(c, "first_header")),
        spv__hash_of_header(spv__field_header(c, "last_header")),
        spv__hash_of_header(spv__field_header(c, "next_header"))};
    made_past p = period(spv__field_height(c, "last_height"),
                         (spv_stamp){first.time, first.bits},
                         (spv_stamp){last.time, last.bits});

    spv__expect_hash_field(c, "first_hash", &hashes[0]);
    spv__expect_hash_field(c, "last_hash", &hashes[1]);
    spv__expect_hash_field(c, "next_hash", &hashes[2]);
    spv__expect_hash(c, "parent of the next", &next.prev, &hashes[1]);
    spv__expect_int(c, "first time", first.time,
                    spv__case_int(c, "first_time"));
    spv__expect_int(c, "last time", last.time, spv__case_int(c, "last_time"));
    spv__expect_int(c, "last bits", last.bits,
                    spv__field_hex_u32(c, "last_bits_hex"));
    spv__expect_int(c, "first height", p.first_height,
                    spv__case_int(c, "first_height"));
    spv__expect_int(c, "next height", p.last_height + 1,
                    spv__case_int(c, "next_height"));
    spv__expect_hex(c, "expected_bits_hex", next.bits);
    spv__expect_int(c, "next bits", next.bits,
                    spv__case_int(c, "expected_bits"));
    spv__expect_int(c, "required bits", required_after(network, &p, next.time),
                    spv__case_int(c, "expected_bits"));
    for (int i = 0; i < 3; i++)
        spv__expect_true(
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

void spv__kind_time_rules(spv_case *c)
{
    const spv_network *network = spv_network_get(SPV_MAIN);
    spv_stamp even = {1000000, network->pow_limit_bits};
    made_past p = {
        .last_height = 100, .first = even, .last = even, .between = even};
    spv_stamp same = even;
    spv_stamp above = {even.time + 1, even.bits};
    int64_t ahead = (int64_t)spv__case_count(c, "max_future_seconds", 1000000);

    spv__expect_int(c, "span", SPV__MEDIAN_SPAN,
                    spv__case_int(c, "median_span"));
    spv__expect_int(c, "at the median is too early",
                    rules_verdict(network, &p, same, LATE) ==
                        SPV_VERDICT_OLD_TIME,
                    spv__case_bool(c, "strictly_greater_than_median"));
    spv__expect_int(c, "above the median",
                    rules_verdict(network, &p, above, LATE), SPV_VERDICT_ADDED);
    spv__expect_int(c, "as far ahead as may be",
                    rules_verdict(network, &p, above, above.time - ahead),
                    SPV_VERDICT_ADDED);
    spv__expect_int(c, "one second more",
                    rules_verdict(network, &p, above, above.time - ahead - 1),
                    SPV_VERDICT_FUTURE);
}

static void time_warp_fact(spv_case *c)
{
    const spv_network *network = spv__field_network(c);
    int32_t interval = spv__field_height(c, "applies_when_height_mod");
    uint32_t back = (uint32_t)spv__case_int(c, "max_backward_seconds");
    uint32_t end = 1700000000;
    made_past p =
        period(2 * interval - 1, (spv_stamp){end - 1209600, 0x1c0ffff0},
               (spv_stamp){end, 0x1c0ffff0});
    spv_stamp next = {end - back, 0};

    p.between.time = end - 2 * back;
    next.bits = required_after(network, &p, next.time);
    spv__expect_int(c, "as far back as may be",
                    rules_verdict(network, &p, next, LATE), SPV_VERDICT_ADDED);
    next.time--;
    spv__expect_int(c, "one second more",
                    rules_verdict(network, &p, next, LATE),
                    SPV_VERDICT_TIME_WARP);
    next.bits = required_after(spv_network_get(SPV_TESTNET3), &p, next.time);
    spv__expect_int(
        c, "only there",
        rules_verdict(spv_network_get(SPV_TESTNET3), &p, next, LATE),
        SPV_VERDICT_ADDED);
    p.last_height--;
    p.first_height--;
    next.bits = 0x1c0ffff0;
    spv__expect_int(c, "only then", rules_verdict(network, &p, next, LATE),
                    SPV_VERDICT_ADDED);
}

void spv__kind_rule_fact(spv_case *c)
{
    const spv_network *network = spv__field_network(c);
    spv_stamp usual = {1500000000, 0x1c0ffff0};
    made_past p = {
        .last_height = 100, .first = usual, .last = usual, .between = usual};
    uint32_t gap = 0;

    if (spv__case_has(c, "max_backward_seconds")) {
        time_warp_fact(c);
        return;
    }
    gap = (uint32_t)spv__case_int(c, "gap_seconds");
    spv__expect_int(c, "bits", required_after(network, &p, usual.time + gap),
                    spv__case_bool(c, "min_difficulty_applies")
                        ? network->pow_limit_bits
                        : usual.bits);
}

void spv__kind_median_time(spv_case *c)
{
    const json_t *list = spv__case_list(c, "times_oldest_first");
    uint32_t times[64];
    size_t n = 0;
    size_t i = 0;
    json_t *t = NULL;
    size_t skip = 0;

    spv__expect_true(c, "1 to 64 times",
                     json_array_size(list) >= 1 && json_array_size(list) <= 64);
    json_array_foreach(list, i, t)
    {
        if (n < 64)
            times[n++] = (uint32_t)json_integer_value(t);
    }
    if (n == 0)
        return;
    skip = n > SPV__MEDIAN_SPAN ? n - SPV__MEDIAN_SPAN : 0;
    spv__expect_int(c, "median",
                    spv__median_time(times + skip, (int)(n - skip)),
                    spv__case_int(c, "expected"));
}
