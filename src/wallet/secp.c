#include "wallet/secp.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <secp256k1.h>
#include <secp256k1_extrakeys.h>
#include <secp256k1_schnorrsig.h>

#include "base/digest.h"

_Static_assert(sizeof(spv_point) == sizeof(secp256k1_pubkey),
               "a point holds the library's public key");

/* Losing a race to make the context costs one context, never a torn one. */
static secp256k1_context *signer(void)
{
    static _Atomic(secp256k1_context *) shared;
    secp256k1_context *seen = atomic_load(&shared);
    secp256k1_context *made = NULL;

    if (seen)
        return seen;
    made = secp256k1_context_create(SECP256K1_CONTEXT_NONE);
    if (!made)
        abort(); /* like a missing SHA-256: no world to run in */
    if (atomic_compare_exchange_strong(&shared, &seen, made))
        return made;
    secp256k1_context_destroy(made);
    return seen;
}

void spv__secp_blind(const uint8_t entropy[32])
{
    int blinded = secp256k1_context_randomize(signer(), entropy);

    assert(blinded);
    (void)blinded;
}

static void load(secp256k1_pubkey *out, const spv_point *point)
{
    memcpy(out, point, sizeof(*out));
}

static void save(spv_point *out, const secp256k1_pubkey *key)
{
    memcpy(out, key, sizeof(*out));
}

bool spv__secret_is_valid(const uint8_t secret[32])
{
    return secp256k1_ec_seckey_verify(secp256k1_context_static, secret);
}

spv_err spv__secret_add(uint8_t secret[32], const uint8_t tweak[32])
{
    return secp256k1_ec_seckey_tweak_add(secp256k1_context_static, secret,
                                         tweak)
               ? SPV_OK
               : SPV_CRYPTO;
}

spv_err spv__point_of_secret(spv_point *out, const uint8_t secret[32])
{
    secp256k1_pubkey key;

    if (!secp256k1_ec_pubkey_create(signer(), &key, secret))
        return SPV_CRYPTO;
    save(out, &key);
    return SPV_OK;
}

spv_err spv__point_parse(spv_point *out, const uint8_t *bytes, size_t len)
{
    secp256k1_pubkey key;
    bool hybrid = len == 65 && bytes[0] != 0x04;

    if (hybrid ||
        !secp256k1_ec_pubkey_parse(secp256k1_context_static, &key, bytes, len))
        return SPV_MALFORMED;
    save(out, &key);
    return SPV_OK;
}

static void encode(uint8_t *out, size_t len, const spv_point *point,
                   unsigned flags)
{
    secp256k1_pubkey key;

    load(&key, point);
    (void)secp256k1_ec_pubkey_serialize(secp256k1_context_static, out, &len,
                                        &key, flags);
}

void spv__point_encode(uint8_t out[33], const spv_point *point)
{
    encode(out, 33, point, SECP256K1_EC_COMPRESSED);
}

void spv__point_encode_full(uint8_t out[65], const spv_point *point)
{
    encode(out, 65, point, SECP256K1_EC_UNCOMPRESSED);
}

spv_err spv__point_add(spv_point *point, const uint8_t tweak[32])
{
    secp256k1_pubkey key;

    load(&key, point);
    if (!secp256k1_ec_pubkey_tweak_add(secp256k1_context_static, &key, tweak))
        return SPV_CRYPTO;
    save(point, &key);
    return SPV_OK;
}

spv_err spv__ecdsa_sign(uint8_t der[SPV__ECDSA_MAX], size_t *len,
                        const uint8_t digest[32], const uint8_t secret[32])
{
    secp256k1_ecdsa_signature sig;

    *len = SPV__ECDSA_MAX;
    if (!secp256k1_ecdsa_sign(signer(), &sig, digest, secret,
                              secp256k1_nonce_function_rfc6979, NULL))
        return SPV_CRYPTO;
    return secp256k1_ecdsa_signature_serialize_der(secp256k1_context_static,
                                                   der, len, &sig)
               ? SPV_OK
               : SPV_CRYPTO;
}

bool spv__ecdsa_verify(const uint8_t *der, size_t len, const uint8_t digest[32],
                       const spv_point *point)
{
    secp256k1_ecdsa_signature sig;
    secp256k1_pubkey key;

    load(&key, point);
    return secp256k1_ecdsa_signature_parse_der(secp256k1_context_static, &sig,
                                               der, len) &&
           secp256k1_ecdsa_verify(secp256k1_context_static, &sig, digest, &key);
}

spv_err spv__schnorr_sign(uint8_t out[64], const uint8_t *message, size_t len,
                          const uint8_t secret[32], const uint8_t *aux)
{
    secp256k1_schnorrsig_extraparams extra =
        SECP256K1_SCHNORRSIG_EXTRAPARAMS_INIT;
    secp256k1_keypair pair;
    uint8_t entropy[32];
    int ok = secp256k1_keypair_create(signer(), &pair, secret);

    if (aux)
        extra.ndata = memcpy(entropy, aux, sizeof(entropy));
    if (ok)
        ok = secp256k1_schnorrsig_sign_custom(signer(), out, message, len,
                                              &pair, &extra);
    spv__cleanse(&pair, sizeof(pair));
    return ok ? SPV_OK : SPV_CRYPTO;
}

bool spv__schnorr_verify(const uint8_t signature[64], const uint8_t *message,
                         size_t len, const uint8_t xonly[32])
{
    secp256k1_xonly_pubkey key;

    return secp256k1_xonly_pubkey_parse(secp256k1_context_static, &key,
                                        xonly) &&
           secp256k1_schnorrsig_verify(secp256k1_context_static, signature,
                                       message, len, &key);
}

bool spv__xonly_is_valid(const uint8_t xonly[32])
{
    secp256k1_xonly_pubkey key;

    return secp256k1_xonly_pubkey_parse(secp256k1_context_static, &key, xonly);
}

void spv__taproot_tweak(uint8_t out[32], const uint8_t internal[32],
                        const uint8_t *merkle_root)
{
    spv_slice slices[2] = {{internal, 32}, {merkle_root, 32}};

    spv__tagged_hash(out, "TapTweak", slices, merkle_root ? 2 : 1);
}

spv_err spv__taproot_output(uint8_t out[32], bool *odd,
                            const uint8_t internal[32],
                            const uint8_t *merkle_root)
{
    secp256k1_xonly_pubkey key;
    secp256k1_pubkey full;
    uint8_t tweak[32];
    int parity = 0;

    if (!secp256k1_xonly_pubkey_parse(secp256k1_context_static, &key, internal))
        return SPV_MALFORMED;
    spv__taproot_tweak(tweak, internal, merkle_root);
    if (!secp256k1_xonly_pubkey_tweak_add(secp256k1_context_static, &full, &key,
                                          tweak) ||
        !secp256k1_xonly_pubkey_from_pubkey(secp256k1_context_static, &key,
                                            &parity, &full) ||
        !secp256k1_xonly_pubkey_serialize(secp256k1_context_static, out, &key))
        return SPV_CRYPTO;
    if (odd)
        *odd = parity;
    return SPV_OK;
}

static int tweak_pair(secp256k1_keypair *pair, const uint8_t *merkle_root)
{
    secp256k1_xonly_pubkey key;
    uint8_t internal[32];
    uint8_t tweak[32];

    if (!secp256k1_keypair_xonly_pub(secp256k1_context_static, &key, NULL,
                                     pair) ||
        !secp256k1_xonly_pubkey_serialize(secp256k1_context_static, internal,
                                          &key))
        return 0;
    spv__taproot_tweak(tweak, internal, merkle_root);
    return secp256k1_keypair_xonly_tweak_add(secp256k1_context_static, pair,
                                             tweak);
}

spv_err spv__taproot_secret(uint8_t secret[32], const uint8_t *merkle_root)
{
    secp256k1_keypair pair;
    int ok = secp256k1_keypair_create(signer(), &pair, secret) &&
             tweak_pair(&pair, merkle_root) &&
             secp256k1_keypair_sec(secp256k1_context_static, secret, &pair);

    spv__cleanse(&pair, sizeof(pair));
    return ok ? SPV_OK : SPV_CRYPTO;
}
