#include "p2p/suspicion.h"

#include <math.h>

/* What a transaction that did not match says: -ln(1 - q/2), q being the chance
 * that one of its two elements matched. */
static double of_silence(double rate)
{
    double chance = rate * (2 - rate);

    return -log1p(-chance / 2);
}

bool spv__suspicion_add(spv_suspicion *s, int32_t height,
                        uint32_t n_transactions, double rate, size_t matched)
{
    static const double ln_2 = 0.6931471805599453;

    if (height <= s->top)
        return s->value >= SPV__SUSPICION_MAX;
    s->top = height;
    if (n_transactions > 1)
        s->value += (n_transactions - 1) * of_silence(rate);
    s->value -= ln_2 * (double)matched;
    if (s->value < 0)
        s->value = 0;
    return s->value >= SPV__SUSPICION_MAX;
}
