#include "store/walletdb.h"

#include <string.h>

#include "store/sql.h"

/* "wSPV" in ASCII, as a number. */
#define APPLICATION_ID 0x77535056

/* A wallet of a hundred thousand transactions is still checked whole. */
#define CHECK_BYTES_MAX (INT64_C(64) << 20)

/* Every table ends with the checksum of what stands before it in a row. */
static const char *const STEPS[] = {
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value, sum INTEGER)"
    " WITHOUT ROWID;"
    "CREATE TABLE branches (branch INTEGER PRIMARY KEY, used INTEGER,"
    " given INTEGER, sum INTEGER);"
    "CREATE TABLE elements (seq INTEGER PRIMARY KEY, kind INTEGER,"
    " bytes BLOB, sum INTEGER);"
    "CREATE TABLE scripts (branch INTEGER, idx INTEGER, reach INTEGER,"
    " script BLOB, sum INTEGER, PRIMARY KEY (branch, idx)) WITHOUT ROWID;"
    "CREATE TABLE transactions (seq INTEGER PRIMARY KEY, txid BLOB UNIQUE,"
    " height INTEGER, block_hash BLOB, block_time INTEGER, position INTEGER,"
    " state INTEGER, first_seen INTEGER, raw BLOB, sum INTEGER);"
    "CREATE TABLE blocks (height INTEGER PRIMARY KEY, hash BLOB,"
    " sum INTEGER);",
};

const spv_db_schema SPV__WALLETDB_SCHEMA = {
    .what = "wallet",
    .application_id = APPLICATION_ID,
    .steps = STEPS,
    .version = sizeof(STEPS) / sizeof(*STEPS),
    .check_bytes_max = CHECK_BYTES_MAX,
};

spv_err spv__walletdb_create(spv_db **out, const char *path, spv_detail *why)
{
    return spv__db_open(out, path, &SPV__WALLETDB_SCHEMA, SPV__DB_CREATE, why);
}

spv_err spv__walletdb_open(spv_db **out, const char *path, spv_detail *why)
{
    return spv__db_open(out, path, &SPV__WALLETDB_SCHEMA, SPV__DB_OPEN, why);
}

/** A typed visitor, carried through the untyped walk over cells. */
typedef struct {
    spv_db *db;
    union {
        spv_err (*branch)(void *ctx, const spv_row_branch *row);
        spv_err (*element)(void *ctx, const spv_row_element *row);
        spv_err (*script)(void *ctx, const spv_row_script *row);
        spv_err (*tx)(void *ctx, const spv_row_tx *row);
        spv_err (*block)(void *ctx, const spv_row_block *row);
    } visit;
    void *ctx;
    uint32_t count; /**< rows so far */
} walk;

static spv_cell hash_cell(const spv_hash *hash)
{
    return spv__cell_bytes(hash->bytes, sizeof(hash->bytes));
}

/** False when a cell has no 32 bytes. */
static bool take_hash(spv_hash *out, const spv_cell *cell)
{
    if (cell->len != sizeof(out->bytes))
        return false;
    memcpy(out->bytes, cell->bytes, sizeof(out->bytes));
    return true;
}

/* ---- Branches ---- */

spv_err spv__walletdb_put_branch(spv_db *db, const spv_row_branch *row)
{
    static const char sql[] =
        "INSERT OR REPLACE INTO branches VALUES (?, ?, ?, ?)";
    const spv_cell cells[] = {
        spv__cell_int(row->branch),
        spv__cell_int(row->used),
        spv__cell_int(row->given),
    };

    return spv__sql_put(db, sql, cells, 3);
}

static spv_err visit_branch(void *ctx, const spv_cell *cells)
{
    const walk *w = ctx;
    const spv_row_branch row = {
        .branch = (uint32_t)cells[0].number,
        .used = (uint32_t)cells[1].number,
        .given = (uint32_t)cells[2].number,
    };

    return w->visit.branch(w->ctx, &row);
}

spv_err spv__walletdb_each_branch(spv_db *db,
                                  spv_err (*visit)(void *ctx,
                                                   const spv_row_branch *row),
                                  void *ctx)
{
    static const spv_query query = {
        .sql = "SELECT * FROM branches ORDER BY branch",
        .columns = "iii#",
    };
    walk w = {.visit.branch = visit, .ctx = ctx};

    return spv__sql_each(db, &query, visit_branch, &w);
}

/* ---- Element log ---- */

spv_err spv__walletdb_add_element(spv_db *db, const spv_row_element *row)
{
    static const char sql[] = "INSERT INTO elements VALUES (?, ?, ?, ?)";
    const spv_cell cells[] = {
        spv__cell_int(row->seq),
        spv__cell_int(row->kind),
        spv__cell_bytes(row->bytes, row->len),
    };

    return spv__sql_put(db, sql, cells, 3);
}

static spv_err visit_element(void *ctx, const spv_cell *cells)
{
    walk *w = ctx;
    const spv_row_element row = {
        .seq = (uint32_t)cells[0].number,
        .kind = (uint32_t)cells[1].number,
        .bytes = cells[2].bytes,
        .len = cells[2].len,
    };

    if (row.seq != w->count++)
        return spv__db_damaged(w->db, "the element log has a gap");
    return w->visit.element(w->ctx, &row);
}

spv_err spv__walletdb_each_element(spv_db *db,
                                   spv_err (*visit)(void *ctx,
                                                    const spv_row_element *row),
                                   void *ctx)
{
    static const spv_query query = {
        .sql = "SELECT * FROM elements ORDER BY seq",
        .columns = "iib#",
    };
    walk w = {.db = db, .visit.element = visit, .ctx = ctx};

    return spv__sql_each(db, &query, visit_element, &w);
}

/* ---- Scripts ---- */

spv_err spv__walletdb_put_script(spv_db *db, const spv_row_script *row)
{
    static const char sql[] =
        "INSERT OR REPLACE INTO scripts VALUES (?, ?, ?, ?, ?)";
    const spv_cell cells[] = {
        spv__cell_int(row->branch),
        spv__cell_int(row->index),
        spv__cell_int(row->reach),
        spv__cell_bytes(row->script, row->len),
    };

    return spv__sql_put(db, sql, cells, 4);
}

static spv_err visit_script(void *ctx, const spv_cell *cells)
{
    const walk *w = ctx;
    const spv_row_script row = {
        .branch = (uint32_t)cells[0].number,
        .index = (uint32_t)cells[1].number,
        .reach = (uint32_t)cells[2].number,
        .script = cells[3].bytes,
        .len = cells[3].len,
    };

    return w->visit.script(w->ctx, &row);
}

spv_err spv__walletdb_each_script(spv_db *db,
                                  spv_err (*visit)(void *ctx,
                                                   const spv_row_script *row),
                                  void *ctx)
{
    static const spv_query query = {
        .sql = "SELECT * FROM scripts ORDER BY branch, idx",
        .columns = "iiib#",
    };
    walk w = {.visit.script = visit, .ctx = ctx};

    return spv__sql_each(db, &query, visit_script, &w);
}

/* ---- Transactions ---- */

spv_err spv__walletdb_put_tx(spv_db *db, const spv_row_tx *row)
{
    /* Keeps the row's place (seq) in the order of first puts. */
    static const char sql[] =
        "INSERT INTO transactions (txid, height, block_hash, block_time,"
        " position, state, first_seen, raw, sum)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (txid) DO UPDATE SET height = excluded.height,"
        " block_hash = excluded.block_hash, block_time = excluded.block_time,"
        " position = excluded.position, state = excluded.state,"
        " first_seen = excluded.first_seen, raw = excluded.raw,"
        " sum = excluded.sum";
    const spv_cell cells[] = {
        hash_cell(&row->txid),          spv__cell_int(row->height),
        hash_cell(&row->block_hash),    spv__cell_int(row->block_time),
        spv__cell_int(row->position),   spv__cell_int(row->state),
        spv__cell_int(row->first_seen), spv__cell_bytes(row->raw, row->raw_len),
    };

    return spv__sql_put(db, sql, cells, 8);
}

spv_err spv__walletdb_remove_tx(spv_db *db, const spv_hash *txid)
{
    static const char sql[] = "DELETE FROM transactions WHERE txid = ?";
    const spv_cell cell = hash_cell(txid);

    return spv__sql_run(db, sql, &cell, 1);
}

static spv_err visit_tx(void *ctx, const spv_cell *cells)
{
    const walk *w = ctx;
    spv_row_tx row = {
        .height = (int32_t)cells[1].number,
        .block_time = (uint32_t)cells[3].number,
        .position = (uint32_t)cells[4].number,
        .state = (uint32_t)cells[5].number,
        .first_seen = cells[6].number,
        .raw = cells[7].bytes,
        .raw_len = cells[7].len,
    };

    if (!take_hash(&row.txid, &cells[0]) ||
        !take_hash(&row.block_hash, &cells[2]))
        return spv__db_damaged(w->db, "a transaction's hash is too short");
    return w->visit.tx(w->ctx, &row);
}

spv_err spv__walletdb_each_tx(
    spv_db *db, spv_err (*visit)(void *ctx, const spv_row_tx *row), void *ctx)
{
    static const spv_query query = {
        .sql = "SELECT txid, height, block_hash, block_time, position, state,"
               " first_seen, raw, sum FROM transactions"
               " ORDER BY height < 0, height, position, seq",
        .columns = "bibiiiib#",
    };
    walk w = {.db = db, .visit.tx = visit, .ctx = ctx};

    return spv__sql_each(db, &query, visit_tx, &w);
}

/* ---- Blocks and the position ---- */

spv_err spv__walletdb_put_position(spv_db *db, const spv_row_block *block)
{
    static const char trim[] =
        "DELETE FROM blocks WHERE height > ? OR height < ?";
    static const char put[] = "INSERT OR REPLACE INTO blocks VALUES (?, ?, ?)";
    const spv_cell bounds[] = {
        spv__cell_int(block->height),
        spv__cell_int((int64_t)block->height - SPV__WALLETDB_BLOCKS),
    };
    const spv_cell cells[] = {
        spv__cell_int(block->height),
        hash_cell(&block->hash),
    };
    spv_err err = spv__sql_put(db, put, cells, 2);

    return err ? err : spv__sql_run(db, trim, bounds, 2);
}

spv_err spv__walletdb_clear_position(spv_db *db)
{
    return spv__sql_run(db, "DELETE FROM blocks", NULL, 0);
}

static spv_err visit_block(void *ctx, const spv_cell *cells)
{
    const walk *w = ctx;
    spv_row_block row = {.height = (int32_t)cells[0].number};

    if (!take_hash(&row.hash, &cells[1]))
        return spv__db_damaged(w->db, "a block's hash is too short");
    return w->visit.block(w->ctx, &row);
}

spv_err spv__walletdb_each_block(spv_db *db,
                                 spv_err (*visit)(void *ctx,
                                                  const spv_row_block *row),
                                 void *ctx)
{
    static const spv_query query = {
        .sql = "SELECT * FROM blocks ORDER BY height DESC",
        .columns = "ib#",
    };
    walk w = {.db = db, .visit.block = visit, .ctx = ctx};

    return spv__sql_each(db, &query, visit_block, &w);
}

static spv_err take_block(void *ctx, const spv_row_block *row)
{
    *(spv_row_block *)ctx = *row;
    return SPV_OK;
}

spv_err spv__walletdb_get_position(spv_db *db, spv_row_block *block)
{
    static const spv_query query = {
        .sql = "SELECT * FROM blocks ORDER BY height DESC LIMIT 1",
        .columns = "ib#",
    };
    spv_row_block found = {.height = -1};
    walk w = {.db = db, .visit.block = take_block, .ctx = &found};
    spv_err err = spv__sql_each(db, &query, visit_block, &w);

    if (!err && found.height < 0)
        return SPV_NOT_FOUND;
    if (!err)
        *block = found;
    return err;
}
