#include "cmocka_all.h"

#include <string.h>

#include "wallet/elements.h"

static spv_element key(const void *bytes, size_t len)
{
    return (spv_element){.kind = SPV__ELEMENT_KEY, .bytes = bytes, .len = len};
}

static void elements_stay_in_the_order_learned(void **state)
{
    static const char *const words[] = {"one", "two", "three", "four"};
    spv_elements log = {0};
    spv_element e;

    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t at = 99;

        e = key(words[i], strlen(words[i]));
        assert_int_equal(spv__elements_learn(&log, &e, &at), SPV_OK);
        assert_int_equal(at, i);
    }
    for (uint32_t i = 0; i < 4; i++) {
        spv__elements_get(&log, i, &e);
        assert_int_equal(e.len, strlen(words[i]));
        assert_memory_equal(e.bytes, words[i], e.len);
    }
    spv__elements_clear(&log);
}

static void an_element_is_in_the_log_once(void **state)
{
    spv_elements log = {0};
    spv_element twice = key("hash160", 7);
    spv_element other = key("hash161", 7);
    uint32_t at = 99;

    (void)state;
    assert_int_equal(spv__elements_learn(&log, &twice, NULL), SPV_OK);
    assert_int_equal(spv__elements_learn(&log, &other, NULL), SPV_OK);
    assert_int_equal(spv__elements_learn(&log, &twice, &at), SPV_OK);
    assert_int_equal(at, 0);
    assert_int_equal(log.n, 2);
    assert_int_equal(spv__elements_find(&log, other.bytes, other.len), 1);
    assert_int_equal(spv__elements_find(&log, twice.bytes, 6), SPV__TABLE_NONE);
    spv__elements_clear(&log);
}

static void lengths_are_bounded(void **state)
{
    static const struct {
        size_t len;
        spv_err want;
    } cases[] = {{0, SPV_LIMIT}, {1, SPV_OK}, {520, SPV_OK}, {521, SPV_LIMIT}};
    const uint8_t bytes[521] = {1};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        spv_elements log = {0};
        spv_element e = key(bytes, cases[i].len);

        assert_int_equal(spv__elements_learn(&log, &e, NULL), cases[i].want);
        assert_int_equal(log.n, cases[i].want == SPV_OK);
        spv__elements_clear(&log);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_stay_in_the_order_learned),
        cmocka_unit_test(an_element_is_in_the_log_once),
        cmocka_unit_test(lengths_are_bounded),
    };

    return cmocka_run_group_tests_name("wallet.elements", tests, NULL, NULL);
}
