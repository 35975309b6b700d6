#ifndef SPV_P2P_BOOK_H
#define SPV_P2P_BOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <spv/machine.h>

/*
 * The address book: which nodes are known, and whom to connect to next.
 *
 * What others say of nodes is hearsay. Whoever tells it may want us to know
 * nobody but their own, so it is bounded by who told it and by what it is
 * about: a flood displaces its own and never what we know from experience.
 * Which of like ones is chosen, or makes room, chance decides. Nodes that
 * served us are kept, and come first after a restart.
 *
 * Workload: a few hundred entries, looked through for each connection, and for
 * each address of a peer's answer (a thousand at most). Times are Unix
 * seconds, 0 for never.
 */
enum {
    SPV__BOOK_KEPT_MAX = 128,    /* known from experience, by the user, or
                                    banned */
    SPV__BOOK_HEARSAY_MAX = 512, /* all others */
    SPV__BOOK_TELLER_MAX = 64,   /* of those, from tellers of one group */
    SPV__BOOK_GROUP_MAX = 8,     /* of those, in one group themselves */
    SPV__BOOK_BAN_S = 86400,     /* whoever lied is not asked for so long */
    SPV__BOOK_AGAIN_S = 10,      /* between two tries of a run, at least */
    SPV__BOOK_TRIES = 3          /* hearsay that failed so often is forgotten */
};

/** Who told of an address first. */
typedef enum spv_book_source {
    SPV_BOOK_USER,
    SPV_BOOK_DNS,
    SPV_BOOK_FIXED, /**< the program's own list */
    SPV_BOOK_PEER
} spv_book_source;

typedef struct spv_book_entry {
    spv_netaddr addr;
    uint64_t services; /**< 0: not known */
    bool met;          /**< it said so itself, in a version message */
    spv_book_source source;
    uint32_t teller; /**< group of who told it, folded into 29 bits */
    uint64_t group;  /**< its own, filled in by the book */
    uint32_t failures;
    int64_t last_seen;    /**< by us, or by whoever told of it */
    int64_t last_tried;   /**< by us, like all that follows */
    int64_t last_success; /**< it served */
    int64_t banned_until;
    uint32_t run; /**< the last one in which it was tried; not to be kept */
} spv_book_entry;

/** Zero it to begin; spv__book_clear. */
typedef struct spv_book {
    spv_book_entry *item; /**< in no order; owned */
    size_t n;
    size_t cap;
    uint32_t run; /**< the present one */
    bool changed; /**< since whoever keeps it last set it to false */
} spv_book;

/** What one choice depends on beside the book. */
typedef struct spv_book_wish {
    int64_t now;
    int64_t again; /**< what was tried in this run, and did not serve since,
                        waits so long, at least */
    const uint64_t *groups; /**< not to be chosen from */
    size_t n_groups;
    uint64_t random;
} spv_book_wish;

void spv__book_clear(spv_book *b);

/** A run begins: what is tried in it is not tried again in a hurry. */
void spv__book_begin(spv_book *b);

/** Who is at an address; NULL. Borrowed until the book changes. */
spv_book_entry *spv__book_find(const spv_book *b, const spv_netaddr *addr);

/** Take in what was kept; what no book can hold is passed over. SPV_NOMEM. */
spv_err spv__book_load(spv_book *b, const spv_book_entry *entry);

/**
 * Somebody told of a node. Passed over: what is not public, a host that is
 * banned, what is old, what a peer says serves no filters, and what a flood
 * would be. `said` tells address, services, last_seen
 * and source; `teller` is the group of who told it. SPV_NOMEM.
 */
spv_err spv__book_hear(spv_book *b, const spv_book_entry *said, uint64_t teller,
                       int64_t now, uint64_t random);

/** The user names a node: what was known of it, and may be so no more, is
 * forgotten, but for a ban. SPV_LIMIT when there are too many; SPV_NOMEM. */
spv_err spv__book_add(spv_book *b, const spv_netaddr *addr);

/** Nothing of this host is connected to before `until`. SPV_LIMIT, SPV_NOMEM.
 */
spv_err spv__book_ban(spv_book *b, const spv_netaddr *addr, int64_t until);

/** Lift it; false when there was none at `now`. */
bool spv__book_unban(spv_book *b, const spv_netaddr *addr, int64_t now);

/** When the ban of a host ends, or ended; 0: it was never banned. */
int64_t spv__book_banned_until(const spv_book *b, const spv_netaddr *addr);

/** Whether this host is banned. */
bool spv__book_is_banned(const spv_book *b, const spv_netaddr *addr,
                         int64_t now);

/* What happened with a node; one that is not in the book is passed over. */

void spv__book_tried(spv_book *b, const spv_netaddr *addr, int64_t now);
void spv__book_met(spv_book *b, const spv_netaddr *addr, uint64_t services,
                   int64_t now);
void spv__book_served(spv_book *b, const spv_netaddr *addr, int64_t now);

/** A try came to nothing. */
void spv__book_failed(spv_book *b, const spv_netaddr *addr);

/**
 * Whom to connect to: those that served filters, then the user's, then those
 * that are said to serve filters, then those of which nothing is known; last,
 * those that serve none, who can only be asked for others. NULL: nobody may be
 * tried now. Borrowed until the book changes.
 */
const spv_book_entry *spv__book_choose(const spv_book *b,
                                       const spv_book_wish *wish);

/** Whether it serves filters, as far as is known. */
bool spv__book_serves_filters(const spv_book_entry *e);

#endif
