#include <spv/script.h>

#include <string.h>

#include "wire/script_walk.h"

bool spv_script_next(spv_script_op *op, const uint8_t *script,
                     size_t script_len, size_t *at)
{
    return spv__script_next(op, script, script_len, at);
}

static bool is_pubkey(const uint8_t *bytes, size_t len)
{
    if (!bytes || len == 0)
        return false;
    if (bytes[0] == 2 || bytes[0] == 3)
        return len == 33;
    return len == 65 && (bytes[0] == 4 || bytes[0] == 6 || bytes[0] == 7);
}

static bool is_p2pk(const uint8_t *s, size_t len)
{
    return (len == 35 || len == 67) && s[0] == len - 2 &&
           is_pubkey(s + 1, len - 2) && s[len - 1] == SPV__OP_CHECKSIG;
}

static bool is_p2pkh(const uint8_t *s, size_t len)
{
    return len == 25 && s[0] == SPV__OP_DUP && s[1] == SPV__OP_HASH160 &&
           s[2] == 20 && s[23] == SPV__OP_EQUALVERIFY &&
           s[24] == SPV__OP_CHECKSIG;
}

static bool is_p2sh(const uint8_t *s, size_t len)
{
    return len == 23 && s[0] == SPV__OP_HASH160 && s[1] == 20 &&
           s[22] == SPV__OP_EQUAL;
}

/*
 * BIP 141: "that consists of a 1-byte push opcode ... data push between 2 and
 * 40 bytes gets a new special meaning."
 */
static bool is_witness_program(const uint8_t *s, size_t len)
{
    return len >= 4 && len <= SPV_ADDRESS_SCRIPT_MAX && s[1] == len - 2 &&
           (s[0] == SPV__OP_0 || (s[0] >= SPV__OP_1 && s[0] <= SPV__OP_16));
}

static spv_script_kind classify_witness(const uint8_t *s, size_t len)
{
    size_t program_len = len - 2;

    if (s[0] == SPV__OP_0 && program_len == 20)
        return SPV_SCRIPT_P2WPKH;
    if (s[0] == SPV__OP_0 && program_len == 32)
        return SPV_SCRIPT_P2WSH;
    if (s[0] == SPV__OP_0)
        return SPV_SCRIPT_OTHER;
    if (s[0] == SPV__OP_1 && program_len == 32)
        return SPV_SCRIPT_P2TR;
    if (s[0] == SPV__OP_1 && program_len == 2 && s[2] == 0x4e && s[3] == 0x73)
        return SPV_SCRIPT_ANCHOR;
    return SPV_SCRIPT_WITNESS;
}

static bool is_push_only(const uint8_t *script, size_t len)
{
    spv_script_op op;
    size_t at = 0;

    while (spv_script_next(&op, script, len, &at))
        if (op.opcode > SPV__OP_16)
            return false;
    return at == len;
}

/* 1 to 16 by opcode, 17 to 20 as a one-byte push; 0 when it is neither. */
static size_t key_count(const spv_script_op *op)
{
    if (op->opcode >= SPV__OP_1 && op->opcode <= SPV__OP_16)
        return (size_t)(op->opcode - SPV__OP_1 + 1);
    if (op->opcode == 1 && op->data[0] > 16 && op->data[0] <= 20)
        return op->data[0];
    return 0;
}

static bool is_multisig(const uint8_t *s, size_t len)
{
    spv_script_op op;
    size_t at = 0;
    size_t keys = 0;
    size_t need = 0;

    if (len == 0 || s[len - 1] != SPV__OP_CHECKMULTISIG ||
        !spv_script_next(&op, s, len, &at))
        return false;
    need = key_count(&op);
    while (spv_script_next(&op, s, len, &at) && is_pubkey(op.data, op.len))
        keys++;
    return need > 0 && keys >= need && key_count(&op) == keys && at + 1 == len;
}

spv_script_kind spv_script_classify(const uint8_t *script, size_t script_len)
{
    if (is_p2pkh(script, script_len))
        return SPV_SCRIPT_P2PKH;
    if (is_p2sh(script, script_len))
        return SPV_SCRIPT_P2SH;
    if (is_witness_program(script, script_len))
        return classify_witness(script, script_len);
    if (script_len > 0 && script[0] == SPV__OP_RETURN &&
        is_push_only(script + 1, script_len - 1))
        return SPV_SCRIPT_NULLDATA;
    if (is_p2pk(script, script_len))
        return SPV_SCRIPT_P2PK;
    return is_multisig(script, script_len) ? SPV_SCRIPT_MULTISIG
                                           : SPV_SCRIPT_OTHER;
}

const char *spv_script_kind_name(spv_script_kind kind)
{
    static const char *const names[] = {
        [SPV_SCRIPT_OTHER] = "nonstandard",
        [SPV_SCRIPT_P2PK] = "pubkey",
        [SPV_SCRIPT_P2PKH] = "pubkeyhash",
        [SPV_SCRIPT_P2SH] = "scripthash",
        [SPV_SCRIPT_MULTISIG] = "multisig",
        [SPV_SCRIPT_P2WPKH] = "witness_v0_keyhash",
        [SPV_SCRIPT_P2WSH] = "witness_v0_scripthash",
        [SPV_SCRIPT_P2TR] = "witness_v1_taproot",
        [SPV_SCRIPT_WITNESS] = "witness_unknown",
        [SPV_SCRIPT_NULLDATA] = "nulldata",
        [SPV_SCRIPT_ANCHOR] = "anchor",
    };

    return names[kind];
}

static const uint8_t *first_key(const uint8_t *script, size_t script_len,
                                size_t *len)
{
    spv_script_op op;
    size_t at = 0;

    while (spv_script_next(&op, script, script_len, &at))
        if (is_pubkey(op.data, op.len))
            break;
    *len = op.len;
    return op.data;
}

const uint8_t *spv_script_element(const uint8_t *script, size_t script_len,
                                  size_t *len)
{
    *len = 0;
    switch (spv_script_classify(script, script_len)) {
    case SPV_SCRIPT_P2PK:
    case SPV_SCRIPT_MULTISIG:
        return first_key(script, script_len, len);
    case SPV_SCRIPT_P2PKH:
        *len = 20;
        return script + 3;
    case SPV_SCRIPT_P2SH:
    case SPV_SCRIPT_P2WPKH:
    case SPV_SCRIPT_P2WSH:
    case SPV_SCRIPT_P2TR:
    case SPV_SCRIPT_WITNESS:
    case SPV_SCRIPT_ANCHOR:
        *len = script[0] == SPV__OP_HASH160 ? 20 : script_len - 2;
        return script + 2;
    case SPV_SCRIPT_NULLDATA:
    case SPV_SCRIPT_OTHER:
        break;
    }
    return NULL;
}
