#include "p2p/answer.h"

#include <stdlib.h>
#include <string.h>

#include <spv/header.h>

#include "wire/message.h"

void spv__answer_clear(spv_answer *a)
{
    for (size_t i = 0; a->txs && i < a->proof.n; i++) {
        spv_tx_clear(&a->txs[i]);
        free(a->bytes[i]);
    }
    free(a->txs);
    free(a->bytes);
    spv_merkle_proof_clear(&a->proof);
    *a = (spv_answer){0};
}

/* Room for the transactions that the proof names. */
static spv_err expect(spv_answer *a)
{
    if (a->proof.n == 0)
        return SPV_OK;
    a->txs = calloc(a->proof.n, sizeof(*a->txs));
    a->bytes = calloc(a->proof.n, sizeof(*a->bytes));
    if (a->txs && a->bytes)
        return SPV_OK;
    free(a->txs);
    free(a->bytes);
    a->txs = NULL;
    a->bytes = NULL;
    return SPV_NOMEM;
}

static const char *prove(spv_answer *a, const spv_merkleblock *m, spv_err *err)
{
    spv_merkle_tree tree = {.n_txs = m->n_transactions,
                            .hashes = m->hashes.bytes,
                            .n_hashes = m->hashes.n,
                            .flags = m->flags,
                            .flags_len = m->flags_len};
    spv_header header;
    spv_merkle_verdict verdict;

    spv_header_decode(&header, m->header);
    a->time = header.time;
    a->n_transactions = m->n_transactions;
    verdict = spv_merkle_verify(&a->proof, &tree, &header.merkle_root);
    if (verdict == SPV_MERKLE_MEMORY)
        *err = SPV_NOMEM;
    return verdict == SPV_MERKLE_OK ? NULL
                                    : "sent a merkle proof that does not hold";
}

const char *spv__answer_begin(spv_answer *a, const uint8_t *payload, size_t len,
                              const spv_request *request,
                              const spv_grant *grant, spv_err *err)
{
    const char *fault = NULL;
    spv_message m;

    *a = (spv_answer){.height = request->height, .grant = *grant};
    if (spv__message_decode(&m, SPV_MSG_MERKLEBLOCK, payload, len) != SPV_OK)
        return "sent a merkleblock that cannot be read";
    spv_header_hash(&a->hash, m.as.merkleblock.header);
    if (!spv_hash_equal(&a->hash, &request->hash))
        return "sent a filtered block that was not asked for";
    fault = prove(a, &m.as.merkleblock, err);
    if (!fault && expect(a) != SPV_OK) {
        *err = SPV_NOMEM;
        fault = "out of memory";
    }
    if (fault)
        spv__answer_clear(a);
    else
        a->missing = a->proof.n;
    return fault;
}

/* A budget of bytes a block: nothing that is true needs more. */
static const char *spend(size_t *spent, size_t len)
{
    *spent += len;
    return *spent <= SPV__ANSWER_BYTES_MAX
               ? NULL
               : "sent more with a filtered block than any block holds";
}

/* The place of a txid among those still missing; proof.n when there is none. */
static size_t find_missing(const spv_answer *a, const spv_hash *txid)
{
    size_t i = a->proof.n - a->missing; /* in order, it is the next one */

    if (a->missing && !a->bytes[i] &&
        spv_hash_equal(&a->proof.leaves[i].txid, txid))
        return i;
    for (i = 0; i < a->proof.n; i++)
        if (!a->bytes[i] && spv_hash_equal(&a->proof.leaves[i].txid, txid))
            return i;
    return a->proof.n;
}

const char *spv__answer_take(spv_answer *a, const uint8_t *bytes, size_t len,
                             bool *taken, spv_err *err)
{
    const char *fault = NULL;
    uint8_t *own = malloc(len ? len : 1);
    spv_tx tx = {0};
    size_t at = 0;

    *taken = false;
    if (!own) {
        *err = SPV_NOMEM;
        return "out of memory";
    }
    if (len)
        memcpy(own, bytes, len);
    if (spv_tx_decode(&tx, own, len, NULL) != SPV_OK)
        fault = "sent a transaction that cannot be read";
    else if (!spv_merkle_may_prove(&tx))
        fault = "sent a transaction of 64 bytes, which no proof can vouch for";
    at = fault ? a->proof.n : find_missing(a, &tx.txid);
    if (!fault)
        fault = spend(at == a->proof.n ? &a->strays : &a->size, len);
    if (fault || at == a->proof.n) {
        spv_tx_clear(&tx);
        free(own);
        return fault;
    }
    a->txs[at] = tx;
    a->bytes[at] = own;
    a->missing--;
    *taken = true;
    return NULL;
}

const char *spv__answer_match(spv_answer *a, spv_filter *mirror,
                              spv_relay *relay)
{
    spv_match match;

    for (; a->matched < a->proof.n && a->bytes[a->matched]; a->matched++)
        if (!spv_filter_match(mirror, &a->txs[a->matched], &match) &&
            !spv__relay_excuses(relay, &a->txs[a->matched]))
            return "sent a transaction that does not match the filter";
    return NULL;
}
