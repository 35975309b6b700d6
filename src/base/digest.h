#ifndef SPV_BASE_DIGEST_H
#define SPV_BASE_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#include <spv/err.h>
#include <spv/hash.h>

/*
 * The OpenSSL door: every digest the project needs. base/seal.h is its other
 * half.
 *
 * Workload: hundreds of thousands of 80-byte headers, then merkle pairs; keys
 * now and then. So algorithms are fetched once (a fetch for each call costs
 * several times the hashing itself; bench/ measures it) and contexts live as
 * long as the thread that uses them. OpenSSL without SHA-256 is not a world
 * this program can run in: that failure aborts, so digests return nothing.
 * RIPEMD-160 is missing from some builds of OpenSSL, or hidden in a provider
 * that is not ours to load; our own plain C stands in for it there.
 */

/** A piece of a message that is hashed as one with its neighbours. */
typedef struct spv_slice {
    const void *bytes;
    size_t len;
} spv_slice;

void spv__sha256(uint8_t out[32], const void *bytes, size_t len);
void spv__sha512(uint8_t out[64], const void *bytes, size_t len);
void spv__ripemd160(uint8_t out[20], const void *bytes, size_t len);

/** Of onion addresses, and rare: its algorithm is fetched for each call. */
void spv__sha3_256(uint8_t out[32], const void *bytes, size_t len);

/** SHA-256 twice: block, transaction and merkle hashes; frame checksums. */
void spv__sha256d(spv_hash *out, const void *bytes, size_t len);

/** The same over `n` slices in order, without joining them first. */
void spv__sha256d_slices(spv_hash *out, const spv_slice *slices, size_t n);

/** SHA-256d of an 80-byte header or a 64-byte merkle pair; the hot loop. */
void spv__sha256d_pair(spv_hash *out, const spv_hash *left,
                       const spv_hash *right);

/** RIPEMD-160 of SHA-256: public key and script hashes. */
void spv__hash160(uint8_t out[20], const void *bytes, size_t len);

/** BIP 340's tagged hash over `n` slices. */
void spv__tagged_hash(uint8_t out[32], const char *tag, const spv_slice *slices,
                      size_t n);

void spv__hmac_sha512(uint8_t out[64], const void *key, size_t key_len,
                      const void *bytes, size_t len);
void spv__hmac_sha256(uint8_t out[32], const void *key, size_t key_len,
                      const void *bytes, size_t len);

/** PBKDF2-HMAC-SHA512, 64 bytes out; BIP 39 uses 2048 rounds. */
void spv__pbkdf2_sha512(uint8_t out[64], const void *password,
                        size_t password_len, const void *salt, size_t salt_len,
                        uint32_t rounds);

/** Overwrite a secret in a way that compilers keep. */
void spv__cleanse(void *bytes, size_t len);

#endif
