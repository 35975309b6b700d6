#include "client/client.h"

/* Where a rescan begins. The birthday's own margin applies to it too. */
static int32_t choose_from(const spv_client *c, int32_t height, int64_t time)
{
    int32_t tip = spv__tree_tip(c->tree).height;
    int32_t from = c->profile.birthday - SPV__BIRTHDAY_MARGIN;

    if (height >= 0)
        from = height;
    else if (time >= 0)
        from = spv__tree_height_at_time(
            c->tree, time > UINT32_MAX ? UINT32_MAX : (uint32_t)time);
    if (from > tip)
        from = tip;
    return from < 0 ? 0 : from;
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
    int32_t from = choose_from(c, height, time);
    spv_err err = SPV_OK;

    if (gap)
        err = spv__wallet_set_gap(c->wallet, gap, c->profile.lookahead);
    if (err != SPV_OK)
        return err;
    if (gap)
        c->profile.gap = gap;
    if (from < c->profile.birthday)
        c->profile.birthday = from;
    c->profile.scan_from = from;
    c->position = SPV_NO_HEIGHT;
    c->trail.n = 0;
    c->changed = true;
    err = reach_down(c);
    if (err == SPV_OK)
        err = spv__wallet_derive(c->wallet);
    if (err == SPV_OK)
        err = spv__client_follow_log(c);
    if (err == SPV_OK && c->keeper.keep)
        err = c->keeper.keep(c->keeper.self, c, &c->trouble);
    if (start)
        *start = from;
    return err;
}
