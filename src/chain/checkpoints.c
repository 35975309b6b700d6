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

/** The last entry whose key is at most `limit`; keys rise along the list. */
static const spv_checkpoint *last(const spv_checkpoint_list *list,
                                  int64_t (*key)(const spv_checkpoint *),
                                  int64_t limit)
{
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

const spv_checkpoint *spv__checkpoint_find(const spv_checkpoint_list *list,
                                           int32_t height)
{
    return last(list, height_of, height);
}

static const spv_checkpoint_list *list_of(const spv_network *network)
{
    return &spv__checkpoint_lists[network->chain];
}

const spv_checkpoint *spv_checkpoints(const spv_network *network, size_t *n)
{
    *n = list_of(network)->n;
    return list_of(network)->items;
}

const spv_checkpoint *spv_checkpoint_find(const spv_network *network,
                                          int32_t height)
{
    return last(list_of(network), height_of, height);
}

const spv_checkpoint *spv_checkpoint_find_time(const spv_network *network,
                                               int64_t time)
{
    return last(list_of(network), time_of, time);
}
