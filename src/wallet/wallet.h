#ifndef SPV_WALLET_WALLET_H
#define SPV_WALLET_WALLET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <spv/network.h>
#include <spv/tx.h>
#include <spv/wallet.h>

#include "wallet/descriptor.h"
#include "wallet/elements.h"

/*
 * The wallet: which transactions are ours, and what they leave us with.
 *
 * A machine in memory: no clock, no disk, no secret. It is told of blocks and
 * of unconfirmed transactions, decides by exact comparison what is its own,
 * and says on request what must be stored.
 *
 * A transaction is kept when it pays a watched script, spends a known coin, or
 * competes with a kept one. It is one record however
 * often and in whatever order it comes: a spend may be told before its coin, a
 * block at any height, a known transaction again.
 *
 * Keys beyond the gap window are in the filter early, so that receipts seldom
 * change it. A payment to one of them that is seen is kept, and its outpoint
 * watched like that of any coin; but it is *early*: nothing shows it before the
 * window reaches the key. From then on it is ours, at its own height, with all
 * that spends it. So what is ours is a function of the blocks and the gap, as
 * far as keys were in the filters; further than the window nobody promises
 * that.
 *
 * Workload: applying a transaction costs as much as the transaction is long,
 * however many there are; balances and lists are made on request in one pass.
 *
 * SPV_NOMEM (and SPV_LIMIT, at 2^31 of anything) leaves a wallet that may only
 * be freed. No other error changes anything.
 */
typedef struct spv_wallet spv_wallet;

#define SPV__GAP_DEFAULT       20
#define SPV__GAP_MAX           10000
#define SPV__LOOKAHEAD_DEFAULT 100

/** An empty wallet, owned; NULL without memory. `network` is static. */
spv_wallet *spv__wallet_new(const spv_network *network);

/** Free it and its descriptors; NULL is allowed. */
void spv__wallet_free(spv_wallet *w);

/* ---- What is watched ---- */

/**
 * Gap limit (1 to SPV__GAP_MAX, else SPV_INVAL) and how many keys beyond it
 * enter the log early. Takes effect at the next spv__wallet_derive. A larger
 * gap finds what older blocks paid only when these are applied again.
 */
spv_err spv__wallet_set_gap(spv_wallet *w, uint32_t gap, uint32_t lookahead);

/**
 * Watch one more chain of scripts, called a branch; the first is branch 0.
 *
 * `group` is the caller's number for the text that it came from. `d` is taken
 * over on success. Nothing is derived yet.
 */
spv_err spv__wallet_watch(spv_wallet *w, spv_descriptor *d, size_t group);

/** Derive, up to the lookahead, what has not been. Quick when there is none. */
spv_err spv__wallet_derive(spv_wallet *w);

typedef struct spv_branch {
    const spv_descriptor *descriptor; /**< borrowed */
    size_t group;
    bool change;      /**< the second of <0;1> */
    uint32_t used;    /**< one above the highest index that was paid */
    uint32_t given;   /**< one above the highest index given out */
    uint32_t window;  /**< indices below this count: used + gap, or 1 */
    uint32_t derived; /**< indices below this are in the log */
} spv_branch;

size_t spv__wallet_branch_count(const spv_wallet *w);
void spv__wallet_branch(const spv_wallet *w, size_t branch, spv_branch *out);

/** A watched script; borrowed until the wallet derives again. */
typedef struct spv_watched {
    size_t branch;
    uint32_t index;
    bool used; /**< a transaction paid it */
    const uint8_t *script;
    size_t script_len; /**< 0: BIP 32 has no key at this index */
} spv_watched;

/** SPV_NOT_FOUND when the branch was not derived as far. */
spv_err spv__wallet_watched(const spv_wallet *w, size_t branch, uint32_t index,
                            spv_watched *out);

/** Which branch and index a script is, inside the window; SPV_NOT_FOUND. */
spv_err spv__wallet_find_script(const spv_wallet *w, const uint8_t *script,
                                size_t len, spv_watched *out);

/**
 * The next unused script of a branch to give out; `fresh` asks for one that
 * was not given out before.
 *
 * SPV_LIMIT when it would lie outside the gap window, SPV_INVAL for a branch
 * that is not ranged.
 */
spv_err spv__wallet_give(spv_wallet *w, size_t branch, bool fresh,
                         spv_watched *out);

/* ---- The element log, for the filter plan and the coverage rule ---- */

/** Length of the log. */
size_t spv__wallet_element_count(const spv_wallet *w);

/** The element at `at`; its bytes are borrowed until the log grows. */
void spv__wallet_element(const spv_wallet *w, size_t at, spv_element *out);

/** A filter holding this long a prefix of the log covers every key within
 * the gap windows. */
size_t spv__wallet_needed(const spv_wallet *w);

/**
 * Walk the coins that a filter must hold to settle a block at `height`: those
 * created at or below it that no block is known to spend, early ones too; and
 * what something unconfirmed of ours spends.
 *
 * `*at` starts at the coverage. True: the outpoint at log position `*at` is
 * one; go on with `*at + 1`. Costs the length of the log above the coverage.
 */
bool spv__wallet_next_owed(const spv_wallet *w, int32_t height, size_t *at);

/** Height of the block that created the coin at log position `at`, or
 * SPV_NO_HEIGHT (a key, or not in a block now). */
int32_t spv__wallet_origin(const spv_wallet *w, size_t at);

/** A filter holding this long a prefix of the log covers the key that the coin
 * at log position `at` pays; SIZE_MAX when no coin is there. */
size_t spv__wallet_reach(const spv_wallet *w, size_t at);

/* ---- Blocks and transactions ---- */

/** Where a block stands in the best chain. */
typedef struct spv_block_ref {
    int32_t height;
    spv_hash hash;
    int64_t time; /**< the header's, Unix seconds */
} spv_block_ref;

/** What became of a block's transactions. */
typedef struct spv_applied {
    uint32_t own;   /**< the wallet's, known before or not */
    uint32_t fresh; /**< of these, not known before */
    uint32_t early; /**< kept for keys beyond the gap window */
    uint32_t coins; /**< not known to be of this block, early or not */
    uint32_t false_positives; /**< matched the filter for nothing */
} spv_applied;

/**
 * Before a block is applied: mark the keys it pays as used and derive on, until
 * nothing new is reached. spv__wallet_needed then tells whether the filter it
 * was matched with was enough. Harmless if the block is fetched again.
 */
spv_err spv__wallet_foresee(spv_wallet *w, const spv_tx *txs, size_t n);

/**
 * Apply a block's transactions, in block order, at any height; those of a
 * filtered block, or more of them found later. `position` (their places in
 * the block) may be NULL. `out` is added to, and may be NULL.
 *
 * A kept transaction that competes with one of these becomes conflicted,
 * unless replaced already, and so does what spends its outputs.
 */
spv_err spv__wallet_apply(spv_wallet *w, const spv_block_ref *block,
                          const spv_tx *txs, const uint32_t *position, size_t n,
                          spv_applied *out);

/**
 * Take back the block at `height`: its transactions become unconfirmed, a
 * coinbase conflicted. What they spend enters the log, used keys stay used.
 * SPV_NOMEM.
 */
spv_err spv__wallet_undo(spv_wallet *w, int32_t height);

/**
 * A transaction seen outside blocks at `time` (Unix seconds); `*kept` tells
 * whether it was kept. It replaces unconfirmed ones that spend the same, unless
 * more peers announced those; it is conflicted from the start when a block has
 * spent its inputs.
 */
spv_err spv__wallet_add_unconfirmed(spv_wallet *w, const spv_tx *tx,
                                    int64_t time, bool *kept);

/** Give up on an unconfirmed transaction and what spends its outputs; their
 * coins are free again. SPV_NOT_FOUND, SPV_INVAL unless unconfirmed. */
spv_err spv__wallet_abandon(spv_wallet *w, const spv_hash *txid);

/**
 * Give up on every unconfirmed transaction first seen before `time`: nodes
 * forget them too. Should one be announced again it comes back. Whether there
 * was one.
 */
bool spv__wallet_expire(spv_wallet *w, int64_t time);

/* ---- News ---- */

/** A transaction that stands otherwise than when it was told last. */
typedef struct spv_wallet_news {
    spv_wallet_tx tx; /**< borrowed as in the history */
    bool is_new;      /**< it is told for the first time */
    spv_tx_state before;
} spv_wallet_news;

/** The next one, in the order in which they changed; false when there is none.
 * What was loaded is none. */
bool spv__wallet_next_news(spv_wallet *w, spv_wallet_news *out);

/** Peer number `peer` (under 32) announced a transaction; it counts while that
 * is in no block. What was replaced comes back when as many announced it. */
void spv__wallet_announced(spv_wallet *w, const spv_hash *txid, unsigned peer);

/** What is to be done with an announced transaction. */
typedef enum spv_welcome {
    SPV__WELCOME,
    SPV__WELCOME_NOT,    /**< nothing of ours, or nothing that nodes relay */
    SPV__WELCOME_NO_MORE /**< too much is kept that no block has */
} spv_welcome;

/** Whether what peer number `peer` announced may be kept (quota.c). */
spv_welcome spv__wallet_welcome(const spv_wallet *w, const spv_tx *tx,
                                unsigned peer);

/** Another run begins: nobody has announced anything, and nothing is news. */
void spv__wallet_begin_news(spv_wallet *w);

/* ---- What the wallet shows; `tip` decides about maturity ---- */

void spv__wallet_balance(const spv_wallet *w, int32_t tip, spv_balance *out);

/**
 * Outputs that no block spends, in the order of the history; owned (free), the
 * scripts are borrowed until the wallet changes. Unconfirmed ones come last;
 * one that an unconfirmed transaction spends is there, but not spendable, if
 * it is in a block, so that the list equals the node's own set.
 */
spv_err spv__wallet_coins(const spv_wallet *w, int32_t tip, spv_coin **coins,
                          size_t *n);

/** Transactions, newest last, unconfirmed ones after all others; `*txs` is
 * owned (free), bytes are borrowed until the wallet changes. */
spv_err spv__wallet_history(const spv_wallet *w, spv_wallet_tx **txs,
                            size_t *n);

/** One transaction; SPV_NOT_FOUND. Borrowed as in the history. */
spv_err spv__wallet_tx(const spv_wallet *w, const spv_hash *txid,
                       spv_wallet_tx *out);

/** Kept transactions that spend what `txid` spends; `*txids` is owned (free),
 * NULL for none. SPV_NOT_FOUND. */
spv_err spv__wallet_conflicts(const spv_wallet *w, const spv_hash *txid,
                              spv_hash **txids, size_t *n);

/** Blocks that have kept transactions, ours or not, by height and once for each
 * of these; owned (free). */
spv_err spv__wallet_blocks(const spv_wallet *w, spv_block_ref **blocks,
                           size_t *n);

/** How many transactions the history has. */
size_t spv__wallet_tx_count(const spv_wallet *w);

#endif
