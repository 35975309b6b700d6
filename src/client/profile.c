#include <stdlib.h>
#include <string.h>

#include "client/client.h"

void spv__profile_clear(spv_profile *p)
{
    for (size_t i = 0; i < p->n_descriptors; i++)
        free(p->descriptors[i]);
    free(p->descriptors);
    *p = (spv_profile){.birthday = -1, .birthday_time = -1, .scan_from = -1};
}

spv_err spv__profile_add(spv_profile *p, const char *descriptor)
{
    size_t n = p->n_descriptors;

    if ((n & (n - 1)) == 0) { /* full, since there is room for 1, 2, 4, ... */
        size_t room = n ? 2 * n : 1;
        char **list = realloc(p->descriptors, room * sizeof(*list));

        if (!list)
            return SPV_NOMEM;
        p->descriptors = list;
    }
    p->descriptors[n] = strdup(descriptor);
    if (!p->descriptors[n])
        return SPV_NOMEM;
    p->n_descriptors++;
    return SPV_OK;
}
