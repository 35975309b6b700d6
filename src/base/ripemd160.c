#include "base/ripemd160.h"

#include <string.h>

enum { BLOCK = 64, STEPS = 80 };

/* One of the two lines that a block is mixed along. */
typedef struct line {
    uint8_t word[STEPS];  /* which message word each step takes */
    uint8_t shift[STEPS]; /* how far each step rotates */
    uint32_t add[5];      /* a constant a round */
} line;

static const line left = {
    {0, 1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12, 13, 14, 15,
     7, 4,  13, 1,  10, 6,  15, 3,  12, 0, 9,  5,  2,  14, 11, 8,
     3, 10, 14, 4,  9,  15, 8,  1,  2,  7, 0,  6,  13, 11, 5,  12,
     1, 9,  11, 10, 0,  8,  12, 4,  13, 3, 7,  15, 14, 5,  6,  2,
     4, 0,  5,  9,  7,  12, 2,  10, 14, 1, 3,  8,  11, 6,  15, 13},
    {11, 14, 15, 12, 5,  8,  7,  9,  11, 13, 14, 15, 6,  7,  9,  8,
     7,  6,  8,  13, 11, 9,  7,  15, 7,  12, 15, 9,  11, 7,  13, 12,
     11, 13, 6,  7,  14, 9,  13, 15, 14, 8,  13, 6,  5,  12, 7,  5,
     11, 12, 14, 15, 14, 15, 9,  8,  9,  14, 5,  6,  8,  6,  5,  12,
     9,  15, 5,  11, 6,  8,  13, 12, 5,  12, 13, 14, 11, 8,  5,  6},
    {0, 0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xa953fd4e},
};

static const line right = {
    {5,  14, 7,  0, 9, 2,  11, 4,  13, 6,  15, 8,  1,  10, 3,  12,
     6,  11, 3,  7, 0, 13, 5,  10, 14, 15, 8,  12, 4,  9,  1,  2,
     15, 5,  1,  3, 7, 14, 6,  9,  11, 8,  12, 2,  10, 0,  4,  13,
     8,  6,  4,  1, 3, 11, 15, 0,  5,  12, 2,  13, 9,  7,  10, 14,
     12, 15, 10, 4, 1, 5,  8,  7,  6,  2,  13, 14, 0,  3,  9,  11},
    {8,  9,  9,  11, 13, 15, 15, 5,  7,  7,  8,  11, 14, 14, 12, 6,
     9,  13, 15, 7,  12, 8,  9,  11, 7,  7,  12, 7,  6,  15, 13, 11,
     9,  7,  15, 11, 8,  6,  6,  14, 12, 13, 5,  14, 13, 13, 7,  5,
     15, 5,  8,  11, 14, 14, 6,  14, 6,  9,  12, 9,  12, 5,  15, 8,
     8,  5,  12, 9,  12, 5,  14, 6,  8,  13, 6,  5,  15, 13, 11, 11},
    {0x50a28be6, 0x5c4dd124, 0x6d703ef3, 0x7a6d76e9, 0},
};

static uint32_t rotate(uint32_t v, unsigned by)
{
    return v << by | v >> (32 - by);
}

/* The five round functions, in the left line's order. */
static uint32_t mix(unsigned f, uint32_t x, uint32_t y, uint32_t z)
{
    switch (f) {
    case 0:
        return x ^ y ^ z;
    case 1:
        return (x & y) | (~x & z);
    case 2:
        return (x | ~y) ^ z;
    case 3:
        return (x & z) | (y & ~z);
    }
    return x ^ (y | ~z);
}

/* Run 80 steps from `state`; the right line takes the functions backwards. */
static void run(uint32_t v[5], const line *l, const uint32_t words[16])
{
    for (unsigned i = 0; i < STEPS; i++) {
        unsigned round = i / 16;
        unsigned f = l == &left ? round : 4 - round;
        uint32_t t =
            v[0] + mix(f, v[1], v[2], v[3]) + words[l->word[i]] + l->add[round];

        t = rotate(t, l->shift[i]) + v[4];
        v[0] = v[4];
        v[4] = v[3];
        v[3] = rotate(v[2], 10);
        v[2] = v[1];
        v[1] = t;
    }
}

static void compress(uint32_t state[5], const uint8_t *block)
{
    uint32_t words[16];
    uint32_t a[5];
    uint32_t b[5];
    uint32_t first = state[0];

    for (unsigned i = 0; i < 16; i++, block += 4)
        words[i] = (uint32_t)block[0] | (uint32_t)block[1] << 8 |
                   (uint32_t)block[2] << 16 | (uint32_t)block[3] << 24;
    memcpy(a, state, sizeof(a));
    memcpy(b, state, sizeof(b));
    run(a, &left, words);
    run(b, &right, words);
    for (unsigned i = 0; i < 5; i++) {
        uint32_t old = i < 4 ? state[i + 1] : first;

        state[i] = old + a[(i + 2) % 5] + b[(i + 3) % 5];
    }
}

void spv__ripemd160_plain(uint8_t out[20], const void *bytes, size_t len)
{
    uint32_t state[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476,
                         0xc3d2e1f0};
    uint64_t bits = (uint64_t)len * 8;
    const uint8_t *at = bytes;
    uint8_t tail[2 * BLOCK] = {0};
    size_t tail_len = len % BLOCK < BLOCK - 8 ? BLOCK : 2 * BLOCK;

    for (; len >= BLOCK; at += BLOCK, len -= BLOCK)
        compress(state, at);
    if (len)
        memcpy(tail, at, len);
    tail[len] = 0x80;
    for (unsigned i = 0; i < 8; i++)
        tail[tail_len - 8 + i] = (uint8_t)(bits >> 8 * i);
    for (size_t i = 0; i < tail_len; i += BLOCK)
        compress(state, tail + i);
    for (unsigned i = 0; i < 20; i++)
        out[i] = (uint8_t)(state[i / 4] >> 8 * (i % 4));
}
