#include <stdlib.h>
#include <string.h>

#include "client/client.h"

/* What the wallet knows, for those who ask; nothing here needs a network. */

const spv_network *spv_client_network(const spv_client *c)
{
    return c->network;
}

void spv_client_info(const spv_client *c, spv_wallet_info *out)
{
    const spv_profile *p = &c->profile;

    *out = (spv_wallet_info){.name = p->name,
                             .type = p->type,
                             .watch_only = p->watch_only,
                             .encrypted = p->encrypted,
                             .birthday_height = p->birthday,
                             .birthday_time =
                                 p->birthday < 0 ? p->birthday_time : -1,
                             .gap = p->gap,
                             .n_descriptors = p->n_descriptors,
                             .synced_height = c->position,
                             .synced_hash = c->position_hash,
                             .reached_height = spv__client_tip(c),
                             .rescan_height = p->scan_from,
                             .rescan_time = p->scan_time ? p->scan_time : -1};
}

const char *spv_client_descriptor(const spv_client *c, size_t i)
{
    return i < c->profile.n_descriptors ? c->profile.descriptors[i] : NULL;
}

void spv_client_balance(const spv_client *c, spv_balance *out)
{
    spv__wallet_balance(c->wallet, spv__client_tip(c), out);
}

spv_err spv_client_coins(const spv_client *c, spv_coin **coins, size_t *n)
{
    return spv__wallet_coins(c->wallet, spv__client_tip(c), coins, n);
}

spv_err spv_client_history(const spv_client *c, spv_wallet_tx **txs, size_t *n)
{
    return spv__wallet_history(c->wallet, txs, n);
}

spv_err spv_client_tx(const spv_client *c, const spv_hash *txid,
                      spv_wallet_tx *out)
{
    return spv__wallet_tx(c->wallet, txid, out);
}

spv_err spv_client_conflicts(const spv_client *c, const spv_hash *txid,
                             spv_hash **txids, size_t *n)
{
    return spv__wallet_conflicts(c->wallet, txid, txids, n);
}

spv_err spv_client_filter(const spv_client *c, spv_filter *out)
{
    return spv_filter_copy(out, &c->filter);
}

/* ---- Addresses ---- */

static void show_address(const spv_client *c, const spv_watched *w,
                         spv_wallet_address *out)
{
    spv_branch branch;

    spv__wallet_branch(c->wallet, w->branch, &branch);
    *out = (spv_wallet_address){.descriptor = branch.group,
                                .index = w->index,
                                .change = branch.change,
                                .used = w->used};
    if (spv_address_format(out->address, w->script, w->script_len,
                           c->network) != SPV_OK)
        out->address[0] = '\0';
}

static bool is_ranged(const spv_branch *b)
{
    return spv__descriptor_is_ranged(b->descriptor);
}

/* The branch that gives out addresses: the first ranged one of its side. */
static spv_err find_branch(const spv_client *c, bool change, size_t *at)
{
    for (size_t i = 0; i < spv__wallet_branch_count(c->wallet); i++) {
        spv_branch branch;

        spv__wallet_branch(c->wallet, i, &branch);
        if (is_ranged(&branch) && branch.change == change) {
            *at = i;
            return SPV_OK;
        }
    }
    return SPV_NOT_FOUND;
}

spv_err spv_client_address(spv_client *c, bool change, bool fresh,
                           spv_wallet_address *out)
{
    spv_watched watched;
    size_t branch = 0;
    spv_err err = find_branch(c, change, &branch);

    if (err == SPV_OK)
        err = spv__wallet_give(c->wallet, branch, fresh, &watched);
    if (err != SPV_OK)
        return err;
    show_address(c, &watched, out);
    c->changed = true;
    return c->keeper.keep ? c->keeper.keep(c->keeper.self, c, &c->trouble)
                          : SPV_OK;
}

/* Up to which index addresses of a branch may be listed: used or given out.
 * One that stands alone was out before it was watched. */
static uint32_t listed(const spv_branch *b)
{
    if (!is_ranged(b))
        return 1;
    return b->used > b->given ? b->used : b->given;
}

spv_err spv_client_addresses(const spv_client *c, spv_wallet_address **list,
                             size_t *n)
{
    size_t total = 0;
    size_t count = 0;

    for (size_t i = 0; i < spv__wallet_branch_count(c->wallet); i++) {
        spv_branch branch;

        spv__wallet_branch(c->wallet, i, &branch);
        total += listed(&branch);
    }
    *n = 0;
    *list = calloc(total ? total : 1, sizeof(**list));
    if (!*list)
        return SPV_NOMEM;
    for (size_t i = 0; i < spv__wallet_branch_count(c->wallet); i++) {
        spv_branch branch;
        spv_watched watched;

        spv__wallet_branch(c->wallet, i, &branch);
        for (uint32_t k = 0; k < listed(&branch); k++)
            if (spv__wallet_watched(c->wallet, i, k, &watched) == SPV_OK &&
                (watched.used || k < branch.given || !is_ranged(&branch)))
                show_address(c, &watched, &(*list)[count++]);
    }
    *n = count;
    return SPV_OK;
}
