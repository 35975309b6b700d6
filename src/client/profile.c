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
    size_t n = p->n_descriptors + 1;
    char **list = realloc(p->descriptors, n * sizeof(*list));

    if (!list)
        return SPV_NOMEM;
    p->descriptors = list;
    list[n - 1] = strdup(descriptor);
    if (!list[n - 1])
        return SPV_NOMEM;
    p->n_descriptors = n;
    return SPV_OK;
}
