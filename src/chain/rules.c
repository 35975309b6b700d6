#include "chain/rules.h"

#include "chain/pow.h"

/*
 * What is certain although older headers are missing:
 *
 *  - The first retarget after a base inside a period: the bits are then held
 *    only to the factor of four that bounds any retarget. From the second on
 *    the whole period is known.
 *  - testnet3 and testnet4, walking back to the last ordinary bits: when every
 *    known block of the base's period has minimum difficulty, any bits pass
 *    until the period ends.
 *  - The median of eleven of which only the newest n are known is at least the
 *    one that would result if all the others were as early as can be.
 *
 * A checkpoint lies on a retarget height, where only the third one occurs.
 */

static spv_stamp stamp_at(const spv_past *past, int32_t height)
{
    return past->get(past->self, height);
}

static int64_t clamp(int64_t v, int64_t low, int64_t high)
{
    return v < low ? low : v > high ? high : v;
}

/* Difficulty -------------------------------------------------------------- */

/** Bits of `base_bits` with its target scaled by timespan / two weeks. */
static uint32_t scale(const spv_network *network, uint32_t base_bits,
                      uint32_t timespan)
{
    spv_u256 limit = spv__bits_decode(network->pow_limit_bits).value;
    spv_u256 target = spv__bits_decode(base_bits).value;

    target = spv__u256_mul_u32(target, timespan);
    target = spv__u256_div(target, spv__u256(SPV__TARGET_TIMESPAN));
    if (spv__u256_compare(target, limit) > 0)
        target = limit;
    return spv__bits_encode(target);
}

uint32_t spv__retarget(const spv_network *network, uint32_t base_bits,
                       uint32_t first_time, uint32_t last_time)
{
    int64_t timespan =
        clamp((int64_t)last_time - first_time, SPV__TARGET_TIMESPAN / 4,
              SPV__TARGET_TIMESPAN * 4);

    return scale(network, base_bits, (uint32_t)timespan);
}

/** The bits of the last block of this period that is no 20-minute block. */
static uint32_t last_ordinary_bits(const spv_network *network,
                                   const spv_past *past)
{
    int32_t height = past->parent;
    spv_stamp at = stamp_at(past, height);

    while (at.bits == network->pow_limit_bits &&
           height % SPV__RETARGET_INTERVAL != 0) {
        if (height == past->base)
            return 0;
        at = stamp_at(past, --height);
    }
    return at.bits;
}

static uint32_t bits_within_period(const spv_network *network,
                                   const spv_past *past, uint32_t time)
{
    spv_stamp parent = stamp_at(past, past->parent);

    if (!network->min_difficulty || network->no_retarget)
        return parent.bits;
    if ((int64_t)time > (int64_t)parent.time + SPV__MIN_DIFFICULTY_GAP)
        return network->pow_limit_bits;
    return last_ordinary_bits(network, past);
}

static uint32_t bits_of_new_period(const spv_network *network,
                                   const spv_past *past)
{
    int32_t first_height = past->parent + 1 - SPV__RETARGET_INTERVAL;
    spv_stamp last = stamp_at(past, past->parent);
    spv_stamp first;

    if (network->no_retarget)
        return last.bits;
    if (first_height < past->base)
        return 0;
    first = stamp_at(past, first_height);
    return spv__retarget(network, network->bip94 ? first.bits : last.bits,
                         first.time, last.time);
}

/** Whether one retarget can lead from `from` to `to`, however long it took. */
static bool is_retarget(const spv_network *network, uint32_t from, uint32_t to)
{
    spv_u256 target = spv__bits_decode(to).value;
    uint32_t low = scale(network, from, SPV__TARGET_TIMESPAN / 4);
    uint32_t high = scale(network, from, SPV__TARGET_TIMESPAN * 4);

    return spv__u256_compare(target, spv__bits_decode(low).value) >= 0 &&
           spv__u256_compare(target, spv__bits_decode(high).value) <= 0;
}

bool spv__bits_allowed(const spv_network *network, const spv_past *past,
                       spv_stamp next, uint32_t *required)
{
    bool new_period = (past->parent + 1) % SPV__RETARGET_INTERVAL == 0;

    *required = new_period ? bits_of_new_period(network, past)
                           : bits_within_period(network, past, next.time);
    if (*required)
        return next.bits == *required;
    return network->min_difficulty ||
           is_retarget(network, stamp_at(past, past->parent).bits, next.bits);
}

/* Time -------------------------------------------------------------------- */

static void sort(uint32_t *times, int n)
{
    for (int i = 1; i < n; i++) {
        uint32_t t = times[i];
        int at = i;

        for (; at > 0 && times[at - 1] > t; at--)
            times[at] = times[at - 1];
        times[at] = t;
    }
}

uint32_t spv__median_time(const uint32_t *times, int n)
{
    uint32_t sorted[SPV__MEDIAN_SPAN];

    for (int i = 0; i < n; i++)
        sorted[i] = times[i];
    sort(sorted, n);
    return sorted[n / 2];
}

/** Times of the newest headers, oldest first; how many: at most eleven. */
static int newest_times(uint32_t times[SPV__MEDIAN_SPAN], const spv_past *past)
{
    int64_t known = (int64_t)past->parent - past->base + 1;
    int n = known < SPV__MEDIAN_SPAN ? (int)known : SPV__MEDIAN_SPAN;

    for (int i = 0; i < n; i++)
        times[n - 1 - i] = stamp_at(past, past->parent - i).time;
    return n;
}

uint32_t spv__median_time_past(const spv_past *past)
{
    uint32_t times[SPV__MEDIAN_SPAN];
    int n = newest_times(times, past);
    int missing = past->base == 0 ? 0 : SPV__MEDIAN_SPAN - n;

    sort(times, n);
    if (missing == 0)
        return times[n / 2];
    return missing > SPV__MEDIAN_SPAN / 2
               ? 0
               : times[SPV__MEDIAN_SPAN / 2 - missing];
}

/* BIP 94: "the first block in a difficulty period" may not be too early. */
static bool warps_time(const spv_network *network, const spv_past *past,
                       uint32_t time)
{
    if (!network->bip94 || (past->parent + 1) % SPV__RETARGET_INTERVAL != 0)
        return false;
    return (int64_t)time <
           (int64_t)stamp_at(past, past->parent).time - SPV__TIME_WARP_MAX;
}

/* Version ----------------------------------------------------------------- */

int32_t spv__version_min(const spv_network *network, int32_t height)
{
    /* Heights from which BIP 34, 66 and 65 ask for versions 2, 3 and 4. */
    static const int32_t from[SPV_CHAIN_COUNT][3] = {
        [SPV_MAIN] = {227931, 363725, 388381},
        [SPV_TESTNET3] = {21111, 330776, 581885},
        [SPV_TESTNET4] = {1, 1, 1},
        [SPV_SIGNET] = {1, 1, 1},
        [SPV_REGTEST] = {500, 1251, 1351},
    };
    int32_t version = INT32_MIN;

    for (int32_t i = 0; i < 3; i++)
        if (height >= from[network->chain][i])
            version = i + 2;
    return version;
}

spv_verdict spv__rules_check(const spv_network *network, const spv_past *past,
                             const spv_header *next, int64_t now)
{
    spv_stamp stamp = {.time = next->time, .bits = next->bits};
    uint32_t required = 0;

    if (!spv__bits_allowed(network, past, stamp, &required))
        return SPV_VERDICT_BAD_BITS;
    if (next->time <= spv__median_time_past(past))
        return SPV_VERDICT_OLD_TIME;
    if (warps_time(network, past, next->time))
        return SPV_VERDICT_TIME_WARP;
    if ((int64_t)next->time > now + SPV__FUTURE_MAX)
        return SPV_VERDICT_FUTURE;
    if (next->version < spv__version_min(network, past->parent + 1))
        return SPV_VERDICT_OLD_VERSION;
    return SPV_VERDICT_ADDED;
}
