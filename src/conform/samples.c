#include "conform/samples.h"

#include <stdlib.h>
#include <string.h>

#include <spv/block.h>
#include <spv/merkle.h>

#include "conform/array.h"

/* ---- Life ---- */

static void sample_clear(spv_sample *b)
{
    for (size_t i = 0; b->txs && i < b->n; i++)
        spv_tx_clear(&b->txs[i]);
    free(b->txs);
    free(b->txids);
    free(b->bytes);
    *b = (spv_sample){0};
}

void spv__samples_clear(spv_samples *s)
{
    for (size_t i = 0; i < s->n; i++)
        sample_clear(&s->item[i]);
    free(s->item);
    free(s->spends);
    *s = (spv_samples){0};
}

/* ---- Taking a block in ---- */

static spv_err read_txs(spv_sample *b, spv_block_reader *reader)
{
    spv_tx end;

    for (size_t i = 0; i < b->n; i++) {
        spv_err err = spv_block_next(reader, &b->txs[i]);

        if (err != SPV_OK)
            return err;
        if (b->txs[i].n_in == 0 || b->txs[i].n_out == 0) /* consensus */
            return SPV_MALFORMED;
        b->txids[i] = b->txs[i].txid;
    }
    return spv_block_next(reader, &end) == SPV_NOT_FOUND ? SPV_OK
                                                         : SPV_MALFORMED;
}

static spv_err check_root(const spv_sample *b)
{
    spv_header header;
    spv_hash root;
    spv_err err = spv_merkle_root(&root, b->txids, b->n);

    if (err != SPV_OK)
        return err;
    spv_header_decode(&header, b->bytes);
    return spv_hash_equal(&root, &header.merkle_root) ? SPV_OK : SPV_PROOF;
}

static spv_err take_apart(spv_sample *b)
{
    spv_block_reader reader;
    spv_err err = spv_block_open(&reader, b->bytes, b->len);

    if (err != SPV_OK)
        return err;
    if (reader.n_tx == 0)
        return SPV_PROOF;
    if (reader.n_tx > SPV_MERKLE_TXS_MAX)
        return SPV_LIMIT;
    b->n = reader.n_tx;
    b->txs = calloc(b->n, sizeof(*b->txs));
    b->txids = calloc(b->n, sizeof(*b->txids));
    if (!b->txs || !b->txids)
        return SPV_NOMEM;
    err = read_txs(b, &reader);
    return err == SPV_OK ? check_root(b) : err;
}

static bool has(const spv_samples *s, const spv_hash *hash)
{
    for (size_t i = 0; i < s->n; i++)
        if (spv_hash_equal(&s->item[i].hash, hash))
            return true;
    return false;
}

spv_err spv__samples_add(spv_samples *s, const uint8_t *bytes, size_t len,
                         int32_t height)
{
    spv_sample b = {.height = height, .len = len};
    spv_sample *grown = NULL;
    spv_err err = SPV_OK;

    if (len < SPV_HEADER_LEN)
        return SPV_TRUNCATED;
    spv_header_hash(&b.hash, bytes);
    if (has(s, &b.hash))
        return SPV_EXISTS;
    grown = spv__array_grow(s->item, s->n, &s->cap, sizeof(*s->item));
    if (!grown)
        return SPV_NOMEM;
    s->item = grown;
    b.bytes = malloc(len);
    if (!b.bytes)
        return SPV_NOMEM;
    memcpy(b.bytes, bytes, len);
    err = take_apart(&b);
    if (err != SPV_OK) {
        sample_clear(&b);
        return err;
    }
    s->item[s->n++] = b;
    s->bytes += len;
    return SPV_OK;
}

/* ---- Settling: order, and who spends what ---- */

static int by_height(const void *a, const void *b)
{
    const spv_sample *x = a;
    const spv_sample *y = b;

    return x->height < y->height ? -1 : x->height > y->height;
}

/* A transaction and where it is. */
typedef struct place {
    const spv_hash *txid;
    size_t block_at;
    size_t tx_at;
} place;

static int by_txid(const void *a, const void *b)
{
    const place *x = a;
    const place *y = b;

    return memcmp(x->txid->bytes, y->txid->bytes, sizeof(x->txid->bytes));
}

static size_t count_txs(const spv_samples *s)
{
    size_t n = 0;

    for (size_t i = 0; i < s->n; i++)
        n += s->item[i].n;
    return n;
}

static void list_places(const spv_samples *s, place *places)
{
    for (size_t b = 0; b < s->n; b++)
        for (size_t t = 0; t < s->item[b].n; t++)
            *places++ = (place){&s->item[b].txids[t], b, t};
}

static spv_err add_spend(spv_samples *s, const place *maker, uint32_t vout,
                         const spv_spot *spent)
{
    spv_spend *grown = spv__array_grow(s->spends, s->n_spends, &s->spends_cap,
                                       sizeof(*s->spends));
    const spv_sample *block = &s->item[maker->block_at];

    if (!grown)
        return SPV_NOMEM;
    s->spends = grown;
    s->spends[s->n_spends++] =
        (spv_spend){{block, maker->block_at, maker->tx_at, vout}, *spent};
    return SPV_OK;
}

/* What comes first in the chain is what can be spent. */
static bool is_before(const place *maker, const spv_spot *spent)
{
    return maker->block_at < spent->block_at ||
           (maker->block_at == spent->block_at && maker->tx_at < spent->tx_at);
}

static spv_err find_spends_of(spv_samples *s, const place *places, size_t n,
                              spv_spot spot)
{
    const spv_tx *tx = spv__spot_tx(&spot);
    spv_err err = SPV_OK;

    for (spot.at = 0; spot.at < tx->n_in && err == SPV_OK; spot.at++) {
        const spv_outpoint *prev = &tx->in[spot.at].prev;
        place key = {.txid = &prev->txid};
        const place *maker = bsearch(&key, places, n, sizeof(key), by_txid);

        if (maker && is_before(maker, &spot) &&
            prev->vout < s->item[maker->block_at].txs[maker->tx_at].n_out)
            err = add_spend(s, maker, prev->vout, &spot);
    }
    return err;
}

static spv_err find_spends(spv_samples *s, const place *places, size_t n)
{
    spv_err err = SPV_OK;

    for (size_t b = 0; b < s->n && err == SPV_OK; b++)
        for (size_t t = 0; t < s->item[b].n && err == SPV_OK; t++)
            err =
                find_spends_of(s, places, n, (spv_spot){&s->item[b], b, t, 0});
    return err;
}

spv_err spv__samples_settle(spv_samples *s)
{
    size_t n = count_txs(s);
    place *places = malloc((n + 1) * sizeof(*places));
    spv_err err = SPV_OK;

    if (!places)
        return SPV_NOMEM;
    if (s->n > 1)
        qsort(s->item, s->n, sizeof(*s->item), by_height);
    s->n_spends = 0;
    list_places(s, places);
    qsort(places, n, sizeof(*places), by_txid);
    err = find_spends(s, places, n);
    free(places);
    return err;
}

/* ---- Picking ---- */

/* Whether the `n`th that passes (from 1) is to stand for all so far: each is
 * as likely as any other in the end. */
static bool is_chosen(spv_rng *r, size_t n)
{
    return spv__rng_below(r, n) == 0;
}

const spv_sample *spv__samples_pick(const spv_samples *s, spv_rng *r,
                                    spv_sample_test *test, const void *ctx)
{
    const spv_sample *picked = NULL;
    size_t n = 0;

    for (size_t i = 0; i < s->n; i++)
        if ((!test || test(&s->item[i], ctx)) && is_chosen(r, ++n))
            picked = &s->item[i];
    return picked;
}

bool spv__samples_pick_output(const spv_samples *s, spv_rng *r,
                              spv_output_test *test, const void *ctx,
                              spv_spot *out)
{
    size_t n = 0;

    for (size_t b = 0; b < s->n; b++)
        for (size_t t = 0; t < s->item[b].n; t++)
            for (size_t i = 0; i < s->item[b].txs[t].n_out; i++) {
                spv_spot spot = {&s->item[b], b, t, i};

                if (test(&spot, spv__spot_output(&spot), ctx) &&
                    is_chosen(r, ++n))
                    *out = spot;
            }
    return n > 0;
}

bool spv__samples_pick_input(const spv_samples *s, spv_rng *r,
                             spv_input_test *test, const void *ctx,
                             spv_spot *out)
{
    size_t n = 0;

    for (size_t b = 0; b < s->n; b++)
        for (size_t t = 0; t < s->item[b].n; t++)
            for (size_t i = 0; i < s->item[b].txs[t].n_in; i++) {
                spv_spot spot = {&s->item[b], b, t, i};

                if (test(&spot, spv__spot_input(&spot), ctx) &&
                    is_chosen(r, ++n))
                    *out = spot;
            }
    return n > 0;
}

const spv_spend *spv__samples_pick_spend(const spv_samples *s, spv_rng *r,
                                         spv_spend_test *test, const void *ctx)
{
    const spv_spend *picked = NULL;
    size_t n = 0;

    for (size_t i = 0; i < s->n_spends; i++)
        if (test(&s->spends[i], ctx) && is_chosen(r, ++n))
            picked = &s->spends[i];
    return picked;
}

/* ---- Shapes ---- */

/* How many transactions a block has, of the kinds that checks tell apart. */
static const struct {
    size_t least, most;
} sizes[] = {{1, 1}, {2, 2}, {3, 3}, {5, 7}, {9, SIZE_MAX}};

static const spv_script_kind kinds[] = {
    SPV_SCRIPT_P2PK, SPV_SCRIPT_MULTISIG, SPV_SCRIPT_P2PKH,
    SPV_SCRIPT_P2SH, SPV_SCRIPT_P2WPKH,   SPV_SCRIPT_P2WSH,
    SPV_SCRIPT_P2TR, SPV_SCRIPT_NULLDATA,
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* What has been seen: a flag a shape. */
typedef struct shapes {
    bool size[COUNT(sizes)];
    bool kind[COUNT(kinds)];
    bool input_push, witness;
    bool spend_within, spend_across;
} shapes;

static void see_tx(shapes *seen, const spv_tx *tx)
{
    seen->witness |= tx->has_witness && !spv_tx_is_coinbase(tx);
    for (size_t i = 0; i < tx->n_in; i++)
        seen->input_push |= tx->in[i].script_len > 0 && !spv_tx_is_coinbase(tx);
    for (size_t i = 0; i < tx->n_out; i++) {
        spv_script_kind kind =
            spv_script_classify(tx->out[i].script, tx->out[i].script_len);

        for (size_t k = 0; k < COUNT(kinds); k++)
            seen->kind[k] |= kind == kinds[k];
    }
}

static void see_block(shapes *seen, const spv_sample *b)
{
    for (size_t i = 0; i < COUNT(sizes); i++)
        seen->size[i] |= b->n >= sizes[i].least && b->n <= sizes[i].most;
    for (size_t t = 0; t < b->n; t++)
        see_tx(seen, &b->txs[t]);
}

size_t spv__samples_lacks(const spv_samples *s)
{
    shapes seen = {0};
    size_t lacks = 0;

    for (size_t i = 0; i < s->n; i++)
        see_block(&seen, &s->item[i]);
    for (size_t i = 0; i < s->n_spends; i++) {
        bool within = s->spends[i].made.block_at == s->spends[i].spent.block_at;

        seen.spend_within |= within;
        seen.spend_across |= !within;
    }
    for (size_t i = 0; i < COUNT(sizes); i++)
        lacks += !seen.size[i];
    for (size_t i = 0; i < COUNT(kinds); i++)
        lacks += !seen.kind[i];
    return lacks + !seen.input_push + !seen.witness + !seen.spend_within +
           !seen.spend_across;
}
