#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "conform/serve_watch.h"

/** A client that has read a lie leaves within so many milliseconds. How long
 * it reads is its own affair: floods take time. */
enum { LEAVES_WITHIN = 5000 };

/** What is judged: one node, among all that were there. */
typedef struct trial {
    const spv_serve_watch *all;
    size_t n;
    const spv_serve_watch *accused; /* the node; judged is the client at it */
    spv_serve_check *check;
} trial;

static spv_serve_result result(trial *t, spv_serve_result r, const char *format,
                               ...)
{
    va_list args;

    va_start(args, format);
    (void)vsnprintf(t->check->reason, sizeof(t->check->reason), format, args);
    va_end(args);
    return r;
}

#define PLURAL(n) ((n) == 1 ? "" : "s")

#define PASS            SPV_SERVE_PASS
#define FAIL(t, ...)    result(t, SPV_SERVE_FAIL, __VA_ARGS__)
#define SKIPPED(t, ...) result(t, SPV_SERVE_SKIPPED, __VA_ARGS__)

/* ---- What is known of a block ---- */

static int32_t tip(const trial *t)
{
    return spv__script_chain_tip(t->accused->history->chain);
}

/** The block was given truly, by another node than `except`. */
static bool was_served(const trial *t, int32_t height,
                       const spv_serve_watch *except)
{
    for (size_t i = 0; i < t->n; i++)
        if (&t->all[i] != except && t->all[i].blocks[height].served)
            return true;
    return false;
}

static bool had_tx(const trial *t, size_t tx, const spv_serve_watch *except)
{
    for (size_t i = 0; i < t->n; i++)
        if (&t->all[i] != except && t->all[i].had[tx])
            return true;
    return false;
}

/** How many transactions of the block that pay or spend never came: the filter
 * that it was served under did not match them. */
static size_t lacking(const trial *t, int32_t height,
                      const spv_serve_watch *except)
{
    const spv_serve_history *h = t->accused->history;
    size_t n = 0;

    for (size_t i = 0; i < h->n_txs; i++)
        n += h->txs[i].height == height && !had_tx(t, i, except);
    return n;
}

static bool told_truly(const trial *t, int32_t height,
                       const spv_serve_watch *except)
{
    return was_served(t, height, except) && lacking(t, height, except) == 0;
}

static bool is_truth_to_be_had(const trial *t)
{
    for (size_t i = 0; i < t->n; i++)
        if (t->all[i].row->sort->dependable)
            return true;
    return false;
}

#define NOBODY_BESIDE "no node was there that a right client stays with"

/* ---- The rules ---- */

static spv_serve_result filter_first(trial *t)
{
    size_t n = t->accused->facts.asked_before_filter;

    if (n == 0)
        return PASS;
    return FAIL(t, "%zu filtered block%s asked for without a filter", n,
                n == 1 ? " was" : "s were");
}

/** What a client has not had of what pays or spends. */
typedef struct want {
    size_t unserved;  /* blocks that no node gave truly */
    size_t unmatched; /* others, of which transactions never came */
    size_t txs;       /* these */
    int32_t first;    /* the lowest such block */
} want;

static want what_is_wanting(const trial *t)
{
    const bool *concerns = t->accused->history->concerns;
    want w = {.first = 0};

    for (int32_t i = tip(t); i > 0; i--) {
        size_t txs = concerns[i] ? lacking(t, i, NULL) : 0;
        bool served = !concerns[i] || was_served(t, i, NULL);

        w.unserved += !served;
        w.unmatched += served && txs > 0;
        w.txs += served ? txs : 0;
        if (!served || txs > 0)
            w.first = i;
    }
    return w;
}

static spv_serve_result complete(trial *t)
{
    size_t n = t->accused->history->n_blocks;
    want w = what_is_wanting(t);

    if (w.unserved + w.unmatched == 0)
        return PASS;
    if (!is_truth_to_be_had(t))
        return SKIPPED(t, NOBODY_BESIDE);
    if (w.unserved > 0)
        return FAIL(t,
                    "%zu of %zu blocks that pay or spend were never had as "
                    "they are, the first at height %" PRId32,
                    w.unserved + w.unmatched, n, w.first);
    return FAIL(t,
                "%zu of %zu blocks that pay or spend were served under filters "
                "that did not match it all: %zu transaction%s never came, the "
                "first at height %" PRId32,
                w.unmatched, n, w.txs, PLURAL(w.txs), w.first);
}

/** It had nothing left to ask, and left when the last answer had come: so does
 * a client that checks nothing. */
static bool simply_finished(const spv_serve_watch *w)
{
    return w->facts.hung_up && w->had_asked && !w->left_early;
}

#define CANNOT_BE_TOLD                                                         \
    "it had asked for everything before the lie, and left when all had come: " \
    "whether it saw the lie cannot be told"

static spv_serve_result leaves(trial *t)
{
    const spv_serve_watch *w = t->accused;

    if (w->facts.lies == 0)
        return SKIPPED(t, "the lie was never told");
    if (!w->facts.hung_up)
        return FAIL(t, "the client never hung up");
    if (w->known_at != SPV_NEVER && w->left_at - w->known_at > LEAVES_WITHIN)
        return FAIL(t,
                    "the client left %" PRId64 " ms after it had read the lie",
                    w->left_at - w->known_at);
    if (simply_finished(w))
        return SKIPPED(t, CANNOT_BE_TOLD);
    return PASS;
}

static spv_serve_result asks_no_more(trial *t)
{
    const spv_serve_report *facts = &t->accused->facts;

    if (facts->lies == 0)
        return SKIPPED(t, "the lie was never told");
    if (facts->asked_after_lie > 0)
        return FAIL(t, "%zu request%s came after the client had read the lie",
                    facts->asked_after_lie, PLURAL(facts->asked_after_lie));
    if (simply_finished(t->accused))
        return SKIPPED(t, CANNOT_BE_TOLD);
    return PASS;
}

/** Every block of which `is_wrong` speaks was had from another node too. */
static spv_serve_result had_elsewhere(trial *t,
                                      bool (*is_wrong)(const spv_serve_block *))
{
    size_t wrong = 0;
    size_t believed = 0;

    for (int32_t i = 1; i <= tip(t); i++)
        if (is_wrong(&t->accused->blocks[i])) {
            wrong++;
            believed += !told_truly(t, i, t->accused);
        }
    if (wrong == 0)
        return SKIPPED(t, "it was never asked for such a block");
    if (!is_truth_to_be_had(t))
        return SKIPPED(t, NOBODY_BESIDE);
    if (believed == 0)
        return PASS;
    return FAIL(t, "of %zu such block%s %zu %s from nobody else", wrong,
                PLURAL(wrong), believed,
                believed == 1 ? "was had" : "were had");
}

static bool is_lied(const spv_serve_block *b)
{
    return b->lied;
}

static bool is_omitted(const spv_serve_block *b)
{
    return b->omitted;
}

static spv_serve_result asks_elsewhere(trial *t)
{
    return had_elsewhere(t, is_lied);
}

static spv_serve_result compares(trial *t)
{
    return had_elsewhere(t, is_omitted);
}

static spv_serve_result no_filter(trial *t)
{
    const size_t *received = t->accused->received;
    size_t n = received[SPV_MSG_FILTERLOAD] + received[SPV_MSG_FILTERADD] +
               received[SPV_MSG_FILTERCLEAR];

    return n == 0 ? PASS : FAIL(t, "%zu filter message%s came", n, PLURAL(n));
}

static spv_serve_result waits(trial *t)
{
    size_t n = t->accused->asked_while_busy;

    if (t->accused->facts.filter.loads == 0)
        return SKIPPED(t, "no filter was loaded");
    return n == 0 ? PASS
                  : FAIL(t, "%zu request%s came before the filter was in force",
                         n, PLURAL(n));
}

static const struct {
    spv_serve_rule rule;
    const char *id;
    const char *text;
    spv_serve_result (*judge)(trial *t);
} rules[] = {
    {SPV_SERVE_FILTER_FIRST, "filter_first",
     "asks for no filtered block before it has loaded a filter", filter_first},
    {SPV_SERVE_NO_FILTER, "no_filter",
     "sends no filter message to a node without NODE_BLOOM", no_filter},
    {SPV_SERVE_WAITS, "waits",
     "asks for no block before the pong that comes behind its filter", waits},
    {SPV_SERVE_LEAVES, "leaves", "hangs up on who lies to it", leaves},
    {SPV_SERVE_ASKS_NO_MORE, "asks_no_more",
     "asks nothing more of whom it has caught", asks_no_more},
    {SPV_SERVE_ASKS_ELSEWHERE, "asks_elsewhere",
     "has the blocks of the lie from another node", asks_elsewhere},
    {SPV_SERVE_COMPARES, "compares",
     "has blocks that lacked a match from another node, too", compares},
    {SPV_SERVE_COMPLETE, "complete",
     "has every block that pays or spends, as it is, from some node", complete},
};

enum { RULES = sizeof(rules) / sizeof(rules[0]) };
_Static_assert(RULES <= SPV_SERVE_CHECKS_MAX, "a report has room for all");

/* ---- The verdict ---- */

static spv_serve_result judge_rule(trial *t, size_t rule)
{
    *t->check =
        (spv_serve_check){.id = rules[rule].id, .rule = rules[rule].text};
    if (t->accused->facts.connections == 0)
        return SKIPPED(t, "the client never came");
    return rules[rule].judge(t);
}

/** Bad for any failure; good only if what decides was put to the test. */
static spv_serve_result verdict(unsigned passed, unsigned failed,
                                unsigned decisive)
{
    if (failed)
        return SPV_SERVE_FAIL;
    return passed & decisive ? SPV_SERVE_PASS : SPV_SERVE_SKIPPED;
}

void spv__serve_judge(spv_serve_report *out, const spv_serve_watch *watches,
                      size_t n, size_t at)
{
    const spv_serve_sort *sort = watches[at].row->sort;
    trial t = {.all = watches, .n = n, .accused = &watches[at]};
    unsigned of[3] = {0}; /* rules by result */

    out->n_checks = 0;
    for (size_t i = 0; i < RULES; i++) {
        if (!(sort->rules & rules[i].rule))
            continue;
        t.check = &out->checks[out->n_checks++];
        t.check->result = judge_rule(&t, i);
        of[t.check->result] |= rules[i].rule;
    }
    out->verdict =
        verdict(of[SPV_SERVE_PASS], of[SPV_SERVE_FAIL], sort->decisive);
    out->took_the_bait =
        of[SPV_SERVE_FAIL] & (SPV_SERVE_ASKS_NO_MORE |
                              SPV_SERVE_ASKS_ELSEWHERE | SPV_SERVE_COMPARES);
}

/** A client need not come to every good node. */
static bool may_be_left_out(const spv_serve_watch *w)
{
    return w->row->sort->dependable && w->facts.connections == 0;
}

spv_serve_result spv__serve_verdict(const spv_serve_watch *watches, size_t n)
{
    size_t of[3] = {0}; /* nodes by verdict */

    for (size_t i = 0; i < n; i++) {
        spv_serve_report r = {0};

        spv__serve_judge(&r, watches, n, i);
        if (!may_be_left_out(&watches[i]))
            of[r.verdict]++;
    }
    if (of[SPV_SERVE_FAIL] > 0)
        return SPV_SERVE_FAIL;
    return of[SPV_SERVE_PASS] > 0 && of[SPV_SERVE_SKIPPED] == 0
               ? SPV_SERVE_PASS
               : SPV_SERVE_SKIPPED;
}
