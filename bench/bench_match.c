/*
 * What does matching a block cost, beside hashing its transactions?
 *
 * Whoever fetches a block whole hashes its transactions in any case, each once
 * and, if it has a witness, twice. Matching should hardly be noticed beside
 * that. Two blocks of 2,500 transactions are asked about:
 *
 * "full" weighs what a block may: kinds of inputs and outputs, and how many of
 * them make a transaction, in about the shares of 2024, but without the
 * kilobytes of data that some carry: those are hashed and hardly matched, and
 * would only flatter the matcher.
 *
 * "payments" has small transactions only, of one to three inputs and two
 * outputs, three in ten from before witnesses.
 *
 * The filter is the largest, half of its bits are set, which is what filters
 * are designed for. It is updated as nodes do it, and one transaction in the
 * middle of the block pays what it holds. One JSON line a block: the mark is
 * `share`, at most 0.10 of the hashing; `singly` is one transaction after
 * another. Fastest of many rounds, the ways taken in turn so that a busy
 * machine disturbs them alike.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spv/filter.h>
#include <spv/script.h>

#include "base/digest.h"
#include "bench.h"

enum { TXS = 2500, BYTES_MOST = 4000000, FUNCS = 14, HELD = 14259 };
enum { ROUNDS = 300 };

/** What answers are added to, so that no compiler finds them unwanted. */
static volatile size_t sink;

/* Bytes ------------------------------------------------------------------- */

static uint8_t bytes[BYTES_MOST];
static uint8_t *end = bytes;

static void put(const void *from, size_t n)
{
    memcpy(end, from, n);
    end += n;
}

static void put_byte(size_t byte)
{
    *end++ = (uint8_t)byte;
}

static void put_random(size_t n)
{
    random_bytes(end, n);
    end += n;
}

/** Up to 75 bytes, pushed by a script or counted by a witness. */
static void put_push(size_t n)
{
    put_byte(n);
    put_random(n);
}

static size_t signature_len(void)
{
    return 71 + random64() % 2;
}

/* Scripts and witnesses --------------------------------------------------- */

static void put_empty(void)
{
    put_byte(0);
}

static void put_key_script(void)
{
    size_t len = signature_len();

    put_byte(1 + len + 1 + 33);
    put_push(len);
    put_push(33);
}

static void put_nested_script(void)
{
    put("\x17\x16\0\x14", 4);
    put_random(20);
}

/** Two of three keys: 252 bytes, of which OP_0 is the first. */
static void put_multisig_script(void)
{
    put("\xfc\0", 2);
    put_push(71);
    put_push(71);
    put("\x4c\x69", 2);
    put_random(105);
}

static void put_key_witness(void)
{
    put_byte(2);
    put_push(signature_len());
    put_push(33);
}

static void put_root_witness(void)
{
    put_byte(1);
    put_push(64);
}

static void put_multisig_witness(void)
{
    put("\4\0", 2);
    put_push(71);
    put_push(71);
    put_push(105);
}

static void put_p2wpkh(void)
{
    put("\x16\0\x14", 3);
    put_random(20);
}

static void put_p2tr(void)
{
    put("\x22\x51\x20", 3);
    put_random(32);
}

static void put_p2pkh(void)
{
    put("\x19\x76\xa9\x14", 4);
    put_random(20);
    put("\x88\xac", 2);
}

static void put_p2sh(void)
{
    put("\x17\xa9\x14", 3);
    put_random(20);
    put("\x87", 1);
}

static void put_data(void)
{
    size_t len = 8 + random64() % 25;

    put_byte(2 + len);
    put_byte(0x6a);
    put_push(len);
}

/* Transactions ------------------------------------------------------------ */

typedef void put_fn(void);

/** How many of a hundred inputs are of a kind; what they put where. */
typedef struct input_kind {
    unsigned share;
    put_fn *script, *witness; /**< NULL: from before witnesses */
} input_kind;

typedef struct output_kind {
    unsigned share;
    put_fn *script;
} output_kind;

/** How many of a hundred transactions have so many inputs and outputs. */
typedef struct shape {
    unsigned share;
    size_t n_in, n_out;
} shape;

/** What a block is made of; the shares of each table are a hundred. */
typedef struct mix {
    const char *name;
    const input_kind *inputs;
    const output_kind *outputs;
    const shape *shapes;
} mix;

static const mix payments = {
    "payments",
    (const input_kind[]){{30, put_key_script, NULL},
                         {70, put_empty, put_key_witness}},
    (const output_kind[]){{30, put_p2pkh}, {70, put_p2wpkh}},
    (const shape[]){{34, 1, 2}, {33, 2, 2}, {33, 3, 2}},
};

static const mix full = {
    "full",
    (const input_kind[]){{12, put_key_script, NULL},
                         {3, put_multisig_script, NULL},
                         {47, put_empty, put_key_witness},
                         {24, put_empty, put_root_witness},
                         {8, put_nested_script, put_key_witness},
                         {6, put_empty, put_multisig_witness}},
    (const output_kind[]){{10, put_p2pkh},
                          {43, put_p2wpkh},
                          {28, put_p2tr},
                          {9, put_p2sh},
                          {10, put_data}},
    (const shape[]){{49, 1, 2},
                    {14, 1, 1},
                    {10, 2, 2},
                    {6, 2, 1},
                    {5, 3, 2},
                    {4, 5, 2},
                    {4, 1, 12},
                    {4, 1, 40},
                    {2, 20, 1},
                    {2, 60, 2}},
};

static size_t hundred(void)
{
    return random64() % 100;
}

/** The first row of a table whose shares, added up, are above a number. */
#define PICK(row, table, number)                             \
    do {                                                     \
        size_t left = (number);                              \
        for ((row) = (table); left >= (row)->share; (row)++) \
            left -= (row)->share;                            \
    } while (0)

static void put_output(const mix *m)
{
    const output_kind *kind = NULL;

    PICK(kind, m->outputs, hundred());
    put_random(8);
    kind->script();
}

/** Transaction `i` spends outputs of one kind, as most wallets do. Shapes take
 * turns: chance would make blocks of very different weights. */
static void put_tx(const mix *m, size_t i)
{
    const input_kind *kind = NULL;
    const shape *s = NULL;

    PICK(kind, m->inputs, hundred());
    PICK(s, m->shapes, 37 * i % 100);
    put("\2\0\0\0", 4);
    if (kind->witness)
        put("\0\1", 2);
    put_byte(s->n_in);
    for (size_t in = 0; in < s->n_in; in++) {
        put_random(36);
        kind->script();
        put("\xff\xff\xff\xff", 4);
    }
    put_byte(s->n_out);
    for (size_t out = 0; out < s->n_out; out++)
        put_output(m);
    for (size_t in = 0; kind->witness && in < s->n_in; in++)
        kind->witness();
    put("\0\0\0\0", 4);
}

/* A block ----------------------------------------------------------------- */

static spv_tx txs[TXS];
static spv_match matches[TXS];

/** The transactions one behind the other, as they lie in a block. */
static int make_block(const mix *m)
{
    const uint8_t *at = bytes;
    size_t used = 0;

    end = bytes;
    for (size_t i = 0; i < TXS; i++)
        put_tx(m, i);
    for (size_t i = 0; i < TXS; i++, at += used)
        if (spv_tx_decode(&txs[i], at, (size_t)(end - at), &used))
            return 1;
    return 0;
}

static void clear_block(void)
{
    for (size_t i = 0; i < TXS; i++)
        spv_tx_clear(&txs[i]);
}

static size_t count_pushes(const uint8_t *script, size_t len)
{
    spv_script_op op;
    size_t at = 0;
    size_t n = 0;

    while (spv_script_next(&op, script, len, &at))
        n += op.len > 0;
    return n;
}

static size_t count_elements(void)
{
    size_t n = TXS;

    for (size_t i = 0; i < TXS; i++) {
        for (size_t j = 0; j < txs[i].n_in; j++)
            n += 1 + count_pushes(txs[i].in[j].script, txs[i].in[j].script_len);
        for (size_t j = 0; j < txs[i].n_out; j++)
            n += count_pushes(txs[i].out[j].script, txs[i].out[j].script_len);
    }
    return n;
}

static size_t count_weight(void)
{
    size_t weight = 0;

    for (size_t i = 0; i < TXS; i++)
        weight += spv_tx_weight(&txs[i]);
    return weight;
}

/* What is measured -------------------------------------------------------- */

/** Both hashes, as decoding a transaction computes them. */
static void hash_block(spv_filter *unused)
{
    spv_hash hash;

    (void)unused;
    for (size_t i = 0; i < TXS; i++) {
        const spv_tx *tx = &txs[i];

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

static void match_block(spv_filter *f)
{
    spv_filter_match_block(f, txs, TXS, matches);
}

static void match_singly(spv_filter *f)
{
    for (size_t i = 0; i < TXS; i++)
        spv_filter_match(f, &txs[i], &matches[i]);
}

/** Work on a filter as it was made: matching adds to it. */
static int measure(double *best, void (*work)(spv_filter *),
                   const spv_filter *made)
{
    spv_filter f;
    double start = 0;
    double took = 0;

    if (spv_filter_copy(&f, made))
        return 1;
    start = now_ns();
    work(&f);
    took = now_ns() - start;
    if (took < *best)
        *best = took;
    spv_filter_clear(&f);
    return 0;
}

static size_t count_matched(void)
{
    size_t n = 0;

    for (size_t i = 0; i < TXS; i++)
        n += matches[i].matched;
    return n;
}

/** Half of the bits set; one of the elements is paid in the block's middle, so
 * that the filter changes there. */
static int make_filter(spv_filter *f)
{
    const spv_txout *paid = &txs[TXS / 2].out[0];
    size_t len = 0;
    const uint8_t *element =
        spv_script_element(paid->script, paid->script_len, &len);

    if (!element)
        return 1;
    if (spv_filter_init(f, SPV_FILTER_BYTES_MAX, FUNCS, 5,
                        SPV_FILTER_UPDATE_ALL))
        return 1;
    spv_filter_insert(f, element, len);
    for (size_t i = 1; i < HELD; i++) {
        uint8_t other[20];

        random_bytes(other, sizeof(other));
        spv_filter_insert(f, other, sizeof(other));
    }
    return 0;
}

static int bench_mix(const mix *m)
{
    spv_filter f;
    double hash = 1e18;
    double block = 1e18;
    double singly = 1e18;

    if (make_block(m) || make_filter(&f))
        return 1;
    for (int round = 0; round < ROUNDS; round++)
        if (measure(&hash, hash_block, &f) ||
            measure(&block, match_block, &f) ||
            measure(&singly, match_singly, &f))
            return 1;
    printf("{\"bench\":\"match\",\"block\":\"%s\",\"transactions\":%d,"
           "\"bytes\":%td,\"weight\":%zu,\"elements\":%zu,\"matched\":%zu,"
           "\"hash_us\":%.0f,\"match_us\":%.0f,\"share\":%.3f,"
           "\"singly_us\":%.0f,\"singly_share\":%.3f}\n",
           m->name, TXS, end - bytes, count_weight(), count_elements(),
           count_matched(), hash / 1e3, block / 1e3, block / hash, singly / 1e3,
           singly / hash);
    spv_filter_clear(&f);
    clear_block();
    return 0;
}

int main(void)
{
    return bench_mix(&full) || bench_mix(&payments) ? EXIT_FAILURE
                                                    : EXIT_SUCCESS;
}
