#include <spv/filter.h>

#include <assert.h>

#include "bloom/sieve.h"
#include "wire/script_walk.h"

/*
 * A block's transactions matched together.
 *
 * Nearly all of them have nothing to do with the filter, and finding that out
 * is nearly all of the work. A filter changes only where a transaction matches,
 * so a window of transactions is asked about as a whole, through a sieve, with
 * the filter as it stands. Who has no element in it does not match. The others,
 * hardly any, are matched by themselves, in order, as a node does it. One that
 * adds to the filter ends the window, since what was asked about those behind
 * it no longer holds.
 *
 * To ask means to walk through the block's bytes as they lie, from element to
 * element. Nothing is copied, and the arrays of decoded transactions, which are
 * as large as the block, are not even looked at.
 */

/** Transactions in a window. The longer it is, the fewer pots are shaken half
 * empty at its end; the shorter, the less is asked in vain at an addition. */
enum { WINDOW = 256 };

/* Scripts ----------------------------------------------------------------- */

/** An output script that its length suggests: what it then begins and ends
 * with, read as words of four bytes, and where its only element is. */
typedef struct form {
    uint32_t begin, begin_mask;
    uint32_t end, end_mask;
    uint8_t at, len;
} form;

/** P2WPKH, P2SH, P2PKH and P2TR: nine outputs in ten. Looked up in a table,
 * they cost no branch that is guessed wrong at every other output. */
static const form forms[] = {
    [22] = {0x00001400, 0x0000ffff, 0, 0, 2, 20},
    [23] = {0x000014a9, 0x0000ffff, 0x87000000, 0xff000000, 2, 20},
    [25] = {0x0014a976, 0x00ffffff, 0xac880000, 0xffff0000, 3, 20},
    [34] = {0x00002051, 0x0000ffff, 0, 0, 2, 32},
};

static const form *form_of(const uint8_t *script, size_t len)
{
    const form *f = NULL;

    if (len >= sizeof(forms) / sizeof(forms[0]) || forms[len].len == 0)
        return NULL;
    f = &forms[len];
    if ((spv__murmur3_word(script) ^ f->begin) & f->begin_mask)
        return NULL;
    if ((spv__murmur3_word(script + len - 4) ^ f->end) & f->end_mask)
        return NULL;
    return f;
}

static void ask_pushes(spv__sieve *s, const uint8_t *script, size_t len,
                       uint32_t owner)
{
    spv_script_op op;
    size_t at = 0;

    while (spv__script_next(&op, script, len, &at))
        if (op.len > 0)
            spv__sieve_ask(s, op.data, op.len, owner);
}

static void ask_output(spv__sieve *s, const uint8_t *script, size_t len,
                       uint32_t owner)
{
    const form *f = form_of(script, len);

    if (f)
        spv__sieve_ask(s, script + f->at, f->len, owner);
    else
        ask_pushes(s, script, len, owner);
}

/* Transactions ------------------------------------------------------------ */

/* These bytes have been decoded: nothing in them runs past their end. */

static const uint8_t *take(const uint8_t **at, size_t len)
{
    const uint8_t *taken = *at;

    *at += len;
    return taken;
}

static size_t take_compact(const uint8_t **at)
{
    size_t value = *take(at, 1);
    size_t width = value < 0xfd ? 0 : (size_t)1 << (value - 0xfc);
    const uint8_t *bytes = take(at, width);

    if (width == 0)
        return value;
    value = 0;
    for (size_t i = 0; i < width; i++)
        value |= (size_t)bytes[i] << 8 * i;
    return value;
}

static void ask_inputs(spv__sieve *s, const uint8_t **at, uint32_t owner)
{
    for (size_t n = take_compact(at); n > 0; n--) {
        size_t len = 0;

        spv__sieve_ask(s, take(at, SPV_OUTPOINT_LEN), SPV_OUTPOINT_LEN, owner);
        len = take_compact(at);
        ask_pushes(s, take(at, len), len, owner);
        take(at, 4); /* sequence */
    }
}

static void ask_outputs(spv__sieve *s, const uint8_t **at, uint32_t owner)
{
    for (size_t n = take_compact(at); n > 0; n--) {
        size_t len = 0;

        take(at, 8); /* value */
        len = take_compact(at);
        ask_output(s, take(at, len), len, owner);
    }
}

static void ask_tx(spv__sieve *s, const spv_tx *tx, uint32_t owner)
{
    const uint8_t *at = tx->bytes + (tx->has_witness ? 6 : 4);

    spv__sieve_ask(s, tx->txid.bytes, sizeof(tx->txid.bytes), owner);
    ask_inputs(s, &at, owner);
    ask_outputs(s, &at, owner);
}

/* Windows ----------------------------------------------------------------- */

/** Match those of a window that may, up to one that adds to the filter: how
 * many are answered. */
static size_t match_found(spv_filter *f, const spv_tx *txs, size_t n,
                          const bool *found, spv_match *matches)
{
    for (size_t i = 0; i < n; i++) {
        matches[i] = (spv_match){0};
        if (found[i] && spv_filter_match(f, &txs[i], &matches[i]) &&
            matches[i].added > 0)
            return i + 1;
    }
    return n;
}

static size_t match_window(spv_filter *f, const spv_tx *txs, size_t n,
                           spv_match *matches)
{
    spv__sieve s;
    bool found[WINDOW] = {false};

    assert(n <= WINDOW);
    spv__sieve_begin(&s, f, found);
    for (size_t i = 0; i < n; i++)
        ask_tx(&s, &txs[i], (uint32_t)i);
    spv__sieve_end(&s);
    return match_found(f, txs, n, found, matches);
}

/** One transaction is not worth a sieve. */
static size_t match_some(spv_filter *f, const spv_tx *txs, size_t n,
                         spv_match *matches)
{
    if (n > 1)
        return match_window(f, txs, n, matches);
    spv_filter_match(f, txs, matches);
    return 1;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/** A window that something was added in is followed by one as long as what it
 * answered, others by one of twice their length: where additions are many, not
 * much is asked in vain, and where all transactions add, nothing is. */
void spv_filter_match_block(spv_filter *f, const spv_tx *txs, size_t n,
                            spv_match *matches)
{
    bool sieves = f->len > 0 && f->hash_funcs > 0;
    size_t window = sieves ? WINDOW : 1;
    size_t done = 0;

    for (size_t at = 0; at < n; at += done) {
        done = match_some(f, txs + at, smaller(n - at, window), matches + at);
        if (matches[at + done - 1].added > 0)
            window = done;
        else if (sieves)
            window = smaller(2 * window, WINDOW);
    }
}
