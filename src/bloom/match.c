#include <spv/filter.h>
#include <spv/script.h>

/*
 * BIP 37's "Filter matching algorithm", as CBloomFilter::IsRelevantAndUpdate
 * does it: the txid, then the pushes of each output until one matches, then,
 * only if nothing has matched so far, each input's outpoint and pushes.
 */

/** Whether a push of `script` matches; a broken script ends there, unfailed. */
static bool contains_push(const spv_filter *f, const uint8_t *script,
                          size_t script_len)
{
    spv_script_op op;
    size_t at = 0;

    while (spv_script_next(&op, script, script_len, &at))
        if (op.len > 0 && spv_filter_contains(f, op.data, op.len))
            return true;
    return false;
}

static bool contains_txid(const spv_filter *f, const spv_tx *tx)
{
    return spv_filter_contains(f, tx->txid.bytes, sizeof(tx->txid.bytes));
}

static bool contains_input(const spv_filter *f, const spv_tx *tx)
{
    for (size_t i = 0; i < tx->n_in; i++)
        if (spv_filter_contains_outpoint(f, &tx->in[i].prev) ||
            contains_push(f, tx->in[i].script, tx->in[i].script_len))
            return true;
    return false;
}

static bool wants_outpoint(const spv_filter *f, const spv_txout *out)
{
    spv_script_kind kind = SPV_SCRIPT_OTHER;

    switch (f->flags & SPV_FILTER_UPDATE_MASK) {
    case SPV_FILTER_UPDATE_ALL:
        return true;
    case SPV_FILTER_UPDATE_P2PUBKEY_ONLY:
        kind = spv_script_classify(out->script, out->script_len);
        return kind == SPV_SCRIPT_P2PK || kind == SPV_SCRIPT_MULTISIG;
    }
    return false;
}

bool spv_filter_matches_output(const spv_filter *f, const spv_txout *out)
{
    return contains_push(f, out->script, out->script_len);
}

/** Later outputs are matched against what earlier ones have added. */
static void match_outputs(spv_filter *f, const spv_tx *tx, spv_match *match)
{
    for (size_t i = 0; i < tx->n_out; i++) {
        if (!spv_filter_matches_output(f, &tx->out[i]))
            continue;
        match->outputs++;
        if (!wants_outpoint(f, &tx->out[i]))
            continue;
        spv_filter_insert_outpoint(
            f, &(spv_outpoint){.txid = tx->txid, .vout = (uint32_t)i});
        match->added++;
    }
}

bool spv_filter_match(spv_filter *f, const spv_tx *tx, spv_match *match)
{
    *match = (spv_match){0};
    if (f->len == 0)
        return match->matched = true;
    match->by_txid = contains_txid(f, tx);
    match_outputs(f, tx, match);
    if (!match->by_txid && match->outputs == 0)
        match->by_input = contains_input(f, tx);
    match->matched = match->by_txid || match->outputs > 0 || match->by_input;
    return match->matched;
}

bool spv_filter_matches(const spv_filter *f, const spv_tx *tx)
{
    if (contains_txid(f, tx))
        return true;
    for (size_t i = 0; i < tx->n_out; i++)
        if (spv_filter_matches_output(f, &tx->out[i]))
            return true;
    return contains_input(f, tx);
}
