#ifndef SPV_WALLET_ARRAY_H
#define SPV_WALLET_ARRAY_H

#include <stddef.h>
#include <stdint.h>

#include <spv/err.h>

/**
 * Make room for item number `n` in an array that doubles when it is full.
 *
 * `items` points to the array's pointer, of any type, and `cap` to its
 * capacity in items of `size` bytes. New room is zeroed. SPV_NOMEM, and
 * SPV_LIMIT at 2^31 items; the array is then unchanged.
 */
spv_err spv__array_room(void *items, uint32_t *cap, uint32_t n, size_t size);

#endif
