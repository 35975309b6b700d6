#ifndef SPV_WALLET_PARTS_H
#define SPV_WALLET_PARTS_H

#include "wallet/elements.h"
#include "wallet/ledger.h"
#include "wallet/wallet.h"
#include "wallet/watch.h"

/* What a wallet is made of; for wallet.c, views.c and rows.c only. */

struct spv_wallet {
    const spv_network *network;
    spv_watch watch;
    spv_elements log;
    spv_ledger ledger;
    uint32_t *early; /* coins beyond the windows */
    uint32_t n_early;
    uint32_t cap_early;
    uint32_t n_guards; /* foreign outpoints in the log, since it was opened */
    uint32_t saved_elements; /* stored already: elements below this */
    uint32_t saved_scripts;
};

/** Foreign outpoints that one transaction brings into the log, at most. */
enum { SPV__GUARDS_OF_ONE = 16 };

/** Whether a transaction is ours, as far as is known now. */
typedef enum spv_interest {
    SPV__INTEREST_NONE,
    SPV__INTEREST_RIVAL, /* spends what a kept transaction spends */
    SPV__INTEREST_EARLY, /* pays a key beyond the window, or spends its coin */
    SPV__INTEREST_OWN
} spv_interest;

spv_interest spv__wallet_interest(const spv_wallet *w, const spv_tx *tx);

/** Keep a transaction: one record however often it comes, with all coins that
 * the windows hold now. `*is_new` tells whether it was not known. */
spv_err spv__wallet_keep(spv_wallet *w, const spv_tx *tx, uint32_t *entry,
                         bool *is_new);

#endif
