#ifndef SPV_WALLET_SECP_H
#define SPV_WALLET_SECP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <spv/err.h>

/*
 * The libsecp256k1 door: points, private keys and the two signature schemes.
 *
 * Private keys are 32 bytes, big-endian, from 1 to the group's order less one;
 * whoever holds one overwrites it with spv__cleanse. Verifying and public
 * derivation use the library's static context. Signing uses one context for
 * the whole process, made at the first need; spv__secp_blind mixes entropy
 * into it against side channels, but no result ever depends on that.
 */

/** A parsed public key, in the library's own form. A plain value. */
typedef struct spv_point {
    uint8_t opaque[64];
} spv_point;

/** Longest DER signature, low S. */
#define SPV__ECDSA_MAX 72

/** Blind the signing context. Call it before other threads sign. */
void spv__secp_blind(const uint8_t entropy[32]);

/** Whether `secret` is a private key: not zero, and under the order. */
bool spv__secret_is_valid(const uint8_t secret[32]);

/** secret += tweak; SPV_CRYPTO when the tweak is not below the order or the
 * sum is zero, and `secret` is then zeros. */
spv_err spv__secret_add(uint8_t secret[32], const uint8_t tweak[32]);

/** Public key of a private key; SPV_CRYPTO when that is not valid. */
spv_err spv__point_of_secret(spv_point *out, const uint8_t secret[32]);

/** Read 33 (compressed) or 65 bytes; hybrid forms and what is not on the curve
 * are SPV_MALFORMED. */
spv_err spv__point_parse(spv_point *out, const uint8_t *bytes, size_t len);

/** Write the compressed and the uncompressed form. */
void spv__point_encode(uint8_t out[33], const spv_point *point);
void spv__point_encode_full(uint8_t out[65], const spv_point *point);

/** point += tweak * G; SPV_CRYPTO as spv__secret_add. */
spv_err spv__point_add(spv_point *point, const uint8_t tweak[32]);

/** Sign a 32-byte digest: RFC 6979 nonce, low S, DER. */
spv_err spv__ecdsa_sign(uint8_t der[SPV__ECDSA_MAX], size_t *len,
                        const uint8_t digest[32], const uint8_t secret[32]);

/** Whether a strict DER signature with low S is right. */
bool spv__ecdsa_verify(const uint8_t *der, size_t len, const uint8_t digest[32],
                       const spv_point *point);

/** BIP 340; `aux` is 32 bytes of entropy, or NULL for none. */
spv_err spv__schnorr_sign(uint8_t out[64], const uint8_t *message, size_t len,
                          const uint8_t secret[32], const uint8_t *aux);

/** Whether a signature fits an x-only public key. */
bool spv__schnorr_verify(const uint8_t signature[64], const uint8_t *message,
                         size_t len, const uint8_t xonly[32]);

/** Whether 32 bytes are the x coordinate of a point: an x-only public key. */
bool spv__xonly_is_valid(const uint8_t xonly[32]);

/** BIP 341's hash_TapTweak of an internal key and a merkle root (NULL when
 * there are no scripts). */
void spv__taproot_tweak(uint8_t out[32], const uint8_t internal[32],
                        const uint8_t *merkle_root);

/** Output key of an internal key; its y parity goes to `odd` unless NULL. */
spv_err spv__taproot_output(uint8_t out[32], bool *odd,
                            const uint8_t internal[32],
                            const uint8_t *merkle_root);

/** Turn the private key of an internal key into that of its output key. */
spv_err spv__taproot_secret(uint8_t secret[32], const uint8_t *merkle_root);

#endif
