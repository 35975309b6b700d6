#include "store_scratch.h"

static spv_folder folder_in(void **state)
{
    spv_folder f;

    assert_int_equal(
        spv__folder_init(&f, *state, spv_network_get(SPV_REGTEST), NULL),
        SPV_OK);
    return f;
}

static void wallet_names_are_plain(void **state)
{
    static const struct {
        const char *name;
        bool valid;
    } cases[] = {
        {"default", true},
        {"a", true},
        {"Savings.2", true},
        {"0_-.x", true},
        {"", false},
        {".", false},
        {"..", false},
        {".hidden", false},
        {"-rf", false},
        {"a/b", false},
        {"../up", false},
        {"a b", false},
        {"a\nb", false},
        {"caf\xc3\xa9", false},
        {"a\\b", false},
        {"a:b", false},
        {"0123456789012345678901234567890123456789012345678901234567890123",
         true},
        {"01234567890123456789012345678901234567890123456789012345678901234",
         false},
    };
    spv_folder f = folder_in(state);
    spv_detail why = {""};
    spv_path path;

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        assert_int_equal(spv__wallet_name_is_valid(cases[i].name),
                         cases[i].valid);
        assert_int_equal(
            spv__folder_wallet(&f, &path, cases[i].name, SPV__FILE_ROWS, &why),
            cases[i].valid ? SPV_OK : SPV_INVAL);
    }
    assert_non_null(strstr(why.text, "name"));
}

static void paths_lie_where_the_documents_say(void **state)
{
    static const struct {
        spv_wallet_file file;
        const char *want;
    } cases[] = {
        {SPV__FILE_SECRET, "/d/regtest/wallets/joe.secret"},
        {SPV__FILE_CARD, "/d/regtest/wallets/joe.wallet"},
        {SPV__FILE_ROWS, "/d/regtest/wallets/joe.sqlite"},
    };
    spv_folder f;
    spv_path path;

    (void)state;
    assert_int_equal(
        spv__folder_init(&f, "/d", spv_network_get(SPV_REGTEST), NULL), SPV_OK);
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        assert_int_equal(
            spv__folder_wallet(&f, &path, "joe", cases[i].file, NULL), SPV_OK);
        assert_string_equal(path.text, cases[i].want);
    }
    assert_int_equal(spv__folder_chain(&f, &path, NULL), SPV_OK);
    assert_string_equal(path.text, "/d/regtest/chain.sqlite");
}

static void a_path_that_is_too_long_is_refused(void **state)
{
    char datadir[SPV__PATH_MAX];
    spv_detail why = {""};
    spv_folder f;
    spv_path path;

    (void)state;
    memset(datadir, 'x', sizeof(datadir));
    datadir[sizeof(datadir) - 1] = '\0';
    assert_int_equal(
        spv__folder_init(&f, datadir, spv_network_get(SPV_MAIN), &why),
        SPV_LIMIT);
    assert_non_null(strstr(why.text, "longer than"));

    datadir[sizeof(datadir) - 20] = '\0';
    assert_int_equal(
        spv__folder_init(&f, datadir, spv_network_get(SPV_MAIN), &why), SPV_OK);
    assert_int_equal(spv__folder_wallet(&f, &path, "joe", SPV__FILE_ROWS, &why),
                     SPV_LIMIT);
}

static void folders_are_made_for_their_owner_only(void **state)
{
    spv_path deep = scratch_path(state, "a/b//c/");
    spv_folder f;
    mode_t before = umask(0);

    assert_int_equal(
        spv__folder_init(&f, deep.text, spv_network_get(SPV_SIGNET), NULL),
        SPV_OK);
    assert_int_equal(spv__folder_make(&f, NULL), SPV_OK);
    assert_int_equal(spv__folder_make(&f, NULL), SPV_OK);
    (void)umask(before);
    assert_int_equal(scratch_mode(f.root.text), 0700);
    assert_int_equal(scratch_mode(f.wallets.text), 0700);
    assert_int_equal(scratch_mode(scratch_path(state, "a").text), 0700);
}

static void a_file_in_the_way_is_named(void **state)
{
    spv_path file = scratch_path(state, "regtest");
    spv_folder f = folder_in(state);
    spv_detail why = {""};

    scratch_write(file.text, "x", 1);
    assert_int_equal(spv__folder_make(&f, &why), SPV_IO);
    assert_non_null(strstr(why.text, file.text));
}

static spv_err note_name(void *ctx, const char *name)
{
    strcat(ctx, name);
    strcat(ctx, " ");
    return strcmp(name, "stop") == 0 ? SPV_INTERRUPTED : SPV_OK;
}

static void put_file(const spv_folder *f, const char *name)
{
    char path[1024];

    (void)snprintf(path, sizeof(path), "%s/%s", f->wallets.text, name);
    scratch_write(path, "", 0);
}

static void wallets_are_listed_once_and_in_order(void **state)
{
    static const char *const files[] = {
        "zoe.wallet",
        "zoe.sqlite",
        "zoe.secret",
        "amy.sqlite",
        "amy.sqlite-wal",
        "lost.secret",
        "bob.wallet",
        "bob.wallet.new",
        "bob.sqlite.damaged-1",
        "notes.txt",
        ".sqlite",
        ".hidden.wallet",
        "bad name.wallet",
        "amy.sqlite.damaged-1-wal",
    };
    spv_folder f = folder_in(state);
    char names[256] = "";

    assert_int_equal(spv__folder_each_wallet(&f, note_name, names, NULL),
                     SPV_OK);
    assert_string_equal(names, "");
    assert_int_equal(spv__folder_make(&f, NULL), SPV_OK);
    for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
        put_file(&f, files[i]);
    assert_int_equal(spv__folder_each_wallet(&f, note_name, names, NULL),
                     SPV_OK);
    assert_string_equal(names, "amy bob zoe ");
    assert_true(spv__folder_has_wallet(&f, "lost"));
    assert_false(spv__folder_has_wallet(&f, "notes"));

    put_file(&f, "stop.wallet");
    names[0] = '\0';
    assert_int_equal(spv__folder_each_wallet(&f, note_name, names, NULL),
                     SPV_INTERRUPTED);
    assert_string_equal(names, "amy bob stop ");
}

static void dropping_a_new_wallet_leaves_its_neighbours(void **state)
{
    static const char *const files[] = {"joe.secret", "joe.wallet",
                                        "joe.sqlite", "joe.sqlite-wal",
                                        "joel.secret"};
    spv_folder f = folder_in(state);
    spv_path path;

    assert_int_equal(spv__folder_make(&f, NULL), SPV_OK);
    for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
        put_file(&f, files[i]);
    spv__folder_drop_new_wallet(&f, "joe", SPV__FILE_SECRET);
    assert_false(spv__folder_has_wallet(&f, "joe"));
    assert_true(spv__folder_has_wallet(&f, "joel"));
    path = scratch_path(state, "regtest/wallets/joe.sqlite-wal");
    assert_false(scratch_has(path.text));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(wallet_names_are_plain),
        scratch_test(paths_lie_where_the_documents_say),
        scratch_test(a_path_that_is_too_long_is_refused),
        scratch_test(folders_are_made_for_their_owner_only),
        scratch_test(a_file_in_the_way_is_named),
        scratch_test(wallets_are_listed_once_and_in_order),
        scratch_test(dropping_a_new_wallet_leaves_its_neighbours),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
