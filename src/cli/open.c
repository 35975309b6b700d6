#include "cli/open.h"

#include <string.h>
#include <sys/stat.h>
#include <time.h>

spv_err cli_place(cli *c, spv_place *out)
{
    const char *wallet = cli_text(c, CLI_WALLET);
    struct stat about;

    if (!c->datadir) {
        (void)cli_fail(c, SPV_INVAL, "there is no home folder to keep data in");
        return cli_hint(&c->trouble, "name a folder with --datadir DIR");
    }
    if (stat(c->datadir, &about) == 0 && !S_ISDIR(about.st_mode))
        return cli_fail(c, SPV_INVAL,
                        "the data folder %s is a file, not a "
                        "folder",
                        c->datadir);
    *out = (spv_place){.datadir = c->datadir,
                       .network = c->network,
                       .wallet = wallet ? wallet : "default"};
    return SPV_OK;
}

spv_err cli_open(cli *c, spv_client **out)
{
    spv_place place;
    spv_err err = cli_place(c, &place);

    if (err == SPV_OK)
        err = spv_client_open(out, &place, &c->trouble);
    if (err == SPV_OK && c->trouble.text[0])
        cli_say(c, CLI_WARN, "%s", c->trouble.text);
    return err;
}

/* ---- Heights and dates ---- */

/* Over this a height is a date without its dashes, or a slip. */
enum { HEIGHT_MAX = 10000000, DATE_LEN = 10 };

static bool is_leap(int year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static bool is_day(int year, int month, int day)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

    return month >= 1 && month <= 12 && day >= 1 &&
           day <= days[month - 1] + (month == 2 && is_leap(year));
}

/* Days since 1970 of a date of the Gregorian calendar from then on. */
static int64_t day_number(int year, int month, int day)
{
    static const int before[] = {0,   31,  59,  90,  120, 151,
                                 181, 212, 243, 273, 304, 334};
    int64_t y = year - 1;
    int64_t leaps = y / 4 - y / 100 + y / 400 - 477; /* 477 up to 1969 */

    return (year - 1970) * INT64_C(365) + leaps + before[month - 1] +
           (month > 2 && is_leap(year)) + day - 1;
}

static bool parse_date(int64_t *out, const char *text)
{
    static const char form[] = "dddd-dd-dd";
    int part[3] = {0};
    int at = 0;

    if (strlen(text) != DATE_LEN)
        return false;
    for (size_t i = 0; i < DATE_LEN; i++) {
        bool digit = text[i] >= '0' && text[i] <= '9';

        if (digit != (form[i] == 'd') || (!digit && text[i] != '-'))
            return false;
        if (digit)
            part[at] = part[at] * 10 + (text[i] - '0');
        else
            at++;
    }
    if (part[0] < 1970 || !is_day(part[0], part[1], part[2]))
        return false;
    *out = day_number(part[0], part[1], part[2]) * 86400;
    return true;
}

spv_err cli_point_of(cli *c, cli_option option, cli_point *out)
{
    const char *text = cli_text(c, option);
    const char *name = cli_option_get(option)->name;
    int64_t now = (int64_t)time(NULL);
    uint64_t height = 0;

    *out = (cli_point){.height = -1, .time = -1};
    if (!text)
        return SPV_OK;
    if (cli_parse_number(&height, text, HEIGHT_MAX)) {
        out->height = (int32_t)height;
        return SPV_OK;
    }
    if (!parse_date(&out->time, text))
        return cli_fail(c, SPV_INVAL,
                        "--%s is a height up to %d or a date YYYY-MM-DD, not "
                        "'%s'",
                        name, HEIGHT_MAX, text);
    if (out->time > now) {
        out->time = now;
        cli_say(c, CLI_WARN, "--%s %s is in the future: taken as today", name,
                text);
    }
    return SPV_OK;
}
