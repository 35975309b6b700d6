#include "cli/standing.h"

#include <time.h>

static void tell_pending_date(const cli *c, int64_t seconds)
{
    time_t t = (time_t)seconds;
    char date[32];
    struct tm utc;

    if (gmtime_r(&t, &utc) && strftime(date, sizeof(date), "%Y-%m-%d", &utc))
        cli_say(c, CLI_NOTE,
                "a rescan from %s is pending: the next 'spvclient sync' "
                "begins it",
                date);
}

void cli_tell_standing(const cli *c, const spv_wallet_info *info)
{
    if (info->rescan_height >= 0)
        cli_say(c, CLI_NOTE,
                "a rescan from height %d is pending: the next 'spvclient "
                "sync' begins it",
                info->rescan_height);
    else if (info->rescan_time >= 0)
        tell_pending_date(c, info->rescan_time);
    if (info->synced_height < 0)
        cli_say(c, CLI_NOTE,
                "this wallet was never synced: run 'spvclient sync' first");
    else if (info->synced_height < info->reached_height)
        cli_say(c, CLI_NOTE,
                "a rescan is under way, at height %d of %d: 'spvclient sync' "
                "goes on with it",
                info->synced_height, info->reached_height);
}
