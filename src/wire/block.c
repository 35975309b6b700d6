/* Transactions and the two ways a block comes: whole, or as a proof. */
#include "wire/payload.h"

enum { TX_MIN = 4 + 1 + 1 + 4, HASH_LEN = 32 };

void spv__read_tx(spv_message *m, spv_reader *r)
{
    size_t len = spv__read_left(r);
    spv_err err = spv_tx_decode(&m->as.tx, r->at, len, NULL);

    if (err != SPV_OK)
        spv__read_fail(r, err);
    else
        (void)spv__read_bytes(r, len);
}

static void put_bare_input(spv_buf *b, const spv_txin *in)
{
    uint8_t prev[SPV_OUTPOINT_LEN];

    spv_outpoint_encode(prev, &in->prev);
    spv__put_bytes(b, prev, sizeof(prev));
    spv__put_var_bytes(b, in->script, in->script_len);
    spv__put_u32(b, in->sequence);
}

void spv__put_bare_tx(spv_buf *b, const spv_tx *tx)
{
    spv__put_u32(b, (uint32_t)tx->version);
    spv__put_compact(b, tx->n_in);
    for (size_t i = 0; i < tx->n_in; i++)
        put_bare_input(b, &tx->in[i]);
    spv__put_compact(b, tx->n_out);
    for (size_t i = 0; i < tx->n_out; i++) {
        spv__put_u64(b, (uint64_t)tx->out[i].value);
        spv__put_var_bytes(b, tx->out[i].script, tx->out[i].script_len);
    }
    spv__put_u32(b, tx->lock_time);
}

void spv__read_block(spv_message *m, spv_reader *r)
{
    spv_block *b = &m->as.block;

    b->header = spv__read_bytes(r, SPV_HEADER_LEN);
    b->n_tx = spv__read_count(r, TX_MIN);
    b->txs_len = spv__read_left(r);
    b->txs = spv__read_bytes(r, b->txs_len);
}

/* The tree's shape is the proof's to judge; here only the bytes are. */
void spv__read_merkleblock(spv_message *m, spv_reader *r)
{
    spv_merkleblock *b = &m->as.merkleblock;

    b->header = spv__read_bytes(r, SPV_HEADER_LEN);
    b->n_transactions = spv__read_u32(r);
    b->hashes = spv__read_items(r, HASH_LEN, SIZE_MAX);
    b->flags = spv__read_var_bytes(r, &b->flags_len);
}

void spv__put_merkleblock(spv_buf *b, const spv_merkleblock *m)
{
    spv__put_bytes(b, m->header, SPV_HEADER_LEN);
    spv__put_u32(b, m->n_transactions);
    spv__put_compact(b, m->hashes.n);
    spv__put_bytes(b, m->hashes.bytes, m->hashes.n * HASH_LEN);
    spv__put_var_bytes(b, m->flags, m->flags_len);
}
