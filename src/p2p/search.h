#ifndef SPV_P2P_SEARCH_H
#define SPV_P2P_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <spv/machine.h>

#include "base/rng.h"
#include "p2p/book.h"
#include "wire/seeds.h"

/*
 * The search for peers when none was named: who is in the book, then what DNS
 * seeds answer, then the program's own list.
 *
 * A question to DNS shows others that this program is here. It is not put
 * while peers that are known from before do well; and once it is, all names
 * are asked at once, so that one that never answers holds up nobody.
 */
enum {
    SPV__SEARCH_PATIENCE_MS = 4000, /* so long peers in the book may take */
    SPV__SEARCH_DNS_MS = 10000,     /* and so long all of DNS */
    SPV__SEARCH_LOOK_MS = 1000,     /* from one look to the next */
    SPV__SEARCH_LOST_MS = 20000,    /* peers that were lost may come back */
    SPV__SEARCH_ANEW_MS = 60000     /* from one search to the next, at first */
};

typedef enum spv_search_name_state {
    SPV_NAME_UNASKED,
    SPV_NAME_ASKED, /* as `conn` */
    SPV_NAME_DONE
} spv_search_name_state;

typedef struct spv_search_name {
    spv_search_name_state state;
    bool plain; /**< without the prefix */
    spv_conn conn;
    char text[80];
} spv_search_name;

/** How it goes with those that were found. */
typedef struct spv_search_state {
    size_t good;   /**< peers that serve */
    size_t coming; /**< that may in a moment */
    bool hope;     /**< the book has one to try that may serve */
    bool any;      /**< it has any to try */
} spv_search_state;

typedef struct spv_search {
    spv_book *book; /**< borrowed; NULL: there is no search */
    const spv_seeds *seeds;
    spv_rng rng;
    uint16_t port; /**< of nodes, where none is told */
    spv_search_name names[SPV__SEEDS_MAX];
    spv_time began;    /**< 0: not yet */
    spv_time asked_at; /**< all names; 0: not yet */
    spv_time good_at;  /**< when a good peer was last there; 0: never */
    bool own_list;     /**< that was taken in */
    bool settled;      /**< nobody more is to be expected soon */
    bool in_vain;      /**< nobody is left to try, and nobody is there */
    bool over;         /**< and it ends with that */
    spv_time look_at;  /**< the next step is not due before, if nothing comes */
    bool answered;     /**< somebody was there */
    uint32_t tried;    /**< connections */
    uint32_t met;      /**< that answered, of those */
    uint32_t served;   /**< that served, of those */
    uint32_t resolved; /**< names that found something */
    unsigned anew;     /**< searches that came to nothing, if it never ends */
    spv_err err;       /**< sticky: SPV_NOMEM */
} spv_search;

void spv__search_init(spv_search *f, spv_book *book, const spv_seeds *seeds,
                      uint16_t port, uint64_t seed);

/** Take the next step, if any is due. `unix_time` in seconds. `stays`: it
 * begins anew when nobody is left to try. */
void spv__search_step(spv_search *f, const spv_search_state *state, bool stays,
                      int64_t unix_time, spv_time now);

/** How long, in seconds, a node that was tried is left alone: longer after each
 * search that came to nothing. */
int64_t spv__search_wait(const spv_search *f);

/** A name to be looked up as `conn`; false when there is none. The name is
 * borrowed until its answer. */
bool spv__search_next_name(spv_search *f, spv_out *out, spv_conn conn);

/** An answer; false if it is not to a question of this search. */
bool spv__search_resolved(spv_search *f, spv_conn conn,
                          const spv_netaddr *addrs, size_t n,
                          int64_t unix_time);

#endif
