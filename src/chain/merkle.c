#include "chain/merkle.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <spv/chain.h>

#include "base/digest.h"

/*
 * A partial merkle tree is read depth first: a set bit is a node on the way to
 * a match, a clear one a subtree of which only the hash is given.
 *
 * The walk keeps its own stack of at most one node a level, so depth is bounded
 * by the limit on transactions and never by what a peer sends.
 */
enum { LEVELS_MAX = 16 }; /* 16,666 leaves are 15 levels above the lowest */

static_assert(SPV_MERKLE_TXS_MAX <= 1 << (LEVELS_MAX - 1),
              "the stack holds one node of each level");

/** A node whose children are being read. */
typedef struct open_node {
    spv_hash left;
    uint32_t index; /* in its level */
    bool has_left;
} open_node;

typedef struct walk {
    const spv_merkle_tree *tree;
    spv_merkle_proof *proof;
    size_t bits_used;
    size_t hashes_used;
    unsigned height; /* of the node being looked at; leaves are 0 */
    uint32_t index;
    open_node open[LEVELS_MAX]; /* by height */
    spv_merkle_verdict verdict;
} walk;

const char *spv_merkle_verdict_text(spv_merkle_verdict verdict)
{
    static const char *const texts[] = {
#define X(name, text) text,
        SPV_MERKLE_MAP(X)
#undef X
    };
    size_t i = (size_t)verdict;

    return i < sizeof(texts) / sizeof(texts[0]) ? texts[i] : "unknown verdict";
}

/* Shape ------------------------------------------------------------------- */

static uint32_t width_at(uint32_t n_txs, unsigned height)
{
    return (n_txs + (1u << height) - 1) >> height;
}

static unsigned height_of(uint32_t n_txs)
{
    unsigned height = 0;

    while (width_at(n_txs, height) > 1)
        height++;
    return height;
}

/* Two hashes side by side that would also read as a transaction ------------ */

static bool is_money(const uint8_t *bytes)
{
    uint64_t v = 0;

    for (unsigned i = 8; i-- > 0;)
        v = v << 8 | bytes[i];
    return v <= (uint64_t)SPV_MAX_MONEY;
}

/**
 * Whether 64 bytes read as a transaction. There is one shape only: one input,
 * one output, and four bytes for both scripts together.
 *
 * A miner can make such a transaction, name a made-up txid in its second half,
 * and prove that one "below" it (CVE-2017-12842). Honest hashes look like this
 * once in 10^13.
 */
static bool reads_as_tx(const spv_hash *left, const spv_hash *right)
{
    enum { INPUTS = 4, SCRIPT = 41, SCRIPTS_LEN = 4 };
    uint8_t tx[64];
    size_t script_len = 0;
    size_t outputs = 0;

    memcpy(tx, left->bytes, 32);
    memcpy(tx + 32, right->bytes, 32);
    script_len = tx[SCRIPT];
    if (tx[INPUTS] != 1 || script_len > SCRIPTS_LEN)
        return false;
    outputs = SCRIPT + 1 + script_len + 4;
    return tx[outputs] == 1 && is_money(&tx[outputs + 1]) &&
           tx[outputs + 9] == SCRIPTS_LEN - script_len;
}

bool spv_merkle_may_prove(const spv_tx *tx)
{
    return tx->stripped_len != 64;
}

/* Reading ----------------------------------------------------------------- */

static bool fail(walk *w, spv_merkle_verdict verdict)
{
    w->verdict = verdict;
    return false;
}

static bool next_bit(walk *w, bool *bit)
{
    size_t i = w->bits_used;

    if (i >= w->tree->flags_len * 8)
        return fail(w, SPV_MERKLE_BITS_OVERRUN);
    *bit = w->tree->flags[i / 8] >> (i % 8) & 1;
    w->bits_used++;
    return true;
}

static bool next_hash(walk *w, spv_hash *hash)
{
    if (w->hashes_used >= w->tree->n_hashes)
        return fail(w, SPV_MERKLE_HASHES_OVERRUN);
    memcpy(hash->bytes, w->tree->hashes + 32 * w->hashes_used, 32);
    w->hashes_used++;
    return true;
}

/** Go down from nodes on the way to a match until a hash is given. */
static bool descend(walk *w, spv_hash *hash)
{
    bool bit = false;

    for (;; w->height--, w->index *= 2) {
        if (!next_bit(w, &bit))
            return false;
        if (!bit || w->height == 0)
            break;
        w->open[w->height] = (open_node){.index = w->index};
    }
    if (!next_hash(w, hash))
        return false;
    if (bit)
        w->proof->leaves[w->proof->n++] =
            (spv_merkle_leaf){.txid = *hash, .position = w->index};
    return true;
}

/** Both children are known: `right` becomes their parent. */
static bool join(walk *w, const open_node *parent, bool alone, spv_hash *right)
{
    if (!alone && spv_hash_equal(&parent->left, right))
        return fail(w, SPV_MERKLE_TWINS);
    if (reads_as_tx(&parent->left, right))
        return fail(w, SPV_MERKLE_NODE_IS_TX);
    spv__sha256d_pair(right, &parent->left, right);
    return true;
}

/** A hash is complete: close what it closes. True when the walk goes on with
 * the right-hand child that is next, or (at `top`) has ended. */
static bool ascend(walk *w, unsigned top, spv_hash *hash)
{
    while (w->height < top) {
        open_node *parent = &w->open[w->height + 1];
        uint32_t right = parent->index * 2 + 1;
        bool alone = right >= width_at(w->tree->n_txs, w->height);

        if (!parent->has_left) {
            parent->has_left = true;
            parent->left = *hash;
            if (!alone) {
                w->index = right;
                return true;
            }
        }
        if (!join(w, parent, alone, hash))
            return false;
        w->height++;
    }
    return true;
}

static spv_merkle_verdict walk_tree(walk *w, spv_hash *root)
{
    unsigned top = height_of(w->tree->n_txs);

    w->height = top;
    do {
        if (!descend(w, root) || !ascend(w, top, root))
            return w->verdict;
    } while (w->height < top);
    if ((w->bits_used + 7) / 8 != w->tree->flags_len)
        return SPV_MERKLE_UNUSED_BITS;
    if (w->hashes_used != w->tree->n_hashes)
        return SPV_MERKLE_UNUSED_HASHES;
    return SPV_MERKLE_OK;
}

static spv_merkle_verdict check_counts(const spv_merkle_tree *tree)
{
    if (tree->n_txs == 0)
        return SPV_MERKLE_NO_TXS;
    if (tree->n_txs > SPV_MERKLE_TXS_MAX)
        return SPV_MERKLE_TOO_MANY_TXS;
    if (tree->n_hashes > tree->n_txs)
        return SPV_MERKLE_TOO_MANY_HASHES;
    if (tree->flags_len * 8 < tree->n_hashes)
        return SPV_MERKLE_TOO_FEW_BITS;
    return SPV_MERKLE_OK;
}

/** Every leaf takes one of the hashes, so they bound the leaves. */
static bool reserve_leaves(spv_merkle_proof *proof, size_t n)
{
    spv_merkle_leaf *leaves = NULL;

    if (n <= proof->cap)
        return true;
    leaves = realloc(proof->leaves, n * sizeof(*leaves));
    if (!leaves)
        return false;
    proof->leaves = leaves;
    proof->cap = n;
    return true;
}

spv_merkle_verdict spv_merkle_verify(spv_merkle_proof *proof,
                                     const spv_merkle_tree *tree,
                                     const spv_hash *root)
{
    walk w = {.tree = tree, .proof = proof};
    spv_merkle_verdict verdict = check_counts(tree);

    proof->n = 0;
    if (verdict)
        return verdict;
    if (!reserve_leaves(proof, tree->n_hashes))
        return SPV_MERKLE_MEMORY;
    verdict = walk_tree(&w, &proof->root);
    if (!verdict && root && !spv_hash_equal(root, &proof->root))
        verdict = SPV_MERKLE_ROOT;
    if (verdict)
        proof->n = 0;
    return verdict;
}

void spv_merkle_proof_clear(spv_merkle_proof *proof)
{
    free(proof->leaves);
    *proof = (spv_merkle_proof){0};
}

/* A whole message --------------------------------------------------------- */

static bool has_work(const uint8_t header[SPV_HEADER_LEN], uint32_t bits,
                     const spv_network *network)
{
    spv_hash hash;

    spv_header_hash(&hash, header);
    return spv_pow_check(&hash, bits, network);
}

spv_merkle_verdict spv_merkle_verify_block(spv_merkle_proof *proof,
                                           const uint8_t *payload, size_t len,
                                           const spv_network *network)
{
    spv_message m;
    spv_merkle_tree tree;
    spv_header h;
    spv_merkle_verdict verdict = SPV_MERKLE_OK;

    proof->n = 0;
    if (spv__message_decode(&m, SPV_MSG_MERKLEBLOCK, payload, len))
        return SPV_MERKLE_PARSE;
    tree = spv__merkle_tree_of(&m.as.merkleblock);
    spv_header_decode(&h, m.as.merkleblock.header);
    verdict = spv_merkle_verify(proof, &tree, &h.merkle_root);
    if (verdict || !network ||
        has_work(m.as.merkleblock.header, h.bits, network))
        return verdict;
    proof->n = 0;
    return SPV_MERKLE_POW;
}
