#include <stddef.h>

#include "conform/scene_parts.h"

static const spv_scene_role roles[] = {
    {SPV_ROLE_SENDER, SPV_ROUND_RELAY, false, SPV_LOADS_NONE, false,
     SPV_WANTS_NONE},
    {SPV_ROLE_SILENT, SPV_ROUND_RELAY, false, SPV_LOADS_NONE, false,
     SPV_WANTS_NONE},
    {SPV_ROLE_MATCHING, SPV_ROUND_RELAY, false, SPV_LOADS_HALF, false,
     SPV_WANTS_HALF},
    {SPV_ROLE_CLEARED, SPV_ROUND_RELAY, false, SPV_CLEARS, false,
     SPV_WANTS_ALL},
    {SPV_ROLE_OPEN, SPV_ROUND_RELAY, true, SPV_LOADS_NONE, false,
     SPV_WANTS_ALL},
    {SPV_ROLE_OPEN_MATCHING, SPV_ROUND_RELAY, true, SPV_LOADS_HALF, false,
     SPV_WANTS_HALF},
    {SPV_ROLE_POOL, SPV_ROUND_POOL, false, SPV_LOADS_NONE, true, SPV_WANTS_ALL},
    {SPV_ROLE_POOL_MATCHING, SPV_ROUND_POOL_FILTERED, false, SPV_LOADS_HALF,
     true, SPV_WANTS_HALF},
    {SPV_ROLE_POOL_NOTHING, SPV_ROUND_POOL_FILTERED, false, SPV_LOADS_NOTHING,
     true, SPV_WANTS_NONE},
};

enum { ROLES = sizeof(roles) / sizeof(roles[0]) };

const spv_scene_role *spv__scene_role_at(size_t i)
{
    return i < ROLES ? &roles[i] : NULL;
}

const spv_scene_role *spv__scene_role_of(const spv_watcher *w)
{
    size_t i = 0;

    while (roles[i].role != w->role)
        i++;
    return &roles[i];
}
