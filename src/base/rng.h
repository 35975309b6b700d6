#ifndef SPV_BASE_RNG_H
#define SPV_BASE_RNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Chance that can be repeated: splitmix64. One seed, one run, on any machine.
 */
typedef struct spv_rng {
    uint64_t state;
} spv_rng;

static inline uint64_t spv__rng_next(spv_rng *r)
{
    uint64_t z = r->state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/** A number from 0 to n - 1; 0 when n is 0. */
static inline uint64_t spv__rng_below(spv_rng *r, uint64_t n)
{
    return n == 0 ? 0 : spv__rng_next(r) % n;
}

/** A number from `low` to `high`, both included. */
static inline int64_t spv__rng_between(spv_rng *r, int64_t low, int64_t high)
{
    return low + (int64_t)spv__rng_below(r, (uint64_t)(high - low) + 1);
}

/** True `n` times in `of`. */
static inline bool spv__rng_chance(spv_rng *r, uint64_t n, uint64_t of)
{
    return spv__rng_below(r, of) < n;
}

static inline void spv__rng_bytes(spv_rng *r, uint8_t *out, size_t len)
{
    for (size_t i = 0; i < len; i++)
        out[i] = (uint8_t)spv__rng_next(r);
}

/** A generator of its own for a part, so that parts do not disturb another. */
static inline spv_rng spv__rng_fork(spv_rng *r, uint64_t part)
{
    spv_rng child = {spv__rng_next(r) ^ (part * UINT64_C(0xd6e8feb86659fd93))};

    return child;
}

#endif
