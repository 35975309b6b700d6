#include "wallet/key.h"

#include <string.h>

#include "base/base58.h"
#include "base/digest.h"
#include "wallet/secp.h"

spv_buf spv__secret_buf(size_t n)
{
    spv_buf b = SPV_BUF_EMPTY;

    (void)spv__buf_room(&b, n);
    return b;
}

void spv__secret_buf_clear(spv_buf *b)
{
    if (b->bytes)
        spv__cleanse(b->bytes, b->cap);
    spv__buf_clear(b);
}

void spv__key_clear(spv_key *key)
{
    spv__cleanse(key, sizeof(*key));
}

static bool is_wif_of_any_network(uint8_t version)
{
    for (int c = 0; c < SPV_CHAIN_COUNT; c++)
        if (spv_network_get((spv_chain)c)->wif == version)
            return true;
    return false;
}

/* A version byte, 32 bytes of key, and 01 when its public key is compressed. */
static spv_err decode(spv_key *out, const uint8_t *bytes, size_t len,
                      const spv_network *network)
{
    bool compressed = len == 34 && bytes[33] == 0x01;

    if (!compressed && len != 33)
        return SPV_MALFORMED;
    if (!is_wif_of_any_network(bytes[0]) || !spv__secret_is_valid(bytes + 1))
        return SPV_MALFORMED;
    if (bytes[0] != network->wif)
        return SPV_NETWORK;
    memcpy(out->secret, bytes + 1, sizeof(out->secret));
    out->compressed = compressed;
    return SPV_OK;
}

spv_err spv__key_parse(spv_key *out, const char *text, size_t len,
                       const spv_network *network)
{
    spv_buf bytes = spv__secret_buf(64);
    spv_err err = len < SPV__WIF_TEXT
                      ? spv__base58check_parse(&bytes, text, len)
                      : SPV_MALFORMED;

    memset(out, 0, sizeof(*out));
    if (err == SPV_OK)
        err = decode(out, bytes.bytes, bytes.len, network);
    spv__secret_buf_clear(&bytes);
    return err;
}

spv_err spv__key_format(char out[SPV__WIF_TEXT], const spv_key *key,
                        const spv_network *network)
{
    uint8_t bytes[34] = {network->wif};
    spv_buf text = spv__secret_buf(64);
    spv_err err = SPV_OK;

    memcpy(bytes + 1, key->secret, sizeof(key->secret));
    bytes[33] = 0x01;
    err = spv__base58check_format(&text, bytes, key->compressed ? 34 : 33);
    out[0] = '\0';
    if (err == SPV_OK && text.len < SPV__WIF_TEXT) {
        memcpy(out, text.bytes, text.len);
        out[text.len] = '\0';
    }
    spv__cleanse(bytes, sizeof(bytes));
    spv__secret_buf_clear(&text);
    return err;
}

spv_err spv__key_public(uint8_t out[65], size_t *len, const spv_key *key)
{
    spv_point point;
    spv_err err = spv__point_of_secret(&point, key->secret);

    if (err != SPV_OK)
        return err;
    *len = key->compressed ? 33 : 65;
    if (key->compressed)
        spv__point_encode(out, &point);
    else
        spv__point_encode_full(out, &point);
    return SPV_OK;
}
