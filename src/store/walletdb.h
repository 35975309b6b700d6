#ifndef SPV_STORE_WALLETDB_H
#define SPV_STORE_WALLETDB_H

#include <stdint.h>

#include <spv/hash.h>

#include "store/db.h"

/*
 * A wallet's rows. What can be worked out is not stored: coins, spends and
 * balances follow from the transactions when they are applied again at start.
 * No secret that could spend is ever in here.
 *
 * All of it is read once, when the wallet is opened, by the `each` functions;
 * from then on the wallet in memory leads and rows are only put. Rows given
 * to a visitor borrow their bytes until it returns; what it returns ends the
 * walk unless it is SPV_OK.
 *
 * Single values (name, type, birthday, gap, filter plan, ...) are kept with
 * spv__db_put_int and _bytes; their names belong to the caller.
 */

/** How many heights below the position keep their hash, to find a fork. */
#define SPV__WALLETDB_BLOCKS 2016

/** A descriptor in its public form, with its checksum. */
typedef struct spv_row_descriptor {
    uint32_t number;  /**< 0, 1, 2, ... in the order they were added */
    int32_t birthday; /**< height from which it is watched */
    const char *text; /**< zero ended */
} spv_row_descriptor;

/** How far one branch of a descriptor has been used and derived. */
typedef struct spv_row_branch {
    uint32_t descriptor;
    uint32_t branch;  /**< which of <0;1>; 0 when there is only one */
    uint32_t next;    /**< index of the next address to give out */
    uint32_t used;    /**< one past the highest index seen in a transaction */
    uint32_t derived; /**< one past the highest index in the element log */
} spv_row_branch;

/** An entry of the element log. */
typedef struct spv_row_element {
    uint32_t seq; /**< place in the log, from 0, without gaps */
    uint32_t kind;
    uint32_t descriptor; /**< these three are 0 when they mean nothing */
    uint32_t branch;
    uint32_t index;
    const uint8_t *bytes;
    size_t len;
} spv_row_element;

/** A transaction of the wallet's. */
typedef struct spv_row_tx {
    spv_hash txid;
    int32_t height;      /**< -1 when in no block */
    spv_hash block_hash; /**< zero when in no block */
    uint32_t block_time; /**< Unix seconds, 0 when in no block */
    uint32_t position;   /**< in its block, as the proof had it */
    uint32_t state;      /**< the caller's number */
    int64_t first_seen;  /**< Unix seconds */
    const uint8_t *raw;
    size_t raw_len;
} spv_row_tx;

/** A block the wallet has been brought up to. */
typedef struct spv_row_block {
    int32_t height;
    spv_hash hash;
} spv_row_block;

extern const spv_db_schema SPV__WALLETDB_SCHEMA;

/** Errors as of spv__db_open. Free with spv__db_free. */
spv_err spv__walletdb_create(spv_db **out, const char *path, spv_detail *why);
spv_err spv__walletdb_open(spv_db **out, const char *path, spv_detail *why);

/* Puts add a row or replace the one with the same key. */

spv_err spv__walletdb_put_descriptor(spv_db *db, const spv_row_descriptor *row);
spv_err spv__walletdb_put_branch(spv_db *db, const spv_row_branch *row);
spv_err spv__walletdb_put_tx(spv_db *db, const spv_row_tx *row);

/** The log only grows: a `seq` that is there already is SPV_EXISTS. */
spv_err spv__walletdb_add_element(spv_db *db, const spv_row_element *row);

spv_err spv__walletdb_remove_tx(spv_db *db, const spv_hash *txid);

/**
 * Move the position to `block`, forwards or back: it becomes the newest block
 * of the list, those above it and those far below it go.
 */
spv_err spv__walletdb_put_position(spv_db *db, const spv_row_block *block);

/** The newest block of the list; SPV_NOT_FOUND before the first put. */
spv_err spv__walletdb_get_position(spv_db *db, spv_row_block *block);

/** By number. */
spv_err spv__walletdb_each_descriptor(
    spv_db *db, spv_err (*visit)(void *ctx, const spv_row_descriptor *row),
    void *ctx);

/** By descriptor, then branch. */
spv_err spv__walletdb_each_branch(spv_db *db,
                                  spv_err (*visit)(void *ctx,
                                                   const spv_row_branch *row),
                                  void *ctx);

/** By seq; a gap in it is SPV_DAMAGED. */
spv_err spv__walletdb_each_element(spv_db *db,
                                   spv_err (*visit)(void *ctx,
                                                    const spv_row_element *row),
                                   void *ctx);

/** By height, position; then those in no block, in the order first put. */
spv_err spv__walletdb_each_tx(
    spv_db *db, spv_err (*visit)(void *ctx, const spv_row_tx *row), void *ctx);

/** The position first, then downwards; heights may be missing. */
spv_err spv__walletdb_each_block(spv_db *db,
                                 spv_err (*visit)(void *ctx,
                                                  const spv_row_block *row),
                                 void *ctx);

#endif
