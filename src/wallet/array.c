#include "wallet/array.h"

#include <stdlib.h>
#include <string.h>

spv_err spv__array_room(void *items, uint32_t *cap, uint32_t n, size_t size)
{
    uint32_t more = *cap ? *cap * 2 : 8;
    uint8_t *old = NULL;
    uint8_t *grown = NULL;

    if (n < *cap)
        return SPV_OK;
    if (more > UINT32_C(1) << 31 || more > SIZE_MAX / size)
        return SPV_LIMIT;
    memcpy(&old, items, sizeof(old));
    grown = realloc(old, more * size);
    if (!grown)
        return SPV_NOMEM;
    memset(grown + *cap * size, 0, (more - *cap) * size);
    memcpy(items, &grown, sizeof(grown));
    *cap = more;
    return SPV_OK;
}
