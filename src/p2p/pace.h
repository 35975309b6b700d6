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
 * flight elsewhere when a coin is found may have to be fetched again. Before
 * reserves it is asked for somewhat more: one that joins in gets what lies
 * above, and every coin found below is missing there.
 */
typedef struct spv_pace {
    size_t alone;      /**< window as the only peer */
    spv_time asked_at; /**< when it was asked with nothing else to do, or 0 */
    spv_time trip;     /**< shortest round trip seen, ms */
    bool measured;     /**< `trip` means something */
    spv_time last;     /**< when it last answered; 0: it was idle since */
    double answers;    /**< of late, */
    double busy;       /**< and the milliseconds it was busy with them */
} spv_pace;

/** It took so long to answer when it had nothing else to do. */
void spv__pace_trip(spv_pace *p, spv_time trip);

/** Something was asked; only a peer that was `idle` can answer at once. */
void spv__pace_asked(spv_pace *p, bool idle, spv_time now);

/** A filterload's fence was passed. */
void spv__pace_fence_passed(spv_pace *p, spv_time now);

/** A block was answered; `left` are still in flight. */
void spv__pace_answered(spv_pace *p, size_t left, spv_time now);

/** Answers a millisecond of a busy peer; a guess at first. */
double spv__pace_rate(const spv_pace *p);

typedef enum spv_company {
    SPV_ALONE,           /**< nobody else serves blocks */
    SPV_BEFORE_RESERVES, /**< others could, and are not asked for now */
    SPV_SHARING          /**< with others */
} spv_company;

/** Most blocks to have in flight. */
size_t spv__pace_window(const spv_pace *p, spv_company company);

#endif
