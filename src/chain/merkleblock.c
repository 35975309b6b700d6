#include <spv/block.h>

#include "chain/merkle.h"

spv_err spv_merkleblock_open(const uint8_t **header, spv_merkle_tree *tree,
                             const uint8_t *payload, size_t len)
{
    spv_message m;
    spv_err err = spv__message_decode(&m, SPV_MSG_MERKLEBLOCK, payload, len);

    if (err != SPV_OK)
        return err;
    *header = m.as.merkleblock.header;
    *tree = spv__merkle_tree_of(&m.as.merkleblock);
    return SPV_OK;
}
