#include "base/u256.h"

#include <assert.h>

spv_u256 spv__u256(uint64_t v)
{
    return (spv_u256){{v, 0, 0, 0}};
}

spv_u256 spv__u256_of_hash(const spv_hash *hash)
{
    spv_u256 v = {{0}};

    for (unsigned i = 0; i < 32; i++)
        v.limb[i / 8] |= (uint64_t)hash->bytes[i] << 8 * (i % 8);
    return v;
}

void spv__u256_to_hash(spv_hash *out, spv_u256 v)
{
    for (unsigned i = 0; i < 32; i++)
        out->bytes[i] = (uint8_t)(v.limb[i / 8] >> 8 * (i % 8));
}

int spv__u256_compare(spv_u256 a, spv_u256 b)
{
    for (unsigned i = 4; i-- > 0;)
        if (a.limb[i] != b.limb[i])
            return a.limb[i] < b.limb[i] ? -1 : 1;
    return 0;
}

bool spv__u256_is_zero(spv_u256 v)
{
    return !(v.limb[0] | v.limb[1] | v.limb[2] | v.limb[3]);
}

static unsigned limb_bits(uint64_t limb)
{
    unsigned bits = 0;

    for (unsigned step = 32; step; step /= 2) {
        if (!(limb >> step))
            continue;
        limb >>= step;
        bits += step;
    }
    return bits + (limb != 0);
}

unsigned spv__u256_bits(spv_u256 v)
{
    for (unsigned i = 4; i-- > 0;)
        if (v.limb[i])
            return 64 * i + limb_bits(v.limb[i]);
    return 0;
}

spv_u256 spv__u256_add(spv_u256 a, spv_u256 b)
{
    uint64_t carry = 0;

    for (unsigned i = 0; i < 4; i++) {
        uint64_t with_carry = a.limb[i] + carry;

        carry = with_carry < carry;
        a.limb[i] = with_carry + b.limb[i];
        carry += a.limb[i] < with_carry;
    }
    return a;
}

spv_u256 spv__u256_not(spv_u256 v)
{
    for (unsigned i = 0; i < 4; i++)
        v.limb[i] = ~v.limb[i];
    return v;
}

spv_u256 spv__u256_sub(spv_u256 a, spv_u256 b)
{
    spv_u256 negated = spv__u256_add(spv__u256_not(b), spv__u256(1));

    return spv__u256_add(a, negated);
}

spv_u256 spv__u256_shl(spv_u256 v, unsigned by)
{
    spv_u256 out = {{0}};
    unsigned limbs = by / 64;
    unsigned bits = by % 64;

    for (unsigned i = limbs; i < 4; i++) {
        out.limb[i] = v.limb[i - limbs] << bits;
        if (bits && i > limbs)
            out.limb[i] |= v.limb[i - limbs - 1] >> (64 - bits);
    }
    return out;
}

spv_u256 spv__u256_shr(spv_u256 v, unsigned by)
{
    spv_u256 out = {{0}};
    unsigned limbs = by / 64;
    unsigned bits = by % 64;

    for (unsigned i = 0; i + limbs < 4; i++) {
        out.limb[i] = v.limb[i + limbs] >> bits;
        if (bits && i + limbs + 1 < 4)
            out.limb[i] |= v.limb[i + limbs + 1] << (64 - bits);
    }
    return out;
}

spv_u256 spv__u256_mul_u32(spv_u256 a, uint32_t b)
{
    uint64_t carry = 0;

    for (unsigned i = 0; i < 4; i++) {
        uint64_t low = (a.limb[i] & UINT32_MAX) * b + carry;
        uint64_t high = (a.limb[i] >> 32) * b + (low >> 32);

        a.limb[i] = high << 32 | (low & UINT32_MAX);
        carry = high >> 32;
    }
    return a;
}

/*
 * Long division, about 31 bits a step: each header's work is one of these.
 *
 * A digit is the highest bits of `a` over those of `b` rounded up, so it never
 * exceeds the truth and nothing has to be given back. Where that says zero the
 * truth is one: `a` is still at least `b`.
 */
spv_u256 spv__u256_div(spv_u256 a, spv_u256 b)
{
    spv_u256 quotient = spv__u256(0);
    unsigned b_bits = spv__u256_bits(b);
    unsigned width = b_bits < 32 ? b_bits : 32;
    unsigned b_cut = b_bits - width;
    uint64_t b_top = spv__u256_shr(b, b_cut).limb[0] + (b_cut > 0);

    assert(b_bits > 0);
    while (spv__u256_compare(a, b) >= 0) {
        unsigned a_bits = spv__u256_bits(a);
        unsigned a_cut = a_bits > width + 31 ? a_bits - width - 31 : 0;
        unsigned up = a_cut > b_cut ? a_cut - b_cut : 0;
        unsigned down = b_cut > a_cut ? b_cut - a_cut : 0;
        uint64_t digit = spv__u256_shr(a, a_cut).limb[0] / b_top >> down;
        uint32_t times = digit ? (uint32_t)digit : 1;
        spv_u256 part = spv__u256_mul_u32(b, times);

        a = spv__u256_sub(a, spv__u256_shl(part, up));
        quotient = spv__u256_add(quotient, spv__u256_shl(spv__u256(times), up));
    }
    return quotient;
}
