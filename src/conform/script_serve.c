#include "conform/script_serve.h"

#include <stdlib.h>
#include <string.h>

#include <spv/block.h>
#include <spv/merkle.h>

void spv__script_serve_end(spv_script_served *s)
{
    for (size_t i = 0; s->txs && i < s->n; i++)
        spv_tx_clear(&s->txs[i]);
    free(s->txs);
    free(s->txids);
    free(s->proved);
    free(s->sent);
    *s = (spv_script_served){0};
}

/** Decode every transaction of a block. */
static spv_err take_apart(spv_script_served *s, const spv_script_block *b)
{
    spv_block_reader reader;
    spv_err err = spv_block_open(&reader, b->bytes, b->len);

    if (err != SPV_OK)
        return err;
    *s = (spv_script_served){.block = b, .n = reader.n_tx};
    s->txs = calloc(s->n, sizeof(*s->txs));
    s->txids = calloc(s->n + 1, sizeof(*s->txids)); /* the last one twice */
    s->proved = calloc(s->n + 1, sizeof(*s->proved));
    s->sent = calloc(s->n, sizeof(*s->sent));
    if (!s->txs || !s->txids || !s->proved || !s->sent)
        err = SPV_NOMEM;
    for (size_t i = 0; i < s->n && err == SPV_OK; i++) {
        err = spv_block_next(&reader, &s->txs[i]);
        s->txids[i] = s->txids[i + 1] = s->txs[i].txid;
    }
    if (err != SPV_OK)
        spv__script_serve_end(s);
    return err;
}

/** The last transaction whose `flags` equal `value`; `n` if there is none. */
static size_t last(const spv_script_served *s, const bool *flags, bool value)
{
    for (size_t i = s->n; i-- > 0;)
        if (flags[i] == value)
            return i;
    return s->n;
}

/** Whether that changed anything. */
static bool set(bool *flags, size_t at, size_t n, bool value)
{
    bool changes = at < n && flags[at] != value;

    if (changes)
        flags[at] = value;
    return changes;
}

/** What a liar passes over leaves no trace in its filter either. */
static bool match(spv_script_served *s, spv_filter *filter, const spv_tx *tx,
                  const spv_script_habits *habits, spv_rng *r)
{
    spv_match match;

    if (habits->omits && spv_filter_matches(filter, tx) &&
        spv__rng_chance(r, habits->omits, 10)) {
        s->omits = true;
        return false;
    }
    return habits->breaks ? spv__script_match(filter, tx, habits->breaks)
                          : spv_filter_match(filter, tx, &match);
}

spv_err spv__script_serve_begin(spv_script_served *s, const spv_script_block *b,
                                spv_filter *filter,
                                const spv_script_habits *habits, spv_rng *r)
{
    spv_err err = take_apart(s, b);

    if (err != SPV_OK)
        return err;
    for (size_t i = 0; i < s->n; i++) {
        s->proved[i] = match(s, filter, &s->txs[i], habits, r);
        if (habits->match_everything)
            s->lies |= set(s->proved, i, s->n, true);
    }
    if (habits->extra_tx)
        s->lies |= set(s->proved, spv__rng_below(r, s->n), s->n, true);
    if (habits->omit_tx)
        s->omits = set(s->proved, last(s, s->proved, true), s->n, false);
    memcpy(s->sent, s->proved, s->n * sizeof(*s->sent));
    if (habits->withhold_tx)
        s->lies |= set(s->sent, last(s, s->sent, true), s->n, false);
    if (habits->stray_tx)
        (void)set(s->sent, last(s, s->sent, false), s->n, true);
    s->lies |= habits->false_proof;
    return SPV_OK;
}

static uint32_t count(const bool *flags, size_t n)
{
    uint32_t set = 0;

    while (n-- > 0)
        set += flags[n];
    return set;
}

static uint8_t mirrored(uint8_t byte)
{
    uint8_t mirror = 0;

    for (unsigned i = 0; i < 8; i++)
        mirror |= (uint8_t)((byte >> i & 1) << (7 - i));
    return mirror;
}

/** Break the rule of the habit, if it is one about proofs. */
static void spoil_tree(spv_merkle_tree *tree, const spv_script_served *s,
                       spv_script_break rule)
{
    uint8_t *flags = (uint8_t *)(uintptr_t)tree->flags; /* it owns them */

    tree->n_txs = (uint32_t)s->n;
    if (rule == SPV_BREAK_MATCH_COUNT)
        tree->n_txs = count(s->proved, s->n);
    for (size_t i = 0; rule == SPV_BREAK_FLAG_BITS && i < tree->flags_len; i++)
        flags[i] = mirrored(flags[i]);
}

void spv__script_put_proof(spv_buf *out, const spv_script_served *s,
                           const spv_script_habits *habits)
{
    spv_merkle_tree tree;
    size_t at = out->len;
    size_t doubled =
        habits->breaks == SPV_BREAK_ODD_DOUBLED && s->n > 1 ? s->n % 2 : 0;
    spv_merkleblock m;
    spv_err err = spv_merkle_build(&tree, s->txids, s->proved,
                                   (uint32_t)(s->n + doubled));

    if (err != SPV_OK) {
        out->err = err;
        return;
    }
    spoil_tree(&tree, s, habits->breaks);
    m = (spv_merkleblock){.header = s->block->header,
                          .n_transactions = tree.n_txs,
                          .hashes = {tree.hashes, tree.n_hashes},
                          .flags = tree.flags,
                          .flags_len = tree.flags_len};
    spv__put_merkleblock(out, &m);
    if (habits->false_proof &&
        out->err == SPV_OK) /* the first hash: behind header and two counts */
        out->bytes[at + SPV_HEADER_LEN + 4 + 3] ^= 1;
    spv_merkle_tree_free(&tree);
}

void spv__script_put_block(spv_buf *out, const spv_script_block *b)
{
    spv_script_served s;
    spv_err err = take_apart(&s, b);

    if (err != SPV_OK) {
        out->err = err;
        return;
    }
    spv__put_bytes(out, b->header, sizeof(b->header));
    spv__put_compact(out, s.n);
    for (size_t i = 0; i < s.n; i++)
        spv__put_bare_tx(out, &s.txs[i]);
    spv__script_serve_end(&s);
}
