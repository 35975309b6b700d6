#ifndef SPV_CONFORM_ARRAY_H
#define SPV_CONFORM_ARRAY_H

#include <stdlib.h>

/**
 * Room for one more of `each` bytes in an array of `n`, which doubles when it
 * is full: where it lies then, or NULL without memory, and it is as it was.
 */
static inline void *spv__array_grow(void *array, size_t n, size_t *cap,
                                    size_t each)
{
    size_t more = *cap ? 2 * *cap : 16;
    void *grown = NULL;

    if (n < *cap)
        return array;
    grown = realloc(array, more * each);
    if (grown)
        *cap = more;
    return grown;
}

#endif
