#ifndef SPV_STORE_DB_H
#define SPV_STORE_DB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <spv/err.h>

#include "base/buf.h"
#include "store/detail.h"
#include "store/folder.h"

/*
 * One open SQLite file: the rows of a wallet (walletdb.h) or of the chain
 * (chaindb.h). This header shows no SQLite; handle.h does, to db.c and
 * sql.c alone.
 *
 * Workload: one writer, no readers beside it; hundreds of small rows in a
 * transaction a batch of blocks; everything read once, at start. WAL with
 * synchronous=NORMAL: what is committed survives the death of the process at
 * any moment; a power cut may take the last commits back, whole ones, and
 * never damages the file. spv__db_flush is for what must survive that too.
 *
 * Every row carries a checksum over its columns, because SQLite has none: a
 * flipped bit is SPV_DAMAGED and never a wrong amount.
 *
 * A failure fills the spv_detail given at opening. SPV_DAMAGED at any call
 * means that the file is not to be trusted: free it, spv__db_move_aside, and
 * build it anew. SPV_IO covers a full disk: the transaction is to be rolled
 * back, everything committed before is good.
 */
typedef struct spv_db spv_db;

/** How a kind of file comes into being, and how an old one is brought up. */
typedef struct spv_db_schema {
    const char *what;         /**< "wallet", for messages */
    int32_t application_id;   /**< of SQLite's file header */
    const char *const *steps; /**< steps[v] brings version v to v + 1 */
    int32_t version;          /**< number of steps: what this code knows */
    int64_t check_bytes_max;  /**< files up to this are checked at opening */
} spv_db_schema;

typedef enum spv_db_mode {
    SPV__DB_CREATE, /**< must not be there: SPV_EXISTS */
    SPV__DB_OPEN,   /**< must be there and not empty: SPV_NOT_FOUND */
    SPV__DB_EITHER
} spv_db_mode;

/**
 * Open a file; `*out` is owned, spv__db_free. An older version is migrated,
 * in one transaction. `why` may be NULL and is borrowed until the file is
 * freed.
 *
 * SPV_DAMAGED: not a database, another program's, an empty one in mode OPEN,
 * or one that fails the check. SPV_UNSUPPORTED: written by a newer version
 * of this program. SPV_BUSY, SPV_EXISTS, SPV_NOT_FOUND, SPV_IO, SPV_NOMEM.
 */
spv_err spv__db_open(spv_db **out, const char *path,
                     const spv_db_schema *schema, spv_db_mode mode,
                     spv_detail *why);

/** Close; an open transaction is rolled back. NULL is allowed. */
void spv__db_free(spv_db *db);

/** Begin a transaction; not nested. Without one each call is its own. */
spv_err spv__db_begin(spv_db *db);

/**
 * Commit. The first write that failed in a transaction sticks: later writes
 * do nothing, and commit returns its error, so a caller may put all its rows
 * and ask once. After a failure nothing is stored and the transaction is over.
 */
spv_err spv__db_commit(spv_db *db);

/** Give it up. Allowed when there is none. */
void spv__db_rollback(spv_db *db);

/** Make everything committed survive a power cut. Not in a transaction. */
spv_err spv__db_flush(spv_db *db);

/** Let the file grow no further than `pages` of 4,096 bytes (0: no limit);
 * then writes fail with SPV_IO as on a full disk. */
spv_err spv__db_limit_pages(spv_db *db, uint32_t pages);

/* Both kinds of file have a table of single values, by name.  A value that
 * is not there is SPV_NOT_FOUND, silently; of the other type SPV_DAMAGED. */

spv_err spv__db_put_int(spv_db *db, const char *key, int64_t value);
spv_err spv__db_get_int(spv_db *db, const char *key, int64_t *value);

spv_err spv__db_put_bytes(spv_db *db, const char *key, const void *bytes,
                          size_t len);

/** Append the value to `out`. Text is bytes without a zero. */
spv_err spv__db_get_bytes(spv_db *db, const char *key, spv_buf *out);

/** Remove a value; one that is not there is fine. */
spv_err spv__db_remove(spv_db *db, const char *key);

/**
 * Rename a damaged file (closed before!), with what SQLite keeps beside it,
 * to PATH.damaged-N, N the first free number from 1. The name goes to `to`
 * unless NULL. Nothing is deleted.
 */
spv_err spv__db_move_aside(const char *path, spv_path *to, spv_detail *why);

#endif
