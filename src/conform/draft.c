#include "conform/draft.h"

#include "base/digest.h"

void spv__draft_reset(spv_draft *d)
{
    spv__buf_reset(&d->in);
    spv__buf_reset(&d->out);
    spv__buf_reset(&d->witness);
    d->n_in = d->n_out = 0;
    d->has_witness = false;
    d->fee = 0;
}

void spv__draft_clear(spv_draft *d)
{
    spv__buf_clear(&d->in);
    spv__buf_clear(&d->out);
    spv__buf_clear(&d->witness);
}

/** Append one buffer to another, with its failure. */
static void put_buf(spv_buf *b, const spv_buf *from)
{
    if (from->err && !b->err)
        b->err = from->err;
    spv__put_bytes(b, from->bytes, from->len);
}

void spv__draft_spend(spv_draft *d, const spv_coin *coin, const spv_buf *script,
                      const spv_buf *witness)
{
    spv__put_hash(&d->in, &coin->at.txid);
    spv__put_u32(&d->in, coin->at.vout);
    spv__put_compact(&d->in, script->len);
    put_buf(&d->in, script);
    spv__put_u32(&d->in, SPV__DRAFT_SEQUENCE);
    if (witness->len > 0)
        d->has_witness = true;
    else
        spv__put_u8(&d->witness, 0);
    put_buf(&d->witness, witness);
    d->fee += coin->value;
    d->n_in++;
}

void spv__draft_pay(spv_draft *d, int64_t value, const uint8_t *script,
                    size_t len)
{
    spv__put_u64(&d->out, (uint64_t)value);
    spv__put_var_bytes(&d->out, script, len);
    d->fee -= value;
    d->n_out++;
}

/** Append the bytes, with witness (if there is any) or without. */
static void put(spv_buf *b, const spv_draft *d, bool with_witness)
{
    bool segwit = with_witness && d->has_witness;

    spv__put_u32(b, SPV__DRAFT_VERSION);
    if (segwit)
        spv__put_bytes(b, "\0\1", 2);
    spv__put_compact(b, d->n_in);
    put_buf(b, &d->in);
    spv__put_compact(b, d->n_out);
    put_buf(b, &d->out);
    if (segwit)
        put_buf(b, &d->witness);
    spv__put_u32(b, SPV__DRAFT_LOCK_TIME);
}

void spv__draft_finish(spv_buf *b, const spv_draft *d, spv_hash *txid,
                       spv_hash *wtxid)
{
    spv_buf stripped = SPV_BUF_EMPTY;
    size_t at = b->len;

    *txid = (spv_hash){{0}};
    put(&stripped, d, false);
    put(b, d, true);
    if (stripped.err && !b->err)
        b->err = stripped.err;
    if (!b->err) {
        spv__sha256d(txid, stripped.bytes, stripped.len);
        if (wtxid)
            spv__sha256d(wtxid, b->bytes + at, b->len - at);
    }
    spv__buf_clear(&stripped);
}
