#include "cli/filter_wish.h"

#include <stdlib.h>
#include <string.h>

#include "cli/values.h"

const double cli_fp_rate = 0.0001;

/* A scalable filter has to begin somewhere: with 1 to 3 MB. */
enum { SCALABLE_FIRST = 1 << 20 };

bool cli_rate_parse(double *out, const char *text)
{
    char *end = NULL;

    *out = strtod(text, &end);
    return end != text && *end == '\0' && *out > 0 && *out < 1;
}

spv_err cli_rate_read(cli *c, double *out)
{
    const char *text = cli_text(c, CLI_FP_RATE);

    *out = cli_fp_rate;
    if (!text || cli_rate_parse(out, text))
        return SPV_OK;
    return cli_fail(c, SPV_INVAL,
                    "--fp-rate is a number above 0 and below 1, not '%s'",
                    text);
}

const char *cli_updates_word(spv_wallet_updates updates)
{
    static const char *const words[] = {[SPV_WALLET_UPDATES_ALL] = "all",
                                        [SPV_WALLET_UPDATES_P2PUBKEY_ONLY] =
                                            "p2pubkey",
                                        [SPV_WALLET_UPDATES_NONE] = "none"};

    return words[updates];
}

static spv_err read_flags(cli *c, uint8_t *out)
{
    const char *text = cli_text(c, CLI_FLAGS);
    uint64_t number = 0;

    *out = SPV_FILTER_UPDATE_NONE;
    for (uint8_t i = 0; text && cli_flags_word(i); i++)
        if (strcmp(text, cli_flags_word(i)) == 0) {
            *out = i;
            return SPV_OK;
        }
    if (text && !cli_parse_number(&number, text, UINT8_MAX))
        return cli_fail(c, SPV_INVAL,
                        "--flags is none, all, p2pubkey or a number up to 255, "
                        "not '%s'",
                        text);
    *out = (uint8_t)number;
    return SPV_OK;
}

static spv_err read_kind(cli *c, const cli_filter_kind **out)
{
    const char *name = cli_text(c, CLI_KIND);
    const char *file = cli_text(c, CLI_OUT);

    *out =
        file ? cli_filter_kind_find(name ? name : "bloom") : &cli_filter_wire;
    if (!*out)
        return cli_fail(c, SPV_INVAL,
                        "--kind is bloom, counting, scalable, rolling or "
                        "cuckoo, not '%s'",
                        name);
    if (file || (!name && !cli_text(c, CLI_HASHING)))
        return SPV_OK;
    (void)cli_fail(c, SPV_INVAL,
                   "--kind and --hashing are for filters that "
                   "are saved");
    return cli_hint(&c->trouble, "--out FILE saves it; without it a filterload "
                                 "payload is made");
}

static spv_err read_hashing(cli *c, const cli_filter_kind *kind,
                            spv_local_hashing *out)
{
    const char *name = cli_text(c, CLI_HASHING);

    *out = SPV_LOCAL_DOUBLE;
    if (name && !cli_filter_hashing_find(out, name))
        return cli_fail(c, SPV_INVAL,
                        "--hashing is double, bip37 or blocked, not '%s'",
                        name);
    if (name && kind->saved_as != SPV_SAVED_LOCAL)
        return cli_fail(c, SPV_INVAL,
                        "--hashing is for --kind bloom; %s has its own",
                        kind->name);
    return SPV_OK;
}

/* Only what can be turned into a payload has flags. */
static spv_err check_flags(cli *c, const cli_filter_kind *kind)
{
    if (!cli_text(c, CLI_FLAGS) || kind == &cli_filter_wire ||
        kind->saved_as == SPV_SAVED_COUNTING)
        return SPV_OK;
    return cli_fail(c, SPV_INVAL,
                    "--flags are for nodes, and no node is sent a %s filter",
                    kind->name);
}

static spv_err read_elements(cli *c, const cli_filter_kind *kind, uint64_t *out)
{
    uint64_t most = kind == &cli_filter_wire ? UINT32_MAX : INT64_MAX;
    spv_err err = cli_number(c, CLI_ELEMENTS, 1, most, 0, out);

    if (err != SPV_OK || *out)
        return err;
    if (kind->saved_as == SPV_SAVED_SCALABLE)
        *out = SCALABLE_FIRST;
    if (kind->saved_as == SPV_SAVED_ROLLING)
        return cli_fail(c, SPV_INVAL,
                        "a rolling filter needs --elements N: "
                        "how many it remembers");
    return SPV_OK;
}

static spv_err read_tweak(cli *c, const cli_filter_kind *kind, uint64_t *out)
{
    bool is_bip37 = kind == &cli_filter_wire ||
                    kind->saved_as == SPV_SAVED_COUNTING ||
                    kind->saved_as == SPV_SAVED_LOCAL;

    return cli_number(c, CLI_TWEAK, 0, is_bip37 ? UINT32_MAX : INT64_MAX, 0,
                      out);
}

spv_err cli_filter_wish_read(cli *c, const cli_filter_kind **kind,
                             cli_filter_wish *wish)
{
    spv_err err = read_kind(c, kind);

    *wish = (cli_filter_wish){0};
    if (err != SPV_OK || !*kind)
        return err;
    err = read_elements(c, *kind, &wish->elements);
    if (err == SPV_OK)
        err = cli_rate_read(c, &wish->rate);
    if (err == SPV_OK)
        err = read_tweak(c, *kind, &wish->tweak);
    if (err == SPV_OK)
        err = read_flags(c, &wish->flags);
    if (err == SPV_OK)
        err = check_flags(c, *kind);
    if (err == SPV_OK)
        err = read_hashing(c, *kind, &wish->hashing);
    return err;
}
