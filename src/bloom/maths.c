#include <spv/filter_maths.h>

#include <math.h>

#include "bloom/bits.h"

#define LN2 0.6931471805599453094172321214581765680755001343602552

/** Bits of a block, a cache line, in blocked filters. */
#define BLOCK 512.0

static bool is_void(spv_filter_shape shape)
{
    return shape.bits == 0 || shape.hash_funcs == 0;
}

/* Forwards: from a shape and n to p --------------------------------------- */

/** p = (share of bits set)^k */
static double rate_at(double share, uint32_t k)
{
    return pow(share, k);
}

double spv_filter_shape_rate(spv_filter_shape shape, double n)
{
    double k = shape.hash_funcs;

    if (is_void(shape))
        return 1;
    return rate_at(-expm1(-k * n / (double)shape.bits), shape.hash_funcs);
}

/**
 * A block gets its share of the n elements by chance: `load` on average, in
 * fact j with Poisson's probability. The rate is that of each load, weighted
 * by how many blocks have it. Twelve deviations hold all that a double shows.
 */
double spv_filter_blocked_rate(spv_filter_shape shape, double n)
{
    double load = n * BLOCK / (double)shape.bits;
    double reach = 12 * sqrt(load) + 12;
    double rate = 0;

    if (is_void(shape) || !(load < 1e6))
        return 1;
    for (double j = floor(fmax(load - reach, 0)); j < load + reach; j++) {
        double blocks = exp(j * log(load) - load - lgamma(j + 1));
        double share = -expm1(shape.hash_funcs * j * log1p(-1 / BLOCK));

        rate += n > 0 ? blocks * rate_at(share, shape.hash_funcs) : 0;
    }
    return rate;
}

/* Backwards: from p to n and m -------------------------------------------- */

/** How many darts, a bit, leave the share set that makes rate p with k
 * functions: k n / m = -ln(1 - p^(1/k)). */
static double darts_a_bit(uint32_t k, double p)
{
    return -log1p(-pow(p, 1.0 / k));
}

double spv_filter_shape_capacity(spv_filter_shape shape, double p)
{
    if (is_void(shape))
        return 0;
    return (double)shape.bits * darts_a_bit(shape.hash_funcs, p) /
           shape.hash_funcs;
}

/** The rate only rises with the elements, so what lies between is halved. Any
 * below 1 is passed long before there are 64 elements for each bit. */
double spv_filter_blocked_capacity(spv_filter_shape shape, double p)
{
    double low = 0;
    double high = (double)shape.bits * 64;

    if (is_void(shape))
        return 0;
    while (high - low > 1e-10 * high) {
        double middle = (low + high) / 2;

        if (spv_filter_blocked_rate(shape, middle) > p)
            high = middle;
        else
            low = middle;
    }
    return low;
}

static double bits_needed(double n, double p, uint32_t k)
{
    return k * n / darts_a_bit(k, p);
}

/** Of the whole numbers beside k = -log2 p, the best when bits are free to
 * follow, the one that needs fewer bits. */
static uint32_t funcs_needed(double p)
{
    double exact = -log(p) / LN2;
    uint32_t k = exact < 1 ? 1 : (uint32_t)exact;

    return bits_needed(1, p, k) <= bits_needed(1, p, k + 1) ? k : k + 1;
}

spv_err spv_filter_shape_for(spv_filter_shape *shape, uint64_t n, double p)
{
    uint32_t k = 0;
    double bytes = 0;

    if (n == 0 || !(p > 0 && p < 1))
        return SPV_INVAL;
    k = funcs_needed(p);
    bytes = ceil(bits_needed((double)n, p, k) / 8);
    if (!(bytes < 0x1p60))
        return SPV_LIMIT;
    *shape = (spv_filter_shape){(uint64_t)fmax(bytes, 1) * 8, k};
    return SPV_OK;
}

/** The curve has one valley, so of the two whole numbers beside its lowest
 * point, k = (m/n) ln 2, one is the best. */
uint32_t spv_filter_best_funcs(uint64_t bits, double n)
{
    double exact = (double)bits / n * LN2;
    uint32_t k = 0;

    if (!(exact < UINT32_MAX))
        return UINT32_MAX;
    if (exact < 1)
        return 1;
    k = (uint32_t)exact;
    return spv_filter_shape_rate((spv_filter_shape){bits, k}, n) <=
                   spv_filter_shape_rate((spv_filter_shape){bits, k + 1}, n)
               ? k
               : k + 1;
}

/* From the bits that are set ---------------------------------------------- */

double spv_filter_observed_rate(spv_filter_shape shape, uint64_t set)
{
    if (is_void(shape))
        return 1;
    return rate_at((double)set / (double)shape.bits, shape.hash_funcs);
}

/** s = m (1 - e^(-k n/m)), solved for n (Swamidass and Baldi, 2007). */
double spv_filter_elements_from(spv_filter_shape shape, uint64_t set)
{
    double bits = (double)shape.bits;

    if (is_void(shape) || set >= shape.bits)
        return (double)INFINITY;
    return -bits / shape.hash_funcs * log1p(-(double)set / bits);
}

/**
 * An element sets c = 512 (1 - (1 - 1/512)^k) bits of its block, and not k. A
 * bit is missed by all of the j elements of its block with (1 - c/512)^j, and
 * j is Poisson's, so by all there are with e^(-c n/m).
 */
double spv_filter_blocked_elements_from(spv_filter_shape shape, uint64_t set)
{
    double own = -BLOCK * expm1(shape.hash_funcs * log1p(-1 / BLOCK));
    double n = spv_filter_elements_from(shape, set);

    return is_void(shape) ? n : n * shape.hash_funcs / own;
}

double spv_filter_capacity_left(spv_filter_shape shape, uint64_t set, double p)
{
    return fmax(spv_filter_shape_capacity(shape, p) -
                    spv_filter_elements_from(shape, set),
                0);
}

double spv_filter_elements_shared(spv_filter_shape shape, uint64_t a,
                                  uint64_t b, uint64_t either)
{
    double each =
        spv_filter_elements_from(shape, a) + spv_filter_elements_from(shape, b);

    if (isinf(each))
        return each;
    return fmax(each - spv_filter_elements_from(shape, either), 0);
}

/* Wire filters ------------------------------------------------------------ */

spv_filter_shape spv_filter_shape_of(const spv_filter *f)
{
    return (spv_filter_shape){(uint64_t)f->len * 8, f->hash_funcs};
}

bool spv_filter_compatible(const spv_filter *a, const spv_filter *b)
{
    return a->len == b->len && a->hash_funcs == b->hash_funcs &&
           a->tweak == b->tweak;
}

spv_err spv_filter_merge(spv_filter *into, const spv_filter *from)
{
    if (!spv_filter_compatible(into, from))
        return SPV_INVAL;
    spv__bits_merge(into->bytes, from->bytes, from->len);
    return SPV_OK;
}

spv_err spv_filter_overlap(double *either, double *both, const spv_filter *a,
                           const spv_filter *b)
{
    spv_filter_shape shape = spv_filter_shape_of(a);
    uint64_t set = 0;

    if (!spv_filter_compatible(a, b))
        return SPV_INVAL;
    set = spv__bits_count_either(a->bytes, b->bytes, a->len);
    *either = spv_filter_elements_from(shape, set);
    *both = spv_filter_elements_shared(shape, spv_filter_bits_set(a),
                                       spv_filter_bits_set(b), set);
    return SPV_OK;
}
