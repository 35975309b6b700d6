#include "conform/script_parts.h"

#include <string.h>

#include "conform/script_serve.h"

/* ---- Filters ---- */

void spv__script_on_filterload(spv_script_node *n, const spv_message *m)
{
    const spv_filterload *f = &m->as.filterload;

    if (n->habits.no_bloom || f->len > SPV__FILTER_BYTES_MAX ||
        f->hash_funcs > SPV__FILTER_FUNCS_MAX) {
        spv__script_hang_up(n);
        return;
    }
    spv_filter_clear(&n->filter);
    n->has_filter = false;
    if (spv__script_fail(n, spv_filter_init(&n->filter, f->len, f->hash_funcs,
                                            f->tweak, f->flags)))
        return;
    if (f->len > 0)
        memcpy(n->filter.bytes, f->filter, f->len);
    n->has_filter = true;
    n->relay = true;
}

void spv__script_on_filteradd(spv_script_node *n, const spv_message *m)
{
    if (n->habits.no_bloom || !n->has_filter ||
        m->as.filteradd.len > SPV__FILTERADD_MAX) {
        spv__script_hang_up(n);
        return;
    }
    spv_filter_insert(&n->filter, m->as.filteradd.data, m->as.filteradd.len);
}

void spv__script_on_filterclear(spv_script_node *n, const spv_message *m)
{
    (void)m;
    if (n->habits.no_bloom) {
        spv__script_hang_up(n);
        return;
    }
    spv_filter_clear(&n->filter);
    n->has_filter = false;
    n->relay = true;
}

/* ---- Blocks ---- */

static void say_tx(spv_script_node *n, const spv_tx *tx)
{
    spv_script_saying s = spv__script_say_begin(n, "tx");

    spv__script_put_tx(&n->out, tx);
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

void spv__script_say_filtered(spv_script_node *n, const spv_script_block *b)
{
    spv_script_served served;
    spv_script_saying s;

    if (spv__script_fail(n, spv__script_serve_begin(&served, b, &n->filter,
                                                    &n->habits, &n->rng)))
        return;
    s = spv__script_say_begin(n, "merkleblock");
    spv__script_put_proof(&n->out, &served, &n->habits);
    spv__script_say_end(n, s);
    for (size_t i = 0; i < served.n; i++)
        if (served.sent[i])
            say_tx(n, &served.txs[i]);
    n->counts.filtered_served++;
    if (served.lies)
        spv__script_lied(n, b->height, false);
    else
        spv__script_notice(
            n, served.omits ? SPV_SCRIPT_OMITTED : SPV_SCRIPT_SERVED, b->height,
            false);
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
    if (!b || !b->bytes || !n->has_filter ||
        (most > 0 && n->counts.filtered_served >= (size_t)most))
        return;
    if (n->habits.full_block)
        say_block(n, b, false);
    else
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
