#include "base/digest.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include "base/ripemd160.h"

/* What is fetched once for the process. */
static struct {
    CRYPTO_ONCE once;
    CRYPTO_THREAD_LOCAL key;
    EVP_MD *sha256;
    EVP_MD *sha512;
    EVP_MD *ripemd160; /* NULL where OpenSSL has none */
    EVP_MAC *hmac;
} shared = {.once = CRYPTO_ONCE_STATIC_INIT};

/* What each thread hashes with. */
typedef struct desk {
    EVP_MD_CTX *sha256;
    EVP_MD_CTX *sha512;
    EVP_MD_CTX *ripemd160;
} desk;

static _Thread_local desk *own_desk;

/* OpenSSL refused what it cannot refuse: see the header. */
static void must(bool ok)
{
    if (!ok)
        abort();
}

static void desk_free(void *old)
{
    desk *d = old;

    if (!d)
        return;
    EVP_MD_CTX_free(d->sha256);
    EVP_MD_CTX_free(d->sha512);
    EVP_MD_CTX_free(d->ripemd160);
    free(d);
}

/* Runs inside OPENSSL_cleanup, on the thread that ends the process. */
static void shared_clear(void)
{
    desk_free(own_desk);
    own_desk = NULL;
    CRYPTO_THREAD_cleanup_local(&shared.key);
    EVP_MD_free(shared.sha256);
    EVP_MD_free(shared.sha512);
    EVP_MD_free(shared.ripemd160);
    EVP_MAC_free(shared.hmac);
}

static void shared_init(void)
{
    shared.sha256 = EVP_MD_fetch(NULL, "SHA256", NULL);
    shared.sha512 = EVP_MD_fetch(NULL, "SHA512", NULL);
    shared.ripemd160 = EVP_MD_fetch(NULL, "RIPEMD160", NULL);
    shared.hmac = EVP_MAC_fetch(NULL, "HMAC", NULL);
    must(shared.sha256 && shared.sha512 && shared.hmac);
    must(CRYPTO_THREAD_init_local(&shared.key, desk_free));
    must(OPENSSL_atexit(shared_clear));
}

static void shared_need(void)
{
    must(CRYPTO_THREAD_run_once(&shared.once, shared_init));
}

static EVP_MD_CTX *context(EVP_MD *md)
{
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();

    must(ctx && EVP_DigestInit_ex2(ctx, md, NULL));
    return ctx;
}

static desk *desk_new(void)
{
    desk *d = calloc(1, sizeof(*d));

    must(d != NULL);
    shared_need();
    d->sha256 = context(shared.sha256);
    d->sha512 = context(shared.sha512);
    if (shared.ripemd160)
        d->ripemd160 = context(shared.ripemd160);
    must(CRYPTO_THREAD_set_local(&shared.key, d));
    return d;
}

static const desk *desk_get(void)
{
    if (!own_desk)
        own_desk = desk_new();
    return own_desk;
}

static void digest_slices(EVP_MD_CTX *ctx, uint8_t *out,
                          const spv_slice *slices, size_t n)
{
    must(EVP_DigestInit_ex2(ctx, NULL, NULL));
    for (size_t i = 0; i < n; i++)
        must(EVP_DigestUpdate(ctx, slices[i].bytes, slices[i].len));
    must(EVP_DigestFinal_ex(ctx, out, NULL));
}

static void digest(EVP_MD_CTX *ctx, uint8_t *out, const void *bytes, size_t len)
{
    must(EVP_DigestInit_ex2(ctx, NULL, NULL) &&
         EVP_DigestUpdate(ctx, bytes, len) &&
         EVP_DigestFinal_ex(ctx, out, NULL));
}

void spv__sha256(uint8_t out[32], const void *bytes, size_t len)
{
    digest(desk_get()->sha256, out, bytes, len);
}

void spv__sha512(uint8_t out[64], const void *bytes, size_t len)
{
    digest(desk_get()->sha512, out, bytes, len);
}

void spv__ripemd160(uint8_t out[20], const void *bytes, size_t len)
{
    EVP_MD_CTX *ctx = desk_get()->ripemd160;

    if (ctx)
        digest(ctx, out, bytes, len);
    else
        spv__ripemd160_plain(out, bytes, len);
}

void spv__sha256d(spv_hash *out, const void *bytes, size_t len)
{
    EVP_MD_CTX *ctx = desk_get()->sha256;

    digest(ctx, out->bytes, bytes, len);
    digest(ctx, out->bytes, out->bytes, sizeof(out->bytes));
}

void spv__sha256d_slices(spv_hash *out, const spv_slice *slices, size_t n)
{
    EVP_MD_CTX *ctx = desk_get()->sha256;

    digest_slices(ctx, out->bytes, slices, n);
    digest(ctx, out->bytes, out->bytes, sizeof(out->bytes));
}

void spv__sha256d_pair(spv_hash *out, const spv_hash *left,
                       const spv_hash *right)
{
    spv_hash pair[2] = {*left, *right};

    spv__sha256d(out, pair, sizeof(pair));
}

void spv__hash160(uint8_t out[20], const void *bytes, size_t len)
{
    uint8_t inner[32];

    spv__sha256(inner, bytes, len);
    spv__ripemd160(out, inner, sizeof(inner));
}

void spv__tagged_hash(uint8_t out[32], const char *tag, const spv_slice *slices,
                      size_t n)
{
    EVP_MD_CTX *ctx = desk_get()->sha256;
    uint8_t prefix[64];

    digest(ctx, prefix, tag, strlen(tag));
    memcpy(prefix + 32, prefix, 32);
    must(EVP_DigestInit_ex2(ctx, NULL, NULL) &&
         EVP_DigestUpdate(ctx, prefix, sizeof(prefix)));
    for (size_t i = 0; i < n; i++)
        must(EVP_DigestUpdate(ctx, slices[i].bytes, slices[i].len));
    must(EVP_DigestFinal_ex(ctx, out, NULL));
}

/* A context of its own for each call: it holds a key, and freeing wipes it. */
static void hmac(char *md, uint8_t *out, size_t out_len, const void *key,
                 size_t key_len, const void *bytes, size_t len)
{
    const OSSL_PARAM params[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, md, 0),
        OSSL_PARAM_construct_end(),
    };
    /* A NULL key would mean "the key of last time". */
    const void *some_key = key_len ? key : "";
    EVP_MAC_CTX *ctx = NULL;

    shared_need();
    ctx = EVP_MAC_CTX_new(shared.hmac);
    must(ctx && EVP_MAC_init(ctx, some_key, key_len, params) &&
         EVP_MAC_update(ctx, bytes, len) &&
         EVP_MAC_final(ctx, out, NULL, out_len));
    EVP_MAC_CTX_free(ctx);
}

void spv__hmac_sha512(uint8_t out[64], const void *key, size_t key_len,
                      const void *bytes, size_t len)
{
    char md[] = "SHA512";

    hmac(md, out, 64, key, key_len, bytes, len);
}

void spv__hmac_sha256(uint8_t out[32], const void *key, size_t key_len,
                      const void *bytes, size_t len)
{
    char md[] = "SHA256";

    hmac(md, out, 32, key, key_len, bytes, len);
}

void spv__pbkdf2_sha512(uint8_t out[64], const void *password,
                        size_t password_len, const void *salt, size_t salt_len,
                        uint32_t rounds)
{
    shared_need();
    must(PKCS5_PBKDF2_HMAC(password_len ? password : "", (int)password_len,
                           salt, (int)salt_len, (int)rounds, shared.sha512, 64,
                           out));
}

void spv__cleanse(void *bytes, size_t len)
{
    OPENSSL_cleanse(bytes, len);
}
