#include "support/draft.h"

#include <string.h>

#include "base/digest.h"
#include "support/must.h"
#include "wire/opcode.h"

/** The witness script of money that anyone can spend: just "true". */
static const uint8_t op_true[] = {SPV__OP_1};

/** A witness of one item, the script: count, length, OP_1. */
static const uint8_t anyones_witness[] = {1, sizeof(op_true), SPV__OP_1};

draft_out draft_anyone(int64_t value)
{
    draft_out out = {.value = value, .len = 34, .script = {SPV__OP_0, 32}};

    spv__sha256(out.script + 2, op_true, sizeof(op_true));
    return out;
}

/* Standard scripts around a random hash; the hash begins at `at`. */
static const struct {
    unsigned weight; /* of 100 */
    size_t len;
    size_t at;
    size_t hash_len;
    uint8_t head[3];
    uint8_t tail[2];
    size_t tail_len;
} strangers[] = {
    {30, 22, 2, 20, {SPV__OP_0, 20}, {0}, 0},
    {25,
     25,
     3,
     20,
     {SPV__OP_DUP, SPV__OP_HASH160, 20},
     {SPV__OP_EQUALVERIFY, SPV__OP_CHECKSIG},
     2},
    {20, 34, 2, 32, {SPV__OP_1, 32}, {0}, 0},
    {15, 23, 2, 20, {SPV__OP_HASH160, 20}, {SPV__OP_EQUAL}, 1},
    {10, 34, 2, 32, {SPV__OP_0, 32}, {0}, 0},
};

draft_out draft_stranger(spv_rng *r, int64_t value)
{
    draft_out out = {.value = value};
    uint64_t pick = spv__rng_below(r, 100);
    size_t i = 0;

    while (pick >= strangers[i].weight)
        pick -= strangers[i++].weight;
    out.len = strangers[i].len;
    memcpy(out.script, strangers[i].head, sizeof(strangers[i].head));
    spv__rng_bytes(r, out.script + strangers[i].at, strangers[i].hash_len);
    memcpy(out.script + strangers[i].at + strangers[i].hash_len,
           strangers[i].tail, strangers[i].tail_len);
    return out;
}

void draft_spend(draft *d, const spv_outpoint *prev, const draft_out *spent)
{
    draft_out anyones = draft_anyone(spent->value);
    draft_in *in = &d->in[d->n_in];

    MUST(d->n_in < DRAFT_IN_MAX);
    *in = (draft_in){.prev = *prev, .spent = *spent, .sequence = 0xfffffffd};
    if (spent->len == anyones.len &&
        memcmp(spent->script, anyones.script, anyones.len) == 0) {
        in->witness_len = sizeof(anyones_witness);
        memcpy(in->witness, anyones_witness, sizeof(anyones_witness));
    }
    d->n_in++;
}

void draft_pay(draft *d, draft_out out)
{
    MUST(d->n_out < DRAFT_OUT_MAX);
    d->out[d->n_out++] = out;
}

static bool has_witness(const draft *d)
{
    for (size_t i = 0; i < d->n_in; i++)
        if (d->in[i].witness_len > 0)
            return true;
    return false;
}

static void put_in(spv_buf *b, const draft_in *in)
{
    spv__put_hash(b, &in->prev.txid);
    spv__put_u32(b, in->prev.vout);
    spv__put_var_bytes(b, in->script, in->script_len);
    spv__put_u32(b, in->sequence);
}

static void put_witness(spv_buf *b, const draft_in *in)
{
    if (in->witness_len == 0)
        spv__put_u8(b, 0);
    else
        spv__put_bytes(b, in->witness, in->witness_len);
}

void draft_put(spv_buf *b, const draft *d, bool with_witness)
{
    bool segwit = with_witness && has_witness(d);

    spv__put_u32(b, 2);
    if (segwit)
        spv__put_bytes(b, "\0\1", 2);
    spv__put_compact(b, d->n_in);
    for (size_t i = 0; i < d->n_in; i++)
        put_in(b, &d->in[i]);
    spv__put_compact(b, d->n_out);
    for (size_t i = 0; i < d->n_out; i++) {
        spv__put_u64(b, (uint64_t)d->out[i].value);
        spv__put_var_bytes(b, d->out[i].script, d->out[i].len);
    }
    for (size_t i = 0; segwit && i < d->n_in; i++)
        put_witness(b, &d->in[i]);
    spv__put_u32(b, 0);
    MUST(b->err == SPV_OK);
}

draft_made draft_finish(spv_buf *b, const draft *d)
{
    spv_buf stripped = SPV_BUF_EMPTY;
    size_t at = b->len;
    draft_made made;

    draft_put(&stripped, d, false);
    draft_put(b, d, true);
    spv__sha256d(&made.txid, stripped.bytes, stripped.len);
    spv__sha256d(&made.wtxid, b->bytes + at, b->len - at);
    spv__buf_clear(&stripped);
    return made;
}

int64_t draft_fee(const draft *d)
{
    int64_t fee = 0;

    for (size_t i = 0; i < d->n_in; i++)
        fee += d->in[i].spent.value;
    for (size_t i = 0; i < d->n_out; i++)
        fee -= d->out[i].value;
    return fee;
}
