#ifndef SPV_CHAIN_MERKLE_H
#define SPV_CHAIN_MERKLE_H

#include <spv/merkle.h>

#include "wire/message.h"

/** The partial tree of a merkleblock, borrowed from it; and the reverse. */
spv_merkle_tree spv__merkle_tree_of(const spv_merkleblock *m);
spv_merkleblock spv__merkleblock_of(const uint8_t header[SPV_HEADER_LEN],
                                    const spv_merkle_tree *tree);

#endif
