#include "cmocka_all.h"

#include <string.h>

#include "wallet/hd.h"

#define N(a) (sizeof(a) / sizeof((a)[0]))

static spv_hd master(void)
{
    static const uint8_t seed[16] = {1, 2, 3};
    spv_hd key;

    assert_int_equal(spv__hd_of_seed(&key, seed, sizeof(seed)), SPV_OK);
    return key;
}

static void a_seed_has_sixteen_to_sixty_four_bytes(void **state)
{
    static const uint8_t seed[65];
    spv_hd key;

    (void)state;
    assert_int_equal(spv__hd_of_seed(&key, seed, 15), SPV_INVAL);
    assert_int_equal(spv__hd_of_seed(&key, seed, 16), SPV_OK);
    assert_int_equal(spv__hd_of_seed(&key, seed, 64), SPV_OK);
    assert_int_equal(spv__hd_of_seed(&key, seed, 65), SPV_INVAL);
}

static void the_three_roads_to_a_public_child_meet(void **state)
{
    spv_hd private_parent = master();
    spv_hd public_parent = private_parent;

    (void)state;
    spv__hd_neuter(&public_parent);
    for (uint32_t i = 0; i < 20; i++) {
        spv_hd a;
        spv_hd b;
        uint8_t c[33];

        assert_int_equal(spv__hd_child(&a, &private_parent, i), SPV_OK);
        assert_int_equal(spv__hd_child(&b, &public_parent, i), SPV_OK);
        assert_int_equal(spv__hd_child_public(c, &private_parent, i), SPV_OK);
        assert_true(a.has_secret);
        assert_false(b.has_secret);
        assert_memory_equal(a.public, b.public, 33);
        assert_memory_equal(a.public, c, 33);
        assert_memory_equal(a.chain, b.chain, 32);
    }
}

static void a_public_key_has_no_hardened_children(void **state)
{
    spv_hd key = master();

    (void)state;
    spv__hd_neuter(&key);
    assert_int_equal(spv__hd_child(&key, &key, SPV__HARDENED), SPV_INVAL);
    assert_false(key.has_secret);
}

static void a_neutered_key_keeps_no_secret(void **state)
{
    static const uint8_t zeros[32];
    spv_hd key = master();
    char text[SPV__HD_TEXT];

    (void)state;
    spv__hd_neuter(&key);
    assert_memory_equal(key.secret, zeros, 32);
    assert_int_equal(spv__hd_format(text, &key, SPV_HD_PLAIN, true,
                                    spv_network_get(SPV_MAIN)),
                     SPV_INVAL);
    assert_string_equal(text, "");
}

static void nothing_lies_below_depth_255(void **state)
{
    spv_hd key = master();

    (void)state;
    for (int depth = 0; depth < 255; depth++)
        assert_int_equal(spv__hd_child(&key, &key, 0), SPV_OK);
    assert_int_equal(key.depth, 255);
    assert_int_equal(spv__hd_child(&key, &key, 0), SPV_LIMIT);
}

static void every_kind_and_network_is_written_and_read_back(void **state)
{
    static const struct {
        spv_chain chain;
        spv_hd_kind kind;
        const char *public;
        const char *private;
    } cases[] = {
        {SPV_MAIN, SPV_HD_PLAIN, "xpub", "xprv"},
        {SPV_MAIN, SPV_HD_SH_WPKH, "ypub", "yprv"},
        {SPV_MAIN, SPV_HD_WPKH, "zpub", "zprv"},
        {SPV_TESTNET4, SPV_HD_PLAIN, "tpub", "tprv"},
        {SPV_SIGNET, SPV_HD_SH_WPKH, "upub", "uprv"},
        {SPV_REGTEST, SPV_HD_WPKH, "vpub", "vprv"},
    };
    spv_hd key = master();

    (void)state;
    for (size_t i = 0; i < 2 * N(cases); i++) {
        const spv_network *network = spv_network_get(cases[i / 2].chain);
        const spv_network *other = spv_network_get(
            cases[i / 2].chain == SPV_MAIN ? SPV_REGTEST : SPV_MAIN);
        bool as_private = i % 2;
        char text[SPV__HD_TEXT];
        spv_hd_kind kind;
        spv_hd again;

        assert_int_equal(
            spv__hd_format(text, &key, cases[i / 2].kind, as_private, network),
            SPV_OK);
        assert_memory_equal(
            text, as_private ? cases[i / 2].private : cases[i / 2].public, 4);
        assert_int_equal(
            spv__hd_parse(&again, &kind, text, strlen(text), network), SPV_OK);
        assert_int_equal(kind, cases[i / 2].kind);
        assert_int_equal(again.has_secret, as_private);
        assert_memory_equal(again.public, key.public, 33);
        assert_int_equal(
            spv__hd_parse(&again, &kind, text, strlen(text), other),
            SPV_NETWORK);
    }
}

static void paths_are_read_with_either_mark(void **state)
{
    static const struct {
        const char *text;
        spv_err want;
        size_t n;
        uint32_t last;
    } cases[] = {
        {"m", SPV_OK, 0, 0},
        {"", SPV_OK, 0, 0},
        {"m/0", SPV_OK, 1, 0},
        {"m/84h/0'/2147483647", SPV_OK, 3, 2147483647},
        {"44'/1h", SPV_OK, 2, SPV__HARDENED | 1},
        {"m/2147483648", SPV_MALFORMED, 0, 0},
        {"m/99999999999999999999999", SPV_MALFORMED, 0, 0},
        {"m/", SPV_MALFORMED, 0, 0},
        {"m//1", SPV_MALFORMED, 0, 0},
        {"m/1x", SPV_MALFORMED, 0, 0},
        {"m/1H", SPV_MALFORMED, 0, 0},
        {"m/-1", SPV_MALFORMED, 0, 0},
        {"m0", SPV_MALFORMED, 0, 0},
        {"/0", SPV_OK, 1, 0},
    };

    (void)state;
    for (size_t i = 0; i < N(cases); i++) {
        spv_path path;

        assert_int_equal(spv__path_parse(&path, cases[i].text), cases[i].want);
        if (cases[i].want != SPV_OK)
            continue;
        assert_int_equal(path.n, cases[i].n);
        if (path.n)
            assert_int_equal(path.step[path.n - 1], cases[i].last);
    }
}

static void a_path_has_a_longest(void **state)
{
    char text[2 * (SPV__PATH_MAX + 1) + 1] = "";
    spv_path path;

    (void)state;
    for (size_t i = 0; i + 1 < sizeof(text); i++)
        text[i] = i % 2 ? '1' : '/';
    assert_int_equal(spv__path_parse(&path, text), SPV_LIMIT);
    assert_int_equal(spv__path_parse(&path, text + 2), SPV_OK);
    assert_int_equal(path.n, SPV__PATH_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_seed_has_sixteen_to_sixty_four_bytes),
        cmocka_unit_test(the_three_roads_to_a_public_child_meet),
        cmocka_unit_test(a_public_key_has_no_hardened_children),
        cmocka_unit_test(a_neutered_key_keeps_no_secret),
        cmocka_unit_test(nothing_lies_below_depth_255),
        cmocka_unit_test(every_kind_and_network_is_written_and_read_back),
        cmocka_unit_test(paths_are_read_with_either_mark),
        cmocka_unit_test(a_path_has_a_longest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
