#include "p2p/pace.h"

#include "p2p/sync.h"

/* After so long a time of work answers count for half, and a quarter of it
 * makes a rate: the clock is no finer than a millisecond. */
enum { SAMPLE_MS = 40 };

/* Answers a millisecond of a peer that is not known yet. */
static const double RATE_GUESS = 4;

/* Shorter trips cannot be told from work. */
enum { LONG_TRIP_MS = 4 };

void spv__pace_trip(spv_pace *p, spv_time trip)
{
    if (!p->measured || trip < p->trip)
        p->trip = trip;
    p->measured = true;
}

void spv__pace_asked(spv_pace *p, bool idle, spv_time now)
{
    if (idle)
        p->asked_at = now;
}

static void end_trip(spv_pace *p, spv_time now)
{
    if (p->asked_at)
        spv__pace_trip(p, now - p->asked_at);
    p->asked_at = 0;
}

void spv__pace_fence_passed(spv_pace *p, spv_time now)
{
    end_trip(p, now);
}

/* What lies between two answers is work, unless it is long enough for the line
 * to have been empty: then the peer waited for us. */
static bool was_busy(const spv_pace *p, spv_time now)
{
    spv_time gap = now - p->last;

    return p->last &&
           (!p->measured || p->trip < LONG_TRIP_MS || 2 * gap < p->trip);
}

static void count_answer(spv_pace *p, spv_time now)
{
    p->answers++;
    p->busy += (double)(now - p->last);
    if (p->busy < SAMPLE_MS)
        return;
    p->answers /= 2;
    p->busy /= 2;
}

void spv__pace_answered(spv_pace *p, size_t left, spv_time now)
{
    if (p->alone < SPV__WINDOW_ALONE_MAX)
        p->alone++;
    end_trip(p, now);
    if (was_busy(p, now))
        count_answer(p, now);
    p->last = left ? now : 0;
}

double spv__pace_rate(const spv_pace *p)
{
    return p->busy < SAMPLE_MS / 4 ? RATE_GUESS : p->answers / p->busy;
}

static size_t clamp(double window, size_t least, size_t most)
{
    if (window < (double)least)
        return least;
    return window < (double)most ? (size_t)window : most;
}

size_t spv__pace_window(const spv_pace *p, spv_company company)
{
    double two_trips = 2 * (double)p->trip * spv__pace_rate(p);

    switch (company) {
    case SPV_ALONE:
        break;
    case SPV_BEFORE_RESERVES:
        return clamp(two_trips, SPV__WINDOW_FIRST_MIN, SPV__WINDOW_SHARED_MAX);
    case SPV_SHARING:
        return clamp(two_trips, SPV__WINDOW_SHARED_MIN, SPV__WINDOW_SHARED_MAX);
    }
    return clamp(SPV__WINDOW_ALONE_MIN + (double)p->alone,
                 SPV__WINDOW_ALONE_MIN, SPV__WINDOW_ALONE_MAX);
}
