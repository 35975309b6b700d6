#include "client/client.h"

#include <stdio.h>

/*
 * Looking through old blocks again.
 *
 * A rescan is first only a wish, noted in the profile: a height, or a date
 * for which no header is known yet. It begins with the next run, once that
 * knows the headers. Until then nothing changes.
 */

bool spv__rescan_is_pending(const spv_profile *p)
{
    return p->scan_from >= 0 || p->scan_time > 0;
}

/* ---- Noting one ---- */

/* Where to begin: a height, or, when that is -1, a time. */
typedef struct spv_start {
    int32_t height;
    int64_t time;
} spv_start;

/* Where the first sync would begin. */
static spv_start start_of_birthday(const spv_profile *p)
{
    int32_t height = p->birthday - SPV__BIRTHDAY_MARGIN;

    if (p->birthday < 0 && p->birthday_time >= 0)
        return (spv_start){-1, p->birthday_time - SPV__BIRTHDAY_MARGIN_S};
    return (spv_start){height < 0 ? 0 : height, -1};
}

static int32_t height_at(const spv_client *c, int64_t time)
{
    if (time <= 0)
        return 0;
    return spv__tree_height_at_time(
        c->tree, time > UINT32_MAX ? UINT32_MAX : (uint32_t)time);
}

static bool is_known(const spv_client *c, int64_t time)
{
    int32_t base = spv__tree_base(c->tree).height;
    int32_t tip = spv__tree_tip(c->tree).height;

    if (base > 0 && time <= spv__tree_median_time(c->tree, base))
        return false;
    return time <= spv__tree_median_time(c->tree, tip);
}

/* A time that lies within the known headers becomes a height. */
static spv_start settled(const spv_client *c, spv_start start)
{
    if (start.height >= 0 || !is_known(c, start.time))
        return start;
    return (spv_start){height_at(c, start.time), -1};
}

/* Of two wishes the one that looks through more is kept. */
static void note(spv_profile *p, spv_start start)
{
    if (start.height < 0) {
        int64_t time = start.time > 0 ? start.time : 1; /* 0: none */

        if (p->scan_time == 0 || time < p->scan_time)
            p->scan_time = time;
    } else if (p->scan_from < 0 || start.height < p->scan_from) {
        p->scan_from = start.height;
    }
}

static spv_start choose_start(spv_client *c, int32_t height, int64_t time)
{
    spv_profile *p = &c->profile;
    bool asked = height >= 0 || time >= 0;
    spv_start start =
        settled(c, asked ? (spv_start){height, time} : start_of_birthday(p));

    if (asked && start.height >= 0 && start.height < p->birthday)
        p->birthday = start.height;
    return start;
}

/* The tree must reach down to where blocks are to be fetched. */
static spv_err reach_down(spv_client *c)
{
    spv_tree_config config = {.network = c->network,
                              .base = spv__client_base(c)};
    int32_t wanted = config.base ? config.base->height : 0;

    if (spv__tree_base(c->tree).height <= wanted)
        return SPV_OK;
    spv__tree_free(c->tree);
    c->tree = NULL;
    return spv__tree_new(&c->tree, &config);
}

spv_err spv_client_rescan(spv_client *c, int32_t height, int64_t time,
                          uint32_t gap, int32_t *start)
{
    spv_err err = SPV_OK;

    if (gap)
        err = spv__wallet_set_gap(c->wallet, gap, c->profile.lookahead);
    if (err != SPV_OK)
        return err;
    if (gap)
        c->profile.gap = gap;
    note(&c->profile, choose_start(c, height, time));
    c->changed = true;
    err = reach_down(c);
    if (err == SPV_OK)
        err = spv__wallet_derive(c->wallet);
    if (err == SPV_OK)
        spv__client_follow_log(c);
    if (err == SPV_OK && c->keeper.keep)
        err = c->keeper.keep(c->keeper.self, c, &c->trouble);
    if (start)
        *start = c->profile.scan_from;
    return err;
}

/* ---- Beginning one ---- */

static void tell_clamped(const spv_client *c, int32_t from, int32_t tip)
{
    char line[120];

    (void)snprintf(line, sizeof(line),
                   "the rescan was to begin at height %d, but the chain ends "
                   "at %d: it begins there",
                   from, tip);
    spv__events_warn(c, line);
}

int32_t spv__rescan_take(spv_client *c)
{
    spv_profile *p = &c->profile;
    int32_t tip = spv__tree_tip(c->tree).height;
    int32_t from = p->scan_from;

    if (!spv__rescan_is_pending(p))
        return SPV_NO_HEIGHT;
    if (p->scan_time > 0) {
        int32_t at = height_at(c, p->scan_time);

        from = from < 0 || at < from ? at : from;
        if (at < p->birthday)
            p->birthday = at;
    }
    if (from > tip) {
        tell_clamped(c, from, tip);
        from = tip;
    }
    p->scan_from = -1;
    p->scan_time = 0;
    c->changed = true;
    return from;
}
