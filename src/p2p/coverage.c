#include "p2p/coverage.h"

#include <assert.h>
#include <stdlib.h>

void spv__coverage_clear(spv_coverage *c)
{
    free(c->owed);
    *c = (spv_coverage){0};
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
    const spv_grant *last = &c->owed[c->n - 1].origin;
    bool joins = c->n > 1 && same_filter(&c->owed[c->n - 2].origin, last);

    if (!joins) {
        c->run = c->n - 1;
        c->run_last = 0;
    }
    if (last->sequence > c->run_last)
        c->run_last = last->sequence;
}

spv_err spv__coverage_add(spv_coverage *c, size_t element,
                          const spv_grant *origin)
{
    assert(c->n == 0 || c->owed[c->n - 1].element < element);
    if (c->n == c->cap) {
        size_t cap = c->cap ? 2 * c->cap : 64;
        spv_owed *owed = realloc(c->owed, cap * sizeof(*owed));

        if (!owed)
            return SPV_NOMEM;
        c->owed = owed;
        c->cap = cap;
    }
    c->owed[c->n++] = (spv_owed){.element = element, .origin = *origin};
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

        if (c->owed[mid].element < element)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

void spv__coverage_set_spent(spv_coverage *c, size_t element, bool spent)
{
    size_t at = lower_bound(c, element);

    if (at < c->n && c->owed[at].element == element)
        c->owed[at].spent = spent;
}

/* Did the node that answered add this outpoint by itself? */
static bool added_by_node(const spv_owed *o, const spv_grant *grant)
{
    return same_filter(&o->origin, grant) &&
           o->origin.sequence <= grant->sequence;
}

static bool in_run(const spv_coverage *c, size_t from, const spv_grant *grant)
{
    return from >= c->run && same_filter(&c->owed[from].origin, grant) &&
           c->run_last <= grant->sequence;
}

spv_judgement spv__coverage_judge(const spv_coverage *c, const spv_grant *grant)
{
    size_t from = lower_bound(c, grant->coverage);

    if (c->needed > grant->coverage)
        return SPV_LACKS_KEY;
    if (from == c->n || in_run(c, from, grant))
        return SPV_COVERED;
    for (size_t i = from; i < c->n; i++)
        if (!c->owed[i].spent && !added_by_node(&c->owed[i], grant))
            return SPV_LACKS_OUTPOINT;
    return SPV_COVERED;
}
