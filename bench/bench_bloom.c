/*
 * What does a Bloom filter's element cost, beside the plain way of doing it?
 *
 * 1. The wire filter against the loop that BIP 37 suggests: one hash after
 *    another, a division each, out at the first miss. Half of the bits are set,
 *    the density that a filter is designed for.
 * 2. Local filters' ways of hashing: time, and rates measured beside expected.
 *
 * One JSON line a measurement, fastest of many rounds, the ways taken in turn
 * so that a busy machine disturbs them alike.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spv/local_filter.h>

#include "bench.h"
#include "bloom/filter.h"
#include "bloom/murmur3.h"

/** What answers are added to, so that no compiler finds them unwanted. */
static volatile size_t sink;

/* 1. The wire filter ------------------------------------------------------ */

enum { FUNCS = 14, LEN = 20, HELD = 14259, STRANGERS = 14259, ROUNDS = 200 };

static uint8_t held[HELD][LEN];
static uint8_t strangers[STRANGERS][LEN];

static size_t plain_bit(const spv_filter *f, uint32_t i, const uint8_t *element,
                        size_t len)
{
    uint32_t seed = i * 0xfba4c795u + f->tweak;

    return spv__murmur3(seed, element, len) % (f->len * 8);
}

static void plain_insert(spv_filter *f, const uint8_t *element, size_t len)
{
    for (uint32_t i = 0; i < f->hash_funcs; i++) {
        size_t bit = plain_bit(f, i, element, len);

        f->bytes[bit >> 3] |= (uint8_t)(1u << (bit & 7));
    }
}

static bool plain_contains(const spv_filter *f, const uint8_t *element,
                           size_t len)
{
    for (uint32_t i = 0; i < f->hash_funcs; i++) {
        size_t bit = plain_bit(f, i, element, len);

        if (!(f->bytes[bit >> 3] >> (bit & 7) & 1))
            return false;
    }
    return true;
}

typedef void insert_fn(spv_filter *, const uint8_t *, size_t);
typedef bool contains_fn(const spv_filter *, const uint8_t *, size_t);

/** Two ways of doing the same, and the fastest that either was, in
 * nanoseconds an element. */
typedef struct wire_way {
    insert_fn *insert;
    contains_fn *contains;
    double insert_ns, hit_ns, miss_ns;
} wire_way;

static double time_contains(const wire_way *w, const spv_filter *f,
                            uint8_t (*elements)[LEN], size_t n)
{
    double start = now_ns();
    size_t hits = 0;

    for (size_t i = 0; i < n; i++)
        hits += w->contains(f, elements[i], LEN);
    sink += hits;
    return (now_ns() - start) / (double)n;
}

static void keep_least(double *best, double now)
{
    if (now < *best)
        *best = now;
}

static void measure_wire(wire_way *w, spv_filter *f)
{
    double start = 0;

    memset(f->bytes, 0, f->len);
    start = now_ns();
    for (size_t i = 0; i < HELD; i++)
        w->insert(f, held[i], LEN);
    keep_least(&w->insert_ns, (now_ns() - start) / HELD);
    keep_least(&w->hit_ns, time_contains(w, f, held, HELD));
    keep_least(&w->miss_ns, time_contains(w, f, strangers, STRANGERS));
}

static void report_wire(const char *what, double plain, double ours)
{
    printf("{\"bench\":\"wire filter\",\"what\":\"%s\",\"functions\":%d,"
           "\"plain_ns\":%.1f,\"ns\":%.1f,\"ratio\":%.2f}\n",
           what, FUNCS, plain, ours, plain / ours);
}

static int bench_wire(void)
{
    /* Called through pointers, as a library's functions are. */
    wire_way plain = {plain_insert, plain_contains, 1e9, 1e9, 1e9};
    wire_way ours = {spv_filter_insert, spv_filter_contains, 1e9, 1e9, 1e9};
    spv_filter f;

    if (spv_filter_init(&f, SPV_FILTER_BYTES_MAX, FUNCS, 5, 0))
        return 1;
    random_bytes(held[0], sizeof(held));
    random_bytes(strangers[0], sizeof(strangers));
    for (int round = 0; round < ROUNDS; round++) {
        measure_wire(&plain, &f);
        measure_wire(&ours, &f);
    }
    report_wire("insert", plain.insert_ns, ours.insert_ns);
    report_wire("hit", plain.hit_ns, ours.hit_ns);
    report_wire("miss", plain.miss_ns, ours.miss_ns);
    spv_filter_clear(&f);
    return 0;
}

/* 2. Local filters -------------------------------------------------------- */

enum { KEPT = 20000, ASKED = 200000, SEEDS = 10 };

static spv_element spans[ASKED];
static bool found[ASKED];

static void draw_elements(size_t n)
{
    static uint8_t bytes[ASKED][16];

    for (size_t i = 0; i < n; i++) {
        const uint64_t words[2] = {random64(), random64()};

        memcpy(bytes[i], words, sizeof(words));
        spans[i] = (spv_element){bytes[i], sizeof(words)};
    }
}

static int bench_local(const char *name, spv_local_hashing hashing, size_t n,
                       double p)
{
    double insert_ns = 1e9;
    double contains_ns = 1e9;
    double expected = 0;
    size_t hits = 0;

    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        spv_local_plan plan;
        spv_local_filter f;
        double start = 0;

        if (spv_local_plan_for(&plan, n, p, hashing, seed) ||
            spv_local_filter_init(&f, &plan))
            return 1;
        draw_elements(n);
        start = now_ns();
        spv_local_filter_insert_batch(&f, spans, n);
        keep_least(&insert_ns, (now_ns() - start) / (double)n);
        draw_elements(ASKED);
        start = now_ns();
        hits += spv_local_filter_contains_batch(&f, found, spans, ASKED);
        keep_least(&contains_ns, (now_ns() - start) / ASKED);
        expected = spv_local_plan_rate(&plan, (double)n);
        spv_local_filter_clear(&f);
    }
    printf("{\"bench\":\"local filter\",\"hashing\":\"%s\",\"elements\":%zu,"
           "\"expected_rate\":%.3e,\"measured_rate\":%.3e,"
           "\"insert_ns\":%.1f,\"miss_ns\":%.1f}\n",
           name, n, expected, (double)hits / ASKED / SEEDS, insert_ns,
           contains_ns);
    return 0;
}

static int bench_locals(void)
{
    static const size_t sizes[] = {100, 1000, KEPT};
    int failed = 0;

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        failed |= bench_local("bip37", SPV_LOCAL_BIP37, sizes[i], 0.001);
        failed |= bench_local("double", SPV_LOCAL_DOUBLE, sizes[i], 0.001);
        failed |= bench_local("blocked", SPV_LOCAL_BLOCKED, sizes[i], 0.001);
    }
    return failed;
}

int main(void)
{
    return bench_wire() || bench_locals() ? EXIT_FAILURE : EXIT_SUCCESS;
}
