#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <spv/script.h>

#include "base/digest.h"
#include "wallet/descriptor_parts.h"
#include "wire/opcode.h"

static void put_op(spv_script_text *s, int opcode)
{
    assert(s->len < sizeof(s->bytes));
    s->bytes[s->len++] = (uint8_t)opcode;
}

static void put_push(spv_script_text *s, const uint8_t *bytes, size_t len)
{
    assert(len < 0x4c && s->len + 1 + len <= sizeof(s->bytes));
    put_op(s, (int)len);
    memcpy(s->bytes + s->len, bytes, len);
    s->len += len;
}

static void put_hash160(spv_script_text *s, const uint8_t *bytes, size_t len)
{
    uint8_t hash[20];

    spv__hash160(hash, bytes, len);
    put_push(s, hash, sizeof(hash));
}

/* OP_1 to OP_16; from 17 on a number is pushed. */
static void put_number(spv_script_text *s, size_t n)
{
    uint8_t byte = (uint8_t)n;

    if (n <= 16)
        put_op(s, SPV__OP_1 + (int)n - 1);
    else
        put_push(s, &byte, 1);
}

static spv_err put_pk(spv_script_text *s, const uint8_t *key, size_t len)
{
    put_push(s, key, len);
    put_op(s, SPV__OP_CHECKSIG);
    return SPV_OK;
}

static spv_err put_pkh(spv_script_text *s, const uint8_t *key, size_t len)
{
    put_op(s, SPV__OP_DUP);
    put_op(s, SPV__OP_HASH160);
    put_hash160(s, key, len);
    put_op(s, SPV__OP_EQUALVERIFY);
    put_op(s, SPV__OP_CHECKSIG);
    return SPV_OK;
}

static spv_err put_wpkh(spv_script_text *s, const uint8_t *key, size_t len)
{
    put_op(s, SPV__OP_0);
    put_hash160(s, key, len);
    return SPV_OK;
}

static spv_err put_tr(spv_script_text *s, const uint8_t *key, size_t len)
{
    const uint8_t *internal = len == 33 ? key + 1 : key;
    uint8_t output[32];
    spv_err err = spv__taproot_output(output, NULL, internal, NULL);

    if (err != SPV_OK)
        return err;
    put_op(s, SPV__OP_1);
    put_push(s, output, sizeof(output));
    return SPV_OK;
}

typedef struct encoded_key {
    uint8_t bytes[65];
    size_t len;
} encoded_key;

static int compare_keys(const void *a, const void *b)
{
    const encoded_key *x = a;
    const encoded_key *y = b;
    size_t shorter = x->len < y->len ? x->len : y->len;
    int order = memcmp(x->bytes, y->bytes, shorter);

    return order ? order : (x->len > y->len) - (x->len < y->len);
}

static spv_err put_multi(spv_script_text *s, const spv_descriptor *d,
                         uint32_t index)
{
    encoded_key key[SPV__MULTI_MAX];

    for (size_t i = 0; i < d->n_keys; i++) {
        spv_err err =
            spv__key_expr_public(key[i].bytes, &key[i].len, &d->key[i], index);
        if (err != SPV_OK)
            return err;
    }
    if (d->leaf == SPV_LEAF_SORTEDMULTI)
        qsort(key, d->n_keys, sizeof(key[0]), compare_keys);
    put_number(s, d->threshold);
    for (size_t i = 0; i < d->n_keys; i++)
        put_push(s, key[i].bytes, key[i].len);
    put_number(s, d->n_keys);
    put_op(s, SPV__OP_CHECKMULTISIG);
    return SPV_OK;
}

static spv_err put_single(spv_script_text *s, const spv_descriptor *d,
                          uint32_t index)
{
    static spv_err (*const put[])(spv_script_text *, const uint8_t *,
                                  size_t) = {[SPV_LEAF_PK] = put_pk,
                                             [SPV_LEAF_PKH] = put_pkh,
                                             [SPV_LEAF_WPKH] = put_wpkh,
                                             [SPV_LEAF_TR] = put_tr};
    uint8_t key[65];
    size_t len = 0;
    spv_err err = spv__key_expr_public(key, &len, &d->key[0], index);

    return err == SPV_OK ? put[d->leaf](s, key, len) : err;
}

spv_err spv__descriptor_leaf_script(spv_script_text *out,
                                    const spv_descriptor *d, uint32_t index)
{
    out->len = 0;
    if (d->leaf == SPV_LEAF_MULTI || d->leaf == SPV_LEAF_SORTEDMULTI)
        return put_multi(out, d, index);
    if (d->n_keys)
        return put_single(out, d, index);
    memcpy(out->bytes, d->script, d->script_len);
    out->len = d->script_len;
    return SPV_OK;
}

static void wrap_sh(spv_script_text *s)
{
    spv_script_text inner = *s;

    s->len = 0;
    put_op(s, SPV__OP_HASH160);
    put_hash160(s, inner.bytes, inner.len);
    put_op(s, SPV__OP_EQUAL);
}

static void wrap_wsh(spv_script_text *s)
{
    uint8_t program[32];

    spv__sha256(program, s->bytes, s->len);
    s->len = 0;
    put_op(s, SPV__OP_0);
    put_push(s, program, sizeof(program));
}

static void add_element(spv_derived *out, const uint8_t *bytes, size_t len)
{
    if (len == 0 || out->n_elements == SPV__DERIVED_ELEMENTS_MAX)
        return;
    out->element[out->n_elements++] = (spv_derived_element){
        .at = (uint16_t)(bytes - out->script),
        .len = (uint16_t)len,
    };
}

/* Every key of a bare multisig: the node matches any of them. */
static void add_multisig_keys(spv_derived *out)
{
    spv_script_op op;
    size_t at = 0;

    while (spv_script_next(&op, out->script, out->script_len, &at))
        if (op.data && (op.len == 33 || op.len == 65))
            add_element(out, op.data, op.len);
}

/* The longest push of a script of no known kind: the likeliest to be its
 * own. A node looks at every push of up to 520 bytes. */
static void add_longest_push(spv_derived *out)
{
    spv_script_op op;
    spv_script_op longest = {0};
    size_t at = 0;

    while (spv_script_next(&op, out->script, out->script_len, &at))
        if (op.data && op.len > longest.len)
            longest = op;
    if (longest.data)
        add_element(out, longest.data, longest.len);
}

static void find_elements(spv_derived *out)
{
    size_t len = 0;
    const uint8_t *element = NULL;

    out->n_elements = 0;
    if (spv_script_classify(out->script, out->script_len) ==
        SPV_SCRIPT_MULTISIG) {
        add_multisig_keys(out);
        return;
    }
    element = spv_script_element(out->script, out->script_len, &len);
    if (element)
        add_element(out, element, len);
    else
        add_longest_push(out);
}

spv_err spv__descriptor_derive(const spv_descriptor *d, uint32_t index,
                               spv_derived *out)
{
    spv_script_text s;
    spv_err err = SPV_OK;

    if (index & SPV__HARDENED)
        return SPV_INVAL;
    err = spv__descriptor_leaf_script(&s, d, index);
    if (err != SPV_OK)
        return err;
    if (d->wrap == SPV_WRAP_WSH || d->wrap == SPV_WRAP_SH_WSH)
        wrap_wsh(&s);
    if (d->wrap == SPV_WRAP_SH || d->wrap == SPV_WRAP_SH_WSH)
        wrap_sh(&s);
    assert(s.len <= sizeof(out->script));
    memcpy(out->script, s.bytes, s.len);
    out->script_len = s.len;
    find_elements(out);
    return SPV_OK;
}

spv_err spv__descriptor_inner_script(const spv_descriptor *d, uint32_t index,
                                     spv_buf *out)
{
    spv_script_text s;
    spv_err err = SPV_OK;

    if (d->wrap == SPV_WRAP_NONE)
        return SPV_OK;
    if (index & SPV__HARDENED)
        return SPV_INVAL;
    err = spv__descriptor_leaf_script(&s, d, index);
    if (err != SPV_OK)
        return err;
    spv__put_bytes(out, s.bytes, s.len);
    return out->err;
}
