#include "cmocka_all.h"

#include "chain/checkpoints.h"
#include "chain/pow.h"

static spv_header header_of(const spv_checkpoint *c)
{
    spv_header h;

    spv_header_decode(&h, c->header);
    return h;
}

static void heights_times_and_work_rise(void **state)
{
    (void)state;
    for (int chain = 0; chain < SPV_CHAIN_COUNT; chain++) {
        const spv_network *network = spv_network_get((spv_chain)chain);
        size_t n = 0;
        const spv_checkpoint *list = spv_checkpoints(network, &n);

        for (size_t i = 0; i < n; i++) {
            spv_hash hash;

            spv_header_hash(&hash, list[i].header);
            assert_true(
                spv_pow_check(&hash, header_of(&list[i]).bits, network));
            assert_int_equal(list[i].height % 2016, 0);
            if (i == 0)
                continue;
            assert_true(list[i - 1].height < list[i].height);
            assert_true(header_of(&list[i - 1]).time <
                        header_of(&list[i]).time);
        }
    }
}

static void networks_without_known_headers_have_none(void **state)
{
    static const spv_chain none[] = {SPV_TESTNET4, SPV_REGTEST};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const spv_network *network = spv_network_get(none[i]);
        size_t n = 1;

        (void)spv_checkpoints(network, &n);
        assert_int_equal(n, 0);
        assert_null(spv_checkpoint_find(network, INT32_MAX));
        assert_null(spv_checkpoint_find_time(network, INT64_MAX));
    }
}

static void the_last_one_not_above_is_found(void **state)
{
    static const struct {
        int32_t height;
        int32_t want;
    } cases[] = {{-1, -1},           {0, -1},          {2015, -1},
                 {2016, 2016},       {2017, 2016},     {4031, 2016},
                 {4032, 4032},       {878975, 876960}, {878976, 878976},
                 {INT32_MAX, 878976}};
    const spv_network *network = spv_network_get(SPV_MAIN);

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const spv_checkpoint *c = spv_checkpoint_find(network, cases[i].height);

        assert_int_equal(c ? c->height : -1, cases[i].want);
    }
}

static void a_time_leads_to_the_header_before_it(void **state)
{
    const spv_network *network = spv_network_get(SPV_MAIN);
    const spv_checkpoint *c = spv_checkpoint_find(network, 4032);
    int64_t time = header_of(c).time;

    (void)state;
    assert_ptr_equal(spv_checkpoint_find_time(network, time), c);
    assert_ptr_equal(spv_checkpoint_find_time(network, time + 1), c);
    assert_ptr_equal(spv_checkpoint_find_time(network, time - 1), c - 1);
    assert_null(spv_checkpoint_find_time(network, 0));
    assert_int_equal(spv_checkpoint_find_time(network, INT64_MAX)->height,
                     878976);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heights_times_and_work_rise),
        cmocka_unit_test(networks_without_known_headers_have_none),
        cmocka_unit_test(the_last_one_not_above_is_found),
        cmocka_unit_test(a_time_leads_to_the_header_before_it),
    };

    return cmocka_run_group_tests_name("chain.checkpoints", tests, NULL, NULL);
}
