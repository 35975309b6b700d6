#include "store_scratch.h"

#include <signal.h>
#include <sys/wait.h>

#include "store/sql.h"

/* A little schema of our own, in three ages. */
#define STEP_1                                                     \
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value, sum INTEGER)" \
    " WITHOUT ROWID;"                                              \
    "CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT, sum INTEGER);"
#define STEP_2 "CREATE INDEX by_name ON things (name);"

static const char *const STEPS[] = {
    STEP_1,
    STEP_2,
    "CREATE TABLE more (id INTEGER PRIMARY KEY);",
};
static const char *const BROKEN_STEPS[] = {
    STEP_1,
    STEP_2,
    "CREATE TABLE things (x);",
};

static const spv_db_schema OLD = {"test", 4711, STEPS, 1, 1 << 20};
static const spv_db_schema NEW = {"test", 4711, STEPS, 3, 1 << 20};
static const spv_db_schema BROKEN = {"test", 4711, BROKEN_STEPS, 3, 1 << 20};
static const spv_db_schema OTHER = {"other", 4712, STEPS, 1, 1 << 20};

static spv_err put_thing(spv_db *db, int64_t id, const char *name)
{
    static const char sql[] = "INSERT INTO things VALUES (?, ?, ?)";
    const spv_cell cells[] = {spv__cell_int(id), spv__cell_text(name)};

    return spv__sql_put(db, sql, cells, 2);
}

static spv_err count_thing(void *ctx, const spv_cell *cells)
{
    assert_int_equal(cells[1].len, strlen(cells[1].bytes));
    ++*(int64_t *)ctx;
    return SPV_OK;
}

static int64_t count_things(spv_db *db)
{
    static const spv_query query = {
        .sql = "SELECT * FROM things",
        .columns = "it#",
    };
    int64_t n = 0;

    assert_int_equal(spv__sql_each(db, &query, count_thing, &n), SPV_OK);
    return n;
}

static spv_db *opened(const char *path, const spv_db_schema *schema)
{
    spv_detail why = {""};
    spv_db *db;
    spv_err err = spv__db_open(&db, path, schema, SPV__DB_EITHER, &why);

    if (err)
        fail_msg("%s: %s", spv_err_name(err), why.text);
    /* The detail is gone when this returns; later failures need none. */
    spv__db_free(db);
    assert_int_equal(spv__db_open(&db, path, schema, SPV__DB_OPEN, NULL),
                     SPV_OK);
    return db;
}

static void values_come_back(void **state)
{
    spv_path path = scratch_path(state, "x.sqlite");
    spv_db *db = opened(path.text, &NEW);
    spv_buf buf = SPV_BUF_EMPTY;
    int64_t n = 5;

    assert_int_equal(spv__db_get_int(db, "n", &n), SPV_NOT_FOUND);
    assert_int_equal(n, 5);
    assert_int_equal(spv__db_put_int(db, "n", INT64_MIN), SPV_OK);
    assert_int_equal(spv__db_put_int(db, "m", 1), SPV_OK);
    assert_int_equal(spv__db_put_int(db, "m", 2), SPV_OK);
    assert_int_equal(spv__db_put_bytes(db, "b", "a\0b", 3), SPV_OK);
    assert_int_equal(spv__db_put_bytes(db, "empty", NULL, 0), SPV_OK);
    spv__db_free(db);

    db = opened(path.text, &NEW);
    assert_int_equal(spv__db_get_int(db, "n", &n), SPV_OK);
    assert_true(n == INT64_MIN);
    assert_int_equal(spv__db_get_int(db, "m", &n), SPV_OK);
    assert_int_equal(n, 2);
    assert_int_equal(spv__db_get_bytes(db, "empty", &buf), SPV_OK);
    assert_int_equal(buf.len, 0);
    assert_int_equal(spv__db_get_bytes(db, "b", &buf), SPV_OK);
    assert_int_equal(buf.len, 3);
    assert_memory_equal(buf.bytes, "a\0b", 3);
    assert_int_equal(spv__db_get_int(db, "b", &n), SPV_DAMAGED);
    assert_int_equal(spv__db_remove(db, "m"), SPV_OK);
    assert_int_equal(spv__db_remove(db, "m"), SPV_OK);
    assert_int_equal(spv__db_get_int(db, "m", &n), SPV_NOT_FOUND);
    spv__buf_clear(&buf);
    spv__db_free(db);
}

static void files_are_for_their_owner_only(void **state)
{
    spv_path path = scratch_path(state, "x.sqlite");
    mode_t before = umask(0);
    spv_db *db = opened(path.text, &NEW);

    (void)umask(before);
    assert_int_equal(spv__db_put_int(db, "n", 1), SPV_OK);
    assert_int_equal(scratch_mode(path.text), 0600);
    assert_int_equal(scratch_mode(scratch_path(state, "x.sqlite-wal").text),
                     0600);
    assert_false(scratch_has(scratch_path(state, "x.sqlite-shm").text));
    spv__db_free(db);
    assert_false(scratch_has(scratch_path(state, "x.sqlite-wal").text));
}

static void modes_of_opening_mean_what_they_say(void **state)
{
    spv_path path = scratch_path(state, "x.sqlite");
    spv_detail why = {""};
    spv_db *db;

    assert_int_equal(spv__db_open(&db, path.text, &NEW, SPV__DB_OPEN, &why),
                     SPV_NOT_FOUND);
    assert_null(db);
    assert_false(scratch_has(path.text));
    assert_int_equal(spv__db_open(&db, path.text, &NEW, SPV__DB_CREATE, &why),
                     SPV_OK);
    spv__db_free(db);
    assert_int_equal(spv__db_open(&db, path.text, &NEW, SPV__DB_CREATE, &why),
                     SPV_EXISTS);
    assert_int_equal(spv__db_open(&db, *state, &NEW, SPV__DB_EITHER, &why),
                     SPV_IO);
    assert_non_null(strstr(why.text, "Is a directory"));
    spv__db_free(NULL);
}

static void a_second_opener_is_told_busy(void **state)
{
    spv_path path = scratch_path(state, "x.sqlite");
    spv_db *first = opened(path.text, &NEW);
    pid_t pid = fork();
    int status;

    if (pid == 0) {
        spv_db *second;

        _exit(spv__db_open(&second, path.text, &NEW, SPV__DB_OPEN, NULL) ==
                      SPV_BUSY
                  ? 0
                  : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    spv__db_free(first);
}

static void an_old_file_is_brought_up_with_its_rows(void **state)
{
    spv_path path = scratch_path(state, "x.sqlite");
    spv_db *db = opened(path.text, &OLD);

    assert_int_equal(put_thing(db, 1, "one"), SPV_OK);
    assert_int_equal(spv__db_put_int(db, "n", 42), SPV_OK);
    spv__db_free(db);

    for (int round = 0; round < 2; round++) {
        int64_t n = 0;

        db = opened(path.text, &NEW);
        assert_int_equal(spv__sql_run(db, "DELETE FROM more", NULL, 0), SPV_OK);
        assert_int_equal(count_things(db), 1);
        assert_int_equal(spv__db_get_int(db, "n", &n), SPV_OK);
        assert_int_equal(n, 42);
        spv__db_free(db);
    }
}

static void a_migration_that_fails_changes_nothing(void **state)
{
    spv_path path = scratch_path(state, "x.sqlite");
    spv_db *db = opened(path.text, &OLD);

    assert_int_equal(put_thing(db, 1, "one"), SPV_OK);
    spv__db_free(db);
    assert_int_equal(spv__db_open(&db, path.text, &BROKEN, SPV__DB_OPEN, NULL),
                     SPV_DAMAGED);
    db = opened(path.text, &OLD);
    assert_int_equal(count_things(db), 1);
    spv__db_free(db);
    spv__db_free(opened(path.text, &NEW));
}

static void a_newer_file_is_refused_and_left_alone(void **state)
{
    spv_path path = scratch_path(state, "x.sqlite");
    spv_db *db = opened(path.text, &NEW);
    spv_detail why = {""};

    assert_int_equal(put_thing(db, 1, "one"), SPV_OK);
    spv__db_free(db);
    assert_int_equal(spv__db_open(&db, path.text, &OLD, SPV__DB_OPEN, &why),
                     SPV_UNSUPPORTED);
    assert_non_null(strstr(why.text, "newer version"));
    db = opened(path.text, &NEW);
    assert_int_equal(count_things(db), 1);
    spv__db_free(db);
}

static void what_is_not_ours_is_damaged(void **state)
{
    spv_path path = scratch_path(state, "x.sqlite");
    spv_path text = scratch_path(state, "text.sqlite");
    spv_path empty = scratch_path(state, "empty.sqlite");
    spv_detail why = {""};
    spv_db *db = opened(path.text, &OLD);

    spv__db_free(db);
    assert_int_equal(spv__db_open(&db, path.text, &OTHER, SPV__DB_OPEN, &why),
                     SPV_DAMAGED);
    scratch_write(text.text, "this is no database, only a text", 32);
    assert_int_equal(spv__db_open(&db, text.text, &OLD, SPV__DB_OPEN, &why),
                     SPV_DAMAGED);
    assert_non_null(strstr(why.text, text.text));
    scratch_write(empty.text, "", 0);
    assert_int_equal(spv__db_open(&db, empty.text, &OLD, SPV__DB_OPEN, &why),
                     SPV_NOT_FOUND);
    assert_int_equal(spv__db_open(&db, empty.text, &OLD, SPV__DB_EITHER, &why),
                     SPV_OK);
    spv__db_free(db);
}

/** To SQLite this name means a database in memory, which has no log. */
static void a_place_that_allows_no_log_is_refused(void **state)
{
    static const char path[] = ":memory:";
    spv_detail why = {""};
    spv_db *db;
    char *before = getcwd(NULL, 0);

    assert_int_equal(chdir(*state), 0);
    assert_int_equal(spv__db_open(&db, path, &NEW, SPV__DB_CREATE, &why),
                     SPV_IO);
    assert_null(db);
    assert_non_null(strstr(why.text, "write-ahead log"));
    assert_false(scratch_has(path));
    assert_int_equal(chdir(before), 0);
    free(before);
}

/** Byte 18 of the file is the version of the format that writing it needs. */
static void a_format_we_cannot_write_is_damaged(void **state)
{
    static const uint8_t versions[][2] = {{3, 2}, {3, 1}, {9, 2}};
    spv_path path = scratch_path(state, "x.sqlite");
    uint8_t *bytes;
    size_t len;
    spv_db *db = opened(path.text, &NEW);

    spv__db_free(db);
    bytes = scratch_read(path.text, &len);
    for (size_t i = 0; i < sizeof(versions) / sizeof(*versions); i++) {
        spv_detail why = {""};

        memcpy(bytes + 18, versions[i], 2);
        scratch_write(path.text, bytes, len);
        assert_int_equal(spv__db_open(&db, path.text, &NEW, SPV__DB_OPEN, &why),
                         SPV_DAMAGED);
        assert_non_null(strstr(why.text, "format"));
    }
    free(bytes);
}

static void a_transaction_is_whole_or_not_at_all(void **state)
{
    spv_path path = scratch_path(state, "x.sqlite");
    spv_db *db = opened(path.text, &NEW);

    assert_int_equal(spv__db_begin(db), SPV_OK);
    assert_int_equal(put_thing(db, 1, "one"), SPV_OK);
    spv__db_rollback(db);
    spv__db_rollback(db);
    assert_int_equal(count_things(db), 0);
    assert_int_equal(spv__db_begin(db), SPV_OK);
    assert_int_equal(put_thing(db, 2, "two"), SPV_OK);
    assert_int_equal(put_thing(db, 3, "three"), SPV_OK);
    assert_int_equal(spv__db_commit(db), SPV_OK);
    assert_int_equal(spv__db_flush(db), SPV_OK);
    assert_int_equal(spv__db_begin(db), SPV_OK);
    assert_int_equal(put_thing(db, 4, "four"), SPV_OK);
    spv__db_free(db); /* without a commit */
    db = opened(path.text, &NEW);
    assert_int_equal(count_things(db), 2);
    spv__db_free(db);
}

static void a_failed_write_sticks_until_the_end(void **state)
{
    spv_path path = scratch_path(state, "x.sqlite");
    spv_db *db = opened(path.text, &NEW);

    assert_int_equal(spv__db_begin(db), SPV_OK);
    assert_int_equal(put_thing(db, 1, "one"), SPV_OK);
    assert_int_equal(put_thing(db, 1, "again"), SPV_EXISTS);
    assert_int_equal(put_thing(db, 2, "two"), SPV_EXISTS);
    assert_int_equal(spv__db_commit(db), SPV_EXISTS);
    assert_int_equal(count_things(db), 0);
    assert_int_equal(put_thing(db, 2, "two"), SPV_OK);
    assert_int_equal(put_thing(db, 2, "again"), SPV_EXISTS);
    assert_int_equal(put_thing(db, 3, "three"), SPV_OK);
    assert_int_equal(count_things(db), 2);
    spv__db_free(db);
}

static void a_row_altered_behind_our_back_is_damaged(void **state)
{
    static const spv_query query = {
        .sql = "SELECT * FROM things",
        .columns = "it#",
    };
    static const char *const changes[] = {
        "UPDATE things SET name = 'two'", "UPDATE things SET name = 1",
        "UPDATE things SET id = 2",       "UPDATE things SET sum = sum + 1",
        "UPDATE things SET sum = NULL",   "UPDATE things SET name = NULL",
    };
    spv_path path = scratch_path(state, "x.sqlite");
    spv_db *db = opened(path.text, &NEW);

    for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
        int64_t n = 0;

        assert_int_equal(spv__db_begin(db), SPV_OK);
        assert_int_equal(put_thing(db, 1, "one"), SPV_OK);
        assert_int_equal(count_things(db), 1);
        assert_int_equal(spv__sql_run(db, changes[i], NULL, 0), SPV_OK);
        assert_int_equal(spv__sql_each(db, &query, count_thing, &n),
                         SPV_DAMAGED);
        assert_int_equal(n, 0);
        spv__db_rollback(db);
    }
    spv__db_free(db);
}

static void a_full_disk_loses_nothing_committed(void **state)
{
    spv_path path = scratch_path(state, "x.sqlite");
    spv_db *db;
    char name[1001];
    int64_t committed = 0;
    spv_err err = SPV_OK;
    spv_detail why = {""};

    assert_int_equal(spv__db_open(&db, path.text, &NEW, SPV__DB_CREATE, &why),
                     SPV_OK);
    assert_int_equal(spv__db_limit_pages(db, 40), SPV_OK);
    memset(name, 'n', sizeof(name));
    name[1000] = '\0';
    while (!err) {
        assert_int_equal(spv__db_begin(db), SPV_OK);
        for (int64_t i = 0; i < 7; i++)
            (void)put_thing(db, committed + i, name);
        err = spv__db_commit(db);
        committed += err ? 0 : 7;
    }
    assert_int_equal(err, SPV_IO);
    assert_non_null(strstr(why.text, "full"));
    assert_true(committed > 0);
    assert_int_equal(count_things(db), committed);
    assert_int_equal(spv__db_limit_pages(db, 0), SPV_OK);
    assert_int_equal(put_thing(db, committed, name), SPV_OK);
    spv__db_free(db);
    db = opened(path.text, &NEW);
    assert_int_equal(count_things(db), committed + 1);
    spv__db_free(db);
}

/** Commit seven rows at a time, and tell of each commit, until killed. */
static void write_until_killed(const char *path, int said)
{
    spv_db *db;
    int64_t n;

    if (spv__db_open(&db, path, &NEW, SPV__DB_EITHER, NULL))
        _exit(1);
    for (n = count_things(db);;) {
        if (spv__db_begin(db))
            _exit(2);
        for (int i = 0; i < 7; i++)
            (void)put_thing(db, n++, "a name of some length or other");
        if (spv__db_commit(db) || write(said, &n, sizeof(n)) != sizeof(n))
            _exit(3);
    }
}

/** The number of rows said to be committed when the child was killed. */
static int64_t run_and_kill(const char *path, unsigned commits)
{
    int64_t last = -1;
    int64_t n;
    int said[2];
    int status;
    pid_t pid;

    assert_int_equal(pipe(said), 0);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        (void)close(said[0]);
        write_until_killed(path, said[1]);
    }
    (void)close(said[1]);
    for (; commits && read(said[0], &n, sizeof(n)) == sizeof(n); commits--)
        last = n;
    (void)kill(pid, SIGKILL);
    while (read(said[0], &n, sizeof(n)) == sizeof(n))
        last = n;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
    (void)close(said[0]);
    return last;
}

static void kill_9_loses_nothing_committed(void **state)
{
    static const unsigned commits[] = {1, 2, 13, 150, 400, 7};
    spv_path path = scratch_path(state, "x.sqlite");

    for (size_t i = 0; i < sizeof(commits) / sizeof(*commits); i++) {
        int64_t said = run_and_kill(path.text, commits[i]);
        spv_db *db = opened(path.text, &NEW);
        int64_t n = count_things(db);

        /* One more may have been committed, and not yet told of. */
        assert_true(n == said || n == said + 7);
        spv__db_free(db);
    }
}

static void damaged_files_move_aside_with_their_log(void **state)
{
    static const char *const kept[] = {
        "x.sqlite.damaged-1", "x.sqlite.damaged-1-wal", "x.sqlite.damaged-2"};
    spv_path path = scratch_path(state, "x.sqlite");
    spv_path wal = scratch_path(state, "x.sqlite-wal");
    spv_path to;
    spv_detail why = {""};

    scratch_write(path.text, "one", 3);
    scratch_write(wal.text, "log", 3);
    assert_int_equal(spv__db_move_aside(path.text, &to, &why), SPV_OK);
    assert_string_equal(to.text, scratch_path(state, kept[0]).text);
    scratch_write(path.text, "two", 3);
    assert_int_equal(spv__db_move_aside(path.text, NULL, &why), SPV_OK);
    for (size_t i = 0; i < 3; i++)
        assert_true(scratch_has(scratch_path(state, kept[i]).text));
    assert_false(scratch_has(path.text));
    assert_false(scratch_has(wal.text));
    assert_int_equal(spv__db_move_aside(path.text, NULL, &why), SPV_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(values_come_back),
        scratch_test(files_are_for_their_owner_only),
        scratch_test(modes_of_opening_mean_what_they_say),
        scratch_test(a_second_opener_is_told_busy),
        scratch_test(an_old_file_is_brought_up_with_its_rows),
        scratch_test(a_migration_that_fails_changes_nothing),
        scratch_test(a_newer_file_is_refused_and_left_alone),
        scratch_test(what_is_not_ours_is_damaged),
        scratch_test(a_place_that_allows_no_log_is_refused),
        scratch_test(a_format_we_cannot_write_is_damaged),
        scratch_test(a_transaction_is_whole_or_not_at_all),
        scratch_test(a_failed_write_sticks_until_the_end),
        scratch_test(a_row_altered_behind_our_back_is_damaged),
        scratch_case("S52 a full disk loses nothing committed",
                     a_full_disk_loses_nothing_committed),
        scratch_case("S52 kill -9 loses nothing committed",
                     kill_9_loses_nothing_committed),
        scratch_test(damaged_files_move_aside_with_their_log),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
