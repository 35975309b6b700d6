#include "cmocka_all.h"

#include <string.h>

#include <spv/privacy.h>

#include "client/disk.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static const spv_network *regtest(void)
{
    return spv_network_get(SPV_REGTEST);
}

static spv_client *some_client(void)
{
    static const uint8_t entropy[32] = {9};
    static const char *const watched[] = {"raw(02aaaa)", "raw(03bbbbbb)",
                                          "raw(04cccccccc)"};
    spv_wallet_spec spec = {.descriptors = watched,
                            .n_descriptors = COUNT(watched),
                            .gap = 33,
                            .birthday = 1234,
                            .birthday_time = 1600000000,
                            .fp_rate = 3e-7,
                            .entropy = entropy};
    spv_client *c = NULL;

    assert_int_equal(spv_client_new(&c, regtest(), &spec, NULL), SPV_OK);
    c->profile.scan_from = 77;
    c->profile.scan_time = 1700000000;
    return c;
}

static spv_card card_of(const spv_client *c)
{
    spv_card card = SPV_CARD_EMPTY;

    assert_int_equal(spv__disk_card(&card, c), SPV_OK);
    return card;
}

static void what_a_card_says_is_read_back(void **state)
{
    spv_client *c = some_client();
    spv_card card = card_of(c);
    spv_profile p;
    spv_plan plan = {0};

    (void)state;
    assert_int_equal(spv__disk_read_card(&card, regtest(), &p, &plan), SPV_OK);
    assert_string_equal(p.type, "watch");
    assert_true(p.watch_only);
    assert_int_equal(p.gap, 33);
    assert_int_equal(p.birthday, 1234);
    assert_int_equal(p.birthday_time, 1600000000);
    assert_int_equal(p.scan_from, 77);
    assert_int_equal(p.scan_time, 1700000000);
    assert_true(p.fp_rate == 3e-7);
    assert_int_equal(p.n_descriptors, c->profile.n_descriptors);
    for (size_t i = 0; i < p.n_descriptors; i++)
        assert_string_equal(p.descriptors[i], c->profile.descriptors[i]);
    assert_int_equal(plan.bytes, c->plan.bytes);
    assert_int_equal(plan.hash_funcs, c->plan.hash_funcs);
    assert_int_equal(plan.tweak, c->plan.tweak);
    assert_int_equal(plan.decoys, c->plan.decoys);
    assert_int_equal(plan.flags, c->plan.flags);
    assert_memory_equal(plan.secret, c->plan.secret, sizeof(plan.secret));
    spv__profile_clear(&p);
    spv__card_clear(&card);
    spv_client_free(c);
}

/* The same card with the line of `key` saying something else, or nothing. */
static spv_card altered(const spv_card *card, const char *key,
                        const char *value)
{
    spv_card out = SPV_CARD_EMPTY;
    const char *line = (const char *)card->lines.bytes;
    const char *end = line + card->lines.len;

    for (; line < end; line += strlen(line) + 1) {
        const char *equals = strchr(line, '=');
        char name[32] = {0};

        memcpy(name, line, (size_t)(equals - line));
        if (strcmp(name, key) != 0)
            assert_int_equal(spv__card_add(&out, name, equals + 1), SPV_OK);
        else if (value)
            assert_int_equal(spv__card_add(&out, key, value), SPV_OK);
    }
    return out;
}

static void a_card_that_does_not_say_what_it_must_is_damaged(void **state)
{
    static const struct {
        const char *key;
        const char *value; /* NULL: the line is missing */
    } cases[] = {
        {"network", NULL},
        {"network", "main"},
        {"network", ""},
        {"type", NULL},
        {"gap", NULL},
        {"gap", "0"},
        {"gap", "10001"},
        {"gap", "20x"},
        {"gap", ""},
        {"gap", "99999999999999999999"},
        {"birthday", NULL},
        {"birthday", "-2"},
        {"birthday", "2147483648"},
        {"birthday-time", NULL},
        {"scan-from", NULL},
        {"scan-from", "-2"},
        {"scan-time", "-1"},
        {"scan-time", "soon"},
        {"filter-bytes", NULL},
        {"filter-bytes", "0"},
        {"filter-bytes", "36001"},
        {"filter-functions", "0"},
        {"filter-functions", "51"},
        {"filter-tweak", NULL},
        {"filter-tweak", "-1"},
        {"filter-tweak", "4294967296"},
        {"filter-decoys", "60001"},
        {"filter-decoys", "-1"},
        {"filter-flags", "4"},
        {"filter-rate", ""},
        {"filter-rate", "1e-4"},
        {"filter-rate", "999999999"},
        {"filter-rate", "100000000000000001"},
        {"filter-secret", NULL},
        {"filter-secret", "00"},
        {"filter-secret", "zz"},
    };
    spv_client *c = some_client();
    spv_card card = card_of(c);

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        spv_card bad = altered(&card, cases[i].key, cases[i].value);
        spv_profile p;
        spv_plan plan = {0};

        assert_int_equal(spv__disk_read_card(&bad, regtest(), &p, &plan),
                         SPV_DAMAGED);
        assert_null(p.descriptors);
        spv__card_clear(&bad);
    }
    spv__card_clear(&card);
    spv_client_free(c);
}

static void a_rate_is_read_as_it_was_written(void **state)
{
    static const double rates[] = {SPV_FP_RATE_LEAST, 1e-6, 1e-4, 3.3e-5, 0.007,
                                   SPV_FP_RATE_MOST};
    spv_client *c = some_client();

    (void)state;
    for (size_t i = 0; i < COUNT(rates); i++) {
        spv_card card = SPV_CARD_EMPTY;
        spv_profile p;
        spv_plan plan = {0};

        c->profile.fp_rate = rates[i];
        assert_int_equal(spv__disk_card(&card, c), SPV_OK);
        assert_int_equal(spv__disk_read_card(&card, regtest(), &p, &plan),
                         SPV_OK);
        assert_true(p.fp_rate == rates[i]);
        spv__profile_clear(&p);
        spv__card_clear(&card);
    }
    spv_client_free(c);
}

/* Cards from before it was written. */
static void a_card_without_a_rate_tells_none(void **state)
{
    spv_client *c = some_client();
    spv_card card = card_of(c);
    spv_card old = altered(&card, "filter-rate", NULL);
    spv_profile p;
    spv_plan plan = {0};

    (void)state;
    assert_int_equal(spv__disk_read_card(&old, regtest(), &p, &plan), SPV_OK);
    assert_true(p.fp_rate == 0);
    spv__profile_clear(&p);
    spv__card_clear(&old);
    spv__card_clear(&card);
    spv_client_free(c);
}

/* A wallet, not a card; but what is kept of it. */
static void of_what_is_named_twice_the_first_stays(void **state)
{
    static const char *const watched[] = {"raw(04cccccccc)", "raw(02aaaa)",
                                          "raw(04cccccccc)", "raw(03bbbbbb)",
                                          "raw(02aaaa)",     "raw(02aaaa)"};
    static const size_t kept[] = {0, 1, 3};
    spv_wallet_spec spec = {.descriptors = watched,
                            .n_descriptors = COUNT(watched),
                            .entropy = (const uint8_t[32]){9}};
    spv_client *c = NULL;

    (void)state;
    assert_int_equal(spv_client_new(&c, regtest(), &spec, NULL), SPV_OK);
    assert_int_equal(c->profile.n_descriptors, COUNT(kept));
    for (size_t i = 0; i < COUNT(kept); i++)
        assert_int_equal(strncmp(c->profile.descriptors[i], watched[kept[i]],
                                 strlen(watched[kept[i]])),
                         0);
    spv_client_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_card_says_is_read_back),
        cmocka_unit_test(a_rate_is_read_as_it_was_written),
        cmocka_unit_test(a_card_without_a_rate_tells_none),
        cmocka_unit_test(of_what_is_named_twice_the_first_stays),
        cmocka_unit_test(a_card_that_does_not_say_what_it_must_is_damaged),
    };

    return cmocka_run_group_tests_name("client.card", tests, NULL, NULL);
}
