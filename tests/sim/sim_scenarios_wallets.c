#include "unit/cmocka_all.h"

#include <math.h>
#include <string.h>

#include <spv/address.h>

#include "base/digest.h"
#include "client/client.h"
#include "sim/scene.h"
#include "support/must.h"

/*
 * Wallets of all sizes: very large ones, busy ones with any number of peers,
 * idle ones, and some whose files were harmed.
 */

static spv_sync_report report_of(const scene *sc)
{
    spv_sync_report report;

    spv_client_report(sc->user.client, &report);
    return report;
}

/** Sync and stay a while: so that the node's side can be looked at. */
static void stay(scene *sc)
{
    sc->user.options.stay = true;
    user_sync(&sc->user, sc->s);
    assert_int_equal(sim_run(sc->s, sim_now(sc->s) + 60000), SPV_TIMEOUT);
    assert_int_equal(report_of(sc).phase, SPV_PHASE_SYNCED);
}

/* ---- Thirty thousand addresses ---- */

enum { MANY = 30000, STEP = 97, HASH_FUNCS_MAX = 50 };

/** As descriptors; each has its text in `texts`. */
typedef struct address_list {
    const char *item[MANY];
    char text[MANY][SPV_ADDRESS_TEXT + 8];
} address_list;

static void put_address(address_list *l, size_t at, const uint8_t *script,
                        size_t len)
{
    char address[SPV_ADDRESS_TEXT];

    MUST(spv_address_format(address, script, len,
                            spv_network_get(SPV_REGTEST)) == SPV_OK);
    (void)snprintf(l->text[at], sizeof(l->text[at]), "addr(%s)", address);
    l->item[at] = l->text[at];
}

/** An address that nobody pays. */
static void put_stranger(address_list *l, uint32_t at)
{
    uint8_t script[22] = {0, 20};
    uint8_t hash[32];

    spv__sha256(hash, &at, sizeof(at));
    memcpy(script + 2, hash, 20);
    put_address(l, at, script, sizeof(script));
}

/** Every address of the book's wallet that was paid, strewn among others. */
static address_list *many_addresses(const history *h)
{
    const genwallet *book = chaingen_wallet(h->maker);
    address_list *l = malloc(sizeof(*l));
    size_t at = 0;

    MUST(l);
    for (uint32_t i = 0; i < MANY; i++)
        put_stranger(l, i);
    for (uint32_t branch = 0; branch < 2; branch++) {
        uint32_t used = genwallet_fresh(book, branch).index;

        for (uint32_t i = 0; i < used; i++, at += STEP) {
            genwallet_key key = {branch, i};
            draft_out out = genwallet_out(book, key, 0);

            MUST(at < MANY);
            put_address(l, at, out.script, out.len);
        }
    }
    assert_true(at > 20 * STEP);
    return l;
}

static void s05(void **state)
{
    address_list *list = many_addresses(&usual);
    spv_wallet_spec spec = user_spec(NULL, 0);
    const spv_filter *sent = NULL;
    spv_sync_report report;
    scene sc;

    (void)state;
    spec.mnemonic = NULL;
    spec.descriptors = list->item;
    spec.n_descriptors = MANY;
    scene_begin(&sc);
    (void)scene_peer(&sc, "honest");
    user_begin(&sc.user, &spec, false, 1, 1);
    stay(&sc);
    assert_true_history(&sc, &usual);
    sent = spv__script_node_filter(sc.node[0]);
    assert_in_range(sent->len, 1, SPV_FILTER_BYTES_MAX);
    assert_in_range(sent->hash_funcs, 1, HASH_FUNCS_MAX);
    assert_int_equal(spv__script_node_count(sc.node[0])->faults, 0);
    report = report_of(&sc);
    assert_true(report.filter_elements >= MANY);
    assert_true(fabs(report.fp_rate / spv_filter_rate(sent) - 1) < 0.02);
    scene_end(&sc);
    free(list);
}

/* ---- Nothing for the wallet ---- */

/** Two thousand blocks of strangers' business, some of it matched by chance. */
static void s09_idle(void **state)
{
    chaingen_options o = chaingen_defaults();
    spv_wallet_spec spec = user_spec("wpkh", 0);
    history h;
    scene sc;
    double rate = 0;

    (void)state;
    o.blocks = 2000;
    o.txs = 10000;
    o.wallet_txs = 0;
    h = history_of(&o, o.blocks);
    spec.fp_rate = 0.001;
    scene_begin(&sc);
    (void)scene_add(&sc, h.chain, o.blocks, "honest", near_by);
    user_begin(&sc.user, &spec, false, 1, 1);
    rate = spv_filter_rate(&sc.user.client->filter);
    stay(&sc);
    assert_int_equal(heard(&sc, 0, SPV_MSG_FILTERLOAD), 1);
    assert_int_equal(spv__script_node_count(sc.node[0])->filtered_asked,
                     o.blocks);
    assert_true(report_of(&sc).false_positives > 10);
    assert_true(report_of(&sc).fp_rate == rate);
    assert_true(spv_filter_rate(spv__script_node_filter(sc.node[0])) <
                1.1 * rate);
    scene_end(&sc);
    history_free(&h);
}

/* ---- Busy wallets, and how many peers they have ---- */

typedef struct busy {
    const char *name;
    genwallet_type type;
    size_t txs;
    int32_t blocks; /* that hold them */
    size_t burst;
    bool hasty;
} busy;

static const busy busy_wallets[] = {
    {"300 transactions", GENWALLET_WPKH, 300, 120, 0, false},
    {"300 transactions of old keys", GENWALLET_PKH, 300, 120, 0, false},
    {"40 new addresses in one block", GENWALLET_SH_WPKH, 120, 20, 40, false},
    {"300 transactions, 40 in one block", GENWALLET_TR, 300, 60, 40, false},
    {"coins that are spent whole at once", GENWALLET_WPKH, 300, 180, 0, true},
    {"taproot coins spent whole at once", GENWALLET_TR, 300, 150, 40, true},
};

static void sync_with(const history *h, const busy *b, size_t n_peers)
{
    spv_wallet_spec spec = user_spec(genwallet_type_name(b->type), 0);
    scene sc;

    scene_begin(&sc);
    for (size_t i = 0; i < n_peers; i++) {
        sim_link link = {.latency = 5 + 20 * (spv_time)i, .jitter = 5};

        (void)scene_add(&sc, h->chain, BLOCKS, "honest", link);
    }
    user_begin(&sc.user, &spec, false, n_peers, 1);
    assert_synced(&sc, h);
    assert_int_equal(report_of(&sc).n_peers, n_peers);
    assert_int_equal(sc.user.n_lines, 0);
    if (n_peers == 1)
        assert_int_equal(report_of(&sc).refetched_blocks, 0);
    scene_end(&sc);
}

static void play_busy(void **state)
{
    const busy *b = *state;
    chaingen_options o = chaingen_defaults();
    history h;

    o.type = b->type;
    o.wallet_txs = b->txs;
    o.wallet_blocks = b->blocks;
    o.burst = b->burst;
    o.hasty = b->hasty;
    h = history_of(&o, BLOCKS);
    for (size_t n_peers = 1; n_peers <= 8; n_peers *= 2)
        sync_with(&h, b, n_peers);
    history_free(&h);
}

/* ---- Harmed files ---- */

enum { HALF = 250, HARMS = 40, BYTES_MAX = 1 << 21 };

/** A whole file; the caller frees it. */
static uint8_t *read_whole(const char *path, size_t *len)
{
    uint8_t *bytes = malloc(BYTES_MAX);
    FILE *f = fopen(path, "rb");

    MUST(bytes && f);
    *len = fread(bytes, 1, BYTES_MAX, f);
    MUST(*len > 0 && *len < BYTES_MAX && fclose(f) == 0);
    return bytes;
}

/** Cut a file short, or turn some bits of it, wherever chance wants. */
static void harm_file(const char *path, spv_rng *r)
{
    size_t len = 0;
    uint8_t *bytes = read_whole(path, &len);
    FILE *f = NULL;

    if (spv__rng_chance(r, 1, 3)) {
        len = (size_t)spv__rng_between(r, 1, (int64_t)len);
    } else {
        for (uint64_t n = 1 + spv__rng_below(r, 4); n > 0; n--)
            bytes[spv__rng_below(r, len)] ^=
                (uint8_t)(1u << spv__rng_below(r, 8));
    }
    f = fopen(path, "wb");
    MUST(f && fwrite(bytes, 1, len, f) == len && fclose(f) == 0);
    free(bytes);
}

/** Something happens to one or two files of a machine that was killed. */
static void harm(const user *u, uint64_t seed)
{
    static const char *const names[] = {
        "chain.sqlite",           "chain.sqlite-wal",   "wallets/sim.sqlite",
        "wallets/sim.sqlite-wal", "wallets/sim.wallet",
    };
    spv_rng r = {seed};
    char path[USER_PATH];

    for (uint64_t n = 1 + spv__rng_below(&r, 2); n > 0; n--) {
        user_file(path, u, names[spv__rng_below(&r, 5)]);
        harm_file(path, &r);
    }
}

/** Opened, perhaps the second time only: then the first one says why. False
 * when a wallet has lost both of what it could be made of. */
static bool opens(user *u)
{
    spv_trouble trouble = {0};
    spv_err err = user_open(u, &trouble);

    if (err == SPV_OK)
        return true;
    assert_int_equal(err, SPV_DAMAGED);
    assert_true(trouble.text[0]);
    err = user_open(u, &trouble);
    assert_true(err == SPV_OK || err == SPV_DAMAGED);
    return err == SPV_OK;
}

static uint8_t *secret_of(const user *u, size_t *len)
{
    char path[USER_PATH];

    user_file(path, u, "wallets/sim.secret");
    return read_whole(path, len);
}

static void assert_secret(const user *u, const uint8_t *secret, size_t len)
{
    size_t now_len = 0;
    uint8_t *now = secret_of(u, &now_len);

    assert_int_equal(now_len, len);
    assert_memory_equal(now, secret, len);
    free(now);
}

/** Killed at work, with logs that are not empty; harmed; and then synced. */
static void s52(void **state)
{
    size_t secret_len = 0;
    size_t opened = 0;
    uint8_t *secret = NULL;
    spv_script_node *node = NULL;
    scene sc;

    (void)state;
    scene_begin(&sc);
    node = scene_add(&sc, usual.chain, HALF, "honest", near_by);
    scene_wallet(&sc, true);
    assert_int_equal(scene_sync(&sc), SPV_OK);
    user_back_up(&sc.user);
    user_die(&sc.user);
    secret = secret_of(&sc.user, &secret_len);
    spv__script_node_set_tip(node, BLOCKS);
    for (uint64_t seed = 0; seed < HARMS; seed++) {
        user_go_back(&sc.user);
        harm(&sc.user, seed);
        if (opens(&sc.user)) {
            assert_synced(&sc, &usual);
            user_die(&sc.user);
            opened++;
        }
        assert_secret(&sc.user, secret, secret_len);
    }
    assert_true(opened > HARMS * 9 / 10);
    free(secret);
    scene_end(&sc);
}

/* ---- Encrypted ---- */

enum { RECEIPTS = 60, GAP = 20, SYNCS = 6 };

static void encrypt(user *u)
{
    static const uint8_t noise[SPV_ENCRYPTION_ENTROPY] = {1};
    const spv_encryption how = {.password = "open sesame", .entropy = noise};
    spv_wallet_info info;

    MUST(spv_client_encrypt(u->client, &how, NULL) == SPV_OK);
    spv_client_info(u->client, &info);
    assert_true(info.encrypted);
}

/** Encrypted when new, and the password never said again: receipts at three
 * times as many addresses as are looked at ahead, in several syncs, each of
 * them with the wallet opened anew. */
static void keep_deriving(genwallet_type type)
{
    chaingen_options o = chaingen_defaults();
    spv_wallet_spec spec = user_spec(genwallet_type_name(type), GAP);
    spv_script_node *node = NULL;
    uint8_t *secret = NULL;
    size_t len = 0;
    history h;
    scene sc;

    o.type = type;
    o.txs = 300;
    o.wallet_txs = 2 * RECEIPTS;
    o.wallet_blocks = 50;
    o.burst = RECEIPTS;
    spec.lookahead = 1;
    h = history_of(&o, o.blocks);
    assert_true(genwallet_fresh(chaingen_wallet(h.maker), 0).index >= RECEIPTS);
    scene_begin(&sc);
    node = scene_add(&sc, h.chain, 0, "honest", near_by);
    user_begin(&sc.user, &spec, true, 1, 1);
    encrypt(&sc.user);
    secret = secret_of(&sc.user, &len);
    for (int32_t i = 1; i <= SYNCS; i++) {
        user_die(&sc.user);
        assert_int_equal(user_open(&sc.user, NULL), SPV_OK);
        spv__script_node_set_tip(node, o.blocks * i / SYNCS);
        assert_int_equal(scene_sync(&sc), SPV_OK);
    }
    assert_int_equal(report_of(&sc).height, o.blocks);
    assert_true_history(&sc, &h);
    assert_secret(&sc.user, secret, len);
    free(secret);
    scene_end(&sc);
    history_free(&h);
}

/* The oldest type and the newest; tests/regtest has them all. */
static void s16(void **state)
{
    (void)state;
    keep_deriving(GENWALLET_PKH);
    keep_deriving(GENWALLET_TR);
}

/* ---- The table ---- */

static const struct CMUnitTest scenes[] = {
    {.name = "S05 thirty thousand addresses in one filter", .test_func = s05},
    {.name = "S09 two thousand blocks of strangers: one filter, one rate",
     .test_func = s09_idle},
    {.name = "S16 an encrypted wallet keeps deriving: 60 receipts in a row",
     .test_func = s16},
    {.name = "S52 files cut short and bits turned, wherever chance wants",
     .test_func = s52},
};

enum {
    N_BUSY = sizeof(busy_wallets) / sizeof(busy_wallets[0]),
    N_SCENES = sizeof(scenes) / sizeof(scenes[0])
};

int main(void)
{
    struct CMUnitTest tests[N_BUSY + N_SCENES];

    memcpy(tests, scenes, sizeof(scenes));
    for (size_t i = 0; i < N_BUSY; i++)
        tests[N_SCENES + i] =
            (struct CMUnitTest){.name = busy_wallets[i].name,
                                .test_func = play_busy,
                                .initial_state = (void *)&busy_wallets[i]};
    return cmocka_run_group_tests_name("sim.scenarios_wallets", tests,
                                       make_usual, drop_usual);
}
