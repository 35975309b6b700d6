/*
 * What do a Bloom filter's relatives cost, and do they keep their promises?
 *
 * A million elements of 20 bytes go into each (the rolling one remembers the
 * last million of them), then as many are asked for that are in and ten times
 * as many that are not. One JSON line a kind: nanoseconds an operation, bits
 * an element, the rate promised, the bound that the filter tells of itself,
 * the rate measured. The plain filter at the same rate is the yardstick.
 *
 * The last two lines are why places are drawn (src/bloom/draw.h): one plain
 * filter of a rolling filter's generation, with double hashing and without.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <spv/counting_filter.h>
#include <spv/cuckoo_filter.h>
#include <spv/filter_maths.h>
#include <spv/rolling_filter.h>
#include <spv/scalable_filter.h>

#include "bloom/bits.h"
#include "bloom/draw.h"
#include "bloom/filter.h"
#include "bloom/murmur3.h"

enum { ELEMENT = 20, N = 1000000, STRANGERS = 10 * N };

static const double promise = 0.001;

/** The i-th element: its number, and bytes that depend on nothing else. */
static void element_of(uint8_t out[ELEMENT], uint64_t i)
{
    memset(out, 0x5a, ELEMENT);
    memcpy(out, &i, sizeof(i));
}

/** The processor's seconds: others on the machine do not count. */
static double now(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void must(spv_err err)
{
    if (!err)
        return;
    (void)fprintf(stderr, "bench_relatives: %s\n", spv_err_text(err));
    exit(1);
}

/* ---- The kinds, one interface ---- */

typedef struct kind {
    const char *name;
    void (*init)(void);
    void (*insert)(const uint8_t element[ELEMENT]);
    bool (*contains)(const uint8_t element[ELEMENT]);
    void (*remove)(const uint8_t element[ELEMENT]); /**< NULL: cannot */
    double (*bound)(void);
    size_t (*bytes)(void);
    void (*clear)(void);
} kind;

/* The yardstick: k places in a plain filter, drawn as the relatives draw. */
static struct {
    spv_filter_shape shape;
    uint8_t *bits;
} plain;

static void plain_init(void)
{
    must(spv_filter_shape_for(&plain.shape, N, promise));
    plain.bits = calloc(plain.shape.bits / 8, 1);
    must(plain.bits ? SPV_OK : SPV_NOMEM);
}

static void plain_insert(const uint8_t element[ELEMENT])
{
    spv_draw d = spv__draw(1, element, ELEMENT);

    for (uint32_t i = 0; i < plain.shape.hash_funcs; i++)
        spv__bit_set(plain.bits, spv__draw_next(&d, plain.shape.bits));
}

static bool plain_contains(const uint8_t element[ELEMENT])
{
    spv_draw d = spv__draw(1, element, ELEMENT);

    for (uint32_t i = 0; i < plain.shape.hash_funcs; i++)
        if (!spv__bit_get(plain.bits, spv__draw_next(&d, plain.shape.bits)))
            return false;
    return true;
}

static double plain_bound(void)
{
    return spv_filter_observed_rate(
        plain.shape, spv__bits_count(plain.bits, plain.shape.bits / 8));
}

static size_t plain_bytes(void)
{
    return plain.shape.bits / 8;
}

static void plain_clear(void)
{
    free(plain.bits);
}

static spv_counting_filter counting;

static void counting_init(void)
{
    spv_filter_shape shape;

    must(spv_filter_shape_for(&shape, N, promise));
    must(spv_counting_filter_init(&counting, shape.bits / 8, shape.hash_funcs,
                                  5, 0));
}

static void counting_insert(const uint8_t element[ELEMENT])
{
    spv_counting_filter_insert(&counting, element, ELEMENT);
}

static bool counting_contains(const uint8_t element[ELEMENT])
{
    return spv_counting_filter_contains(&counting, element, ELEMENT);
}

static void counting_remove(const uint8_t element[ELEMENT])
{
    must(spv_counting_filter_remove(&counting, element, ELEMENT));
}

static double counting_bound(void)
{
    return spv_counting_filter_rate(&counting);
}

static size_t counting_bytes(void)
{
    return counting.len * 4;
}

static void counting_clear(void)
{
    spv_counting_filter_clear(&counting);
}

static spv_scalable_filter scalable;

static void scalable_init(void)
{
    must(spv_scalable_filter_init(&scalable, N / 1000, promise, 5));
}

static void scalable_insert(const uint8_t element[ELEMENT])
{
    must(spv_scalable_filter_insert(&scalable, element, ELEMENT));
}

static bool scalable_contains(const uint8_t element[ELEMENT])
{
    return spv_scalable_filter_contains(&scalable, element, ELEMENT);
}

static double scalable_bound(void)
{
    return spv_scalable_filter_rate(&scalable);
}

static size_t scalable_bytes(void)
{
    return scalable.len;
}

static void scalable_clear(void)
{
    spv_scalable_filter_clear(&scalable);
}

static spv_rolling_filter rolling;

static void rolling_init(void)
{
    must(spv_rolling_filter_init(&rolling, N, promise, 5));
    for (uint64_t i = 0; i < N; i++) { /* older ones, to be forgotten */
        uint64_t old[3] = {~i, 0, 0};

        spv_rolling_filter_insert(&rolling, (const uint8_t *)old, ELEMENT);
    }
}

static void rolling_insert(const uint8_t element[ELEMENT])
{
    spv_rolling_filter_insert(&rolling, element, ELEMENT);
}

static bool rolling_contains(const uint8_t element[ELEMENT])
{
    return spv_rolling_filter_contains(&rolling, element, ELEMENT);
}

static double rolling_bound(void)
{
    return spv_rolling_filter_rate(&rolling);
}

static size_t rolling_bytes(void)
{
    return rolling.n_cells;
}

static void rolling_clear(void)
{
    spv_rolling_filter_clear(&rolling);
}

static spv_cuckoo_filter cuckoo;

static void cuckoo_init(void)
{
    must(spv_cuckoo_filter_init(&cuckoo, N, promise, 5));
}

static void cuckoo_insert(const uint8_t element[ELEMENT])
{
    must(spv_cuckoo_filter_insert(&cuckoo, element, ELEMENT));
}

static bool cuckoo_contains(const uint8_t element[ELEMENT])
{
    return spv_cuckoo_filter_contains(&cuckoo, element, ELEMENT);
}

static void cuckoo_remove(const uint8_t element[ELEMENT])
{
    must(spv_cuckoo_filter_remove(&cuckoo, element, ELEMENT));
}

static double cuckoo_bound(void)
{
    return spv_cuckoo_filter_rate(&cuckoo);
}

static size_t cuckoo_bytes(void)
{
    return spv_cuckoo_filter_bytes(&cuckoo);
}

static void cuckoo_clear(void)
{
    spv_cuckoo_filter_clear(&cuckoo);
}

static const kind kinds[] = {
    {"plain", plain_init, plain_insert, plain_contains, NULL, plain_bound,
     plain_bytes, plain_clear},
    {"counting", counting_init, counting_insert, counting_contains,
     counting_remove, counting_bound, counting_bytes, counting_clear},
    {"scalable", scalable_init, scalable_insert, scalable_contains, NULL,
     scalable_bound, scalable_bytes, scalable_clear},
    {"rolling", rolling_init, rolling_insert, rolling_contains, NULL,
     rolling_bound, rolling_bytes, rolling_clear},
    {"cuckoo", cuckoo_init, cuckoo_insert, cuckoo_contains, cuckoo_remove,
     cuckoo_bound, cuckoo_bytes, cuckoo_clear},
};

/* ---- Measuring ---- */

/** Nanoseconds a call over elements `from` to `from + n - 1`. */
static double time_each(void (*call)(const uint8_t[ELEMENT]), uint64_t from,
                        uint64_t n)
{
    uint8_t element[ELEMENT];
    double begin = now();

    for (uint64_t i = from; i < from + n; i++) {
        element_of(element, i);
        call(element);
    }
    return (now() - begin) / (double)n * 1e9;
}

static double time_asking(bool (*contains)(const uint8_t[ELEMENT]),
                          uint64_t from, uint64_t n, uint64_t *found)
{
    uint8_t element[ELEMENT];
    double begin = now();

    *found = 0;
    for (uint64_t i = from; i < from + n; i++) {
        element_of(element, i);
        *found += contains(element);
    }
    return (now() - begin) / (double)n * 1e9;
}

static void measure(const kind *k)
{
    uint64_t found = 0;
    uint64_t hits = 0;
    double insert = 0;
    double hit = 0;
    double miss = 0;

    k->init();
    insert = time_each(k->insert, 0, N);
    hit = time_asking(k->contains, 0, N, &found);
    miss = time_asking(k->contains, N, STRANGERS, &hits);
    printf("{\"benchmark\":\"relatives\",\"kind\":\"%s\",\"elements\":%d,"
           "\"bits_per_element\":%.1f,\"insert_ns\":%.1f,\"hit_ns\":%.1f,"
           "\"miss_ns\":%.1f,\"promised\":%g,\"bound\":%.4g,\"measured\":%.4g,"
           "\"missed\":%d",
           k->name, N, 8 * (double)k->bytes() / N, insert, hit, miss, promise,
           k->bound(), (double)hits / STRANGERS, (int)(N - found));
    if (k->remove)
        printf(",\"remove_ns\":%.1f", time_each(k->remove, 0, N));
    printf("}\n");
    k->clear();
}

/* ---- Double hashing's floor ---- */

/* A generation of 50,000 / 7 at 1e-6 / 8. */
enum { FLOOR_N = 7143, FLOOR_BITS = 238464, FLOOR_FUNCS = 23 };

static uint8_t floor_bits[FLOOR_BITS / 8];

static void places_drawn(uint64_t at[FLOOR_FUNCS], const uint8_t *element)
{
    spv_draw d = spv__draw(1, element, ELEMENT);

    for (int i = 0; i < FLOOR_FUNCS; i++)
        at[i] = spv__draw_next(&d, FLOOR_BITS);
}

static void places_doubled(uint64_t at[FLOOR_FUNCS], const uint8_t *element)
{
    spv__hash128 h = spv__murmur3_128(1, element, ELEMENT);
    uint64_t place = h.a % FLOOR_BITS;
    uint64_t step = h.b % FLOOR_BITS;

    for (int i = 0; i < FLOOR_FUNCS; i++) {
        at[i] = place;
        place = (place + step) % FLOOR_BITS;
    }
}

static bool floor_contains(const uint64_t at[FLOOR_FUNCS])
{
    for (int i = 0; i < FLOOR_FUNCS; i++)
        if (!spv__bit_get(floor_bits, at[i]))
            return false;
    return true;
}

static void measure_floor(const char *name,
                          void (*places)(uint64_t[FLOOR_FUNCS],
                                         const uint8_t *))
{
    const spv_filter_shape shape = {FLOOR_BITS, FLOOR_FUNCS};
    const uint64_t asked = 3 * (uint64_t)STRANGERS;
    uint64_t at[FLOOR_FUNCS];
    uint8_t element[ELEMENT];
    uint64_t hits = 0;

    memset(floor_bits, 0, sizeof(floor_bits));
    for (uint64_t i = 0; i < FLOOR_N + asked; i++) {
        element_of(element, i);
        places(at, element);
        if (i >= FLOOR_N)
            hits += floor_contains(at);
        for (int k = 0; i < FLOOR_N && k < FLOOR_FUNCS; k++)
            spv__bit_set(floor_bits, at[k]);
    }
    printf("{\"benchmark\":\"relatives\",\"places\":\"%s\",\"expected\":%.3g,"
           "\"measured\":%.3g}\n",
           name, spv_filter_shape_rate(shape, FLOOR_N),
           (double)hits / (double)asked);
}

int main(void)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        measure(&kinds[i]);
    measure_floor("drawn", places_drawn);
    measure_floor("double hashing", places_doubled);
    return 0;
}
