#include "wallet/table.h"

#include <stdlib.h>

void spv__table_clear(spv_table *t)
{
    free(t->slot);
    *t = (spv_table){0};
}

/* FNV-1a, then a finaliser: the low bits alone choose the slot. */
uint32_t spv__table_hash(const void *bytes, size_t len)
{
    const uint8_t *at = bytes;
    uint64_t h = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < len; i++)
        h = (h ^ at[i]) * UINT64_C(0x100000001b3);
    h = (h ^ h >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return (uint32_t)(h >> 32);
}

static void put(spv_table *t, spv_table_slot slot)
{
    size_t at = slot.hash & t->mask;

    while (t->slot[at].id_plus_1)
        at = (at + 1) & t->mask;
    t->slot[at] = slot;
}

static spv_err grow(spv_table *t)
{
    spv_table old = *t;
    size_t n_slots = old.mask ? (old.mask + 1) * 2 : 16;

    t->slot = calloc(n_slots, sizeof(*t->slot));
    if (!t->slot) {
        *t = old;
        return SPV_NOMEM;
    }
    t->mask = n_slots - 1;
    for (size_t i = 0; old.mask && i <= old.mask; i++)
        if (old.slot[i].id_plus_1)
            put(t, old.slot[i]);
    free(old.slot);
    return SPV_OK;
}

spv_err spv__table_add(spv_table *t, uint32_t hash, uint32_t id)
{
    /* At most two slots in three are taken, so probes stay short. */
    if (3 * (t->n + 1) > 2 * (t->mask + 1) || !t->mask) {
        spv_err err = grow(t);

        if (err != SPV_OK)
            return err;
    }
    put(t, (spv_table_slot){hash, id + 1});
    t->n++;
    return SPV_OK;
}

spv_table_walk spv__table_walk(const spv_table *t, uint32_t hash)
{
    return (spv_table_walk){.hash = hash, .at = hash & t->mask};
}

uint32_t spv__table_next(const spv_table *t, spv_table_walk *walk)
{
    while (t->slot && t->slot[walk->at].id_plus_1) {
        const spv_table_slot *slot = &t->slot[walk->at];

        walk->at = (walk->at + 1) & t->mask;
        if (slot->hash == walk->hash)
            return slot->id_plus_1 - 1;
    }
    return SPV__TABLE_NONE;
}
