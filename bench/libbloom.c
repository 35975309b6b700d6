/*
 * Beside libbloom (Debian's libbloom-dev): ten million elements, one in a
 * hundred of them held, asked of filters that were filled with a hundred
 * million at 0.1 %. Both filters are filled alike; elements are 16 random
 * bytes; the ways of asking are taken in turn, and the fastest round counts.
 *
 *     bench_libbloom [ELEMENTS [QUERIES]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <bloom.h>
#include <spv/local_filter.h>

enum { LEN = 16, BATCH = 1024, ROUNDS = 3 };

#define RATE 0.001

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static uint64_t mix(uint64_t z)
{
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/** The i-th element of all that there are. */
static void element(uint8_t out[LEN], uint64_t i)
{
    const uint64_t words[2] = {mix(i * 2), mix(i * 2 + 1)};

    memcpy(out, words, LEN);
}

typedef struct world {
    struct bloom theirs;
    spv_local_filter ours[2];
    uint8_t (*queries)[LEN];
    spv_element *spans;
    bool *found;
    size_t n;
} world;

static const char *const names[] = {"double", "blocked"};

/* Filling ----------------------------------------------------------------- */

static double fill_theirs(world *w, size_t n)
{
    double start = now_s();
    uint8_t e[LEN];

    for (size_t i = 0; i < n; i++) {
        element(e, i);
        bloom_add(&w->theirs, e, LEN);
    }
    return now_s() - start;
}

static double fill_ours(spv_local_filter *f, size_t n)
{
    static uint8_t bytes[BATCH][LEN];
    static spv_element spans[BATCH];
    double start = now_s();

    for (size_t i = 0; i < n; i += BATCH) {
        size_t now = n - i < BATCH ? n - i : BATCH;

        for (size_t j = 0; j < now; j++) {
            element(bytes[j], i + j);
            spans[j] = (spv_element){bytes[j], LEN};
        }
        spv_local_filter_insert_batch(f, spans, now);
    }
    return now_s() - start;
}

/* Asking ------------------------------------------------------------------ */

static double ask_theirs(const world *w, size_t *hits)
{
    double start = now_s();

    *hits = 0;
    for (size_t i = 0; i < w->n; i++)
        *hits +=
            bloom_check((struct bloom *)&w->theirs, w->queries[i], LEN) == 1;
    return now_s() - start;
}

static double ask_ours(const world *w, const spv_local_filter *f, size_t *hits)
{
    double start = now_s();

    *hits = 0;
    for (size_t i = 0; i < w->n; i += BATCH) {
        size_t now = w->n - i < BATCH ? w->n - i : BATCH;

        *hits +=
            spv_local_filter_contains_batch(f, w->found, w->spans + i, now);
    }
    return now_s() - start;
}

static double ask_one_by_one(const world *w, const spv_local_filter *f,
                             size_t *hits)
{
    double start = now_s();

    *hits = 0;
    for (size_t i = 0; i < w->n; i++)
        *hits += spv_local_filter_contains(f, w->queries[i], LEN);
    return now_s() - start;
}

/* The whole --------------------------------------------------------------- */

static bool open_world(world *w, size_t elements, size_t queries)
{
    static const spv_local_hashing hashings[] = {SPV_LOCAL_DOUBLE,
                                                 SPV_LOCAL_BLOCKED};
    spv_local_plan plan;

    *w = (world){.n = queries};
    if (bloom_init(&w->theirs, (int)elements, RATE) != 0)
        return false;
    for (int i = 0; i < 2; i++)
        if (spv_local_plan_for(&plan, elements, RATE, hashings[i], 1) ||
            spv_local_filter_init(&w->ours[i], &plan))
            return false;
    w->queries = malloc(queries * sizeof(*w->queries));
    w->spans = malloc(queries * sizeof(*w->spans));
    w->found = malloc(BATCH * sizeof(*w->found));
    if (!w->queries || !w->spans || !w->found)
        return false;
    for (size_t i = 0; i < queries; i++) {
        element(w->queries[i], i % 100 ? elements + i : i);
        w->spans[i] = (spv_element){w->queries[i], LEN};
    }
    return true;
}

static void close_world(world *w)
{
    bloom_free(&w->theirs);
    for (int i = 0; i < 2; i++)
        spv_local_filter_clear(&w->ours[i]);
    free(w->queries);
    free(w->spans);
    free(w->found);
}

static void report(const char *way, const char *what, size_t n, double theirs,
                   double ours, size_t bytes)
{
    printf("{\"bench\":\"libbloom\",\"way\":\"%s\",\"what\":\"%s\","
           "\"libbloom_ns\":%.1f,\"ns\":%.1f,\"ratio\":%.2f,\"bytes\":%zu}\n",
           way, what, theirs * 1e9 / (double)n, ours * 1e9 / (double)n,
           theirs / ours, bytes);
    (void)fflush(stdout);
}

static void bench_fill(world *w, size_t n)
{
    double theirs = fill_theirs(w, n);

    for (int i = 0; i < 2; i++)
        report(names[i], "insert", n, theirs, fill_ours(&w->ours[i], n),
               w->ours[i].len);
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

static void bench_ask(const world *w)
{
    size_t hits[4] = {0};
    double theirs = 1e9;
    double ours[3] = {1e9, 1e9, 1e9};

    for (int round = 0; round < ROUNDS; round++) {
        theirs = least(theirs, ask_theirs(w, &hits[3]));
        for (int i = 0; i < 2; i++)
            ours[i] = least(ours[i], ask_ours(w, &w->ours[i], &hits[i]));
        ours[2] = least(ours[2], ask_one_by_one(w, &w->ours[0], &hits[2]));
    }
    for (int i = 0; i < 2; i++)
        report(names[i], "contains, batched", w->n, theirs, ours[i],
               w->ours[i].len);
    report(names[0], "contains, one by one", w->n, theirs, ours[2],
           w->ours[0].len);
    printf("{\"bench\":\"libbloom\",\"queries\":%zu,\"libbloom_hits\":%zu,"
           "\"double_hits\":%zu,\"blocked_hits\":%zu}\n",
           w->n, hits[3], hits[0], hits[1]);
}

int main(int argc, char **argv)
{
    size_t elements = argc > 1 ? strtoul(argv[1], NULL, 10) : 100000000;
    size_t queries = argc > 2 ? strtoul(argv[2], NULL, 10) : 10000000;
    world w;
    int failed = 1;

    if (elements >= 1000 && elements <= 140000000 && queries > 0 &&
        open_world(&w, elements, queries)) {
        bench_fill(&w, elements);
        bench_ask(&w);
        close_world(&w);
        failed = 0;
    }
    return failed;
}
