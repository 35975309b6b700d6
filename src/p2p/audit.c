#include "p2p/audit.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <spv/block.h>

/* ---- Pending ---- */

static void drop(spv_audit *audit)
{
    spv_filter_clear(&audit->before);
    free(audit->answered);
    *audit = (spv_audit){0};
}

void spv__audits_clear(spv_audits *a)
{
    while (a->n)
        spv__audits_remove(a, a->n - 1);
}

spv_err spv__audits_add(spv_audits *a, const spv_answer *answer,
                        spv_filter *before, size_t place, spv_time now)
{
    spv_audit *audit = &a->item[a->n];
    spv_hash *answered = malloc((answer->proof.n + 1) * sizeof(*answered));

    assert(a->n < SPV__AUDITS_MAX && answer->missing == 0);
    if (!answered)
        return SPV_NOMEM;
    for (size_t i = 0; i < answer->proof.n; i++)
        answered[i] = answer->proof.leaves[i].txid;
    *audit =
        (spv_audit){.block = {.hash = answer->hash, .height = answer->height},
                    .place = place,
                    .before = *before,
                    .answered = answered,
                    .n = answer->proof.n,
                    .since = now};
    *before = (spv_filter){0};
    a->n++;
    return SPV_OK;
}

void spv__audits_remove(spv_audits *a, size_t i)
{
    drop(&a->item[i]);
    a->n--;
    memmove(&a->item[i], &a->item[i + 1], (a->n - i) * sizeof(*a->item));
}

bool spv__audits_concern(const spv_audits *a, size_t place)
{
    for (size_t i = 0; i < a->n; i++)
        if (a->item[i].place == place)
            return true;
    return false;
}

void spv__audits_renew(spv_audits *a, size_t place)
{
    a->missed[place] = false;
    for (size_t i = 0; i < a->n; i++) {
        a->item[i].tries -= a->item[i].asks[place].times;
        a->item[i].asks[place] = (spv_audit_ask){0};
    }
}

void spv__audits_remove_of(spv_audits *a, size_t place)
{
    for (size_t i = a->n; i-- > 0;)
        if (a->item[i].place == place)
            spv__audits_remove(a, i);
}

void spv__audit_note_ask(spv_audit *audit, size_t place, uint32_t stream,
                         uint64_t sequence)
{
    spv_audit_ask *ask = &audit->asks[place];

    *ask = (spv_audit_ask){
        .stream = stream, .times = ask->times + 1, .sequence = sequence};
    audit->tries++;
}

bool spv__audit_is_asked(const spv_audit *audit)
{
    for (size_t i = 0; i < SPV__POOL_MAX; i++)
        if (audit->asks[i].stream)
            return true;
    return false;
}

static spv_audit_ask *find_ask(spv_audit *audit, uint32_t stream)
{
    for (size_t i = 0; i < SPV__POOL_MAX; i++)
        if (audit->asks[i].stream == stream)
            return &audit->asks[i];
    return NULL;
}

void spv__audit_release(spv_audit *audit, uint32_t stream)
{
    spv_audit_ask *ask = find_ask(audit, stream);

    if (!ask)
        return;
    ask->stream = 0;
    audit->heard = 0; /* the others are looked at anew */
    if (!spv__audit_is_asked(audit))
        audit->ask_at = 0;
}

void spv__audits_release(spv_audits *a, uint32_t stream)
{
    for (size_t i = 0; i < a->n; i++)
        spv__audit_release(&a->item[i], stream);
}

static bool is_owed(const spv_audit *audit, uint32_t stream, uint64_t sequence)
{
    for (size_t i = 0; i < SPV__POOL_MAX; i++)
        if (audit->asks[i].stream == stream &&
            audit->asks[i].sequence == sequence)
            return true;
    return false;
}

size_t spv__audits_find(const spv_audits *a, uint32_t stream, uint64_t sequence)
{
    size_t i = 0;

    while (i < a->n && !is_owed(&a->item[i], stream, sequence))
        i++;
    return i;
}

int32_t spv__audits_lowest(const spv_audits *a)
{
    int32_t lowest = INT32_MAX;

    for (size_t i = 0; i < a->n; i++)
        if (a->item[i].block.height < lowest)
            lowest = a->item[i].block.height;
    return lowest;
}

/* ---- Judging ---- */

/* So many transactions are matched together, which is faster. */
enum { BATCH = 256 };

/* What a whole block shows, as far as it was read. */
typedef struct reading {
    const spv_audit *audit;
    spv_filter filter; /* as it was before what is read; owned */
    spv_hash *txids;   /* owned */
    size_t n;
    size_t met; /* of what was answered */
    bool omission;
    bool unfit; /* it holds a transaction that no proof may vouch for */
    spv_tx batch[BATCH]; /* read, and to be matched */
    size_t n_batch;
} reading;

static void drop_batch(reading *r)
{
    while (r->n_batch > 0)
        spv_tx_clear(&r->batch[--r->n_batch]);
}

static void meet(reading *r, const spv_hash *txid, bool matched)
{
    const spv_audit *audit = r->audit;

    r->txids[r->n++] = *txid;
    if (r->met < audit->n && spv_hash_equal(&audit->answered[r->met], txid))
        r->met++;
    else
        r->omission |= matched;
}

/* The node's own match of the next transactions, with its updates. */
static void meet_batch(reading *r)
{
    spv_match matches[BATCH];

    spv_filter_match_block(&r->filter, r->batch, r->n_batch, matches);
    for (size_t i = 0; i < r->n_batch; i++)
        meet(r, &r->batch[i].txid, matches[i].matched);
    drop_batch(r);
}

/* Every transaction to the last one. What cannot be read proves nothing. */
static spv_audit_verdict read_all(reading *r, spv_block_reader *block)
{
    spv_err err = SPV_OK;

    while ((err = spv_block_next(block, &r->batch[r->n_batch])) == SPV_OK) {
        r->unfit |= !spv_merkle_may_prove(&r->batch[r->n_batch++]);
        if (r->n_batch == BATCH)
            meet_batch(r);
    }
    meet_batch(r);
    if (err == SPV_NOMEM)
        return SPV_AUDIT_NOMEM;
    return err == SPV_NOT_FOUND && r->n ? SPV_AUDIT_CLEAN : SPV_AUDIT_UNPROVED;
}

/* A whole block is a proof of all its transactions, and is held to the same
 * rules: no twins, and no inner node that reads as a transaction. */
static spv_merkle_verdict prove(const reading *r, const uint8_t *header_bytes)
{
    bool *all = malloc(r->n);
    spv_merkle_proof proof = {0};
    spv_merkle_tree tree = {0};
    spv_merkle_verdict verdict = SPV_MERKLE_MEMORY;
    spv_header header;

    spv_header_decode(&header, header_bytes);
    if (!all)
        return SPV_MERKLE_MEMORY;
    memset(all, true, r->n);
    if (spv_merkle_build(&tree, r->txids, all, (uint32_t)r->n) == SPV_OK)
        verdict = spv_merkle_verify(&proof, &tree, &header.merkle_root);
    spv_merkle_tree_free(&tree);
    spv_merkle_proof_clear(&proof);
    free(all);
    return verdict;
}

static spv_audit_verdict judge(reading *r, spv_block_reader *block)
{
    spv_audit_verdict verdict = read_all(r, block);

    if (verdict != SPV_AUDIT_CLEAN)
        return verdict;
    switch ((int)prove(r, block->header)) {
    case SPV_MERKLE_OK:
        if (r->unfit) /* which an honest node cannot help */
            return SPV_AUDIT_UNFIT;
        return r->omission ? SPV_AUDIT_OMISSION : SPV_AUDIT_CLEAN;
    case SPV_MERKLE_MEMORY:
        return SPV_AUDIT_NOMEM;
    default:
        return SPV_AUDIT_UNPROVED;
    }
}

static void free_reading(reading *r)
{
    if (!r)
        return;
    drop_batch(r);
    spv_filter_clear(&r->filter);
    free(r->txids);
    free(r);
}

spv_audit_verdict spv__audit_judge(const spv_audit *audit, const uint8_t *block,
                                   size_t len)
{
    reading *r = NULL;
    spv_audit_verdict verdict = SPV_AUDIT_NOMEM;
    spv_block_reader reader;

    if (spv_block_open(&reader, block, len) != SPV_OK ||
        reader.n_tx > SPV_MERKLE_TXS_MAX)
        return SPV_AUDIT_UNPROVED;
    r = calloc(1, sizeof(*r));
    if (r) {
        r->audit = audit;
        r->txids = malloc((reader.n_tx + 1) * sizeof(*r->txids));
    }
    if (r && r->txids && spv_filter_copy(&r->filter, &audit->before) == SPV_OK)
        verdict = judge(r, &reader);
    free_reading(r);
    return verdict;
}
