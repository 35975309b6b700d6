#ifndef SPV_CONFORM_CHECKS_H
#define SPV_CONFORM_CHECKS_H

#include <spv/conform.h>

#include "conform/dialogue.h"

/*
 * Checks: a row each, in a table for each question (checks_*.c), which the
 * catalogue joins.
 *
 * A writer makes its dialogue of the samples and of chance, or says what it
 * lacks. `arg` lets rows that differ in one thing share a writer.
 */
typedef void spv_check_writer(spv_dialogue *d, const spv_samples *s, int arg);

enum {
    SPV__CHECK_DESTRUCTIVE = 1 << 0, /* a node may ban for it: done alone */
    SPV__CHECK_NO_BLOOM = 1 << 1     /* of nodes that serve no filters */
};

typedef struct spv_check {
    const char *id;
    const char *title;
    const char *basis;
    spv_conform_severity severity;
    unsigned traits;
    spv_check_writer *write; /**< NULL: it is played in a scene (scene.h) */
    int arg;
} spv_check;

/** A table ends with a row without an id. */
extern const spv_check spv__checks_match[];
extern const spv_check spv__checks_nomatch[];
extern const spv_check spv__checks_filter[];
extern const spv_check spv__checks_update[];
extern const spv_check spv__checks_load[];
extern const spv_check spv__checks_proof[];
extern const spv_check spv__checks_order[];
extern const spv_check spv__checks_limit[];
extern const spv_check spv__checks_relay[];

/** Check number `i` of all, or NULL behind the last. */
const spv_check *spv__check_get(size_t i);

#endif
