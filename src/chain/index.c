#include "chain/index.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static size_t home_of(const spv_index *ix, const spv_hash *hash)
{
    uint64_t first = 0;

    memcpy(&first, hash->bytes, sizeof(first));
    return (size_t)first & (ix->cap - 1);
}

static size_t after(const spv_index *ix, size_t slot)
{
    return (slot + 1) & (ix->cap - 1);
}

static const spv_hash *hash_in(const spv_index *ix, size_t slot)
{
    return ix->hash_of(ix->owner, ix->slots[slot]);
}

void spv__index_clear(spv_index *ix)
{
    free(ix->slots);
    ix->slots = NULL;
    ix->cap = ix->used = 0;
}

static spv_err grow(spv_index *ix, size_t cap)
{
    spv_index old = *ix;
    int32_t *slots = malloc(cap * sizeof(*slots));

    if (!slots)
        return SPV_NOMEM;
    for (size_t i = 0; i < cap; i++)
        slots[i] = SPV__NO_PLACE;
    ix->slots = slots;
    ix->cap = cap;
    ix->used = 0;
    for (size_t i = 0; i < old.cap; i++)
        if (old.slots[i] != SPV__NO_PLACE)
            spv__index_add(ix, old.slots[i]);
    free(old.slots);
    return SPV_OK;
}

spv_err spv__index_reserve(spv_index *ix, size_t more)
{
    size_t cap = ix->cap ? ix->cap : 64;

    while (ix->used + more > cap / 4 * 3)
        cap *= 2;
    return cap == ix->cap ? SPV_OK : grow(ix, cap);
}

void spv__index_add(spv_index *ix, int32_t place)
{
    size_t slot = home_of(ix, ix->hash_of(ix->owner, place));

    assert(ix->used < ix->cap && place != SPV__NO_PLACE);
    while (ix->slots[slot] != SPV__NO_PLACE)
        slot = after(ix, slot);
    ix->slots[slot] = place;
    ix->used++;
}

/** The slot of `hash`, or the empty one where the search for it ended. */
static size_t slot_of(const spv_index *ix, const spv_hash *hash)
{
    size_t slot = home_of(ix, hash);

    while (ix->slots[slot] != SPV__NO_PLACE &&
           !spv_hash_equal(hash_in(ix, slot), hash))
        slot = after(ix, slot);
    return slot;
}

int32_t spv__index_find(const spv_index *ix, const spv_hash *hash)
{
    return ix->cap ? ix->slots[slot_of(ix, hash)] : SPV__NO_PLACE;
}

/** Whether the entry in `slot`, which wants to be at `home`, may fill `hole`:
 * the hole lies on its way, cyclically. */
static bool may_fill(const spv_index *ix, size_t hole, size_t home, size_t slot)
{
    size_t mask = ix->cap - 1;

    return ((slot - home) & mask) >= ((slot - hole) & mask);
}

void spv__index_remove(spv_index *ix, const spv_hash *hash)
{
    size_t hole = slot_of(ix, hash);
    size_t slot = hole;

    assert(ix->slots[hole] != SPV__NO_PLACE);
    for (;;) {
        slot = after(ix, slot);
        if (ix->slots[slot] == SPV__NO_PLACE)
            break;
        if (!may_fill(ix, hole, home_of(ix, hash_in(ix, slot)), slot))
            continue;
        ix->slots[hole] = ix->slots[slot];
        hole = slot;
    }
    ix->slots[hole] = SPV__NO_PLACE;
    ix->used--;
}
