#ifndef SPV_WALLET_ROWS_H
#define SPV_WALLET_ROWS_H

#include "wallet/wallet.h"

/*
 * What a wallet asks to be remembered, as plain values, and how it is built
 * again from them.
 *
 * Elements, scripts and transactions are never taken back, so a change is
 * either a new row or a new state of an old one. Coins and spends are not rows:
 * they follow from the transactions, and so can never disagree with them.
 *
 * Saving:   spv__wallet_changes, write all in one commit, spv__wallet_saved.
 * Loading:  spv__wallet_new, set_gap, watch every descriptor in the same order;
 *           load elements (in order), branches, scripts (by branch, in order);
 *           spv__wallet_derive; load transactions (in any order).
 */

/** A branch's counters. */
typedef struct spv_branch_row {
    size_t branch;
    uint32_t used;
    uint32_t given;
} spv_branch_row;

/** A derived script: kept only because deriving takes longer than reading. */
typedef struct spv_script_row {
    size_t branch;
    uint32_t index;
    size_t reach; /**< this long a prefix of the log covers it and all below */
    const uint8_t *script; /**< borrowed */
    size_t script_len;
} spv_script_row;

/** A transaction and where it stands. Key: txid. */
typedef struct spv_tx_row {
    spv_hash txid;
    spv_tx_state state;
    spv_block_ref block;  /**< height SPV_NO_HEIGHT unless confirmed */
    uint32_t position;    /**< in the block */
    int64_t seen_time;    /**< first seen outside blocks; 0: never */
    const uint8_t *bytes; /**< borrowed */
    size_t len;
} spv_tx_row;

/** What changed since the last spv__wallet_saved. */
typedef struct spv_changes {
    size_t first_element; /**< elements [first_element, first + n) are new; */
    size_t n_elements;    /**< read them with spv__wallet_element */
    spv_script_row *scripts; /**< new ones; owned */
    size_t n_scripts;
    spv_branch_row *branches; /**< changed ones; owned */
    size_t n_branches;
    spv_tx_row *txs; /**< new or changed ones, oldest first; owned */
    size_t n_txs;
} spv_changes;

/** Collect the changes; what they borrow is valid until the wallet changes. */
spv_err spv__wallet_changes(const spv_wallet *w, spv_changes *out);

/** Free the arrays. */
void spv__changes_clear(spv_changes *c);

/** Whether there are any: cheap. */
bool spv__wallet_is_changed(const spv_wallet *w);

/** Height of the lowest block with a coin whose outpoint is not stored;
 * SPV_NO_HEIGHT. After loading there is one only if a key was not watched when
 * its payment was stored. */
int32_t spv__wallet_lowest_unsaved(const spv_wallet *w);

/** All changes up to now are stored. */
void spv__wallet_saved(spv_wallet *w);

/* Each copies what it is given. SPV_DAMAGED for a row that cannot be: a
 * branch that is not watched, a script out of order, a transaction that does
 * not hash to its txid. What was loaded is not a change. */
spv_err spv__wallet_load_element(spv_wallet *w, const spv_element *element);
spv_err spv__wallet_load_branch(spv_wallet *w, const spv_branch_row *row);
spv_err spv__wallet_load_script(spv_wallet *w, const spv_script_row *row);
spv_err spv__wallet_load_tx(spv_wallet *w, const spv_tx_row *row);

#endif
