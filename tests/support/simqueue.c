#include "support/simqueue.h"

#include "support/must.h"

static bool is_before(const simevent *a, const simevent *b)
{
    return a->at != b->at ? a->at < b->at : a->order < b->order;
}

static void swap(simevent *a, simevent *b)
{
    simevent kept = *a;

    *a = *b;
    *b = kept;
}

void simqueue_put(simqueue *q, simevent e)
{
    size_t at = q->n;

    q->heap = must_grow(q->heap, q->n, &q->cap, sizeof(*q->heap));
    e.order = q->order++;
    q->heap[q->n++] = e;
    while (at > 0 && is_before(&q->heap[at], &q->heap[(at - 1) / 2])) {
        swap(&q->heap[at], &q->heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
}

spv_time simqueue_next(const simqueue *q)
{
    return q->n > 0 ? q->heap[0].at : SPV_NEVER;
}

/** Of a place and its two children, the one that comes first. */
static size_t first_of(const simqueue *q, size_t at)
{
    size_t first = at;

    for (size_t child = 2 * at + 1; child <= 2 * at + 2; child++)
        if (child < q->n && is_before(&q->heap[child], &q->heap[first]))
            first = child;
    return first;
}

simevent simqueue_take(simqueue *q)
{
    simevent e = q->heap[0];
    size_t at = 0;
    size_t first;

    q->heap[0] = q->heap[--q->n];
    while ((first = first_of(q, at)) != at) {
        swap(&q->heap[at], &q->heap[first]);
        at = first;
    }
    return e;
}

void simqueue_clear(simqueue *q)
{
    for (size_t i = 0; i < q->n; i++)
        free(q->heap[i].bytes);
    free(q->heap);
    *q = (simqueue){0};
}
