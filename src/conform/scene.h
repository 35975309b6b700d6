#ifndef SPV_CONFORM_SCENE_H
#define SPV_CONFORM_SCENE_H

#include "conform/checks.h"

/*
 * What a node announces outside blocks: several connections at once, of which
 * each has said something else about a filter, and what each of them hears
 * when transactions appear or the mempool is asked for.
 *
 * Nothing of it can be fenced: nodes announce in batches, some seconds apart.
 * So a scene waits until all has been heard that must be, then a moment more
 * for what must not.
 */

/** What a watcher is; the `arg` of a check that is played in a scene. */
typedef enum spv_role {
    SPV_ROLE_SENDER,
    SPV_ROLE_SILENT,        /**< relay=0, and nothing said of a filter */
    SPV_ROLE_MATCHING,      /**< relay=0, then a filter of half of them */
    SPV_ROLE_CLEARED,       /**< relay=0, then a filter and filterclear */
    SPV_ROLE_OPEN,          /**< relay=1 */
    SPV_ROLE_OPEN_MATCHING, /**< relay=1, then a filter of half of them */
    SPV_ROLE_POOL,          /**< mempool, without a filter */
    SPV_ROLE_POOL_GETDATA,  /**< the same one asks for what was announced */
    SPV_ROLE_POOL_MATCHING, /**< mempool, with a filter of half of it */
    SPV_ROLE_POOL_NOTHING   /**< mempool, with a filter of nothing in it */
} spv_role;

enum { SPV__WATCHERS_MAX = 8, SPV__LOOSE_MAX = 200 };

/** A transaction outside blocks. */
typedef struct spv_loose {
    spv_hash txid;
    uint8_t *bytes; /**< owned; NULL while only its txid is known */
    size_t len;
    bool accepted; /**< somebody heard of it: the node has it */
    bool vouched;  /**< somebody who did not ask for the mempool did */
    bool given;    /**< to the node, which asked for it */
} spv_loose;

/** What became of the wish for a transaction of the mempool. */
typedef enum spv_body {
    SPV_BODY_UNASKED,
    SPV_BODY_ASKED,
    SPV_BODY_CAME,
    SPV_BODY_GONE /**< notfound: it has left the mempool meanwhile */
} spv_body;

typedef struct spv_watcher {
    spv_role role;
    spv_session session;
    bool used;
    bool said;      /**< what it says of a filter */
    bool fenced;    /**< and the node has heard that */
    bool acted;     /**< what it does then: announce, or ask */
    unsigned tries; /**< connections that came to nothing */
    bool lost;      /**< its connection ended */
    uint64_t fence;
    bool wanted[SPV__LOOSE_MAX];
    bool heard[SPV__LOOSE_MAX];
    size_t strangers;                /**< announced, and not known here */
    spv_body bodies[SPV__LOOSE_MAX]; /**< POOL's */
    size_t n_asked;                  /**< of them */
    bool misled; /**< a transaction came that was not asked for */
} spv_watcher;

typedef enum spv_round {
    SPV_ROUND_RELAY,
    SPV_ROUND_POOL,
    SPV_ROUND_POOL_FILTERED,
    SPV_ROUNDS
} spv_round;

typedef struct spv_scene {
    spv_round round;
    spv_round last; /**< played together with it, or the same */
    bool begun;     /**< this round */
    bool listening;
    bool content;   /**< all was heard; a moment more */
    spv_time first; /**< when one had heard all; 0: none has */
    bool at_once;   /**< the node tells all at once */
    bool hurried;   /**< so who lacks something does not wait long */
    bool over;
    spv_time due;
    spv_loose *txs; /**< owned */
    size_t n;
    size_t n_sent; /**< the first ones are ours to send */
    spv_rng rng;
    spv_watcher watchers[SPV__WATCHERS_MAX];
} spv_scene;

/** Take over a copy of a transaction to be sent. SPV_NOMEM; what cannot be
 * decoded is SPV_INVAL. */
spv_err spv__scene_add(spv_scene *scene, const uint8_t *bytes, size_t len);
void spv__scene_clear(spv_scene *scene);

/** Go on as far as can be. */
void spv__scene_work(spv_conform *b);

/** The session of that name, or NULL. */
spv_session *spv__scene_session(spv_scene *scene, spv_conn conn);

/** Whether a check is played in a scene. */
static inline bool spv__is_of_scene(const spv_check *row)
{
    return row->write == NULL;
}

#endif
