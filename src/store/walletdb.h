#ifndef SPV_STORE_WALLETDB_H
#define SPV_STORE_WALLETDB_H

#include <stdint.h>

#include <spv/hash.h>

#include "store/db.h"

/*
 * A wallet's rows: what it has found, for what it is stands in its card. What
 * can be worked out is not stored: coins, spends and balances follow from the
 * transactions when they are applied again at start. (Scripts could be, but
 * deriving takes longer than reading.) No secret that could spend is in here.
 *
 * All of it is read once, when the wallet is opened, by the `each` functions;
 * from then on the wallet in memory leads and rows are only put. Rows given
 * to a visitor borrow their bytes until it returns; what it returns ends the
 * walk unless it is SPV_OK.
 *
 * Single values (the copy of the card) are kept with spv__db_put_int and
 * _bytes; their names belong to the caller.
 */

/** How many heights below the position keep their hash, to find a fork. */
#define SPV__WALLETDB_BLOCKS 2016

/** How far one chain of addresses has come. Key: branch. */
typedef struct spv_row_branch {
    uint32_t branch; /**< counted through all of the card's descriptors */
    uint32_t used;   /**< one past the highest index seen in a transaction */
    uint32_t given;  /**< one past the highest index given out */
} spv_row_branch;

/** An entry of the element log. Key: seq. */
typedef struct spv_row_element {
    uint32_t seq; /**< place in the log, from 0, without gaps */
    uint32_t kind;
    const uint8_t *bytes;
    size_t len;
} spv_row_element;

/** A derived script. Key: branch and index. */
typedef struct spv_row_script {
    uint32_t branch;
    uint32_t index;
    uint32_t reach; /**< so long a prefix of the log covers it and all below */
    const uint8_t *script;
    size_t len; /**< 0: there is no key at this index */
} spv_row_script;

/** A transaction of the wallet's. Key: txid. */
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

spv_err spv__walletdb_put_branch(spv_db *db, const spv_row_branch *row);
spv_err spv__walletdb_put_script(spv_db *db, const spv_row_script *row);
spv_err spv__walletdb_put_tx(spv_db *db, const spv_row_tx *row);

/** The log only grows: a `seq` that is there already is SPV_EXISTS. */
spv_err spv__walletdb_add_element(spv_db *db, const spv_row_element *row);

spv_err spv__walletdb_remove_tx(spv_db *db, const spv_hash *txid);

/**
 * Move the position to `block`, forwards or back: it becomes the newest block
 * of the list, those above it and those far below it go.
 */
spv_err spv__walletdb_put_position(spv_db *db, const spv_row_block *block);

/** Forget all blocks of the list, and so the position. */
spv_err spv__walletdb_clear_position(spv_db *db);

/** The newest block of the list; SPV_NOT_FOUND when there is none. */
spv_err spv__walletdb_get_position(spv_db *db, spv_row_block *block);

/** By branch. */
spv_err spv__walletdb_each_branch(spv_db *db,
                                  spv_err (*visit)(void *ctx,
                                                   const spv_row_branch *row),
                                  void *ctx);

/** By seq; a gap in it is SPV_DAMAGED. */
spv_err spv__walletdb_each_element(spv_db *db,
                                   spv_err (*visit)(void *ctx,
                                                    const spv_row_element *row),
                                   void *ctx);

/** By branch, then index. */
spv_err spv__walletdb_each_script(spv_db *db,
                                  spv_err (*visit)(void *ctx,
                                                   const spv_row_script *row),
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
