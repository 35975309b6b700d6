#include <stdlib.h>

#include <spv/privacy.h>

#include "cli/commands.h"
#include "cli/open.h"
#include "cli/outfile.h"
#include "cli/privacy_html.h"
#include "cli/privacy_words.h"
#include "cli/text.h"
#include "cli/values.h"

/* privacy: what a server learns from the filter that the next sync sends. */

/* ---- The document ---- */

static json_t *filter_doc(const spv_privacy *p)
{
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "bytes",
        cli_json_count(p->bytes), "hash_functions",
        cli_json_count(p->hash_funcs), "bits_set", cli_json_count(p->bits_set),
        "fp_rate", cli_json_real(p->rate), "keys", cli_json_count(p->keys),
        "coins", cli_json_count(p->coins), "decoys", cli_json_count(p->decoys));
}

static json_t *cost_doc(const spv_privacy_cost *cost)
{
    return json_pack("{s:o, s:o}", "transactions",
                     cli_json_real(cost->transactions_a_day), "bytes",
                     cli_json_real(cost->bytes_a_day));
}

static json_t *pair_doc(const char *second, const spv_privacy_pair *pair)
{
    return json_pack("{s:s, s:o, s:o, s:o}", "second", second,
                     "strangers_alone", cli_json_real(pair->alone),
                     "strangers_together", cli_json_real(pair->together),
                     "tried_matched", cli_json_count(pair->tried));
}

static json_t *two_filters_doc(const spv_privacy *p)
{
    return json_pack("{s:b, s:o, s:[o, o, o]}", "reveal_more_than_the_earlier",
                     p->earlier_adds, "earlier_elements",
                     cli_json_count(p->earlier_elements), "pairs",
                     pair_doc("earlier, of this wallet", &p->earlier),
                     pair_doc("another tweak", &p->tweak),
                     pair_doc("a byte shorter", &p->size));
}

static json_t *reals_doc(const double *values, size_t n)
{
    json_t *list = json_array();

    for (size_t i = 0; i < n; i++)
        (void)json_array_append_new(list, cli_json_real(values[i]));
    return list;
}

static json_t *habit_doc(const spv_habit_view *view)
{
    return json_pack(
        "{s:s, s:s, s:o, s:o, s:o, s:o}", "habit", spv_habit_name(view->habit),
        "words", spv_habit_words(view->habit), "fp_rate",
        cli_json_real(view->rate), "strangers",
        reals_doc(view->strangers, SPV_PRIVACY_STARTS), "probability_ours",
        reals_doc(view->guess_one, SPV_PRIVACY_STARTS), "probability_all",
        reals_doc(view->guess_all, SPV_PRIVACY_STARTS));
}

static json_t *habits_doc(const spv_privacy *p)
{
    json_t *list = json_array();

    for (size_t i = 0; i < SPV_HABIT_COUNT; i++)
        (void)json_array_append_new(list, habit_doc(&p->habits[i]));
    return list;
}

/* What a wallet made at another level would come to. */
static json_t *choice_doc(const spv_privacy_choice *choice,
                          const spv_privacy *p)
{
    spv_privacy_cost cost = spv_privacy_cost_of(choice->rate);

    return json_pack("{s:s, s:s, s:o, s:o, s:o}", "level", choice->name,
                     "words", choice->words, "fp_rate",
                     cli_json_real(choice->rate), "strangers",
                     cli_json_real(choice->rate * (double)p->addresses),
                     "a_day", cost_doc(&cost));
}

static json_t *choices_doc(const spv_privacy *p)
{
    json_t *list = json_array();

    for (size_t i = 0; spv_privacy_choice_get(i); i++)
        (void)json_array_append_new(list,
                                    choice_doc(spv_privacy_choice_get(i), p));
    return list;
}

static json_t *privacy_doc(const spv_privacy *p)
{
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:{s:o, s:o}, s:o, s:o, s:o, s:o}",
        "addresses_in_use", cli_json_count(p->addresses), "used_addresses",
        cli_json_count(p->used), "counted_addresses", cli_json_count(p->own),
        "strangers", cli_json_real(p->strangers), "probability_ours",
        cli_json_real(p->guess_one), "probability_all",
        cli_json_real(p->guess_all), "filter", filter_doc(p), "tried",
        "strangers", cli_json_count(SPV_PRIVACY_TRIED), "matched",
        cli_json_count(p->tried), "a_day", cost_doc(&p->cost), "two_filters",
        two_filters_doc(p), "habits", habits_doc(p), "levels", choices_doc(p));
}

/* ---- The page ---- */

static void draw_page(FILE *out, const void *doc)
{
    cli_privacy_html(out, doc);
}

/* ---- The command ---- */

/* As large as a whole number can be told exactly by any reader of JSON. */
#define MOST_ADDRESSES (UINT64_C(1) << 53)

static spv_err look(cli *c, uint64_t addresses, json_t **doc)
{
    spv_client *client = NULL;
    spv_privacy seen;
    spv_wallet_info info;
    spv_err err = cli_open(c, &client);

    if (err != SPV_OK)
        return err;
    err = spv_client_privacy(client, addresses, &seen);
    if (err == SPV_OK) {
        spv_client_info(client, &info);
        *doc = privacy_doc(&seen);
        (void)json_object_set_new(*doc, "wallet", json_string(info.name));
    } else {
        (void)cli_fail_plain(c, err);
    }
    spv_client_free(client);
    return err;
}

spv_err cli_privacy(cli *c, json_t **doc)
{
    const char *name = cli_text(c, CLI_HTML);
    cli_outfile file = {.fd = -1};
    uint64_t addresses = 0;
    spv_err err = cli_number(c, CLI_ADDRESSES, 1, MOST_ADDRESSES,
                             SPV_ADDRESSES_IN_USE, &addresses);

    if (err == SPV_OK && name)
        err = cli_outfile_plan(c, &file, name, cli_on(c, CLI_FORCE));
    if (err == SPV_OK)
        err = look(c, addresses, doc);
    if (err == SPV_OK && name)
        err = cli_outfile_draw(c, &file, draw_page, *doc);
    if (err == SPV_OK && name)
        (void)json_object_set_new(*doc, "html", json_string(name));
    cli_outfile_drop(&file);
    return err;
}

/* ---- For people ---- */

/* Three digits are enough to compare by. */
static json_t *rounded(const json_t *row, const char *key, size_t starts)
{
    double x =
        json_real_value(json_array_get(json_object_get(row, key), starts - 1));
    char text[32];

    (void)snprintf(text, sizeof(text), "%.3g", x);
    x = strtod(text, NULL);
    if (x >= 1000)
        return json_integer((json_int_t)x);
    return json_real(x);
}

/* Next to nobody is nobody. */
static json_t *left_after(const json_t *habit, size_t starts)
{
    json_t *left = rounded(habit, "strangers", starts);

    if (json_number_value(left) >= CLI_NOBODY)
        return left;
    json_decref(left);
    return json_integer(0);
}

static json_t *habit_row(const json_t *habit)
{
    return json_pack("{s:O, s:o, s:o, s:o, s:o, s:o, s:o}", "habit",
                     json_object_get(habit, "habit"), "strangers1",
                     left_after(habit, 1), "strangers2", left_after(habit, 2),
                     "strangers5", left_after(habit, 5), "ours1",
                     rounded(habit, "probability_ours", 1), "ours2",
                     rounded(habit, "probability_ours", 2), "ours5",
                     rounded(habit, "probability_ours", 5));
}

static void show_habits(const cli *c, const json_t *habits)
{
    static const cli_field columns[] = {
        {"habit", "habit", CLI_AS_IS},
        {"strangers1", "strangers", CLI_AS_IS},
        {"strangers2", "2 starts", CLI_AS_IS},
        {"strangers5", "5 starts", CLI_AS_IS},
        {"ours1", "ours", CLI_AS_IS},
        {"ours2", "2 starts", CLI_AS_IS},
        {"ours5", "5 starts", CLI_AS_IS},
    };
    json_t *rows = json_array();
    const json_t *habit = NULL;
    size_t i = 0;

    json_array_foreach(habits, i, habit)
    {
        (void)json_array_append_new(rows, habit_row(habit));
    }
    cli_print_table(c, rows, CLI_FIELDS(columns));
    json_decref(rows);
}

static json_t *level_row(const json_t *level)
{
    const json_t *day = json_object_get(level, "a_day");

    return json_pack(
        "{s:O, s:O, s:I, s:I, s:O}", "level", json_object_get(level, "level"),
        "fp_rate", json_object_get(level, "fp_rate"), "strangers",
        (json_int_t)json_real_value(json_object_get(level, "strangers")),
        "bytes", (json_int_t)json_real_value(json_object_get(day, "bytes")),
        "words", json_object_get(level, "words"));
}

static void show_levels(const cli *c, const json_t *levels)
{
    static const cli_field columns[] = {
        {"level", "--privacy", CLI_AS_IS},     {"fp_rate", "rate", CLI_AS_IS},
        {"strangers", "strangers", CLI_AS_IS}, {"bytes", "a day", CLI_AS_BYTES},
        {"words", "in words", CLI_AS_IS},
    };
    json_t *rows = json_array();
    const json_t *level = NULL;
    size_t i = 0;

    json_array_foreach(levels, i, level)
    {
        (void)json_array_append_new(rows, level_row(level));
    }
    cli_print_table(c, rows, CLI_FIELDS(columns));
    json_decref(rows);
}

void cli_privacy_text(const cli *c, const json_t *doc)
{
    cli_privacy_words words;

    cli_privacy_say(&words, doc);
    for (size_t i = 0; i < words.n; i++)
        (void)printf("%s\n", words.line[i]);
    (void)printf("\nWhat other clients' habits would have left, for the same "
                 "wallet: strangers to hide\namong, and the probability that "
                 "a match is yours, after one start and after more.\n\n");
    show_habits(c, json_object_get(doc, "habits"));
    (void)printf("\nWhat a wallet can be made with; it is for life.\n\n");
    show_levels(c, json_object_get(doc, "levels"));
}
