#ifndef SPV_P2P_ANSWER_H
#define SPV_P2P_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <spv/filter.h>
#include <spv/merkle.h>
#include <spv/tx.h>

#include "p2p/coverage.h"
#include "p2p/relay.h"

/*
 * A filtered block on its way in: a merkleblock that was proved, joined by the
 * transactions it matched.
 *
 * It is whole when every matched txid's transaction is here, whatever the
 * order they came in; until then it is worth nothing.
 */
typedef struct spv_answer {
    spv_hash hash;
    int32_t height;
    uint32_t time;           /**< of the header, Unix seconds */
    spv_grant grant;         /**< what it was asked under */
    uint32_t n_transactions; /**< in the block, as claimed */
    spv_merkle_proof proof;
    spv_tx *txs;     /**< proof.n of them in block order; bytes NULL: missing */
    uint8_t **bytes; /**< what they borrow, owned here */
    size_t missing;
    size_t matched; /**< so many, from the first on, were matched here */
    size_t size;    /**< bytes of the transactions that are here */
    size_t strays;  /**< bytes of those that came in between, nobody's */
} spv_answer;

/** Bytes of transactions: more no block holds (BIP 141's weight), and no
 * honest peer sends of others in between. */
enum { SPV__ANSWER_BYTES_MAX = 4000000 };

/** What asked for the block: the hash of its header must be this one. */
typedef struct spv_request {
    spv_hash hash;
    int32_t height;
    uint64_t sequence;
} spv_request;

/**
 * Begin from a merkleblock's payload. NULL, or the fault (static): the proof
 * does not hold, or the block is not the one asked for. `*err` becomes
 * SPV_NOMEM when that is the reason instead.
 */
const char *spv__answer_begin(spv_answer *a, const uint8_t *payload, size_t len,
                              const spv_request *request,
                              const spv_grant *grant, spv_err *err);

/**
 * Take a transaction's bytes. `*taken` tells whether the proof named it; a
 * transaction that was not asked for is nobody's. Faults as above: it cannot
 * be read, it is one that no proof may vouch for, or there are too many bytes.
 */
const char *spv__answer_take(spv_answer *a, const uint8_t *bytes, size_t len,
                             bool *taken, spv_err *err);

/**
 * The client's own match, with the node's updates, in block order, as far as
 * the transactions are here: one that does not match `mirror` is a fault,
 * unless what the peer announced excuses it. So a peer that matches everything
 * is found out by the first that came in vain.
 */
const char *spv__answer_match(spv_answer *a, spv_filter *mirror,
                              spv_relay *relay);

/** Free what it owns. Allowed on a zeroed or cleared one. */
void spv__answer_clear(spv_answer *a);

#endif
