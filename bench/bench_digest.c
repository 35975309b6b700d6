/*
 * What does the way to a hash cost beside the hash itself?
 *
 * A header's proof of work is a double SHA-256 of 80 bytes: three compressions
 * of 64 bytes and nothing else that mathematics asks for. The yardstick is one
 * compression as a large buffer pays it; the ratio to three of those is what
 * the calls around them add. One JSON line a way, fastest of many rounds, all
 * ways taken in turn so that a busy machine disturbs them alike.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/evp.h>

#include "base/digest.h"
#include "bench.h"

enum { LARGE = 16384, ROUNDS = 300 };

static EVP_MD *md;
static EVP_MD_CTX *ctx;
static EVP_MD_CTX *primed;
static uint8_t input[LARGE];
static spv_hash out;

static void large_buffer(void)
{
    spv__sha256(out.bytes, input, LARGE);
}

static void header(void)
{
    spv__sha256d(&out, input, 80);
}

static void pair(void)
{
    spv_hash left;

    memcpy(left.bytes, input, sizeof(left.bytes));
    spv__sha256d_pair(&out, &left, &left);
}

static void evp_finish(const void *bytes, size_t len)
{
    EVP_DigestUpdate(ctx, bytes, len);
    EVP_DigestFinal_ex(ctx, out.bytes, NULL);
}

static void evp_init(void)
{
    EVP_DigestInit_ex2(ctx, NULL, NULL);
    evp_finish(input, 80);
    EVP_DigestInit_ex2(ctx, NULL, NULL);
    evp_finish(out.bytes, 32);
}

static void evp_copy(void)
{
    EVP_MD_CTX_copy_ex(ctx, primed);
    evp_finish(input, 80);
    EVP_MD_CTX_copy_ex(ctx, primed);
    evp_finish(out.bytes, 32);
}

static void evp_one_shot(void)
{
    EVP_Digest(input, 80, out.bytes, NULL, md, NULL);
    EVP_Digest(out.bytes, 32, out.bytes, NULL, md, NULL);
}

static void evp_fetch_each(void)
{
    EVP_Q_digest(NULL, "SHA256", NULL, input, 80, out.bytes, NULL);
    EVP_Q_digest(NULL, "SHA256", NULL, out.bytes, 32, out.bytes, NULL);
}

/* The first way is the yardstick. */
static struct way {
    const char *name;
    void (*run)(void);
    unsigned times; /* a round */
    double best;    /* nanoseconds a run */
} ways[] = {
    {"16 KiB in one call", large_buffer, 50, 1e18},
    {"header", header, 2000, 1e18},
    {"merkle pair", pair, 2000, 1e18},
    {"header, EVP_DigestInit_ex2 on one context", evp_init, 2000, 1e18},
    {"header, EVP_MD_CTX_copy_ex of a primed one", evp_copy, 2000, 1e18},
    {"header, EVP_Digest", evp_one_shot, 1000, 1e18},
    {"header, EVP_Q_digest", evp_fetch_each, 500, 1e18},
};

enum { WAYS = sizeof(ways) / sizeof(ways[0]) };

static void measure(struct way *w)
{
    double start = now_ns();
    double each = 0;

    for (unsigned i = 0; i < w->times; i++)
        w->run();
    each = (now_ns() - start) / w->times;
    if (each < w->best)
        w->best = each;
}

static void report(const struct way *w, double compression)
{
    printf("{\"bench\":\"digest\",\"way\":\"%s\",\"ns\":%.1f,"
           "\"compression_ns\":%.1f,\"compressions\":3,\"ratio\":%.2f}\n",
           w->name, w->best, compression, w->best / (3 * compression));
}

int main(void)
{
    /* The padding of a large buffer is one compression more. */
    const double blocks = LARGE / 64 + 1;

    md = EVP_MD_fetch(NULL, "SHA256", NULL);
    ctx = EVP_MD_CTX_new();
    primed = EVP_MD_CTX_new();
    if (!md || !ctx || !primed || !EVP_DigestInit_ex2(ctx, md, NULL) ||
        !EVP_DigestInit_ex2(primed, md, NULL))
        return EXIT_FAILURE;
    for (unsigned round = 0; round < ROUNDS; round++)
        for (unsigned i = 0; i < WAYS; i++)
            measure(&ways[i]);
    for (unsigned i = 1; i < WAYS; i++)
        report(&ways[i], ways[0].best / blocks);
    EVP_MD_CTX_free(primed);
    EVP_MD_CTX_free(ctx);
    EVP_MD_free(md);
    return EXIT_SUCCESS;
}
