#include "p2p/book.h"

#include <stdlib.h>

#include "base/rng.h"
#include "p2p/reach.h"
#include "wire/message.h"
#include "wire/netaddr.h"

enum {
    FIRST_WAIT_S = 5, /* after a failure; then twice as long each time */
    LAST_WAIT_S = 86400,
    NO_USE_S = 86400,              /* one that serves no filters */
    STALE_S = 30 * 86400,          /* hearsay that old is not worth a try */
    AHEAD_S = 600,                 /* clocks may differ by so much */
    AGE_OF_NONSENSE_S = 5 * 86400, /* what such a time is taken for */
    TELLER_BITS = 29,
    LOOKED_AT = 8 /* to find one of the loud */
};

/* ---- Entries ---- */

void spv__book_clear(spv_book *b)
{
    free(b->item);
    *b = (spv_book){0};
}

void spv__book_begin(spv_book *b)
{
    b->run++;
}

spv_book_entry *spv__book_find(const spv_book *b, const spv_netaddr *addr)
{
    for (size_t i = 0; i < b->n; i++)
        if (spv__netaddr_equal(&b->item[i].addr, addr))
            return &b->item[i];
    return NULL;
}

bool spv__book_serves_filters(const spv_book_entry *e)
{
    return (e->services & SPV__NODE_NETWORK) && (e->services & SPV__NODE_BLOOM);
}

/* Experience, or the user's word: nothing that a peer says displaces it. */
static bool is_kept(const spv_book_entry *e)
{
    return e->last_success || e->banned_until || e->source == SPV_BOOK_USER;
}

static bool is_reachable(const spv_netaddr *addr)
{
    return (addr->net == SPV__NET_IPV4 && addr->len == 4) ||
           (addr->net == SPV__NET_IPV6 && addr->len == 16);
}

static void drop(spv_book *b, spv_book_entry *e)
{
    *e = b->item[--b->n];
    b->changed = true;
}

static spv_err append(spv_book *b, const spv_book_entry *e)
{
    if (b->n == b->cap) {
        size_t cap = b->cap ? 2 * b->cap : 64;
        spv_book_entry *item = realloc(b->item, cap * sizeof(*item));

        if (!item)
            return SPV_NOMEM;
        b->item = item;
        b->cap = cap;
    }
    b->item[b->n] = *e;
    b->item[b->n++].group = spv__reach_group(&e->addr);
    b->changed = true;
    return SPV_OK;
}

/* ---- Room for those that are kept ---- */

/* The least worth keeping: bans go by when they end, all others by when they
 * last served. The user's stay. */
static spv_book_entry *least_kept(const spv_book *b)
{
    spv_book_entry *least = NULL;
    int64_t lowest = 0;

    for (size_t i = 0; i < b->n; i++) {
        spv_book_entry *e = &b->item[i];
        int64_t worth = e->banned_until > e->last_success ? e->banned_until
                                                          : e->last_success;

        if (!is_kept(e) || e->source == SPV_BOOK_USER)
            continue;
        if (!least || worth < lowest) {
            least = e;
            lowest = worth;
        }
    }
    return least;
}

static size_t count_kept(const spv_book *b)
{
    size_t n = 0;

    for (size_t i = 0; i < b->n; i++)
        n += is_kept(&b->item[i]);
    return n;
}

/* Room for one more; false when all of them are the user's. */
static bool make_room(spv_book *b)
{
    spv_book_entry *least = NULL;

    if (count_kept(b) < SPV__BOOK_KEPT_MAX)
        return true;
    least = least_kept(b);
    if (least)
        drop(b, least);
    return least != NULL;
}

spv_err spv__book_add(spv_book *b, const spv_netaddr *addr)
{
    spv_book_entry *e = spv__book_find(b, addr);

    if (e) {
        *e = (spv_book_entry){.addr = e->addr,
                              .source = SPV_BOOK_USER,
                              .group = e->group,
                              .last_success = e->last_success,
                              .banned_until = e->banned_until};
        b->changed = true;
        return SPV_OK;
    }
    if (!make_room(b))
        return SPV_LIMIT;
    return append(b, &(spv_book_entry){.addr = *addr, .source = SPV_BOOK_USER});
}

/* ---- Hearsay ---- */

static uint32_t fold(uint64_t group)
{
    return (
        uint32_t)((group ^ group >> TELLER_BITS ^ group >> 2 * TELLER_BITS) &
                  ((1u << TELLER_BITS) - 1));
}

/* Of the hearsay, what one teller's group told. */
static size_t count_of(const spv_book *b, uint32_t teller)
{
    size_t n = 0;

    for (size_t i = 0; i < b->n; i++)
        n += !is_kept(&b->item[i]) && b->item[i].teller == teller;
    return n;
}

static spv_book_entry *any_of(const spv_book *b, uint32_t teller,
                              uint64_t random)
{
    size_t at = (size_t)(random % count_of(b, teller));

    for (size_t i = 0;; i++)
        if (!is_kept(&b->item[i]) && b->item[i].teller == teller && at-- == 0)
            return &b->item[i];
}

/* There is some. */
static spv_book_entry *any_hearsay(const spv_book *b, uint64_t random)
{
    size_t at = (size_t)(random % b->n);

    while (is_kept(&b->item[at]))
        at = (at + 1) % b->n;
    return &b->item[at];
}

/* Of some of the hearsay, one of whoever told most. */
static spv_book_entry *any_of_the_loud(const spv_book *b, uint64_t random)
{
    spv_rng rng = {random};
    spv_book_entry *loud = NULL;
    size_t most = 0;

    for (int i = 0; i < LOOKED_AT; i++) {
        spv_book_entry *e = any_hearsay(b, spv__rng_next(&rng));
        size_t n = count_of(b, e->teller);

        if (n <= most)
            continue;
        most = n;
        loud = e;
    }
    return loud;
}

static size_t count_in_group(const spv_book *b, uint64_t group)
{
    size_t n = 0;

    for (size_t i = 0; i < b->n; i++)
        n += !is_kept(&b->item[i]) && b->item[i].group == group;
    return n;
}

/* A teller with too much to say displaces its own; when all is full, one that
 * said much gives way. */
static spv_err insert(spv_book *b, const spv_book_entry *e, uint64_t random)
{
    size_t own = count_of(b, e->teller);

    if (count_in_group(b, spv__reach_group(&e->addr)) >= SPV__BOOK_GROUP_MAX)
        return SPV_OK;
    if (own >= SPV__BOOK_TELLER_MAX)
        drop(b, any_of(b, e->teller, random));
    else if (b->n - count_kept(b) >= SPV__BOOK_HEARSAY_MAX)
        drop(b, any_of_the_loud(b, random));
    return append(b, e);
}

/* A peer that says of a node that it serves no filters tells nothing of use. */
static bool is_worth_a_place(const spv_book *b, const spv_book_entry *e,
                             int64_t now)
{
    return spv__reach_is_public(&e->addr) &&
           (e->last_seen >= now - STALE_S || e->source == SPV_BOOK_FIXED) &&
           (e->source != SPV_BOOK_PEER || spv__book_serves_filters(e)) &&
           !spv__book_is_banned(b, &e->addr, now);
}

/* Nobody has seen a node tomorrow; who made the program's own list did not say
 * when. */
static int64_t sane_time(const spv_book_entry *said, int64_t now)
{
    int64_t seen = said->last_seen;

    if (said->source == SPV_BOOK_FIXED)
        return 0;
    return seen > now + AHEAD_S || seen <= 0 ? now - AGE_OF_NONSENSE_S : seen;
}

spv_err spv__book_hear(spv_book *b, const spv_book_entry *said, uint64_t teller,
                       int64_t now, uint64_t random)
{
    spv_book_entry *known = spv__book_find(b, &said->addr);
    spv_book_entry e = {.addr = said->addr,
                        .services = said->services,
                        .source = said->source,
                        .teller = fold(teller),
                        .last_seen = sane_time(said, now)};

    if (known) {
        if (!known->met)
            known->services |= e.services;
        if (e.last_seen > known->last_seen)
            known->last_seen = e.last_seen;
        return SPV_OK;
    }
    return is_worth_a_place(b, &e, now) ? insert(b, &e, random) : SPV_OK;
}

spv_err spv__book_load(spv_book *b, const spv_book_entry *e)
{
    bool full = is_kept(e) ? count_kept(b) >= SPV__BOOK_KEPT_MAX
                           : b->n - count_kept(b) >= SPV__BOOK_HEARSAY_MAX;

    if (full || !is_reachable(&e->addr) || spv__book_find(b, &e->addr))
        return SPV_OK;
    return append(b, e);
}

/* ---- Bans ---- */

int64_t spv__book_banned_until(const spv_book *b, const spv_netaddr *addr)
{
    int64_t until = 0;

    for (size_t i = 0; i < b->n; i++)
        if (b->item[i].banned_until > until &&
            spv__reach_same_host(&b->item[i].addr, addr))
            until = b->item[i].banned_until;
    return until;
}

bool spv__book_is_banned(const spv_book *b, const spv_netaddr *addr,
                         int64_t now)
{
    return spv__book_banned_until(b, addr) > now;
}

/* Every entry of the host; false when there is none. */
static bool set_ban(spv_book *b, const spv_netaddr *addr, int64_t until)
{
    bool any = false;

    for (size_t i = 0; i < b->n; i++) {
        if (!spv__reach_same_host(&b->item[i].addr, addr))
            continue;
        b->item[i].banned_until = until;
        b->changed = any = true;
    }
    return any;
}

spv_err spv__book_ban(spv_book *b, const spv_netaddr *addr, int64_t until)
{
    if (set_ban(b, addr, until))
        return SPV_OK;
    if (!make_room(b))
        return SPV_LIMIT;
    return append(b, &(spv_book_entry){.addr = *addr,
                                       .source = SPV_BOOK_PEER,
                                       .banned_until = until});
}

bool spv__book_unban(spv_book *b, const spv_netaddr *addr, int64_t now)
{
    bool was = spv__book_is_banned(b, addr, now);

    (void)set_ban(b, addr, 0);
    return was;
}

/* ---- What happened ---- */

void spv__book_tried(spv_book *b, const spv_netaddr *addr, int64_t now)
{
    spv_book_entry *e = spv__book_find(b, addr);

    if (!e)
        return;
    e->last_tried = now;
    e->run = b->run;
    b->changed = true;
}

void spv__book_met(spv_book *b, const spv_netaddr *addr, uint64_t services,
                   int64_t now)
{
    spv_book_entry *e = spv__book_find(b, addr);

    if (!e)
        return;
    e->services = services;
    e->met = true;
    e->last_seen = now;
    b->changed = true;
}

void spv__book_served(spv_book *b, const spv_netaddr *addr, int64_t now)
{
    spv_book_entry *e = spv__book_find(b, addr);

    if (!e)
        return;
    if (!is_kept(e) && !make_room(b))
        return;
    e = spv__book_find(b, addr); /* making room moves entries */
    e->last_seen = e->last_success = now;
    e->failures = 0;
    b->changed = true;
}

void spv__book_failed(spv_book *b, const spv_netaddr *addr)
{
    spv_book_entry *e = spv__book_find(b, addr);

    if (!e)
        return;
    e->failures++;
    b->changed = true;
    if (!is_kept(e) && e->failures >= SPV__BOOK_TRIES)
        drop(b, e);
}

/* ---- Choosing ---- */

/* Better ones first. */
typedef enum rank {
    SERVED, /* filters, to us */
    USERS,
    SAID_TO_SERVE,
    UNKNOWN,
    OF_NO_USE, /* but to tell of others */
    RANKS
} rank;

static rank rank_of(const spv_book_entry *e)
{
    if (e->met && !spv__book_serves_filters(e))
        return OF_NO_USE;
    if (e->last_success)
        return SERVED;
    if (e->source == SPV_BOOK_USER)
        return USERS;
    if (spv__book_serves_filters(e))
        return SAID_TO_SERVE;
    return e->services == 0 ? UNKNOWN : OF_NO_USE;
}

static int64_t wait_after(uint32_t failures)
{
    int64_t wait = failures ? FIRST_WAIT_S : 0;

    for (uint32_t i = 1; i < failures && wait < LAST_WAIT_S; i++)
        wait *= 2;
    return wait < LAST_WAIT_S ? wait : LAST_WAIT_S;
}

/* A clock that was set back must not make it wait for years; and whom the user
 * named is tried in each run, whatever there was before. */
static bool is_due(const spv_book *b, const spv_book_entry *e,
                   const spv_book_wish *w)
{
    int64_t since = w->now - e->last_tried;
    int64_t wait = wait_after(e->failures);

    if (e->source == SPV_BOOK_USER && e->run != b->run)
        return true;
    if (e->run == b->run && e->last_tried > e->last_success && wait < w->again)
        wait = w->again;
    if (rank_of(e) == OF_NO_USE && e->met && wait < NO_USE_S)
        wait = NO_USE_S;
    return since >= wait || since < 0;
}

static bool may_be_chosen(const spv_book *b, const spv_book_entry *e,
                          const spv_book_wish *w)
{
    if (!is_due(b, e, w) || spv__book_is_banned(b, &e->addr, w->now))
        return false;
    for (size_t i = 0; i < w->n_groups; i++)
        if (w->groups[i] == e->group)
            return false;
    return true;
}

const spv_book_entry *spv__book_choose(const spv_book *b,
                                       const spv_book_wish *w)
{
    spv_rng rng = {w->random};
    const spv_book_entry *chosen = NULL;
    rank best = RANKS;
    uint64_t n = 0;

    for (size_t i = 0; i < b->n; i++) {
        const spv_book_entry *e = &b->item[i];
        rank r = rank_of(e);

        if (r > best || !may_be_chosen(b, e, w))
            continue;
        n = r < best ? 1 : n + 1; /* of the best rank, by now */
        best = r;
        if (spv__rng_chance(&rng, 1, n))
            chosen = e;
    }
    return chosen;
}
