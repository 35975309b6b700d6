#include "cli/privacy_words.h"

#include <math.h>
#include <stdarg.h>

#include "cli/svg.h"
#include "cli/text.h"

CLI_PRINTF(2, 3)
static void say(cli_privacy_words *w, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    (void)vsnprintf(w->line[w->n++], sizeof(w->line[0]), format, args);
    va_end(args);
}

static double real(const json_t *doc, const char *key)
{
    return json_number_value(json_object_get(doc, key));
}

static void say_hidden(cli_privacy_words *w, const json_t *doc)
{
    char all[32];
    char strangers[32];
    char own[32];

    cli_svg_count(all, real(doc, "addresses_in_use"));
    cli_svg_count(strangers, real(doc, "strangers"));
    cli_svg_count(own, real(doc, "counted_addresses"));
    if (cli_doc_number(doc, "used_addresses") == 0)
        say(w, "No address of this wallet has been paid yet: this is about "
               "the first that will be.");
    say(w,
        "Of %s addresses in use, your filter matches about %s that are other "
        "people's, and %s that %s yours.",
        all, strangers, own, real(doc, "counted_addresses") > 1 ? "are" : "is");
}

static void say_guesses(cli_privacy_words *w, const json_t *doc)
{
    say(w,
        "An address that matches is truly yours with a probability of "
        "%.3g %%.",
        100 * real(doc, "probability_ours"));
    if (cli_doc_number(doc, "counted_addresses") > 1)
        say(w,
            "All of yours are guessed from the matches with a probability "
            "of %.3g %%.",
            100 * real(doc, "probability_all"));
}

static void say_cost(cli_privacy_words *w, const json_t *day)
{
    char transactions[32];

    cli_svg_count(transactions, floor(real(day, "transactions") + 0.5));
    say(w, "It costs %.2f MB a day: about %s transactions of strangers.",
        real(day, "bytes") / 1e6, transactions);
}

static const json_t *pair(const json_t *two, size_t i)
{
    return json_array_get(json_object_get(two, "pairs"), i);
}

/* How many are left: no fractions of many, and none of next to nobody. */
static void count_left(char out[48], const json_t *pair)
{
    double left = real(pair, "strangers_together");
    char n[32];

    cli_svg_count(n, left >= 100 ? floor(left + 0.5) : left);
    if (left < CLI_NOBODY)
        (void)snprintf(out, 48, "nobody");
    else if (left < 100)
        (void)snprintf(out, 48, "%.3g strangers", left);
    else
        (void)snprintf(out, 48, "%s strangers", n);
}

static void say_two(cli_privacy_words *w, const json_t *two)
{
    bool more =
        json_is_true(json_object_get(two, "reveal_more_than_the_earlier"));
    char tweak[48];
    char size[48];

    count_left(tweak, pair(two, 1));
    count_left(size, pair(two, 2));
    say(w, "Two filters of this wallet together reveal %s the earlier one did.",
        more ? "more than" : "nothing beyond what");
    say(w,
        "For contrast: one with another tweak would leave %s, one of another "
        "size %s.",
        tweak, size);
}

static void say_tried(cli_privacy_words *w, const json_t *doc)
{
    const json_t *tried = json_object_get(doc, "tried");
    const json_t *two = json_object_get(doc, "two_filters");
    char strangers[32];

    cli_svg_count(strangers, real(tried, "strangers"));
    say(w,
        "Tried with %s made-up addresses: %lld match; %lld of them match a "
        "filter of the first half of what is in yours, too, %lld one with "
        "another tweak, %lld one of another size.",
        strangers, (long long)cli_doc_number(tried, "matched"),
        (long long)cli_doc_number(pair(two, 0), "tried_matched"),
        (long long)cli_doc_number(pair(two, 1), "tried_matched"),
        (long long)cli_doc_number(pair(two, 2), "tried_matched"));
}

void cli_privacy_say(cli_privacy_words *out, const json_t *doc)
{
    out->n = 0;
    say_hidden(out, doc);
    say_guesses(out, doc);
    say_cost(out, json_object_get(doc, "a_day"));
    say_two(out, json_object_get(doc, "two_filters"));
    say_tried(out, doc);
}
