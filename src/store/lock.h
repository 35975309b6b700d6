#ifndef SPV_STORE_LOCK_H
#define SPV_STORE_LOCK_H

#include <spv/err.h>

#include "store/detail.h"
#include "store/folder.h"

/*
 * One process at a time on one network's folder.
 *
 * Whatever opens a wallet or the chain takes this first, readers too: a
 * simple rule that always holds. The kernel holds the lock for the open
 * descriptor, so it goes with its process however that dies, and a lock file
 * left behind blocks nobody. The file stays; its text (the holder's process
 * id) is only a help for people.
 */
typedef struct spv_lock {
    int fd; /**< -1 when not held */
} spv_lock;

#define SPV_LOCK_NONE \
    {                 \
        -1            \
    }

/** Take the lock without waiting; SPV_BUSY when another holds it, SPV_IO. */
spv_err spv__lock_take(spv_lock *lock, const spv_folder *f, spv_detail *why);

/** Let it go. Allowed when not held. */
void spv__lock_drop(spv_lock *lock);

#endif
