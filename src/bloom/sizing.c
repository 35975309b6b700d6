#include <math.h>

#include <spv/filter_maths.h>

#include "bloom/bits.h"

/*
 * How large a wire filter is, and how often it is wrong.
 *
 * The size must be the reference implementation's to the last bit: the same
 * constants, the same truncations, and its quirk that the hash count is made
 * from whole bits per element (an integer division).
 */
#define LN2         0.6931471805599453094172321214581765680755001343602552
#define LN2_SQUARED 0.480453013918201424667102526326664971730552951594545591

spv_err spv_filter_size(size_t *bytes, uint32_t *hash_funcs, uint32_t n,
                        double p)
{
    double bits = 0;
    uint32_t funcs = 0;

    if (n == 0 || !(p > 0 && p < 1))
        return SPV_INVAL;
    bits = fmin(-1 / LN2_SQUARED * n * log(p), SPV_FILTER_BYTES_MAX * 8);
    *bytes = (size_t)bits / 8;
    funcs = (uint32_t)((double)(*bytes * 8 / n) * LN2);
    *hash_funcs = funcs < SPV_FILTER_FUNCS_MAX ? funcs : SPV_FILTER_FUNCS_MAX;
    return SPV_OK;
}

double spv_filter_rate_for(size_t bytes, uint32_t hash_funcs, double n)
{
    return spv_filter_shape_rate(
        (spv_filter_shape){(uint64_t)bytes * 8, hash_funcs}, n);
}

double spv_filter_capacity(size_t bytes, double p)
{
    return -8 * (double)bytes * LN2_SQUARED / log(p);
}

size_t spv_filter_bits_set(const spv_filter *f)
{
    return (size_t)spv__bits_count(f->bytes, f->len);
}

bool spv_filter_is_empty(const spv_filter *f)
{
    return spv_filter_bits_set(f) == 0;
}

bool spv_filter_is_full(const spv_filter *f)
{
    return f->hash_funcs == 0 || spv_filter_bits_set(f) == f->len * 8;
}

double spv_filter_rate(const spv_filter *f)
{
    return spv_filter_observed_rate(spv_filter_shape_of(f),
                                    spv_filter_bits_set(f));
}

double spv_filter_elements(const spv_filter *f)
{
    return spv_filter_elements_from(spv_filter_shape_of(f),
                                    spv_filter_bits_set(f));
}
