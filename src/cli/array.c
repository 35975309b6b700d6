#include "cli/array.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

bool cli_array_room(void *items, size_t n, size_t size)
{
    void *now = NULL;
    void *grown = NULL;

    if (n & (n - 1))
        return true;
    if (n > SIZE_MAX / size / 2)
        return false;
    memcpy(&now, items, sizeof(now));
    grown = realloc(now, (n ? 2 * n : 1) * size);
    if (!grown)
        return false;
    memcpy(items, &grown, sizeof(grown));
    return true;
}
