#include "store/db.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/file.h"
#include "store/handle.h"
#include "store/sql.h"

/* ---- What SQLite says, in our words ---- */

static spv_err err_of_rc(int rc)
{
    switch (rc & 0xff) {
    case SQLITE_OK:
        return SPV_OK;
    case SQLITE_NOMEM:
        return SPV_NOMEM;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return SPV_BUSY;
    case SQLITE_TOOBIG:
        return SPV_LIMIT;
    case SQLITE_CONSTRAINT:
        return SPV_EXISTS;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_SCHEMA:
    /* Our own statements are right: one that does not fit the file's tables
     * means that those are not ours any more. */
    case SQLITE_ERROR:
    case SQLITE_MISMATCH:
        return SPV_DAMAGED;
    default: /* FULL, IOERR, CANTOPEN, READONLY, PERM, ...: the disk */
        return SPV_IO;
    }
}

spv_err spv__db_result(spv_db *db, int rc)
{
    spv_err err;

    if (rc == SQLITE_OK)
        return SPV_OK;
    err = err_of_rc(rc);
    spv__detail_set(db->why, "%s%s: %s", db->path.text,
                    err == SPV_DAMAGED ? " is damaged" : "",
                    sqlite3_errmsg(db->sqlite));
    return err;
}

spv_err spv__db_damaged(spv_db *db, const char *what)
{
    spv__detail_set(db->why, "%s is damaged: %s", db->path.text, what);
    return SPV_DAMAGED;
}

spv_err spv__db_exec(spv_db *db, const char *sql)
{
    return spv__db_result(db, sqlite3_exec(db->sqlite, sql, NULL, NULL, NULL));
}

spv_err spv__db_ask(spv_db *db, const char *sql, int64_t *number)
{
    sqlite3_stmt *stmt = NULL;
    int rc = sqlite3_prepare_v2(db->sqlite, sql, -1, &stmt, NULL);

    if (rc == SQLITE_OK)
        rc = sqlite3_step(stmt);
    if (rc == SQLITE_ROW) {
        *number = sqlite3_column_int64(stmt, 0);
        rc = SQLITE_OK;
    } else if (rc == SQLITE_DONE) {
        rc = SQLITE_CORRUPT;
    }
    (void)sqlite3_finalize(stmt);
    return spv__db_result(db, rc);
}

/* ---- Opening ---- */

static const char VERSION_KEY[] = "schema_version";

static spv_err look(const char *path, spv_db_mode mode, spv_detail *why)
{
    bool there = spv__file_exists(path);

    if (there && mode == SPV__DB_CREATE) {
        spv__detail_set(why, "%s exists already", path);
        return SPV_EXISTS;
    }
    if (!there && mode == SPV__DB_OPEN) {
        spv__detail_set(why, "there is no %s", path);
        return SPV_NOT_FOUND;
    }
    return SPV_OK;
}

/** Make the empty file, for its owner only; SQLite would let others read. */
static spv_err touch(const char *path, spv_detail *why)
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

    if (fd < 0) {
        spv__detail_errno(why, "open", path);
        return SPV_IO;
    }
    (void)close(fd);
    return SPV_OK;
}

/*
 * EXCLUSIVE before WAL: no second process, and no -shm file. A megabyte of
 * cache is plenty for rows that are read once; mapped files would count as
 * our memory. What is in the file is not trusted with anything but rows.
 */
static const char SETTINGS[] = "PRAGMA locking_mode = EXCLUSIVE;"
                               "PRAGMA cache_size = -1024;"
                               "PRAGMA mmap_size = 0;"
                               "PRAGMA cell_size_check = ON;"
                               "PRAGMA trusted_schema = OFF;"
                               "PRAGMA synchronous = NORMAL;";

static spv_err connect(spv_db *db)
{
    const int flags =
        SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
    int rc = sqlite3_open_v2(db->path.text, &db->sqlite, flags, NULL);

    if (rc == SQLITE_OK)
        rc = sqlite3_busy_timeout(db->sqlite, 0);
    if (rc == SQLITE_OK)
        rc = sqlite3_db_config(db->sqlite, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    if (rc != SQLITE_OK)
        return spv__db_result(db, rc);
    return spv__db_exec(db, SETTINGS);
}

/** The first answer to a question, as text. */
static spv_err ask_text(spv_db *db, const char *sql, spv_detail *said)
{
    sqlite3_stmt *stmt = NULL;
    const unsigned char *text = NULL;
    spv_err err = SPV_OK;
    int rc = sqlite3_prepare_v2(db->sqlite, sql, -1, &stmt, NULL);

    if (rc == SQLITE_OK)
        rc = sqlite3_step(stmt);
    if (rc == SQLITE_ROW)
        text = sqlite3_column_text(stmt, 0);
    if (text)
        spv__detail_set(said, "%s", (const char *)text);
    else
        err = spv__db_result(db, rc == SQLITE_ROW ? SQLITE_NOMEM : rc);
    (void)sqlite3_finalize(stmt);
    return err;
}

/** Ask for WAL; SQLite says which mode the file is in then, and calls none an
 * error. Reading the file has told it by now whether it will write to it. */
static spv_err use_wal(spv_db *db)
{
    spv_detail mode = {""};
    spv_err err = ask_text(db, "PRAGMA journal_mode = WAL", &mode);

    /* We may write the file, yet SQLite will not: it is of another format. */
    if (sqlite3_db_readonly(db->sqlite, "main") == 1)
        return spv__db_damaged(db, "its format is not one we write");
    if (err || strcmp(mode.text, "wal") == 0)
        return err;
    spv__detail_set(db->why,
                    "%s cannot have a write-ahead log where it lies; put the "
                    "data folder on a local file system",
                    db->path.text);
    return SPV_IO;
}

/** SQLite's own check of the whole file; "ok" is what it says of a good one. */
static spv_err run_check(spv_db *db)
{
    spv_detail said = {""};
    spv_err err = ask_text(db, "PRAGMA integrity_check(1)", &said);

    if (err || strcmp(said.text, "ok") == 0)
        return err;
    return spv__db_damaged(db, said.text);
}

/** Check a file that is small enough for it. */
static spv_err check(spv_db *db)
{
    int64_t pages;
    int64_t page_size;
    spv_err err = spv__db_ask(db, "PRAGMA page_count", &pages);

    if (!err)
        err = spv__db_ask(db, "PRAGMA page_size", &page_size);
    if (err || pages * page_size > db->schema->check_bytes_max)
        return err;
    return run_check(db);
}

/** The version stands a second time among the values, with a checksum: so a
 * flipped bit is not taken for a file from the future, or from the past. */
static spv_err check_version(spv_db *db, int64_t version)
{
    int64_t said;
    spv_err err = spv__db_get_int(db, VERSION_KEY, &said);

    if (err == SPV_NOT_FOUND || (!err && said != version))
        return spv__db_damaged(db, "its version is not what was written");
    if (err || version <= db->schema->version)
        return err;
    spv__detail_set(db->why,
                    "%s was written by a newer version of this program: its "
                    "%s tables have version %lld, this one knows %ld",
                    db->path.text, db->schema->what, (long long)version,
                    (long)db->schema->version);
    return SPV_UNSUPPORTED;
}

/** Bring the tables from `version` to ours, all steps or none. */
static spv_err migrate(spv_db *db, int32_t version)
{
    char pragmas[96];
    spv_err err = SPV_OK;

    if (version == db->schema->version)
        return SPV_OK;
    err = spv__db_begin(db);
    if (err)
        return err;
    for (; version < db->schema->version && !err; version++)
        err = spv__db_exec(db, db->schema->steps[version]);
    (void)snprintf(pragmas, sizeof(pragmas),
                   "PRAGMA application_id = %ld; PRAGMA user_version = %ld;",
                   (long)db->schema->application_id, (long)version);
    if (!err)
        err = spv__db_exec(db, pragmas);
    if (!err)
        err = spv__db_put_int(db, VERSION_KEY, version);
    if (!err)
        return spv__db_commit(db);
    spv__db_rollback(db);
    return err;
}

/** The file was made, and nothing was ever committed to it. */
static spv_err is_empty(spv_db *db)
{
    spv__detail_set(db->why, "there is nothing in %s", db->path.text);
    return SPV_NOT_FOUND;
}

/** Find out whose file this is and which version, and make it ours. */
static spv_err identify(spv_db *db, spv_db_mode mode)
{
    int64_t id;
    int64_t version;
    int64_t tables;
    spv_err err = spv__db_ask(db, "PRAGMA application_id", &id);

    if (!err)
        err = spv__db_ask(db, "PRAGMA user_version", &version);
    if (!err)
        err = spv__db_ask(db, "SELECT count(*) FROM sqlite_master", &tables);
    if (err)
        return err;
    if (id == 0 && version == 0 && tables == 0)
        return mode == SPV__DB_OPEN ? is_empty(db) : migrate(db, 0);
    if (id != db->schema->application_id || version < 1)
        return spv__db_damaged(db, "it is not a file of this kind");
    err = check(db);
    if (!err)
        err = check_version(db, version);
    return err ? err : migrate(db, (int32_t)version);
}

static spv_err open_file(spv_db *db, spv_db_mode mode)
{
    spv_err err = connect(db);

    if (!err)
        err = use_wal(db);
    return err ? err : identify(db, mode);
}

spv_err spv__db_open(spv_db **out, const char *path,
                     const spv_db_schema *schema, spv_db_mode mode,
                     spv_detail *why)
{
    spv_db *db;
    spv_err err = look(path, mode, why);

    *out = NULL;
    if (!err && strlen(path) >= sizeof(db->path.text)) {
        spv__detail_set(why, "the path %s is too long", path);
        err = SPV_LIMIT;
    }
    if (!err)
        err = touch(path, why);
    if (err)
        return err;
    db = calloc(1, sizeof(*db));
    if (!db)
        return SPV_NOMEM;
    db->schema = schema;
    db->why = why;
    memcpy(db->path.text, path, strlen(path) + 1);
    err = open_file(db, mode);
    if (!err) {
        *out = db;
        return SPV_OK;
    }
    spv__db_free(db);
    if (mode == SPV__DB_CREATE)
        (void)unlink(path);
    return err;
}

void spv__db_free(spv_db *db)
{
    if (!db)
        return;
    for (size_t i = 0; i < db->n_statements; i++)
        (void)sqlite3_finalize(db->statements[i].stmt);
    (void)sqlite3_close(db->sqlite);
    free(db);
}

/* ---- Transactions ---- */

bool spv__db_is_in_transaction(const spv_db *db)
{
    return !sqlite3_get_autocommit(db->sqlite);
}

spv_err spv__db_begin(spv_db *db)
{
    assert(!spv__db_is_in_transaction(db));
    return spv__sql_run(db, "BEGIN IMMEDIATE", NULL, 0);
}

spv_err spv__db_commit(spv_db *db)
{
    spv_err err = db->failed;

    /* SQLite gives a transaction up by itself when the disk fails it. */
    if (!err && !spv__db_is_in_transaction(db))
        err = SPV_IO;
    if (!err)
        err = spv__sql_run(db, "COMMIT", NULL, 0);
    if (err)
        spv__db_rollback(db);
    return err;
}

void spv__db_rollback(spv_db *db)
{
    db->failed = SPV_OK;
    if (spv__db_is_in_transaction(db))
        (void)sqlite3_exec(db->sqlite, "ROLLBACK", NULL, NULL, NULL);
}

spv_err spv__db_flush(spv_db *db)
{
    return spv__db_result(db, sqlite3_wal_checkpoint_v2(db->sqlite, NULL,
                                                        SQLITE_CHECKPOINT_FULL,
                                                        NULL, NULL));
}

spv_err spv__db_limit_pages(spv_db *db, uint32_t pages)
{
    char sql[64];

    (void)snprintf(sql, sizeof(sql), "PRAGMA max_page_count = %lu",
                   pages ? (unsigned long)pages : 0xfffffffeUL);
    return spv__db_exec(db, sql);
}

/* ---- Single values ---- */

static spv_err put_value(spv_db *db, const char *key, spv_cell value)
{
    static const char sql[] = "INSERT OR REPLACE INTO meta VALUES (?, ?, ?)";
    const spv_cell cells[] = {spv__cell_text(key), value};

    return spv__sql_put(db, sql, cells, 2);
}

spv_err spv__db_put_int(spv_db *db, const char *key, int64_t value)
{
    return put_value(db, key, spv__cell_int(value));
}

spv_err spv__db_put_bytes(spv_db *db, const char *key, const void *bytes,
                          size_t len)
{
    return put_value(db, key, spv__cell_bytes(bytes, len));
}

spv_err spv__db_remove(spv_db *db, const char *key)
{
    const spv_cell cell = spv__cell_text(key);

    return spv__sql_run(db, "DELETE FROM meta WHERE key = ?", &cell, 1);
}

typedef struct {
    bool found;
    int64_t number;
    spv_buf *bytes;
} found_value;

static spv_err take_value(void *ctx, const spv_cell *cells)
{
    found_value *found = ctx;

    found->found = true;
    found->number = cells[1].number;
    if (!found->bytes)
        return SPV_OK;
    spv__put_bytes(found->bytes, cells[1].bytes, cells[1].len);
    return found->bytes->err;
}

static spv_err get_value(spv_db *db, const char *key, const char *columns,
                         found_value *found)
{
    const spv_cell arg = spv__cell_text(key);
    const spv_query query = {
        .sql = "SELECT key, value, sum FROM meta WHERE key = ?",
        .columns = columns,
        .args = &arg,
        .n_args = 1,
    };
    spv_err err = spv__sql_each(db, &query, take_value, found);

    return err || found->found ? err : SPV_NOT_FOUND;
}

spv_err spv__db_get_int(spv_db *db, const char *key, int64_t *value)
{
    found_value found = {0};
    spv_err err = get_value(db, key, "ti#", &found);

    if (!err)
        *value = found.number;
    return err;
}

spv_err spv__db_get_bytes(spv_db *db, const char *key, spv_buf *out)
{
    found_value found = {.bytes = out};

    return get_value(db, key, "tb#", &found);
}

/* ---- Moving a damaged file aside ---- */

static spv_err name_aside(spv_path *to, const char *path)
{
    for (unsigned i = 1; i < 10000; i++) {
        int n = snprintf(to->text, sizeof(to->text), "%s.damaged-%u", path, i);

        if (n < 0 || (size_t)n >= sizeof(to->text))
            return SPV_LIMIT;
        if (!spv__file_exists(to->text))
            return SPV_OK;
    }
    return SPV_EXISTS;
}

static spv_err move(const char *from, const char *to, const char *suffix,
                    spv_detail *why)
{
    char old[SPV__PATH_MAX + 16];
    char new[SPV__PATH_MAX + 16];

    (void)snprintf(old, sizeof(old), "%s%s", from, suffix);
    (void)snprintf(new, sizeof(new), "%s%s", to, suffix);
    if (rename(old, new) == 0 || (*suffix && errno == ENOENT))
        return SPV_OK;
    spv__detail_errno(why, "move aside", old);
    return SPV_IO;
}

spv_err spv__db_move_aside(const char *path, spv_path *to, spv_detail *why)
{
    spv_path name;
    spv_err err = name_aside(&name, path);

    /* The log first: beside a new file it would be taken for that one's. */
    if (!err)
        err = move(path, name.text, "-wal", why);
    if (!err)
        err = move(path, name.text, "-journal", why);
    if (!err)
        err = move(path, name.text, "", why);
    if (!err && to)
        *to = name;
    return err;
}
