#include <spv/address.h>

#include <string.h>
#include <strings.h>

#include "base/base58.h"
#include "base/bech32.h"
#include "wire/opcode.h"

enum { HASH_LEN = 20, PROGRAM_MIN = 2, PROGRAM_MAX = 40, VERSION_MAX = 16 };

/* A witness version is OP_0 or OP_1 to OP_16 in a script. */
static uint8_t opcode_of_version(uint8_t version)
{
    return version ? (uint8_t)(SPV__OP_1 - 1 + version) : SPV__OP_0;
}

static uint8_t version_of_opcode(uint8_t opcode)
{
    return opcode ? (uint8_t)(opcode - SPV__OP_1 + 1) : 0;
}

static size_t put_p2pkh(uint8_t *script, const uint8_t hash[HASH_LEN])
{
    const uint8_t head[] = {SPV__OP_DUP, SPV__OP_HASH160, HASH_LEN};
    const uint8_t tail[] = {SPV__OP_EQUALVERIFY, SPV__OP_CHECKSIG};

    memcpy(script, head, sizeof(head));
    memcpy(script + sizeof(head), hash, HASH_LEN);
    memcpy(script + sizeof(head) + HASH_LEN, tail, sizeof(tail));
    return sizeof(head) + HASH_LEN + sizeof(tail);
}

static size_t put_p2sh(uint8_t *script, const uint8_t hash[HASH_LEN])
{
    script[0] = SPV__OP_HASH160;
    script[1] = HASH_LEN;
    memcpy(script + 2, hash, HASH_LEN);
    script[2 + HASH_LEN] = SPV__OP_EQUAL;
    return 2 + HASH_LEN + 1;
}

/* The first network with this version byte or prefix says whether an address
 * is foreign (SPV_NETWORK) or no address at all (SPV_MALFORMED). */
static spv_err foreign_base58(uint8_t version)
{
    for (int i = 0; i < SPV_CHAIN_COUNT; i++) {
        const spv_network *n = spv_network_get((spv_chain)i);

        if (version == n->p2pkh || version == n->p2sh)
            return SPV_NETWORK;
    }
    return SPV_MALFORMED;
}

static spv_err foreign_bech32(const char *hrp)
{
    for (int i = 0; i < SPV_CHAIN_COUNT; i++)
        if (strcmp(hrp, spv_network_get((spv_chain)i)->hrp) == 0)
            return SPV_NETWORK;
    return SPV_MALFORMED;
}

static spv_err script_of_base58(uint8_t *script, size_t *len,
                                const spv_buf *payload,
                                const spv_network *network)
{
    const uint8_t *hash = payload->bytes + 1;

    if (payload->len != 1 + HASH_LEN)
        return SPV_MALFORMED;
    if (payload->bytes[0] == network->p2pkh) {
        *len = put_p2pkh(script, hash);
        return SPV_OK;
    }
    if (payload->bytes[0] == network->p2sh) {
        *len = put_p2sh(script, hash);
        return SPV_OK;
    }
    return foreign_base58(payload->bytes[0]);
}

static spv_err parse_base58(uint8_t *script, size_t *len, const char *text,
                            const spv_network *network)
{
    spv_buf payload = SPV_BUF_EMPTY;
    spv_err err = spv__base58check_parse(&payload, text, strlen(text));

    if (err == SPV_OK)
        err = script_of_base58(script, len, &payload, network);
    spv__buf_clear(&payload);
    return err;
}

/* BIP 350: version 0 has bech32's checksum, every later one bech32m's. */
static spv_err parse_program(uint8_t *script, size_t *len, const spv_bech32 *b)
{
    size_t n = 0;
    uint8_t version = b->len ? b->data[0] : UINT8_MAX;
    spv_err err = SPV_OK;

    if (version > VERSION_MAX)
        return SPV_MALFORMED;
    if ((version == 0) != (b->kind == SPV_BECH32))
        return SPV_CHECKSUM;
    err = spv__bech32_regroup(script + 2, PROGRAM_MAX, &n, b->data + 1,
                              b->len - 1, 5, 8, false);
    if (err != SPV_OK || n < PROGRAM_MIN)
        return SPV_MALFORMED;
    if (version == 0 && n != 20 && n != 32)
        return SPV_MALFORMED;
    script[0] = opcode_of_version(version);
    script[1] = (uint8_t)n;
    *len = 2 + n;
    return SPV_OK;
}

static spv_err parse_bech32(uint8_t *script, size_t *len, const spv_bech32 *b,
                            const spv_network *network)
{
    spv_err err = parse_program(script, len, b);

    if (err != SPV_OK || strcmp(b->hrp, network->hrp) == 0)
        return err;
    return foreign_bech32(b->hrp);
}

/* Whether a text means to be a segwit address: it has a network's prefix. */
static bool has_prefix(const char *text)
{
    for (int i = 0; i < SPV_CHAIN_COUNT; i++) {
        const char *hrp = spv_network_get((spv_chain)i)->hrp;
        size_t n = strlen(hrp);

        if (strncasecmp(text, hrp, n) == 0 && text[n] == '1')
            return true;
    }
    return false;
}

spv_err spv_address_parse(uint8_t *script, size_t *len, const char *text,
                          const spv_network *network)
{
    spv_bech32 b;
    spv_err err = SPV_OK;

    if (strlen(text) >= SPV_ADDRESS_TEXT)
        return SPV_MALFORMED;
    err = spv__bech32_parse(&b, text, strlen(text));
    if (err == SPV_OK)
        return parse_bech32(script, len, &b, network);
    if (has_prefix(text))
        return err;
    return parse_base58(script, len, text, network);
}

static spv_err format_base58(spv_buf *text, uint8_t version,
                             const uint8_t *hash)
{
    uint8_t payload[1 + HASH_LEN] = {version};

    memcpy(payload + 1, hash, HASH_LEN);
    return spv__base58check_format(text, payload, sizeof(payload));
}

static spv_err format_bech32(spv_buf *text, const uint8_t *script,
                             size_t script_len, const char *hrp)
{
    uint8_t version = version_of_opcode(script[0]);
    spv_bech32 b = {.kind = version ? SPV_BECH32M : SPV_BECH32};
    spv_err err = SPV_OK;

    memcpy(b.hrp, hrp, strlen(hrp) + 1);
    b.data[0] = version;
    err = spv__bech32_regroup(b.data + 1, sizeof(b.data) - 1, &b.len,
                              script + 2, script_len - 2, 8, 5, true);
    b.len++;
    return err == SPV_OK ? spv__bech32_format(text, &b) : err;
}

static spv_err format(spv_buf *text, const uint8_t *script, size_t script_len,
                      const spv_network *network)
{
    switch (spv_script_classify(script, script_len)) {
    case SPV_SCRIPT_P2PKH:
        return format_base58(text, network->p2pkh, script + 3);
    case SPV_SCRIPT_P2SH:
        return format_base58(text, network->p2sh, script + 2);
    case SPV_SCRIPT_P2WPKH:
    case SPV_SCRIPT_P2WSH:
    case SPV_SCRIPT_P2TR:
    case SPV_SCRIPT_WITNESS:
    case SPV_SCRIPT_ANCHOR:
        return format_bech32(text, script, script_len, network->hrp);
    case SPV_SCRIPT_P2PK:
    case SPV_SCRIPT_MULTISIG:
    case SPV_SCRIPT_NULLDATA:
    case SPV_SCRIPT_OTHER:
        break;
    }
    return SPV_NOT_FOUND;
}

spv_err spv_address_format(char out[SPV_ADDRESS_TEXT], const uint8_t *script,
                           size_t script_len, const spv_network *network)
{
    spv_buf text = SPV_BUF_EMPTY;
    spv_err err = format(&text, script, script_len, network);

    if (err == SPV_OK) {
        spv__put_u8(&text, 0);
        err = text.err;
    }
    if (err == SPV_OK)
        memcpy(out, text.bytes, text.len);
    spv__buf_clear(&text);
    return err;
}
