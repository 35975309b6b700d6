#include "store/sql.h"

#include <assert.h>
#include <string.h>

#include "base/digest.h"
#include "store/handle.h"

spv_cell spv__cell_int(int64_t number)
{
    return (spv_cell){.type = 'i', .number = number};
}

spv_cell spv__cell_bytes(const void *bytes, size_t len)
{
    return (spv_cell){.type = 'b', .bytes = bytes, .len = len};
}

spv_cell spv__cell_text(const char *text)
{
    return (spv_cell){.type = 't', .bytes = text, .len = strlen(text)};
}

/* ---- Checksum ---- */

/** What stands before a cell's bytes in the sum: its type, and its number or
 * length, so that no two different rows run together into the same bytes. */
typedef struct {
    uint8_t bytes[9];
} cell_head;

static cell_head head_of(const spv_cell *cell)
{
    uint64_t v = cell->type == 'i' ? (uint64_t)cell->number : cell->len;
    cell_head head = {{(uint8_t)cell->type}};

    for (size_t i = 1; i < sizeof(head.bytes); i++, v >>= 8)
        head.bytes[i] = (uint8_t)v;
    return head;
}

/** Eight bytes of a SHA-256d. It finds accidents; it is no signature. */
static int64_t sum_of(const spv_cell *cells, size_t n)
{
    cell_head heads[SPV__CELLS_MAX];
    spv_slice slices[2 * SPV__CELLS_MAX];
    spv_hash hash;
    int64_t sum;

    for (size_t i = 0; i < n; i++) {
        heads[i] = head_of(&cells[i]);
        slices[2 * i] = (spv_slice){heads[i].bytes, sizeof(heads[i].bytes)};
        slices[2 * i + 1] = (spv_slice){cells[i].bytes, cells[i].len};
    }
    spv__sha256d_slices(&hash, slices, 2 * n);
    sum = hash.bytes[7] & 0x7f;
    for (size_t i = 7; i-- > 0;)
        sum = sum << 8 | hash.bytes[i];
    return sum;
}

/* ---- Statements ---- */

static spv_err find_statement(spv_db *db, const char *sql, sqlite3_stmt **out)
{
    spv_statement *s = db->statements;
    spv_statement *end = s + db->n_statements;
    spv_err err;

    while (s < end && s->sql != sql)
        s++;
    if (s == end) {
        assert(db->n_statements < SPV__STATEMENTS_MAX);
        err = spv__db_result(db, sqlite3_prepare_v3(db->sqlite, sql, -1,
                                                    SQLITE_PREPARE_PERSISTENT,
                                                    &s->stmt, NULL));
        if (err)
            return err;
        s->sql = sql;
        db->n_statements++;
    }
    *out = s->stmt;
    return SPV_OK;
}

static int bind_cell(sqlite3_stmt *stmt, int at, const spv_cell *cell)
{
    const void *bytes = cell->len ? cell->bytes : "";

    switch (cell->type) {
    case 'i':
        return sqlite3_bind_int64(stmt, at, cell->number);
    case 't':
        return sqlite3_bind_text64(stmt, at, bytes, cell->len, SQLITE_STATIC,
                                   SQLITE_UTF8);
    default:
        return sqlite3_bind_blob64(stmt, at, bytes, cell->len, SQLITE_STATIC);
    }
}

static spv_err bind_cells(spv_db *db, sqlite3_stmt *stmt, const spv_cell *cells,
                          size_t n)
{
    int rc = SQLITE_OK;

    for (size_t i = 0; i < n && rc == SQLITE_OK; i++)
        rc = bind_cell(stmt, (int)i + 1, &cells[i]);
    return spv__db_result(db, rc);
}

/** Leave nothing behind: no read in progress, no pointer to a caller's bytes.
 */
static void finish(sqlite3_stmt *stmt)
{
    (void)sqlite3_reset(stmt);
    (void)sqlite3_clear_bindings(stmt);
}

/* ---- Writing ---- */

static spv_err execute(spv_db *db, const char *sql, const spv_cell *cells,
                       size_t n, const int64_t *sum)
{
    sqlite3_stmt *stmt;
    spv_err err = find_statement(db, sql, &stmt);
    int rc;

    if (err)
        return err;
    err = bind_cells(db, stmt, cells, n);
    if (!err && sum)
        err = spv__db_result(db, sqlite3_bind_int64(stmt, (int)n + 1, *sum));
    if (!err) {
        rc = sqlite3_step(stmt);
        err = spv__db_result(db, rc == SQLITE_DONE ? SQLITE_OK : rc);
    }
    finish(stmt);
    return err;
}

static spv_err write_row(spv_db *db, const char *sql, const spv_cell *cells,
                         size_t n, const int64_t *sum)
{
    spv_err err = db->failed;

    if (err)
        return err;
    /* A statement that fails in SQLite may take its whole transaction with
     * it; what follows must not then commit by itself. */
    bool in_transaction = spv__db_is_in_transaction(db);
    err = execute(db, sql, cells, n, sum);
    if (err && in_transaction)
        db->failed = err;
    return err;
}

spv_err spv__sql_put(spv_db *db, const char *sql, const spv_cell *cells,
                     size_t n)
{
    int64_t sum;

    assert(n <= SPV__CELLS_MAX);
    sum = sum_of(cells, n);
    return write_row(db, sql, cells, n, &sum);
}

spv_err spv__sql_run(spv_db *db, const char *sql, const spv_cell *cells,
                     size_t n)
{
    return write_row(db, sql, cells, n, NULL);
}

/* ---- Reading ---- */

static int sqlite_type(char type)
{
    switch (type) {
    case 'i':
        return SQLITE_INTEGER;
    case 't':
        return SQLITE_TEXT;
    default:
        return SQLITE_BLOB;
    }
}

/** False when the column is of another type than it was written with. */
static bool read_cell(spv_cell *out, sqlite3_stmt *stmt, int at, char type)
{
    *out = (spv_cell){.type = type};
    if (sqlite3_column_type(stmt, at) != sqlite_type(type))
        return false;
    if (type == 'i') {
        out->number = sqlite3_column_int64(stmt, at);
        return true;
    }
    out->bytes = type == 't' ? (const void *)sqlite3_column_text(stmt, at)
                             : sqlite3_column_blob(stmt, at);
    out->len = (size_t)sqlite3_column_bytes(stmt, at);
    return out->bytes || !out->len;
}

/** Read the row at hand; SPV_DAMAGED unless it is as it was written. */
static spv_err read_row(spv_db *db, sqlite3_stmt *stmt, const char *columns,
                        spv_cell *cells)
{
    size_t n = strcspn(columns, "#");
    bool ok = true;

    assert(n <= SPV__CELLS_MAX);
    for (size_t i = 0; i < n && ok; i++)
        ok = read_cell(&cells[i], stmt, (int)i, columns[i]);
    if (ok && columns[n] == '#')
        ok = sqlite3_column_int64(stmt, (int)n) == sum_of(cells, n);
    if (ok)
        return SPV_OK;
    /* A failed allocation makes a column NULL too. */
    if (sqlite3_errcode(db->sqlite) == SQLITE_NOMEM)
        return SPV_NOMEM;
    return spv__db_damaged(db, "a row is not as it was written");
}

spv_err spv__sql_each(spv_db *db, const spv_query *query,
                      spv_err (*visit)(void *ctx, const spv_cell *cells),
                      void *ctx)
{
    spv_cell cells[SPV__CELLS_MAX];
    sqlite3_stmt *stmt;
    spv_err err = find_statement(db, query->sql, &stmt);
    int rc = SQLITE_DONE;

    if (err)
        return err;
    err = bind_cells(db, stmt, query->args, query->n_args);
    while (!err && (rc = sqlite3_step(stmt)) == SQLITE_ROW) {
        err = read_row(db, stmt, query->columns, cells);
        if (!err)
            err = visit(ctx, cells);
    }
    if (!err && rc != SQLITE_DONE)
        err = spv__db_result(db, rc);
    finish(stmt);
    return err;
}
