#ifndef SPV_CHAIN_CHECKPOINTS_H
#define SPV_CHAIN_CHECKPOINTS_H

#include <spv/chain.h>

/** Lowest first. checkpoints_data.c is generated; networks without known
 * headers have none. */
typedef struct spv_checkpoint_list {
    const spv_checkpoint *items;
    size_t n;
} spv_checkpoint_list;

extern const spv_checkpoint_list spv__checkpoint_lists[SPV_CHAIN_COUNT];

/** The last one of a list at or below `height`, or NULL. */
const spv_checkpoint *spv__checkpoint_find(const spv_checkpoint_list *list,
                                           int32_t height);

#endif
