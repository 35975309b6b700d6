#include "wallet/sign.h"

#include <string.h>

#include <spv/script.h>

#include "base/digest.h"
#include "wallet/secp.h"
#include "wire/opcode.h"

#define P2PKH_LEN  25
#define P2WPKH_LEN 22

/** A key's forms, worked out once. */
typedef struct signer {
    const spv_key *key;
    uint8_t public[65];
    size_t public_len;
    uint8_t hash[20];
} signer;

spv_err spv__signing_init(spv_signing *s, const spv_tx *tx,
                          const spv_txout *spent)
{
    s->tx = tx;
    s->spent = spent;
    return spv__sighash_parts(&s->parts, tx, spent);
}

void spv__unlock_clear(spv_unlock *unlock)
{
    spv__buf_clear(&unlock->script);
    spv__buf_clear(&unlock->witness);
}

static void write_p2pkh(uint8_t out[P2PKH_LEN], const uint8_t hash[20])
{
    memcpy(out, (const uint8_t[]){SPV__OP_DUP, SPV__OP_HASH160, 20}, 3);
    memcpy(out + 3, hash, 20);
    memcpy(out + 23, (const uint8_t[]){SPV__OP_EQUALVERIFY, SPV__OP_CHECKSIG},
           2);
}

static void write_p2wpkh(uint8_t out[P2WPKH_LEN], const uint8_t hash[20])
{
    memcpy(out, (const uint8_t[]){SPV__OP_0, 20}, 2);
    memcpy(out + 2, hash, 20);
}

static void put_push(spv_buf *b, const uint8_t *bytes, size_t len)
{
    spv__put_u8(b, (uint8_t)len); /* all that is pushed here is under 76 */
    spv__put_bytes(b, bytes, len);
}

/* A DER signature and its hash type, as a push or a witness item. */
static spv_err put_ecdsa(spv_buf *b, const uint8_t digest[32],
                         const spv_key *key, uint8_t hash_type)
{
    uint8_t der[SPV__ECDSA_MAX + 1];
    size_t len = 0;
    spv_err err = spv__ecdsa_sign(der, &len, digest, key->secret);

    if (err != SPV_OK)
        return err;
    der[len] = hash_type;
    put_push(b, der, len + 1);
    return b->err;
}

static spv_err sign_legacy(spv_unlock *out, const spv_signing *s, size_t in,
                           const signer *who, uint8_t hash_type)
{
    const spv_txout *spent = &s->spent[in];
    uint8_t digest[32];
    spv_err err = spv__sighash_legacy(digest, s->tx, in, spent->script,
                                      spent->script_len, hash_type);

    return err == SPV_OK ? put_ecdsa(&out->script, digest, who->key, hash_type)
                         : err;
}

static spv_err sign_p2pk(spv_unlock *out, const spv_signing *s, size_t in,
                         const signer *who, uint8_t hash_type)
{
    size_t len = 0;
    const uint8_t *key =
        spv_script_element(s->spent[in].script, s->spent[in].script_len, &len);

    if (len != who->public_len || memcmp(key, who->public, len) != 0)
        return SPV_NOT_FOUND;
    return sign_legacy(out, s, in, who, hash_type);
}

static spv_err sign_p2pkh(spv_unlock *out, const spv_signing *s, size_t in,
                          const signer *who, uint8_t hash_type)
{
    uint8_t script[P2PKH_LEN];
    spv_err err = SPV_OK;

    write_p2pkh(script, who->hash);
    if (memcmp(s->spent[in].script, script, sizeof(script)) != 0)
        return SPV_NOT_FOUND;
    err = sign_legacy(out, s, in, who, hash_type);
    put_push(&out->script, who->public, who->public_len);
    return err == SPV_OK ? out->script.err : err;
}

/* BIP 143: the script code of P2WPKH is the P2PKH script of its hash. */
static spv_err put_v0_witness(spv_unlock *out, const spv_signing *s, size_t in,
                              const signer *who, uint8_t hash_type)
{
    uint8_t script[P2PKH_LEN];
    spv_txout code = {s->spent[in].value, script, sizeof(script)};
    uint8_t digest[32];
    spv_err err = SPV_OK;

    write_p2pkh(script, who->hash);
    err = spv__sighash_v0(digest, s->tx, &s->parts, in, &code, hash_type);
    spv__put_compact(&out->witness, 2);
    if (err == SPV_OK)
        err = put_ecdsa(&out->witness, digest, who->key, hash_type);
    put_push(&out->witness, who->public, who->public_len);
    return err == SPV_OK ? out->witness.err : err;
}

static spv_err sign_p2wpkh(spv_unlock *out, const spv_signing *s, size_t in,
                           const signer *who, uint8_t hash_type)
{
    uint8_t script[P2WPKH_LEN];

    write_p2wpkh(script, who->hash);
    if (!who->key->compressed ||
        memcmp(s->spent[in].script, script, sizeof(script)) != 0)
        return SPV_NOT_FOUND;
    return put_v0_witness(out, s, in, who, hash_type);
}

static spv_err sign_p2sh(spv_unlock *out, const spv_signing *s, size_t in,
                         const signer *who, uint8_t hash_type)
{
    uint8_t redeem[P2WPKH_LEN];
    uint8_t hash[20];

    write_p2wpkh(redeem, who->hash);
    spv__hash160(hash, redeem, sizeof(redeem));
    if (!who->key->compressed ||
        memcmp(s->spent[in].script + 2, hash, sizeof(hash)) != 0)
        return SPV_NOT_FOUND;
    put_push(&out->script, redeem, sizeof(redeem));
    if (out->script.err != SPV_OK)
        return out->script.err;
    return put_v0_witness(out, s, in, who, hash_type);
}

static spv_err put_schnorr(spv_unlock *out, const uint8_t digest[32],
                           const uint8_t secret[32], uint8_t hash_type,
                           const uint8_t *aux)
{
    uint8_t signature[65];
    spv_err err = spv__schnorr_sign(signature, digest, 32, secret, aux);

    if (err != SPV_OK)
        return err;
    signature[64] = hash_type;
    spv__put_compact(&out->witness, 1);
    put_push(&out->witness, signature,
             hash_type == SPV__SIGHASH_DEFAULT ? 64 : 65);
    return out->witness.err;
}

static spv_err sign_p2tr(spv_unlock *out, const spv_signing *s, size_t in,
                         const signer *who, uint8_t hash_type,
                         const uint8_t *aux)
{
    uint8_t secret[32];
    uint8_t output[32];
    uint8_t digest[32];
    spv_err err = SPV_NOT_FOUND;

    memcpy(secret, who->key->secret, sizeof(secret));
    if (spv__taproot_output(output, NULL, who->public + 1, NULL) != SPV_OK ||
        memcmp(s->spent[in].script + 2, output, sizeof(output)) != 0)
        goto out;
    err = spv__taproot_secret(secret, NULL);
    if (err == SPV_OK)
        err = spv__sighash_taproot(digest, s->tx, &s->parts, in, s->spent,
                                   hash_type);
    if (err == SPV_OK)
        err = put_schnorr(out, digest, secret, hash_type, aux);
out:
    spv__cleanse(secret, sizeof(secret));
    return err;
}

static spv_err sign_by_kind(spv_unlock *out, const spv_signing *s, size_t in,
                            const signer *who, uint8_t hash_type,
                            const uint8_t *aux)
{
    switch (spv_script_classify(s->spent[in].script, s->spent[in].script_len)) {
    case SPV_SCRIPT_P2PK:
        return sign_p2pk(out, s, in, who, hash_type);
    case SPV_SCRIPT_P2PKH:
        return sign_p2pkh(out, s, in, who, hash_type);
    case SPV_SCRIPT_P2SH:
        return sign_p2sh(out, s, in, who, hash_type);
    case SPV_SCRIPT_P2WPKH:
        return sign_p2wpkh(out, s, in, who, hash_type);
    case SPV_SCRIPT_P2TR:
        return sign_p2tr(out, s, in, who, hash_type, aux);
    case SPV_SCRIPT_OTHER:
    case SPV_SCRIPT_MULTISIG:
    case SPV_SCRIPT_P2WSH:
    case SPV_SCRIPT_WITNESS:
    case SPV_SCRIPT_ANCHOR:
    case SPV_SCRIPT_NULLDATA:
        break;
    }
    return SPV_NOT_FOUND;
}

spv_err spv__sign_input(spv_unlock *out, const spv_signing *s, size_t in,
                        const spv_key *key, uint8_t hash_type,
                        const uint8_t *aux)
{
    signer who = {.key = key};
    spv_err err = spv__key_public(who.public, &who.public_len, key);

    *out = (spv_unlock){SPV_BUF_EMPTY, SPV_BUF_EMPTY};
    if (err == SPV_OK && in >= s->tx->n_in)
        err = SPV_INVAL;
    if (err != SPV_OK)
        return err;
    spv__hash160(who.hash, who.public, who.public_len);
    err = sign_by_kind(out, s, in, &who, hash_type, aux);
    if (err != SPV_OK)
        spv__unlock_clear(out);
    return err;
}
