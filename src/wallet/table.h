#ifndef SPV_WALLET_TABLE_H
#define SPV_WALLET_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include <spv/err.h>

/*
 * From the hash of a key to small numbers: positions in an array of the
 * caller's, who compares keys. Open addressing, linear probing, nothing is
 * ever removed: wallets only learn.
 */
typedef struct spv_table_slot {
    uint32_t hash;
    uint32_t id_plus_1; /* 0: free, so that a zeroed table is empty */
} spv_table_slot;

typedef struct spv_table {
    spv_table_slot *slot;
    size_t mask; /* slots - 1, a power of two less one; 0: none yet */
    size_t n;
} spv_table;

/** What find answers at the end, and no id ever is. */
#define SPV__TABLE_NONE UINT32_MAX

void spv__table_clear(spv_table *t);

/** Hash of a key's bytes. It has no secret: a stranger who grinds outpoints to
 * collide must have a transaction kept for each step he adds to a probe. */
uint32_t spv__table_hash(const void *bytes, size_t len);

/** Add one more id under `hash`. SPV_NOMEM. */
spv_err spv__table_add(spv_table *t, uint32_t hash, uint32_t id);

/** Where a walk over the ids under one hash stands. */
typedef struct spv_table_walk {
    uint32_t hash;
    size_t at;
} spv_table_walk;

spv_table_walk spv__table_walk(const spv_table *t, uint32_t hash);

/** The next id under the hash, or SPV__TABLE_NONE. */
uint32_t spv__table_next(const spv_table *t, spv_table_walk *walk);

#endif
