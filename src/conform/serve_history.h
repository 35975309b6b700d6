#ifndef SPV_CONFORM_SERVE_HISTORY_H
#define SPV_CONFORM_SERVE_HISTORY_H

#include <stdbool.h>

#include <spv/serve.h>

#include "conform/script_chain.h"

/** A transaction that pays or spends. */
typedef struct spv_serve_tx {
    spv_hash txid;
    int32_t height;
} spv_serve_tx;

/*
 * A chain that pays given scripts, and the book of what it paid.
 *
 * Strangers trade in most blocks. Between them come the acts of
 * serve_history.c, in turn: each is a way in which clients have lost money.
 * Signatures are made up, and strangers' coins have no past: whoever looks
 * through BIP 37 cannot tell, and a full node would refuse every block.
 */
typedef struct spv_serve_history {
    spv_script_chain *chain;
    spv_serve_script *scripts; /* to be paid, then for change; owned */
    size_t n_scripts;
    size_t n_change;       /* the last ones; 0: the first are for change too */
    spv_serve_coin *coins; /* left at the tip */
    size_t n_coins;
    size_t coins_cap;
    bool *concerns; /* by height: it pays or spends */
    size_t n_blocks;
    spv_serve_tx *txs; /* that pay or spend, in the order of the chain */
    size_t n_txs;
    size_t txs_cap;
} spv_serve_history;

/** Make it from the options' scripts and seed. SPV_NOMEM; then empty. */
spv_err spv__serve_history_init(spv_serve_history *h,
                                const spv_serve_options *options);
void spv__serve_history_clear(spv_serve_history *h);

#endif
