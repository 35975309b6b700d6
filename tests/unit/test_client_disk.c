#include "client_world.h"
#include "store_scratch.h"

#include <signal.h>
#include <sys/wait.h>

#include "client/disk.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

#define WORDS                                                          \
    "abandon abandon abandon abandon abandon abandon abandon abandon " \
    "abandon abandon abandon about"

static spv_place place_of(void **state)
{
    return (spv_place){
        .datadir = *state, .network = world_network(), .wallet = "w"};
}

static spv_wallet_spec spec_of_words(void)
{
    return (spv_wallet_spec){.type = "wpkh",
                             .mnemonic = WORDS,
                             .birthday = -1,
                             .birthday_time = -1,
                             .entropy = WORLD_ENTROPY};
}

static spv_client *created(void **state)
{
    spv_place place = place_of(state);
    spv_wallet_spec spec = spec_of_words();
    spv_client *c = NULL;

    assert_int_equal(spv_client_create(&c, &place, &spec, NULL), SPV_OK);
    return c;
}

static spv_client *opened(void **state)
{
    spv_place place = place_of(state);
    spv_client *c = NULL;

    assert_int_equal(spv_client_open(&c, &place, NULL), SPV_OK);
    return c;
}

static spv_err open_fails(void **state, spv_trouble *trouble)
{
    spv_place place = place_of(state);
    spv_client *c = NULL;
    spv_err err = spv_client_open(&c, &place, trouble);

    assert_int_equal(c != NULL, err == SPV_OK);
    spv_client_free(c);
    return err;
}

static spv_path file_of(void **state, spv_wallet_file file)
{
    static const char *const names[] = {
        [SPV__FILE_SECRET] = "regtest/wallets/w.secret",
        [SPV__FILE_CARD] = "regtest/wallets/w.wallet",
        [SPV__FILE_ROWS] = "regtest/wallets/w.sqlite",
    };

    return scratch_path(state, names[file]);
}

/* ---- Making ---- */

static void a_new_wallet_is_there_when_it_is_opened_again(void **state)
{
    spv_client *c = created(state);
    spv_wallet_info before;
    spv_wallet_info after;

    spv_client_info(c, &before);
    assert_string_equal(before.name, "w");
    assert_string_equal(before.type, "wpkh");
    spv_client_free(c);
    assert_int_equal(scratch_mode(file_of(state, SPV__FILE_SECRET).text), 0600);
    c = opened(state);
    spv_client_info(c, &after);
    assert_string_equal(after.name, "w");
    assert_string_equal(after.type, "wpkh");
    assert_false(after.watch_only);
    assert_int_equal(after.gap, SPV__GAP_DEFAULT);
    assert_int_equal(after.n_descriptors, 1);
    assert_int_equal(after.synced_height, SPV_NO_HEIGHT);
    spv_client_free(c);
}

static void what_cannot_be_made_leaves_nothing_behind(void **state)
{
    static const char *const bad_descriptor[] = {"wpkh(nonsense)"};
    static const struct {
        const char *name;
        spv_wallet_spec spec;
    } cases[] = {
        {"", {.type = "wpkh", .mnemonic = WORDS}},
        {".w", {.type = "wpkh", .mnemonic = WORDS}},
        {"a/b", {.type = "wpkh", .mnemonic = WORDS}},
        {"..", {.type = "wpkh", .mnemonic = WORDS}},
        {"w w", {.type = "wpkh", .mnemonic = WORDS}},
        {"w", {.type = "wpkh", .mnemonic = "abandon abandon"}},
        {"w", {.type = "wpkh", .mnemonic = WORDS " about"}},
        {"w", {.type = "nonsense", .mnemonic = WORDS}},
        {"w", {.type = "wpkh", .mnemonic = WORDS, .gap = 10001}},
        {"w", {.descriptors = bad_descriptor, .n_descriptors = 1}},
        {"w", {.descriptors = bad_descriptor, .n_descriptors = 0}},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        spv_place place = place_of(state);
        spv_wallet_spec spec = cases[i].spec;
        spv_trouble trouble = {0};
        spv_client *c = NULL;
        char **names = NULL;
        size_t n = 0;

        place.wallet = cases[i].name;
        spec.birthday = -1;
        spec.birthday_time = -1;
        spec.entropy = WORLD_ENTROPY;
        assert_int_not_equal(spv_client_create(&c, &place, &spec, &trouble),
                             SPV_OK);
        assert_null(c);
        assert_true(trouble.text[0] != '\0');
        assert_int_equal(
            spv_wallet_names(&names, &n, *state, world_network(), NULL),
            SPV_OK);
        assert_int_equal(n, 0);
        spv_names_free(names, n);
        assert_false(scratch_has(file_of(state, SPV__FILE_SECRET).text));
    }
}

static void a_name_is_given_once(void **state)
{
    spv_place place = place_of(state);
    spv_wallet_spec spec = spec_of_words();
    spv_trouble trouble = {0};
    spv_client *c = NULL;
    size_t len = 0;
    uint8_t *secret = NULL;
    uint8_t *after = NULL;

    spv_client_free(created(state));
    secret = scratch_read(file_of(state, SPV__FILE_SECRET).text, &len);
    spec.passphrase = "another";
    assert_int_equal(spv_client_create(&c, &place, &spec, &trouble),
                     SPV_EXISTS);
    assert_non_null(strstr(trouble.text, "'w'"));
    after = scratch_read(file_of(state, SPV__FILE_SECRET).text, &len);
    assert_memory_equal(secret, after, len);
    assert_int_equal(open_fails(state, NULL), SPV_OK);
    free(secret);
    free(after);
}

/* What is there at each point where making a wallet may be cut short. */
typedef enum rest { NO_ROWS, EMPTY_ROWS, ROWS_WITHOUT_CARD } rest;

static void leave_rest(void **state, rest what)
{
    spv_path rows = file_of(state, SPV__FILE_ROWS);
    spv_db *db = NULL;

    spv_client_free(created(state));
    assert_int_equal(unlink(file_of(state, SPV__FILE_CARD).text), 0);
    assert_int_equal(unlink(rows.text), 0);
    if (what == EMPTY_ROWS)
        scratch_write(rows.text, (const uint8_t *)"", 0);
    if (what != ROWS_WITHOUT_CARD)
        return;
    assert_int_equal(spv__walletdb_create(&db, rows.text, NULL), SPV_OK);
    spv__db_free(db);
}

static void only_what_was_just_made_is_taken_back(void **state)
{
    spv_client *c = created(state);

    spv_client_take_back(c);
    for (spv_wallet_file file = SPV__FILE_SECRET; file <= SPV__FILE_ROWS;
         file++)
        assert_false(scratch_has(file_of(state, file).text));
    leave_rest(state, NO_ROWS);
    spv_client_take_back(created(state));
    assert_true(scratch_has(file_of(state, SPV__FILE_SECRET).text));
    assert_false(scratch_has(file_of(state, SPV__FILE_CARD).text));
    spv_client_free(created(state));
    spv_client_take_back(opened(state));
    assert_int_equal(open_fails(state, NULL), SPV_OK);
    spv_client_take_back(NULL);
}

/* As a computer without a battery for its clock may have it. */
static void a_birthday_before_1970_is_1970(void **state)
{
    spv_place place = place_of(state);
    spv_wallet_spec spec = spec_of_words();
    spv_wallet_info info;
    spv_client *c = NULL;

    spec.birthday_time = -86400;
    assert_int_equal(spv_client_create(&c, &place, &spec, NULL), SPV_OK);
    spv_client_free(c);
    c = opened(state);
    spv_client_info(c, &info);
    assert_int_equal(info.birthday_time, 0);
    spv_client_free(c);
}

static spv_err create_fails(void **state, const char *passphrase,
                            spv_trouble *trouble)
{
    spv_place place = place_of(state);
    spv_wallet_spec spec = spec_of_words();
    spv_client *c = NULL;
    spv_err err = SPV_OK;

    spec.passphrase = passphrase;
    err = spv_client_create(&c, &place, &spec, trouble);
    spv_client_free(c);
    return err;
}

static void making_a_wallet_that_was_cut_short_is_finished(void **state)
{
    for (rest what = NO_ROWS; what <= ROWS_WITHOUT_CARD; what++) {
        spv_path file = file_of(state, SPV__FILE_SECRET);
        spv_trouble trouble = {0};
        uint8_t *secret = NULL;
        uint8_t *after = NULL;
        size_t len = 0;

        leave_rest(state, what);
        secret = scratch_read(file.text, &len);
        assert_int_equal(open_fails(state, &trouble), SPV_NOT_FOUND);
        assert_non_null(strstr(trouble.text, file.text));
        assert_int_equal(create_fails(state, "another", &trouble), SPV_EXISTS);
        assert_non_null(strstr(trouble.text, file.text));
        after = scratch_read(file.text, &len);
        assert_memory_equal(secret, after, len);
        assert_int_equal(create_fails(state, NULL, &trouble), SPV_OK);
        assert_int_equal(open_fails(state, NULL), SPV_OK);
        assert_int_equal(create_fails(state, NULL, &trouble), SPV_EXISTS);
        free(secret);
        free(after);
        scratch_remove(scratch_path(state, "regtest").text);
    }
}

static void wallets_are_listed_by_name(void **state)
{
    static const char *const made[] = {"zoe", "adam", "Eve"};
    static const char *const listed[] = {"Eve", "adam", "zoe"};
    char **names = NULL;
    size_t n = 9;

    assert_int_equal(
        spv_wallet_names(&names, &n, *state, world_network(), NULL), SPV_OK);
    assert_int_equal(n, 0); /* not even a folder */
    spv_names_free(names, n);
    for (size_t i = 0; i < COUNT(made); i++) {
        spv_place place = place_of(state);
        spv_wallet_spec spec = spec_of_words();
        spv_client *c = NULL;

        place.wallet = made[i];
        assert_int_equal(spv_client_create(&c, &place, &spec, NULL), SPV_OK);
        spv_client_free(c);
    }
    assert_int_equal(
        spv_wallet_names(&names, &n, *state, world_network(), NULL), SPV_OK);
    assert_int_equal(n, COUNT(listed));
    for (size_t i = 0; i < n; i++)
        assert_string_equal(names[i], listed[i]);
    spv_names_free(names, n);
}

/* ---- Opening ---- */

/* S11 */
static void ten_openings_show_the_same_filter(void **state)
{
    spv_client *c = created(state);
    spv_filter first;

    assert_int_equal(spv_filter_copy(&first, &c->filter), SPV_OK);
    for (int i = 0; i < 10; i++) {
        spv_wallet_address address;

        assert_int_equal(spv_client_address(c, false, true, &address), SPV_OK);
        spv_client_free(c);
        c = opened(state);
        assert_int_equal(c->filter.tweak, first.tweak);
        assert_int_equal(c->filter.hash_funcs, first.hash_funcs);
        assert_int_equal(c->filter.len, first.len);
        assert_memory_equal(c->filter.bytes, first.bytes, first.len);
    }
    spv_filter_clear(&first);
    spv_client_free(c);
}

static void what_is_not_there_is_not_found(void **state)
{
    spv_trouble trouble = {0};

    assert_int_equal(open_fails(state, &trouble), SPV_NOT_FOUND);
    assert_non_null(strstr(trouble.text, "'w'"));
    assert_false(scratch_has(scratch_path(state, "regtest").text));
}

static void a_wallet_of_another_network_is_not_opened(void **state)
{
    spv_place place = place_of(state);
    spv_trouble trouble = {0};
    spv_client *c = NULL;

    spv_client_free(created(state));
    assert_int_equal(rename(scratch_path(state, "regtest").text,
                            scratch_path(state, "signet").text),
                     0);
    place.network = spv_network_get(SPV_SIGNET);
    assert_int_equal(spv_client_open(&c, &place, &trouble), SPV_NETWORK);
    assert_non_null(strstr(trouble.text, "of regtest, not of signet"));
    assert_non_null(strstr(trouble.hint, "--chain"));
    assert_null(c);
}

static void a_child_holds_the_folder(void **state, int ready, int go)
{
    char byte;
    spv_client *c = opened(state);

    if (write(ready, "r", 1) != 1 || read(go, &byte, 1) < 0)
        _exit(1);
    spv_client_free(c);
    _exit(0);
}

static void a_folder_in_use_is_left_alone(void **state)
{
    spv_trouble trouble = {0};
    int ready[2];
    int go[2];
    char byte;
    pid_t pid;

    spv_client_free(created(state));
    assert_int_equal(pipe(ready), 0);
    assert_int_equal(pipe(go), 0);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        a_child_holds_the_folder(state, ready[1], go[0]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(open_fails(state, &trouble), SPV_BUSY);
    assert_true(trouble.hint[0] != '\0');
    assert_int_equal(write(go[1], "g", 1), 1);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    assert_int_equal(open_fails(state, NULL), SPV_OK);
    for (int i = 0; i < 2; i++) {
        (void)close(ready[i]);
        (void)close(go[i]);
    }
}

/* ---- Mending ---- */

typedef enum harm { UNHARMED, DAMAGED, LOST } harm;

static void do_harm(const char *path, harm what)
{
    size_t len = 0;
    uint8_t *bytes = scratch_read(path, &len);

    memset(bytes, 0x5a, len);
    if (what == DAMAGED)
        scratch_write(path, bytes, len);
    if (what == LOST)
        assert_int_equal(unlink(path), 0);
    free(bytes);
}

static void what_can_be_made_again_is_made_again(void **state)
{
    static const struct {
        harm card;
        harm rows;
        spv_err first;  /* opening */
        spv_err second; /* opening */
    } cases[] = {
        {UNHARMED, UNHARMED, SPV_OK, SPV_OK},
        {DAMAGED, UNHARMED, SPV_OK, SPV_OK},
        {LOST, UNHARMED, SPV_OK, SPV_OK},
        {UNHARMED, DAMAGED, SPV_DAMAGED, SPV_OK},
        {UNHARMED, LOST, SPV_DAMAGED, SPV_OK},
        {DAMAGED, DAMAGED, SPV_DAMAGED, SPV_DAMAGED},
        {DAMAGED, LOST, SPV_DAMAGED, SPV_DAMAGED},
        {LOST, DAMAGED, SPV_DAMAGED, SPV_DAMAGED},
        {LOST, LOST, SPV_NOT_FOUND, SPV_NOT_FOUND},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        spv_client *c = created(state);
        spv_trouble trouble = {0};
        spv_filter filter;
        uint8_t *secret = NULL;
        uint8_t *after = NULL;
        size_t len = 0;

        assert_int_equal(spv_filter_copy(&filter, &c->filter), SPV_OK);
        spv_client_free(c);
        secret = scratch_read(file_of(state, SPV__FILE_SECRET).text, &len);
        do_harm(file_of(state, SPV__FILE_CARD).text, cases[i].card);
        do_harm(file_of(state, SPV__FILE_ROWS).text, cases[i].rows);

        assert_int_equal(open_fails(state, &trouble), cases[i].first);
        assert_int_equal(trouble.text[0] != '\0', cases[i].first != SPV_OK);
        assert_int_equal(open_fails(state, NULL), cases[i].second);
        if (cases[i].second == SPV_OK) {
            c = opened(state);
            assert_memory_equal(c->filter.bytes, filter.bytes, filter.len);
            assert_true(scratch_has(file_of(state, SPV__FILE_CARD).text));
            spv_client_free(c);
        }
        after = scratch_read(file_of(state, SPV__FILE_SECRET).text, &len);
        assert_memory_equal(secret, after, len);
        free(secret);
        free(after);
        spv_filter_clear(&filter);
        scratch_remove(scratch_path(state, "regtest").text);
    }
}

/* The card mended from the rows serves when the rows are lost in their turn. */
static void card_and_rows_mend_each_other_in_turn(void **state)
{
    spv_client_free(created(state));
    for (int round = 0; round < 3; round++) {
        do_harm(file_of(state, SPV__FILE_CARD).text,
                round % 2 ? LOST : DAMAGED);
        assert_int_equal(open_fails(state, NULL), SPV_OK);
        do_harm(file_of(state, SPV__FILE_ROWS).text,
                round % 2 ? DAMAGED : LOST);
        assert_int_equal(open_fails(state, NULL), SPV_DAMAGED);
    }
    assert_int_equal(open_fails(state, NULL), SPV_OK);
}

/* ---- What a sync leaves on disk ---- */

enum { HEIGHT = 30 };

static world_block chain[HEIGHT + 1];

static int mine_chain(void **state)
{
    (void)state;
    world_chain(chain, HEIGHT, 1);
    return 0;
}

static int bury_chain(void **state)
{
    (void)state;
    world_chain_clear(chain, HEIGHT);
    return 0;
}

/* A watch-only wallet, brought up to the tip; returned still open. */
static spv_client *synced(void **state, world_node *node)
{
    static const char *const watched[] = {WORLD_RAW};
    spv_place place = place_of(state);
    spv_wallet_spec spec = {.descriptors = watched,
                            .n_descriptors = 1,
                            .birthday = -1,
                            .birthday_time = -1,
                            .entropy = WORLD_ENTROPY};
    spv_sync_options o;
    spv_client *c = NULL;

    *node = (world_node){.chain = chain, .height = HEIGHT};
    o = options_for(node);
    assert_int_equal(spv_client_create(&c, &place, &spec, NULL), SPV_OK);
    assert_int_equal(run_whole(c, node, &o), SPV_OK);
    return c;
}

static void assert_confirmed(const spv_client *c, int64_t payments)
{
    spv_balance b;

    spv_client_balance(c, &b);
    assert_int_equal(b.confirmed, 50000 * payments);
}

static void what_was_found_is_there_again(void **state)
{
    world_node node;
    spv_client *c = synced(state, &node);
    spv_sync_options o = options_for(&node);
    spv_wallet_info info;

    assert_confirmed(c, HEIGHT);
    spv_client_free(c);
    c = opened(state);
    assert_confirmed(c, HEIGHT);
    spv_client_info(c, &info);
    assert_int_equal(info.synced_height, HEIGHT);
    assert_true(spv_hash_equal(&info.synced_hash, &chain[HEIGHT].hash));
    node.asked = 0;
    assert_int_equal(run_whole(c, &node, &o), SPV_OK);
    assert_int_equal(node.asked, 0);
    spv_client_free(c);
    node_clear(&node);
}

static void lost_rows_are_found_again_by_a_sync(void **state)
{
    world_node node;
    spv_sync_options o;
    spv_client *c = NULL;

    spv_client_free(synced(state, &node));
    do_harm(file_of(state, SPV__FILE_ROWS).text, DAMAGED);
    assert_int_equal(open_fails(state, NULL), SPV_DAMAGED);
    c = opened(state);
    assert_confirmed(c, 0);
    o = options_for(&node);
    assert_int_equal(run_whole(c, &node, &o), SPV_OK);
    assert_confirmed(c, HEIGHT);
    spv_client_free(c);
    node_clear(&node);
}

static void damaged_headers_go_aside_and_are_fetched_again(void **state)
{
    spv_place place = place_of(state);
    world_node node;
    spv_client *c = NULL;
    spv_trouble trouble = {0};
    spv_sync_options o;

    spv_client_free(synced(state, &node));
    do_harm(scratch_path(state, "regtest/chain.sqlite").text, DAMAGED);
    assert_int_equal(spv_client_open(&c, &place, &trouble), SPV_OK);
    assert_non_null(strstr(trouble.text, "headers were damaged"));
    assert_confirmed(c, HEIGHT);
    o = options_for(&node);
    assert_int_equal(run_whole(c, &node, &o), SPV_OK);
    assert_confirmed(c, HEIGHT);
    spv_client_free(c);
    assert_int_equal(open_fails(state, &trouble), SPV_OK);
    assert_int_equal(trouble.text[0], '\0');
    node_clear(&node);
}

/* A stored transaction whose coin is in no stored log: it pays a key that was
 * not watched when it came, or an older version kept it. */
static void store_payment(void **state, int32_t height)
{
    world_tx t = world_pay_who(9999, 1);
    spv_row_tx row = {.txid = t.txid,
                      .height = height,
                      .block_hash = chain[height].hash,
                      .state = SPV_TX_CONFIRMED,
                      .raw = t.bytes.bytes,
                      .raw_len = t.bytes.len};
    spv_detail why = {""};
    spv_db *rows = NULL;

    assert_int_equal(
        spv__walletdb_open(&rows, file_of(state, SPV__FILE_ROWS).text, &why),
        SPV_OK);
    assert_int_equal(spv__walletdb_put_tx(rows, &row), SPV_OK);
    spv__db_free(rows);
    spv__buf_clear(&t.bytes);
}

static void blocks_above_a_coin_that_is_news_are_looked_at_again(void **state)
{
    world_node node;
    spv_sync_options o;
    spv_wallet_info info;
    spv_client *c = NULL;

    spv_client_free(synced(state, &node));
    store_payment(state, HEIGHT - 4);
    for (int times = 0; times < 2; times++) { /* and it is not forgotten */
        c = opened(state);
        assert_confirmed(c, HEIGHT + 1);
        spv_client_info(c, &info);
        assert_int_equal(info.synced_height, HEIGHT - 5);
        assert_int_equal(info.reached_height, HEIGHT);
        spv_client_free(c);
    }
    c = opened(state);
    o = options_for(&node);
    node.asked = 0;
    assert_int_equal(run_whole(c, &node, &o), SPV_OK);
    assert_int_equal(node.asked, 5);
    spv_client_free(c);
    c = opened(state);
    spv_client_info(c, &info);
    assert_int_equal(info.synced_height, HEIGHT);
    spv_client_free(c);
    node_clear(&node);
}

/* S18: a rescan that was asked for and not yet begun is not forgotten. */
static void S18_a_rescan_outlives_its_process(void **state)
{
    world_node node;
    spv_client *c = synced(state, &node);
    spv_sync_options o = options_for(&node);
    spv_wallet_info info;

    assert_int_equal(spv_client_rescan(c, HEIGHT - 4, -1, 50, NULL), SPV_OK);
    spv_client_free(c);
    c = opened(state);
    assert_confirmed(c, HEIGHT); /* nothing is deleted */
    spv_client_info(c, &info);
    assert_int_equal(info.gap, 50);
    assert_int_equal(info.synced_height, HEIGHT);
    assert_int_equal(info.rescan_height, HEIGHT - 4);
    node.asked = 0;
    assert_int_equal(run_whole(c, &node, &o), SPV_OK);
    assert_int_equal(node.asked, 5);
    assert_confirmed(c, HEIGHT);
    spv_client_free(c);
    node_clear(&node);
}

/* What a broken-off rescan had reached is told by the next process too. */
static void S18_what_was_reached_outlives_its_process(void **state)
{
    world_node node;
    spv_client *c = synced(state, &node);
    spv_sync_options o = options_for(&node);
    spv_wallet_info info;

    assert_int_equal(spv_client_rescan(c, 1, -1, 0, NULL), SPV_OK);
    o.until = 7;
    assert_int_equal(run_whole(c, &node, &o), SPV_OK);
    spv_client_free(c);
    c = opened(state);
    spv_client_info(c, &info);
    assert_int_equal(info.synced_height, 7);
    assert_int_equal(info.reached_height, HEIGHT);
    assert_int_equal(info.rescan_height, -1);
    spv_client_free(c);
    node_clear(&node);
}

/* Guards a mended bug: a secret that could not spend any more was not missed
 * before it was needed. Nothing is mended meanwhile. */
static void a_secret_that_is_damaged_or_gone_is_told(void **state)
{
    static const harm harms[] = {DAMAGED, LOST};

    for (size_t i = 0; i < COUNT(harms); i++) {
        spv_path rows = file_of(state, SPV__FILE_ROWS);
        spv_trouble trouble = {0};

        spv_client_free(created(state));
        do_harm(file_of(state, SPV__FILE_SECRET).text, harms[i]);
        do_harm(rows.text, LOST);
        for (int times = 0; times < 2; times++) {
            assert_int_equal(open_fails(state, &trouble), SPV_DAMAGED);
            assert_non_null(strstr(trouble.text, "w.secret"));
            assert_non_null(strstr(trouble.hint, "wallet restore"));
            assert_false(scratch_has(rows.text));
        }
        scratch_remove(scratch_path(state, "regtest").text);
    }
}

/* ---- A first sync that is broken off ---- */

/* Headers for their own sake: they come in messages of 2,000. */
static void mine_long(world_block *chain_of_headers, uint32_t height)
{
    chain_of_headers[0] = world_genesis();
    for (uint32_t h = 1; h <= height; h++) {
        chain_of_headers[h].tx[0] = chain[1].tx[0]; /* borrowed */
        chain_of_headers[h].n_tx = 1;
        world_mine(&chain_of_headers[h], &chain_of_headers[h - 1]);
    }
}

static int32_t tip_of(const spv_client *c)
{
    return spv__tree_tip(c->tree).height;
}

/* Guards a mended bug: no header was kept before all were there, so whoever
 * broke off a first sync began it again from the start. */
static void headers_are_kept_as_they_come(void **state)
{
    enum { MESSAGE = SPV__HEADERS_MAX, ALL = 3 * MESSAGE + 100 };
    static world_block headers[ALL + 1];
    world_node node = {.chain = headers, .height = ALL};
    spv_client *c = created(state);
    spv_sync_options o;
    client_run r;

    mine_long(headers, ALL);
    o = options_for(&node);
    r = run_begin(c, &node, &o);
    while (tip_of(c) < 2 * MESSAGE)
        run_step(&r); /* the second comes at once, and is not kept yet */
    assert_int_equal(tip_of(c), 2 * MESSAGE);
    c->changed = false; /* killed: nothing more is kept */
    spv_client_free(c);
    c = opened(state);
    assert_int_equal(tip_of(c), MESSAGE);
    assert_int_equal(run_whole(c, &node, &o), SPV_OK);
    assert_int_equal(tip_of(c), ALL);
    spv_client_free(c);
    c = opened(state);
    assert_int_equal(tip_of(c), ALL);
    spv_client_free(c);
    node_clear(&node);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(a_new_wallet_is_there_when_it_is_opened_again),
        scratch_test(what_cannot_be_made_leaves_nothing_behind),
        scratch_test(a_name_is_given_once),
        scratch_test(only_what_was_just_made_is_taken_back),
        scratch_test(a_birthday_before_1970_is_1970),
        scratch_test(making_a_wallet_that_was_cut_short_is_finished),
        scratch_test(wallets_are_listed_by_name),
        scratch_test(ten_openings_show_the_same_filter),
        scratch_test(what_is_not_there_is_not_found),
        scratch_test(a_wallet_of_another_network_is_not_opened),
        scratch_test(a_folder_in_use_is_left_alone),
        scratch_case("S52 what can be made again is made again",
                     what_can_be_made_again_is_made_again),
        scratch_test(card_and_rows_mend_each_other_in_turn),
        scratch_test(what_was_found_is_there_again),
        scratch_test(lost_rows_are_found_again_by_a_sync),
        scratch_test(damaged_headers_go_aside_and_are_fetched_again),
        scratch_test(blocks_above_a_coin_that_is_news_are_looked_at_again),
        scratch_test(S18_a_rescan_outlives_its_process),
        scratch_test(S18_what_was_reached_outlives_its_process),
        scratch_test(a_secret_that_is_damaged_or_gone_is_told),
        scratch_test(headers_are_kept_as_they_come),
    };

    return cmocka_run_group_tests_name("client.disk", tests, mine_chain,
                                       bury_chain);
}
