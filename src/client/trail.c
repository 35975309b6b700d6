#include "client/trail.h"

#include <assert.h>

const spv_step *spv__trail_last(const spv_trail *t)
{
    return t->n ? &t->step[(t->head + t->n - 1) % SPV__TRAIL_MAX] : NULL;
}

void spv__trail_push(spv_trail *t, int32_t height, const spv_hash *hash)
{
    assert(t->n == 0 || spv__trail_last(t)->height < height);
    if (t->n == SPV__TRAIL_MAX)
        t->head = (t->head + 1) % SPV__TRAIL_MAX;
    else
        t->n++;
    t->step[(t->head + t->n - 1) % SPV__TRAIL_MAX] =
        (spv_step){.height = height, .hash = *hash};
}

void spv__trail_cut(spv_trail *t, int32_t height)
{
    while (t->n && spv__trail_last(t)->height >= height)
        spv__trail_pop(t);
}

void spv__trail_pop(spv_trail *t)
{
    assert(t->n > 0);
    t->n--;
}
