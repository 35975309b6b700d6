#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spv/privacy.h>

#include "base/hex.h"
#include "client/disk.h"

/* Profile and plan as the lines of a card, and back. */

/* A rate is written as a whole number, which no locale writes otherwise. */
#define RATE_UNITS 1e18

/* ---- Writing ---- */

static spv_err add_int(spv_card *card, const char *key, int64_t value)
{
    char text[24];

    (void)snprintf(text, sizeof(text), "%" PRId64, value);
    return spv__card_add(card, key, text);
}

static spv_err add_secret(spv_card *card, const spv_plan *plan)
{
    char text[2 * sizeof(plan->secret) + 1];

    spv__hex_format(text, plan->secret, sizeof(plan->secret));
    return spv__card_add(card, "filter-secret", text);
}

spv_err spv__disk_card(spv_card *card, const spv_client *c)
{
    const spv_profile *p = &c->profile;
    const struct {
        const char *key;
        int64_t value;
    } numbers[] = {
        {"gap", p->gap},
        {"lookahead", p->lookahead},
        {"birthday", p->birthday},
        {"birthday-time", p->birthday_time},
        {"scan-from", p->scan_from},
        {"filter-bytes", c->plan.bytes},
        {"filter-functions", c->plan.hash_funcs},
        {"filter-tweak", c->plan.tweak},
        {"filter-decoys", c->plan.decoys},
        {"filter-flags", c->plan.flags},
    };
    spv_err err = spv__card_add(card, "network", c->network->name);

    if (err == SPV_OK)
        err = spv__card_add(card, "type", p->type);
    for (size_t i = 0; i < p->n_descriptors && err == SPV_OK; i++)
        err = spv__card_add(card, "descriptor", p->descriptors[i]);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        if (err == SPV_OK)
            err = add_int(card, numbers[i].key, numbers[i].value);
    if (err == SPV_OK && p->fp_rate > 0)
        err = add_int(card, "filter-rate", llround(p->fp_rate * RATE_UNITS));
    if (err == SPV_OK && p->scan_time > 0)
        err = add_int(card, "scan-time", p->scan_time);
    return err == SPV_OK ? add_secret(card, &c->plan) : err;
}

/* ---- Reading ---- */

/* The first thing that is missing or out of range sticks, like a reader's. */
typedef struct spv_card_reader {
    const spv_card *card;
    bool damaged;
} spv_card_reader;

static const char *read_text(spv_card_reader *r, const char *key)
{
    const char *text = spv__card_find(r->card, key, 0);

    r->damaged |= text == NULL;
    return text ? text : "";
}

static int64_t read_int(spv_card_reader *r, const char *key, int64_t low,
                        int64_t high)
{
    const char *text = read_text(r, key);
    char *end = NULL;
    int64_t value = strtoll(text, &end, 10);

    r->damaged |= end == text || *end != '\0' || value < low || value > high;
    return r->damaged ? low : value;
}

/* Wallets from before it was written have none. */
static double read_rate(spv_card_reader *r)
{
    const int64_t least = (int64_t)(SPV_FP_RATE_LEAST * RATE_UNITS);
    const int64_t most = (int64_t)(SPV_FP_RATE_MOST * RATE_UNITS);

    return (double)read_int(r, "filter-rate", least, most) / RATE_UNITS;
}

static void read_plan(spv_card_reader *r, spv_plan *plan)
{
    const char *secret = read_text(r, "filter-secret");
    spv_buf bytes = SPV_BUF_EMPTY;

    plan->bytes =
        (uint32_t)read_int(r, "filter-bytes", 1, SPV_FILTER_BYTES_MAX);
    plan->hash_funcs =
        (uint32_t)read_int(r, "filter-functions", 1, SPV_FILTER_FUNCS_MAX);
    plan->tweak = (uint32_t)read_int(r, "filter-tweak", 0, UINT32_MAX);
    plan->decoys =
        (uint32_t)read_int(r, "filter-decoys", 0, SPV__PLAN_DECOYS_MAX);
    plan->flags =
        (uint8_t)read_int(r, "filter-flags", 0, SPV_FILTER_UPDATE_MASK);
    if (spv__hex_parse(&bytes, secret, strlen(secret)) == SPV_OK &&
        bytes.len == sizeof(plan->secret))
        memcpy(plan->secret, bytes.bytes, sizeof(plan->secret));
    else
        r->damaged = true;
    spv__buf_clear(&bytes);
}

spv_err spv__disk_read_card(const spv_card *card, const spv_network *network,
                            spv_profile *p, spv_plan *plan)
{
    spv_card_reader r = {.card = card};
    const char *text = NULL;
    spv_err err = SPV_OK;

    *p = (spv_profile){0};
    r.damaged = strcmp(read_text(&r, "network"), network->name) != 0;
    (void)snprintf(p->type, sizeof(p->type), "%s", read_text(&r, "type"));
    p->watch_only = strcmp(p->type, "watch") == 0;
    p->gap = (uint32_t)read_int(&r, "gap", 1, SPV__GAP_MAX);
    p->lookahead = (uint32_t)read_int(&r, "lookahead", 1, SPV__GAP_MAX);
    p->birthday = (int32_t)read_int(&r, "birthday", -1, INT32_MAX);
    p->birthday_time = read_int(&r, "birthday-time", -1, INT64_MAX);
    p->scan_from = (int32_t)read_int(&r, "scan-from", -1, INT32_MAX);
    if (spv__card_find(card, "scan-time", 0))
        p->scan_time = read_int(&r, "scan-time", 0, INT64_MAX);
    if (spv__card_find(card, "filter-rate", 0))
        p->fp_rate = read_rate(&r);
    read_plan(&r, plan);
    for (size_t i = 0; err == SPV_OK; i++) {
        text = spv__card_find(card, "descriptor", i);
        if (!text)
            break;
        err = spv__profile_add(p, text);
    }
    if (err == SPV_OK && r.damaged)
        err = SPV_DAMAGED;
    if (err != SPV_OK)
        spv__profile_clear(p);
    return err;
}
