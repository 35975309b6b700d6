#include "chain/merkle.h"

#include <stdlib.h>
#include <string.h>

#include "base/digest.h"

/*
 * The other direction: from a block's txids to its root, and to the partial
 * tree that proves some of them, as a node makes it.
 */

/** Replace `n` nodes of one level by their parents; how many there are. */
static size_t fold(spv_hash *nodes, size_t n)
{
    for (size_t i = 0; i < n; i += 2)
        spv__sha256d_pair(&nodes[i / 2], &nodes[i],
                          &nodes[i + 1 < n ? i + 1 : i]);
    return (n + 1) / 2;
}

spv_err spv_merkle_root(spv_hash *root, const spv_hash *txids, size_t n)
{
    spv_hash *nodes = malloc(n * sizeof(*nodes));

    if (!nodes)
        return SPV_NOMEM;
    memcpy(nodes, txids, n * sizeof(*nodes));
    while (n > 1)
        n = fold(nodes, n);
    *root = nodes[0];
    free(nodes);
    return SPV_OK;
}

/* All levels of the full tree, the leaves' first --------------------------- */

enum { LEVELS_MAX = 33 }; /* for any 32-bit number of leaves */

typedef struct level {
    spv_hash *nodes;
    bool *matched; /* a leaf below is to be proved */
    uint32_t n;
} level;

typedef struct full_tree {
    level levels[LEVELS_MAX];
    unsigned top; /* the level of the root */
} full_tree;

static void full_tree_clear(full_tree *t)
{
    for (unsigned i = 0; i < LEVELS_MAX; i++) {
        free(t->levels[i].nodes);
        free(t->levels[i].matched);
    }
}

static bool level_init(level *l, uint32_t n)
{
    l->n = n;
    l->nodes = malloc(n * sizeof(*l->nodes));
    l->matched = calloc(n, sizeof(*l->matched));
    return l->nodes && l->matched;
}

static void level_fill(level *l, const level *below)
{
    for (uint32_t i = 0; i < l->n; i++) {
        uint32_t left = 2 * i;
        uint32_t right = left + 1 < below->n ? left + 1 : left;

        spv__sha256d_pair(&l->nodes[i], &below->nodes[left],
                          &below->nodes[right]);
        l->matched[i] = below->matched[left] || below->matched[right];
    }
}

static spv_err full_tree_init(full_tree *t, const spv_hash *txids,
                              const bool *matched, uint32_t n)
{
    memset(t, 0, sizeof(*t));
    if (!level_init(&t->levels[0], n))
        return SPV_NOMEM;
    memcpy(t->levels[0].nodes, txids, n * sizeof(*txids));
    memcpy(t->levels[0].matched, matched, n * sizeof(*matched));
    for (; t->levels[t->top].n > 1; t->top++) {
        level *l = &t->levels[t->top];

        if (!level_init(l + 1, l->n / 2 + l->n % 2))
            return SPV_NOMEM;
        level_fill(l + 1, l);
    }
    return SPV_OK;
}

/* Writing depth first ------------------------------------------------------ */

/** A partial tree that is being written. */
typedef struct pen {
    spv_buf hashes;
    spv_buf flags;
    size_t bits;
} pen;

static void put_bit(pen *p, bool bit)
{
    if (p->bits % 8 == 0)
        spv__put_u8(&p->flags, 0);
    if (bit && !p->flags.err)
        p->flags.bytes[p->bits / 8] |= (uint8_t)(1u << p->bits % 8);
    p->bits++;
}

/** The node after a subtree is the right sibling of it or of the first
 * ancestor that has one. False: the tree is written. */
static bool next_subtree(const full_tree *t, unsigned *height, uint32_t *index)
{
    while (*height < t->top &&
           (*index % 2 == 1 || *index + 1 >= t->levels[*height].n)) {
        (*height)++;
        *index /= 2;
    }
    (*index)++;
    return *height < t->top;
}

static void write_tree(pen *p, const full_tree *t)
{
    unsigned height = t->top;
    uint32_t index = 0;

    do {
        const level *l = &t->levels[height];

        put_bit(p, l->matched[index]);
        for (; l->matched[index] && height > 0; put_bit(p, l->matched[index])) {
            l = &t->levels[--height];
            index *= 2;
        }
        spv__put_hash(&p->hashes, &l->nodes[index]);
    } while (next_subtree(t, &height, &index));
}

spv_err spv_merkle_build(spv_merkle_tree *out, const spv_hash *txids,
                         const bool *matched, uint32_t n)
{
    pen p = {SPV_BUF_EMPTY, SPV_BUF_EMPTY, 0};
    full_tree t;
    spv_err err = full_tree_init(&t, txids, matched, n);

    *out = (spv_merkle_tree){0};
    if (!err)
        write_tree(&p, &t);
    full_tree_clear(&t);
    if (err || p.hashes.err || p.flags.err) {
        spv__buf_clear(&p.hashes);
        spv__buf_clear(&p.flags);
        return SPV_NOMEM;
    }
    *out = (spv_merkle_tree){.n_txs = n,
                             .hashes = p.hashes.bytes,
                             .n_hashes = p.hashes.len / 32,
                             .flags = p.flags.bytes,
                             .flags_len = p.flags.len};
    return SPV_OK;
}

void spv_merkle_tree_free(spv_merkle_tree *tree)
{
    free((void *)(uintptr_t)tree->hashes);
    free((void *)(uintptr_t)tree->flags);
    *tree = (spv_merkle_tree){0};
}

/* Messages ---------------------------------------------------------------- */

spv_merkle_tree spv__merkle_tree_of(const spv_merkleblock *m)
{
    return (spv_merkle_tree){.n_txs = m->n_transactions,
                             .hashes = m->hashes.bytes,
                             .n_hashes = m->hashes.n,
                             .flags = m->flags,
                             .flags_len = m->flags_len};
}

spv_merkleblock spv__merkleblock_of(const uint8_t header[SPV_HEADER_LEN],
                                    const spv_merkle_tree *tree)
{
    return (spv_merkleblock){.header = header,
                             .n_transactions = tree->n_txs,
                             .hashes = {tree->hashes, tree->n_hashes},
                             .flags = tree->flags,
                             .flags_len = tree->flags_len};
}
