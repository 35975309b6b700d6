#include "conform/oracle.h"

#include <stdlib.h>

#include <spv/merkle.h>

size_t spv__oracle_match(spv_filter *f, const spv_sample *b, bool *matched)
{
    size_t n = 0;

    for (size_t i = 0; i < b->n; i++) {
        spv_match match;
        bool does = spv_filter_match(f, &b->txs[i], &match);

        if (matched)
            matched[i] = does;
        n += does;
    }
    return n;
}

/* BIP 37: "the set of matching transactions that the requesting node hasn't
 * either received or announced with an inv must be sent and any additional
 * transactions which match the filter may also be sent" */
static void answer_tx(spv_dialogue *d, const spv_tx *tx)
{
    bool had = spv__dialogue_gave(d, &tx->txid);
    size_t mark = spv__reply_begin(d);

    spv__put_bare_tx(&d->payloads, tx);
    spv__reply_end(d, SPV_MSG_TX, mark);
    if (d->err != SPV_OK)
        return;
    d->replies[d->n_replies - 1].optional = had;
    if (d->strict || !tx->has_witness)
        return;
    mark = spv__reply_begin(d);
    spv__put_bytes(&d->payloads, tx->bytes, tx->len);
    spv__reply_or(d, mark);
}

/* ---- Blocks ---- */

static spv_err put_merkleblock(spv_buf *out, const spv_sample *b,
                               const bool *matched)
{
    spv_merkle_tree tree;
    spv_merkleblock m;
    spv_err err = spv_merkle_build(&tree, b->txids, matched, (uint32_t)b->n);

    if (err != SPV_OK)
        return err;
    m = (spv_merkleblock){.header = b->bytes,
                          .n_transactions = tree.n_txs,
                          .hashes = {tree.hashes, tree.n_hashes},
                          .flags = tree.flags,
                          .flags_len = tree.flags_len};
    spv__put_merkleblock(out, &m);
    spv_merkle_tree_free(&tree);
    return out->err;
}

void spv__oracle_answer(spv_dialogue *d, const spv_sample *b)
{
    bool *matched = calloc(b->n, sizeof(*matched));
    size_t mark = spv__reply_begin(d);

    if (!matched) {
        d->err = SPV_NOMEM;
        return;
    }
    spv__oracle_match(&d->mirror, b, matched);
    if (put_merkleblock(&d->payloads, b, matched) != SPV_OK)
        d->err = SPV_NOMEM;
    spv__reply_end(d, SPV_MSG_MERKLEBLOCK, mark);
    for (size_t i = 0; i < b->n && d->err == SPV_OK; i++)
        if (matched[i])
            answer_tx(d, &b->txs[i]);
    free(matched);
}
