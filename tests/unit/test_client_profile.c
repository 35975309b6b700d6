#include "cmocka_all.h"

#include "client/client.h"

static void descriptors_are_copied_in_order(void **state)
{
    char text[] = "raw(51)";
    spv_profile p = {0};

    (void)state;
    assert_int_equal(spv__profile_add(&p, text), SPV_OK);
    text[4] = '6';
    assert_int_equal(spv__profile_add(&p, text), SPV_OK);
    assert_int_equal(p.n_descriptors, 2);
    assert_string_equal(p.descriptors[0], "raw(51)");
    assert_string_equal(p.descriptors[1], "raw(61)");
    spv__profile_clear(&p);
}

static void a_cleared_profile_knows_no_height_and_no_time(void **state)
{
    spv_profile p = {.birthday = 7, .birthday_time = 8, .scan_from = 9};

    (void)state;
    spv__profile_clear(&p);
    spv__profile_clear(&p);
    assert_int_equal(p.birthday, -1);
    assert_int_equal(p.birthday_time, -1);
    assert_int_equal(p.scan_from, -1);
    assert_int_equal(p.n_descriptors, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(descriptors_are_copied_in_order),
        cmocka_unit_test(a_cleared_profile_knows_no_height_and_no_time),
    };

    return cmocka_run_group_tests_name("client.profile", tests, NULL, NULL);
}
