#include "client/client.h"

/*
 * Transactions outside blocks: into the wallet, apart from all that is proved.
 *
 * Their outpoints enter the log, so that a later filter brings their spends;
 * and so does what they spend, so that it brings what spends that instead.
 * Until one is loaded no node is taken to have them. One that announced a
 * transaction because its filter matched has added them by itself; but some
 * announce without matching, and none says which it did.
 */

spv_err spv__client_take_in(spv_client *c, size_t from)
{
    static const spv_grant nobody;
    size_t length = spv__wallet_element_count(c->wallet);
    spv_err err = SPV_OK;

    spv__client_follow_log(c);
    for (size_t at = from; at < length && err == SPV_OK; at++) {
        spv_element e;

        spv__wallet_element(c->wallet, at, &e);
        if (e.kind != SPV__ELEMENT_OUTPOINT)
            continue;
        err = spv__coverage_learn(&c->run.sync.coverage, at, &nobody);
        c->run.sync.log.wanted = length; /* before it is in a block */
    }
    return err;
}

static void tell_of_crowd(spv_client *c)
{
    if (!c->run.crowd_told)
        spv__events_warn(c, "so many unconfirmed payments are announced that "
                            "some are not taken in: they are shown when they "
                            "are in a block");
    c->run.crowd_told = true;
}

spv_err spv__client_take_relayed(spv_client *c, const spv_relayed *relayed)
{
    size_t length = spv__wallet_element_count(c->wallet);
    spv_welcome welcome =
        spv__wallet_welcome(c->wallet, &relayed->tx, (unsigned)relayed->place);
    bool kept = false;
    spv_err err = SPV_OK;

    if (welcome == SPV__WELCOME_NO_MORE)
        tell_of_crowd(c);
    if (welcome != SPV__WELCOME)
        return SPV_OK;
    err = spv__wallet_add_unconfirmed(c->wallet, &relayed->tx,
                                      spv__sync_unix_time(&c->run.sync), &kept);
    if (err != SPV_OK)
        return err;
    err = spv__client_take_in(c, length);
    if (kept)
        spv__wallet_announced(c->wallet, &relayed->tx.txid,
                              (unsigned)relayed->place);
    c->changed |= kept || spv__wallet_element_count(c->wallet) > length;
    return err;
}
