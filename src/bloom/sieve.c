#include "bloom/sieve.h"

#include <assert.h>

#include "bloom/bits.h"
#include "bloom/lanes.h"

static_assert(LANES == 8 && SPV__POT % LANES == 0, "eight are asked together");
static_assert(SPV_FILTER_FUNCS_MAX + 2 <= SPV__TURN_MASK, "turns count all");

void spv__sieve_begin(spv__sieve *s, const spv_filter *f, bool *found)
{
    s->h = spv__bip37_of((uint32_t)f->len * 8, f->hash_funcs, f->tweak);
    s->bytes = f->bytes;
    s->found = found;
    s->shake = spv__shake_portable;
#if defined(SPV__WIDE)
    if (__builtin_cpu_supports("avx2"))
        s->shake = spv__shake_wide;
#endif
    for (size_t words = 0; words <= SPV__POT_WORDS; words++)
        s->pots[words].n = 0;
}

/** Those asked together are eight: the first stands in for who is missing. */
static void fill_up(spv__pot *pot)
{
    for (uint32_t i = pot->n; i % LANES; i++) {
        pot->element[i] = pot->element[0];
        pot->last[i] = pot->last[0];
        pot->turn[i] = pot->turn[0];
    }
}

/** The lowest bit that is set; one must be. */
static size_t lowest(uint64_t bits)
{
#if defined(__GNUC__)
    return (size_t)__builtin_ctzll(bits);
#else
    size_t i = 0;

    while (!(bits >> i & 1))
        i++;
    return i;
#endif
}

/** Who stays moves to the front, or is found if no function is left. */
static void keep(spv__sieve *s, spv__pot *pot, uint64_t stay)
{
    uint32_t n = 0;

    for (; stay; stay &= stay - 1) {
        size_t i = lowest(stay);
        uint32_t turn = pot->turn[i] + 2;

        if (spv__turn_function(turn) >= s->h.hash_funcs) {
            s->found[spv__turn_owner(turn)] = true;
            continue;
        }
        pot->element[n] = pot->element[i];
        pot->last[n] = pot->last[i];
        pot->turn[n++] = turn;
    }
    pot->n = n;
}

static void shake(spv__sieve *s, size_t words)
{
    spv__pot *pot = &s->pots[words];
    uint64_t everyone = UINT64_MAX >> (SPV__POT - pot->n);

    fill_up(pot);
    keep(s, pot, s->shake(pot, words, &s->h, s->bytes) & everyone);
}

void spv__sieve_drain(spv__sieve *s, size_t words)
{
    while (s->pots[words].n > SPV__POT / 2)
        shake(s, words);
}

void spv__sieve_end(spv__sieve *s)
{
    for (size_t words = 0; words <= SPV__POT_WORDS; words++)
        while (s->pots[words].n > 0)
            shake(s, words);
}

void spv__sieve_ask_now(spv__sieve *s, const uint8_t *element, size_t len,
                        uint32_t owner)
{
    if (spv__bip37_contains(&s->h, s->bytes, element, len))
        s->found[owner] = true;
}

/* Any machine ------------------------------------------------------------- */

/** The bits that two functions of each of eight elements name. */
typedef struct pairs {
    uint32_t first[LANES];
    uint32_t second[LANES];
} pairs;

static void seed(pairs *at, const uint32_t *turn, const spv__bip37 *h)
{
    uint32_t last = h->hash_funcs - 1;

    EACH_LANE (i) {
        uint32_t first = spv__turn_function(turn[i]);
        uint32_t second = first < last ? first + 1 : last;

        at->first[i] = spv__filter_seed(first, h->tweak);
        at->second[i] = spv__filter_seed(second, h->tweak);
    }
}

static void hash_word(pairs *at, const uint8_t *const *element, size_t byte)
{
    uint32_t word[LANES];

    EACH_LANE (i)
        word[i] = spv__murmur3_word(element[i] + byte);
    EACH_LANE (i) {
        word[i] = spv__murmur3_scramble(word[i]);
        at->first[i] = spv__murmur3_round(at->first[i], word[i]);
        at->second[i] = spv__murmur3_round(at->second[i], word[i]);
    }
}

static void finish(pairs *at, const uint32_t *last, spv__bip37 h)
{
    EACH_LANE (i) {
        at->first[i] = spv__reduce(spv__murmur3_finish(at->first[i] ^ last[i]),
                                   h.bits, h.inverse);
        at->second[i] = spv__reduce(
            spv__murmur3_finish(at->second[i] ^ last[i]), h.bits, h.inverse);
    }
}

uint64_t spv__shake_portable(const spv__pot *pot, size_t words,
                             const spv__bip37 *h, const uint8_t *bytes)
{
    uint64_t stay = 0;
    pairs at;

    for (uint32_t from = 0; from < pot->n; from += LANES) {
        seed(&at, pot->turn + from, h);
        for (size_t w = 0; w < words; w++)
            hash_word(&at, pot->element + from, 4 * w);
        finish(&at, pot->last + from, *h);
        for (uint32_t i = 0; i < LANES; i++)
            stay |= (uint64_t)(spv__bit_get(bytes, at.first[i]) &
                               spv__bit_get(bytes, at.second[i]))
                    << (from + i);
    }
    return stay;
}
