/*
 * Facts about the protocol and about remote nodes.
 *
 * Numbers are compared with our own constants, found by the vector's id. How
 * a remote node behaves is not ours to compute: where a behaviour turns on a
 * limit or an encoding, our writer and reader are held to it; of the rest only
 * the vector's form is checked: two texts, and a score that is no more than
 * the threshold at which a node drops its peer.
 */
#include <stdlib.h>
#include <string.h>

#include <spv/merkle.h>

#include "vectors/kinds_wire.h"
#include "wire/frame.h"
#include "wire/message.h"
#include "wire/netaddr.h"

/* At this score a node drops its peer: a fact about nodes, not of ours. */
enum { SCORE_MAX = 100 };

typedef struct fact {
    const char *id;
    int64_t value;
} fact;

static const fact limits[] = {
    {"limit-max-message", SPV__PAYLOAD_MAX},
    {"limit-header-size", SPV__FRAME_HEADER_LEN},
    {"limit-filter-bytes", SPV__FILTER_BYTES_MAX},
    {"limit-filter-hash-funcs", SPV__FILTER_FUNCS_MAX},
    {"limit-filteradd-bytes", SPV__FILTERADD_MAX},
    {"limit-inv-entries", SPV__INV_MAX},
    {"limit-headers-entries", SPV__HEADERS_MAX},
    {"limit-locator-entries", SPV__LOCATOR_MAX},
    {"limit-addr-entries", SPV__ADDR_MAX},
    {"limit-addrv2-address-bytes", SPV__NETADDR_MAX},
    {"limit-user-agent-bytes", SPV__USER_AGENT_MAX},
    {"limit-merkleblock-transactions", SPV_MERKLE_TXS_MAX},
    {"limit-discourage-threshold", SCORE_MAX},
};

static const fact versions[] = {
    {"protover-bip31", SPV__PROTOCOL_PING_NONCE},
    {"protover-bip35", SPV__PROTOCOL_MEMPOOL},
    {"protover-bip37", SPV__PROTOCOL_MIN},
    {"protover-bip111", SPV__PROTOCOL_BLOOM_BIT},
    {"protover-bip130", SPV__PROTOCOL_SENDHEADERS},
    {"protover-bip133", SPV__PROTOCOL_FEEFILTER},
    {"protover-bip152", SPV__PROTOCOL_SENDCMPCT},
    {"protover-bip152-no-ban", SPV__PROTOCOL_CMPCT_LENIENT},
    {"protover-bip339", SPV__PROTOCOL_WTXIDRELAY},
    {"protover-min-peer", SPV__PROTOCOL_OLDEST},
};

static const fact services[] = {
    {"service-network", SPV__NODE_NETWORK},
    {"service-getutxo", SPV__NODE_GETUTXO},
    {"service-bloom", SPV__NODE_BLOOM},
    {"service-witness", SPV__NODE_WITNESS},
    {"service-compact-filters", SPV__NODE_COMPACT_FILTERS},
    {"service-network-limited", SPV__NODE_NETWORK_LIMITED},
};

static const fact inv_types[] = {
    {"invtype-tx", SPV_INV_TX},
    {"invtype-block", SPV_INV_BLOCK},
    {"invtype-filtered-block", SPV_INV_FILTERED_BLOCK},
    {"invtype-cmpct-block", SPV_INV_COMPACT_BLOCK},
    {"invtype-wtx", SPV_INV_WTX},
    {"invtype-witness-tx", SPV_INV_WITNESS_TX},
    {"invtype-witness-block", SPV_INV_WITNESS_BLOCK},
    {"invtype-filtered-witness-block", SPV_INV_FILTERED_WITNESS_BLOCK},
};

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static void check_fact(spv_case *c, const fact *facts, size_t n)
{
    const char *id = spv__case_text(c, "id");
    size_t i = 0;

    while (i < n && strcmp(facts[i].id, id) != 0)
        i++;
    spv__expect_true(c, "fact known to this runner", i < n);
    if (i < n)
        spv__expect_int(c, "value", facts[i].value, spv__case_int(c, "value"));
}

/* Limits that are a node's own: we hold to something that follows. */
void spv__kind_limit(spv_case *c)
{
    const char *id = spv__case_text(c, "id");

    if (strcmp(id, "limit-max-message-historic") == 0)
        spv__expect_true(c, "our payloads are under it",
                         SPV__PAYLOAD_MAX < spv__case_int(c, "value"));
    else if (strcmp(id, "limit-getblocks-results") == 0)
        spv__expect_true(c, "an inv of so many is taken",
                         SPV__INV_MAX >= spv__case_int(c, "value"));
    else
        check_fact(c, limits, COUNT(limits));
}

void spv__kind_protocol_version(spv_case *c)
{
    check_fact(c, versions, COUNT(versions));
}

void spv__kind_service_bit(spv_case *c)
{
    check_fact(c, services, COUNT(services));
    spv__expect_int(c, "value of the bit",
                    INT64_C(1) << spv__case_count(c, "bit", 62),
                    spv__case_int(c, "value"));
}

void spv__kind_inv_type(spv_case *c)
{
    const char *hex = spv__case_text(c, "value_hex");

    check_fact(c, inv_types, COUNT(inv_types));
    spv__expect_int(c, "value_hex", (int64_t)strtoull(hex, NULL, 16),
                    spv__case_int(c, "value"));
    spv__expect_true(c, "used_in", *spv__case_text(c, "used_in") != '\0');
}

/* A payload of `n` items, for messages that are limited by their count. */
typedef void payload_maker(spv_case *c, spv_buf *b, size_t n);

static void make_filter(spv_case *c, spv_buf *b, size_t n)
{
    uint8_t *bytes = spv__case_alloc(c, n, 1);
    spv_filterload f = {.filter = bytes, .len = n, .hash_funcs = 1};

    if (bytes)
        spv__put_filterload(b, &f);
}

static void make_funcs(spv_case *c, spv_buf *b, size_t n)
{
    static const uint8_t byte[1];
    spv_filterload f = {.filter = byte, .len = 1, .hash_funcs = (uint32_t)n};

    (void)c;
    spv__put_filterload(b, &f);
}

static void make_filteradd(spv_case *c, spv_buf *b, size_t n)
{
    uint8_t *bytes = spv__case_alloc(c, n, 1);

    if (bytes)
        spv__put_filteradd(b, bytes, n);
}

static void make_inv(spv_case *c, spv_buf *b, size_t n)
{
    spv_inv *items = spv__case_alloc(c, n, sizeof(*items));

    if (items)
        spv__put_inv(b, items, n);
}

static void make_headers(spv_case *c, spv_buf *b, size_t n)
{
    uint8_t(*headers)[SPV_HEADER_LEN] = spv__case_alloc(c, n, sizeof(*headers));

    if (headers)
        spv__put_headers(b, (const uint8_t(*)[SPV_HEADER_LEN])headers, n);
}

static void make_addr(spv_case *c, spv_buf *b, size_t n)
{
    spv_addr_entry *entries = spv__case_alloc(c, n, sizeof(*entries));

    if (entries)
        spv__put_addr(b, entries, n);
}

static void make_locator(spv_case *c, spv_buf *b, size_t n)
{
    spv_hash *hashes = spv__case_alloc(c, n, sizeof(*hashes));
    spv_hash stop = {{0}};

    if (hashes)
        spv__put_locator(b, SPV__PROTOCOL_VERSION, hashes, n, &stop);
}

/*
 * Behaviours that turn on a count: `n` items of `item` bytes, whether a node
 * takes them, and at which byte of the payload the count stands.
 */
static const struct bound {
    const char *id;
    spv_message_kind kind;
    payload_maker *make;
    size_t n;
    bool taken;
    size_t at;
    size_t item;
} bounds[] = {
    {"behaviour-filterload-oversize-data", SPV_MSG_FILTERLOAD, make_filter,
     36001, false, 0, 1},
    {"behaviour-filterload-max-data", SPV_MSG_FILTERLOAD, make_filter, 36000,
     true, 0, 1},
    {"behaviour-filterload-51-funcs", SPV_MSG_FILTERLOAD, make_funcs, 51, false,
     2, 0},
    {"behaviour-filterload-50-funcs", SPV_MSG_FILTERLOAD, make_funcs, 50, true,
     2, 0},
    {"behaviour-filteradd-520", SPV_MSG_FILTERADD, make_filteradd, 520, true, 0,
     1},
    {"behaviour-filteradd-521", SPV_MSG_FILTERADD, make_filteradd, 521, false,
     0, 1},
    {"behaviour-mempool-no-filter", SPV_MSG_INV, make_inv, 50000, true, 0, 36},
    {"behaviour-inv-oversize", SPV_MSG_INV, make_inv, 50001, false, 0, 36},
    {"behaviour-getdata-oversize", SPV_MSG_GETDATA, make_inv, 50001, false, 0,
     36},
    {"behaviour-headers-oversize", SPV_MSG_HEADERS, make_headers, 2001, false,
     0, 81},
    {"behaviour-getheaders-reply", SPV_MSG_HEADERS, make_headers, 0, true, 0,
     81},
    {"behaviour-addr-oversize", SPV_MSG_ADDR, make_addr, 1001, false, 0, 30},
    {"behaviour-getheaders-locator-empty", SPV_MSG_GETHEADERS, make_locator, 0,
     true, 4, 32},
    {"behaviour-locator-oversize", SPV_MSG_GETHEADERS, make_locator, 102, false,
     4, 32},
};

static void expect_reader(spv_case *c, const char *what, const struct bound *b,
                          const spv_buf *payload, const char *want)
{
    spv_message m;
    spv_err err =
        spv__message_decode(&m, b->kind, payload->bytes, payload->len);

    spv__expect_text(c, what, spv_err_name(err), want);
    spv__message_clear(&m);
}

/* What our writer refuses to write: `less` with one item of zeros more. */
static void put_one_more(spv_buf *out, const spv_buf *less,
                         const struct bound *b)
{
    static const uint8_t zeros[SPV_HEADER_LEN + 1];
    spv_reader r = spv__reader(less->bytes, less->len);

    spv__put_bytes(out, spv__read_bytes(&r, b->at), b->at);
    (void)spv__read_compact(&r);
    spv__put_compact(out, b->n);
    spv__put_bytes(out, zeros, b->item);
    spv__put_bytes(out, r.at, spv__read_left(&r));
}

/* Writer and reader take the most that a node takes, and not one more. */
static void check_bound(spv_case *c, const struct bound *b)
{
    size_t most = b->taken ? b->n : b->n - 1;
    spv_buf payload = SPV_BUF_EMPTY;
    spv_buf more = SPV_BUF_EMPTY;

    b->make(c, &payload, most);
    spv__expect_ok(c, "writer", payload.err);
    expect_reader(c, "reader", b, &payload, "OK");
    if (!b->taken) {
        b->make(c, &more, b->n);
        spv__expect_text(c, "writer of more", spv_err_name(more.err), "LIMIT");
        spv__buf_clear(&more);
        put_one_more(&more, &payload, b);
        expect_reader(c, "reader of more", b, &more, "LIMIT");
    }
    spv__buf_clear(&payload);
    spv__buf_clear(&more);
}

/* The first word of digits in a text; 0 when there is none. */
static int64_t number_in(const char *text)
{
    for (; *text; text++)
        if (text[0] == ' ' && text[1] >= '0' && text[1] <= '9')
            return strtoll(text + 1, NULL, 10);
    return 0;
}

/* The number in a vector's text is the one we hold ourselves to. */
static void check_number(spv_case *c, const struct bound *b)
{
    int64_t n = number_in(spv__case_text(c, "trigger"));

    if (n == 0)
        n = number_in(spv__case_text(c, "reaction"));
    spv__expect_int(c, "number in the text", (int64_t)b->n, n);
}

static void check_version_old(spv_case *c)
{
    spv__expect_true(c, "oldest version in the trigger",
                     strstr(spv__case_text(c, "trigger"), "31800") != NULL &&
                         SPV__PROTOCOL_OLDEST == 31800);
}

static void check_unknown(spv_case *c)
{
    static const uint8_t bytes[] = {1, 2, 3};
    spv_message m;

    spv__expect_int(c, "kind of \"alert\"", spv__message_find("alert"),
                    SPV_MSG_UNKNOWN);
    spv__expect_ok(
        c, "an unknown message",
        spv__message_decode(&m, SPV_MSG_UNKNOWN, bytes, sizeof(bytes)));
}

static void check_short(spv_case *c)
{
    static const uint8_t seven[7];
    spv_message m;

    spv__expect_text(c, "a ping of seven bytes",
                     spv_err_name(spv__message_decode(&m, SPV_MSG_PING, seven,
                                                      sizeof(seven))),
                     "TRUNCATED");
}

static void check_no_match(spv_case *c)
{
    static const uint8_t header[SPV_HEADER_LEN];
    static const uint8_t root[32] = {1};
    static const uint8_t flags[1];
    const spv_merkleblock block = {header, 5, {root, 1}, flags, 1};
    spv_buf payload = SPV_BUF_EMPTY;
    spv_message m;

    spv__put_merkleblock(&payload, &block);
    spv__expect_ok(c, "one root and a zero flag byte",
                   spv__message_decode(&m, SPV_MSG_MERKLEBLOCK, payload.bytes,
                                       payload.len));
    spv__expect_int(c, "hashes", (int64_t)m.as.merkleblock.hashes.n, 1);
    spv__buf_clear(&payload);
}

static void check_service(spv_case *c)
{
    spv__expect_int(c, "service_bit", SPV__NODE_BLOOM,
                    INT64_C(1) << spv__case_count(c, "service_bit", 62));
}

static void check_wtxid_type(spv_case *c)
{
    spv__expect_true(c, "inventory type of a wtxid",
                     strstr(spv__case_text(c, "reaction"), "type 5") &&
                         SPV_INV_WTX == 5);
}

static void check_filtered_witness_type(spv_case *c)
{
    const char *hex = strstr(spv__case_text(c, "trigger"), "0x");

    spv__expect_int(c, "reserved inventory type",
                    SPV_INV_FILTERED_WITNESS_BLOCK,
                    hex ? strtoll(hex, NULL, 16) : 0);
}

static const struct {
    const char *id;
    void (*check)(spv_case *c);
} encodings[] = {
    {"behaviour-version-old", check_version_old},
    {"behaviour-alert", check_unknown},
    {"behaviour-post-handshake-chatter", check_unknown},
    {"behaviour-malformed-payload", check_short},
    {"behaviour-filtered-block-no-match", check_no_match},
    {"behaviour-no-bloom-disconnect", check_service},
    {"behaviour-wtxidrelay-inv", check_wtxid_type},
    {"behaviour-segwit-peer-block-types", check_filtered_witness_type},
};

void spv__kind_peer_behaviour(spv_case *c)
{
    const char *id = spv__case_text(c, "id");

    spv__expect_true(c, "trigger", *spv__case_text(c, "trigger") != '\0');
    spv__expect_true(c, "reaction", *spv__case_text(c, "reaction") != '\0');
    if (spv__case_has(c, "score"))
        spv__expect_true(c, "score within 0 and the threshold",
                         spv__case_int(c, "score") >= 0 &&
                             spv__case_int(c, "score") <= SCORE_MAX);
    for (size_t i = 0; i < COUNT(bounds); i++)
        if (strcmp(bounds[i].id, id) == 0) {
            check_bound(c, &bounds[i]);
            check_number(c, &bounds[i]);
        }
    for (size_t i = 0; i < COUNT(encodings); i++)
        if (strcmp(encodings[i].id, id) == 0)
            encodings[i].check(c);
}
