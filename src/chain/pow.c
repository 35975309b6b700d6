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

/* Proof of work ------------------------------------------------------------ */

/*
 * Every header passes here, so the 256-bit numbers stay out of it: a target is
 * three digits to base 256, the first not zero, and where they stand.
 */
typedef struct digits {
    uint32_t three;
    unsigned size; /* of the number, in bytes; 0 is no valid target */
} digits;

static digits digits_of(uint32_t bits)
{
    digits d = {.three = bits & MANTISSA, .size = bits >> 24};

    if (bits & SIGN)
        return (digits){0};
    if (d.size < 3) /* what lies behind the point is cut off */
        d.three &= UINT32_MAX << 8 * (3 - d.size);
    if (d.three == 0)
        return (digits){0};
    for (; d.three <= 0xffff; d.three <<= 8)
        d.size--;
    return d;
}

static bool digits_at_most(digits a, digits b)
{
    return a.size < b.size || (a.size == b.size && a.three <= b.three);
}

/** Whether bytes `from`..`to` - 1 of a hash are zero. */
static bool is_zero(const spv_hash *hash, unsigned from, unsigned to)
{
    unsigned seen = 0;

    for (unsigned i = from; i < to; i++)
        seen |= hash->bytes[i];
    return seen == 0;
}

static bool hash_at_most(const spv_hash *hash, digits d)
{
    unsigned low = d.size > 3 ? d.size - 3 : 0; /* lowest of the three */
    uint32_t three = 0;

    if (!is_zero(hash, d.size, 32))
        return false;
    for (unsigned i = 0; i < 3; i++)
        three = three << 8 | (d.size > i ? hash->bytes[d.size - 1 - i] : 0u);
    return three < d.three || (three == d.three && is_zero(hash, 0, low));
}

bool spv_pow_check(const spv_hash *hash, uint32_t bits,
                   const spv_network *network)
{
    digits d = digits_of(bits);

    return d.size > 0 && d.size <= 32 &&
           digits_at_most(d, digits_of(network->pow_limit_bits)) &&
           hash_at_most(hash, d);
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
