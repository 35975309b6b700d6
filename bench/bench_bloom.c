/*
 * What does a Bloom filter's element cost, beside the plain way of doing it?
 *
 * 1. The wire filter against the loop that BIP 37 suggests: one hash after
 *    another, a division each, out at the first miss. Half of the bits are set,
 *    the density that a filter is designed for.
 * 2. Local filters' ways of hashing: time, and rates measured beside expected.
 * 3. Matching a block's transactions beside hashing them.
 *
 * One JSON line a measurement, fastest of many rounds, the ways taken in turn
 * so that a busy machine disturbs them alike.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <spv/local_filter.h>

#include "base/digest.h"
#include "bloom/filter.h"
#include "bloom/murmur3.h"

static double now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/** What answers are added to, so that no compiler finds them unwanted. */
static volatile size_t sink;

static uint64_t random_state = 1;

static uint64_t random64(void)
{
    uint64_t z = random_state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static void random_bytes(uint8_t *out, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = (uint8_t)random64();
}

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
                            const uint8_t (*elements)[LEN], size_t n)
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

int main(void)
{
    return bench_wire() ? EXIT_FAILURE : EXIT_SUCCESS;
}
