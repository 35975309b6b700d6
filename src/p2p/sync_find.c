#include "p2p/reach.h"
#include "p2p/sync_parts.h"

/*
 * Peers that nobody named.
 *
 * The search (p2p/search.h) sees to it that the book knows nodes; here some of
 * them become candidates, at most one of a group, and what happens with them is
 * written down. A node that serves no filters is no use but for one thing: it
 * knows others. It is a guide, asked for them, and then let go.
 */

/* Connections under way at a time, also when nobody answers. */
enum { ATTEMPTS_MAX = 8 };

/* A guide has so long. Its answer mostly comes at once, behind what it tells
 * of itself. */
enum { GUIDE_MS = 5000 };

/* ---- How it stands ---- */

static bool is_good(const spv_sync *s, size_t place)
{
    const spv_stream *stream = s->streams[place];

    return stream && stream->peer.state == SPV_PEER_READY && !stream->guide;
}

static size_t count_good(const spv_sync *s)
{
    size_t n = 0;

    for (size_t i = 0; i < s->pool.n; i++)
        n += is_good(s, i);
    return n;
}

static bool is_under_way(const spv_sync *s, size_t place)
{
    return s->pool.item[place].state != SPV_CANDIDATE_GIVEN_UP &&
           !is_good(s, place);
}

static size_t count_under_way(const spv_sync *s)
{
    size_t n = 0;

    for (size_t i = 0; i < s->pool.n; i++)
        n += is_under_way(s, i);
    return n;
}

/* What has taken no more time than a good one does is counted on. */
static bool is_coming(const spv_sync *s, size_t place)
{
    const spv_stream *stream = s->streams[place];

    return is_under_way(s, place) && !(stream && stream->guide) &&
           (!stream || s->now - stream->peer.since < SPV__COMING_MS);
}

/* A sync that is to end tries each once; one that served may have been lost
 * for a moment. */
static int64_t wait_for_another_try(const spv_sync *s)
{
    return s->config.stay ? spv__search_wait(&s->search) : INT64_MAX;
}

static const spv_book_entry *choose(spv_sync *s)
{
    uint64_t groups[SPV__POOL_MAX];
    spv_book_wish wish = {.now = spv__sync_unix_time(s),
                          .again = wait_for_another_try(s),
                          .groups = groups,
                          .random = spv__sync_random(s)};

    for (size_t i = 0; i < s->pool.n; i++)
        if (s->pool.item[i].state != SPV_CANDIDATE_GIVEN_UP)
            groups[wish.n_groups++] = spv__reach_group(&s->pool.item[i].addr);
    return spv__book_choose(s->search.book, &wish);
}

static spv_search_state state_of(spv_sync *s)
{
    spv_search_state state = {0};
    const spv_book_entry *next = choose(s);

    for (size_t i = 0; i < s->pool.n; i++)
        state.coming += is_coming(s, i);
    state.good = count_good(s);
    state.any = next != NULL || count_under_way(s) > 0;
    state.hope = next && (spv__book_serves_filters(next) ||
                          next->source == SPV_BOOK_USER);
    return state;
}

/* ---- Places ---- */

/* Nothing that is still to be told, judged or reported hangs on it. */
static bool is_free(const spv_sync *s, size_t place, bool reported)
{
    const spv_candidate *c = &s->pool.item[place];

    return c->found && c->state == SPV_CANDIDATE_GIVEN_UP &&
           (reported || !c->greeted) && !c->lost_untold && !c->ready_untold &&
           !spv__audits_concern(&s->audits, place);
}

/* For one more candidate; SPV__POOL_MAX when there is none. Those that were
 * never connected make room first, so that the others can be reported. */
static size_t free_place(const spv_sync *s)
{
    for (size_t i = 0; i < s->pool.n; i++)
        if (is_free(s, i, false))
            return i;
    if (s->pool.n < SPV__POOL_MAX)
        return s->pool.n;
    for (size_t i = 0; i < s->pool.n; i++)
        if (is_free(s, i, true))
            return i;
    return SPV__POOL_MAX;
}

static bool add_candidate(spv_sync *s)
{
    const spv_book_entry *e = choose(s);
    size_t place = free_place(s);

    if (!e || place == SPV__POOL_MAX)
        return false;
    if (place == s->pool.n)
        s->pool.n++;
    s->pool.item[place] =
        (spv_candidate){.addr = e->addr, .resolved = true, .found = true};
    spv__audits_renew(&s->audits, place);
    spv__book_tried(s->search.book, &s->pool.item[place].addr,
                    spv__sync_unix_time(s));
    s->search.tried++;
    return true;
}

/* ---- Steps ---- */

static void look_up_names(spv_sync *s)
{
    spv_out out;

    while (spv__search_next_name(&s->search, &out, spv__sync_name(s)))
        spv__sync_command(s, &out);
}

static spv_time guide_due(const spv_stream *stream)
{
    return stream && stream->guide ? stream->peer.since + GUIDE_MS : SPV_NEVER;
}

static void dismiss_guides(spv_sync *s)
{
    for (size_t i = 0; i < s->pool.n; i++)
        if (guide_due(s->streams[i]) <= s->now)
            spv__sync_drop(s, i, SPV_NO_PEER, "does not serve bloom filters");
}

static void step(spv_sync *s)
{
    spv_search_state state = state_of(s);
    bool in_vain = s->search.in_vain;
    bool settled = s->search.settled;

    s->search.look_at = s->now + SPV__SEARCH_LOOK_MS;
    spv__search_step(&s->search, &state, s->config.stay, spv__sync_unix_time(s),
                     s->now);
    look_up_names(s);
    while (state.good + state.coming < SPV__SYNC_FOUND &&
           count_under_way(s) < ATTEMPTS_MAX && add_candidate(s))
        state.coming++;
    if (s->search.settled && !settled)
        s->search.look_at = s->now; /* it may be that all is known now */
    if (s->search.in_vain && !in_vain && s->config.stay)
        s->warning = "no usable peer was found so far; the search goes on";
    if (s->search.err != SPV_OK)
        s->err = s->search.err;
}

/* Each step looks through the book, so it is taken when something has changed,
 * or now and then. */
void spv__sync_find(spv_sync *s)
{
    if (!s->search.book)
        return;
    dismiss_guides(s);
    if (s->now >= s->search.look_at && count_good(s) < SPV__SYNC_FOUND)
        step(s);
}

spv_time spv__sync_find_deadline(const spv_sync *s)
{
    spv_time first = SPV_NEVER;

    if (!s->search.book)
        return SPV_NEVER;
    if (s->search.over && spv__sync_is_forsaken(s))
        return s->now; /* that is to be told */
    if (count_good(s) < SPV__SYNC_FOUND)
        first = s->search.look_at;
    for (size_t i = 0; i < s->pool.n; i++) {
        spv_time due = guide_due(s->streams[i]);

        first = due < first ? due : first;
    }
    return first;
}

bool spv__sync_has_found(const spv_sync *s)
{
    return !s->search.book || s->search.settled ||
           count_good(s) >= SPV__SYNC_FOUND;
}

bool spv__sync_is_forsaken(const spv_sync *s)
{
    return spv__pool_is_exhausted(&s->pool) &&
           (!s->search.book || s->search.over);
}

/* ---- What happens with them ---- */

/* It goes without a word: nobody counted on it. */
static void let_go(spv_sync *s, size_t place)
{
    spv__sync_drop(s, place, SPV_NO_PEER, "is not needed");
    s->pool.item[place].lost_untold = false;
}

static void ask_for_addrs(spv_stream *stream)
{
    stream->addrs_wanted = SPV__ADDR_MAX;
    spv__peer_say(&stream->peer, SPV_MSG_GETADDR);
}

static bool serves(const spv_peer *peer)
{
    return spv__peer_serves_filters(peer) &&
           (peer->services & SPV__NODE_NETWORK);
}

bool spv__sync_welcome(spv_sync *s, size_t place)
{
    spv_stream *stream = s->streams[place];
    size_t good = count_good(s); /* this one too */

    s->search.look_at = 0;
    s->search.answered = true;
    s->search.met++;
    spv__book_met(s->search.book, &stream->peer.addr, stream->peer.services,
                  spv__sync_unix_time(s));
    if (serves(&stream->peer)) {
        if (good > SPV__SYNC_FOUND)
            let_go(s, place);
        else
            ask_for_addrs(stream);
        return good <= SPV__SYNC_FOUND;
    }
    stream->guide = true;
    ask_for_addrs(stream);
    return false;
}

void spv__sync_note_service(spv_sync *s, size_t place)
{
    if (!s->pool.item[place].found)
        return;
    s->search.served++;
    spv__book_served(s->search.book, &s->pool.item[place].addr,
                     spv__sync_unix_time(s));
}

static bool is_users(const spv_sync *s, const spv_candidate *c)
{
    const spv_book_entry *e = spv__book_find(s->search.book, &c->addr);

    return e && e->source == SPV_BOOK_USER;
}

/* What is there in place of a node that was never met, such as the page of a
 * hotel's network, is no liar. And while nobody answers, it may be our own line
 * that is dead: that is no failure of theirs, but of the user's it is told. */
void spv__sync_note_loss(spv_sync *s, const spv_candidate *c)
{
    int64_t now = spv__sync_unix_time(s);

    s->search.look_at = 0;
    if (c->why == SPV_PROTOCOL && c->greeted)
        (void)spv__book_ban(s->search.book, &c->addr, now + SPV__BOOK_BAN_S);
    else if (c->why != SPV_NO_PEER && (s->search.answered || is_users(s, c)))
        spv__book_failed(s->search.book, &c->addr);
}

void spv__sync_hear_addrs(spv_sync *s, size_t place, const spv_stream_event *e)
{
    spv_stream *stream = s->streams[place];
    uint64_t teller = spv__reach_group(&stream->peer.addr);
    spv_addrs addrs = e->addrs;
    spv_addr_entry entry;
    bool answer = addrs.n > 1; /* alone is what it tells of itself */

    s->search.look_at = 0;
    while (stream->addrs_wanted > 0 && spv__addr_next(&entry, &addrs)) {
        spv_book_entry said = {.addr = entry.addr,
                               .services = entry.services,
                               .source = SPV_BOOK_PEER,
                               .last_seen = entry.time};

        stream->addrs_wanted--;
        if (entry.known && spv__book_hear(s->search.book, &said, teller,
                                          spv__sync_unix_time(s),
                                          spv__sync_random(s)) != SPV_OK)
            s->err = SPV_NOMEM;
    }
    if (stream->guide && answer)
        spv__sync_drop(s, place, SPV_NO_PEER, "does not serve bloom filters");
}
