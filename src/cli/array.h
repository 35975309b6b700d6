#ifndef SPV_CLI_ARRAY_H
#define SPV_CLI_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

/**
 * Make room for item number `n` in an array that doubles when it is full: at
 * each power of two. `items` points to the array's pointer, of any type. False
 * when there is no memory; the array is then unchanged.
 */
bool cli_array_room(void *items, size_t n, size_t size);

#endif
