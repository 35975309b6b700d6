#include "base/seal.h"

#include <assert.h>
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>

#include "base/digest.h"

#define LOG2_N_MAX 30
#define WORK_MAX   (UINT64_C(1) << 24)

/* ---- A key out of a password ---- */

bool spv__scrypt_is_bounded(const spv_scrypt_cost *cost)
{
    uint64_t nr = 0;

    if (cost->log2_n < 1 || cost->log2_n > LOG2_N_MAX || cost->r < 1 ||
        cost->p < 1)
        return false;
    /* RFC 7914: N is "less than 2^(128 * r / 8)". */
    if (cost->log2_n / 16 >= cost->r)
        return false;
    nr = (UINT64_C(1) << cost->log2_n) * cost->r; /* below 2^62 */
    return nr <= SPV__SCRYPT_MEMORY_MAX / 128 && cost->p <= WORK_MAX / nr;
}

/* OpenSSL counts a little beside the 128 N r: a bound that it never meets. */
static uint64_t memory_of(uint64_t n, uint32_t r, uint32_t p)
{
    return 128 * n * r + 128 * UINT64_C(2) * r * p + (1 << 20);
}

static spv_err derive(EVP_KDF_CTX *ctx, uint8_t *out, size_t out_len,
                      const OSSL_PARAM *params)
{
    if (!ctx || EVP_KDF_derive(ctx, out, out_len, params) != 1)
        return SPV_NOMEM;
    return SPV_OK;
}

spv_err spv__scrypt(uint8_t *out, size_t out_len, const void *password,
                    size_t password_len, const void *salt, size_t salt_len,
                    const spv_scrypt_cost *cost)
{
    uint64_t n = UINT64_C(1) << (cost->log2_n & 63);
    uint32_t r = cost->r;
    uint32_t p = cost->p;
    uint64_t memory = memory_of(n, r, p);
    const OSSL_PARAM params[] = {
        OSSL_PARAM_construct_octet_string(
            OSSL_KDF_PARAM_PASSWORD, (void *)(uintptr_t)password, password_len),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT,
                                          (void *)(uintptr_t)salt, salt_len),
        OSSL_PARAM_construct_uint64(OSSL_KDF_PARAM_SCRYPT_N, &n),
        OSSL_PARAM_construct_uint32(OSSL_KDF_PARAM_SCRYPT_R, &r),
        OSSL_PARAM_construct_uint32(OSSL_KDF_PARAM_SCRYPT_P, &p),
        OSSL_PARAM_construct_uint64(OSSL_KDF_PARAM_SCRYPT_MAXMEM, &memory),
        OSSL_PARAM_construct_end(),
    };
    EVP_KDF *kdf = NULL;
    EVP_KDF_CTX *ctx = NULL;
    spv_err err = SPV_CRYPTO;

    if (!spv__scrypt_is_bounded(cost))
        return SPV_LIMIT;
    ERR_set_mark();
    kdf = EVP_KDF_fetch(NULL, "SCRYPT", NULL);
    if (kdf) {
        ctx = EVP_KDF_CTX_new(kdf);
        err = derive(ctx, out, out_len, params);
    }
    EVP_KDF_CTX_free(ctx);
    EVP_KDF_free(kdf);
    ERR_pop_to_mark();
    if (err)
        spv__cleanse(out, out_len);
    return err;
}

/* ---- Sealing ---- */

typedef enum { OPENING = 0, SEALING = 1 } direction;

/* Header and message through the cipher; all but the tag. */
static bool run(EVP_CIPHER_CTX *ctx, const EVP_CIPHER *cipher,
                const spv_seal *seal, direction way, uint8_t *out,
                const uint8_t *in, size_t len)
{
    int n = 0;

    assert(len <= INT32_MAX && seal->header_len <= INT32_MAX);
    return EVP_CipherInit_ex2(ctx, cipher, seal->key, seal->nonce, (int)way,
                              NULL) &&
           EVP_CipherUpdate(ctx, NULL, &n, seal->header,
                            (int)seal->header_len) &&
           EVP_CipherUpdate(ctx, out, &n, in, (int)len);
}

/* A context with the cipher in it; both to be freed, and errors taken back. */
static EVP_CIPHER *begin(EVP_CIPHER_CTX **ctx)
{
    ERR_set_mark();
    *ctx = EVP_CIPHER_CTX_new();
    return EVP_CIPHER_fetch(NULL, "ChaCha20-Poly1305", NULL);
}

static void end(EVP_CIPHER_CTX *ctx, EVP_CIPHER *cipher)
{
    EVP_CIPHER_CTX_free(ctx); /* wipes the key */
    EVP_CIPHER_free(cipher);
    ERR_pop_to_mark();
}

spv_err spv__seal(const spv_seal *seal, uint8_t *out, const uint8_t *plain,
                  size_t len)
{
    EVP_CIPHER_CTX *ctx = NULL;
    EVP_CIPHER *cipher = begin(&ctx);
    spv_err err = cipher ? SPV_NOMEM : SPV_CRYPTO;
    int n = 0;

    if (cipher && ctx && run(ctx, cipher, seal, SEALING, out, plain, len) &&
        EVP_CipherFinal_ex(ctx, out + len, &n) &&
        EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, SPV__SEAL_TAG,
                            out + len))
        err = SPV_OK;
    end(ctx, cipher);
    return err;
}

spv_err spv__unseal(const spv_seal *seal, uint8_t *out, const uint8_t *sealed,
                    size_t len)
{
    uint8_t tag[SPV__SEAL_TAG];
    EVP_CIPHER_CTX *ctx = NULL;
    EVP_CIPHER *cipher = NULL;
    spv_err err = SPV_CHECKSUM;
    int n = 0;

    if (len < sizeof(tag))
        return err;
    len -= sizeof(tag);
    memcpy(tag, sealed + len, sizeof(tag));
    cipher = begin(&ctx);
    if (!cipher || !ctx)
        err = cipher ? SPV_NOMEM : SPV_CRYPTO;
    else if (!run(ctx, cipher, seal, OPENING, out, sealed, len) ||
             !EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, sizeof(tag), tag))
        err = SPV_NOMEM;
    else if (EVP_CipherFinal_ex(ctx, out + len, &n) == 1)
        err = SPV_OK;
    end(ctx, cipher);
    if (err)
        spv__cleanse(out, len);
    return err;
}
