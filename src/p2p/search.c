#include "p2p/search.h"

#include <stdio.h>
#include <string.h>

#include "wire/message.h"
#include "wire/netaddr.h"

/* With so many good peers nobody else need be asked. */
enum { ENOUGH = 2 };

/* A search that never ends waits twice as long each time, up to a point. */
enum { ANEW_MOST = 5 };

/* Groups of tellers that are no peers: above those of any address. */
#define TELLER_OWN_LIST (UINT64_C(1) << 40)
#define TELLER_DNS      (UINT64_C(1) << 41)

void spv__search_init(spv_search *f, spv_book *book, const spv_seeds *seeds,
                      uint16_t port, uint64_t seed)
{
    *f =
        (spv_search){.book = book, .seeds = seeds, .port = port, .rng = {seed}};
}

/* ---- Names ---- */

static bool names_are_done(const spv_search *f)
{
    for (size_t i = 0; i < f->seeds->n_hosts; i++)
        if (f->names[i].state != SPV_NAME_DONE)
            return false;
    return true;
}

bool spv__search_next_name(spv_search *f, spv_out *out, spv_conn conn)
{
    for (size_t i = 0; f->asked_at && i < f->seeds->n_hosts; i++) {
        spv_search_name *name = &f->names[i];

        if (name->state != SPV_NAME_UNASKED)
            continue;
        name->state = SPV_NAME_ASKED;
        name->conn = conn;
        (void)snprintf(name->text, sizeof(name->text), "%s%s",
                       name->plain ? "" : SPV__SEEDS_PREFIX,
                       f->seeds->hosts[i]);
        *out = (spv_out){.kind = SPV_OUT_RESOLVE,
                         .conn = conn,
                         .addr.port = f->port,
                         .bytes = (const uint8_t *)name->text,
                         .len = strlen(name->text)};
        return true;
    }
    return false;
}

static void hear(spv_search *f, const spv_book_entry *said, uint64_t teller,
                 int64_t unix_time)
{
    spv_err err = spv__book_hear(f->book, said, teller, unix_time,
                                 spv__rng_next(&f->rng));

    if (err != SPV_OK)
        f->err = err;
}

/* What is asked for by its bits is said to have them. */
static void hear_answer(spv_search *f, size_t at, const spv_netaddr *addrs,
                        size_t n, int64_t unix_time)
{
    for (size_t i = 0; i < n; i++) {
        spv_book_entry said = {
            .addr = addrs[i], .source = SPV_BOOK_DNS, .last_seen = unix_time};

        if (!f->names[at].plain)
            said.services = SPV__NODE_NETWORK | SPV__NODE_BLOOM;
        hear(f, &said, TELLER_DNS + at, unix_time);
    }
}

bool spv__search_resolved(spv_search *f, spv_conn conn,
                          const spv_netaddr *addrs, size_t n, int64_t unix_time)
{
    for (size_t i = 0; f->book && i < f->seeds->n_hosts; i++) {
        spv_search_name *name = &f->names[i];

        if (name->state != SPV_NAME_ASKED || name->conn != conn)
            continue;
        hear_answer(f, i, addrs, n, unix_time);
        f->resolved += n > 0;
        f->look_at = 0;
        name->state = n || name->plain ? SPV_NAME_DONE : SPV_NAME_UNASKED;
        name->plain = true;
        return true;
    }
    return false;
}

/* ---- Steps ---- */

static void take_in_own_list(spv_search *f, int64_t unix_time)
{
    f->own_list = true;
    for (size_t i = 0; i < f->seeds->n_nodes; i++) {
        spv_book_entry said = {.source = SPV_BOOK_FIXED};

        if (spv__netaddr_parse(&said.addr, f->seeds->nodes[i], f->port) ==
            SPV_OK)
            hear(f, &said, TELLER_OWN_LIST, unix_time);
    }
}

/* Names that were never answered stay out: their threads wait still. */
static void begin_anew(spv_search *f, spv_time now)
{
    f->began = now;
    f->asked_at = 0;
    f->own_list = false;
    f->anew++;
    for (size_t i = 0; i < f->seeds->n_hosts; i++)
        if (f->names[i].state == SPV_NAME_DONE)
            f->names[i] = (spv_search_name){.state = SPV_NAME_UNASKED};
}

static unsigned doublings(const spv_search *f)
{
    return f->anew < ANEW_MOST ? f->anew : ANEW_MOST;
}

static spv_time rest(const spv_search *f)
{
    return (spv_time)SPV__SEARCH_ANEW_MS << doublings(f);
}

int64_t spv__search_wait(const spv_search *f)
{
    return (int64_t)SPV__BOOK_AGAIN_S << doublings(f);
}

static bool dns_had_its_time(const spv_search *f, spv_time now)
{
    return names_are_done(f) || now - f->asked_at >= SPV__SEARCH_DNS_MS;
}

static void look_at_end(spv_search *f, bool idle, bool stays, spv_time now)
{
    bool lost = f->good_at && now - f->good_at < SPV__SEARCH_LOST_MS;
    bool ended = idle && !lost && f->own_list && dns_had_its_time(f, now);

    f->in_vain = ended;
    f->over = ended && !stays;
    if (stays && ended && now - f->asked_at >= rest(f))
        begin_anew(f, now);
}

void spv__search_step(spv_search *f, const spv_search_state *state, bool stays,
                      int64_t unix_time, spv_time now)
{
    bool idle = !state->good && !state->coming && !state->any;
    bool in_vain = !state->coming && !state->hope;

    if (!f->began)
        f->began = now;
    if (state->good) {
        f->good_at = now;
        f->anew = 0;
    }
    if (!f->asked_at && state->good < ENOUGH &&
        (in_vain || now - f->began >= SPV__SEARCH_PATIENCE_MS))
        f->asked_at = now;
    f->settled = !state->any && !state->coming &&
                 (state->good >= ENOUGH || (f->asked_at && names_are_done(f)));
    if (f->asked_at && !f->own_list && !state->good &&
        dns_had_its_time(f, now) &&
        (idle || now - f->asked_at >= SPV__SEARCH_DNS_MS)) {
        take_in_own_list(f, unix_time);
        return; /* there may be somebody to try now */
    }
    look_at_end(f, idle, stays, now);
}
