#include <math.h>

#include <spv/filter.h>

/*
 * How large a filter is, and how often it is wrong.
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
    double bits = 8 * (double)bytes;
    double k = hash_funcs;

    return bytes == 0 ? 1 : pow(1 - exp(-k * n / bits), k);
}

double spv_filter_capacity(size_t bytes, double p)
{
    return -8 * (double)bytes * LN2_SQUARED / log(p);
}

static unsigned count_bits(uint8_t byte)
{
    unsigned n = 0;

    for (; byte; byte &= (uint8_t)(byte - 1))
        n++;
    return n;
}

size_t spv_filter_bits_set(const spv_filter *f)
{
    size_t n = 0;

    for (size_t i = 0; i < f->len; i++)
        n += count_bits(f->bytes[i]);
    return n;
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
    if (f->len == 0)
        return 1;
    return pow((double)spv_filter_bits_set(f) / (8 * (double)f->len),
               f->hash_funcs);
}

double spv_filter_elements(const spv_filter *f)
{
    double bits = 8 * (double)f->len;

    if (spv_filter_is_full(f))
        return (double)INFINITY;
    return -bits / f->hash_funcs *
           log(1 - (double)spv_filter_bits_set(f) / bits);
}
