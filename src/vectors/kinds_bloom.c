#include "vectors/kind.h"

#include <stdlib.h>
#include <string.h>

#include <spv/filter.h>
#include <spv/script.h>

#include "base/digest.h"
#include "bloom/filter.h"
#include "bloom/murmur3.h"
#include "chain/merkle.h"
#include "wire/message.h"

/* Filters as fields -------------------------------------------------------- */

static spv_view view_of(const json_t *object, spv_case *c, const char *field)
{
    return spv__case_hex_of(c, json_object_get(object, field));
}

/** A truth value of a nested object; anything else fails the case. */
static bool flag_of(const json_t *object, spv_case *c, const char *field)
{
    const json_t *value = json_object_get(object, field);

    if (!json_is_boolean(value))
        spv__expect_text(c, field, "no truth value", "true or false");
    return json_is_true(value);
}

static void filter_of_field(spv_case *c, spv_filter *f, const char *field)
{
    spv_view payload = spv__case_hex(c, field);

    spv__expect_ok(c, field, spv_filter_decode(f, payload.bytes, payload.len));
}

static void expect_filter(spv_case *c, const char *what, const spv_filter *f,
                          spv_view want)
{
    uint8_t payload[SPV_FILTER_PAYLOAD_MAX];
    size_t len = spv_filter_encode(payload, f);

    spv__expect_bytes(c, what, payload, len, want);
}

/** An empty filter from n_elements, fp_rate, tweak and flags. */
static void filter_of_plan(spv_case *c, spv_filter *f)
{
    spv__expect_ok(c, "a filter of this plan",
                   spv_filter_init_for(f,
                                       (uint32_t)spv__case_int(c, "n_elements"),
                                       spv__case_real(c, "fp_rate"),
                                       (uint32_t)spv__case_int(c, "tweak"),
                                       (uint8_t)spv__case_int(c, "flags")));
}

static void insert_all(spv_case *c, spv_filter *f, const json_t *elements)
{
    size_t i = 0;
    json_t *element = NULL;

    json_array_foreach(elements, i, element)
    {
        spv_view v = spv__case_hex_of(c, element);

        spv_filter_insert(f, v.bytes, v.len);
    }
}

/* murmur3.json ------------------------------------------------------------ */

/** The same number once more, in hex. */
static void expect_hex(spv_case *c, const char *field, int64_t number)
{
    spv__expect_int(
        c, field, (int64_t)strtoul(spv__case_text(c, field), NULL, 16), number);
}

static void murmur3(spv_case *c)
{
    spv_view data = spv__case_hex(c, "data");

    expect_hex(c, "seed_hex", spv__case_int(c, "seed"));
    expect_hex(c, "expected_hex", spv__case_int(c, "expected"));
    spv__expect_int(
        c, "hash",
        spv__murmur3((uint32_t)spv__case_int(c, "seed"), data.bytes, data.len),
        spv__case_int(c, "expected"));
}

static void bloom_seed(spv_case *c)
{
    expect_hex(c, "expected_seed_hex", spv__case_int(c, "expected_seed"));
    spv__expect_int(c, "seed",
                    spv__filter_seed((uint32_t)spv__case_int(c, "hash_index"),
                                     (uint32_t)spv__case_int(c, "tweak")),
                    spv__case_int(c, "expected_seed"));
}

/* Filters ----------------------------------------------------------------- */

static void step(spv_case *c, spv_filter *f, const json_t *what)
{
    spv_view v = view_of(what, c, "hex");
    const char *op = json_string_value(json_object_get(what, "op"));

    if (op && strcmp(op, "insert") == 0) {
        spv_filter_insert(f, v.bytes, v.len);
        return;
    }
    spv__expect_text(c, "op", op ? op : "", "contains");
    spv__expect_int(c, "contains", spv_filter_contains(f, v.bytes, v.len),
                    flag_of(what, c, "expect"));
}

/** Two vectors tell where their elements come from. */
static void check_origin(spv_case *c)
{
    if (spv__case_has(c, "pubkey")) {
        spv_view key = spv__case_hex(c, "pubkey");
        uint8_t hash[20];

        spv__hash160(hash, key.bytes, key.len);
        spv__expect_bytes(c, "hash160", hash, sizeof(hash),
                          spv__case_hex(c, "hash160"));
    }
    if (spv__case_has(c, "script_pubkey")) {
        spv_view script = spv__case_hex(c, "script_pubkey");
        const json_t *first = json_array_get(spv__case_list(c, "steps"), 0);
        size_t len = 0;
        const uint8_t *element =
            spv_script_element(script.bytes, script.len, &len);

        spv__expect_bytes(c, "element of the script", element, len,
                          view_of(first, c, "hex"));
    }
}

static void filter_serialize(spv_case *c)
{
    spv_filter f = {0};
    size_t i = 0;
    json_t *s = NULL;

    if (spv__case_has(c, "n_elements"))
        filter_of_plan(c, &f);
    else
        filter_of_field(c, &f, "filterload_payload_initial");
    spv__expect_int(c, "bytes", (int64_t)f.len,
                    spv__case_int(c, "expected_filter_bytes"));
    spv__expect_int(c, "hash functions", f.hash_funcs,
                    spv__case_int(c, "expected_hash_funcs"));
    json_array_foreach(spv__case_list(c, "steps"), i, s)
    {
        step(c, &f, s);
    }
    expect_filter(c, "payload", &f,
                  spv__case_hex(c, "expected_filterload_payload"));
    check_origin(c);
    spv_filter_clear(&f);
}

static void filter_sizing(spv_case *c)
{
    const char *field = "hash_funcs_if_division_were_floating_point";
    size_t bytes = 0;
    uint32_t funcs = 0;

    spv__expect_ok(c, "sizing",
                   spv_filter_size(&bytes, &funcs,
                                   (uint32_t)spv__case_int(c, "n_elements"),
                                   spv__case_real(c, "fp_rate")));
    spv__expect_int(c, "bytes", (int64_t)bytes,
                    spv__case_int(c, "expected_filter_bytes"));
    spv__expect_int(c, "hash functions", funcs,
                    spv__case_int(c, "expected_hash_funcs"));
    if (spv__case_has(c, field))
        spv__expect_true(c, "not the quotient's",
                         funcs != spv__case_int(c, field));
}

static void filter_contains(spv_case *c)
{
    spv_filter f = {0};
    size_t i = 0;
    json_t *check = NULL;

    filter_of_field(c, &f, "filterload_payload");
    json_array_foreach(spv__case_list(c, "checks"), i, check)
    {
        spv_view v = view_of(check, c, "hex");

        spv__expect_int(c, "contains", spv_filter_contains(&f, v.bytes, v.len),
                        flag_of(check, c, "expect"));
    }
    spv_filter_clear(&f);
}

static void filteradd(spv_case *c)
{
    spv_filter f = {0};
    spv_message m = {0};
    spv_view payload = spv__case_hex(c, "filteradd_payload");

    if (!spv__expect_ok(c, "a filteradd",
                        spv__message_decode(&m, SPV_MSG_FILTERADD,
                                            payload.bytes, payload.len)))
        return;
    filter_of_field(c, &f, "filterload_payload");
    spv_filter_insert(&f, m.as.filteradd.data, m.as.filteradd.len);
    expect_filter(c, "payload", &f,
                  spv__case_hex(c, "expected_filterload_payload_after"));
    spv_filter_clear(&f);
}

/** Whether a message with these limits reaches us, over the wire. */
static bool is_accepted(spv_message_kind kind, const spv_buf *payload)
{
    spv_message m;

    return spv__message_decode(&m, kind, payload->bytes, payload->len) ==
           SPV_OK;
}

static void filter_limit(spv_case *c)
{
    static const uint8_t zeros[SPV_FILTER_BYTES_MAX + 1];
    spv_buf payload = SPV_BUF_EMPTY;
    bool accepted = spv__case_bool(c, "accepted");

    if (spv__case_has(c, "element_bytes")) {
        spv__put_var_bytes(&payload, zeros,
                           spv__case_count(c, "element_bytes", sizeof(zeros)));
        spv__expect_int(c, "filteradd",
                        is_accepted(SPV_MSG_FILTERADD, &payload), accepted);
    } else {
        spv_filter f = {0};
        size_t bytes = spv__case_count(c, "filter_bytes", sizeof(zeros));
        uint32_t funcs = (uint32_t)spv__case_int(c, "hash_funcs");

        spv__put_filterload(&payload, &(spv_filterload){.filter = zeros,
                                                        .len = bytes,
                                                        .hash_funcs = funcs});
        spv__expect_int(c, "filterload",
                        is_accepted(SPV_MSG_FILTERLOAD, &payload), accepted);
        spv__expect_int(c, "making one",
                        spv_filter_init(&f, bytes, funcs, 0, 0) == SPV_OK,
                        accepted);
        spv_filter_clear(&f);
    }
    spv__buf_clear(&payload);
}

/* Transactions ------------------------------------------------------------ */

static void expect_outpoints(spv_case *c, const spv_filter *f)
{
    size_t i = 0;
    json_t *row = NULL;

    if (!spv__case_has(c, "outpoints_after"))
        return;
    json_array_foreach(spv__case_list(c, "outpoints_after"), i, row)
    {
        spv_view v = view_of(row, c, "outpoint");

        spv__expect_int(c, "outpoint after",
                        spv_filter_contains(f, v.bytes, v.len),
                        flag_of(row, c, "expect_contained"));
    }
}

static void match_one(spv_case *c, spv_filter *f, const json_t *item)
{
    spv_view bytes = view_of(item, c, "tx");
    spv_hash txid = spv__case_hash_of(c, json_object_get(item, "txid"));
    bool want = flag_of(item, c, "expect_match");
    spv_match match;
    spv_tx tx;

    if (!spv__expect_ok(c, "a transaction",
                        spv_tx_decode(&tx, bytes.bytes, bytes.len, NULL)))
        return;
    spv__expect_hash(c, "txid", &tx.txid, &txid);
    spv__expect_int(c, "matches", spv_filter_matches(f, &tx), want);
    spv__expect_int(c, "match", spv_filter_match(f, &tx, &match), want);
    expect_filter(c, "filter after", f,
                  view_of(item, c, "filterload_payload_after"));
    spv_tx_clear(&tx);
}

static void tx_match(spv_case *c)
{
    spv_filter f = {0};
    size_t i = 0;
    json_t *item = NULL;

    if (spv__case_has(c, "n_elements"))
        filter_of_plan(c, &f);
    else
        filter_of_field(c, &f, "filterload_payload_before");
    insert_all(c, &f, spv__case_list(c, "inserted"));
    expect_filter(c, "filter before", &f,
                  spv__case_hex(c, "filterload_payload_before"));
    json_array_foreach(spv__case_list(c, "sequence"), i, item)
    {
        match_one(c, &f, item);
    }
    expect_outpoints(c, &f);
    spv_filter_clear(&f);
}

/* Blocks ------------------------------------------------------------------ */

/** A block's txids, and which of them a pass matched. */
typedef struct scanned {
    spv_hash *txids;
    bool *matched;
    size_t n;
} scanned;

static bool scanned_init(spv_case *c, scanned *s, const spv_block *block)
{
    s->txids = spv__case_alloc(c, block->n_tx, sizeof(*s->txids));
    s->matched = spv__case_alloc(c, block->n_tx, sizeof(*s->matched));
    return s->txids && s->matched;
}

static void expect_match(spv_case *c, const json_t *want, size_t index,
                         const spv_hash *txid)
{
    spv_hash want_txid = spv__case_hash_of(c, json_object_get(want, "txid"));

    spv__expect_int(c, "index of a match", (int64_t)index,
                    json_integer_value(json_object_get(want, "index")));
    spv__expect_hash(c, "txid of a match", txid, &want_txid);
}

/** Match the next transaction; its length, or 0 when it is not one. */
static size_t scan_tx(spv_case *c, scanned *s, spv_filter *f, const uint8_t *at,
                      size_t left)
{
    spv_match match;
    spv_tx tx;
    size_t used = 0;

    if (!spv__expect_ok(c, "transaction of the block",
                        spv_tx_decode(&tx, at, left, &used)))
        return 0;
    s->txids[s->n] = tx.txid;
    s->matched[s->n] = spv_filter_match(f, &tx, &match);
    s->n++;
    spv_tx_clear(&tx);
    return used;
}

/** Match all transactions in order; what matches must be what is listed. */
static void scan(spv_case *c, scanned *s, spv_filter *f, const spv_block *block,
                 const json_t *wanted)
{
    size_t at = 0;
    size_t found = 0;

    for (size_t i = 0; i < block->n_tx; i++) {
        size_t used = scan_tx(c, s, f, block->txs + at, block->txs_len - at);

        if (!used)
            return;
        at += used;
        if (s->matched[i])
            expect_match(c, json_array_get(wanted, found++), i, &s->txids[i]);
    }
    spv__expect_int(c, "matches", (int64_t)found,
                    (int64_t)json_array_size(wanted));
}

/** The merkleblock that a node sends after such a scan. */
static void expect_merkleblock(spv_case *c, const uint8_t *header,
                               const scanned *s, spv_view want)
{
    spv_buf payload = SPV_BUF_EMPTY;
    spv_merkle_tree tree;
    spv_merkleblock m;

    if (!spv__expect_ok(
            c, "a partial tree",
            s->n ? spv_merkle_build(&tree, s->txids, s->matched, (uint32_t)s->n)
                 : SPV_INVAL))
        return;
    m = spv__merkleblock_of(header, &tree);
    spv__put_merkleblock(&payload, &m);
    spv__expect_buf(c, "merkleblock", &payload, want);
    spv__buf_clear(&payload);
    spv_merkle_tree_free(&tree);
}

static void run_pass(spv_case *c, spv_filter *f, const spv_block *block,
                     const json_t *pass)
{
    scanned s = {0};

    if (!scanned_init(c, &s, block))
        return;
    insert_all(c, f, spv__case_list_of(c, pass, "insert_before"));
    expect_filter(c, "filter before", f,
                  view_of(pass, c, "filterload_payload_before"));
    scan(c, &s, f, block, spv__case_list_of(c, pass, "expected_matches"));
    expect_filter(c, "filter after", f,
                  view_of(pass, c, "filterload_payload_after"));
    expect_merkleblock(c, block->header, &s,
                       view_of(pass, c, "expected_merkleblock_payload"));
}

static void expect_block_hash(spv_case *c, const uint8_t *header)
{
    spv_hash want = spv__case_hash(c, "block_hash");
    spv_hash hash;

    spv_header_hash(&hash, header);
    spv__expect_hash(c, "block hash", &hash, &want);
}

static void block_filter(spv_case *c)
{
    spv_view bytes = spv__case_hex(c, "block");
    spv_filter f = {0};
    spv_message m = {0};
    size_t i = 0;
    json_t *pass = NULL;

    if (!spv__expect_ok(
            c, "a block",
            spv__message_decode(&m, SPV_MSG_BLOCK, bytes.bytes, bytes.len)))
        return;
    filter_of_plan(c, &f);
    spv__expect_int(c, "transactions", (int64_t)m.as.block.n_tx,
                    spv__case_int(c, "tx_count"));
    expect_block_hash(c, m.as.block.header);
    json_array_foreach(spv__case_list(c, "passes"), i, pass)
    {
        run_pass(c, &f, &m.as.block, pass);
    }
    expect_outpoints(c, &f);
    spv_filter_clear(&f);
}

/* What a node sends of a block ---------------------------------------------
 */

/** A transaction as it follows a merkleblock: without its witness. */
static void expect_sent(spv_case *c, const spv_tx *tx, const json_t *want)
{
    enum { VERSION = 4, MARKER_AND_FLAG = 2, LOCK_TIME = 4 };
    size_t body = VERSION + (tx->has_witness ? MARKER_AND_FLAG : 0);
    spv_buf b = SPV_BUF_EMPTY;

    spv__put_bytes(&b, tx->bytes, VERSION);
    spv__put_bytes(&b, tx->bytes + body,
                   tx->stripped_len - VERSION - LOCK_TIME);
    spv__put_bytes(&b, tx->bytes + tx->len - LOCK_TIME, LOCK_TIME);
    spv__expect_buf(c, "tx message", &b, spv__case_hex_of(c, want));
    spv__buf_clear(&b);
}

static void expect_all_sent(spv_case *c, const scanned *s,
                            const spv_block *block)
{
    const json_t *want = spv__case_list(c, "expected_tx_payloads");
    size_t at = 0;
    size_t sent = 0;

    for (size_t i = 0; i < s->n; i++) {
        spv_tx tx;
        size_t used = 0;

        if (!spv__expect_ok(c, "transaction",
                            spv_tx_decode(&tx, block->txs + at,
                                          block->txs_len - at, &used)))
            return;
        if (s->matched[i])
            expect_sent(c, &tx, json_array_get(want, sent++));
        at += used;
        spv_tx_clear(&tx);
    }
    spv__expect_int(c, "tx messages", (int64_t)sent,
                    (int64_t)json_array_size(want));
}

static void filtered_block(spv_case *c)
{
    spv_view bytes = spv__case_hex(c, "block");
    spv_filter f = {0};
    spv_message m = {0};
    scanned s = {0};

    if (!spv__expect_ok(
            c, "a block",
            spv__message_decode(&m, SPV_MSG_BLOCK, bytes.bytes, bytes.len)))
        return;
    if (!scanned_init(c, &s, &m.as.block))
        return;
    filter_of_field(c, &f, "filterload_payload");
    scan(c, &s, &f, &m.as.block, spv__case_list(c, "expected_matches"));
    expect_merkleblock(c, m.as.block.header, &s,
                       spv__case_hex(c, "expected_merkleblock_payload"));
    expect_all_sent(c, &s, &m.as.block);
    expect_filter(c, "filter after", &f,
                  spv__case_hex(c, "filterload_payload_after"));
    spv_filter_clear(&f);
}

const spv_kind spv__kinds_bloom[] = {
    {{"murmur3_x86_32", "the hash of bytes under a seed"}, murmur3},
    {{"bloom_seed", "the seed of a filter's hash function"}, bloom_seed},
    {{"filter_serialize",
      "a filter after elements were inserted, and its answers"},
     filter_serialize},
    {{"filter_sizing",
      "bytes and hash functions of a filter for so many elements"},
     filter_sizing},
    {{"filter_contains", "what a filter says of elements"}, filter_contains},
    {{"filteradd", "a filter after a filteradd"}, filteradd},
    {{"filter_limit", "which filterloads and filteradds are accepted"},
     filter_limit},
    {{"tx_match", "which transactions match, and the filter after each"},
     tx_match},
    {{"filtered_block",
      "the answer of a node to a filter: merkleblock and transactions"},
     filtered_block},
    {{"block_filter", "matches, merkleblock and filter after scans of a block"},
     block_filter},
    {{NULL, NULL}, NULL},
};
