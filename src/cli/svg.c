#include "cli/svg.h"

#include <math.h>

/* The page, and the chart's place on it. */
enum {
    WIDTH = 800,
    HEIGHT = 500,
    LEFT = 90,
    RIGHT = 755,
    TOP = 60,
    BOTTOM = 430,
    SAMPLES = 340,
    X_TICKS_LEAST = 4,
    DECADE_LABELS = 10, /* more would touch */
    LEGEND_LINE = 20
};

static double place_x(const cli_svg *svg, double x)
{
    return LEFT + (RIGHT - LEFT) * x / svg->x_max;
}

/* What lies below the chart is drawn on its edge. */
static double place_y(const cli_svg *svg, double y)
{
    double decade = y > 0 ? log10(y) : svg->decades;

    if (decade < svg->decades)
        decade = svg->decades;
    return TOP + (BOTTOM - TOP) * decade / svg->decades;
}

void cli_svg_count(char out[32], double n)
{
    static const struct {
        double size;
        const char *word;
    } units[] = {{1e12, " trillion"}, {1e9, " billion"}, {1e6, " million"}};

    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        if (n >= units[i].size) {
            (void)snprintf(out, 32, "%.4g%s", n / units[i].size, units[i].word);
            return;
        }
    if (n >= 1000)
        (void)snprintf(out, 32, "%.0f,%03.0f", floor(n / 1000),
                       fmod(floor(n), 1000));
    else
        (void)snprintf(out, 32, "%.4g", n);
}

/* ---- Frame ---- */

static void text(const cli_svg *svg, double x, double y, const char *anchor,
                 const char *words)
{
    (void)fprintf(svg->out,
                  "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n",
                  x, y, anchor, words);
}

static void grid_line(const cli_svg *svg, double x1, double y1, double x2,
                      double y2)
{
    (void)fprintf(svg->out,
                  "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" "
                  "stroke=\"#ddd\"/>\n",
                  x1, y1, x2, y2);
}

/* 1, 2 or 5 times a power of ten. */
static double round_step(double most)
{
    double power = pow(10, floor(log10(most)));
    double share = most / power;

    return power * (share >= 5 ? 5 : share >= 2 ? 2 : 1);
}

static void draw_x_ticks(const cli_svg *svg)
{
    double step = round_step(svg->x_max / X_TICKS_LEAST);
    char label[32];

    for (int i = 0; i * step <= svg->x_max * (1 + 1e-9); i++) {
        double at = place_x(svg, i * step);

        cli_svg_count(label, i * step);
        grid_line(svg, at, TOP, at, BOTTOM);
        text(svg, at, BOTTOM + 20, "middle", label);
    }
}

static void draw_y_ticks(const cli_svg *svg)
{
    int each = (-svg->decades + DECADE_LABELS - 1) / DECADE_LABELS;

    for (int decade = 0; decade >= svg->decades; decade -= each) {
        double at = place_y(svg, pow(10, decade));

        grid_line(svg, LEFT, at, RIGHT, at);
        if (decade == 0)
            text(svg, LEFT - 8, at + 4, "end", "1");
        else
            (void)fprintf(svg->out,
                          "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">10"
                          "<tspan dy=\"-6\" font-size=\"10\">%d</tspan>"
                          "</text>\n",
                          LEFT - 8, at + 6, decade);
    }
}

void cli_svg_begin(cli_svg *svg, const char *title, const char *x_name,
                   const char *y_name)
{
    (void)fprintf(svg->out,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
                  "height=\"%d\" viewBox=\"0 0 %d %d\" "
                  "font-family=\"sans-serif\" font-size=\"13\" "
                  "fill=\"#222\">\n<title>%s</title>\n"
                  "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n"
                  "<text x=\"%d\" y=\"32\" font-size=\"17\" "
                  "font-weight=\"bold\">%s</text>\n",
                  WIDTH, HEIGHT, WIDTH, HEIGHT, title, LEFT, title);
    draw_x_ticks(svg);
    draw_y_ticks(svg);
    (void)fprintf(svg->out,
                  "<path d=\"M%d %dV%dH%d\" fill=\"none\" stroke=\"#222\"/>\n",
                  LEFT, TOP, BOTTOM, RIGHT);
    text(svg, (LEFT + RIGHT) / 2.0, BOTTOM + 48, "middle", x_name);
    (void)fprintf(svg->out,
                  "<text transform=\"translate(28 %d) rotate(-90)\" "
                  "text-anchor=\"middle\">%s</text>\n",
                  (TOP + BOTTOM) / 2, y_name);
}

void cli_svg_end(cli_svg *svg)
{
    (void)fputs("</svg>\n", svg->out);
}

/* ---- In the frame ---- */

/* The legend stands at the lower right, where curves of rates seldom come. */
static void draw_legend(cli_svg *svg, const char *color, const char *legend)
{
    double y = BOTTOM - 24 - LEGEND_LINE * svg->n_legends++;

    (void)fprintf(svg->out,
                  "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\" fill=\"%s\" "
                  "font-weight=\"bold\">%s</text>\n",
                  RIGHT - 14, y, color, legend);
}

/* The part below the chart is left out. */
void cli_svg_curve(cli_svg *svg, double (*y)(const void *ctx, double x),
                   const void *ctx, const char *color, const char *legend)
{
    double least = pow(10, svg->decades);
    char verb = 'M';

    (void)fprintf(svg->out,
                  "<path fill=\"none\" stroke=\"%s\" stroke-width=\"2.5\" "
                  "d=\"",
                  color);
    for (int i = 1; i <= SAMPLES; i++) {
        double x = svg->x_max * i / SAMPLES;
        double at = y(ctx, x);

        if (!(at >= least))
            continue;
        (void)fprintf(svg->out, "%c%.1f %.1f", verb, place_x(svg, x),
                      place_y(svg, at));
        verb = 'L';
    }
    (void)fputs("\"/>\n", svg->out);
    draw_legend(svg, color, legend);
}

void cli_svg_level(cli_svg *svg, double y, const char *words)
{
    double at = place_y(svg, y);

    (void)fprintf(svg->out,
                  "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" "
                  "stroke=\"#888\" stroke-dasharray=\"5 4\"/>\n",
                  LEFT, at, RIGHT, at);
    /* above it, unless that were out of the frame */
    text(svg, RIGHT - 14, at < TOP + 20 ? at + 16 : at - 6, "end", words);
}

void cli_svg_dot(cli_svg *svg, double x, double y, const char *color,
                 const char *words)
{
    double at_x = place_x(svg, x);
    double at_y = place_y(svg, y);

    (void)fprintf(svg->out,
                  "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"5\" fill=\"%s\"/>\n",
                  at_x, at_y, color);
    text(svg, at_x - 10, at_y - 10, "end", words);
}
