#include "cmocka_all.h"

#include <string.h>

#include <spv/client.h>

#include "base/digest.h"
#include "client/client.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

#define WORDS                                                          \
    "abandon abandon abandon abandon abandon abandon abandon abandon " \
    "abandon abandon abandon about"

static const uint8_t ENTROPY[32] = {1, 2, 3};

/* ---- Choosing ---- */

static void a_wallet_of_any_size_gets_the_largest_filter(void **state)
{
    static const struct {
        size_t elements;
        uint32_t funcs;
        uint32_t decoys;
    } cases[] = {
        {0, 13, 14936}, {1, 13, 14935},  {1040, 13, 13896}, {14935, 13, 1},
        {14936, 13, 0}, {15021, 13, 0},  {15022, 13, 0},    {30000, 6, 0},
        {100000, 1, 0}, {1000000, 1, 0},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        spv_plan plan;

        spv__plan_choose(&plan, ENTROPY, cases[i].elements);
        assert_int_equal(plan.bytes, SPV_FILTER_BYTES_MAX);
        assert_int_equal(plan.hash_funcs, cases[i].funcs);
        assert_int_equal(plan.decoys, cases[i].decoys);
        assert_int_equal(plan.flags, SPV_FILTER_UPDATE_ALL);
    }
}

static void entropy_decides_tweak_and_decoys_and_nothing_else_does(void **state)
{
    static const uint8_t other[32] = {1, 2, 4};
    spv_plan a;
    spv_plan b;
    spv_plan c;

    (void)state;
    spv__plan_choose(&a, ENTROPY, 10);
    spv__plan_choose(&b, ENTROPY, 10);
    spv__plan_choose(&c, other, 10);
    assert_memory_equal(&a, &b, sizeof(a));
    assert_int_not_equal(a.tweak, c.tweak);
    assert_memory_not_equal(a.secret, c.secret, sizeof(a.secret));
    assert_memory_not_equal(a.secret, ENTROPY, sizeof(ENTROPY));
}

/* A filter begins a little below the rate that was asked for, and is near it
 * while the first coins come. */
static void a_rate_asked_for_is_the_rate_that_results(void **state)
{
    static const struct {
        double rate;
        uint32_t funcs;
        uint32_t decoys;
    } cases[] = {{1e-9, 30, 5620},
                 {1e-6, 20, 8938},
                 {1e-4, 13, 13896},
                 {1e-3, 10, 18843},
                 {0.1, 3, 57456}};

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        spv_plan plan;

        spv__plan_choose(&plan, ENTROPY, 1040);
        spv__plan_set_rate(&plan, cases[i].rate, 1040);
        assert_int_equal(plan.bytes, SPV__PLAN_BYTES);
        assert_int_equal(plan.hash_funcs, cases[i].funcs);
        assert_int_equal(plan.decoys, cases[i].decoys);
        assert_true(plan.decoys <= SPV__PLAN_DECOYS_MAX);
        for (double coins = 0; coins <= 60; coins += 60) {
            double rate = spv_filter_rate_for(plan.bytes, plan.hash_funcs,
                                              plan.decoys + 1040 + coins);

            assert_true(rate > 0.94 * cases[i].rate);
            assert_true(rate < 1.2 * cases[i].rate);
        }
    }
}

static void the_designed_rate_asked_for_is_the_default_to_the_bit(void **state)
{
    static const size_t elements[] = {0, 1040, 15000, 20000};

    (void)state;
    for (size_t i = 0; i < COUNT(elements); i++) {
        spv_plan plan;
        spv_plan asked;

        spv__plan_choose(&plan, ENTROPY, elements[i]);
        spv__plan_choose(&asked, ENTROPY, elements[i]);
        spv__plan_set_rate(&asked, 1e-4, elements[i]);
        assert_memory_equal(&plan, &asked, sizeof(plan));
    }
}

/* ---- Filling ---- */

static void equal_plans_give_equal_bytes(void **state)
{
    spv_plan plan;
    spv_filter a;
    spv_filter b;

    (void)state;
    spv__plan_choose(&plan, ENTROPY, 500);
    assert_int_equal(spv__plan_begin(&plan, &a), SPV_OK);
    assert_int_equal(spv__plan_begin(&plan, &b), SPV_OK);
    assert_int_equal(a.len, SPV__PLAN_BYTES);
    assert_memory_equal(a.bytes, b.bytes, a.len);
    spv_filter_clear(&a);
    spv_filter_clear(&b);
}

/* ---- What the filter of a wallet holds ---- */

static spv_client *client_of_type(const char *type)
{
    spv_wallet_spec spec = {.type = type,
                            .mnemonic = WORDS,
                            .birthday = -1,
                            .birthday_time = -1,
                            .entropy = ENTROPY};
    spv_client *c = NULL;

    assert_int_equal(
        spv_client_new(&c, spv_network_get(SPV_REGTEST), &spec, NULL), SPV_OK);
    return c;
}

static spv_client *client_of(const spv_wallet_spec *spec, spv_chain network)
{
    spv_client *c = NULL;

    assert_int_equal(spv_client_new(&c, spv_network_get(network), spec, NULL),
                     SPV_OK);
    return c;
}

static spv_wallet_spec spec_of_words(const uint8_t entropy[32])
{
    return (spv_wallet_spec){.type = "wpkh",
                             .mnemonic = WORDS,
                             .birthday = -1,
                             .birthday_time = -1,
                             .entropy = entropy};
}

/* S11 across a loss of everything but the words: a server that saw the filter
 * before and after has seen one. */
static void a_wallet_restored_from_its_words_has_the_filter_it_had(void **state)
{
    static const uint8_t others[32] = {1, 2, 4};
    spv_wallet_spec spec = spec_of_words(ENTROPY);
    spv_wallet_spec again = spec_of_words(others);
    spv_client *a = client_of(&spec, SPV_REGTEST);
    spv_client *b = client_of(&again, SPV_REGTEST);

    (void)state;
    assert_int_equal(a->filter.tweak, b->filter.tweak);
    assert_memory_equal(&a->plan, &b->plan, sizeof(a->plan));
    assert_int_equal(a->filter.len, b->filter.len);
    assert_memory_equal(a->filter.bytes, b->filter.bytes, a->filter.len);
    spv_client_free(a);
    spv_client_free(b);
}

static void other_wallets_of_a_seed_have_other_filters(void **state)
{
    static const struct {
        const char *type;
        uint32_t account;
        const char *passphrase;
        spv_chain network;
    } cases[] = {
        {"wpkh", 1, NULL, SPV_REGTEST}, {"wpkh", 11, NULL, SPV_REGTEST},
        {"tr", 0, NULL, SPV_REGTEST},   {"all", 0, NULL, SPV_REGTEST},
        {"wpkh", 0, "x", SPV_REGTEST},  {"wpkh", 0, NULL, SPV_SIGNET}};
    spv_wallet_spec spec = spec_of_words(ENTROPY);
    uint32_t tweaks[COUNT(cases) + 1];

    (void)state;
    for (size_t i = 0; i <= COUNT(cases); i++) {
        spv_chain network = SPV_REGTEST;
        spv_client *c = NULL;

        if (i > 0) {
            spec.type = cases[i - 1].type;
            spec.account = cases[i - 1].account;
            spec.passphrase = cases[i - 1].passphrase;
            network = cases[i - 1].network;
        }
        c = client_of(&spec, network);
        tweaks[i] = c->filter.tweak;
        for (size_t k = 0; k < i; k++)
            assert_int_not_equal(tweaks[i], tweaks[k]);
        spv_client_free(c);
    }
}

/* Who knows its descriptors must not know its decoys. */
static void a_watch_only_wallet_has_the_filter_that_is_drawn(void **state)
{
    static const char *const watched[] = {
        "raw(00140101010101010101010101010101010101010101)"};
    static const uint8_t others[32] = {1, 2, 4};
    spv_wallet_spec spec = {.descriptors = watched,
                            .n_descriptors = 1,
                            .birthday = -1,
                            .birthday_time = -1,
                            .entropy = ENTROPY};
    spv_client *a = client_of(&spec, SPV_REGTEST);
    spv_client *b = client_of(&spec, SPV_REGTEST);
    spv_client *c = NULL;

    (void)state;
    spec.entropy = others;
    c = client_of(&spec, SPV_REGTEST);
    assert_memory_equal(a->filter.bytes, b->filter.bytes, a->filter.len);
    assert_int_not_equal(a->filter.tweak, c->filter.tweak);
    spv_client_free(a);
    spv_client_free(b);
    spv_client_free(c);
}

/* A later filter holds every bit of an earlier one, so that comparing them
 * tells nothing that the earlier did not. */
static void a_filter_only_ever_gains_bits(void **state)
{
    spv_client *c = client_of_type("wpkh");
    spv_filter before;

    (void)state;
    assert_int_equal(spv_filter_copy(&before, &c->filter), SPV_OK);
    assert_int_equal(spv_client_rescan(c, -1, -1, 900, NULL), SPV_OK);
    assert_true(spv_filter_bits_set(&c->filter) > spv_filter_bits_set(&before));
    for (size_t i = 0; i < before.len; i++)
        assert_int_equal(before.bytes[i] & ~c->filter.bytes[i], 0);
    spv_filter_clear(&before);
    spv_client_free(c);
}

static bool has_element(const spv_client *c, const uint8_t *bytes, size_t len)
{
    for (size_t i = 0; i < spv__wallet_element_count(c->wallet); i++) {
        spv_element e;

        spv__wallet_element(c->wallet, i, &e);
        if (e.len == len && memcmp(e.bytes, bytes, len) == 0)
            return true;
    }
    return false;
}

/* S12. What a wallet of keys shows is one hash, or one program, a key. */
static void S12_no_key_is_in_the_filter_twice(void **state)
{
    static const struct {
        const char *type;
        size_t len; /* of each element */
    } cases[] = {{"pkh", 20}, {"wpkh", 20}, {"sh-wpkh", 20}, {"tr", 32}};

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        spv_client *c = client_of_type(cases[i].type);
        size_t n = spv__wallet_element_count(c->wallet);

        assert_int_equal(n, 2 * (SPV__GAP_DEFAULT + SPV__CLIENT_LOOKAHEAD));
        for (size_t at = 0; at < n; at++) {
            uint8_t hash[20];
            spv_element e;

            spv__wallet_element(c->wallet, at, &e);
            assert_int_equal(e.kind, SPV__ELEMENT_KEY);
            assert_int_equal(e.len, cases[i].len);
            spv__hash160(hash, e.bytes, e.len);
            assert_false(has_element(c, hash, sizeof(hash)));
            assert_true(spv_filter_contains(&c->filter, e.bytes, e.len));
        }
        spv_client_free(c);
    }
}

/* The generator point, watched in several ways: what shows
 * the key in a script holds the key, what shows its hash holds the hash. */
static void a_key_is_shown_only_as_its_scripts_show_it(void **state)
{
    static const uint8_t key[33] = {
        0x02, 0x79, 0xbe, 0x66, 0x7e, 0xf9, 0xdc, 0xbb, 0xac, 0x55, 0xa0,
        0x62, 0x95, 0xce, 0x87, 0x0b, 0x07, 0x02, 0x9b, 0xfc, 0xdb, 0x2d,
        0xce, 0x28, 0xd9, 0x59, 0xf2, 0x81, 0x5b, 0x16, 0xf8, 0x17, 0x98};
#define KEY "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"
    static const struct {
        const char *descriptor;
        bool shows_key;
        bool shows_hash;
    } cases[] = {
        {"pk(" KEY ")", true, false},        {"multi(1," KEY ")", true, false},
        {"pkh(" KEY ")", false, true},       {"wpkh(" KEY ")", false, true},
        {"sh(wpkh(" KEY "))", false, false}, /* the hash of a script */
    };
    uint8_t hash[20];

    (void)state;
    spv__hash160(hash, key, sizeof(key));
    for (size_t i = 0; i < COUNT(cases); i++) {
        spv_wallet_spec spec = {.descriptors = &cases[i].descriptor,
                                .n_descriptors = 1,
                                .birthday = -1,
                                .birthday_time = -1,
                                .entropy = ENTROPY};
        spv_client *c = NULL;

        assert_int_equal(
            spv_client_new(&c, spv_network_get(SPV_REGTEST), &spec, NULL),
            SPV_OK);
        assert_int_equal(has_element(c, key, sizeof(key)), cases[i].shows_key);
        assert_int_equal(has_element(c, hash, sizeof(hash)),
                         cases[i].shows_hash);
        assert_int_equal(spv_filter_contains(&c->filter, key, sizeof(key)),
                         cases[i].shows_key);
        assert_int_equal(spv_filter_contains(&c->filter, hash, sizeof(hash)),
                         cases[i].shows_hash);
        spv_client_free(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wallet_of_any_size_gets_the_largest_filter),
        cmocka_unit_test(
            entropy_decides_tweak_and_decoys_and_nothing_else_does),
        cmocka_unit_test(a_rate_asked_for_is_the_rate_that_results),
        cmocka_unit_test(the_designed_rate_asked_for_is_the_default_to_the_bit),
        cmocka_unit_test(equal_plans_give_equal_bytes),
        cmocka_unit_test(
            a_wallet_restored_from_its_words_has_the_filter_it_had),
        cmocka_unit_test(other_wallets_of_a_seed_have_other_filters),
        cmocka_unit_test(a_watch_only_wallet_has_the_filter_that_is_drawn),
        cmocka_unit_test(a_filter_only_ever_gains_bits),
        cmocka_unit_test(S12_no_key_is_in_the_filter_twice),
        cmocka_unit_test(a_key_is_shown_only_as_its_scripts_show_it),
    };

    return cmocka_run_group_tests_name("client.plan", tests, NULL, NULL);
}
