#include "base/digest.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/provider.h>

#include "base/ripemd160.h"

/*
 * SHA-256 by the functions that its provider hands to EVP: the hot loop.
 *
 * EVP frees and allocates the provider's context at every init, which costs
 * more than hashing 64 bytes where the processor knows SHA. A provider's own
 * init allocates nothing. See provider-digest(7) and bench/bench_digest.c.
 */
typedef struct sha256_functions {
    OSSL_FUNC_digest_newctx_fn *newctx;
    OSSL_FUNC_digest_freectx_fn *freectx;
    OSSL_FUNC_digest_init_fn *init;
    OSSL_FUNC_digest_update_fn *update;
    OSSL_FUNC_digest_final_fn *final;
} sha256_functions;

/* What is fetched once for the process. */
static struct {
    CRYPTO_ONCE once;
    CRYPTO_THREAD_LOCAL key;
    EVP_MD *sha256; /* keeps its provider loaded */
    sha256_functions call;
    EVP_MD *sha512;
    EVP_MD *ripemd160; /* NULL where OpenSSL has none */
    EVP_MAC *hmac;
} shared = {.once = CRYPTO_ONCE_STATIC_INIT};

/* What each thread hashes with. */
typedef struct desk {
    void *sha256; /* the provider's own context */
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

/* Runs as a thread ends, or the process does. */
static void desk_free(void *old)
{
    desk *d = old;

    own_desk = NULL;
    if (!d)
        return;
    shared.call.freectx(d->sha256);
    EVP_MD_CTX_free(d->sha512);
    EVP_MD_CTX_free(d->ripemd160);
    free(d);
}

/* Runs inside OPENSSL_cleanup, on the thread that ends the process. */
static void shared_clear(void)
{
    desk_free(own_desk);
    CRYPTO_THREAD_cleanup_local(&shared.key);
    EVP_MD_free(shared.sha256);
    EVP_MD_free(shared.sha512);
    EVP_MD_free(shared.ripemd160);
    EVP_MAC_free(shared.hmac);
}

static sha256_functions functions_of(const OSSL_DISPATCH *table)
{
    sha256_functions f = {0};

    for (; table->function_id; table++) {
        if (table->function_id == OSSL_FUNC_DIGEST_NEWCTX)
            f.newctx = OSSL_FUNC_digest_newctx(table);
        if (table->function_id == OSSL_FUNC_DIGEST_FREECTX)
            f.freectx = OSSL_FUNC_digest_freectx(table);
        if (table->function_id == OSSL_FUNC_DIGEST_INIT)
            f.init = OSSL_FUNC_digest_init(table);
        if (table->function_id == OSSL_FUNC_DIGEST_UPDATE)
            f.update = OSSL_FUNC_digest_update(table);
        if (table->function_id == OSSL_FUNC_DIGEST_FINAL)
            f.final = OSSL_FUNC_digest_final(table);
    }
    return f;
}

/* Whether colon-separated `names` begin with `name`. */
static bool is_first_name(const char *names, const char *name)
{
    size_t len = strlen(name);

    return strncmp(names, name, len) == 0 &&
           (names[len] == ':' || names[len] == '\0');
}

/* The functions behind a fetched digest, out of its provider's list. */
static sha256_functions find_functions(const EVP_MD *md)
{
    const OSSL_PROVIDER *provider = EVP_MD_get0_provider(md);
    int no_cache = 0;
    const OSSL_ALGORITHM *all =
        OSSL_PROVIDER_query_operation(provider, OSSL_OP_DIGEST, &no_cache);
    sha256_functions f = {0};

    for (const OSSL_ALGORITHM *a = all; a && a->algorithm_names; a++)
        if (is_first_name(a->algorithm_names, EVP_MD_get0_name(md)))
            f = functions_of(a->implementation);
    OSSL_PROVIDER_unquery_operation(provider, OSSL_OP_DIGEST, all);
    return f;
}

/* NULL when there is none, and nothing left in the caller's error queue. */
static EVP_MD *try_fetch(const char *name)
{
    EVP_MD *md = NULL;

    ERR_set_mark();
    md = EVP_MD_fetch(NULL, name, NULL);
    ERR_pop_to_mark();
    return md;
}

static void shared_init(void)
{
    shared.sha256 = EVP_MD_fetch(NULL, "SHA256", NULL);
    shared.sha512 = EVP_MD_fetch(NULL, "SHA512", NULL);
    shared.ripemd160 = try_fetch("RIPEMD160");
    shared.hmac = EVP_MAC_fetch(NULL, "HMAC", NULL);
    must(shared.sha256 && shared.sha512 && shared.hmac);
    shared.call = find_functions(shared.sha256);
    must(shared.call.newctx && shared.call.freectx && shared.call.init &&
         shared.call.update && shared.call.final);
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
    d->sha256 = shared.call.newctx(
        OSSL_PROVIDER_get0_provider_ctx(EVP_MD_get0_provider(shared.sha256)));
    must(d->sha256 != NULL);
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

static void sha256_begin(void *ctx)
{
    must(shared.call.init(ctx, NULL));
}

static void sha256_add(void *ctx, const void *bytes, size_t len)
{
    must(!len || shared.call.update(ctx, bytes, len));
}

static void sha256_end(void *ctx, uint8_t out[32])
{
    size_t len = 0;

    must(shared.call.final(ctx, out, &len, 32));
}

static void sha256(void *ctx, uint8_t out[32], const void *bytes, size_t len)
{
    sha256_begin(ctx);
    sha256_add(ctx, bytes, len);
    sha256_end(ctx, out);
}

static void digest(EVP_MD_CTX *ctx, uint8_t *out, const void *bytes, size_t len)
{
    must(EVP_DigestInit_ex2(ctx, NULL, NULL) &&
         EVP_DigestUpdate(ctx, bytes, len) &&
         EVP_DigestFinal_ex(ctx, out, NULL));
}

void spv__sha256(uint8_t out[32], const void *bytes, size_t len)
{
    sha256(desk_get()->sha256, out, bytes, len);
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

void spv__sha3_256(uint8_t out[32], const void *bytes, size_t len)
{
    must(EVP_Q_digest(NULL, "SHA3-256", NULL, bytes, len, out, NULL));
}

void spv__sha256d(spv_hash *out, const void *bytes, size_t len)
{
    void *ctx = desk_get()->sha256;

    sha256(ctx, out->bytes, bytes, len);
    sha256(ctx, out->bytes, out->bytes, sizeof(out->bytes));
}

void spv__sha256d_slices(spv_hash *out, const spv_slice *slices, size_t n)
{
    void *ctx = desk_get()->sha256;

    sha256_begin(ctx);
    for (size_t i = 0; i < n; i++)
        sha256_add(ctx, slices[i].bytes, slices[i].len);
    sha256_end(ctx, out->bytes);
    sha256(ctx, out->bytes, out->bytes, sizeof(out->bytes));
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
    void *ctx = desk_get()->sha256;
    uint8_t tag_hash[32];

    sha256(ctx, tag_hash, tag, strlen(tag));
    sha256_begin(ctx);
    sha256_add(ctx, tag_hash, sizeof(tag_hash));
    sha256_add(ctx, tag_hash, sizeof(tag_hash));
    for (size_t i = 0; i < n; i++)
        sha256_add(ctx, slices[i].bytes, slices[i].len);
    sha256_end(ctx, out);
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
