#include <spv/block.h>

#include "wire/message.h"

spv_err spv_block_open(spv_block_reader *reader, const uint8_t *bytes,
                       size_t len)
{
    spv_message m;
    spv_err err = spv__message_decode(&m, SPV_MSG_BLOCK, bytes, len);

    if (err != SPV_OK)
        return err;
    *reader = (spv_block_reader){.header = m.as.block.header,
                                 .n_tx = m.as.block.n_tx,
                                 .at = m.as.block.txs,
                                 .left = m.as.block.txs_len};
    return SPV_OK;
}

spv_err spv_block_next(spv_block_reader *reader, spv_tx *tx)
{
    size_t used = 0;
    spv_err err = SPV_OK;

    if (reader->n_read == reader->n_tx)
        return reader->left ? SPV_MALFORMED : SPV_NOT_FOUND;
    err = spv_tx_decode(tx, reader->at, reader->left, &used);
    if (err != SPV_OK)
        return err;
    reader->at += used;
    reader->left -= used;
    reader->n_read++;
    return SPV_OK;
}
