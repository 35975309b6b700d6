#include "store_scratch.h"

#include "base/digest.h"
#include "store/walletdb.h"

/* ---- Everything in a wallet, as text, to compare ---- */

static spv_err show_branch(void *ctx, const spv_row_branch *row)
{
    char line[128];

    (void)snprintf(line, sizeof(line), "branch %lu: used %lu, given %lu\n",
                   (unsigned long)row->branch, (unsigned long)row->used,
                   (unsigned long)row->given);
    spv__put_bytes(ctx, line, strlen(line));
    return SPV_OK;
}

static spv_err show_element(void *ctx, const spv_row_element *row)
{
    char line[128];

    (void)snprintf(line, sizeof(line),
                   "element %lu kind %lu: ", (unsigned long)row->seq,
                   (unsigned long)row->kind);
    spv__put_bytes(ctx, line, strlen(line));
    spv__put_bytes(ctx, row->bytes, row->len);
    spv__put_u8(ctx, '\n');
    return SPV_OK;
}

static spv_err show_script(void *ctx, const spv_row_script *row)
{
    char line[128];

    (void)snprintf(line, sizeof(line),
                   "script %lu/%lu reach %lu: ", (unsigned long)row->branch,
                   (unsigned long)row->index, (unsigned long)row->reach);
    spv__put_bytes(ctx, line, strlen(line));
    spv__put_bytes(ctx, row->script, row->len);
    spv__put_u8(ctx, '\n');
    return SPV_OK;
}

static spv_err show_tx(void *ctx, const spv_row_tx *row)
{
    char line[256];

    (void)snprintf(line, sizeof(line),
                   "tx %02x at %d in %02x, time %lu, %lu, %lu, %lld: ",
                   (unsigned)row->txid.bytes[0], (int)row->height,
                   (unsigned)row->block_hash.bytes[31],
                   (unsigned long)row->block_time, (unsigned long)row->position,
                   (unsigned long)row->state, (long long)row->first_seen);
    spv__put_bytes(ctx, line, strlen(line));
    spv__put_bytes(ctx, row->raw, row->raw_len);
    spv__put_u8(ctx, '\n');
    return SPV_OK;
}

static spv_err show_block(void *ctx, const spv_row_block *row)
{
    char line[64];

    (void)snprintf(line, sizeof(line), "block %d: %02x\n", (int)row->height,
                   (unsigned)row->hash.bytes[0]);
    spv__put_bytes(ctx, line, strlen(line));
    return SPV_OK;
}

static spv_err show_all(spv_buf *out, spv_db *db)
{
    spv_err err = spv__walletdb_each_branch(db, show_branch, out);

    if (!err)
        err = spv__walletdb_each_element(db, show_element, out);
    if (!err)
        err = spv__walletdb_each_script(db, show_script, out);
    if (!err)
        err = spv__walletdb_each_tx(db, show_tx, out);
    return err ? err : spv__walletdb_each_block(db, show_block, out);
}

static void assert_shows(spv_db *db, const char *want)
{
    spv_buf got = SPV_BUF_EMPTY;

    assert_int_equal(show_all(&got, db), SPV_OK);
    spv__put_u8(&got, 0);
    assert_string_equal((const char *)got.bytes, want);
    spv__buf_clear(&got);
}

static spv_hash hash_of(uint8_t v)
{
    spv_hash h = {{v}};

    h.bytes[31] = v;
    return h;
}

static spv_row_tx tx_of(uint8_t id, int32_t height, uint32_t position)
{
    static const uint8_t raw[] = "raw";
    const spv_row_tx row = {
        .txid = hash_of(id),
        .height = height,
        .block_hash = height < 0 ? hash_of(0) : hash_of((uint8_t)height),
        .position = position,
        .raw = raw,
        .raw_len = 3,
    };

    return row;
}

static spv_db *created(void **state)
{
    spv_db *db;
    spv_path path = scratch_path(state, "w.sqlite");

    assert_int_equal(spv__walletdb_create(&db, path.text, NULL), SPV_OK);
    return db;
}

static spv_db *reopened(spv_db *db, void **state)
{
    spv_path path = scratch_path(state, "w.sqlite");

    spv__db_free(db);
    assert_int_equal(spv__walletdb_open(&db, path.text, NULL), SPV_OK);
    return db;
}

/* ---- Tests ---- */

static void every_row_comes_back(void **state)
{
    static const char raw[] = "\1\2\3";
    const spv_row_branch branch = {1, 7, UINT32_MAX};
    const spv_row_element element = {0, 2, (const uint8_t *)"el", 2};
    const spv_row_script script = {1, 41, 12, (const uint8_t *)"sc", 2};
    const spv_row_tx tx = {
        .txid = hash_of(0xab),
        .height = 12,
        .block_hash = hash_of(0xcd),
        .block_time = UINT32_MAX,
        .position = 3,
        .state = 4,
        .first_seen = INT64_C(1) << 40,
        .raw = (const uint8_t *)raw,
        .raw_len = 3,
    };
    const spv_row_block block = {12, hash_of(0xcd)};
    spv_db *db = created(state);

    assert_shows(db, "");
    assert_int_equal(spv__walletdb_put_branch(db, &branch), SPV_OK);
    assert_int_equal(spv__walletdb_add_element(db, &element), SPV_OK);
    assert_int_equal(spv__walletdb_put_script(db, &script), SPV_OK);
    assert_int_equal(spv__walletdb_put_tx(db, &tx), SPV_OK);
    assert_int_equal(spv__walletdb_put_position(db, &block), SPV_OK);
    db = reopened(db, state);
    assert_shows(db, "branch 1: used 7, given 4294967295\n"
                     "element 0 kind 2: el\n"
                     "script 1/41 reach 12: sc\n"
                     "tx ab at 12 in cd, time 4294967295, 3, 4, "
                     "1099511627776: \1\2\3\n"
                     "block 12: cd\n");
    spv__db_free(db);
}

static void a_put_replaces_the_row_with_its_key(void **state)
{
    const spv_row_branch branches[] = {{0, 1, 1}, {0, 2, 3}};
    const spv_row_script scripts[] = {
        {0, 5, 6, (const uint8_t *)"a", 1},
        {0, 5, 7, (const uint8_t *)"bc", 2},
    };
    spv_row_tx tx = tx_of(1, -1, 0);
    spv_db *db = created(state);

    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(spv__walletdb_put_branch(db, &branches[i]), SPV_OK);
        assert_int_equal(spv__walletdb_put_script(db, &scripts[i]), SPV_OK);
    }
    assert_int_equal(spv__walletdb_put_tx(db, &tx), SPV_OK);
    tx = tx_of(1, 9, 2);
    assert_int_equal(spv__walletdb_put_tx(db, &tx), SPV_OK);
    assert_shows(db, "branch 0: used 2, given 3\n"
                     "script 0/5 reach 7: bc\n"
                     "tx 01 at 9 in 09, time 0, 2, 0, 0: raw\n");
    spv__db_free(db);
}

static void the_element_log_only_grows(void **state)
{
    spv_row_element row = {0, 1, (const uint8_t *)"x", 1};
    spv_db *db = created(state);
    spv_buf out = SPV_BUF_EMPTY;

    assert_int_equal(spv__walletdb_add_element(db, &row), SPV_OK);
    assert_int_equal(spv__walletdb_add_element(db, &row), SPV_EXISTS);
    row.seq = 2;
    assert_int_equal(spv__walletdb_add_element(db, &row), SPV_OK);
    assert_int_equal(spv__walletdb_each_element(db, show_element, &out),
                     SPV_DAMAGED);
    row.seq = 1;
    assert_int_equal(spv__walletdb_add_element(db, &row), SPV_OK);
    assert_int_equal(spv__walletdb_each_element(db, show_element, &out),
                     SPV_OK);
    spv__buf_clear(&out);
    spv__db_free(db);
}

static void branches_and_scripts_come_in_order(void **state)
{
    static const uint32_t branches[] = {2, 0, 11, 1};
    static const uint32_t indexes[] = {9, 0, 10, 300};
    spv_db *db = created(state);

    for (size_t i = 0; i < 4; i++) {
        const spv_row_branch branch = {.branch = branches[i]};
        const spv_row_script first = {.branch = branches[i], .index = 1};
        const spv_row_script more = {.branch = 0, .index = 2 + indexes[i]};

        assert_int_equal(spv__walletdb_put_branch(db, &branch), SPV_OK);
        assert_int_equal(spv__walletdb_put_script(db, &first), SPV_OK);
        assert_int_equal(spv__walletdb_put_script(db, &more), SPV_OK);
    }
    assert_shows(db, "branch 0: used 0, given 0\n"
                     "branch 1: used 0, given 0\n"
                     "branch 2: used 0, given 0\n"
                     "branch 11: used 0, given 0\n"
                     "script 0/1 reach 0: \n"
                     "script 0/2 reach 0: \n"
                     "script 0/11 reach 0: \n"
                     "script 0/12 reach 0: \n"
                     "script 0/302 reach 0: \n"
                     "script 1/1 reach 0: \n"
                     "script 2/1 reach 0: \n"
                     "script 11/1 reach 0: \n");
    spv__db_free(db);
}

/** A bulk of scripts is one commit, and little more than its bytes. */
static void thousands_of_scripts_stay_compact(void **state)
{
    enum { N = 5000, LEN = 34, ROW_MAX = LEN + 40 };
    const uint8_t script[LEN] = {0};
    spv_db *db = created(state);
    size_t len;

    assert_int_equal(spv__db_begin(db), SPV_OK);
    for (uint32_t i = 0; i < N; i++) {
        const spv_row_script row = {1, i, i, script, LEN};

        assert_int_equal(spv__walletdb_put_script(db, &row), SPV_OK);
    }
    assert_int_equal(spv__db_commit(db), SPV_OK);
    spv__db_free(db);
    free(scratch_read(scratch_path(state, "w.sqlite").text, &len));
    assert_true(len > (size_t)N * LEN);
    assert_in_range(len, N, (size_t)N * ROW_MAX);
}

static void transactions_come_in_the_order_of_the_chain(void **state)
{
    const spv_row_tx rows[] = {
        tx_of(1, -1, 0), tx_of(2, 7, 3), tx_of(3, 5, 9),  tx_of(4, 7, 1),
        tx_of(5, -1, 0), tx_of(6, 0, 0), tx_of(1, -1, 5),
    };
    const spv_hash gone = hash_of(3);
    spv_db *db = created(state);

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        assert_int_equal(spv__walletdb_put_tx(db, &rows[i]), SPV_OK);
    assert_int_equal(spv__walletdb_remove_tx(db, &gone), SPV_OK);
    assert_int_equal(spv__walletdb_remove_tx(db, &gone), SPV_OK);
    assert_shows(db, "tx 06 at 0 in 00, time 0, 0, 0, 0: raw\n"
                     "tx 04 at 7 in 07, time 0, 1, 0, 0: raw\n"
                     "tx 02 at 7 in 07, time 0, 3, 0, 0: raw\n"
                     "tx 05 at -1 in 00, time 0, 0, 0, 0: raw\n"
                     "tx 01 at -1 in 00, time 0, 5, 0, 0: raw\n");
    spv__db_free(db);
}

static spv_err count_block(void *ctx, const spv_row_block *row)
{
    (void)row;
    ++*(int *)ctx;
    return SPV_OK;
}

static spv_err stop_at_once(void *ctx, const spv_row_block *row)
{
    *(spv_row_block *)ctx = *row;
    return SPV_INTERRUPTED;
}

static void the_position_moves_both_ways(void **state)
{
    static const int32_t heights[] = {0, 1, 2, 10, 11};
    spv_row_block block = {.height = 99};
    spv_db *db = created(state);

    assert_int_equal(spv__walletdb_get_position(db, &block), SPV_NOT_FOUND);
    assert_int_equal(block.height, 99);
    for (size_t i = 0; i < sizeof(heights) / sizeof(*heights); i++) {
        block = (spv_row_block){heights[i], hash_of((uint8_t)i)};
        assert_int_equal(spv__walletdb_put_position(db, &block), SPV_OK);
    }
    block = (spv_row_block){10, hash_of(0xee)}; /* a reorganisation */
    assert_int_equal(spv__walletdb_put_position(db, &block), SPV_OK);
    db = reopened(db, state);
    assert_shows(db, "block 10: ee\nblock 2: 02\nblock 1: 01\nblock 0: 00\n");
    assert_int_equal(spv__walletdb_get_position(db, &block), SPV_OK);
    assert_int_equal(block.height, 10);
    assert_int_equal(block.hash.bytes[0], 0xee);
    assert_int_equal(spv__walletdb_each_block(db, stop_at_once, &block),
                     SPV_INTERRUPTED);
    assert_int_equal(block.height, 10);
    spv__db_free(db);
}

static void a_position_can_stay_and_be_forgotten(void **state)
{
    const spv_row_block blocks[] = {{4, hash_of(4)}, {5, hash_of(5)}};
    spv_row_block block;
    spv_db *db = created(state);

    assert_int_equal(spv__walletdb_clear_position(db), SPV_OK);
    assert_int_equal(spv__walletdb_put_position(db, &blocks[0]), SPV_OK);
    assert_int_equal(spv__walletdb_put_position(db, &blocks[1]), SPV_OK);
    assert_int_equal(spv__walletdb_put_position(db, &blocks[1]), SPV_OK);
    assert_shows(db, "block 5: 05\nblock 4: 04\n");
    assert_int_equal(spv__walletdb_clear_position(db), SPV_OK);
    db = reopened(db, state);
    assert_shows(db, "");
    assert_int_equal(spv__walletdb_get_position(db, &block), SPV_NOT_FOUND);
    assert_int_equal(spv__walletdb_put_position(db, &blocks[0]), SPV_OK);
    assert_shows(db, "block 4: 04\n");
    spv__db_free(db);
}

static void the_list_of_blocks_stays_short(void **state)
{
    spv_db *db = created(state);
    int n = 0;

    assert_int_equal(spv__db_begin(db), SPV_OK);
    for (int32_t h = 0; h < SPV__WALLETDB_BLOCKS + 500; h++) {
        const spv_row_block block = {h, hash_of((uint8_t)h)};

        assert_int_equal(spv__walletdb_put_position(db, &block), SPV_OK);
    }
    assert_int_equal(spv__db_commit(db), SPV_OK);
    assert_int_equal(spv__walletdb_each_block(db, count_block, &n), SPV_OK);
    assert_int_equal(n, SPV__WALLETDB_BLOCKS + 1);
    spv__db_free(db);
}

/* ---- Damage ---- */

/** The copy of the card and every row. */
static spv_err show_wallet(spv_buf *out, spv_db *db)
{
    spv_err err = spv__db_get_bytes(db, "card", out);

    return err ? err : show_all(out, db);
}

/** A wallet of some hundred rows in `path`; all of it as text in `all`. */
static void make_wallet(const char *path, spv_buf *all)
{
    static const char card[] = "network=regtest\0descriptor=wpkh(xpub)";
    uint8_t raw[700];
    spv_db *db;

    assert_int_equal(spv__walletdb_create(&db, path, NULL), SPV_OK);
    assert_int_equal(spv__db_begin(db), SPV_OK);
    (void)spv__db_put_bytes(db, "card", card, sizeof(card));
    for (uint32_t i = 0; i < 120; i++) {
        spv_hash id;
        spv_row_tx tx = {.height = (int32_t)i, .raw = raw};
        spv_row_element element = {.seq = i, .bytes = id.bytes, .len = 32};
        spv_row_branch branch = {i, 2 * i, 3 * i};
        spv_row_script script = {i % 2, i, i, id.bytes, i % 33};
        spv_row_block block = {.height = (int32_t)i};

        spv__sha256d(&id, &i, sizeof(i));
        memset(raw, (int)i, sizeof(raw));
        tx.txid = tx.block_hash = block.hash = id;
        tx.raw_len = 100 + 5 * i;
        (void)spv__walletdb_put_tx(db, &tx);
        (void)spv__walletdb_add_element(db, &element);
        (void)spv__walletdb_put_branch(db, &branch);
        (void)spv__walletdb_put_script(db, &script);
        (void)spv__walletdb_put_position(db, &block);
    }
    assert_int_equal(spv__db_commit(db), SPV_OK);
    assert_int_equal(show_wallet(all, db), SPV_OK);
    spv__db_free(db);
}

/** What a program does with a file: open it, read it all, write a little. */
static spv_err use(const char *path, spv_buf *all)
{
    const spv_row_block block = {120, hash_of(1)};
    spv_detail why = {""};
    spv_db *db;
    spv_err err = spv__walletdb_open(&db, path, &why);

    if (!err)
        err = show_wallet(all, db);
    if (!err)
        err = spv__walletdb_put_position(db, &block);
    if (err)
        assert_non_null(strstr(why.text, path));
    spv__db_free(db);
    return err;
}

static void damage_anywhere_is_found_or_harmless(void **state)
{
    spv_path path = scratch_path(state, "w.sqlite");
    spv_path bad = scratch_path(state, "bad.sqlite");
    spv_path wal = scratch_path(state, "bad.sqlite-wal");
    spv_buf want = SPV_BUF_EMPTY;
    uint64_t seed = 37;
    uint8_t *good;
    size_t len;
    int found = 0;

    make_wallet(path.text, &want);
    good = scratch_read(path.text, &len);
    for (int round = 0; round < 400; round++) {
        spv_buf got = SPV_BUF_EMPTY;
        uint8_t *bytes = malloc(len);
        size_t n;
        spv_err err;

        assert_non_null(bytes);
        memcpy(bytes, good, len);
        n = scratch_damage(bytes, len, &seed);
        scratch_write(bad.text, bytes, n);
        (void)unlink(wal.text);
        err = use(bad.text, &got);
        if (err == SPV_OK) {
            assert_int_equal(got.len, want.len);
            assert_memory_equal(got.bytes, want.bytes, want.len);
        } else {
            assert_int_equal(err, SPV_DAMAGED);
            found++;
        }
        spv__buf_clear(&got);
        free(bytes);
    }
    assert_true(found > 200);
    free(good);
    spv__buf_clear(&want);
}

/** Fifty commits, copied with their log while the file is open: what a killed
 * process leaves. `*log` and `*rows` are owned. */
static void leave_with_log(void **state, uint8_t **rows, size_t *rows_len,
                           uint8_t **log, size_t *log_len)
{
    spv_db *db = created(state);

    for (int32_t h = 0; h < 50; h++) {
        const spv_row_block block = {h, hash_of((uint8_t)h)};
        const spv_row_tx tx = tx_of((uint8_t)h, h, 0);

        assert_int_equal(spv__db_begin(db), SPV_OK);
        (void)spv__walletdb_put_tx(db, &tx);
        (void)spv__walletdb_put_position(db, &block);
        assert_int_equal(spv__db_commit(db), SPV_OK);
    }
    *rows = scratch_read(scratch_path(state, "w.sqlite").text, rows_len);
    *log = scratch_read(scratch_path(state, "w.sqlite-wal").text, log_len);
    spv__db_free(db);
}

static spv_err count_tx(void *ctx, const spv_row_tx *row)
{
    assert_int_equal(row->txid.bytes[0], row->height);
    ++*(int *)ctx;
    return SPV_OK;
}

/** Open what is left; the number of blocks in it, or -1 when it is damaged or
 * nothing at all. */
static int blocks_left(const char *path)
{
    spv_row_block block = {.height = -1};
    int n = 0;
    spv_db *db;
    spv_err err = spv__walletdb_open(&db, path, NULL);

    if (err) {
        assert_true(err == SPV_DAMAGED || err == SPV_NOT_FOUND);
        return -1;
    }
    err = spv__walletdb_get_position(db, &block);
    assert_true(err == SPV_OK || err == SPV_NOT_FOUND);
    assert_int_equal(spv__walletdb_each_tx(db, count_tx, &n), SPV_OK);
    assert_int_equal(n, block.height + 1);
    spv__db_free(db);
    return n;
}

static void a_damaged_log_takes_back_whole_commits_only(void **state)
{
    spv_path bad = scratch_path(state, "bad.sqlite");
    spv_path wal = scratch_path(state, "bad.sqlite-wal");
    uint64_t seed = 43;
    uint8_t *rows;
    uint8_t *log;
    size_t rows_len;
    size_t log_len;
    int partly = 0;

    leave_with_log(state, &rows, &rows_len, &log, &log_len);
    scratch_write(bad.text, rows, rows_len);
    scratch_write(wal.text, log, log_len);
    assert_int_equal(blocks_left(bad.text), 50);
    for (int round = 0; round < 150; round++) {
        uint8_t *bytes = malloc(log_len);
        size_t n;
        int left;

        assert_non_null(bytes);
        memcpy(bytes, log, log_len);
        n = scratch_damage(bytes, log_len, &seed);
        scratch_write(bad.text, rows, rows_len);
        scratch_write(wal.text, bytes, n);
        left = blocks_left(bad.text);
        partly += left > 0 && left < 50;
        free(bytes);
    }
    assert_true(partly > 50);
    free(rows);
    free(log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(every_row_comes_back),
        scratch_test(a_put_replaces_the_row_with_its_key),
        scratch_test(the_element_log_only_grows),
        scratch_test(branches_and_scripts_come_in_order),
        scratch_test(thousands_of_scripts_stay_compact),
        scratch_test(transactions_come_in_the_order_of_the_chain),
        scratch_test(the_position_moves_both_ways),
        scratch_test(a_position_can_stay_and_be_forgotten),
        scratch_test(the_list_of_blocks_stays_short),
        scratch_case("S52 damage anywhere is found, or harmless",
                     damage_anywhere_is_found_or_harmless),
        scratch_case("S52 a damaged log takes back whole commits only",
                     a_damaged_log_takes_back_whole_commits_only),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
