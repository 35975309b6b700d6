#ifndef SPV_BLOOM_SIEVE_H
#define SPV_BLOOM_SIEVE_H

#include "bloom/filter.h"
#include "bloom/hashes.h"
#include "bloom/murmur3.h"

/*
 * A wire filter asked about very many elements that are most likely not in it:
 * all that a block's transactions are made of.
 *
 * A stranger fails half of the time at each function, after two of them on
 * average, so computing all functions of one element side by side, as hashes.h
 * does, is mostly for nothing. Here elements lie side by side, each with the
 * function that it is to be asked next. They wait in pots, a pot for each
 * number of whole words, as only what takes as many steps can take them
 * together. A pot that is full is shaken: everyone in it is asked two
 * functions, who fails is gone, and the quarter that stays waits for the pot
 * to fill again. So lanes are never idle, and what two functions share, the
 * words read and scrambled, is done once for both.
 */

/** Elements a pot holds: what tells who stays has a bit for each. */
enum { SPV__POT = 64 };

/** Longer elements are rare, and asked at once: hashes, keys, signatures and
 * the scripts of two keys out of three are below that. */
enum { SPV__POT_WORDS = 26 };

/** Elements of as many whole words; a column for each property. */
typedef struct spv__pot {
    const uint8_t *element[SPV__POT];
    uint32_t last[SPV__POT]; /**< scrambled tail, and length: hashed last */
    uint32_t turn[SPV__POT]; /**< whose it is, and the function to be asked */
    uint32_t n;
} spv__pot;

/* A turn is both in one word, since columns are what time goes into. */

/** Functions are below 2^8: a turn's low bits. Owners are below 2^24. */
enum { SPV__TURN_BITS = 8, SPV__TURN_MASK = 0xff };

static inline uint32_t spv__turn_function(uint32_t turn)
{
    return turn & SPV__TURN_MASK;
}

static inline uint32_t spv__turn_owner(uint32_t turn)
{
    return turn >> SPV__TURN_BITS;
}

/**
 * Who stays, bit i for element i: all whose function to be asked and the one
 * after it, if there is one, name bits that are set. Bits from `n` up mean
 * nothing. Columns and elements are readable up to a multiple of eight.
 */
typedef uint64_t spv__shake(const spv__pot *pot, size_t words,
                            const spv__bip37 *h, const uint8_t *bytes);

typedef struct spv__sieve {
    spv__bip37 h;
    const uint8_t *bytes; /**< the filter's, borrowed */
    bool *found;          /**< by owner: an element of his is in the filter */
    spv__shake *shake;
    spv__pot pots[SPV__POT_WORDS + 1];
} spv__sieve;

/** Begin with a filter that has bytes and functions, and with `found` false
 * for every owner. */
void spv__sieve_begin(spv__sieve *s, const spv_filter *f, bool *found);

/** Shake until nobody waits: only then is `found` the whole answer. */
void spv__sieve_end(spv__sieve *s);

/** Make room in a pot that is full. */
void spv__sieve_drain(spv__sieve *s, size_t words);

/** Ask about an element at once. */
void spv__sieve_ask_now(spv__sieve *s, const uint8_t *element, size_t len,
                        uint32_t owner);

/** What hashing ends with: the tail's bytes are the highest of the last four,
 * and no tail makes zero, which scrambles to zero. Lengths of signatures toss
 * coins, so there is no branch to guess wrong. `len` is at least 4. */
static inline uint32_t spv__sieve_last(const uint8_t *element, size_t len)
{
    uint64_t four = spv__murmur3_word(element + len - 4);
    uint32_t tail = (uint32_t)(four >> (32 - 8 * (len & 3)));

    return spv__murmur3_scramble(tail) ^ (uint32_t)len;
}

/** Ask about an element for its owner. It is borrowed until the end. */
static inline void spv__sieve_ask(spv__sieve *s, const uint8_t *element,
                                  size_t len, uint32_t owner)
{
    size_t words = len / 4;
    spv__pot *pot = NULL;
    uint32_t i = 0;

    if (words == 0 || words > SPV__POT_WORDS) {
        spv__sieve_ask_now(s, element, len, owner);
        return;
    }
    pot = &s->pots[words];
    i = pot->n++;
    pot->element[i] = element;
    pot->last[i] = spv__sieve_last(element, len);
    pot->turn[i] = owner << SPV__TURN_BITS;
    if (pot->n == SPV__POT)
        spv__sieve_drain(s, words);
}

/* The ways to shake ------------------------------------------------------- */

/** Plain C for any machine: what the other must equal. */
uint64_t spv__shake_portable(const spv__pot *pot, size_t words,
                             const spv__bip37 *h, const uint8_t *bytes);

#if defined(SPV__WIDE)
/** For x86-64 with AVX2, which a processor has to be asked for. */
uint64_t spv__shake_wide(const spv__pot *pot, size_t words, const spv__bip37 *h,
                         const uint8_t *bytes);
#endif

#endif
