#include "support/sighash.h"

#include <string.h>

#include "base/digest.h"
#include "support/must.h"
#include "wire/opcode.h"

enum { VERSION = 2, LOCK_TIME = 0, SIGHASH_ALL = 1, SIGHASH_DEFAULT = 0 };

/* One field of every input or output, end to end. */

static void put_prevs(spv_buf *b, const draft *d)
{
    for (size_t i = 0; i < d->n_in; i++) {
        spv__put_hash(b, &d->in[i].prev.txid);
        spv__put_u32(b, d->in[i].prev.vout);
    }
}

static void put_amounts(spv_buf *b, const draft *d)
{
    for (size_t i = 0; i < d->n_in; i++)
        spv__put_u64(b, (uint64_t)d->in[i].spent.value);
}

static void put_scripts(spv_buf *b, const draft *d)
{
    for (size_t i = 0; i < d->n_in; i++)
        spv__put_var_bytes(b, d->in[i].spent.script, d->in[i].spent.len);
}

static void put_sequences(spv_buf *b, const draft *d)
{
    for (size_t i = 0; i < d->n_in; i++)
        spv__put_u32(b, d->in[i].sequence);
}

static void put_outs(spv_buf *b, const draft *d)
{
    for (size_t i = 0; i < d->n_out; i++) {
        spv__put_u64(b, (uint64_t)d->out[i].value);
        spv__put_var_bytes(b, d->out[i].script, d->out[i].len);
    }
}

/** Append the hash of such a field: SHA-256, once or twice. */
static void put_digest(spv_buf *b, void (*put)(spv_buf *, const draft *),
                       const draft *d, bool twice)
{
    spv_buf field = SPV_BUF_EMPTY;
    spv_hash hash;

    put(&field, d);
    MUST(field.err == SPV_OK);
    if (twice)
        spv__sha256d(&hash, field.bytes, field.len);
    else
        spv__sha256(hash.bytes, field.bytes, field.len);
    spv__put_hash(b, &hash);
    spv__buf_clear(&field);
}

/** The script "pay to this public key hash". */
static void put_pkh_script(spv_buf *b, const uint8_t pkh[20])
{
    static const uint8_t head[] = {25, SPV__OP_DUP, SPV__OP_HASH160, 20};
    static const uint8_t tail[] = {SPV__OP_EQUALVERIFY, SPV__OP_CHECKSIG};

    spv__put_bytes(b, head, sizeof(head));
    spv__put_bytes(b, pkh, 20);
    spv__put_bytes(b, tail, sizeof(tail));
}

/** The transaction with the spent script in place of this input's own, and
 * nothing in place of the others'. */
static void put_legacy(spv_buf *b, const draft *d, size_t at,
                       const uint8_t pkh[20])
{
    spv__put_u32(b, VERSION);
    spv__put_compact(b, d->n_in);
    for (size_t i = 0; i < d->n_in; i++) {
        spv__put_hash(b, &d->in[i].prev.txid);
        spv__put_u32(b, d->in[i].prev.vout);
        if (i == at)
            put_pkh_script(b, pkh);
        else
            spv__put_compact(b, 0);
        spv__put_u32(b, d->in[i].sequence);
    }
    spv__put_compact(b, d->n_out);
    put_outs(b, d);
    spv__put_u32(b, LOCK_TIME);
    spv__put_u32(b, SIGHASH_ALL);
}

/* BIP 143, in its order. */
static void put_witness_v0(spv_buf *b, const draft *d, size_t at,
                           const uint8_t pkh[20])
{
    spv__put_u32(b, VERSION);
    put_digest(b, put_prevs, d, true);
    put_digest(b, put_sequences, d, true);
    spv__put_hash(b, &d->in[at].prev.txid);
    spv__put_u32(b, d->in[at].prev.vout);
    put_pkh_script(b, pkh);
    spv__put_u64(b, (uint64_t)d->in[at].spent.value);
    spv__put_u32(b, d->in[at].sequence);
    put_digest(b, put_outs, d, true);
    spv__put_u32(b, LOCK_TIME);
    spv__put_u32(b, SIGHASH_ALL);
}

/* BIP 341, in its order, behind the epoch byte. */
static void put_taproot(spv_buf *b, const draft *d, size_t at)
{
    spv__put_u8(b, 0); /* epoch */
    spv__put_u8(b, SIGHASH_DEFAULT);
    spv__put_u32(b, VERSION);
    spv__put_u32(b, LOCK_TIME);
    put_digest(b, put_prevs, d, false);
    put_digest(b, put_amounts, d, false);
    put_digest(b, put_scripts, d, false);
    put_digest(b, put_sequences, d, false);
    put_digest(b, put_outs, d, false);
    spv__put_u8(b, 0); /* key path, no annex */
    spv__put_u32(b, (uint32_t)at);
}

void sighash(uint8_t out[32], sighash_kind kind, const draft *d, size_t at,
             const uint8_t pkh[20])
{
    spv_buf b = SPV_BUF_EMPTY;
    spv_slice slice;
    spv_hash hash;

    if (kind == SIGHASH_LEGACY)
        put_legacy(&b, d, at, pkh);
    if (kind == SIGHASH_WITNESS_V0)
        put_witness_v0(&b, d, at, pkh);
    if (kind == SIGHASH_TAPROOT)
        put_taproot(&b, d, at);
    MUST(b.err == SPV_OK);
    slice = (spv_slice){b.bytes, b.len};
    if (kind == SIGHASH_TAPROOT)
        spv__tagged_hash(hash.bytes, "TapSighash", &slice, 1);
    else
        spv__sha256d(&hash, b.bytes, b.len);
    memcpy(out, hash.bytes, 32);
    spv__buf_clear(&b);
}
