#include "chain/pow.h"

#include <stddef.h>

enum { SIGN = 0x00800000, MANTISSA = 0x007fffff };

static bool overflows(uint32_t mantissa, unsigned size)
{
    return mantissa != 0 && (size > 34 || (mantissa > 0xff && size > 33) ||
                             (mantissa > 0xffff && size > 32));
}

spv_target spv__bits_decode(uint32_t bits)
{
    unsigned size = bits >> 24;
    uint32_t mantissa = bits & MANTISSA;
    spv_target t = {{{0}}, false, false};

    if (size <= 3)
        mantissa >>= 8 * (3 - size);
    t.negative = mantissa != 0 && (bits & SIGN) != 0;
    t.overflow = overflows(mantissa, size);
    t.value = spv__u256(mantissa);
    if (size > 3 && !t.overflow)
        t.value = spv__u256_shl(t.value, 8 * (size - 3));
    return t;
}

uint32_t spv__bits_encode(spv_u256 target)
{
    unsigned size = (spv__u256_bits(target) + 7) / 8;
    uint32_t mantissa = 0;

    if (size <= 3)
        mantissa = (uint32_t)(target.limb[0] << 8 * (3 - size));
    else
        mantissa = (uint32_t)spv__u256_shr(target, 8 * (size - 3)).limb[0];
    if (mantissa & SIGN) { /* that bit means "negative": shift it away */
        mantissa >>= 8;
        size++;
    }
    return mantissa | (uint32_t)size << 24;
}

static bool is_possible(const spv_target *t)
{
    return !t->negative && !t->overflow && !spv__u256_is_zero(t->value);
}

spv_u256 spv__bits_work(uint32_t bits)
{
    spv_target t = spv__bits_decode(bits);
    spv_u256 one = spv__u256(1);

    if (!is_possible(&t))
        return spv__u256(0);
    /* 2^256 does not fit, so (2^256 - target - 1) / (target + 1) + 1 */
    return spv__u256_add(
        spv__u256_div(spv__u256_not(t.value), spv__u256_add(t.value, one)),
        one);
}

bool spv_pow_check(const spv_hash *hash, uint32_t bits,
                   const spv_network *network)
{
    spv_target t = spv__bits_decode(bits);
    spv_target limit = spv__bits_decode(network->pow_limit_bits);

    return is_possible(&t) && spv__u256_compare(t.value, limit.value) <= 0 &&
           spv__u256_compare(spv__u256_of_hash(hash), t.value) <= 0;
}

/* Words for verdicts ------------------------------------------------------ */

const char *spv_verdict_text(spv_verdict verdict)
{
    static const char *const texts[] = {
#define X(name, text) text,
        SPV_VERDICT_MAP(X)
#undef X
    };
    size_t i = (size_t)verdict;

    return i < sizeof(texts) / sizeof(texts[0]) ? texts[i] : "unknown verdict";
}

bool spv_verdict_is_fault(spv_verdict verdict)
{
    return verdict >= SPV_VERDICT_BAD_POW;
}
