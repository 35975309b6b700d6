#ifndef SPV_P2P_DRAG_H
#define SPV_P2P_DRAG_H

#include <stdbool.h>
#include <stdint.h>

#include <spv/machine.h>

/*
 * Does a peer that owes answers drag its feet?
 *
 * A silent peer runs into a deadline. One that sends little, but never stops,
 * does not: it is kept, since it may be the only one there is, and its user is
 * told. Slow is less than a kilobyte a second for ten seconds on end.
 */
enum { SPV__DRAG_MS = 10000, SPV__DRAG_BYTES = 10000 };

/** Zero it to begin. */
typedef struct spv_drag {
    spv_time since; /**< when the ten seconds began; 0: nothing was owed */
    uint64_t bytes; /**< received by then */
} spv_drag;

/** How it stands `now`, with `bytes` received so far: true when ten slow
 * seconds have come to an end. Silence is not slow. */
bool spv__drag_look(spv_drag *d, bool owes, uint64_t bytes, spv_time now);

#endif
