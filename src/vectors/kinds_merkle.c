#include "vectors/kinds_chain.h"

#include <stdlib.h>
#include <string.h>

#include <spv/merkle.h>

#include "base/digest.h"
#include "chain/merkle.h"

/* Partial merkle trees ---------------------------------------------------- */

static void expect_proof(spv_case *c, const spv_merkle_proof *proof)
{
    const json_t *want = spv__case_list(c, "expected_matches");

    spv__expect_int(c, "matches", (int64_t)proof->n,
                    (int64_t)json_array_size(want));
    for (size_t i = 0; i < proof->n && i < json_array_size(want); i++) {
        const json_t *row = json_array_get(want, i);
        spv_hash txid = spv__case_hash_of(c, json_object_get(row, "txid"));

        spv__expect_int(c, "position", proof->leaves[i].position,
                        json_integer_value(json_object_get(row, "index")));
        spv__expect_hash(c, "txid", &proof->leaves[i].txid, &txid);
    }
}

/** Made-up headers have no proof of work: then only the tree is tested. */
static spv_merkle_verdict verify(spv_case *c, spv_merkle_proof *proof)
{
    spv_view payload = spv__case_hex(c, "payload");
    bool no_work =
        spv__case_has(c, "pow_valid") && !spv__case_bool(c, "pow_valid");

    return spv_merkle_verify_block(proof, payload.bytes, payload.len,
                                   no_work ? NULL : spv_network_get(SPV_MAIN));
}

/** The number of transactions that the payload claims. */
static int64_t claimed_txs(spv_case *c)
{
    spv_view payload = spv__case_hex(c, "payload");
    spv_reader r = spv__reader(payload.bytes, payload.len);

    (void)spv__read_bytes(&r, SPV_HEADER_LEN);
    return spv__read_u32(&r);
}

void spv__kind_merkleblock_accepted_edge(spv_case *c)
{
    spv_merkle_proof proof = {0};

    spv__expect_text(c, "result", spv_merkle_verdict_text(verify(c, &proof)),
                     spv_merkle_verdict_text(SPV_MERKLE_OK));
    spv__expect_text(c, "result", "accept",
                     spv__case_text(c, "expected_result"));
    spv__expect_int(c, "transactions", claimed_txs(c),
                    spv__case_int(c, "n_transactions"));
    expect_proof(c, &proof);
    spv_merkle_proof_clear(&proof);
}

void spv__kind_merkleblock_invalid(spv_case *c)
{
    spv_merkle_proof proof = {0};
    spv_merkle_verdict verdict = verify(c, &proof);

    spv__expect_text(c, "result", verdict ? "reject" : "accept",
                     spv__case_text(c, "expected_result"));
    spv__expect_text(c, "reason", spv_merkle_verdict_text(verdict),
                     spv__case_text(c, "reason"));
    spv__expect_int(c, "matches", (int64_t)proof.n, 0);
    spv_merkle_proof_clear(&proof);
}

/** Trailing bytes are left to policy; ours is to refuse the message. */
void spv__kind_merkleblock_policy(spv_case *c)
{
    spv_view payload = spv__case_hex(c, "payload");
    spv_merkle_proof proof = {0};

    spv__expect_text(c, "result", "policy",
                     spv__case_text(c, "expected_result"));
    spv__expect_text(c, "reason", "trailing-bytes",
                     spv__case_text(c, "reason"));
    if (payload.len == 0)
        return;
    spv__expect_int(c, "with the byte", verify(c, &proof), SPV_MERKLE_PARSE);
    spv_merkle_proof_clear(&proof);
    spv__expect_int(c, "without it",
                    spv_merkle_verify_block(&proof, payload.bytes,
                                            payload.len - 1,
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

/** Room for `n`, of which it has none yet; false without memory. */
static bool list_init(spv_case *c, txid_list *l, size_t n)
{
    l->txids = spv__case_alloc(c, n, sizeof(spv_hash));
    l->matched = spv__case_alloc(c, n, sizeof(bool));
    l->n = 0;
    return l->txids && l->matched;
}

static void list_block(spv_case *c, txid_list *l, const spv_block *block)
{
    size_t at = 0;

    for (size_t i = 0; i < block->n_tx; i++) {
        spv_tx tx;
        size_t used = 0;

        if (!spv__expect_ok(c, "transaction of the block",
                            spv_tx_decode(&tx, block->txs + at,
                                          block->txs_len - at, &used)))
            return;
        l->txids[l->n++] = tx.txid;
        at += used;
        spv_tx_clear(&tx);
    }
}

/** The root and the partial tree of a list, which must not be empty. */
static bool build(spv_case *c, const txid_list *l, spv_hash *root,
                  spv_merkle_tree *tree)
{
    spv_err err = l->n ? spv_merkle_root(root, l->txids, l->n) : SPV_INVAL;

    if (err == SPV_OK)
        err = spv_merkle_build(tree, l->txids, l->matched, l->n);
    return spv__expect_ok(c, "a tree", err);
}

static void expect_tree(spv_case *c, const txid_list *l, const uint8_t *header)
{
    spv_buf payload = SPV_BUF_EMPTY;
    spv_merkle_tree tree;
    spv_merkleblock m;
    spv_hash root;

    if (!build(c, l, &root, &tree))
        return;
    spv__expect_hash_field(c, "merkle_root", &root);
    m = spv__merkleblock_of(header, &tree);
    spv__put_merkleblock(&payload, &m);
    spv__expect_buf(c, "payload as we build it", &payload,
                    spv__case_hex(c, "payload"));
    spv__buf_clear(&payload);
    spv_merkle_tree_free(&tree);
}

/** Build the payload again from the whole block that the vector gives. */
static void rebuild(spv_case *c)
{
    spv_view bytes = spv__case_hex(c, "block");
    spv_message m = {0};
    txid_list l;
    size_t i = 0;
    json_t *row = NULL;

    if (!spv__expect_ok(
            c, "a block",
            spv__message_decode(&m, SPV_MSG_BLOCK, bytes.bytes, bytes.len)))
        return;
    if (!list_init(c, &l, m.as.block.n_tx))
        return;
    list_block(c, &l, &m.as.block);
    json_array_foreach(spv__case_list(c, "expected_matches"), i, row)
    {
        int64_t at = json_integer_value(json_object_get(row, "index"));

        if (at >= 0 && at < l.n)
            l.matched[at] = true;
    }
    expect_tree(c, &l, m.as.block.header);
}

static void expect_fields(spv_case *c, const spv_merkleblock *m)
{
    const json_t *hashes = spv__case_list(c, "hashes");
    spv_header h = spv__decoded_header(m->header);
    spv_hash hash = spv__hash_of_header(m->header);

    spv__expect_hash_field(c, "block_hash", &hash);
    spv__expect_hash_field(c, "merkle_root", &h.merkle_root);
    spv__expect_int(c, "transactions", m->n_transactions,
                    spv__case_int(c, "n_transactions"));
    spv__expect_bytes(c, "flags", m->flags, m->flags_len,
                      spv__case_hex(c, "flags"));
    spv__expect_int(c, "hashes", (int64_t)m->hashes.n,
                    (int64_t)json_array_size(hashes));
    for (size_t i = 0; i < m->hashes.n && i < json_array_size(hashes); i++)
        spv__expect_bytes(c, "hash", m->hashes.bytes + 32 * i, 32,
                          spv__case_hex_of(c, json_array_get(hashes, i)));
}

void spv__kind_merkleblock(spv_case *c)
{
    spv_view payload = spv__case_hex(c, "payload");
    spv_message m = {0};

    spv__expect_ok(c, "message",
                   spv__message_decode(&m, SPV_MSG_MERKLEBLOCK, payload.bytes,
                                       payload.len));
    if (m.as.merkleblock.header)
        expect_fields(c, &m.as.merkleblock);
    spv__kind_merkleblock_accepted_edge(c);
    if (spv__case_has(c, "block"))
        rebuild(c);
}

/* Round trips ------------------------------------------------------------- */

enum { MADE_MAX = 100000 }; /* transactions */

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

static bool make_list(spv_case *c, txid_list *l)
{
    uint32_t n = (uint32_t)spv__case_count(c, "n_transactions", MADE_MAX);
    const char *pattern = spv__case_text(c, "pattern");

    if (!list_init(c, l, n))
        return false;
    for (; l->n < n; l->n++) {
        l->txids[l->n] = made_txid(l->n);
        l->matched[l->n] = is_matched(pattern, l->n, n);
    }
    return true;
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
    spv__expect_int(c, "length", (int64_t)b.len,
                    spv__case_int(c, "serialized_length"));
    spv__expect_true(c, "bound",
                     (int64_t)b.len <= spv__case_int(c, "size_bound"));
    spv__expect_bytes(c, "digest", digest, sizeof(digest),
                      spv__case_hex(c, "serialized_sha256"));
    if (spv__case_has(c, "serialized"))
        spv__expect_buf(c, "serialized", &b, spv__case_hex(c, "serialized"));
    spv__buf_clear(&b);
}

static void expect_leaves(spv_case *c, const txid_list *l,
                          const spv_merkle_tree *tree)
{
    spv_merkle_proof proof = {0};
    size_t at = 0;

    spv__expect_text(
        c, "verdict",
        spv_merkle_verdict_text(spv_merkle_verify(&proof, tree, NULL)),
        spv_merkle_verdict_text(SPV_MERKLE_OK));
    spv__expect_bytes(c, "root", proof.root.bytes, 32,
                      spv__case_hex(c, "merkle_root_wire"));
    spv__expect_int(c, "matches", (int64_t)proof.n,
                    spv__case_int(c, "matched_count"));
    for (uint32_t i = 0; i < l->n; i++)
        if (l->matched[i] && at < proof.n) {
            spv__expect_int(c, "position", proof.leaves[at].position, i);
            spv__expect_hash(c, "txid", &proof.leaves[at++].txid, &l->txids[i]);
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

void spv__kind_pmt_roundtrip(spv_case *c)
{
    spv_merkle_tree tree;
    spv_hash root;
    txid_list l;

    if (!make_list(c, &l))
        return;
    if (!build(c, &l, &root, &tree))
        return;
    spv__expect_bytes(c, "root", root.bytes, 32,
                      spv__case_hex(c, "merkle_root_wire"));
    spv__expect_int(c, "height", levels_above(l.n),
                    spv__case_int(c, "tree_height"));
    spv__expect_int(c, "hashes", (int64_t)tree.n_hashes,
                    spv__case_int(c, "hash_count"));
    spv__expect_int(c, "flag bytes", (int64_t)tree.flags_len,
                    spv__case_int(c, "flag_bytes"));
    expect_serialized(c, &tree);
    expect_leaves(c, &l, &tree);
    spv_merkle_tree_free(&tree);
}
