#ifndef SPV_STORE_SQL_H
#define SPV_STORE_SQL_H

#include <stddef.h>
#include <stdint.h>

#include <spv/err.h>

#include "store/db.h"

/*
 * Statements over rows of cells, for the files of this room that know tables.
 *
 * A statement is prepared the first time its text is used and kept; it is
 * known by the address of its text, so that must be a constant. A row is
 * written with a checksum behind its cells and read only if that is right.
 *
 * A failed write sticks until the transaction ends: later writes do nothing
 * and return the same, and so does the commit, which rolls back.
 */
typedef struct spv_cell {
    char type;      /**< 'i' number, 'b' bytes, 't' text: bytes in SQLite's eyes
                         that people can read */
    int64_t number; /**< of an 'i' */
    const void
        *bytes; /**< of the others; text ends with a zero too when read */
    size_t len;
} spv_cell;

/** Most cells of a row, its checksum not counted. */
#define SPV__CELLS_MAX 12

spv_cell spv__cell_int(int64_t number);
spv_cell spv__cell_bytes(const void *bytes, size_t len);
spv_cell spv__cell_text(const char *text);

/** A row going in: ?1 to ?n are the cells, ?n+1 the checksum. */
spv_err spv__sql_put(spv_db *db, const char *sql, const spv_cell *cells,
                     size_t n);

/** Any other statement that yields no rows: ?1 to ?n are the cells. */
spv_err spv__sql_run(spv_db *db, const char *sql, const spv_cell *cells,
                     size_t n);

/** A question, and the rows it answers with. */
typedef struct spv_query {
    const char *sql;
    const char *columns; /**< a type each; '#' at the end is the checksum */
    const spv_cell *args;
    size_t n_args;
} spv_query;

/** Visit every row; the cells are borrowed until the visitor returns. What it
 * returns ends the walk unless it is SPV_OK. SPV_DAMAGED, SPV_IO, SPV_NOMEM. */
spv_err spv__sql_each(spv_db *db, const spv_query *query,
                      spv_err (*visit)(void *ctx, const spv_cell *cells),
                      void *ctx);

/** Say why the file cannot be trusted; returns SPV_DAMAGED. */
spv_err spv__db_damaged(spv_db *db, const char *what);

/** Whether a transaction is open. */
bool spv__db_is_in_transaction(const spv_db *db);

#endif
