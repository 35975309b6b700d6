#include "p2p/ranges.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* An answer in so short a time lets a queue grow, in so long a time shrink. */
enum { PROMPT_MS = 1000, SLOW_MS = 4000 };

/* ---- Ranges ---- */

static bool is_whole(const spv_range *range)
{
    return range->n == range->span;
}

static bool is_open(const spv_range *range)
{
    return !range->asked && !is_whole(range);
}

/* Forget what is here of a range, and who fetches it. */
static void reopen(spv_range *range)
{
    range->asked = NULL;
    range->waiting = false;
    range->last = range->start;
    range->n = 0;
}

/* One more range would be too much to hold. */
static bool is_full(const spv_ranges *r, int32_t to)
{
    int32_t bottom = 0;

    if (r->n == 0)
        return false;
    bottom = r->item[0].to - (int32_t)r->item[0].span;
    return r->n == SPV__RANGES_MAX || to - bottom > SPV__RANGES_AHEAD;
}

/* Open ranges as long as they may be held. */
static void fill(spv_ranges *r)
{
    while (r->next < r->list->n) {
        const spv_checkpoint *c = &r->list->items[r->next];
        spv_range *range = &r->item[r->n];

        if (is_full(r, c->height))
            return;
        *range = (spv_range){.to = c->height,
                             .span = (size_t)(c->height - r->top),
                             .start = r->top_hash,
                             .last = r->top_hash};
        spv_header_hash(&range->stop, c->header);
        r->top = c->height;
        r->top_hash = range->stop;
        r->next++;
        r->n++;
    }
}

void spv__ranges_init(spv_ranges *r, const spv_header_tree *tree)
{
    const spv_checkpoint_list *list = spv__tree_checkpoints(tree);
    const spv_checkpoint *below =
        spv__checkpoint_find(list, spv__tree_tip(tree).height);
    spv_tree_block start = spv__tree_base(tree);

    *r = (spv_ranges){.list = list};
    if (below) {
        r->next = (size_t)(below - list->items) + 1;
        (void)spv__tree_at(tree, below->height, &start);
    }
    r->top = start.height;
    r->top_hash = start.hash;
    fill(r);
}

void spv__ranges_clear(spv_ranges *r)
{
    for (size_t i = 0; i < r->n; i++)
        free(r->item[i].headers);
    *r = (spv_ranges){0};
}

bool spv__ranges_done(const spv_ranges *r)
{
    return r->n == 0;
}

const uint8_t *spv__ranges_front(const spv_ranges *r, size_t *n)
{
    if (r->n == 0 || !is_whole(&r->item[0]))
        return NULL;
    *n = r->item[0].n;
    return r->item[0].headers;
}

void spv__ranges_pop(spv_ranges *r)
{
    assert(r->n > 0);
    free(r->item[0].headers);
    r->n--;
    memmove(&r->item[0], &r->item[1], r->n * sizeof(r->item[0]));
    fill(r);
}

void spv__ranges_stop(spv_ranges *r)
{
    r->next = r->list->n;
    while (r->n > 0)
        spv__ranges_pop(r);
}

/* ---- Asking ---- */

static void enter(spv_range_queue *q, int32_t to, spv_time now)
{
    q->item[q->n++] = (spv_range_asked){.to = to, .at = now};
}

static const uint8_t *last_checkpoint(const spv_ranges *r)
{
    return r->list->items[r->list->n - 1].header;
}

/* What follows the last checkpoint's parent, up to that checkpoint: who has it
 * in his chain answers with it alone. */
static void ask_to_show(const spv_ranges *r, spv_range_queue *q, spv_time now,
                        spv_range_request *request)
{
    spv_header h;

    spv_header_decode(&h, last_checkpoint(r));
    request->locator = h.prev;
    spv_header_hash(&request->stop, last_checkpoint(r));
    q->begun = true;
    q->depth = SPV__RANGE_QUEUE_FIRST;
    enter(q, SPV__RANGE_SHOW, now);
}

/* A range that the peer has begun comes before one that nobody has. */
static spv_range *next_for(spv_ranges *r, const spv_range_queue *q)
{
    for (size_t i = 0; i < r->n; i++)
        if (r->item[i].asked == q && !r->item[i].waiting)
            return &r->item[i];
    for (size_t i = 0; i < r->n && !q->relieved; i++)
        if (is_open(&r->item[i]))
            return &r->item[i];
    return NULL;
}

bool spv__ranges_ask(spv_ranges *r, spv_range_queue *q, spv_time now,
                     spv_range_request *request)
{
    spv_range *range = NULL;

    if (!q->begun && r->list->n > 0) {
        ask_to_show(r, q, now, request);
        return true;
    }
    if (q->n < q->depth)
        range = next_for(r, q);
    if (!range)
        return false;
    range->asked = q;
    range->waiting = true;
    request->locator = range->last;
    request->stop = range->stop;
    enter(q, range->to, now);
    return true;
}

bool spv__ranges_rest_on(const spv_ranges *r, const spv_range_queue *q)
{
    for (size_t i = 0; i < r->n; i++)
        if (r->item[i].asked == q)
            return true;
    return false;
}

bool spv__ranges_has_room(const spv_range_queue *q)
{
    return q->shown && !q->relieved && q->n < q->depth;
}

void spv__ranges_release(spv_ranges *r, spv_range_queue *q)
{
    for (size_t i = 0; i < r->n; i++)
        if (r->item[i].asked == q)
            reopen(&r->item[i]);
    q->relieved = q->n > 0;
}

/* ---- Hearing ---- */

static spv_range_heard fault(const char *reason)
{
    return (spv_range_heard){.err = SPV_PROTOCOL, .reason = reason};
}

static spv_range_heard lacks(const char *reason)
{
    return (spv_range_heard){.err = SPV_NOT_FOUND, .reason = reason};
}

static spv_range_asked leave(spv_range_queue *q, spv_time now)
{
    spv_range_asked first = q->item[0];

    q->n--;
    memmove(&q->item[0], &q->item[1], q->n * sizeof(q->item[0]));
    if (q->n == 0)
        q->relieved = false;
    if (now - first.at <= PROMPT_MS && q->depth < SPV__RANGE_QUEUE_MAX)
        q->depth++;
    if (now - first.at >= SLOW_MS && q->depth > 1)
        q->depth--;
    return first;
}

static spv_range_heard hear_shown(const spv_ranges *r, spv_range_queue *q,
                                  const spv_items *headers)
{
    q->shown =
        headers->n > 0 && memcmp(spv__headers_get(headers, 0),
                                 last_checkpoint(r), SPV_HEADER_LEN) == 0;
    if (q->shown)
        return (spv_range_heard){.err = SPV_OK};
    return lacks("has a chain without the last checkpoint (it is still "
                 "syncing itself, or on another chain)");
}

/* The range that an answer belongs to, if it is still this peer's: one that was
 * taken from it is not given to it again before it has answered all. */
static spv_range *wanted(spv_ranges *r, const spv_range_queue *q, int32_t to)
{
    for (size_t i = 0; i < r->n; i++)
        if (r->item[i].to == to && r->item[i].asked == q)
            return &r->item[i];
    return NULL;
}

/* Keep headers as far as each follows from the one before it, and there may be
 * more of them. */
static size_t keep(spv_range *range, const spv_items *headers)
{
    size_t i = 0;

    for (; i < headers->n && !is_whole(range); i++) {
        const uint8_t *bytes = spv__headers_get(headers, i);
        spv_header h;

        spv_header_decode(&h, bytes);
        if (!spv_hash_equal(&h.prev, &range->last))
            break;
        memcpy(range->headers + range->n * SPV_HEADER_LEN, bytes,
               SPV_HEADER_LEN);
        spv_header_hash(&range->last, bytes);
        range->n++;
    }
    return i;
}

static spv_range_heard take(spv_range *range, const spv_items *headers)
{
    size_t kept = 0;

    if (headers->n == 0)
        return lacks("has no headers between two checkpoints");
    if (!range->headers)
        range->headers = malloc(range->span * SPV_HEADER_LEN);
    if (!range->headers)
        return (spv_range_heard){.err = SPV_NOMEM};
    kept = keep(range, headers);
    if (kept < headers->n && !is_whole(range))
        return fault("sent headers that do not follow from what was asked for");
    if (is_whole(range) && !spv_hash_equal(&range->last, &range->stop))
        return fault("sent headers that conflict with a checkpoint");
    if (kept < headers->n)
        return fault("sent headers beyond the checkpoint that was asked for");
    if (!is_whole(range) && headers->n < SPV__HEADERS_MAX)
        return fault("sent headers that end below a checkpoint it has shown");
    return (spv_range_heard){.err = SPV_OK, .taken = headers->n};
}

spv_range_heard spv__ranges_hear(spv_ranges *r, spv_range_queue *q,
                                 const spv_items *headers, spv_time now)
{
    spv_range_asked asked;
    spv_range *range = NULL;
    spv_range_heard heard;

    assert(q->n > 0);
    asked = leave(q, now);
    if (asked.to == SPV__RANGE_SHOW)
        return hear_shown(r, q, headers);
    range = wanted(r, q, asked.to);
    if (!range)
        return (spv_range_heard){.err = SPV_OK};
    range->waiting = false;
    heard = take(range, headers);
    if (heard.err != SPV_OK)
        reopen(range);
    else if (is_whole(range))
        range->asked = NULL;
    return heard;
}
