#include "p2p/pace.h"

#include "p2p/sync.h"

/* Answers are counted over so long before they are a rate. */
enum { SAMPLE_MS = 20 };

void spv__pace_fenced(spv_pace *p, bool idle, spv_time now)
{
    p->fenced_at = idle ? now : 0;
}

void spv__pace_fence_passed(spv_pace *p, spv_time now)
{
    spv_time trip = now - p->fenced_at;

    if (p->fenced_at == 0)
        return;
    if (!p->measured || trip < p->trip)
        p->trip = trip;
    p->measured = true;
}

static void take_sample(spv_pace *p, spv_time now)
{
    double rate = (double)p->answers / (double)(now - p->since);

    p->rate = p->rate > 0 ? (p->rate + rate) / 2 : rate;
    p->since = now;
    p->answers = 0;
}

void spv__pace_answered(spv_pace *p, size_t left, spv_time now)
{
    if (p->alone < SPV__WINDOW_ALONE_MAX)
        p->alone++;
    p->answers++;
    if (p->since == 0) { /* the first after a rest: its time is no sample */
        p->since = now;
        p->answers = 0;
    }
    if (now - p->since >= SAMPLE_MS)
        take_sample(p, now);
    if (left == 0)
        p->since = 0;
}

static size_t clamp(double window)
{
    if (window < SPV__WINDOW_SHARED_MIN)
        return SPV__WINDOW_SHARED_MIN;
    if (window > SPV__WINDOW_SHARED_MAX)
        return SPV__WINDOW_SHARED_MAX;
    return (size_t)window;
}

size_t spv__pace_window(const spv_pace *p, bool shared)
{
    size_t alone = SPV__WINDOW_ALONE_MIN + p->alone;

    if (shared)
        return clamp(2 * (double)p->trip * p->rate);
    return alone < SPV__WINDOW_ALONE_MAX ? alone : SPV__WINDOW_ALONE_MAX;
}
