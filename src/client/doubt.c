#include "client/doubt.h"

#include <stdlib.h>

static spv_err collect(spv_doubts *d, const spv_wallet *w)
{
    spv_block_ref *blocks = NULL;
    size_t n = 0;
    spv_err err = spv__wallet_blocks(w, &blocks, &n);

    if (err == SPV_OK)
        d->step = malloc((n + 1) * sizeof(*d->step));
    for (size_t i = 0; d->step && i < n; i++)
        d->step[d->n++] =
            (spv_step){.height = blocks[i].height, .hash = blocks[i].hash};
    free(blocks);
    return d->step ? SPV_OK : SPV_NOMEM;
}

spv_err spv__doubts_begin(spv_doubts *d, spv_wallet *w,
                          const spv_header_tree *tree, int32_t position)
{
    spv_err err = collect(d, w);

    return err == SPV_OK ? spv__doubts_look_up(d, w, tree, position) : err;
}

void spv__doubts_clear(spv_doubts *d)
{
    free(d->step);
    *d = (spv_doubts){0};
}

spv_err spv__doubts_meet(spv_doubts *d, spv_wallet *w, int32_t height,
                         const spv_hash *hash)
{
    spv_err err = SPV_OK;

    for (; d->at < d->n && d->step[d->at].height <= height; d->at++)
        if (err == SPV_OK && d->step[d->at].height == height &&
            !spv_hash_equal(&d->step[d->at].hash, hash))
            err = spv__wallet_undo(w, height);
    return err;
}

/* Below the tree's base nothing is known, and nothing is doubted. */
static bool has_left(const spv_header_tree *tree, const spv_step *s)
{
    spv_tree_block b;

    if (s->height < spv__tree_base(tree).height)
        return false;
    return !spv__tree_at(tree, s->height, &b) ||
           !spv_hash_equal(&b.hash, &s->hash);
}

spv_err spv__doubts_look_up(spv_doubts *d, spv_wallet *w,
                            const spv_header_tree *tree, int32_t height)
{
    spv_err err = SPV_OK;

    for (; d->at < d->n && d->step[d->at].height <= height; d->at++)
        if (err == SPV_OK && has_left(tree, &d->step[d->at]))
            err = spv__wallet_undo(w, d->step[d->at].height);
    return err;
}
