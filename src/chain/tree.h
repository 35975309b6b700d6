#ifndef SPV_CHAIN_TREE_H
#define SPV_CHAIN_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <spv/chain.h>

#include "base/u256.h"
#include "chain/checkpoints.h"

/*
 * The tree of headers: which chain has most work.
 *
 * Workload: a million headers in a line, added once and read by height or by
 * hash; now and then a branch of a few that wins or loses. So the active chain
 * is a plain row of 80-byte nodes (everything but the parent's hash, which is
 * the neighbour's), about 90 bytes a header with the hash index. Headers beside
 * it live in a small pool with a fixed limit. When the pool is full every
 * branch but the one being extended is forgotten (a node will send it again if
 * it ever grows heavier); when that one fills it alone, it is refused.
 *
 * Blocks are named by hash or by height on the active chain, never by a
 * position in memory, so nothing a caller holds is outdated by a change.
 */
typedef struct spv_header_tree spv_header_tree;

/** Headers beside the active chain, unless the configuration says less. */
enum { SPV__TREE_SIDE_MAX = 32768 };

/** Longest locator: eleven steps, then 2^k, for any int32_t height. */
enum { SPV__TREE_LOCATOR_MAX = 48 };

typedef struct spv_tree_config {
    const spv_network *network;
    const spv_checkpoint *base; /**< first header; NULL: genesis. Copied */
    bool no_checkpoints;        /**< believe work alone (artificial chains) */
    const spv_checkpoint_list *checkpoints; /**< NULL: the network's own */
    size_t side_max;                        /**< 0: SPV__TREE_SIDE_MAX */
} spv_tree_config;

/** A header as the tree knows it. */
typedef struct spv_tree_block {
    spv_hash hash;
    int32_t height;
    uint32_t time;
    uint32_t bits;
    bool active; /**< on the chain with most work of those not set aside */
} spv_tree_block;

/**
 * What adding a header did to the active chain.
 *
 * When `moved`, the blocks from fork + 1 to the tip are new there (read them
 * by height), and those listed have left it. `disconnected` is borrowed until
 * the next call that changes the tree.
 */
typedef struct spv_tree_change {
    bool moved;
    int32_t fork;                 /**< height of the last block in common */
    const spv_hash *disconnected; /**< tip first */
    size_t n_disconnected;        /**< 0: the chain only grew */
} spv_tree_change;

/** SPV_NOMEM, or SPV_INVAL for a base without proof of work. Owned. */
spv_err spv__tree_new(spv_header_tree **out, const spv_tree_config *config);
void spv__tree_free(spv_header_tree *tree);

/**
 * Add a header that came from outside. `now` is Unix seconds. A tie in work
 * is won by what was seen first. `change` is always filled.
 */
spv_verdict spv__tree_add(spv_header_tree *tree,
                          const uint8_t header[SPV_HEADER_LEN], int64_t now,
                          spv_tree_change *change);

/**
 * Add a header that an earlier run had checked and stored. It is hashed, and
 * its proof of work, its parent and the checkpoints are checked, which finds
 * all damage; the rules that look back are not applied again.
 */
spv_verdict spv__tree_load(spv_header_tree *tree,
                           const uint8_t header[SPV_HEADER_LEN]);

spv_tree_block spv__tree_tip(const spv_header_tree *tree);
spv_tree_block spv__tree_base(const spv_header_tree *tree);

/**
 * The block called `hash` cannot be had: it is set aside, with what is on top
 * of it, and the chain with most work of all that was not is active now. It
 * stays known, and is active again as soon as a header on top of it makes its
 * branch the heavier one. Nothing changes (`change` says so) when it is not on
 * the active chain, or the base or a checkpoint vouches for it; nor after
 * SPV_NOMEM.
 */
spv_err spv__tree_set_aside(spv_header_tree *tree, const spv_hash *hash,
                            spv_tree_change *change);

/** What was set aside counts again up to `hash`: it becomes active if it has
 * more work than the active chain. Likewise. */
spv_err spv__tree_recall(spv_header_tree *tree, const spv_hash *hash,
                         spv_tree_change *change);

/** The most work that was set aside, against that of the active chain: below
 * zero (or nothing was), zero, above. */
int spv__tree_compare_aside(const spv_header_tree *tree);

/** What its chain must go through: lowest first, none where work alone is
 * believed. Borrowed from the tree. */
const spv_checkpoint_list *spv__tree_checkpoints(const spv_header_tree *tree);

/** All work up to and including the tip. */
spv_u256 spv__tree_work(const spv_header_tree *tree);

/** All work up to and including the block called `hash`; zero when it is not
 * known. */
spv_u256 spv__tree_work_of(spv_header_tree *tree, const spv_hash *hash);

/** The block at `height` of the active chain; false outside base..tip. */
bool spv__tree_at(const spv_header_tree *tree, int32_t height,
                  spv_tree_block *out);

/** The block called `hash`; `out` may be NULL. */
bool spv__tree_find(const spv_header_tree *tree, const spv_hash *hash,
                    spv_tree_block *out);

/** The 80 bytes of the block called `hash`. */
bool spv__tree_header(const spv_header_tree *tree, const spv_hash *hash,
                      uint8_t out[SPV_HEADER_LEN]);

/** Those of the block at `height` of the active chain; false outside
 * base..tip. */
bool spv__tree_header_at(const spv_header_tree *tree, int32_t height,
                         uint8_t out[SPV_HEADER_LEN]);

/** Median time past at `height` of the active chain: of it and ten before. */
uint32_t spv__tree_median_time(const spv_header_tree *tree, int32_t height);

/** The first block of the active chain that is not earlier than `time`, as far
 * as a binary search over uneven times can tell; the tip if there is none. */
int32_t spv__tree_height_at_time(const spv_header_tree *tree, uint32_t time);

/** Height of the last block that the branches of `a` and `b` share; -1 when
 * either is unknown. */
int32_t spv__tree_fork(const spv_header_tree *tree, const spv_hash *a,
                       const spv_hash *b);

/** Fill a getheaders locator from the tip down to the base; its length. */
size_t spv__tree_locator(const spv_header_tree *tree,
                         spv_hash out[SPV__TREE_LOCATOR_MAX]);

/** Headers beside the active chain, and bytes that the tree holds in all. */
size_t spv__tree_side_count(const spv_header_tree *tree);
size_t spv__tree_bytes(const spv_header_tree *tree);

#endif
