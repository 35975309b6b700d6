#include "cmocka_all.h"

#include "p2p/debts.h"

/* A wallet whose only coin lies at place 5 of the log, and perhaps is spent. */
typedef struct purse {
    bool spent;
    int32_t created;
} purse;

static bool next_owed(const void *self, int32_t height, size_t *at)
{
    const purse *p = self;

    if (p->spent || p->created > height || *at > 5)
        return false;
    *at = 5;
    return true;
}

static spv_coverage ledger_of(const purse *p)
{
    static const spv_grant origin = {1, 1, 3, 4};
    spv_coverage c = {.next_owed = next_owed, .self = p};

    assert_int_equal(spv__coverage_learn(&c, 5, &origin), SPV_OK);
    return c;
}

static const spv_grant other = {.stream = 2, .generation = 1, .coverage = 4};

static spv_debts debts_at(const int32_t *heights, size_t n)
{
    spv_debts d = {0};

    for (size_t i = 0; i < n; i++)
        assert_int_equal(spv__debts_add(&d, heights[i], &other), SPV_OK);
    return d;
}

static void a_debt_is_void_once_its_coin_is_known_to_be_spent(void **state)
{
    static const int32_t heights[] = {10, 20};
    purse p = {.created = 8};
    spv_coverage c = ledger_of(&p);
    spv_debts d = debts_at(heights, 2);

    (void)state;
    spv__debts_void(&d, &c);
    assert_int_equal(d.n, 2);
    assert_int_equal(spv__debts_lowest(&d), 10);
    p.spent = true;
    spv__debts_void(&d, &c);
    assert_int_equal(d.n, 0);
    assert_int_equal(spv__debts_lowest(&d), INT32_MAX);
    spv__debts_clear(&d);
    spv__coverage_clear(&c);
}

static void a_coin_made_later_is_not_owed_by_an_earlier_block(void **state)
{
    static const int32_t heights[] = {10, 20};
    purse p = {.created = 15};
    spv_coverage c = ledger_of(&p);
    spv_debts d = debts_at(heights, 2);

    (void)state;
    spv__debts_void(&d, &c);
    assert_int_equal(d.n, 1);
    assert_int_equal(d.item[0].height, 20);
    spv__debts_clear(&d);
    spv__coverage_clear(&c);
}

static void what_left_the_chain_is_owed_no_more(void **state)
{
    static const int32_t heights[] = {10, 20, 30};
    spv_debts d = debts_at(heights, 3);

    (void)state;
    spv__debts_cut(&d, 20);
    assert_int_equal(d.n, 2);
    spv__debts_cut(&d, 9);
    assert_int_equal(d.n, 0);
    spv__debts_clear(&d);
}

static spv_answer answer(int32_t height, uint32_t stream, uint64_t sequence)
{
    return (spv_answer){.height = height,
                        .grant = {.stream = stream, .sequence = sequence}};
}

static void only_the_answer_to_its_own_request_pays_a_debt(void **state)
{
    static const struct {
        int32_t height;
        uint32_t stream;
        uint64_t sequence;
        bool taken;
    } cases[] = {
        {21, 7, 3, false}, {20, 8, 3, false}, {20, 7, 4, false},
        {20, 7, 3, true},  {20, 7, 3, false}, /* not twice */
    };
    static const int32_t heights[] = {10, 20, 30};
    const spv_coverage owing = {.needed = 1}; /* all that do not hold a key */
    spv_debts d = debts_at(heights, 3);
    spv_err err = SPV_OK;

    (void)state;
    d.item[1].state = SPV_DEBT_ASKED;
    d.item[1].stream = 7;
    d.item[1].sequence = 3;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        spv_answer a =
            answer(cases[i].height, cases[i].stream, cases[i].sequence);

        assert_int_equal(spv__debts_hold(&d, &a, &owing, &err), cases[i].taken);
    }
    assert_int_equal(spv__debts_held(&d), 1);
    /* A late one, of whoever was asked before, by a filter that lacked nothing.
     */
    {
        const spv_coverage nothing = {.needed = 0};
        spv_answer late = answer(10, 9, 2);

        assert_true(spv__debts_hold(&d, &late, &nothing, &err));
        spv__debts_remove(&d, 0);
    }
    assert_int_equal(spv__debts_held(&d), 0);
    spv__debts_remove(&d, 0);
    assert_int_equal(spv__debts_held(&d), d.n);
    assert_int_equal(d.item[1].height, 30);
    spv__debts_clear(&d);
    assert_int_equal(err, SPV_OK);
}

static void what_was_asked_of_a_lost_stream_is_open_again(void **state)
{
    static const int32_t heights[] = {10, 20};
    spv_debts d = debts_at(heights, 2);

    (void)state;
    d.item[0].state = d.item[1].state = SPV_DEBT_ASKED;
    d.item[0].stream = 7;
    d.item[1].stream = 8;
    spv__debts_release(&d, 7);
    assert_int_equal(d.item[0].state, SPV_DEBT_OPEN);
    assert_int_equal(d.item[1].state, SPV_DEBT_ASKED);
    spv__debts_release(&d, 8);
    assert_int_equal(d.item[1].state, SPV_DEBT_OPEN);
    spv__debts_clear(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_debt_is_void_once_its_coin_is_known_to_be_spent),
        cmocka_unit_test(a_coin_made_later_is_not_owed_by_an_earlier_block),
        cmocka_unit_test(what_left_the_chain_is_owed_no_more),
        cmocka_unit_test(only_the_answer_to_its_own_request_pays_a_debt),
        cmocka_unit_test(what_was_asked_of_a_lost_stream_is_open_again),
    };

    return cmocka_run_group_tests_name("p2p.debts", tests, NULL, NULL);
}
