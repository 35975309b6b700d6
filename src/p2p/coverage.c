#include "p2p/coverage.h"

#include <assert.h>
#include <stdlib.h>

void spv__coverage_clear(spv_coverage *c)
{
    free(c->learned);
    *c = (spv_coverage){.next_owed = c->next_owed,
                        .self = c->self,
                        .updates_all = c->updates_all};
}

void spv__coverage_need(spv_coverage *c, size_t prefix)
{
    if (prefix > c->needed)
        c->needed = prefix;
}

static bool same_filter(const spv_grant *a, const spv_grant *b)
{
    return a->stream == b->stream && a->generation == b->generation;
}

/* The newest outpoint joins the run, or begins another. */
static void extend_run(spv_coverage *c)
{
    const spv_grant *last = &c->learned[c->n - 1].origin;
    bool joins = c->n > 1 && same_filter(&c->learned[c->n - 2].origin, last);

    if (!joins) {
        c->run = c->n - 1;
        c->run_last = 0;
    }
    if (last->sequence > c->run_last)
        c->run_last = last->sequence;
}

spv_err spv__coverage_learn(spv_coverage *c, size_t element,
                            const spv_grant *origin)
{
    assert(c->n == 0 || c->learned[c->n - 1].element < element);
    if (c->n == c->cap) {
        size_t cap = c->cap ? 2 * c->cap : 64;
        spv_learned *learned = realloc(c->learned, cap * sizeof(*learned));

        if (!learned)
            return SPV_NOMEM;
        c->learned = learned;
        c->cap = cap;
    }
    c->learned[c->n++] = (spv_learned){.element = element, .origin = *origin};
    extend_run(c);
    return SPV_OK;
}

/* Place of the first outpoint at or above `element`. */
static size_t lower_bound(const spv_coverage *c, size_t element)
{
    size_t low = 0;
    size_t high = c->n;

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (c->learned[mid].element < element)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* Did the node that answered add this outpoint by itself? */
static bool added_by_node(const spv_coverage *c, const spv_learned *o,
                          const spv_grant *grant)
{
    return c->updates_all && same_filter(&o->origin, grant) &&
           o->origin.sequence <= grant->sequence;
}

static bool in_run(const spv_coverage *c, size_t from, const spv_grant *grant)
{
    return c->updates_all && from >= c->run &&
           same_filter(&c->learned[from].origin, grant) &&
           c->run_last <= grant->sequence;
}

/* Every coin above the coverage that is still owed, one by one. */
static bool all_added(const spv_coverage *c, const spv_grant *grant,
                      int32_t height)
{
    for (size_t at = grant->coverage; c->next_owed(c->self, height, &at);
         at++) {
        size_t i = lower_bound(c, at);

        if (i == c->n || c->learned[i].element != at ||
            !added_by_node(c, &c->learned[i], grant))
            return false;
    }
    return true;
}

bool spv__coverage_owes(const spv_coverage *c, const spv_grant *grant,
                        int32_t height)
{
    size_t from = lower_bound(c, grant->coverage);

    return from < c->n && !in_run(c, from, grant) &&
           !all_added(c, grant, height);
}

spv_judgement spv__coverage_judge(const spv_coverage *c, const spv_grant *grant)
{
    if (c->needed > grant->coverage)
        return SPV_LACKS_KEY;
    return spv__coverage_owes(c, grant, INT32_MAX) ? SPV_LACKS_OUTPOINT
                                                   : SPV_COVERED;
}
