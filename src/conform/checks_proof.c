#include <stdlib.h>
#include <string.h>

#include "conform/recipe.h"

/* Proofs of blocks of every size, and of every part of them. */

#define TREE "BIP 37, constructing a partial merkle tree object"
#define LAST                                                            \
    "BIP 37, parsing a partial merkle tree object: \"If this node has " \
    "no right child, return Hash(L || L).\""
#define RETURNED                                                             \
    "BIP 37: \"If a filter has been set, a merkleblock message is returned " \
    "for the requested block hash.\""

/* Which transactions of a block are to match. */
typedef enum part {
    PART_NONE,
    PART_ONE,
    PART_FIRST,
    PART_LAST,
    PART_NEIGHBOURS,
    PART_ALL,
    PART_ANY
} part;

/* `arg`: a part, and the bounds on the number of transactions. */
#define OF(part, least, most) ((part) | (least) << 8 | (most) << 16)
#define MANY                  0x7fff

typedef struct size_wish {
    size_t least;
    size_t most;
    bool odd;
} size_wish;

static bool has_size(const spv_sample *b, const void *ctx)
{
    const size_wish *w = ctx;

    return b->n >= w->least && b->n <= w->most && (!w->odd || b->n % 2 == 1);
}

static bool is_in(part p, size_t i, size_t n, size_t chosen, spv_rng *r)
{
    switch (p) {
    case PART_NONE:
        return false;
    case PART_ONE:
        return i == chosen;
    case PART_FIRST:
        return i == 0;
    case PART_LAST:
        return i + 1 == n;
    case PART_NEIGHBOURS:
        return i / 2 == chosen / 2;
    case PART_ALL:
        return true;
    case PART_ANY:
        return spv__rng_chance(r, 1, 2);
    }
    return false;
}

static void ask_part(spv_dialogue *d, const spv_sample *b, part p)
{
    size_t chosen = (size_t)spv__rng_below(d->rng, b->n);
    spv_filter f;

    if (!spv__recipe_filter(d, &f, SPV_FILTER_UPDATE_NONE))
        return;
    if (p == PART_NONE) /* no client sends a filter without a bit */
        spv_filter_insert(&f, (const uint8_t *)"nobody", 6);
    for (size_t i = 0; i < b->n; i++)
        if (is_in(p, i, b->n, chosen, d->rng))
            spv_filter_insert(&f, b->txids[i].bytes, 32);
    spv__recipe_ask(d, &f, b);
}

static void prove_of(spv_dialogue *d, const spv_samples *s, int arg, bool odd)
{
    const size_wish w = {(size_t)(arg >> 8 & 0xff), (size_t)(arg >> 16), odd};
    const spv_sample *b = spv__recipe_pick(d, s, has_size, &w, SPV__LACKS_SIZE);

    if (b)
        ask_part(d, b, (part)(arg & 0xff));
}

static void prove(spv_dialogue *d, const spv_samples *s, int arg)
{
    prove_of(d, s, arg, false);
}

static void prove_odd(spv_dialogue *d, const spv_samples *s, int arg)
{
    prove_of(d, s, arg, true);
}

/* The most transactions of all that were sampled. */
static void prove_largest(spv_dialogue *d, const spv_samples *s, int arg)
{
    const spv_sample *largest = s->n > 0 ? &s->item[0] : NULL;

    for (size_t i = 1; i < s->n; i++)
        if (s->item[i].n > largest->n)
            largest = &s->item[i];
    if (largest)
        ask_part(d, largest, (part)arg);
    else
        spv__dialogue_lacks(d, SPV__LACKS_BLOCKS);
}

/* ---- The table ---- */

#define PROOF(name, title, basis, writer, arg)                        \
    {                                                                 \
        "proof." name, title, basis, SPV_CONFORM_MUST, 0, writer, arg \
    }

const spv_check spv__checks_proof[] = {
    PROOF("nothing-matches",
          "a block in which nothing matches is answered by its root alone",
          RETURNED, prove, OF(PART_NONE, 2, MANY)),
    PROOF("one-transaction", "a block of one transaction, which matches", TREE,
          prove, OF(PART_ALL, 1, 1)),
    PROOF("one-transaction-unmatched",
          "a block of one transaction, which does not match", TREE, prove,
          OF(PART_NONE, 1, 1)),
    PROOF("two-transactions", "a block of two transactions", TREE, prove,
          OF(PART_ANY, 2, 2)),
    PROOF("three-transactions", "a block of three: the last node is doubled",
          LAST, prove, OF(PART_LAST, 3, 3)),
    PROOF("five-to-seven", "a block of five to seven: nodes are doubled above",
          LAST, prove, OF(PART_LAST, 5, 7)),
    PROOF("odd-number", "a block of any odd number of transactions", LAST,
          prove_odd, OF(PART_ANY, 3, MANY)),
    PROOF("first", "the first transaction of several alone", TREE, prove,
          OF(PART_FIRST, 4, MANY)),
    PROOF("last", "the last transaction of several alone", TREE, prove,
          OF(PART_LAST, 4, MANY)),
    PROOF("neighbours", "two that are siblings in the tree", TREE, prove,
          OF(PART_NEIGHBOURS, 4, MANY)),
    PROOF("any-part", "any part of a block", TREE, prove,
          OF(PART_ANY, 8, MANY)),
    PROOF("largest-one", "one transaction of the largest block", TREE,
          prove_largest, PART_ONE),
    PROOF("largest-any", "any part of the largest block", TREE, prove_largest,
          PART_ANY),
    PROOF("everything-matches", "every transaction of a block", TREE, prove,
          OF(PART_ALL, 2, MANY)),
    {0},
};
