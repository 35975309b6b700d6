#ifndef SPV_CONFORM_SCENE_PARTS_H
#define SPV_CONFORM_SCENE_PARTS_H

#include "conform/scene.h"

/*
 * What the parts of a scene share: who plays which role (scene_roles.c), and
 * what is made of what each of them heard (scene_verdict.c).
 */

/** What a watcher says of a filter. */
typedef enum spv_filter_habit {
    SPV_LOADS_NONE,
    SPV_LOADS_HALF,    /**< of the transactions */
    SPV_LOADS_NOTHING, /**< a filter, but of a stranger */
    SPV_CLEARS         /**< the same, and filterclear behind it */
} spv_filter_habit;

/** Which transactions it must hear of, and of no others. */
typedef enum spv_wants {
    SPV_WANTS_NONE,
    SPV_WANTS_HALF,
    SPV_WANTS_ALL
} spv_wants;

typedef struct spv_scene_role {
    spv_role role;
    spv_round round;
    bool relay; /**< what its version says */
    spv_filter_habit habit;
    bool asks_pool;
    spv_wants wants;
} spv_scene_role;

/** Role number `i` of those that have a watcher, NULL behind the last. */
const spv_scene_role *spv__scene_role_at(size_t i);

const spv_scene_role *spv__scene_role_of(const spv_watcher *w);

/** Whether a watcher has not heard of something that it wants and that the node
 * has, as far as anybody has heard. */
bool spv__scene_lacks_any(const spv_scene *scene, const spv_watcher *w);

/** How many transactions that a watcher has asked for have had this fate. */
size_t spv__scene_bodies(const spv_scene *scene, const spv_watcher *w,
                         spv_body fate);

/** Set the results of a watcher's checks, those that were selected. */
void spv__scene_judge(spv_conform *b, const spv_watcher *w);

/** Skip all checks of a round that have no result yet. */
void spv__scene_skip_round(spv_conform *b, spv_round round, const char *why);

#endif
