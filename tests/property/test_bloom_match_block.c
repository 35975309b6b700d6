/*
 * Blocks matched together, against the same blocks matched one transaction
 * after another: the same answers, the same filter afterwards.
 *
 * Blocks are made of scripts that almost are what they look like, and of
 * outpoints spent in the block that has made them; filters of everything that
 * a wire can carry, from one byte that matches all to a size that matches
 * nothing by chance, with all flags.
 */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include <spv/filter.h>
#include <spv/script.h>

#include "base/buf.h"
#include "base/rng.h"
#include "wire/opcode.h"

enum { TXS_MOST = 700, KEYS = 40, SCRIPT_MOST = 700 };

/* Scripts ----------------------------------------------------------------- */

typedef struct script {
    size_t len;
    uint8_t bytes[SCRIPT_MOST];
} script;

/** Keys come again and again, so that filters and blocks know the same ones. */
static void key_bytes(uint8_t *out, size_t len, uint64_t key)
{
    spv_rng r = {key * 1000003 + len};

    spv__rng_bytes(&r, out, len);
}

static void add_byte(script *s, uint64_t byte)
{
    s->bytes[s->len++] = (uint8_t)byte;
}

static void add_push(script *s, size_t len, uint64_t key)
{
    if (len > 75) {
        add_byte(s, SPV__OP_PUSHDATA1 + (len > 255));
        add_byte(s, len & 255);
        if (len > 255)
            add_byte(s, len >> 8);
    } else {
        add_byte(s, len);
    }
    key_bytes(s->bytes + s->len, len, key);
    s->len += len;
}

static script p2pkh(uint64_t key)
{
    script s = {0};

    add_byte(&s, SPV__OP_DUP);
    add_byte(&s, SPV__OP_HASH160);
    add_push(&s, 20, key);
    add_byte(&s, SPV__OP_EQUALVERIFY);
    add_byte(&s, SPV__OP_CHECKSIG);
    return s;
}

static script p2sh(uint64_t key)
{
    script s = {0};

    add_byte(&s, SPV__OP_HASH160);
    add_push(&s, 20, key);
    add_byte(&s, SPV__OP_EQUAL);
    return s;
}

static script witness_program(uint64_t version, size_t len, uint64_t key)
{
    script s = {0};

    add_byte(&s, version);
    add_push(&s, len, key);
    return s;
}

static script p2pk(uint64_t key)
{
    script s = {0};

    add_push(&s, 33, key);
    s.bytes[1] = 2;
    add_byte(&s, SPV__OP_CHECKSIG);
    return s;
}

static script multisig(uint64_t key)
{
    script s = {0};

    add_byte(&s, SPV__OP_1);
    add_push(&s, 33, key);
    s.bytes[2] = 3;
    add_byte(&s, SPV__OP_1);
    add_byte(&s, SPV__OP_CHECKMULTISIG);
    return s;
}

/** Pushes of any length, and whatever else. */
static script pushes(spv_rng *r)
{
    script s = {0};

    for (size_t n = spv__rng_below(r, 4); n > 0; n--) {
        add_push(&s, spv__rng_below(r, spv__rng_chance(r, 1, 8) ? 200 : 76),
                 spv__rng_below(r, KEYS));
        if (spv__rng_chance(r, 1, 2))
            add_byte(&s, spv__rng_next(r));
    }
    return s;
}

/** One byte is another, or the end is missing. */
static void spoil(script *s, spv_rng *r)
{
    if (s->len == 0)
        return;
    if (spv__rng_chance(r, 1, 2))
        s->bytes[spv__rng_below(r, s->len)] = (uint8_t)spv__rng_next(r);
    else
        s->len = spv__rng_below(r, s->len);
}

static script draw_script(spv_rng *r)
{
    uint64_t key = spv__rng_below(r, KEYS);
    script s = {0};

    switch (spv__rng_below(r, 8)) {
    case 0:
        s = p2pkh(key);
        break;
    case 1:
        s = p2sh(key);
        break;
    case 2:
        s = witness_program(SPV__OP_0, 20, key);
        break;
    case 3:
        s = witness_program(SPV__OP_0, 32, key);
        break;
    case 4:
        s = witness_program(SPV__OP_1, 32, key);
        break;
    case 5:
        s = p2pk(key);
        break;
    case 6:
        s = multisig(key);
        break;
    default:
        s = pushes(r);
    }
    if (spv__rng_chance(r, 1, 10))
        spoil(&s, r);
    return s;
}

/* Blocks ------------------------------------------------------------------ */

static spv_tx txs[TXS_MOST];
static size_t n_txs;

/** Of an earlier transaction of the block, or of nobody. */
static spv_outpoint draw_outpoint(spv_rng *r)
{
    spv_outpoint o = {.vout = (uint32_t)spv__rng_below(r, 3)};

    if (n_txs > 0 && spv__rng_chance(r, 2, 3))
        o.txid = txs[spv__rng_below(r, n_txs)].txid;
    else
        spv__rng_bytes(r, o.txid.bytes, sizeof(o.txid.bytes));
    return o;
}

static void put_input(spv_buf *b, spv_rng *r)
{
    uint8_t outpoint[SPV_OUTPOINT_LEN];
    spv_outpoint o = draw_outpoint(r);
    script s = spv__rng_chance(r, 1, 2) ? pushes(r) : (script){0};

    spv_outpoint_encode(outpoint, &o);
    spv__put_bytes(b, outpoint, sizeof(outpoint));
    spv__put_var_bytes(b, s.bytes, s.len);
    spv__put_u32(b, (uint32_t)spv__rng_next(r));
}

static void put_output(spv_buf *b, spv_rng *r)
{
    script s = draw_script(r);

    spv__put_u64(b, spv__rng_next(r));
    spv__put_var_bytes(b, s.bytes, s.len);
}

/** Sometimes more inputs or outputs than one byte counts. */
static size_t draw_count(spv_rng *r)
{
    return spv__rng_chance(r, 1, 400) ? 250 + spv__rng_below(r, 10)
                                      : spv__rng_below(r, 4);
}

static void put_tx(spv_buf *b, spv_rng *r)
{
    size_t n_in = 1 + draw_count(r);
    size_t n_out = draw_count(r);
    bool witness = spv__rng_chance(r, 1, 2);

    spv__put_u32(b, 2);
    if (witness)
        spv__put_bytes(b, "\0\1", 2);
    spv__put_compact(b, n_in);
    for (size_t i = 0; i < n_in; i++)
        put_input(b, r);
    spv__put_compact(b, n_out);
    for (size_t i = 0; i < n_out; i++)
        put_output(b, r);
    for (size_t i = 0; witness && i < n_in; i++)
        spv__put_bytes(b, "\1\2xy", 4);
    spv__put_u32(b, 0);
}

/** Each in memory of its own length, which a sanitizer guards. */
static void draw_block(spv_rng *r, size_t n)
{
    for (n_txs = 0; n_txs < n; n_txs++) {
        spv_buf b = {0};
        uint8_t *own = NULL;

        put_tx(&b, r);
        assert_int_equal(b.err, SPV_OK);
        own = malloc(b.len);
        assert_non_null(own);
        memcpy(own, b.bytes, b.len);
        assert_int_equal(spv_tx_decode(&txs[n_txs], own, b.len, NULL), SPV_OK);
        spv__buf_clear(&b);
    }
}

static void clear_block(void)
{
    for (size_t i = 0; i < n_txs; i++) {
        free((void *)(uintptr_t)txs[i].bytes);
        spv_tx_clear(&txs[i]);
    }
}

/* Filters ----------------------------------------------------------------- */

static void insert_key(spv_filter *f, spv_rng *r)
{
    static const size_t lens[] = {20, 32, 33, 20, 71};
    size_t len = lens[spv__rng_below(r, 5)];
    uint8_t bytes[71];

    key_bytes(bytes, len, spv__rng_below(r, KEYS));
    spv_filter_insert(f, bytes, len);
}

static void insert_from_block(spv_filter *f, spv_rng *r)
{
    const spv_tx *tx = &txs[spv__rng_below(r, n_txs)];

    if (spv__rng_chance(r, 1, 2))
        spv_filter_insert(f, tx->txid.bytes, sizeof(tx->txid.bytes));
    else
        spv_filter_insert_outpoint(f, &tx->in[0].prev);
}

/** Sizes of any order of magnitude; one in twelve without bytes or functions,
 * which both match everything, or with all bits set. */
static spv_filter draw_filter(spv_rng *r)
{
    size_t len = (size_t)1 << spv__rng_below(r, 16);
    uint32_t funcs =
        1 + (uint32_t)spv__rng_below(r, spv__rng_chance(r, 1, 4) ? 50 : 15);
    uint64_t odd = spv__rng_below(r, 36);
    spv_filter f;

    len = odd == 0 ? 0 : len + spv__rng_below(r, len);
    if (len > SPV_FILTER_BYTES_MAX)
        len = SPV_FILTER_BYTES_MAX;
    if (odd == 1)
        funcs = 0;
    assert_int_equal(spv_filter_init(&f, len, funcs, (uint32_t)spv__rng_next(r),
                                     (uint8_t)spv__rng_below(r, 4)),
                     SPV_OK);
    if (odd == 2)
        memset(f.bytes, 0xff, f.len);
    for (size_t n = spv__rng_below(r, 4); n > 0; n--)
        insert_key(&f, r);
    for (size_t n = spv__rng_below(r, 4); n > 0 && n_txs > 0; n--)
        insert_from_block(&f, r);
    return f;
}

/* The same ---------------------------------------------------------------- */

static spv_match together[TXS_MOST];

static size_t matched, added; /* in all runs: they must be about something */

static bool same_match(const spv_match *a, const spv_match *b)
{
    return a->matched == b->matched && a->by_txid == b->by_txid &&
           a->by_input == b->by_input && a->outputs == b->outputs &&
           a->added == b->added;
}

/** In one call, or in several. */
static void match_in_parts(spv_filter *f, spv_rng *r)
{
    size_t now = 0;

    memset(together, 0xa5, sizeof(together));
    for (size_t at = 0; at < n_txs; at += now) {
        now = spv__rng_chance(r, 1, 2) ? n_txs - at
                                       : spv__rng_below(r, n_txs - at + 1);
        spv_filter_match_block(f, txs + at, now, together + at);
    }
}

static void check_same(spv_filter *f, spv_rng *r, uint64_t seed)
{
    spv_filter singly;

    assert_int_equal(spv_filter_copy(&singly, f), SPV_OK);
    match_in_parts(f, r);
    for (size_t i = 0; i < n_txs; i++) {
        spv_match m;

        matched += spv_filter_match(&singly, &txs[i], &m);
        added += m.added;
        if (!same_match(&m, &together[i]))
            fail_msg("seed %u, transaction %zu", (unsigned)seed, i);
    }
    if (f->len > 0)
        assert_memory_equal(f->bytes, singly.bytes, f->len);
    spv_filter_clear(&singly);
}

static void check_block(uint64_t seed, size_t n_most, int filters)
{
    spv_rng r = {seed};

    draw_block(&r, spv__rng_below(&r, n_most + 1));
    for (int i = 0; i < filters; i++) {
        spv_filter f = draw_filter(&r);

        check_same(&f, &r, seed);
        spv_filter_clear(&f);
    }
    clear_block();
}

static void small_blocks_match_as_their_transactions_do(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; seed <= 400; seed++)
        check_block(seed, 12, 8);
    assert_true(matched > 3000 && added > 300);
}

static void blocks_of_many_windows_match_as_their_transactions_do(void **unused)
{
    (void)unused;
    for (uint64_t seed = 5001; seed <= 5025; seed++)
        check_block(seed, TXS_MOST, 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_blocks_match_as_their_transactions_do),
        cmocka_unit_test(blocks_of_many_windows_match_as_their_transactions_do),
    };

    return cmocka_run_group_tests_name("property.match_block", tests, NULL,
                                       NULL);
}
