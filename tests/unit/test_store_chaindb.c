#include "store_scratch.h"

#include "store/chaindb.h"
#include "store/sql.h"

/** `n` headers that follow each other and `prev`, told apart by `salt`. */
static uint8_t *make_headers(spv_hash prev, size_t n, uint32_t salt)
{
    uint8_t *bytes = malloc(n * SPV_HEADER_LEN);

    assert_non_null(bytes);
    for (size_t i = 0; i < n; i++) {
        const spv_header header = {.prev = prev, .nonce = salt};

        spv_header_encode(bytes + i * SPV_HEADER_LEN, &header);
        spv_header_hash(&prev, bytes + i * SPV_HEADER_LEN);
    }
    return bytes;
}

static spv_hash hash_at(const uint8_t *headers, size_t i)
{
    spv_hash hash;

    spv_header_hash(&hash, headers + i * SPV_HEADER_LEN);
    return hash;
}

static spv_db *opened(void **state)
{
    spv_path path = scratch_path(state, "chain.sqlite");
    spv_path moved;
    spv_db *db;

    assert_int_equal(spv__chaindb_open(&db, path.text, &moved, NULL), SPV_OK);
    assert_string_equal(moved.text, "");
    return db;
}

/** What a walk saw: the headers joined, and the lowest height. */
typedef struct {
    spv_buf bytes;
    int32_t lowest;
    int32_t last;
} seen;

static spv_err see_header(void *ctx, const spv_row_header *row)
{
    seen *s = ctx;
    spv_hash hash;

    spv_header_hash(&hash, row->bytes);
    assert_true(spv_hash_equal(&hash, &row->hash));
    if (s->bytes.len == 0)
        s->lowest = row->height;
    s->last = row->height;
    spv__put_bytes(&s->bytes, row->bytes, SPV_HEADER_LEN);
    return s->bytes.err;
}

static void assert_chain(spv_db *db, int32_t lowest, const uint8_t *headers,
                         size_t n)
{
    seen s = {.lowest = -1};
    spv_hash want;
    spv_hash hash;
    int32_t tip;

    assert_int_equal(spv__chaindb_each_header(db, see_header, &s), SPV_OK);
    assert_int_equal(s.lowest, lowest);
    assert_int_equal(s.bytes.len, n * SPV_HEADER_LEN);
    assert_memory_equal(s.bytes.bytes, headers, s.bytes.len);
    spv__buf_clear(&s.bytes);
    assert_int_equal(spv__chaindb_get_tip(db, &tip, &hash), SPV_OK);
    assert_int_equal(tip, lowest + (int32_t)n - 1);
    want = hash_at(headers, n - 1);
    assert_true(spv_hash_equal(&hash, &want));
}

static void headers_come_back_in_order(void **state)
{
    uint8_t *headers = make_headers((spv_hash){{0}}, 2500, 1);
    spv_db *db = opened(state);
    spv_hash hash;
    int32_t tip;

    assert_int_equal(spv__chaindb_get_tip(db, &tip, &hash), SPV_NOT_FOUND);
    assert_int_equal(spv__chaindb_put_headers(db, 0, headers, 2000), SPV_OK);
    assert_int_equal(spv__chaindb_put_headers(
                         db, 2000, headers + 2000 * SPV_HEADER_LEN, 500),
                     SPV_OK);
    spv__db_free(db);
    db = opened(state);
    assert_chain(db, 0, headers, 2500);
    spv__db_free(db);
    free(headers);
}

static void a_chain_may_begin_at_a_checkpoint(void **state)
{
    uint8_t *headers = make_headers((spv_hash){{7}}, 100, 1);
    spv_db *db = opened(state);

    assert_int_equal(spv__chaindb_put_headers(db, 800000, headers, 100),
                     SPV_OK);
    assert_chain(db, 800000, headers, 100);
    spv__db_free(db);
    free(headers);
}

static void a_reorganisation_replaces_the_top(void **state)
{
    uint8_t *headers = make_headers((spv_hash){{0}}, 100, 1);
    uint8_t *other = make_headers(hash_at(headers, 89), 11, 2);
    spv_db *db = opened(state);

    assert_int_equal(spv__chaindb_put_headers(db, 0, headers, 100), SPV_OK);
    assert_int_equal(spv__chaindb_put_headers(db, 90, other, 11), SPV_OK);
    memcpy(headers + 90 * SPV_HEADER_LEN, other, 10 * SPV_HEADER_LEN);
    assert_int_equal(spv__chaindb_put_headers(db, 100, NULL, 0), SPV_OK);
    assert_chain(db, 0, headers, 100);
    spv__db_free(db);
    free(other);
    free(headers);
}

static void a_hole_is_refused_and_changes_nothing(void **state)
{
    uint8_t *headers = make_headers((spv_hash){{0}}, 20, 1);
    spv_db *db = opened(state);

    assert_int_equal(spv__chaindb_put_headers(db, 0, headers, 10), SPV_OK);
    assert_int_equal(spv__chaindb_put_headers(db, 11, headers, 5), SPV_INVAL);
    assert_chain(db, 0, headers, 10);
    spv__db_free(db);
    free(headers);
}

static void a_put_below_the_lowest_starts_anew(void **state)
{
    uint8_t *headers = make_headers((spv_hash){{0}}, 20, 1);
    seen s = {.lowest = -1};
    spv_db *db = opened(state);

    assert_int_equal(spv__chaindb_put_headers(db, 500, headers, 20), SPV_OK);
    assert_int_equal(spv__chaindb_put_headers(db, 3, headers, 5), SPV_OK);
    assert_chain(db, 3, headers, 5);
    assert_int_equal(spv__chaindb_put_headers(db, 0, NULL, 0), SPV_OK);
    assert_int_equal(spv__chaindb_each_header(db, see_header, &s), SPV_OK);
    assert_int_equal(s.bytes.len, 0);
    spv__db_free(db);
    free(headers);
}

static void headers_join_the_transaction_at_hand(void **state)
{
    uint8_t *headers = make_headers((spv_hash){{0}}, 20, 1);
    spv_db *db = opened(state);

    assert_int_equal(spv__chaindb_put_headers(db, 0, headers, 10), SPV_OK);
    assert_int_equal(spv__db_begin(db), SPV_OK);
    assert_int_equal(spv__chaindb_put_headers(db, 5, headers, 10), SPV_OK);
    spv__db_rollback(db);
    assert_chain(db, 0, headers, 10);
    spv__db_free(db);
    free(headers);
}

static void a_chain_that_does_not_link_is_damaged(void **state)
{
    static const char *const changes[] = {
        "UPDATE headers SET bytes = zeroblob(80) WHERE height = 5",
        "UPDATE headers SET bytes = zeroblob(80) WHERE height = 9",
        "UPDATE headers SET bytes = zeroblob(79) WHERE height = 9",
        "UPDATE headers SET bytes = 'x' WHERE height = 9",
        "DELETE FROM headers WHERE height = 9",
        "DELETE FROM headers WHERE height = 4",
        "DELETE FROM headers",
        "DELETE FROM meta WHERE key = 'tip'",
        "UPDATE meta SET value = x'00' WHERE key = 'tip'",
    };
    uint8_t *headers = make_headers((spv_hash){{0}}, 10, 1);
    spv_db *db = opened(state);

    for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
        seen s = {.lowest = -1};

        assert_int_equal(spv__db_begin(db), SPV_OK);
        assert_int_equal(spv__chaindb_put_headers(db, 0, headers, 10), SPV_OK);
        assert_int_equal(spv__sql_run(db, changes[i], NULL, 0), SPV_OK);
        assert_int_equal(spv__chaindb_each_header(db, see_header, &s),
                         SPV_DAMAGED);
        spv__buf_clear(&s.bytes);
        spv__db_rollback(db);
    }
    spv__db_free(db);
    free(headers);
}

/* ---- Peers ---- */

static spv_err see_peer(void *ctx, const spv_row_peer *row)
{
    spv__put_bytes(ctx, row, sizeof(*row));
    return SPV_OK;
}

static void peers_come_back_best_first(void **state)
{
    static const spv_row_peer rows[] = {
        {.addr = {1, 4, {127, 0, 0, 1}, 18444}, .last_success = 5},
        {.addr = {2, 16, {[15] = 1}, 65535},
         .services = UINT64_MAX,
         .flags = 3,
         .failures = 2,
         .last_seen = 10,
         .last_tried = 11,
         .last_success = 12,
         .banned_until = INT64_MAX},
        {.addr = {4, 32, {9}, 8333}},
    };
    spv_row_peer again = rows[0];
    spv_db *db = opened(state);
    spv_buf got = SPV_BUF_EMPTY;
    const spv_row_peer *out;

    for (size_t i = 0; i < 3; i++)
        assert_int_equal(spv__chaindb_put_peer(db, &rows[i]), SPV_OK);
    again.last_success = 99;
    assert_int_equal(spv__chaindb_put_peer(db, &again), SPV_OK);
    assert_int_equal(spv__chaindb_remove_peer(db, &rows[2].addr), SPV_OK);
    assert_int_equal(spv__chaindb_each_peer(db, see_peer, &got), SPV_OK);
    assert_int_equal(got.len, 2 * sizeof(spv_row_peer));
    out = (const spv_row_peer *)(const void *)got.bytes;
    assert_int_equal(out[0].addr.port, 18444);
    assert_int_equal(out[0].last_success, 99);
    assert_memory_equal(out[1].addr.addr, rows[1].addr.addr, 32);
    assert_true(out[1].services == UINT64_MAX);
    assert_int_equal(out[1].flags, 3);
    assert_int_equal(out[1].failures, 2);
    assert_int_equal(out[1].last_seen, 10);
    assert_int_equal(out[1].last_tried, 11);
    assert_int_equal(out[1].last_success, 12);
    assert_true(out[1].banned_until == INT64_MAX);
    spv__buf_reset(&got);
    assert_int_equal(spv__chaindb_remove_peers(db), SPV_OK);
    assert_int_equal(spv__chaindb_each_peer(db, see_peer, &got), SPV_OK);
    assert_int_equal(got.len, 0);
    spv__buf_clear(&got);
    spv__db_free(db);
}

/* ---- Damage ---- */

static void a_damaged_file_is_put_aside_and_begun_anew(void **state)
{
    static const char junk[] = "SQLite format 3, or so it says";
    spv_path path = scratch_path(state, "chain.sqlite");
    spv_path aside = scratch_path(state, "chain.sqlite.damaged-1");
    uint8_t *headers = make_headers((spv_hash){{0}}, 10, 1);
    spv_detail why = {""};
    spv_path moved;
    spv_db *db;

    scratch_write(path.text, junk, sizeof(junk));
    assert_int_equal(spv__chaindb_open(&db, path.text, &moved, &why), SPV_OK);
    assert_string_equal(moved.text, aside.text);
    assert_true(scratch_has(aside.text));
    assert_int_equal(spv__chaindb_put_headers(db, 0, headers, 10), SPV_OK);
    spv__db_free(db);
    db = opened(state);
    assert_chain(db, 0, headers, 10);
    spv__db_free(db);
    free(headers);
}

/** Read all that can be read; never anything but the truth, or SPV_DAMAGED. */
static spv_err read_damaged(const char *path, const uint8_t *headers, size_t n)
{
    seen s = {.lowest = -1};
    spv_db *db;
    spv_err err =
        spv__db_open(&db, path, &SPV__CHAINDB_SCHEMA, SPV__DB_OPEN, NULL);

    if (!err)
        err = spv__chaindb_each_header(db, see_header, &s);
    if (!err) {
        assert_int_equal(s.lowest, 0);
        assert_int_equal(s.bytes.len, n * SPV_HEADER_LEN);
        assert_memory_equal(s.bytes.bytes, headers, s.bytes.len);
    }
    spv__buf_clear(&s.bytes);
    spv__db_free(db);
    return err;
}

static void damage_anywhere_is_found_or_harmless(void **state)
{
    enum { N = 1000 };
    spv_path path = scratch_path(state, "chain.sqlite");
    spv_path wal = scratch_path(state, "chain.sqlite-wal");
    uint8_t *headers = make_headers((spv_hash){{0}}, N, 1);
    spv_db *db = opened(state);
    uint64_t seed = 41;
    uint8_t *good;
    size_t len;
    int found = 0;

    assert_int_equal(spv__chaindb_put_headers(db, 0, headers, N), SPV_OK);
    spv__db_free(db);
    good = scratch_read(path.text, &len);
    for (int round = 0; round < 300; round++) {
        uint8_t *bytes = malloc(len);
        size_t left;
        spv_err err;

        assert_non_null(bytes);
        memcpy(bytes, good, len);
        left = scratch_damage(bytes, len, &seed);
        scratch_write(path.text, bytes, left);
        (void)unlink(wal.text);
        err = read_damaged(path.text, headers, N);
        assert_true(err == SPV_OK || err == SPV_DAMAGED);
        found += err != SPV_OK;
        free(bytes);
    }
    assert_true(found > 150);
    free(good);
    free(headers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(headers_come_back_in_order),
        scratch_test(a_chain_may_begin_at_a_checkpoint),
        scratch_test(a_reorganisation_replaces_the_top),
        scratch_test(a_hole_is_refused_and_changes_nothing),
        scratch_test(a_put_below_the_lowest_starts_anew),
        scratch_test(headers_join_the_transaction_at_hand),
        scratch_test(a_chain_that_does_not_link_is_damaged),
        scratch_test(peers_come_back_best_first),
        scratch_test(a_damaged_file_is_put_aside_and_begun_anew),
        scratch_case("S52 damage anywhere is found, or harmless",
                     damage_anywhere_is_found_or_harmless),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
