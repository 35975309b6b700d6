#include "store/chaindb.h"

#include <string.h>

#include "base/bytes.h"
#include "store/sql.h"

/* "hSPV" in ASCII, as a number. */
#define APPLICATION_ID 0x68535056

/*
 * A row a header, 46 to a page of 4,096 bytes: what blobs of many would save
 * is not worth rewriting them. No checksum either: each header holds the hash
 * of the one before it, and the tip's hash stands in `meta`.
 */
static const char *const STEPS[] = {
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value, sum INTEGER)"
    " WITHOUT ROWID;"
    "CREATE TABLE headers (height INTEGER PRIMARY KEY, bytes BLOB);"
    "CREATE TABLE peers (net INTEGER, addr BLOB, port INTEGER,"
    " services INTEGER, flags INTEGER, failures INTEGER, last_seen INTEGER,"
    " last_tried INTEGER, last_success INTEGER, banned_until INTEGER,"
    " sum INTEGER, PRIMARY KEY (net, addr, port)) WITHOUT ROWID;",
};

const spv_db_schema SPV__CHAINDB_SCHEMA = {
    .what = "chain",
    .application_id = APPLICATION_ID,
    .steps = STEPS,
    .version = sizeof(STEPS) / sizeof(*STEPS),
    .check_bytes_max = 0, /* the links between headers are the check */
};

spv_err spv__chaindb_open(spv_db **out, const char *path, spv_path *moved,
                          spv_detail *why)
{
    spv_err err =
        spv__db_open(out, path, &SPV__CHAINDB_SCHEMA, SPV__DB_EITHER, why);

    moved->text[0] = '\0';
    if (err != SPV_DAMAGED)
        return err;
    err = spv__db_move_aside(path, moved, why);
    if (err)
        return err;
    return spv__db_open(out, path, &SPV__CHAINDB_SCHEMA, SPV__DB_CREATE, why);
}

/* ---- The tip ---- */

static const char TIP[] = "tip";

static spv_err put_tip(spv_db *db, int32_t height, const spv_hash *hash)
{
    uint8_t bytes[4 + 32];

    for (size_t i = 0; i < 4; i++)
        bytes[i] = (uint8_t)((uint32_t)height >> 8 * i);
    memcpy(bytes + 4, hash->bytes, sizeof(hash->bytes));
    return spv__db_put_bytes(db, TIP, bytes, sizeof(bytes));
}

spv_err spv__chaindb_get_tip(spv_db *db, int32_t *height, spv_hash *hash)
{
    spv_buf buf = SPV_BUF_EMPTY;
    spv_reader r;
    spv_err err = spv__db_get_bytes(db, TIP, &buf);

    r = spv__reader(buf.bytes, buf.len);
    if (!err) {
        *height = (int32_t)spv__read_u32(&r);
        spv__read_hash(&r, hash);
        if (spv__read_end(&r))
            err = spv__db_damaged(db, "the tip is cut short");
    }
    spv__buf_clear(&buf);
    return err;
}

/* ---- Headers ---- */

typedef struct {
    spv_db *db;
    int32_t height; /**< -1: none */
    spv_hash hash;
} tip;

static spv_err take_tip(void *ctx, const spv_cell *cells)
{
    tip *t = ctx;

    if (cells[1].len != SPV_HEADER_LEN)
        return spv__db_damaged(t->db, "a header is cut short");
    t->height = (int32_t)cells[0].number;
    spv_header_hash(&t->hash, cells[1].bytes);
    return SPV_OK;
}

/** Note in `meta` what the highest header now is. */
static spv_err note_tip(spv_db *db)
{
    static const spv_query query = {
        .sql = "SELECT height, bytes FROM headers ORDER BY height DESC LIMIT 1",
        .columns = "ib",
    };
    tip t = {.db = db, .height = -1};
    spv_err err = spv__sql_each(db, &query, take_tip, &t);

    if (err)
        return err;
    return t.height < 0 ? spv__db_remove(db, TIP)
                        : put_tip(db, t.height, &t.hash);
}

/** Remove what the new headers take the place of; they must leave no hole. */
static spv_err make_room(spv_db *db, int32_t height)
{
    static const char cut[] = "DELETE FROM headers WHERE height >= ?";
    const spv_cell from = spv__cell_int(height);
    int32_t top;
    spv_hash hash;
    spv_err err = spv__chaindb_get_tip(db, &top, &hash);

    if (err == SPV_NOT_FOUND)
        return SPV_OK;
    if (!err && height > top + 1)
        err = SPV_INVAL;
    return err ? err : spv__sql_run(db, cut, &from, 1);
}

static spv_err put_each(spv_db *db, int32_t height, const uint8_t *headers,
                        size_t n)
{
    static const char put[] = "INSERT INTO headers VALUES (?, ?)";
    spv_err err = SPV_OK;

    for (size_t i = 0; i < n && !err; i++) {
        const spv_cell cells[] = {
            spv__cell_int(height + (int64_t)i),
            spv__cell_bytes(headers + i * SPV_HEADER_LEN, SPV_HEADER_LEN),
        };

        err = spv__sql_run(db, put, cells, 2);
    }
    return err;
}

static spv_err replace_from(spv_db *db, int32_t height, const uint8_t *headers,
                            size_t n)
{
    spv_err err = make_room(db, height);

    if (!err)
        err = put_each(db, height, headers, n);
    return err ? err : note_tip(db);
}

spv_err spv__chaindb_put_headers(spv_db *db, int32_t height,
                                 const uint8_t *headers, size_t n)
{
    spv_err err;

    if (spv__db_is_in_transaction(db))
        return replace_from(db, height, headers, n);
    err = spv__db_begin(db);
    if (err)
        return err;
    err = replace_from(db, height, headers, n);
    if (!err)
        return spv__db_commit(db);
    spv__db_rollback(db);
    return err;
}

typedef struct {
    spv_db *db;
    spv_err (*visit)(void *ctx, const spv_row_header *row);
    void *ctx;
    spv_row_header last; /**< bytes NULL before the first */
    uint8_t bytes[SPV_HEADER_LEN];
} header_walk;

static spv_err visit_header(void *ctx, const spv_cell *cells)
{
    header_walk *w = ctx;
    spv_row_header row = {
        .height = (int32_t)cells[0].number,
        .bytes = cells[1].bytes,
    };
    spv_header header;

    if (cells[1].len != SPV_HEADER_LEN)
        return spv__db_damaged(w->db, "a header is cut short");
    spv_header_decode(&header, row.bytes);
    if (w->last.bytes && (row.height != w->last.height + 1 ||
                          !spv_hash_equal(&header.prev, &w->last.hash)))
        return spv__db_damaged(w->db, "a header does not follow the last");
    spv_header_hash(&row.hash, row.bytes);
    memcpy(w->bytes, row.bytes, sizeof(w->bytes));
    w->last = row;
    w->last.bytes = w->bytes;
    return w->visit(w->ctx, &row);
}

/** Whether the walk ended where the notes say that it should. */
static spv_err check_tip(const header_walk *w)
{
    int32_t height;
    spv_hash hash;
    spv_err err = spv__chaindb_get_tip(w->db, &height, &hash);

    if (err == SPV_NOT_FOUND && !w->last.bytes)
        return SPV_OK;
    if (err && err != SPV_NOT_FOUND)
        return err;
    if (err || !w->last.bytes || height != w->last.height ||
        !spv_hash_equal(&hash, &w->last.hash))
        return spv__db_damaged(w->db, "its last header is not the tip");
    return SPV_OK;
}

spv_err spv__chaindb_each_header(spv_db *db,
                                 spv_err (*visit)(void *ctx,
                                                  const spv_row_header *row),
                                 void *ctx)
{
    static const spv_query query = {
        .sql = "SELECT height, bytes FROM headers ORDER BY height",
        .columns = "ib",
    };
    header_walk w = {.db = db, .visit = visit, .ctx = ctx};
    spv_err err = spv__sql_each(db, &query, visit_header, &w);

    return err ? err : check_tip(&w);
}

/* ---- Peers ---- */

spv_err spv__chaindb_put_peer(spv_db *db, const spv_row_peer *row)
{
    static const char sql[] =
        "INSERT OR REPLACE INTO peers VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    const spv_cell cells[] = {
        spv__cell_int(row->addr.net),
        spv__cell_bytes(row->addr.addr, row->addr.len),
        spv__cell_int(row->addr.port),
        spv__cell_int((int64_t)row->services),
        spv__cell_int(row->flags),
        spv__cell_int(row->failures),
        spv__cell_int(row->last_seen),
        spv__cell_int(row->last_tried),
        spv__cell_int(row->last_success),
        spv__cell_int(row->banned_until),
    };

    return spv__sql_put(db, sql, cells, 10);
}

spv_err spv__chaindb_remove_peer(spv_db *db, const spv_netaddr *addr)
{
    static const char sql[] =
        "DELETE FROM peers WHERE net = ? AND addr = ? AND port = ?";
    const spv_cell cells[] = {
        spv__cell_int(addr->net),
        spv__cell_bytes(addr->addr, addr->len),
        spv__cell_int(addr->port),
    };

    return spv__sql_run(db, sql, cells, 3);
}

spv_err spv__chaindb_remove_peers(spv_db *db)
{
    static const char sql[] = "DELETE FROM peers";

    return spv__sql_run(db, sql, NULL, 0);
}

typedef struct {
    spv_db *db;
    spv_err (*visit)(void *ctx, const spv_row_peer *row);
    void *ctx;
} peer_walk;

static spv_err visit_peer(void *ctx, const spv_cell *cells)
{
    const peer_walk *w = ctx;
    spv_row_peer row = {
        .addr = {.net = (uint8_t)cells[0].number,
                 .len = (uint8_t)cells[1].len,
                 .port = (uint16_t)cells[2].number},
        .services = (uint64_t)cells[3].number,
        .flags = (uint32_t)cells[4].number,
        .failures = (uint32_t)cells[5].number,
        .last_seen = cells[6].number,
        .last_tried = cells[7].number,
        .last_success = cells[8].number,
        .banned_until = cells[9].number,
    };

    if (cells[1].len > sizeof(row.addr.addr))
        return spv__db_damaged(w->db, "a peer's address is too long");
    if (cells[1].len)
        memcpy(row.addr.addr, cells[1].bytes, cells[1].len);
    return w->visit(w->ctx, &row);
}

spv_err spv__chaindb_each_peer(
    spv_db *db, spv_err (*visit)(void *ctx, const spv_row_peer *row), void *ctx)
{
    static const spv_query query = {
        .sql = "SELECT * FROM peers ORDER BY last_success DESC, net, addr,"
               " port",
        .columns = "ibiiiiiiii#",
    };
    peer_walk w = {.db = db, .visit = visit, .ctx = ctx};

    return spv__sql_each(db, &query, visit_peer, &w);
}
