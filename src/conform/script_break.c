#include "conform/script_break.h"

#include <spv/script.h>
#include <spv/witness.h>

#include "bloom/murmur3.h"

/*
 * BIP 37's matching once more, in the plainest words, with a place for each
 * rule to be broken. The library's own (bloom/match.c) is not used, so that
 * neither can hide a fault of the other.
 */

static const struct {
    const char *name;
    const char *does;
} table[] = {{"", ""},
#define X(id, name, does) {name, does},
             SPV_SCRIPT_BREAK_MAP(X)
#undef X
};

const char *spv__script_break_name(spv_script_break b)
{
    return table[b].name;
}

const char *spv__script_break_does(spv_script_break b)
{
    return table[b].does;
}

/** A filter, and the rule that is broken. */
typedef struct careless {
    spv_filter *filter;
    spv_script_break rule;
} careless;

static bool breaks(const careless *c, spv_script_break b)
{
    return c->rule == b;
}

/* ---- The filter ---- */

static uint32_t functions(const careless *c)
{
    uint32_t n = c->filter->hash_funcs;

    if (breaks(c, SPV_BREAK_ONE_MORE))
        return n + 1;
    return n > 0 && breaks(c, SPV_BREAK_ONE_LESS) ? n - 1 : n;
}

/** "seed the hash function with nHashNum * 0xFBA4C795 + nTweak" */
static uint32_t place(const careless *c, uint32_t function,
                      const uint8_t *element, size_t len)
{
    uint32_t step = breaks(c, SPV_BREAK_SEED) ? 0xfba4c796u : 0xfba4c795u;
    uint32_t tweak = breaks(c, SPV_BREAK_TWEAK) ? 0 : c->filter->tweak;
    uint32_t hash = spv__murmur3(function * step + tweak, element, len);

    return hash % (uint32_t)(8 * c->filter->len);
}

static uint8_t bit(const careless *c, uint32_t at)
{
    return (uint8_t)(breaks(c, SPV_BREAK_BIT_ORDER) ? 0x80 >> (at & 7)
                                                    : 1 << (at & 7));
}

static bool contains(const careless *c, const uint8_t *element, size_t len)
{
    for (uint32_t i = 0; i < functions(c); i++) {
        uint32_t at = place(c, i, element, len);

        if (!(c->filter->bytes[at / 8] & bit(c, at)))
            return false;
    }
    return true;
}

static void insert(careless *c, const uint8_t *element, size_t len)
{
    for (uint32_t i = 0; i < functions(c); i++) {
        uint32_t at = place(c, i, element, len);

        c->filter->bytes[at / 8] |= bit(c, at);
    }
}

/* ---- What is looked at ---- */

static bool matches_pushes(const careless *c, const uint8_t *script, size_t len)
{
    spv_script_op op;
    size_t at = 0;

    while (spv_script_next(&op, script, len, &at)) {
        if (op.len == 0)
            continue;
        if (contains(c, op.data, op.len))
            return true;
        if (breaks(c, SPV_BREAK_FIRST_PUSH))
            return false;
    }
    return false;
}

static bool matches_txid(const careless *c, const spv_tx *tx)
{
    uint8_t id[32];

    if (breaks(c, SPV_BREAK_TXID_UNMATCHED))
        return false;
    for (size_t i = 0; i < sizeof(id); i++)
        id[i] = tx->txid.bytes[breaks(c, SPV_BREAK_TXID_REVERSED) ? 31 - i : i];
    if (breaks(c, SPV_BREAK_WTXID_MATCHED) &&
        contains(c, tx->wtxid.bytes, sizeof(tx->wtxid.bytes)))
        return true;
    return contains(c, id, sizeof(id));
}

static bool matches_output(const careless *c, const spv_txout *out)
{
    if (breaks(c, SPV_BREAK_OUTPUT_UNMATCHED))
        return false;
    if (breaks(c, SPV_BREAK_SCRIPT_WHOLE))
        return contains(c, out->script, out->script_len);
    return matches_pushes(c, out->script, out->script_len);
}

static bool matches_outpoint(const careless *c, const spv_outpoint *prev)
{
    uint8_t bytes[SPV_OUTPOINT_LEN];

    spv_outpoint_encode(bytes, prev);
    if (breaks(c, SPV_BREAK_OUTPOINT_UNMATCHED))
        return false;
    if (breaks(c, SPV_BREAK_OUTPOINT_TXID) &&
        contains(c, bytes, sizeof(prev->txid.bytes)))
        return true;
    return contains(c, bytes, sizeof(bytes));
}

static bool matches_witness(const careless *c, const spv_txin *in)
{
    spv_witness_reader reader;
    const uint8_t *item;
    size_t len;

    if (!breaks(c, SPV_BREAK_WITNESS_MATCHED))
        return false;
    spv_witness_open(&reader, in);
    while (spv_witness_next(&reader, &item, &len))
        if (len > 0 && contains(c, item, len))
            return true;
    return false;
}

static bool matches_input(const careless *c, const spv_txin *in)
{
    if (matches_outpoint(c, &in->prev) || matches_witness(c, in))
        return true;
    return !breaks(c, SPV_BREAK_INPUT_UNMATCHED) &&
           matches_pushes(c, in->script, in->script_len);
}

static bool matches_any_input(const careless *c, const spv_tx *tx)
{
    for (size_t i = 0; i < tx->n_in; i++)
        if (matches_input(c, &tx->in[i]))
            return true;
    return false;
}

/* ---- What is added ---- */

/** The mode that the flags ask for, as this node takes them. */
static unsigned mode(const careless *c)
{
    unsigned flags = c->filter->flags;

    if (flags > SPV_FILTER_UPDATE_MASK && breaks(c, SPV_BREAK_FLAGS_UNMASKED))
        return SPV_FILTER_UPDATE_NONE;
    flags &= SPV_FILTER_UPDATE_MASK;
    if (flags == SPV_FILTER_UPDATE_ALL && breaks(c, SPV_BREAK_ALL_AS_NONE))
        return SPV_FILTER_UPDATE_NONE;
    if (flags == SPV_FILTER_UPDATE_NONE && breaks(c, SPV_BREAK_NONE_AS_ALL))
        return SPV_FILTER_UPDATE_ALL;
    if (flags == SPV_FILTER_UPDATE_MASK && breaks(c, SPV_BREAK_FLAGS_3))
        return SPV_FILTER_UPDATE_ALL;
    if (flags != SPV_FILTER_UPDATE_P2PUBKEY_ONLY)
        return flags;
    if (breaks(c, SPV_BREAK_PUBKEY_AS_ALL))
        return SPV_FILTER_UPDATE_ALL;
    return breaks(c, SPV_BREAK_PUBKEY_AS_NONE) ? SPV_FILTER_UPDATE_NONE : flags;
}

static bool wants(const careless *c, const spv_txout *out)
{
    spv_script_kind kind = spv_script_classify(out->script, out->script_len);

    switch (mode(c)) {
    case SPV_FILTER_UPDATE_ALL:
        return true;
    case SPV_FILTER_UPDATE_P2PUBKEY_ONLY:
        return kind == SPV_SCRIPT_P2PK ||
               (kind == SPV_SCRIPT_MULTISIG &&
                !breaks(c, SPV_BREAK_PUBKEY_NO_MULTISIG));
    }
    return false;
}

static void add_output(careless *c, const spv_tx *tx, size_t i)
{
    spv_outpoint at = {tx->txid, (uint32_t)i};
    uint8_t bytes[SPV_OUTPOINT_LEN];

    if (!wants(c, &tx->out[i]))
        return;
    spv_outpoint_encode(bytes, &at);
    if (breaks(c, SPV_BREAK_UPDATE_INDEX))
        for (size_t k = 0; k < 4; k++)
            bytes[SPV_OUTPOINT_LEN - 1 - k] = (uint8_t)(i >> 8 * k);
    insert(c, bytes, sizeof(bytes));
}

static void add_all_outputs(careless *c, const spv_tx *tx)
{
    for (size_t i = 0; i < tx->n_out; i++)
        add_output(c, tx, i);
}

static bool match_outputs(careless *c, const spv_tx *tx)
{
    bool found = false;

    for (size_t i = 0; i < tx->n_out; i++) {
        if (!matches_output(c, &tx->out[i]))
            continue;
        if (!found || !breaks(c, SPV_BREAK_UPDATE_FIRST))
            add_output(c, tx, i);
        found = true;
    }
    if (found && breaks(c, SPV_BREAK_UPDATE_SIBLINGS))
        add_all_outputs(c, tx);
    return found;
}

bool spv__script_match(spv_filter *filter, const spv_tx *tx,
                       spv_script_break rule)
{
    careless c = {filter, rule};
    bool found;

    if (filter->len == 0)
        return true;
    found = matches_txid(&c, tx);
    if (found && breaks(&c, SPV_BREAK_UPDATE_BY_TXID))
        add_all_outputs(&c, tx);
    if (!found || !breaks(&c, SPV_BREAK_TXID_ENOUGH))
        found |= match_outputs(&c, tx);
    if (found)
        return true;
    found = matches_any_input(&c, tx);
    if (found && breaks(&c, SPV_BREAK_UPDATE_BY_INPUT))
        add_all_outputs(&c, tx);
    return found;
}
