#ifndef SPV_P2P_SPACING_H
#define SPV_P2P_SPACING_H

#include <stdbool.h>

/*
 * How far apart, in blocks, those lie that bring the wallet a coin: the mean
 * of the last ones, with a few of distance nought before them, since it has to
 * be seen first that they are far apart.
 */
typedef struct spv_spacing {
    double mean;
    double since; /**< blocks since the last that brought one */
    unsigned n;   /**< of which `mean` is the mean, at most */
} spv_spacing;

/** A block was settled. */
void spv__spacing_note(spv_spacing *s, bool brought_coins);

/** Blocks from one to the next, as of late; a silence much longer than that
 * counts too. */
double spv__spacing_get(const spv_spacing *s);

#endif
