#include "support/simserve.h"

#include <string.h>

#include <spv/block.h>
#include <spv/merkle.h>

#include "support/must.h"

/** Decode every transaction of a block. */
static void take_apart(simserve_block *s, const simblock *b)
{
    spv_block_reader reader;

    MUST(spv_block_open(&reader, b->bytes, b->len) == SPV_OK);
    *s = (simserve_block){.block = b, .n = reader.n_tx};
    s->txs = calloc(s->n, sizeof(*s->txs));
    s->txids = calloc(s->n, sizeof(*s->txids));
    s->proved = calloc(s->n, sizeof(*s->proved));
    s->sent = calloc(s->n, sizeof(*s->sent));
    MUST(s->txs && s->txids && s->proved && s->sent);
    for (size_t i = 0; i < s->n; i++) {
        MUST(spv_block_next(&reader, &s->txs[i]) == SPV_OK);
        s->txids[i] = s->txs[i].txid;
    }
}

void simserve_end(simserve_block *s)
{
    for (size_t i = 0; i < s->n; i++)
        spv_tx_clear(&s->txs[i]);
    free(s->txs);
    free(s->txids);
    free(s->proved);
    free(s->sent);
    *s = (simserve_block){0};
}

/** The last transaction whose `flags` equal `value`; `n` if there is none. */
static size_t last(const simserve_block *s, const bool *flags, bool value)
{
    for (size_t i = s->n; i-- > 0;)
        if (flags[i] == value)
            return i;
    return s->n;
}

static void set(bool *flags, size_t at, size_t n, bool value)
{
    if (at < n)
        flags[at] = value;
}

/** What a liar passes over leaves no trace in its filter either. */
static bool match(spv_filter *filter, const spv_tx *tx,
                  const simnode_habits *habits, rng *r)
{
    spv_match match;

    if (habits->omits && spv_filter_matches(filter, tx) &&
        rng_chance(r, habits->omits, 10))
        return false;
    return spv_filter_match(filter, tx, &match);
}

void simserve_begin(simserve_block *s, const simblock *b, spv_filter *filter,
                    const simnode_habits *habits, rng *r)
{
    take_apart(s, b);
    for (size_t i = 0; i < s->n; i++) {
        s->proved[i] = match(filter, &s->txs[i], habits, r);
        s->proved[i] |= habits->match_everything;
    }
    if (habits->extra_tx)
        s->proved[rng_below(r, s->n)] = true;
    if (habits->omit_tx)
        set(s->proved, last(s, s->proved, true), s->n, false);
    memcpy(s->sent, s->proved, s->n * sizeof(*s->sent));
    if (habits->withhold_tx)
        set(s->sent, last(s, s->sent, true), s->n, false);
    if (habits->stray_tx)
        set(s->sent, last(s, s->sent, false), s->n, true);
}

void simserve_put_proof(spv_buf *out, const simserve_block *s,
                        const simnode_habits *habits)
{
    spv_merkle_tree tree;
    size_t at = out->len;
    spv_merkleblock m;

    MUST(spv_merkle_build(&tree, s->txids, s->proved, (uint32_t)s->n) ==
         SPV_OK);
    m = (spv_merkleblock){.header = s->block->header,
                          .n_transactions = tree.n_txs,
                          .hashes = {tree.hashes, tree.n_hashes},
                          .flags = tree.flags,
                          .flags_len = tree.flags_len};
    spv__put_merkleblock(out, &m);
    MUST(out->err == SPV_OK);
    if (habits->false_proof) /* the first hash: behind header and two counts */
        out->bytes[at + SPV_HEADER_LEN + 4 + 3] ^= 1;
    spv_merkle_tree_free(&tree);
}

static void put_in(spv_buf *out, const spv_txin *in)
{
    uint8_t prev[SPV_OUTPOINT_LEN];

    spv_outpoint_encode(prev, &in->prev);
    spv__put_bytes(out, prev, sizeof(prev));
    spv__put_var_bytes(out, in->script, in->script_len);
    spv__put_u32(out, in->sequence);
}

void simserve_put_tx(spv_buf *out, const spv_tx *tx)
{
    spv__put_u32(out, (uint32_t)tx->version);
    spv__put_compact(out, tx->n_in);
    for (size_t i = 0; i < tx->n_in; i++)
        put_in(out, &tx->in[i]);
    spv__put_compact(out, tx->n_out);
    for (size_t i = 0; i < tx->n_out; i++) {
        spv__put_u64(out, (uint64_t)tx->out[i].value);
        spv__put_var_bytes(out, tx->out[i].script, tx->out[i].script_len);
    }
    spv__put_u32(out, tx->lock_time);
}

void simserve_put_block(spv_buf *out, const simblock *b)
{
    simserve_block s;

    take_apart(&s, b);
    spv__put_bytes(out, b->header, sizeof(b->header));
    spv__put_compact(out, s.n);
    for (size_t i = 0; i < s.n; i++)
        simserve_put_tx(out, &s.txs[i]);
    simserve_end(&s);
}
