#ifndef SPV_P2P_RELAY_H
#define SPV_P2P_RELAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <spv/tx.h>

/*
 * The transactions that one peer announces outside blocks.
 *
 * They are not only news. A node matches a transaction against the client's
 * filter before it announces it, and under UPDATE_ALL that adds outpoints; the
 * blocks that it filters afterwards match by them. So our mirror of its filter
 * needs every one of these transactions, wanted or not, in any kind of sync:
 *
 *  - what a peer announces is asked of that peer, unless we have it, and put
 *    into the mirror when it comes, as the peer did when it announced it. If
 *    that was before a filterload, the peer's filter lost it again; if the
 *    two crossed, nobody here can tell, and a fresh filter is loaded;
 *  - until then it is *open*: what a block shows beyond the mirror may be the
 *    work of an open one, and is not held against the peer. Not if it spends
 *    an open one, nor else a few times, for added bits match by chance too;
 *  - one that does not come leaves a filter that nobody here knows, and so does
 *    the second kind of pardon: a fresh one is loaded before the peer is asked
 *    for another block.
 *
 * Since getdata is answered in order, a block that was asked for after an open
 * transaction is answered after it: open are those few that cross a request.
 *
 * A peer cannot gain by announcing what does not exist: pardoned are only
 * transactions that stand in a proved block, and not many.
 */
enum {
    SPV__RELAY_MAX = 8192, /* open at once, 320 kB; more are not listened to:
                              chance matches of a full mempool are fewer */
    SPV__RELAY_BATCH = 100,
    SPV__RELAY_PARDONS = 10,    /* of one filter */
    SPV__RELAY_REPEATS = 1000,  /* of what is open: no honest peer's doing */
    SPV__RELAY_STRANGERS = 1000 /* that do not match; then it is not listened
                                   to: a few nodes answer `mempool` with all
                                   they have */
};

typedef struct spv_open_tx {
    spv_hash txid;
    uint32_t from; /**< generation of the filter that the peer matched it by, */
    uint32_t to;   /**< or of the next one, if a filterload was under way */
    uint64_t number; /**< of the request before the ping behind its getdata */
} spv_open_tx;

/** Zero it to begin. */
typedef struct spv_relay {
    spv_open_tx *open; /**< in the order announced; owned */
    size_t n;
    size_t asked;       /**< the first ones, not answered yet */
    bool unknown;       /**< the peer's filter is not the mirror's any more */
    bool crossed;       /**< nor the one that is being loaded, when it is */
    unsigned pardons;   /**< granted without a reason seen */
    unsigned repeats;   /**< announced again while open; then it is not
                             listened to any more */
    unsigned strangers; /**< came, and did not match */
    bool mempool_asked;
} spv_relay;

void spv__relay_clear(spv_relay *r);

/** The peer announced a transaction: `open`, whose number is 0. */
void spv__relay_announce(spv_relay *r, const spv_open_tx *open);

/** An open one came, or needs not come any more: it is taken off, into `taken`
 * (may be NULL). False when it was not open. */
bool spv__relay_take(spv_relay *r, const spv_hash *txid, spv_open_tx *taken);

/** The peer has answered all that was asked before ping `number`. */
void spv__relay_pass(spv_relay *r, uint64_t number);

/** Whether a transaction of a block that does not match the mirror may match
 * the peer's filter all the same. */
bool spv__relay_excuses(spv_relay *r, const spv_tx *tx);

/** The peer's filter is a fresh one, and known again if nothing crossed it. */
void spv__relay_renew(spv_relay *r);

#endif
