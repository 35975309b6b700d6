#ifndef SPV_CHAIN_RULES_H
#define SPV_CHAIN_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include <spv/chain.h>

/*
 * What a network requires of the next header, given those before it.
 *
 * A chain may begin at a checkpoint, and its older headers are then unknown.
 * No valid header is ever refused for that: what cannot be computed is bounded
 * by what is certain whatever the missing headers are (rules.c says how), and
 * everything is computed in full once a whole period is known.
 */
enum {
    SPV__RETARGET_INTERVAL = 2016,
    SPV__TARGET_SPACING = 600,
    SPV__TARGET_TIMESPAN = SPV__RETARGET_INTERVAL * SPV__TARGET_SPACING,
    SPV__MIN_DIFFICULTY_GAP = 2 * SPV__TARGET_SPACING,
    SPV__TIME_WARP_MAX = 600, /* BIP 94 */
    SPV__MEDIAN_SPAN = 11,
    SPV__FUTURE_MAX = 7200
};

/** The two fields of a header that the rules look back at. */
typedef struct spv_stamp {
    uint32_t time;
    uint32_t bits;
} spv_stamp;

/** The headers of one branch, up to the parent of the header in question. */
typedef struct spv_past {
    int32_t parent; /**< height of the parent: the highest known */
    int32_t base;   /**< height of the lowest known */
    spv_stamp (*get)(void *self,
                     int32_t height); /**< base <= height <= parent */
    void *self;
} spv_past;

/** Bits after a whole period, before BIP 94's and other exceptions. */
uint32_t spv__retarget(const spv_network *network, uint32_t base_bits,
                       uint32_t first_time, uint32_t last_time);

/**
 * Whether `next` has the bits that the rules require after `past`. `required`
 * is what they are, or 0 when they cannot be known.
 */
bool spv__bits_allowed(const spv_network *network, const spv_past *past,
                       spv_stamp next, uint32_t *required);

/** Median of `n` (1..11) times: element n / 2 of them in order. */
uint32_t spv__median_time(const uint32_t *times, int n);

/** The lowest that the median before the next header can be: the median
 * itself once eleven headers are known or the chain begins at genesis. */
uint32_t spv__median_time_past(const spv_past *past);

/** Lowest version a header at `height` may have. */
int32_t spv__version_min(const spv_network *network, int32_t height);

/** All of these together, for the header after `past`; `now` in seconds. */
spv_verdict spv__rules_check(const spv_network *network, const spv_past *past,
                             const spv_header *next, int64_t now);

#endif
