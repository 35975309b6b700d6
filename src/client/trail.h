#ifndef SPV_CLIENT_TRAIL_H
#define SPV_CLIENT_TRAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <spv/hash.h>

/*
 * The blocks that the wallet was brought through, newest first to forget.
 *
 * After a reorganisation it tells how far back to go: to the newest block of
 * the trail that is still in the chain. Heights may be missing.
 */
enum { SPV__TRAIL_MAX = 2016 };

typedef struct spv_step {
    int32_t height;
    spv_hash hash;
} spv_step;

typedef struct spv_trail {
    spv_step step[SPV__TRAIL_MAX]; /**< a ring, rising heights */
    size_t head;
    size_t n;
} spv_trail;

/** The newest step, or NULL. */
const spv_step *spv__trail_last(const spv_trail *t);

/** Add a step above all others; the oldest makes room. */
void spv__trail_push(spv_trail *t, int32_t height, const spv_hash *hash);

/** Forget the steps at or above `height`. */
void spv__trail_cut(spv_trail *t, int32_t height);

/** Forget the newest step. */
void spv__trail_pop(spv_trail *t);

#endif
