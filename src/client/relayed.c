#include <string.h>

#include "client/client.h"

/*
 * Transactions outside blocks: into the wallet, apart from all that is proved.
 *
 * Their outpoints enter the log, so that a later filter brings their spends.
 * Until it is loaded, the node that announced a transaction has its outpoints
 * by itself, if it held the keys that these pay; every other node is taken to
 * have none.
 */

/* So many that wait are believed: whoever invents more fills no disk. */
enum { UNCONFIRMED_MAX = 10000 };

static bool is_of(const spv_element *e, const spv_hash *txid)
{
    return e->kind == SPV__ELEMENT_OUTPOINT &&
           memcmp(e->bytes, txid->bytes, sizeof(txid->bytes)) == 0;
}

/* Outpoints of others are new too when a window moved. */
static spv_err learn_outpoints(spv_client *c, size_t from,
                               const spv_relayed *relayed)
{
    static const spv_grant nobody;
    spv_coverage *coverage = &c->run.sync.coverage;
    bool has_keys = coverage->needed <= relayed->grant.coverage;
    size_t length = spv__wallet_element_count(c->wallet);
    spv_err err = SPV_OK;

    for (size_t at = from; at < length && err == SPV_OK; at++) {
        spv_element e;
        bool by_itself = false;

        spv__wallet_element(c->wallet, at, &e);
        if (e.kind != SPV__ELEMENT_OUTPOINT)
            continue;
        by_itself = has_keys && is_of(&e, &relayed->tx.txid);
        err = spv__coverage_learn(coverage, at,
                                  by_itself ? &relayed->grant : &nobody);
    }
    return err;
}

spv_err spv__client_take_relayed(spv_client *c, const spv_relayed *relayed)
{
    size_t length = spv__wallet_element_count(c->wallet);
    bool kept = false;
    spv_err err = SPV_OK;

    if (spv__wallet_unconfirmed_count(c->wallet) >= UNCONFIRMED_MAX)
        return SPV_OK;
    err = spv__wallet_add_unconfirmed(c->wallet, &relayed->tx,
                                      spv__client_unix_time(c), &kept);
    if (err != SPV_OK)
        return err;
    spv__client_follow_log(c);
    err = learn_outpoints(c, length, relayed);
    if (kept)
        spv__wallet_announced(c->wallet, &relayed->tx.txid,
                              (unsigned)relayed->place);
    c->changed |= kept || spv__wallet_element_count(c->wallet) > length;
    return err;
}
