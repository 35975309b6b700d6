#include "p2p/sync.h"

#include <assert.h>
#include <stdlib.h>

#include "p2p/sync_parts.h"

/* ---- Life ---- */

spv_err spv__sync_init(spv_sync *s, const spv_sync_config *config)
{
    *s = (spv_sync){.config = *config, .random = config->seed};
    spv__ranges_init(&s->ranges, config->tree);
    if (config->book) {
        spv__book_begin(config->book);
        spv__search_init(&s->search, config->book, config->seeds,
                         config->network->port, spv__sync_random(s));
    }
    return spv__board_init(&s->board, 0);
}

void spv__sync_clear(spv_sync *s)
{
    for (size_t i = 0; i < s->pool.n; i++) {
        if (!s->streams[i])
            continue;
        spv__stream_clear(s->streams[i]);
        free(s->streams[i]);
    }
    spv__ranges_clear(&s->ranges);
    spv__buf_clear(&s->later);
    spv__board_clear(&s->board);
    spv__debts_clear(&s->debts);
    spv__audits_clear(&s->audits);
    spv__sync_clear_relayed(s);
    spv__coverage_clear(&s->coverage);
    spv__buf_clear(&s->sending);
    *s = (spv_sync){0};
}

spv_err spv__sync_add_peer(spv_sync *s, const char *text, uint16_t default_port)
{
    spv_err err = spv__pool_add(&s->pool, text, default_port);

    if (err == SPV_OK)
        s->pool.item[s->pool.n - 1].for_ever = s->config.stay;
    return err;
}

/* ---- What the parts share ---- */

/* SplitMix64: every run with the same seed is the same run. */
uint64_t spv__sync_random(spv_sync *s)
{
    uint64_t z = (s->random += 0x9e3779b97f4a7c15u);

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

uint64_t spv__sync_name(spv_sync *s)
{
    return ++s->next_conn;
}

int64_t spv__sync_unix_time(const spv_sync *s)
{
    return s->config.unix_time + (s->now - s->began) / 1000;
}

int32_t spv__sync_goal(const spv_sync *s)
{
    int32_t tip = spv__tree_tip(s->config.tree).height;
    int32_t until = s->config.until;

    return until > 0 && until < tip ? until : tip;
}

size_t spv__sync_place(const spv_sync *s, const spv_candidate *c)
{
    return (size_t)(c - s->pool.item);
}

void spv__sync_command(spv_sync *s, const spv_out *command)
{
    assert(s->n_commands < SPV__SYNC_COMMANDS);
    s->commands[s->n_commands++] = *command;
}

/* Keep for the report what would go with the connection. */
static void remember(spv_sync *s, size_t place)
{
    spv_candidate *c = &s->pool.item[place];
    const spv_stream *stream = s->streams[place];

    c->served += stream->served;
    c->bytes_received += stream->peer.bytes_received;
    s->count.bytes_received += stream->peer.bytes_received;
    s->count.bytes_sent += stream->peer.bytes_sent;
}

void spv__sync_lose(spv_sync *s, size_t place, spv_err why, const char *reason)
{
    spv_candidate *c = &s->pool.item[place];

    if (s->streams[place]) {
        remember(s, place);
        spv__ranges_release(&s->ranges, &s->streams[place]->ranges);
        spv__board_release_stream(&s->board, s->streams[place]->id);
        spv__debts_release(&s->debts, s->streams[place]->id);
        spv__audits_release(&s->audits, s->streams[place]->id);
        spv__stream_clear(s->streams[place]);
        free(s->streams[place]);
        s->streams[place] = NULL;
    }
    spv__pool_failed(c, why, reason, spv__sync_random(s), s->now);
    c->lost_untold = true;
    if (c->found)
        spv__sync_note_loss(s, c);
}

void spv__sync_drop(spv_sync *s, size_t place, spv_err why, const char *reason)
{
    spv_out close = {.kind = SPV_OUT_CLOSE, .conn = s->pool.item[place].conn};

    spv__sync_command(s, &close);
    spv__sync_lose(s, place, why, reason);
}

bool spv__sync_hears_headers(const spv_sync *s)
{
    for (size_t i = 0; i < s->pool.n; i++)
        if (s->streams[i] && s->streams[i]->headers_asked)
            return true;
    return false;
}

/* ---- What it found out ---- */

static bool tell(spv_sync *s, spv_sync_event *e, spv_sync_event_kind kind,
                 spv_err err)
{
    e->kind = kind;
    e->err = err;
    s->synced_told = kind == SPV_SYNC_SYNCED;
    s->listens |= s->synced_told && s->config.stay;
    s->ended = kind == SPV_SYNC_FAILED || (s->synced_told && !s->config.stay);
    return true;
}

/* Who came, and who went: in this order, if it was the same one. */
static bool tell_peers(spv_sync *s, spv_sync_event *e)
{
    for (size_t i = 0; i < s->pool.n; i++) {
        spv_candidate *c = &s->pool.item[i];
        bool *untold = c->ready_untold ? &c->ready_untold : &c->lost_untold;

        if (!*untold)
            continue;
        e->kind = c->ready_untold ? SPV_SYNC_PEER_READY : SPV_SYNC_PEER_LOST;
        e->peer = c;
        *untold = false;
        return true;
    }
    return false;
}

static bool warn(spv_sync_event *e, const spv_candidate *peer,
                 const char **warning)
{
    e->kind = SPV_SYNC_WARNING;
    e->peer = peer;
    e->reason = *warning;
    *warning = NULL;
    return true;
}

static bool tell_warning(spv_sync *s, spv_sync_event *e)
{
    for (size_t i = 0; i < s->pool.n; i++)
        if (s->pool.item[i].warning)
            return warn(e, &s->pool.item[i], &s->pool.item[i].warning);
    return s->warning && warn(e, NULL, &s->warning);
}

static bool knows_headers(const spv_sync *s)
{
    for (size_t i = 0; i < s->pool.n; i++)
        if (s->streams[i] && s->streams[i]->headers_done)
            return true;
    return false;
}

static bool position_is_active(const spv_sync *s)
{
    spv_tree_block at;

    return spv__tree_at(s->config.tree, s->board.base, &at) &&
           spv_hash_equal(&at.hash, &s->position);
}

/* Every peer that showed its chain has a header that is ahead of our clock:
 * nobody vouches that the chain ends here. */
static bool clock_is_behind(const spv_sync *s)
{
    bool behind = false;

    for (size_t i = 0; i < s->pool.n; i++) {
        if (!s->streams[i] || !s->streams[i]->headers_done)
            continue;
        if (!s->streams[i]->headers_future)
            return false;
        behind = true;
    }
    return behind;
}

bool spv__sync_is_hearing(const spv_sync *s)
{
    for (size_t i = 0; i < s->pool.n; i++)
        if (s->streams[i] && s->streams[i]->headers_asked &&
            s->streams[i]->progress > s->streams[i]->headers_at &&
            s->now - s->streams[i]->progress < SPV__SYNC_GRACE_MS)
            return true;
    return false;
}

/* At the goal, with nobody left to be heard who might know a better one; or
 * they have had their time. */
static bool is_synced(const spv_sync *s)
{
    bool quiet =
        s->now - s->news_at >= SPV__SYNC_GRACE_MS && !spv__sync_is_hearing(s);

    return s->board.base >= spv__sync_goal(s) && s->debts.n == 0 &&
           s->audits.n == 0 && knows_headers(s) &&
           (quiet || (!spv__sync_hears_headers(s) &&
                      spv__pool_all_tried(&s->pool) && spv__sync_has_found(s)));
}

/* Why this may not be the end; NULL: it is. */
static const char *find_doubt(const spv_sync *s)
{
    if (clock_is_behind(s))
        return "the next block's time is more than two hours ahead of this "
               "computer's clock";
    if (spv__tree_compare_aside(s->config.tree) > 0)
        return "nodes showed a chain of more work, but none sends its blocks";
    return NULL;
}

static bool tell_end(spv_sync *s, spv_sync_event *e)
{
    spv__sync_look_at_tips(s);
    if (tell_warning(s, e))
        return true;
    e->reason = find_doubt(s);
    if (!e->reason || s->config.stay) /* it goes by with time */
        return tell(s, e, SPV_SYNC_SYNCED, SPV_OK);
    return tell(s, e, SPV_SYNC_FAILED, SPV_TIMEOUT);
}

/* Why nobody is left, as one of the promised outcomes. */
static spv_err outcome(const spv_pool *pool)
{
    const spv_candidate *worst = spv__pool_worst(pool);

    if (worst && worst->why == SPV_PROTOCOL)
        return SPV_PROTOCOL;
    if (worst && worst->why == SPV_TIMEOUT && worst->greeted)
        return SPV_TIMEOUT;
    return SPV_NO_PEER;
}

/* Debts may have become void. To look costs as much as there are of them: it is
 * done before each round of asking, and now and then if there are many. */
static void void_debts(spv_sync *s)
{
    bool at_goal = s->board.base >= spv__sync_goal(s);
    bool moved = s->board.base != s->voided_at || s->debts.n != s->voided_n;
    bool far = s->board.base - s->voided_at >= SPV__DEBTS_LOOK;

    if (!spv__sync_debts_are_due(s) || !(at_goal ? moved : far) ||
        spv__debts_are_under_way(&s->debts))
        return;
    spv__debts_void(&s->debts, &s->coverage);
    s->voided_at = s->board.base;
    s->voided_n = s->debts.n;
}

static bool next_positioned(spv_sync *s, spv_sync_event *e)
{
    if (!position_is_active(s))
        return tell(s, e, SPV_SYNC_REWIND, SPV_OK);
    if (s->distrusted) {
        e->height = s->distrusted - 1 < s->board.base ? s->distrusted - 1
                                                      : s->board.base;
        return tell(s, e, SPV_SYNC_DISTRUST, SPV_OK);
    }
    e->block = spv__board_front(&s->board);
    if (e->block && s->board.base < spv__sync_goal(s))
        return tell(s, e, SPV_SYNC_BLOCK, SPV_OK);
    if (spv__debts_held(&s->debts) < s->debts.n) {
        e->block = s->debts.item[spv__debts_held(&s->debts)].answer;
        return tell(s, e, SPV_SYNC_DEBT, SPV_OK);
    }
    void_debts(s);
    return !s->synced_told && is_synced(s) && tell_end(s, e);
}

bool spv__sync_next_event(spv_sync *s, spv_sync_event *e)
{
    *e = (spv_sync_event){0};
    if (s->ended)
        return false;
    if (s->err != SPV_OK)
        return tell(s, e, SPV_SYNC_FAILED, s->err);
    spv__sync_void_audits(s);
    if (tell_peers(s, e) || tell_warning(s, e))
        return true;
    if (!s->headers_told && knows_headers(s)) {
        s->headers_told = true;
        return tell(s, e, SPV_SYNC_HEADERS, SPV_OK);
    }
    if (spv__sync_next_relayed(s, e))
        return true;
    if (s->positioned && next_positioned(s, e))
        return true;
    return spv__sync_is_forsaken(s) &&
           tell(s, e, SPV_SYNC_FAILED,
                s->search.book ? SPV_NO_PEER : outcome(&s->pool));
}

void spv__sync_set_position(spv_sync *s, int32_t height, const spv_hash *hash)
{
    spv__board_reset(&s->board, height);
    spv__debts_cut(&s->debts, height);
    s->voided_at = height;
    if (height < s->distrusted)
        s->distrusted = 0;
    s->position = *hash;
    s->positioned = true;
    s->news_at = s->now;
}

spv_judgement spv__sync_judge(const spv_sync *s, const spv_answer *block)
{
    return spv__coverage_judge(&s->coverage, &block->grant);
}

void spv__sync_settle(spv_sync *s)
{
    const spv_answer *block = spv__board_front(&s->board);

    spv__sync_note_coins(s);
    s->position = block->hash;
    s->count.filtered_blocks++;
    s->count.matched += (uint32_t)block->proof.n;
    s->count.transactions += block->n_transactions;
    spv__board_pop(&s->board);
    s->news_at = s->now;
}

void spv__sync_owe(spv_sync *s)
{
    const spv_answer *block = spv__board_front(&s->board);
    spv_err err = spv__debts_add(&s->debts, block->height, &block->grant);

    if (err != SPV_OK)
        s->err = err;
    spv__sync_settle(s);
}

void spv__sync_pay(spv_sync *s)
{
    spv__debts_remove(&s->debts, spv__debts_held(&s->debts));
    s->news_at = s->now;
}

int32_t spv__sync_sure_height(spv_sync *s)
{
    int32_t sure = s->board.base;

    spv__debts_void(&s->debts, &s->coverage);
    if (s->debts.n)
        sure = spv__debts_lowest(&s->debts) - 1;
    if (s->audits.n && spv__audits_lowest(&s->audits) <= sure)
        sure = spv__audits_lowest(&s->audits) - 1;
    return sure;
}

/* The grant of a cell's request. While one is in flight no other filter takes
 * force on its stream, so the one in force is what it was sent under. */
static spv_grant grant_of(const spv_sync *s, const spv_cell *cell)
{
    spv_grant grant = {0};

    if (cell->state == SPV_CELL_HELD)
        return cell->answer->grant;
    for (size_t i = 0; i < s->pool.n; i++)
        if (s->streams[i] && s->streams[i]->id == cell->stream)
            grant = spv__stream_grant(s->streams[i]);
    grant.sequence = cell->sequence;
    return grant;
}

void spv__sync_refetch(spv_sync *s)
{
    int32_t front = s->board.base + 1;

    for (int32_t h = front; h < front + SPV__BOARD_CELLS; h++) {
        const spv_cell *cell = spv__board_at(&s->board, h);
        spv_grant grant;

        if (cell->state == SPV_CELL_FREE)
            continue;
        grant = grant_of(s, cell);
        if (h == front ||
            spv__coverage_judge(&s->coverage, &grant) != SPV_COVERED)
            spv__board_release(&s->board, h);
    }
}
