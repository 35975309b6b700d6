#include "conform/script_parts.h"

#include <stdlib.h>
#include <string.h>

#include "conform/script_serve.h"

/* ---- Filters ---- */

/** More than the protocol allows, or than a careless node does. */
static bool refuses_load(const spv_script_node *n, const spv_filterload *f)
{
    size_t bytes = SPV__FILTER_BYTES_MAX;
    uint32_t funcs = SPV__FILTER_FUNCS_MAX;

    bytes -= spv__script_breaks(n, SPV_BREAK_LARGEST_REFUSED);
    funcs -= spv__script_breaks(n, SPV_BREAK_FIFTY_REFUSED);
    return n->habits.no_bloom || f->len > bytes || f->hash_funcs > funcs;
}

/** There is a filter now; keep what it was before the node adds to it. */
static void begin_filter(spv_script_node *n)
{
    n->has_filter = true;
    spv__buf_reset(&n->loaded);
    spv__put_bytes(&n->loaded, n->filter.bytes, n->filter.len);
    (void)spv__script_fail(n, n->loaded.err);
}

/** Forget what the node has added by itself. */
static void restore_bits(spv_script_node *n)
{
    if (n->filter.len > 0)
        memcpy(n->filter.bytes, n->loaded.bytes, n->filter.len);
}

void spv__script_on_filterload(spv_script_node *n, const spv_message *m)
{
    const spv_filterload *f = &m->as.filterload;
    bool adds = n->has_filter && n->filter.len == f->len &&
                spv__script_breaks(n, SPV_BREAK_LOAD_ADDS);

    if (refuses_load(n, f)) {
        spv__script_hang_up(n);
        return;
    }
    n->relay = true;
    if (n->has_filter && spv__script_breaks(n, SPV_BREAK_LOAD_IGNORED))
        return;
    if (!adds) {
        spv_filter_clear(&n->filter);
        n->has_filter = false;
        if (spv__script_fail(n,
                             spv_filter_init(&n->filter, f->len, f->hash_funcs,
                                             f->tweak, f->flags)))
            return;
    }
    for (size_t i = 0; i < f->len; i++)
        n->filter.bytes[i] |= f->filter[i];
    begin_filter(n);
}

/** What a careless node takes filteradd for where there is no filter. */
static bool make_filter(spv_script_node *n)
{
    if (!spv__script_breaks(n, SPV_BREAK_ADD_MAKES))
        return false;
    if (spv__script_fail(
            n, spv_filter_init(&n->filter, 512, 10, 0, SPV_FILTER_UPDATE_ALL)))
        return false;
    begin_filter(n);
    return true;
}

static void add(spv_script_node *n, const uint8_t *element, size_t len)
{
    spv_filter loaded = n->filter;

    if (spv__script_breaks(n, SPV_BREAK_ADD_IGNORED))
        return;
    if (spv__script_breaks(n, SPV_BREAK_ADD_FORGETS))
        restore_bits(n);
    if (spv__script_breaks(n, SPV_BREAK_ADD_REPLACES) && n->filter.len > 0)
        memset(n->filter.bytes, 0, n->filter.len);
    loaded.bytes = n->loaded.bytes;
    spv_filter_insert(&loaded, element, len);
    spv_filter_insert(&n->filter, element, len);
}

void spv__script_on_filteradd(spv_script_node *n, const spv_message *m)
{
    size_t most = SPV__FILTERADD_MAX;

    most -= spv__script_breaks(n, SPV_BREAK_ADD_520_REFUSED);
    if (n->habits.no_bloom || m->as.filteradd.len > most ||
        (!n->has_filter && !make_filter(n))) {
        spv__script_hang_up(n);
        return;
    }
    add(n, m->as.filteradd.data, m->as.filteradd.len);
}

/** A filter of any size: the library makes none beyond the limits. */
static bool take_filter(spv_script_node *n, const spv_frame *f)
{
    spv_reader r = spv__reader(f->payload, f->len);
    size_t len = 0;
    const uint8_t *bits = spv__read_var_bytes(&r, &len);
    spv_filter filter = {.len = len};

    filter.hash_funcs = spv__read_u32(&r);
    filter.tweak = spv__read_u32(&r);
    filter.flags = spv__read_u8(&r);
    filter.bytes = r.err == SPV_OK ? malloc(len + 1) : NULL;
    if (!filter.bytes)
        return false;
    memcpy(filter.bytes, bits, len);
    spv_filter_clear(&n->filter);
    n->filter = filter;
    begin_filter(n);
    return true;
}

bool spv__script_takes_anyway(spv_script_node *n, spv_message_kind kind,
                              const spv_frame *f)
{
    spv_reader r = spv__reader(f->payload, f->len);
    const uint8_t *element = NULL;
    size_t len = 0;

    if (kind == SPV_MSG_FILTERLOAD)
        return (spv__script_breaks(n, SPV_BREAK_TOO_LARGE_TAKEN) ||
                spv__script_breaks(n, SPV_BREAK_TOO_MANY_TAKEN)) &&
               take_filter(n, f);
    if (kind != SPV_MSG_FILTERADD || !n->has_filter ||
        !spv__script_breaks(n, SPV_BREAK_ADD_521_TAKEN))
        return false;
    element = spv__read_var_bytes(&r, &len);
    if (element)
        spv_filter_insert(&n->filter, element, len);
    return element;
}

void spv__script_on_filterclear(spv_script_node *n, const spv_message *m)
{
    (void)m;
    if (n->habits.no_bloom) {
        spv__script_hang_up(n);
        return;
    }
    if (spv__script_breaks(n, SPV_BREAK_CLEAR_IGNORED))
        return;
    spv_filter_clear(&n->filter);
    n->has_filter = false;
    n->relay = true;
}

/* ---- Blocks ---- */

static void say_tx(spv_script_node *n, const spv_tx *tx)
{
    spv_script_saying s = spv__script_say_begin(n, "tx");

    if (spv__script_breaks(n, SPV_BREAK_WITH_WITNESS))
        spv__put_bytes(&n->out, tx->bytes, tx->len);
    else
        spv__put_bare_tx(&n->out, tx);
    spv__script_say_end(n, s);
    n->counts.txs_served++;
}

static void say_block(spv_script_node *n, const spv_script_block *b,
                      bool with_witness)
{
    spv_script_saying s = spv__script_say_begin(n, "block");

    n->counts.blocks_served++;
    if (n->habits.other_whole) { /* the header alone, and no transaction */
        spv__put_bytes(&n->out, b->header, SPV_HEADER_LEN);
        spv__put_u8(&n->out, 0);
    } else if (with_witness)
        spv__put_bytes(&n->out, b->bytes, b->len);
    else
        spv__script_put_block(&n->out, b);
    spv__script_say_end(n, s);
}

static void say_proof(spv_script_node *n, const spv_script_served *served)
{
    spv_script_saying s = spv__script_say_begin(n, "merkleblock");

    spv__script_put_proof(&n->out, served, &n->habits);
    spv__script_say_end(n, s);
}

static void say_txs(spv_script_node *n, const spv_script_served *served)
{
    for (size_t i = 0; i < served->n; i++) {
        size_t at = spv__script_breaks(n, SPV_BREAK_TXS_REVERSED)
                        ? served->n - 1 - i
                        : i;

        if (served->sent[at])
            say_tx(n, &served->txs[at]);
    }
}

static bool has_match(const spv_script_served *served)
{
    for (size_t i = 0; i < served->n; i++)
        if (served->proved[i])
            return true;
    return false;
}

/** "a merkleblock message, then the transactions that matched" */
static void say_answer(spv_script_node *n, const spv_script_served *served)
{
    if (spv__script_breaks(n, SPV_BREAK_EMPTY_SILENT) && !has_match(served))
        return;
    if (spv__script_breaks(n, SPV_BREAK_TXS_FIRST)) {
        say_txs(n, served);
        say_proof(n, served);
        return;
    }
    say_proof(n, served);
    say_txs(n, served);
}

void spv__script_say_filtered(spv_script_node *n, const spv_script_block *b)
{
    spv_script_served served;

    if (spv__script_fail(n, spv__script_serve_begin(&served, b, &n->filter,
                                                    &n->habits, &n->rng)))
        return;
    say_answer(n, &served);
    if (spv__script_breaks(n, SPV_BREAK_UPDATES_FORGOTTEN))
        restore_bits(n);
    n->counts.filtered_served++;
    spv__script_notice_served(n, &served);
    spv__script_serve_end(&served);
}

/** Merkleblocks whose headers are of no chain there is. */
static void say_orphans(spv_script_node *n)
{
    if (n->orphans_left == 0)
        return;
    for (; n->orphans_left > 0; n->orphans_left--) {
        uint8_t payload[SPV_HEADER_LEN + 4 + 1 + 32 + 2] = {0};
        spv_script_saying s = spv__script_say_begin(n, "merkleblock");

        spv__rng_bytes(&n->rng, payload, SPV_HEADER_LEN);
        payload[SPV_HEADER_LEN] = payload[SPV_HEADER_LEN + 4] = 1;
        memcpy(payload + SPV_HEADER_LEN + 5, payload + 36, 32);
        payload[SPV_HEADER_LEN + 37] = 1; /* one byte of flags: no match */
        spv__put_bytes(&n->out, payload, sizeof(payload));
        spv__script_say_end(n, s);
    }
    spv__script_lied(n, -1, false);
}

void spv__script_babble(spv_script_node *n)
{
    spv_script_saying s = spv__script_say_begin(n, "tx");

    for (int i = 0; i < 2000; i++)
        spv__put_u64(&n->out, spv__rng_next(&n->rng));
    spv__script_say_end(n, s);
    n->babble_at += 5000;
}

/** "unknown blocks and stale blocks are answered with silence", and so is
 * everybody who has not loaded a filter. */
void spv__script_give_filtered(spv_script_node *n, const spv_hash *hash)
{
    const spv_script_block *b = spv__script_own_block(n, hash);
    int32_t most = n->habits.silent_after;

    n->counts.filtered_asked++;
    say_orphans(n);
    if (n->habits.babbles && n->babble_at == 0)
        n->babble_at = 1; /* at the next chance */
    if (n->habits.babbles)
        return;
    if (!b || !b->bytes ||
        (!n->has_filter && !spv__script_breaks(n, SPV_BREAK_UNFILTERED)) ||
        (most > 0 && n->counts.filtered_served >= (size_t)most))
        return;
    if (n->habits.full_block) {
        say_block(n, b, false);
        spv__script_notice(n, SPV_SCRIPT_SERVED, b->height, true);
    } else
        spv__script_say_filtered(n, b);
}

void spv__script_give_block(spv_script_node *n, const spv_inv *item)
{
    const spv_script_block *b = spv__script_own_block(n, &item->hash);

    if (!b || !b->bytes || n->habits.no_whole)
        return;
    say_block(n, b, item->type == SPV_INV_WITNESS_BLOCK);
    if (n->habits.other_whole)
        spv__script_lied(n, b->height, true);
    else
        spv__script_notice(n, SPV_SCRIPT_SERVED, b->height, true);
}
