#include "cmocka_all.h"

#include <string.h>

#include <spv/err.h>

static const spv_err all[] = {
#define X(name, code, text) SPV_##name,
    SPV_ERR_MAP(X)
#undef X
};

enum { COUNT = sizeof(all) / sizeof(all[0]) };

static void every_error_has_its_own_name_and_text(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT; i++) {
        assert_string_not_equal(spv_err_text(all[i]), "unknown error");
        assert_string_not_equal(spv_err_name(all[i]), "UNKNOWN");
        for (size_t j = 0; j < i; j++) {
            assert_string_not_equal(spv_err_text(all[i]), spv_err_text(all[j]));
            assert_string_not_equal(spv_err_name(all[i]), spv_err_name(all[j]));
        }
    }
}

static void success_is_zero_and_failures_are_negative(void **state)
{
    (void)state;
    assert_int_equal(SPV_OK, 0);
    for (size_t i = 0; i < COUNT; i++)
        assert_true(all[i] == SPV_OK || all[i] < 0);
}

static void a_code_from_elsewhere_still_has_words(void **state)
{
    (void)state;
    assert_string_equal(spv_err_text((spv_err)-1000), "unknown error");
    assert_string_equal(spv_err_name((spv_err)-1000), "UNKNOWN");
    assert_string_equal(spv_err_name(SPV_NOT_FOUND), "NOT_FOUND");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_error_has_its_own_name_and_text),
        cmocka_unit_test(success_is_zero_and_failures_are_negative),
        cmocka_unit_test(a_code_from_elsewhere_still_has_words),
    };

    return cmocka_run_group_tests_name("base.err", tests, NULL, NULL);
}
