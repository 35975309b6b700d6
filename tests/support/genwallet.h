#ifndef SUPPORT_GENWALLET_H
#define SUPPORT_GENWALLET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <spv/hash.h>
#include <spv/tx.h>

#include "support/draft.h"

/*
 * The generator's own wallet: keys that sign, and a plain book of what is true.
 *
 * It shares key derivation and signatures with the wallet under test, which a
 * real node checks, but not a line of its bookkeeping.
 */
typedef enum genwallet_type {
    GENWALLET_PKH,
    GENWALLET_WPKH,
    GENWALLET_SH_WPKH,
    GENWALLET_TR
} genwallet_type;

/** Where a key is: branch 0 receives, 1 takes change. */
typedef struct genwallet_key {
    uint32_t branch;
    uint32_t index;
} genwallet_key;

typedef struct genwallet_coin {
    spv_outpoint at;
    draft_out out;
    genwallet_key key;
    int32_t height;
    bool coinbase;
    bool spent;
    spv_hash spender; /* if it is spent */
    bool is_sure;     /* see genwallet_mark_sure */
} genwallet_coin;

typedef struct genwallet_tx {
    spv_hash txid;
    int32_t height;
    size_t position; /* in its block */
    int64_t net;     /* satoshi: what it brought us, less what it took */
    int64_t fee;     /* -1 unless every input is ours */
    size_t parts;    /* outputs and inputs of ours */
} genwallet_tx;

typedef struct genwallet_balance {
    int64_t confirmed; /* spendable in the next block */
    int64_t immature;  /* coinbases under 100 deep */
} genwallet_balance;

typedef struct genwallet genwallet;

/** Name as in --type, and back; false when it is none. */
const char *genwallet_type_name(genwallet_type type);
bool genwallet_type_find(genwallet_type *out, const char *name);

/** Account 0 of a mnemonic on regtest, owned. */
genwallet *genwallet_new(const char *mnemonic, genwallet_type type);
void genwallet_free(genwallet *w);

/** Output script of a key, with `value`. */
draft_out genwallet_out(const genwallet *w, genwallet_key key, int64_t value);

/** The first key of a branch that nobody has paid yet; later ones may have
 * been paid before it. */
genwallet_key genwallet_fresh(const genwallet *w, uint32_t branch);

/** A key of branch 0 that was paid before, or the first. */
genwallet_key genwallet_used(const genwallet *w, spv_rng *r);

/** A coin that a block at `height` may spend; with `fresh` only one that the
 * same block created. NULL when there is none. */
const genwallet_coin *genwallet_pick(const genwallet *w, spv_rng *r,
                                     int32_t height, bool fresh);

/** The newest coin that a block at `height` may spend, or NULL. */
const genwallet_coin *genwallet_newest(const genwallet *w, int32_t height);

/** Add our coin to a draft, to be signed by genwallet_sign. */
void genwallet_spend(draft *d, const genwallet_coin *coin);

/** Sign every input that is ours. */
void genwallet_sign(const genwallet *w, draft *d);

/** Write a transaction of block `height` into the book, if it concerns us. */
void genwallet_record(genwallet *w, const draft *d, const spv_hash *txid,
                      int32_t height, size_t position);

/**
 * From now on keys of a branch at or above `window` are not ours, nor what was
 * paid to them: that is what a wallet knows whose window ends there. At first
 * all are.
 */
void genwallet_set_window(genwallet *w, uint32_t branch, uint32_t window);
bool genwallet_is_open(const genwallet *w, const genwallet_coin *coin);

/** Where the window of a wallet ends that sees every payment. */
uint32_t genwallet_window(genwallet *w, uint32_t branch, uint32_t gap);

/** Mark the coins that lie within a window of `gap` after their own block,
 * whether or not those beyond it are seen. */
void genwallet_mark_sure(genwallet *w, uint32_t gap);

/* The book. Coins include spent ones and those beyond the window, which the
 * rest leaves out; history is oldest first, borrowed until asked for again. */
const genwallet_coin *genwallet_coins(const genwallet *w, size_t *n);
const genwallet_tx *genwallet_history(genwallet *w, size_t *n);
genwallet_balance genwallet_balance_at(const genwallet *w, int32_t tip);

#endif
