#ifndef SPV_CHAIN_INDEX_H
#define SPV_CHAIN_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <spv/hash.h>

/*
 * From a hash to the place where its owner keeps what it stands for.
 *
 * Workload: a million places that are never removed, some thousands that come
 * and go. Open addressing with four bytes a slot: the hashes themselves lie
 * with the owner, who shows them when asked. A block hash in wire order begins
 * with its random end, so its first bytes need no further mixing.
 */
typedef struct spv_index {
    int32_t *slots;
    size_t cap; /* 0 or a power of two; at most three quarters are used */
    size_t used;
    const spv_hash *(*hash_of)(const void *owner, int32_t place);
    const void *owner;
} spv_index;

/** No place: what find returns when it misses. */
#define SPV__NO_PLACE INT32_MIN

void spv__index_clear(spv_index *ix);

/** Make room for `more` insertions; SPV_NOMEM changes nothing. */
spv_err spv__index_reserve(spv_index *ix, size_t more);

/** Add a place whose hash the owner can show already. There must be room. */
void spv__index_add(spv_index *ix, int32_t place);

int32_t spv__index_find(const spv_index *ix, const spv_hash *hash);

/** Remove a hash that is there, while the owner can still show all hashes. */
void spv__index_remove(spv_index *ix, const spv_hash *hash);

#endif
