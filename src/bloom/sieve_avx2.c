#include "bloom/sieve.h"

#if defined(SPV__WIDE)

#    include "bloom/lanes_avx2.h"

/* Words ------------------------------------------------------------------- */

/** Four words of each of eight elements, a register a word. */
typedef struct quad {
    lanes word[4];
} quad;

STEP lanes load_halves(const uint8_t *low, const uint8_t *high)
{
    const __m128i *a = (const __m128i *)(const void *)low;
    const __m128i *b = (const __m128i *)(const void *)high;

    return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128(a)),
                                   _mm_loadu_si128(b), 1);
}

/** Read a row an element, given back a row a word. */
STEP quad load_quad(const uint8_t *const e[8], size_t at)
{
    lanes a = load_halves(e[0] + at, e[4] + at);
    lanes b = load_halves(e[1] + at, e[5] + at);
    lanes c = load_halves(e[2] + at, e[6] + at);
    lanes d = load_halves(e[3] + at, e[7] + at);
    lanes ab_low = _mm256_unpacklo_epi32(a, b);
    lanes ab_high = _mm256_unpackhi_epi32(a, b);
    lanes cd_low = _mm256_unpacklo_epi32(c, d);
    lanes cd_high = _mm256_unpackhi_epi32(c, d);

    return (quad){{
        _mm256_unpacklo_epi64(ab_low, cd_low),
        _mm256_unpackhi_epi64(ab_low, cd_low),
        _mm256_unpacklo_epi64(ab_high, cd_high),
        _mm256_unpackhi_epi64(ab_high, cd_high),
    }};
}

STEP int word_at(const uint8_t *p)
{
    return (int)spv__murmur3_word(p);
}

STEP lanes load_word(const uint8_t *const e[8], size_t at)
{
    return _mm256_setr_epi32(word_at(e[0] + at), word_at(e[1] + at),
                             word_at(e[2] + at), word_at(e[3] + at),
                             word_at(e[4] + at), word_at(e[5] + at),
                             word_at(e[6] + at), word_at(e[7] + at));
}

/* Hashes ------------------------------------------------------------------ */

/** Two functions of each of eight elements. */
typedef struct pairs {
    lanes first;
    lanes second;
} pairs;

STEP pairs hash_word(pairs p, lanes word)
{
    lanes scrambled = scramble(word);

    return (pairs){round_step(p.first, scrambled),
                   round_step(p.second, scrambled)};
}

/** The bits named by the elements from `i` on. */
STEP pairs hash_eight(const spv__pot *pot, size_t i, size_t words,
                      const spv__bip37 *h)
{
    const uint8_t *const *e = pot->element + i;
    lanes last = load_lanes(pot->last + i);
    lanes turn = load_lanes(pot->turn + i);
    lanes function = _mm256_and_si256(turn, all_lanes(SPV__TURN_MASK));
    lanes after = _mm256_add_epi32(function, all_lanes(1));
    pairs p = {seed(function, h->hash_funcs - 1, h->tweak),
               seed(after, h->hash_funcs - 1, h->tweak)};
    size_t w = 0;

    for (; w + 4 <= words; w += 4) {
        quad q = load_quad(e, 4 * w);

        for (int j = 0; j < 4; j++)
            p = hash_word(p, q.word[j]);
    }
    for (; w < words; w++)
        p = hash_word(p, load_word(e, 4 * w));
    return (pairs){bits_of(_mm256_xor_si256(p.first, last), h),
                   bits_of(_mm256_xor_si256(p.second, last), h)};
}

/* Bits -------------------------------------------------------------------- */

/** Bits named by a whole pot, and the bytes of the filter that hold them. A
 * processor's own gathering waits for each eight; plain loads do not. */
typedef struct looks {
    uint32_t at[SPV__POT];
    uint32_t byte[SPV__POT];
} looks;

STEP void look(looks *l, size_t n, const uint8_t *bytes)
{
    for (size_t i = 0; i < n; i++)
        l->byte[i] = bytes[l->at[i] >> 3];
}

/** The bits of eight looks, each lowest in its lane. */
STEP lanes bits_seen(const looks *l, size_t i)
{
    lanes bit = _mm256_and_si256(load_lanes(l->at + i), all_lanes(7));

    return _mm256_srlv_epi32(load_lanes(l->byte + i), bit);
}

STEP uint64_t lowest_bits(lanes x)
{
    return (uint32_t)_mm256_movemask_ps(
        _mm256_castsi256_ps(_mm256_slli_epi32(x, 31)));
}

AVX2 uint64_t spv__shake_wide(const spv__pot *pot, size_t words,
                              const spv__bip37 *h, const uint8_t *bytes)
{
    looks first, second;
    uint64_t stay = 0;

    for (size_t i = 0; i < pot->n; i += 8) {
        pairs p = hash_eight(pot, i, words, h);

        store_lanes(first.at + i, p.first);
        store_lanes(second.at + i, p.second);
    }
    look(&first, pot->n, bytes);
    look(&second, pot->n, bytes);
    for (size_t i = 0; i < pot->n; i += 8)
        stay |= lowest_bits(_mm256_and_si256(bits_seen(&first, i),
                                             bits_seen(&second, i)))
                << i;
    return stay;
}

#else

typedef int spv__no_avx2; /* a unit must declare something */

#endif
