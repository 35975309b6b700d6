#include "wallet/sighash.h"

#include <stdbool.h>
#include <string.h>

#include <spv/script.h>

#include "base/digest.h"

#define OUTPUTS_MASK     0x1f
#define OP_CODESEPARATOR 0xab

static bool signs_one_input(uint32_t hash_type)
{
    return hash_type & SPV__SIGHASH_ANYONECANPAY;
}

static bool signs_one_output(uint32_t hash_type)
{
    return (hash_type & OUTPUTS_MASK) == SPV__SIGHASH_SINGLE;
}

static bool signs_all_outputs(uint32_t hash_type)
{
    return !signs_one_output(hash_type) &&
           (hash_type & OUTPUTS_MASK) != SPV__SIGHASH_NONE;
}

static void put_outpoint(spv_buf *b, const spv_outpoint *prev)
{
    spv__put_hash(b, &prev->txid);
    spv__put_u32(b, prev->vout);
}

static void put_output(spv_buf *b, const spv_txout *out)
{
    spv__put_u64(b, (uint64_t)out->value);
    spv__put_var_bytes(b, out->script, out->script_len);
}

/* ---- Parts ---- */

static spv_err hash_and_reset(uint8_t out[32], spv_buf *b)
{
    if (b->err == SPV_OK)
        spv__sha256(out, b->bytes, b->len);
    if (b->err == SPV_OK)
        spv__buf_reset(b);
    return b->err;
}

static spv_err hash_spent(spv_sighash_parts *out, spv_buf *b,
                          const spv_txout *spent, size_t n)
{
    spv_err err = SPV_OK;

    for (size_t i = 0; i < n; i++)
        spv__put_u64(b, (uint64_t)spent[i].value);
    err = hash_and_reset(out->amounts, b);
    if (err != SPV_OK)
        return err;
    for (size_t i = 0; i < n; i++)
        spv__put_var_bytes(b, spent[i].script, spent[i].script_len);
    return hash_and_reset(out->scripts, b);
}

spv_err spv__sighash_parts(spv_sighash_parts *out, const spv_tx *tx,
                           const spv_txout *spent)
{
    spv_buf b = SPV_BUF_EMPTY;
    spv_err err = SPV_OK;

    *out = (spv_sighash_parts){0};
    for (size_t i = 0; i < tx->n_in; i++)
        put_outpoint(&b, &tx->in[i].prev);
    err = hash_and_reset(out->prevouts, &b);
    for (size_t i = 0; i < tx->n_in; i++)
        spv__put_u32(&b, tx->in[i].sequence);
    if (err == SPV_OK)
        err = hash_and_reset(out->sequences, &b);
    for (size_t i = 0; i < tx->n_out; i++)
        put_output(&b, &tx->out[i]);
    if (err == SPV_OK)
        err = hash_and_reset(out->outputs, &b);
    if (err == SPV_OK && spent)
        err = hash_spent(out, &b, spent, tx->n_in);
    spv__buf_clear(&b);
    return err;
}

static spv_err hash_output(uint8_t out[32], const spv_txout *output)
{
    spv_buf b = SPV_BUF_EMPTY;
    spv_err err = SPV_OK;

    put_output(&b, output);
    err = hash_and_reset(out, &b);
    spv__buf_clear(&b);
    return err;
}

/* ---- Before segwit ---- */

/* The script signed for, without its OP_CODESEPARATORs. */
static void put_script_code(spv_buf *b, const uint8_t *script, size_t len)
{
    spv_buf kept = SPV_BUF_EMPTY;
    spv_script_op op;
    size_t at = 0;
    size_t from = 0;

    while (spv_script_next(&op, script, len, &at))
        if (op.opcode == OP_CODESEPARATOR) {
            spv__put_bytes(&kept, script + from, at - 1 - from);
            from = at;
        }
    if (from < len)
        spv__put_bytes(&kept, script + from, len - from);
    if (kept.err != SPV_OK)
        b->err = kept.err;
    spv__put_var_bytes(b, kept.bytes, kept.len);
    spv__buf_clear(&kept);
}

static void put_legacy_input(spv_buf *b, const spv_txin *input, bool whole)
{
    put_outpoint(b, &input->prev);
    spv__put_compact(b, 0);
    spv__put_u32(b, whole ? input->sequence : 0);
}

static void put_legacy_inputs(spv_buf *b, const spv_tx *tx, size_t in,
                              const uint8_t *script_code, size_t len,
                              uint32_t hash_type)
{
    bool one = signs_one_input(hash_type);

    spv__put_compact(b, one ? 1 : tx->n_in);
    for (size_t i = one ? in : 0; i < (one ? in + 1 : tx->n_in); i++) {
        if (i != in) {
            put_legacy_input(b, &tx->in[i], signs_all_outputs(hash_type));
            continue;
        }
        put_outpoint(b, &tx->in[i].prev);
        put_script_code(b, script_code, len);
        spv__put_u32(b, tx->in[i].sequence);
    }
}

static void put_legacy_outputs(spv_buf *b, const spv_tx *tx, size_t in,
                               uint32_t hash_type)
{
    static const spv_txout blank = {.value = -1};
    bool one = signs_one_output(hash_type);
    size_t n = signs_all_outputs(hash_type) ? tx->n_out : one ? in + 1 : 0;

    spv__put_compact(b, n);
    for (size_t i = 0; i < n; i++)
        put_output(b, one && i != in ? &blank : &tx->out[i]);
}

spv_err spv__sighash_legacy_message(spv_buf *out, const spv_tx *tx, size_t in,
                                    const uint8_t *script_code, size_t len,
                                    uint32_t hash_type)
{
    if (in >= tx->n_in || (signs_one_output(hash_type) && in >= tx->n_out))
        return SPV_INVAL;
    spv__put_u32(out, (uint32_t)tx->version);
    put_legacy_inputs(out, tx, in, script_code, len, hash_type);
    put_legacy_outputs(out, tx, in, hash_type);
    spv__put_u32(out, tx->lock_time);
    spv__put_u32(out, hash_type);
    return out->err;
}

static spv_err double_hash(uint8_t out[32], spv_err err, spv_buf *message)
{
    spv_hash hash;

    if (err == SPV_OK) {
        spv__sha256d(&hash, message->bytes, message->len);
        memcpy(out, hash.bytes, sizeof(hash.bytes));
    }
    spv__buf_clear(message);
    return err;
}

spv_err spv__sighash_legacy(uint8_t out[32], const spv_tx *tx, size_t in,
                            const uint8_t *script_code, size_t len,
                            uint32_t hash_type)
{
    spv_buf message = SPV_BUF_EMPTY;
    spv_err err = spv__sighash_legacy_message(&message, tx, in, script_code,
                                              len, hash_type);

    if (err == SPV_INVAL) {
        memset(out, 0, 32);
        out[0] = 1;
        err = SPV_OK;
        spv__buf_clear(&message);
        return err;
    }
    return double_hash(out, err, &message);
}

/* ---- Witness version 0 ---- */

/* BIP 143 hashes twice what the parts hash once. */
static void put_twice_hashed(spv_buf *b, const uint8_t part[32], bool is_signed)
{
    uint8_t hash[32] = {0};

    if (is_signed)
        spv__sha256(hash, part, 32);
    spv__put_bytes(b, hash, sizeof(hash));
}

static void put_v0_outputs(spv_buf *b, const spv_tx *tx,
                           const spv_sighash_parts *parts, size_t in,
                           uint32_t hash_type)
{
    uint8_t output[32];
    bool one = signs_one_output(hash_type) && in < tx->n_out;

    if (!one) {
        put_twice_hashed(b, parts->outputs, signs_all_outputs(hash_type));
        return;
    }
    if (hash_output(output, &tx->out[in]) != SPV_OK)
        b->err = SPV_NOMEM;
    put_twice_hashed(b, output, true);
}

spv_err spv__sighash_v0_message(spv_buf *out, const spv_tx *tx,
                                const spv_sighash_parts *parts, size_t in,
                                const spv_txout *code, uint32_t hash_type)
{
    bool all_inputs = !signs_one_input(hash_type);

    if (in >= tx->n_in)
        return SPV_INVAL;
    spv__put_u32(out, (uint32_t)tx->version);
    put_twice_hashed(out, parts->prevouts, all_inputs);
    put_twice_hashed(out, parts->sequences,
                     all_inputs && signs_all_outputs(hash_type));
    put_outpoint(out, &tx->in[in].prev);
    spv__put_var_bytes(out, code->script, code->script_len);
    spv__put_u64(out, (uint64_t)code->value);
    spv__put_u32(out, tx->in[in].sequence);
    put_v0_outputs(out, tx, parts, in, hash_type);
    spv__put_u32(out, tx->lock_time);
    spv__put_u32(out, hash_type);
    return out->err;
}

spv_err spv__sighash_v0(uint8_t out[32], const spv_tx *tx,
                        const spv_sighash_parts *parts, size_t in,
                        const spv_txout *code, uint32_t hash_type)
{
    spv_buf message = SPV_BUF_EMPTY;
    spv_err err =
        spv__sighash_v0_message(&message, tx, parts, in, code, hash_type);

    return double_hash(out, err, &message);
}

/* ---- Taproot ---- */

static bool is_taproot_type(uint8_t hash_type)
{
    uint8_t outputs = hash_type & 0x7f;

    return hash_type == SPV__SIGHASH_DEFAULT ||
           (outputs >= SPV__SIGHASH_ALL && outputs <= SPV__SIGHASH_SINGLE);
}

static void put_taproot_shared(spv_buf *b, const spv_sighash_parts *parts,
                               uint8_t hash_type)
{
    if (!signs_one_input(hash_type)) {
        spv__put_bytes(b, parts->prevouts, 32);
        spv__put_bytes(b, parts->amounts, 32);
        spv__put_bytes(b, parts->scripts, 32);
        spv__put_bytes(b, parts->sequences, 32);
    }
    if (signs_all_outputs(hash_type))
        spv__put_bytes(b, parts->outputs, 32);
}

spv_err spv__sighash_taproot_message(spv_buf *out, const spv_tx *tx,
                                     const spv_sighash_parts *parts, size_t in,
                                     const spv_txout *spent, uint8_t hash_type)
{
    uint8_t output[32];

    if (in >= tx->n_in || !is_taproot_type(hash_type))
        return SPV_INVAL;
    if (signs_one_output(hash_type) && in >= tx->n_out)
        return SPV_INVAL;
    spv__put_u8(out, 0); /* epoch */
    spv__put_u8(out, hash_type);
    spv__put_u32(out, (uint32_t)tx->version);
    spv__put_u32(out, tx->lock_time);
    put_taproot_shared(out, parts, hash_type);
    spv__put_u8(out, 0); /* spend type: key path, no annex */
    if (signs_one_input(hash_type)) {
        put_outpoint(out, &tx->in[in].prev);
        put_output(out, &spent[in]);
        spv__put_u32(out, tx->in[in].sequence);
    } else {
        spv__put_u32(out, (uint32_t)in);
    }
    if (signs_one_output(hash_type)) {
        if (hash_output(output, &tx->out[in]) != SPV_OK)
            return SPV_NOMEM;
        spv__put_bytes(out, output, sizeof(output));
    }
    return out->err;
}

spv_err spv__sighash_taproot(uint8_t out[32], const spv_tx *tx,
                             const spv_sighash_parts *parts, size_t in,
                             const spv_txout *spent, uint8_t hash_type)
{
    spv_buf message = SPV_BUF_EMPTY;
    spv_err err =
        spv__sighash_taproot_message(&message, tx, parts, in, spent, hash_type);
    spv_slice slice = {message.bytes, message.len};

    if (err == SPV_OK)
        spv__tagged_hash(out, "TapSighash", &slice, 1);
    spv__buf_clear(&message);
    return err;
}
