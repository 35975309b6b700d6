#ifndef SPV_CLIENT_EVENTS_H
#define SPV_CLIENT_EVENTS_H

#include <spv/client.h>

#include "chain/tree.h"
#include "p2p/pool.h"

/*
 * What a run tells its owner, who may read the client meanwhile.
 *
 * The sync's findings are told as they come, if they are of peers; the chain
 * and the transactions when an input was dealt with, by comparing what is with
 * what was told last.
 */
typedef struct spv_teller {
    void (*event)(void *ctx, const spv_event *event); /**< NULL: nobody hears */
    void *ctx;
    void (*log)(void *ctx, const char *line); /**< likewise: warnings alone */
    void *log_ctx;
    spv_tree_block tip; /**< told last, or where the chain ended before */
    bool tip_told;
    spv_balance balance;
    bool balance_told;
    bool synced; /**< to be told */
    bool connected[SPV__POOL_MAX];
    const char *warned[SPV__POOL_MAX]; /**< of a peer that does not come */
} spv_teller;

/** A run of `c` begins. */
void spv__events_begin(spv_client *c);

void spv__events_peer_ready(spv_client *c, const spv_candidate *peer);
void spv__events_peer_lost(spv_client *c, const spv_candidate *peer);

/** Something is wrong, or may be. */
void spv__events_warn(const spv_client *c, const char *line);

/** The same of a peer: "<peer> <what>", or `what` alone for NULL. */
void spv__events_warn_of(const spv_client *c, const spv_candidate *peer,
                         const char *what);

/** Tell what has changed. */
void spv__events_tell(spv_client *c);

#endif
