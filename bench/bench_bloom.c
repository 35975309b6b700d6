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

/* 3. A block -------------------------------------------------------------- */

/*
 * 2,500 transactions of one to three inputs and two outputs. Seven in ten
 * spend and pay witness keys, the others key hashes: signature and key are in
 * the input's script then.
 */
enum { TXS = 2500, TX_MOST = 700 };

typedef struct block {
    uint8_t bytes[TXS][TX_MOST];
    spv_tx tx[TXS];
    size_t elements;
} block;

static uint8_t *put(uint8_t *to, const char *bytes, size_t n)
{
    memcpy(to, bytes, n);
    return to + n;
}

static uint8_t *put_random(uint8_t *to, size_t n)
{
    random_bytes(to, n);
    return to + n;
}

static uint8_t *put_input(uint8_t *to, bool witness)
{
    to = put_random(to, 36);
    if (witness) {
        to = put(to, "\0", 1);
    } else {
        to = put_random(put(to, "\x6a\x47", 2), 71);
        to = put_random(put(to, "\x21", 1), 33);
    }
    return put(to, "\xff\xff\xff\xff", 4);
}

static uint8_t *put_output(uint8_t *to, bool witness)
{
    to = put_random(to, 8);
    if (witness)
        return put_random(put(to, "\x16\0\x14", 3), 20);
    to = put_random(put(to, "\x19\x76\xa9\x14", 4), 20);
    return put(to, "\x88\xac", 2);
}

/** A transaction's bytes, which end at what is returned. */
static uint8_t *put_tx(uint8_t *to, size_t inputs, bool witness)
{
    to = put(to, "\2\0\0\0", 4);
    if (witness)
        to = put(to, "\0\1", 2);
    *to++ = (uint8_t)inputs;
    for (size_t i = 0; i < inputs; i++)
        to = put_input(to, witness);
    *to++ = 2;
    to = put_output(put_output(to, witness), witness);
    for (size_t i = 0; witness && i < inputs; i++) {
        to = put_random(put(to, "\2\x47", 2), 71);
        to = put_random(put(to, "\x21", 1), 33);
    }
    return put(to, "\0\0\0\0", 4);
}

static int make_block(block *b)
{
    for (size_t i = 0; i < TXS; i++) {
        size_t inputs = 1 + random64() % 3;
        bool witness = random64() % 10 < 7;
        uint8_t *end = put_tx(b->bytes[i], inputs, witness);

        if (spv_tx_decode(&b->tx[i], b->bytes[i], (size_t)(end - b->bytes[i]),
                          NULL))
            return 1;
        b->elements += 3 + inputs * (witness ? 1 : 3);
    }
    return 0;
}

/** Both hashes, as decoding a transaction computes them. */
static void hash_block(const block *b)
{
    spv_hash hash;

    for (size_t i = 0; i < TXS; i++) {
        const spv_tx *tx = &b->tx[i];

        spv__sha256d(&hash, tx->bytes, tx->len);
        if (tx->has_witness) {
            const spv_slice parts[] = {
                {tx->bytes, 4},
                {tx->bytes + 6, tx->stripped_len - 8},
                {tx->bytes + tx->len - 4, 4},
            };

            spv__sha256d_slices(&hash, parts, 3);
        }
        sink += hash.bytes[0];
    }
}

static void match_block(spv_filter *f, const block *b)
{
    for (size_t i = 0; i < TXS; i++) {
        spv_match match;

        sink += spv_filter_match(f, &b->tx[i], &match);
    }
}

static int bench_block(void)
{
    static block b;
    double hash_ns = 1e18;
    double match_ns = 1e18;
    spv_filter f;

    if (make_block(&b) ||
        spv_filter_init(&f, SPV_FILTER_BYTES_MAX, FUNCS, 5, 0))
        return 1;
    for (size_t i = 0; i < HELD; i++)
        spv_filter_insert(&f, held[i], LEN);
    for (int round = 0; round < ROUNDS; round++) {
        double start = now_ns();

        hash_block(&b);
        keep_least(&hash_ns, now_ns() - start);
        start = now_ns();
        match_block(&f, &b);
        keep_least(&match_ns, now_ns() - start);
    }
    printf("{\"bench\":\"block\",\"transactions\":%d,\"elements\":%zu,"
           "\"hash_us\":%.0f,\"match_us\":%.0f,\"share\":%.3f}\n",
           TXS, b.elements, hash_ns / 1e3, match_ns / 1e3, match_ns / hash_ns);
    for (size_t i = 0; i < TXS; i++)
        spv_tx_clear(&b.tx[i]);
    spv_filter_clear(&f);
    return 0;
}

int main(void)
{
    return bench_wire() || bench_locals() || bench_block() ? EXIT_FAILURE
                                                           : EXIT_SUCCESS;
}
