#ifndef SPV_CONFORM_DRAW_H
#define SPV_CONFORM_DRAW_H

#include <stddef.h>
#include <stdint.h>

/*
 * Bytes that look random and can be drawn again: hashes of a seed and a
 * counter. One seed, the same bytes, on any machine.
 */
typedef struct spv_draw {
    uint64_t seed;
    uint64_t n; /* drawn so far */
} spv_draw;

/** The next `len` bytes: never the same ones twice. */
void spv__draw(spv_draw *d, uint8_t *out, size_t len);

#endif
