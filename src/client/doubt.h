#ifndef SPV_CLIENT_DOUBT_H
#define SPV_CLIENT_DOUBT_H

#include "chain/tree.h"
#include "client/trail.h"
#include "wallet/wallet.h"

/*
 * Blocks that the wallet believes in from an earlier run.
 *
 * A rescan moves the position and deletes nothing, so transactions are
 * confirmed in blocks that the position, and with it the trail, knows nothing
 * of. One of them may leave the chain: that shows at once if it lies at or
 * below the position, and else when its height is reached, or at the end. What
 * it confirmed is then taken back.
 */
typedef struct spv_doubts {
    spv_step *step; /**< blocks with transactions, rising heights; owned */
    size_t n;
    size_t at; /**< those before it are doubted no more */
} spv_doubts;

/** Doubt every block in which the wallet has transactions; those up to
 * `position` are looked up in the tree. Zero it first. SPV_NOMEM. */
spv_err spv__doubts_begin(spv_doubts *d, spv_wallet *w,
                          const spv_header_tree *tree, int32_t position);
void spv__doubts_clear(spv_doubts *d);

/** The block at `height` is `hash`, and about to be applied. */
spv_err spv__doubts_meet(spv_doubts *d, spv_wallet *w, int32_t height,
                         const spv_hash *hash);

/** Look up in the tree what is still in doubt up to `height`. */
spv_err spv__doubts_look_up(spv_doubts *d, spv_wallet *w,
                            const spv_header_tree *tree, int32_t height);

#endif
