#ifndef SPV_BASE_SEAL_H
#define SPV_BASE_SEAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <spv/err.h>

/*
 * The other half of the OpenSSL door: a key out of a password, and sealing
 * with it. Rare, so algorithms are fetched for each call. Unlike digests these
 * can fail: scrypt wants much memory, and some builds of OpenSSL lack one.
 */

/** What trying a password costs (RFC 7914): N = 2^log2_n, r, p. */
typedef struct spv_scrypt_cost {
    uint8_t log2_n;
    uint32_t r;
    uint32_t p;
} spv_scrypt_cost;

/** Most memory that a cost may ask for, in bytes. */
#define SPV__SCRYPT_MEMORY_MAX (UINT64_C(1) << 30)

/**
 * Whether a cost, perhaps read from a file, is one to pay: N, r and p are at
 * least 2, 1 and 1, N is below 2^(16 r), memory (128 N r bytes) is bounded as
 * above, and so is work: N r p is at most 2^24, some seconds.
 */
bool spv__scrypt_is_bounded(const spv_scrypt_cost *cost);

/**
 * RFC 7914's scrypt. SPV_LIMIT when the cost is not bounded, SPV_NOMEM,
 * SPV_CRYPTO when OpenSSL has no scrypt. Cleanse `out` after use.
 */
spv_err spv__scrypt(uint8_t *out, size_t out_len, const void *password,
                    size_t password_len, const void *salt, size_t salt_len,
                    const spv_scrypt_cost *cost);

enum { SPV__SEAL_KEY = 32, SPV__SEAL_NONCE = 12, SPV__SEAL_TAG = 16 };

/** What a seal depends on. A key and nonce seal one message, ever. */
typedef struct spv_seal {
    const uint8_t *key;   /**< SPV__SEAL_KEY bytes */
    const uint8_t *nonce; /**< SPV__SEAL_NONCE bytes */
    const void *header;   /**< not hidden, but vouched for */
    size_t header_len;
} spv_seal;

/** RFC 8439's ChaCha20-Poly1305: `len` bytes hidden, the tag behind them; so
 * `out` has room for SPV__SEAL_TAG more. SPV_NOMEM, SPV_CRYPTO when OpenSSL
 * lacks it. */
spv_err spv__seal(const spv_seal *seal, uint8_t *out, const uint8_t *plain,
                  size_t len);

/** The other way; `len` counts the tag. SPV_CHECKSUM when the seal is not of
 * this key, nonce, header and message: then `out` is overwritten. */
spv_err spv__unseal(const spv_seal *seal, uint8_t *out, const uint8_t *sealed,
                    size_t len);

#endif
