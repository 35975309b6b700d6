#ifndef SPV_WALLET_LEDGER_H
#define SPV_WALLET_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <spv/tx.h>
#include <spv/wallet.h>

#include "wallet/table.h"
#include "wallet/wallet.h"

/*
 * The ledger: kept transactions, the outpoints they meet at, and our coins.
 *
 * Every outpoint that a kept transaction spends, and every coin of ours, has
 * one *spot*. It knows the coin, if it is ours, and every kept transaction
 * that spends it, whether or not the coin was known at the time. So the order
 * in which transactions are told does not matter, and two that compete meet
 * without being looked for.
 *
 * Everything is numbered and nothing is ever removed. What changes is where an
 * entry *stands* (its state): spv__ledger_confirm and its neighbours, in
 * standing.c, which cannot fail. A coin is there when its entry is *live*, and
 * spent when a live entry spends it: nothing else is recorded.
 */

#define SPV__LEDGER_NONE SPV__TABLE_NONE

/** How an entry stood when somebody was told of it last. */
typedef struct spv_told {
    bool ever;
    spv_tx_state state;
    spv_hash block;
    uint32_t announcers;
} spv_told;

/** A kept transaction. */
typedef struct spv_entry {
    spv_hash txid;
    uint8_t *bytes; /* owned */
    uint32_t len;
    spv_tx_state state;
    spv_block_ref block; /* height SPV_NO_HEIGHT unless confirmed */
    uint32_t position;   /* in the block */
    int64_t seen_time;   /* first seen outside blocks; 0: never */
    int64_t value;       /* of all outputs */
    uint32_t n_in;       /* 0 for a coinbase: it spends nothing */
    uint32_t n_out;
    uint32_t first_spend; /* its n_in spends, in input order */
    uint32_t first_coin;  /* its coins, linked */
    bool is_coinbase;
    bool is_own;     /* pays or spends a coin of ours; if not, it competes, or
                        may turn out to */
    bool is_changed; /* since the last save */
    bool is_news;    /* listed as such */
    spv_told told;
    uint32_t announcers; /* peers of this run that announced it, a bit each */
} spv_entry;

typedef struct spv_spot {
    spv_outpoint outpoint;
    uint32_t coin;  /* ours, now or once it is not early; or none */
    uint32_t spend; /* first of those that spend it, or none */
} spv_spot;

typedef struct spv_spend {
    uint32_t spot;
    uint32_t entry;
    uint32_t next; /* at the same spot */
} spv_spend;

/** An output of a kept transaction that pays a watched script. One beyond the
 * gap window is early: nothing shows it, but a filter must hold it all the
 * same, so that its spend is known when the window reaches it. */
typedef struct spv_ledger_coin {
    int64_t value;
    uint32_t spot;
    uint32_t entry;
    uint32_t script; /* number in the watched set */
    uint32_t next;   /* of the same entry */
    bool is_early;
} spv_ledger_coin;

typedef struct spv_ledger {
    spv_entry *entry;
    uint32_t n_entries;
    uint32_t cap_entries;
    uint32_t n_own;
    spv_spot *spot;
    uint32_t n_spots;
    uint32_t cap_spots;
    spv_spend *spend;
    uint32_t n_spends;
    uint32_t cap_spends;
    spv_ledger_coin *coin;
    uint32_t n_coins;
    uint32_t cap_coins;
    spv_table entries; /* by txid */
    spv_table spots;   /* by outpoint */
    uint32_t *changed; /* entries since the last save; room for all */
    uint32_t n_changed;
    uint32_t cap_changed;
    uint32_t *news; /* entries touched since they were told; room for all */
    uint32_t n_news;
    uint32_t told_news; /* of these, how many were looked at */
    uint32_t cap_news;
    uint32_t *work; /* entries whose neighbours are to be looked at */
    uint32_t n_work;
    uint32_t cap_work;
} spv_ledger;

void spv__ledger_clear(spv_ledger *l);

/* ---- Records ---- */

/** Entry with this txid, or SPV__LEDGER_NONE. */
uint32_t spv__ledger_find(const spv_ledger *l, const spv_hash *txid);

/** Spot at this outpoint, or SPV__LEDGER_NONE. */
uint32_t spv__ledger_find_spot(const spv_ledger *l,
                               const spv_outpoint *outpoint);

/** Add a transaction that is not known, as unconfirmed, copying its bytes;
 * whatever it competes with is left alone. Its values must be valid. */
spv_err spv__ledger_insert(spv_ledger *l, const spv_tx *tx, uint32_t *entry);

/** Note a coin whose `value`, `entry`, `script` and `is_early` are set: output
 * `vout` of the entry; unless it is known. */
spv_err spv__ledger_add_coin(spv_ledger *l, const spv_ledger_coin *coin,
                             uint32_t vout);

/** A coin is early no longer: it is ours, and so is what spends it. */
void spv__ledger_open_coin(spv_ledger *l, uint32_t coin);

/** Coin of ours that input `i` of an entry spends, or SPV__LEDGER_NONE. */
uint32_t spv__ledger_input_coin(const spv_ledger *l, const spv_entry *e,
                                uint32_t i);

/** How many peers announced it (news.c). */
uint32_t spv__entry_seen_by(const spv_entry *e);

/** Whether it is in a block, or may still come into one. */
bool spv__entry_is_live(const spv_entry *e);

/** The live entry that spends a spot, one in a block first; NULL if none. */
const spv_entry *spv__ledger_spender(const spv_ledger *l, uint32_t spot);

/** Remember that there may be something to tell of an entry (news.c). */
void spv__ledger_note(spv_ledger *l, uint32_t entry);

/** The same, and that it must be stored. */
void spv__ledger_touch(spv_ledger *l, uint32_t entry);

/* ---- Where entries stand (standing.c) ---- */

/** The entry is in a block. What competes with it becomes conflicted. */
void spv__ledger_confirm(spv_ledger *l, uint32_t entry,
                         const spv_block_ref *block, uint32_t position);

/** A new entry was seen outside blocks: it replaces what it competes with,
 * unless more peers announced that, or is conflicted. `is_new` is false for one
 * that was known: it stays as it is, or comes back when nothing stands against
 * it. */
void spv__ledger_arrive(spv_ledger *l, uint32_t entry, bool is_new,
                        int64_t time);

/** One more peer announced an entry. If it was replaced, by what no more peers
 * announced, it replaces that. */
void spv__ledger_weigh(spv_ledger *l, uint32_t entry);

/** Give up on unconfirmed entries first seen before `time`; are there any? */
bool spv__ledger_expire(spv_ledger *l, int64_t time);

/** The block at this height is gone. */
void spv__ledger_undo(spv_ledger *l, int32_t height);

/** Give up on an unconfirmed entry and what spends its outputs. */
void spv__ledger_abandon(spv_ledger *l, uint32_t entry);

#endif
