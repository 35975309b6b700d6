#include "chain/checkpoints.h"

static int64_t height_of(const spv_checkpoint *c)
{
    return c->height;
}

static int64_t time_of(const spv_checkpoint *c)
{
    spv_header h;

    spv_header_decode(&h, c->header);
    return h.time;
}

/** The last entry whose key is at most `limit`; keys rise along the table. */
static const spv_checkpoint *last(const spv_network *network,
                                  int64_t (*key)(const spv_checkpoint *),
                                  int64_t limit)
{
    const spv_checkpoint_list *list = &spv__checkpoint_lists[network->chain];
    size_t low = 0;
    size_t high = list->n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (key(&list->items[middle]) <= limit)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 ? &list->items[low - 1] : NULL;
}

const spv_checkpoint *spv_checkpoints(const spv_network *network, size_t *n)
{
    *n = spv__checkpoint_lists[network->chain].n;
    return spv__checkpoint_lists[network->chain].items;
}

const spv_checkpoint *spv_checkpoint_find(const spv_network *network,
                                          int32_t height)
{
    return last(network, height_of, height);
}

const spv_checkpoint *spv_checkpoint_find_time(const spv_network *network,
                                               int64_t time)
{
    return last(network, time_of, time);
}
