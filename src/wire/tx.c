#include <spv/tx.h>

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/digest.h"

/* Fewest bytes that an input, an output and a witness item take. */
enum { TXIN_MIN = 32 + 4 + 1 + 4, TXOUT_MIN = 8 + 1, ITEM_MIN = 1 };

enum { VERSION_LEN = 4, FLAG_WITNESS = 1, LOCK_TIME_LEN = 4 };

void spv_outpoint_encode(uint8_t out[SPV_OUTPOINT_LEN],
                         const spv_outpoint *outpoint)
{
    memcpy(out, outpoint->txid.bytes, sizeof(outpoint->txid.bytes));
    for (size_t i = 0; i < 4; i++)
        out[32 + i] = (uint8_t)(outpoint->vout >> 8 * i);
}

bool spv_outpoint_equal(const spv_outpoint *a, const spv_outpoint *b)
{
    return a->vout == b->vout && spv_hash_equal(&a->txid, &b->txid);
}

static void read_txin(spv_reader *r, spv_txin *in)
{
    spv__read_hash(r, &in->prev.txid);
    in->prev.vout = spv__read_u32(r);
    in->script = spv__read_var_bytes(r, &in->script_len);
    in->sequence = spv__read_u32(r);
    in->witness = NULL;
    in->witness_len = 0;
}

static void skip_txin(spv_reader *r)
{
    size_t script_len = 0;

    (void)spv__read_bytes(r, SPV_OUTPOINT_LEN);
    (void)spv__read_var_bytes(r, &script_len);
    (void)spv__read_u32(r);
}

static void read_txout(spv_reader *r, spv_txout *out)
{
    out->value = (int64_t)spv__read_u64(r);
    out->script = spv__read_var_bytes(r, &out->script_len);
}

/*
 * How many inputs and outputs follow, by walking a copy of the reader over the
 * inputs: two cheap passes, so that both arrays are one allocation.
 */
static spv_err count_parts(spv_tx *tx, spv_reader r)
{
    tx->n_in = spv__read_count(&r, TXIN_MIN);
    for (size_t i = 0; i < tx->n_in && r.err == SPV_OK; i++)
        skip_txin(&r);
    tx->n_out = spv__read_count(&r, TXOUT_MIN);
    return r.err;
}

static spv_err alloc_parts(spv_tx *tx)
{
    size_t in_bytes = tx->n_in * sizeof(*tx->in);
    size_t out_bytes = tx->n_out * sizeof(*tx->out);
    uint8_t *block = NULL;

    if (in_bytes + out_bytes == 0)
        return SPV_OK;
    block = malloc(in_bytes + out_bytes);
    if (!block)
        return SPV_NOMEM;
    tx->in = (spv_txin *)(void *)block;
    tx->out = (spv_txout *)(void *)(block + in_bytes);
    return SPV_OK;
}

static void read_parts(spv_reader *r, spv_tx *tx)
{
    spv_err err = count_parts(tx, *r);

    if (err == SPV_OK)
        err = alloc_parts(tx);
    if (err != SPV_OK) {
        spv__read_fail(r, err);
        return;
    }
    (void)spv__read_count(r, TXIN_MIN);
    for (size_t i = 0; i < tx->n_in && r->err == SPV_OK; i++)
        read_txin(r, &tx->in[i]);
    (void)spv__read_count(r, TXOUT_MIN);
    for (size_t i = 0; i < tx->n_out && r->err == SPV_OK; i++)
        read_txout(r, &tx->out[i]);
}

static bool read_witness(spv_reader *r, spv_txin *in)
{
    const uint8_t *begin = r->at;
    size_t n = spv__read_count(r, ITEM_MIN);
    size_t item_len = 0;

    for (size_t i = 0; i < n && r->err == SPV_OK; i++)
        (void)spv__read_var_bytes(r, &item_len);
    if (n == 0 || r->err != SPV_OK)
        return false;
    in->witness = begin;
    in->witness_len = (size_t)(r->at - begin);
    return true;
}

static void read_witnesses(spv_reader *r, spv_tx *tx)
{
    bool any = false;

    for (size_t i = 0; i < tx->n_in && r->err == SPV_OK; i++)
        any |= read_witness(r, &tx->in[i]);
    if (!any) /* "superfluous": the same transaction has a shorter form */
        spv__read_fail(r, SPV_MALFORMED);
}

/*
 * BIP 144's extended form shows itself by an input count of zero; the byte
 * behind it is the flag. A flag of zero is an output count after all: a
 * transaction without inputs and outputs. Moves past the marker and flag.
 */
static bool read_extended(spv_reader *r)
{
    uint8_t flag = 0;

    if (spv__read_left(r) < 2 || r->at[0] != 0 || r->at[1] == 0)
        return false;
    (void)spv__read_u8(r);
    flag = spv__read_u8(r);
    if (flag != FLAG_WITNESS)
        spv__read_fail(r, SPV_MALFORMED);
    return true;
}

static void hash_tx(spv_tx *tx, const uint8_t *body, size_t body_len)
{
    const spv_slice stripped[] = {
        {tx->bytes, VERSION_LEN},
        {body, body_len},
        {tx->bytes + tx->len - LOCK_TIME_LEN, LOCK_TIME_LEN},
    };

    tx->stripped_len = VERSION_LEN + body_len + LOCK_TIME_LEN;
    spv__sha256d(&tx->wtxid, tx->bytes, tx->len);
    if (tx->has_witness)
        spv__sha256d_slices(&tx->txid, stripped, 3);
    else
        tx->txid = tx->wtxid;
}

spv_err spv_tx_decode(spv_tx *tx, const uint8_t *bytes, size_t len,
                      size_t *used)
{
    spv_reader r = spv__reader(bytes, len);
    const uint8_t *body = NULL;
    size_t body_len = 0;

    memset(tx, 0, sizeof(*tx));
    tx->version = (int32_t)spv__read_u32(&r);
    tx->has_witness = read_extended(&r);
    body = r.at;
    read_parts(&r, tx);
    body_len = (size_t)(r.at - body);
    if (tx->has_witness)
        read_witnesses(&r, tx);
    tx->lock_time = spv__read_u32(&r);

    if (!used && spv__read_end(&r) != SPV_OK)
        spv__read_fail(&r, SPV_MALFORMED);
    if (r.err != SPV_OK) {
        spv_tx_clear(tx);
        return r.err;
    }
    tx->bytes = bytes;
    tx->len = (size_t)(r.at - bytes);
    hash_tx(tx, body, body_len);
    if (used)
        *used = tx->len;
    return SPV_OK;
}

void spv_tx_clear(spv_tx *tx)
{
    void *block = tx->in ? (void *)tx->in : (void *)tx->out;

    free(block);
    memset(tx, 0, sizeof(*tx));
}

size_t spv_tx_weight(const spv_tx *tx)
{
    return 3 * tx->stripped_len + tx->len;
}

size_t spv_tx_vsize(const spv_tx *tx)
{
    return (spv_tx_weight(tx) + 3) / 4;
}

bool spv_tx_is_coinbase(const spv_tx *tx)
{
    return tx->n_in == 1 && tx->in[0].prev.vout == UINT32_MAX &&
           spv_hash_is_zero(&tx->in[0].prev.txid);
}
