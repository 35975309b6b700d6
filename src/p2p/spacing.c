#include "p2p/spacing.h"

/* Distances of nought that a mean begins with, and of how many it is at most.
 */
enum { NOUGHTS = 4, MEMORY = 16 };

/* Chance alone seldom makes a silence so many times as long as the mean. */
static const double LONG_SILENCE = 8;

void spv__spacing_note(spv_spacing *s, bool brought_coins)
{
    s->since++;
    if (!brought_coins)
        return;
    if (s->n == 0)
        s->n = NOUGHTS;
    if (s->n < MEMORY)
        s->n++;
    s->mean += (s->since - s->mean) / s->n;
    s->since = 0;
}

double spv__spacing_get(const spv_spacing *s)
{
    double silence = s->n > 0 ? s->since / LONG_SILENCE : s->since;

    return silence > s->mean ? silence : s->mean;
}
