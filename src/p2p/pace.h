#ifndef SPV_P2P_PACE_H
#define SPV_P2P_PACE_H

#include <stdbool.h>
#include <stddef.h>

#include <spv/machine.h>

/*
 * How far away a peer is, how fast it answers, and so how much to ask of it.
 *
 * Alone, a peer is asked for much, and for more with every answer: nothing is
 * lost but what a missing key makes void. Beside others it is asked for as
 * little as keeps it busy: what it answers in two round trips. Every block in
 * flight elsewhere when a coin is found may have to be fetched again.
 */
typedef struct spv_pace {
    size_t alone;       /**< window as the only peer */
    spv_time fenced_at; /**< when a filterload was sent to an idle peer, or 0 */
    spv_time trip;      /**< shortest round trip seen, ms */
    bool measured;      /**< `trip` means something */
    spv_time since;     /**< answers are counted since; 0: it was idle */
    size_t answers;
    double rate; /**< answers a millisecond, smoothed; 0: unknown */
} spv_pace;

/** A filterload was sent; only a peer that was `idle` answers it at once. */
void spv__pace_fenced(spv_pace *p, bool idle, spv_time now);

/** Its fence was passed. */
void spv__pace_fence_passed(spv_pace *p, spv_time now);

/** A block was answered; `left` are still in flight. */
void spv__pace_answered(spv_pace *p, size_t left, spv_time now);

/** Most blocks to have in flight. */
size_t spv__pace_window(const spv_pace *p, bool shared);

#endif
