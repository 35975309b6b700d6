#ifndef SPV_P2P_POOL_H
#define SPV_P2P_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <spv/machine.h>

#include "base/u256.h"
#include "p2p/suspicion.h"

/*
 * Whom to connect to, and when to try again.
 *
 * A peer that fails is tried again later and later, a few times, or for ever;
 * one that made progress in between starts anew; one that lied or cannot serve
 * us is given up.
 */
enum {
    SPV__POOL_MAX = 16,
    SPV__POOL_HOST_MAX = 255,
    SPV__POOL_TRIES = 4, /* failures in a row before a peer is given up */
    SPV__POOL_FIRST_WAIT_MS = 500,
    SPV__POOL_LAST_WAIT_MS = 60000 /* no wait is longer, but for the jitter */
};

typedef enum spv_candidate_state {
    SPV_CANDIDATE_IDLE,      /**< to be tried from `retry_at` on */
    SPV_CANDIDATE_RESOLVING, /**< its name is being looked up, as `conn` */
    SPV_CANDIDATE_ACTIVE,    /**< connecting or connected, as `conn` */
    SPV_CANDIDATE_GIVEN_UP
} spv_candidate_state;

typedef struct spv_candidate {
    char host[SPV__POOL_HOST_MAX + 1]; /**< name to look up; "" if numeric */
    spv_netaddr addr;                  /**< known once resolved */
    bool resolved;
    spv_candidate_state state;
    spv_conn conn;
    unsigned failures; /**< in a row */
    bool for_ever;     /**< however many they are, it is tried again */
    bool found;        /**< nobody named it: one failure gives it up */
    spv_time retry_at;
    bool tried;         /**< a first attempt has come to an end */
    spv_err why;        /**< of the last failure */
    const char *reason; /**< the same in words, static: "<peer> <reason>" */
    /* Kept across connections, for the report. */
    char user_agent[64];
    uint64_t services;
    uint32_t served;
    uint64_t bytes_received;
    bool greeted; /**< a handshake was done at some time */
    /* What its word is worth. */
    int32_t served_from;     /**< the lowest block it filtered; 0: none */
    spv_suspicion suspicion; /**< that it leaves matches out */
    const char *warning;     /**< not yet told upwards; static */
    bool drags;              /**< that it is slow was told */
    bool doubted;            /**< that it is suspect was told */
    spv_u256 vain;           /**< most work that it showed without the blocks */
    spv_u256 recalled;       /**< most work that counted again by its word */
    bool lost_untold;        /**< its last failure was not yet told upwards */
    bool ready_untold;       /**< nor was its last handshake */
} spv_candidate;

typedef struct spv_pool {
    spv_candidate item[SPV__POOL_MAX];
    size_t n;
} spv_pool;

/** Parse "host[:port]" into a new candidate. SPV_LIMIT, SPV_INVAL. */
spv_err spv__pool_add(spv_pool *pool, const char *text, uint16_t default_port);

/** Who is called `conn`; NULL when nobody is. */
spv_candidate *spv__pool_find(spv_pool *pool, spv_conn conn);

/**
 * A try failed. `jitter` is any random number. SPV_PROTOCOL and SPV_NO_PEER
 * (it cannot serve us) give the candidate up at once, and so does SPV_NOT_FOUND
 * (it lacks the chain) unless it is tried for ever: it may have it later. One
 * that was found is given up whatever happened: others take its place.
 */
void spv__pool_failed(spv_candidate *c, spv_err why, const char *reason,
                      uint64_t jitter, spv_time now);

/** It did something useful: failures before do not count any more. */
void spv__pool_progress(spv_candidate *c);

/** Nobody is left to try. */
bool spv__pool_is_exhausted(const spv_pool *pool);

/** Every candidate has been connected to, or failed, at least once. */
bool spv__pool_all_tried(const spv_pool *pool);

/** When the next idle candidate is due; SPV_NEVER. */
spv_time spv__pool_deadline(const spv_pool *pool);

/** The failure that tells most about why nobody is left. */
const spv_candidate *spv__pool_worst(const spv_pool *pool);

#endif
