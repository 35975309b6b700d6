#ifndef SPV_CLI_SVG_H
#define SPV_CLI_SVG_H

#include <stdio.h>

/*
 * A chart as SVG: curves over a linear x axis, the y axis logarithmic from
 * 10^decades up to 1. It is self-contained and reads well on white paper.
 */
typedef struct cli_svg {
    FILE *out;     /* borrowed */
    double x_max;  /* x begins at 0 */
    int decades;   /* below zero: the lowest power of ten shown */
    int n_legends; /* written so far */
} cli_svg;

/** The frame: title, axes with their names, ticks and grid. */
void cli_svg_begin(cli_svg *svg, const char *title, const char *x_name,
                   const char *y_name);

/** A curve, y(ctx, x), and its line in the legend. */
void cli_svg_curve(cli_svg *svg, double (*y)(const void *ctx, double x),
                   const void *ctx, const char *color, const char *legend);

/** A dashed line across, at y, with words on it. */
void cli_svg_level(cli_svg *svg, double y, const char *words);

/** A dot, with words to its left, above a curve that rises. */
void cli_svg_dot(cli_svg *svg, double x, double y, const char *color,
                 const char *words);

/** The end of the document. */
void cli_svg_end(cli_svg *svg);

/** "12.5 million": a number as an axis or a sentence wants it. */
void cli_svg_count(char out[32], double n);

#endif
