#ifndef SPV_CONFORM_SCRIPT_PARTS_H
#define SPV_CONFORM_SCRIPT_PARTS_H

#include <spv/network.h>

#include "base/rng.h"
#include "conform/script_node.h"
#include "wire/frame.h"

/* What the files of a scripted node have in common: script_node.c (its life
 * and its manners), script_headers.c, script_blocks.c (filters too) and
 * script_pool.c (transactions outside blocks). */

/** A transaction outside blocks. */
typedef struct spv_script_loose {
    spv_hash txid;
    spv_hash wtxid;
    uint8_t *bytes;
    size_t len;
    bool from_client;
} spv_script_loose;

/** How far a session has come. */
typedef enum spv_script_stage {
    SPV_SCRIPT_CLOSED,
    SPV_SCRIPT_SILENT,  /* nothing said yet; a client speaks first */
    SPV_SCRIPT_GREETED, /* both versions said */
    SPV_SCRIPT_READY
} spv_script_stage;

struct spv_script_node {
    const spv_network *network;
    const spv_script_chain *chain;
    int32_t tip;
    spv_script_habits habits;
    spv_script_counts counts;
    spv_rng rng;
    spv_script_loose *pool;
    size_t n_pool;
    size_t pool_cap;
    spv_addr_entry *gossip; /* owned; NULL: it tells nothing */
    size_t n_gossip;
    spv_err err; /* the first failure of its own; it then hangs up */
    spv_script_observer *observer; /* or NULL */
    void *observer_ctx;

    /* The present session. */
    spv_script_stage stage;
    bool hung_up;
    bool relay;      /* announce transactions */
    bool by_headers; /* announce blocks by headers (BIP 130) */
    bool addrv2;     /* tell addresses so (BIP 155) */
    bool has_filter;
    spv_filter filter;
    spv_buf loaded; /* the filter's bytes without what the node added */
    spv_buf in;
    size_t late;         /* bytes of `in` that came while the node was busy */
    spv_time busy_until; /* 0: not busy */
    size_t headers_left; /* of its floods */
    size_t orphans_left;
    spv_time babble_at; /* 0: it does not */
    spv_buf out;
    spv_buf held; /* of who answers pings first: what comes behind the pong */
};

/** Whether this is the rule that it breaks. */
static inline bool spv__script_breaks(const spv_script_node *n,
                                      spv_script_break b)
{
    return n->habits.breaks == b;
}

void spv__script_on_sendaddrv2(spv_script_node *n, const spv_message *m);
void spv__script_on_getaddr(spv_script_node *n, const spv_message *m);

/** Where a message begins; put its payload behind it, then end it. */
typedef struct spv_script_saying {
    size_t start;
    size_t mark;
} spv_script_saying;

spv_script_saying spv__script_say_begin(spv_script_node *n,
                                        const char *command);
void spv__script_say_end(spv_script_node *n, spv_script_saying s);
void spv__script_say_inv(spv_script_node *n, const char *command,
                         const spv_inv *items, size_t count);

/** End the session for something that the client did. */
void spv__script_hang_up(spv_script_node *n);

/** End the session for want of memory, or what else `err` says; SPV_OK is
 * none. True when there was something to end it for. */
bool spv__script_fail(spv_script_node *n, spv_err err);

/** Let the observer know. */
void spv__script_notice(spv_script_node *n, spv_script_noticed what,
                        int32_t height, bool whole);

/** The same of a filtered block that was given, true or not. */
void spv__script_notice_served(spv_script_node *n,
                               const struct spv_script_served *served);

/** The same of a lie that has just been told; `height` may be -1. */
void spv__script_lied(spv_script_node *n, int32_t height, bool whole);

/** The same of headers; there are true ones above height `beyond` too. */
void spv__script_lied_in_headers(spv_script_node *n, int32_t beyond);

/* Headers (script_headers.c). */

/** The block if it is in the node's own chain now. */
const spv_script_block *spv__script_own_block(const spv_script_node *n,
                                              const spv_hash *hash);

/** Headers above height `after`, through `last`. */
void spv__script_say_headers(spv_script_node *n, int32_t after, int32_t last);

void spv__script_on_getheaders(spv_script_node *n, const spv_message *m);
void spv__script_on_sendheaders(spv_script_node *n, const spv_message *m);

/* Filters and blocks (script_blocks.c). */

void spv__script_on_filterload(spv_script_node *n, const spv_message *m);
void spv__script_on_filteradd(spv_script_node *n, const spv_message *m);
void spv__script_on_filterclear(spv_script_node *n, const spv_message *m);

/** Whether a careless node takes this message, beyond the limits as it is. */
bool spv__script_takes_anyway(spv_script_node *n, spv_message_kind kind,
                              const spv_frame *f);

/** A merkleblock and what it proves, under the filter there is. */
void spv__script_say_filtered(spv_script_node *n, const spv_script_block *b);

/** Answer a request, or be silent as Core is. */
void spv__script_give_filtered(spv_script_node *n, const spv_hash *hash);
void spv__script_give_block(spv_script_node *n, const spv_inv *item);

/** Anything but what was asked for, and never an end of it. */
void spv__script_babble(spv_script_node *n);

/* Transactions outside blocks (script_pool.c). */

const spv_script_loose *spv__script_pool_find(const spv_script_node *n,
                                              const spv_hash *hash);

/** Add one, unless it is there. SPV_NOMEM. */
spv_err spv__script_pool_add(spv_script_node *n, const spv_tx *tx,
                             bool from_client);
void spv__script_pool_free(spv_script_node *n);

/** Announce a transaction, if the client's filter wants it, or `all`. */
void spv__script_announce(spv_script_node *n, const spv_script_loose *t,
                          bool all);

/** False when it is to be answered with notfound. */
bool spv__script_give_tx(spv_script_node *n, const spv_inv *item);

void spv__script_on_tx(spv_script_node *n, const spv_message *m);
void spv__script_on_inv(spv_script_node *n, const spv_message *m);
void spv__script_on_mempool(spv_script_node *n, const spv_message *m);

#endif
