#include "bloom/batch.h"

#include "bloom/bits.h"

/*
 * A filter larger than the caches answers from memory, a hundred nanoseconds
 * away, and a processor waits for few answers at once unless it is told early.
 * So elements go in groups, and a group is served in rounds, one function a
 * round. What a round needs was asked for in the round before; while it is on
 * its way, the rest of the group keeps the processor busy.
 */

/** Enough that a round outlasts a wait; few enough to stay in the cache. */
enum { GROUP = 64 };

#if defined(__GNUC__)
#    define PREFETCH(p, write) __builtin_prefetch((p), (write))
#else
#    define PREFETCH(p, write) ((void)(p))
#endif

/** A group of elements on their way through the filter. */
typedef struct group {
    spv_walk walk[GROUP];
    uint64_t at[GROUP]; /**< the bit that is asked for next */
} group;

static void start(group *g, const spv_local_filter *f, int write,
                  const spv_element *elements, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        g->walk[i] = spv__walk(&f->plan, elements[i].bytes, elements[i].len);
        g->at[i] = spv__walk_next(&g->walk[i]);
        if (write)
            PREFETCH(f->bytes + g->at[i] / 8, 1);
        else
            PREFETCH(f->bytes + g->at[i] / 8, 0);
    }
}

/* Insert ------------------------------------------------------------------ */

static void insert_group(spv_local_filter *f, const spv_element *elements,
                         size_t n)
{
    group g;

    start(&g, f, 1, elements, n);
    for (uint32_t k = 1; k < f->plan.shape.hash_funcs; k++)
        for (size_t i = 0; i < n; i++) {
            spv__bit_set(f->own, (size_t)g.at[i]);
            g.at[i] = spv__walk_next(&g.walk[i]);
            PREFETCH(f->bytes + g.at[i] / 8, 1);
        }
    for (size_t i = 0; i < n; i++)
        spv__bit_set(f->own, (size_t)g.at[i]);
}

void spv__batch_insert(spv_local_filter *f, const spv_element *elements,
                       size_t n)
{
    size_t now = 0;

    for (; n > 0; n -= now, elements += now) {
        now = n < GROUP ? n : GROUP;
        insert_group(f, elements, now);
    }
}

/* Contains ---------------------------------------------------------------- */

/** Who is still in the race, by index into the group. */
typedef struct field {
    uint8_t who[GROUP];
    size_t n;
} field;

/** Those whose bit is set stay. Everyone is written down, and the count moves
 * on only for those who stay: there is no branch to guess wrong, with even
 * chances, for each of them. */
static void leave(field *in, const group *g, const uint8_t *bytes)
{
    size_t stay = 0;

    for (size_t i = 0; i < in->n; i++) {
        uint8_t who = in->who[i];

        in->who[stay] = who;
        stay += spv__bit_get(bytes, (size_t)g->at[who]);
    }
    in->n = stay;
}

static void advance(group *g, const field *in, const uint8_t *bytes)
{
    for (size_t i = 0; i < in->n; i++) {
        uint8_t who = in->who[i];

        g->at[who] = spv__walk_next(&g->walk[who]);
        PREFETCH(bytes + g->at[who] / 8, 0);
    }
}

/** A stranger leaves after two rounds on average, and no memory is asked for
 * on behalf of one who has left. */
static void contains_group(const spv_local_filter *f, bool *found,
                           const spv_element *elements, size_t n)
{
    group g;
    field in = {.n = n};

    start(&g, f, 0, elements, n);
    for (size_t i = 0; i < n; i++) {
        in.who[i] = (uint8_t)i;
        found[i] = false;
    }
    leave(&in, &g, f->bytes);
    for (uint32_t k = 1; k < f->plan.shape.hash_funcs && in.n > 0; k++) {
        advance(&g, &in, f->bytes);
        leave(&in, &g, f->bytes);
    }
    for (size_t i = 0; i < in.n; i++)
        found[in.who[i]] = true;
}

void spv__batch_contains(const spv_local_filter *f, bool *found,
                         const spv_element *elements, size_t n)
{
    size_t now = 0;

    for (; n > 0; n -= now, elements += now, found += now) {
        now = n < GROUP ? n : GROUP;
        contains_group(f, found, elements, now);
    }
}
