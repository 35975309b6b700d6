#ifndef SPV_CLIENT_PLAN_H
#define SPV_CLIENT_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include <spv/filter.h>

/*
 * The filter plan: what a wallet's filter looks like, decided once for life.
 *
 * The filter is a pure function of the plan and a prefix of the element log,
 * so every peer and every restart sees the same bits, plus bits for new
 * elements. By default it is the largest that the protocol allows, filled to
 * its designed density with decoys that a wallet secret makes: a small wallet
 * looks like a large one, and every later filter is a superset of every
 * earlier one, so that comparing them tells nothing that the earliest did not.
 */
enum {
    SPV__PLAN_BYTES = SPV_FILTER_BYTES_MAX,
    SPV__PLAN_FUNCS = 13,
    SPV__PLAN_ELEMENTS = 15000,  /* at 1e-4: the designed density */
    SPV__PLAN_HEADROOM = 1000,   /* left free for elements to come */
    SPV__PLAN_DECOYS_MAX = 60000 /* at the highest rate there may be */
};

typedef struct spv_plan {
    uint32_t bytes;
    uint32_t hash_funcs;
    uint32_t tweak;
    uint32_t decoys;
    uint8_t flags;
    uint8_t secret[32]; /**< of the decoys */
} spv_plan;

/** Choose a plan for a wallet that begins with `elements`, from 32 bytes of
 * entropy. */
void spv__plan_choose(spv_plan *plan, const uint8_t entropy[32],
                      size_t elements);

/** Make it one that is wrong at `rate` (SPV_FP_RATE_LEAST to SPV_FP_RATE_MOST)
 * once its headroom is taken: other numbers of functions and decoys. */
void spv__plan_set_rate(spv_plan *plan, double rate, size_t elements);

/** The filter that holds no element yet: decoys alone. SPV_NOMEM. */
spv_err spv__plan_begin(const spv_plan *plan, spv_filter *out);

#endif
