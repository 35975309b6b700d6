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
 * elements. It is the largest that the protocol allows, filled with decoys
 * that a wallet secret makes until strangers match it as often as the user
 * wants: a small wallet looks like a large one, and every later filter is a
 * superset of every earlier one, so that comparing them tells nothing that the
 * earliest did not.
 */
enum {
    SPV__PLAN_BYTES = SPV_FILTER_BYTES_MAX,
    SPV__PLAN_DECOYS_MAX = 60000 /* at the highest rate there may be */
};

/** The rate unless the user wants another: 13 functions, 15,000 elements. */
#define SPV__PLAN_RATE 1e-4

/** Filters begin at this share of their rate. What comes to a wallet takes it
 * past, so it begins a little below, and the rate is kept for some hundred
 * elements. */
#define SPV__PLAN_BEGIN 0.95

typedef struct spv_plan {
    uint32_t bytes;
    uint32_t hash_funcs;
    uint32_t tweak;
    uint32_t decoys;
    uint8_t flags;
    uint8_t secret[32]; /**< of the decoys */
} spv_plan;

/** Choose a plan for a wallet that begins with `elements`, from 32 bytes of
 * entropy, at the usual rate. */
void spv__plan_choose(spv_plan *plan, const uint8_t entropy[32],
                      size_t elements);

/** Make it one that is wrong at `rate` (SPV_FP_RATE_LEAST to SPV_FP_RATE_MOST):
 * other numbers of functions and decoys. */
void spv__plan_set_rate(spv_plan *plan, double rate, size_t elements);

/** The filter that holds no element yet: decoys alone. SPV_NOMEM. */
spv_err spv__plan_begin(const spv_plan *plan, spv_filter *out);

#endif
