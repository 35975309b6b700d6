#include "client/client.h"

#include <stdlib.h>
#include <string.h>

/* ---- Life ---- */

/* The wallet watches all that the descriptor stands for: one branch for each
 * of <0;1>. */
static spv_err watch(spv_client *c, size_t i, spv_trouble *trouble)
{
    const char *text = c->profile.descriptors[i];
    spv_descriptors list = {0};
    spv_text_error why = {0};
    spv_err err = spv__descriptors_parse(&list, text, c->network, &why);

    if (err != SPV_OK)
        return spv__trouble_set(trouble, err, "descriptor %s: %s", text,
                                why.text);
    for (size_t k = 0; k < list.n && err == SPV_OK; k++) {
        err = spv__wallet_watch(c->wallet, list.item[k], i);
        if (err == SPV_OK)
            list.item[k] = NULL;
    }
    spv__descriptors_clear(&list);
    return err;
}

spv_err spv__client_make(spv_client **out, const spv_network *network,
                         spv_profile *profile, spv_trouble *trouble)
{
    spv_client *c = calloc(1, sizeof(*c));
    spv_err err = SPV_NOMEM;

    *out = NULL;
    if (!c)
        return SPV_NOMEM;
    c->network = network;
    c->seeds = spv__seeds_get(network->chain);
    c->position = SPV_NO_HEIGHT;
    c->reached = SPV_NO_HEIGHT;
    c->profile = *profile;
    c->wallet = spv__wallet_new(network);
    if (c->wallet)
        err = spv__wallet_set_gap(c->wallet, c->profile.gap,
                                  c->profile.lookahead);
    for (size_t i = 0; i < c->profile.n_descriptors && err == SPV_OK; i++)
        err = watch(c, i, trouble);
    if (err != SPV_OK) {
        c->profile = (spv_profile){0};
        spv_client_free(c);
        return err;
    }
    *profile = (spv_profile){0};
    *out = c;
    return SPV_OK;
}

static const spv_checkpoint *base_of_birthday(const spv_client *c)
{
    const spv_profile *p = &c->profile;

    if (p->birthday >= 0)
        return spv_checkpoint_find(c->network,
                                   p->birthday - SPV__BIRTHDAY_MARGIN);
    if (p->birthday_time >= 0)
        return spv_checkpoint_find_time(c->network, p->birthday_time -
                                                        SPV__BIRTHDAY_MARGIN_S);
    return NULL;
}

/* NULL is genesis, below all others. */
static const spv_checkpoint *lower(const spv_checkpoint *a,
                                   const spv_checkpoint *b)
{
    return a && b && b->height < a->height ? b : a && b ? a : NULL;
}

const spv_checkpoint *spv__client_base(const spv_client *c)
{
    const spv_profile *p = &c->profile;
    const spv_checkpoint *base = base_of_birthday(c);

    if (p->scan_from >= 0)
        base = lower(base, spv_checkpoint_find(c->network, p->scan_from));
    if (p->scan_time > 0)
        base = lower(base, spv_checkpoint_find_time(c->network, p->scan_time));
    return base;
}

int32_t spv__client_tip(const spv_client *c)
{
    return c->reached > c->position ? c->reached : c->position;
}

spv_err spv__client_begin(spv_client *c, const uint8_t entropy[32],
                          spv_trouble *trouble)
{
    spv_tree_config config = {.network = c->network,
                              .base = spv__client_base(c)};
    spv_err err = spv__wallet_derive(c->wallet);

    if (err == SPV_OK) {
        size_t elements = spv__wallet_element_count(c->wallet);

        if (c->profile.fp_rate == 0)
            c->profile.fp_rate = SPV__PLAN_RATE;
        spv__plan_choose(&c->plan, entropy, elements);
        spv__plan_set_rate(&c->plan, c->profile.fp_rate, elements);
        c->plan.flags = c->profile.flags;
        err = spv__plan_begin(&c->plan, &c->filter);
    }
    if (err == SPV_OK) {
        spv__client_follow_log(c);
        err = spv__tree_new(&c->tree, &config);
    }
    if (err != SPV_OK)
        return spv__trouble_set(trouble, err, "%s", spv_err_text(err));
    c->changed = true;
    return SPV_OK;
}

/* What was found is kept even when the run was broken off. */
void spv_client_free(spv_client *c)
{
    if (!c)
        return;
    if (c->keeper.keep && (c->changed || c->book.changed))
        (void)c->keeper.keep(c->keeper.self, c, &c->trouble);
    if (c->keeper.free)
        c->keeper.free(c->keeper.self);
    if (c->run.prepared)
        spv__sync_clear(&c->run.sync);
    spv__doubts_clear(&c->run.doubts);
    spv_filter_clear(&c->filter);
    spv__tree_free(c->tree);
    spv__book_clear(&c->book);
    spv__wallet_free(c->wallet);
    spv__profile_clear(&c->profile);
    free(c);
}

spv_err spv_client_new(spv_client **out, const spv_network *network,
                       const spv_wallet_spec *spec, spv_trouble *trouble)
{
    spv_profile profile = {0};
    spv_secrets secrets = SPV_SECRETS_EMPTY;
    spv_err err =
        spv__profile_of_spec(&profile, &secrets, spec, network, trouble);

    *out = NULL;
    if (err == SPV_OK)
        err = spv__client_make(out, network, &profile, trouble);
    if (err == SPV_OK)
        err = spv__client_begin(*out, secrets.entropy, trouble);
    if (err != SPV_OK) {
        spv_client_free(*out);
        *out = NULL;
    }
    spv__secrets_clear(&secrets);
    spv__profile_clear(&profile);
    return err;
}

/* ---- The log and what follows it ---- */

void spv__client_follow_log(spv_client *c)
{
    size_t length = spv__wallet_element_count(c->wallet);
    bool keys = false;

    for (; c->filtered < length; c->filtered++) {
        spv_element e;

        spv__wallet_element(c->wallet, c->filtered, &e);
        spv_filter_insert(&c->filter, e.bytes, e.len);
        keys |= e.kind == SPV__ELEMENT_KEY;
    }
    if (!c->run.prepared)
        return;
    c->run.sync.log.length = length;
    if (keys)
        c->run.sync.log.wanted = length;
    spv__coverage_need(&c->run.sync.coverage, spv__wallet_needed(c->wallet));
}

int32_t spv__client_sure_height(spv_client *c)
{
    int32_t sure = c->position;

    if (c->run.prepared && c->run.sync.positioned)
        sure = spv__sync_sure_height(&c->run.sync);
    return sure < c->position ? sure : c->position;
}
