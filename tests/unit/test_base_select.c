#include "cmocka_all.h"

#include "base/select.h"

/* What a pattern selects: a name, its beginning up to a dot, or with a *. */

static void a_pattern_ends_where_it_is_said_to(void **state)
{
    static const char list[] = "match.t*,nomatch";

    (void)state;
    assert_true(spv__selects(list, 8, "match.txid"));
    assert_false(spv__selects(list, 8, "match.outpoint"));
    assert_false(spv__selects(list, 7, "match.txid"));
    assert_true(spv__selects(list, 5, "match.txid"));
    assert_true(spv__selects(list, 5, "match"));
    assert_false(spv__selects(list, 4, "match.txid"));
    assert_false(spv__selects(list, 0, "match"));
    assert_false(spv__selects(list, 0, ""));
    assert_false(spv__selects("match.txid", 10, "match"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pattern_ends_where_it_is_said_to),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
