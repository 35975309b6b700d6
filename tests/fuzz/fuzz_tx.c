#include <stdlib.h>
#include <string.h>

#include <spv/tx.h>

#include "base/digest.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must_lie_inside(const spv_tx *tx, const uint8_t *at, size_t len)
{
    if (at < tx->bytes || len > tx->len ||
        (size_t)(at - tx->bytes) > tx->len - len)
        abort();
}

/* Everything borrowed is borrowed from the transaction's own bytes. */
static void check_slices(const spv_tx *tx)
{
    for (size_t i = 0; i < tx->n_in; i++) {
        must_lie_inside(tx, tx->in[i].script, tx->in[i].script_len);
        if (tx->in[i].witness)
            must_lie_inside(tx, tx->in[i].witness, tx->in[i].witness_len);
    }
    for (size_t i = 0; i < tx->n_out; i++)
        must_lie_inside(tx, tx->out[i].script, tx->out[i].script_len);
}

static void check_sizes(const spv_tx *tx)
{
    spv_hash hash;

    spv__sha256d(&hash, tx->bytes, tx->len);
    if (!spv_hash_equal(&hash, &tx->wtxid))
        abort();
    if (tx->has_witness ? tx->stripped_len + 2 >= tx->len
                        : tx->stripped_len != tx->len)
        abort();
    if (spv_hash_equal(&tx->txid, &tx->wtxid) == tx->has_witness)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t used = 0;
    spv_tx tx;
    spv_tx whole;

    if (spv_tx_decode(&tx, data, size, &used) != SPV_OK)
        return 0;
    check_slices(&tx);
    check_sizes(&tx);
    if (used != tx.len || used > size ||
        spv_tx_decode(&whole, data, used, NULL) != SPV_OK ||
        !spv_hash_equal(&whole.txid, &tx.txid))
        abort();
    spv_tx_clear(&tx);
    spv_tx_clear(&whole);
    return 0;
}
