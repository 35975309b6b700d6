#include "client_world.h"
#include "store_scratch.h"

#include <spv/peers.h>

#include "client/disk.h"

enum { NOW = 1800000000 };

static spv_peers *opened(void **state)
{
    spv_place place = {.datadir = *state, .network = world_network()};
    spv_peers *p = NULL;

    assert_int_equal(spv_peers_open(&p, &place, NULL), SPV_OK);
    return p;
}

static size_t count(const spv_peers *p)
{
    spv_known_peer *list = NULL;
    size_t n = 0;

    assert_int_equal(spv_peers_list(p, &list, &n), SPV_OK);
    free(list);
    return n;
}

static void what_is_added_is_there_next_time(void **state)
{
    spv_peers *p = opened(state);
    spv_known_peer *list = NULL;
    size_t n = 0;

    assert_int_equal(spv_peers_add(p, "5.6.7.8", NULL), SPV_OK);
    assert_int_equal(spv_peers_ban(p, "[2a01::1]:5", NOW, NULL), SPV_OK);
    spv_peers_free(p);
    p = opened(state);
    assert_int_equal(spv_peers_list(p, &list, &n), SPV_OK);
    assert_int_equal(n, 2);
    assert_string_equal(list[0].address, "5.6.7.8:18444");
    assert_int_equal(list[0].source, SPV_PEER_SOURCE_USER);
    assert_true(spv_peers_is_of(p, &list[0], "5.6.7.8:1"));
    assert_false(spv_peers_is_of(p, &list[1], "5.6.7.8:1"));
    assert_string_equal(list[1].address, "[2a01::1]:5");
    assert_true(list[1].banned_until_time == NOW);
    assert_string_equal(spv_peer_source_name(list[1].source), "peer");
    free(list);
    spv_peers_free(p);
}

static void a_ban_is_lifted_once(void **state)
{
    spv_peers *p = opened(state);

    assert_int_equal(spv_peers_ban(p, "5.6.7.8", NOW + 1, NULL), SPV_OK);
    assert_int_equal(spv_peers_unban(p, "5.6.7.8:9", NOW, NULL), SPV_OK);
    assert_int_equal(spv_peers_unban(p, "5.6.7.8:9", NOW, NULL), SPV_NOT_FOUND);
    spv_peers_free(p);
}

static void names_are_refused(void **state)
{
    spv_peers *p = opened(state);
    spv_trouble trouble = {0};

    assert_int_equal(spv_peers_add(p, "node.example", &trouble), SPV_INVAL);
    assert_non_null(strstr(trouble.hint, "--connect"));
    assert_int_equal(spv_peers_ban(p, "1.2.3", NOW, NULL), SPV_INVAL);
    assert_int_equal(spv_peers_unban(p, "", NOW, NULL), SPV_INVAL);
    assert_int_equal(count(p), 0);
    spv_peers_free(p);
}

static void the_user_names_so_many_and_no_more(void **state)
{
    spv_peers *p = opened(state);
    spv_trouble trouble = {0};
    spv_err err = SPV_OK;
    char text[32];

    for (int i = 0; i <= SPV__BOOK_KEPT_MAX && err == SPV_OK; i++) {
        (void)snprintf(text, sizeof(text), "10.0.0.%d", i);
        err = spv_peers_add(p, text, &trouble);
    }
    assert_int_equal(err, SPV_LIMIT);
    assert_non_null(strstr(trouble.text, "128"));
    assert_int_equal(count(p), SPV__BOOK_KEPT_MAX);
    spv_peers_free(p);
}

static void nobody_else_has_the_folder_meanwhile(void **state)
{
    spv_place place = {.datadir = *state, .network = world_network()};
    spv_peers *p = opened(state);
    spv_peers *other = NULL;

    assert_int_equal(spv_peers_add(p, "5.6.7.8", NULL), SPV_OK);
    assert_int_equal(spv_peers_open(&other, &place, NULL), SPV_BUSY);
    assert_null(other);
    spv_peers_free(p);
}

/** Everything that an entry has goes to disk and comes back. */
static void all_of_an_entry_is_kept(void **state)
{
    const spv_book_entry e = {
        .addr = {.net = 1, .len = 4, .addr = {5, 6, 7, 8}, .port = 9},
        .services = UINT64_C(0xfedcba9876543210),
        .met = true,
        .source = SPV_BOOK_DNS,
        .teller = (1u << 29) - 1,
        .failures = 7,
        .last_seen = 1,
        .last_tried = 2,
        .last_success = 3,
        .banned_until = INT64_MAX};
    spv_book book = {0};
    bool damaged = false;
    spv_db *db = NULL;
    spv_path path;
    spv_path moved;

    (void)snprintf(path.text, sizeof(path.text), "%s/chain.sqlite",
                   (const char *)*state);
    assert_int_equal(spv__chaindb_open(&db, path.text, &moved, NULL), SPV_OK);
    assert_int_equal(spv__book_load(&book, &e), SPV_OK);
    assert_int_equal(spv__disk_keep_peers(db, &book), SPV_OK);
    assert_false(book.changed);
    assert_int_equal(spv__disk_load_peers(db, &book, &damaged), SPV_OK);
    assert_false(damaged || book.changed);
    assert_int_equal(book.n, 1);
    book.item[0].group = e.group;
    assert_memory_equal(&book.item[0].addr, &e.addr, sizeof(e.addr));
    assert_true(book.item[0].services == e.services && book.item[0].met);
    assert_int_equal(book.item[0].source, e.source);
    assert_int_equal(book.item[0].teller, e.teller);
    assert_int_equal(book.item[0].failures, e.failures);
    assert_int_equal(book.item[0].last_seen, 1);
    assert_int_equal(book.item[0].last_tried, 2);
    assert_int_equal(book.item[0].last_success, 3);
    assert_true(book.item[0].banned_until == INT64_MAX);
    spv__book_clear(&book);
    spv__db_free(db);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(what_is_added_is_there_next_time),
        scratch_test(a_ban_is_lifted_once),
        scratch_test(names_are_refused),
        scratch_test(the_user_names_so_many_and_no_more),
        scratch_test(nobody_else_has_the_folder_meanwhile),
        scratch_test(all_of_an_entry_is_kept),
    };

    return cmocka_run_group_tests_name("client.peers", tests, NULL, NULL);
}
