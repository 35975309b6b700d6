#include "cli/privacy_html.h"

#include <math.h>

#include <spv/privacy.h>

#include "cli/privacy_words.h"
#include "cli/svg.h"
#include "cli/text.h"

/* Nothing is escaped: a wallet's name is [A-Za-z0-9._-], and all else is
 * numbers and words of our own. */

static const char *const colors[SPV_HABIT_COUNT] = {
    [SPV_HABIT_THIS] = "#1f5fa8",        [SPV_HABIT_FITTED] = "#2e7d32",
    [SPV_HABIT_IN_USE_ONLY] = "#b3301c", [SPV_HABIT_KEY_AND_HASH] = "#a36000",
    [SPV_HABIT_NEW_TWEAK] = "#7b1fa2",   [SPV_HABIT_OVERSIZED] = "#555",
};

static double real(const json_t *doc, const char *key)
{
    return json_number_value(json_object_get(doc, key));
}

static const json_t *habit_of(const json_t *doc, spv_habit habit)
{
    return json_array_get(json_object_get(doc, "habits"), habit);
}

/* What is wider than the window moves in a box of its own. */
static const char scroll[] = "<div class=\"scroll\" tabindex=\"0\">\n";

/* ---- Plot: starts ---- */

/* Deep enough for a few starts, and shallow enough to read. */
enum { STARTS_DECADES = -14 };

typedef struct curve {
    spv_habit habit;
    double rate;
    double addresses; /* in use */
} curve;

static curve curve_of(const json_t *doc, spv_habit habit)
{
    return (curve){.habit = habit,
                   .rate = real(habit_of(doc, habit), "fp_rate"),
                   .addresses = real(doc, "addresses_in_use")};
}

/* Between two starts nothing changes: a line from one to the next guides the
 * eye, and before the first there is none to draw. */
static double share_left(const void *ctx, double starts)
{
    const curve *k = ctx;

    return starts < 1 ? 0 : spv_habit_share(k->habit, k->rate, starts);
}

static void draw_habit(cli_svg *svg, const json_t *doc, spv_habit habit)
{
    curve k = curve_of(doc, habit);
    bool hidden = share_left(&k, 1) < pow(10, svg->decades);
    char legend[80];

    (void)snprintf(legend, sizeof(legend), "%s%s", spv_habit_name(habit),
                   hidden ? " (below the chart)" : "");
    cli_svg_curve(svg, share_left, &k, colors[habit], legend);
}

static void draw_starts(FILE *out, const json_t *doc)
{
    cli_svg svg = {
        .out = out, .x_max = SPV_PRIVACY_STARTS, .decades = STARTS_DECADES};
    char all[32];
    char words[80];

    (void)fputs(scroll, out);
    cli_svg_begin(&svg, "Who is left to hide among, start after start",
                  "starts of the client",
                  "share of all strangers that still match");
    cli_svg_count(all, real(doc, "addresses_in_use"));
    (void)snprintf(words, sizeof(words), "one of %s: below, nobody is left",
                   all);
    cli_svg_level(&svg, 1 / real(doc, "addresses_in_use"), words);
    for (size_t i = SPV_HABIT_COUNT; i > 0; i--)
        draw_habit(&svg, doc, (spv_habit)(i - 1));
    cli_svg_end(&svg);
    (void)fputs("</div>\n", out);
}

/* ---- Plot: addresses ---- */

enum { ADDRESSES_MAX = 50, ADDRESSES_DECADES = -8 };

/* All n addresses, guessed from one filter; its rate may depend on n. */
static double guessed(const curve *k, uint64_t n)
{
    double rate =
        k->habit == SPV_HABIT_THIS ? k->rate : spv_habit_rate(k->habit, n);

    return spv_privacy_guess_all(n, rate * k->addresses);
}

/* Half an address there is not: as between two starts. */
static double guessed_between(const void *ctx, double n)
{
    const curve *k = ctx;
    double below = floor(n);

    if (below < 1)
        return 0;
    return guessed(k, (uint64_t)below) *
           pow(guessed(k, (uint64_t)below + 1) / guessed(k, (uint64_t)below),
               n - below);
}

static void draw_addresses(FILE *out, const json_t *doc)
{
    static const spv_habit shown[] = {SPV_HABIT_OVERSIZED,
                                      SPV_HABIT_IN_USE_ONLY, SPV_HABIT_THIS};
    cli_svg svg = {
        .out = out, .x_max = ADDRESSES_MAX, .decades = ADDRESSES_DECADES};
    double own = real(doc, "counted_addresses");

    (void)fputs(scroll, out);
    cli_svg_begin(&svg, "Guessing every address of a wallet from one filter",
                  "addresses of the wallet in use", "probability");
    for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
        curve k = curve_of(doc, shown[i]);

        cli_svg_curve(&svg, guessed_between, &k, colors[shown[i]],
                      spv_habit_name(shown[i]));
    }
    if (own <= ADDRESSES_MAX)
        cli_svg_dot(&svg, own, real(doc, "probability_all"),
                    colors[SPV_HABIT_THIS], "");
    cli_svg_end(&svg);
    (void)fputs("</div>\n", out);
}

/* ---- Table ---- */

static const size_t shown_starts[] = {1, 2, 3, 5, 10};
enum { SHOWN = sizeof(shown_starts) / sizeof(shown_starts[0]) };

static void write_head(FILE *out)
{
    (void)fputs(scroll, out);
    (void)fprintf(
        out,
        "<table class=\"ours\">\n<thead><tr><th rowspan=\"2\">habit</th>"
        "<th colspan=\"%d\">strangers left after so many starts</th>"
        "<th colspan=\"%d\">probability that a match is yours</th>"
        "</tr>\n<tr>",
        SHOWN, SHOWN);
    for (size_t i = 0; i < 2 * (size_t)SHOWN; i++)
        (void)fprintf(out, "<th>%zu</th>", shown_starts[i % SHOWN]);
    (void)fputs("</tr></thead>\n<tbody>\n", out);
}

static void write_cells(FILE *out, const json_t *values)
{
    for (size_t i = 0; i < SHOWN; i++) {
        double x = json_real_value(json_array_get(values, shown_starts[i] - 1));
        char cell[32];

        if (x >= 1000)
            cli_svg_count(cell, x);
        else
            (void)snprintf(cell, sizeof(cell), "%.3g", x);
        (void)fprintf(out, "<td>%s</td>", cell);
    }
}

static void write_table(FILE *out, const json_t *habits)
{
    const json_t *habit = NULL;
    size_t i = 0;

    write_head(out);
    json_array_foreach(habits, i, habit)
    {
        (void)fprintf(out, "<tr><th scope=\"row\">%s<small>%s</small></th>",
                      cli_doc_text(habit, "habit"),
                      cli_doc_text(habit, "words"));
        write_cells(out, json_object_get(habit, "strangers"));
        write_cells(out, json_object_get(habit, "probability_ours"));
        (void)fputs("</tr>\n", out);
    }
    (void)fputs("</tbody></table>\n</div>\n", out);
}

static void write_levels(FILE *out, const json_t *levels)
{
    const json_t *level = NULL;
    size_t i = 0;

    (void)fputs(scroll, out);
    (void)fputs("<table>\n<thead><tr><th>--privacy</th><th>rate</th>"
                "<th>strangers</th><th>MB a day</th></tr></thead>\n<tbody>\n",
                out);
    json_array_foreach(levels, i, level)
    {
        char strangers[32];

        cli_svg_count(strangers, real(level, "strangers"));
        (void)fprintf(out,
                      "<tr><th scope=\"row\">%s<small>%s</small></th>"
                      "<td>%g</td><td>%s</td><td>%.2f</td></tr>\n",
                      cli_doc_text(level, "level"),
                      cli_doc_text(level, "words"), real(level, "fp_rate"),
                      strangers,
                      real(json_object_get(level, "a_day"), "bytes") / 1e6);
    }
    (void)fputs("</tbody></table>\n</div>\n", out);
}

/* ---- Page ---- */

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, "
    "initial-scale=1\">\n"
    "<title>What the filter gives away</title>\n<style>\n"
    ":root{color-scheme:light dark}\n"
    "body{font:16px/1.5 sans-serif;color:#222;background:#fff;"
    "max-width:60rem;margin:2rem auto;padding:0 1rem}\n"
    ".scroll{overflow-x:auto;margin:1rem 0}\n"
    "svg{display:block;min-width:40rem;max-width:100%;height:auto}\n"
    "table{border-collapse:collapse;font-size:13px}\n"
    "th,td{padding:.25rem .5rem;border-bottom:1px solid #ddd;"
    "text-align:right}\n"
    "tbody th,thead tr:first-child th:first-child{text-align:left}\n"
    "tbody th{min-width:10rem}\n"
    "td{white-space:nowrap}\n"
    "small{display:block;font-weight:normal;color:#555}\n"
    ".ours tbody tr:first-child{background:#eef4fb}\n";

/* Charts are drawn for paper. In the dark each of their colors is another. */
static void write_dark(FILE *out)
{
    static const char *const shades[][2] = {
        {"#fff", "#16181c"},    {"#222", "#e6e6e6"},    {"#ddd", "#3b3f45"},
        {"#1f5fa8", "#6cb0f5"}, {"#2e7d32", "#6fcf75"}, {"#b3301c", "#ff8a73"},
        {"#a36000", "#f0b04c"}, {"#7b1fa2", "#d08cf0"}, {"#555", "#b5b5b5"},
    };

    (void)fputs("@media (prefers-color-scheme:dark){\n"
                "body{color:#e6e6e6;background:#16181c}\n"
                "th,td{border-color:#3b3f45}\nsmall{color:#b5b5b5}\n"
                ".ours tbody tr:first-child{background:#1d2b3c}\n",
                out);
    for (size_t i = 0; i < sizeof(shades) / sizeof(shades[0]); i++)
        (void)fprintf(out, "[fill=\"%s\"]{fill:%s}[stroke=\"%s\"]{stroke:%s}\n",
                      shades[i][0], shades[i][1], shades[i][0], shades[i][1]);
    (void)fputs("}\n", out);
}

static void write_words(FILE *out, const json_t *doc)
{
    cli_privacy_words words;

    cli_privacy_say(&words, doc);
    (void)fputs("<ul>\n", out);
    for (size_t i = 0; i < words.n; i++)
        (void)fprintf(out, "<li>%s</li>\n", words.line[i]);
    (void)fputs("</ul>\n", out);
}

void cli_privacy_html(FILE *out, const json_t *doc)
{
    (void)fputs(head, out);
    write_dark(out);
    (void)fprintf(out,
                  "</style>\n</head>\n<body>\n"
                  "<h1>What the filter of '%s' gives away</h1>\n",
                  cli_doc_text(doc, "wallet"));
    write_words(out, doc);
    (void)fputs("<h2>What other habits would have left</h2>\n"
                "<p>The same wallet, as other clients filled their filters. "
                "A server that keeps what it sees crosses out, at each start, "
                "who does not match again.</p>\n",
                out);
    draw_starts(out, doc);
    write_table(out, json_object_get(doc, "habits"));
    (void)fputs("<h2>All addresses at once</h2>\n"
                "<p>The more addresses a wallet has in use, the harder it is "
                "to guess all of them; a filter that is nearly empty makes it "
                "easy all the same.</p>\n",
                out);
    draw_addresses(out, doc);
    (void)fputs("<h2>What a wallet can be made with</h2>\n"
                "<p>It is chosen when the wallet is made, and for life.</p>\n",
                out);
    write_levels(out, json_object_get(doc, "levels"));
    (void)fputs("<p>These numbers are about the bits of the filter alone. A "
                "server may learn more from your network address, and from "
                "what you send through it.</p>\n</body>\n</html>\n",
                out);
}
