#include "cmocka_all.h"

#include "p2p/reach.h"
#include "wire/netaddr.h"

static spv_netaddr addr_of(const char *text)
{
    spv_netaddr addr;

    assert_int_equal(spv__netaddr_parse(&addr, text, 8333), SPV_OK);
    return addr;
}

static void only_what_all_can_reach_is_public(void **state)
{
    static const char *const open[] = {
        "1.0.0.1",       "9.255.255.255", "11.0.0.0",       "100.63.0.1",
        "100.128.0.1",   "172.15.0.1",    "172.32.0.1",     "192.0.3.1",
        "192.167.0.1",   "192.169.0.1",   "198.17.0.1",     "198.20.0.1",
        "223.255.0.1",   "[2001:200::1]", "[2001:db9::1]",  "[2003::1]",
        "[2a01:4f8::1]", "[3ffe::1]",     "[3fff:1000::1]",
    };
    static const char *const closed[] = {
        "0.1.2.3",       "10.1.2.3",          "100.64.0.1",
        "127.0.0.1",     "169.254.1.1",       "172.16.0.1",
        "172.31.0.1",    "192.0.0.1",         "192.0.2.1",
        "192.88.99.1",   "192.168.1.1",       "198.18.0.1",
        "198.19.0.1",    "198.51.100.1",      "203.0.113.1",
        "224.0.0.1",     "255.255.255.255",   "[::]",
        "[::1]",         "[fe80::1]",         "[fc00::1]",
        "[ff02::1]",     "[2001::1]",         "[2001:20::1]",
        "[2001:db8::1]", "[2002:102::1]",     "[64:ff9b::1.2.3.4]",
        "[3fff:800::1]", "[::ffff:10.0.0.1]",
    };
    spv_netaddr tor = {.net = SPV__NET_TORV3, .len = 32, .port = 8333};
    spv_netaddr no_port = addr_of("1.2.3.4");

    (void)state;
    for (size_t i = 0; i < sizeof(open) / sizeof(open[0]); i++) {
        spv_netaddr addr = addr_of(open[i]);

        if (!spv__reach_is_public(&addr))
            fail_msg("%s", open[i]);
    }
    for (size_t i = 0; i < sizeof(closed) / sizeof(closed[0]); i++) {
        spv_netaddr addr = addr_of(closed[i]);

        if (spv__reach_is_public(&addr))
            fail_msg("%s", closed[i]);
    }
    no_port.port = 0;
    assert_false(spv__reach_is_public(&no_port));
    assert_false(spv__reach_is_public(&tor));
}

static void groups_are_a_16_or_a_32(void **state)
{
    static const struct {
        const char *a;
        const char *b;
        bool same;
    } cases[] = {
        {"5.6.1.1", "5.6.255.2:1", true},
        {"5.6.1.1", "5.7.1.1", false},
        {"[2a01:4f8:1::1]", "[2a01:4f8:ffff::]:9", true},
        {"[2a01:4f8::1]", "[2a01:4f9::1]", false},
        {"127.0.0.1:1", "127.0.0.1:2", false},
        {"127.0.0.1:1", "127.0.0.1:1", true},
        {"10.0.0.1", "10.0.0.2", false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        spv_netaddr a = addr_of(cases[i].a);
        spv_netaddr b = addr_of(cases[i].b);

        assert_int_equal(spv__reach_group(&a) == spv__reach_group(&b),
                         cases[i].same);
        assert_true(spv__reach_group(&a) != 0);
    }
}

static void a_host_has_many_ports(void **state)
{
    spv_netaddr a = addr_of("5.6.7.8:1");
    spv_netaddr b = addr_of("5.6.7.8:2");
    spv_netaddr c = addr_of("5.6.7.9:1");

    (void)state;
    assert_true(spv__reach_same_host(&a, &b));
    assert_false(spv__reach_same_host(&a, &c));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_what_all_can_reach_is_public),
        cmocka_unit_test(groups_are_a_16_or_a_32),
        cmocka_unit_test(a_host_has_many_ports),
    };

    return cmocka_run_group_tests_name("p2p.reach", tests, NULL, NULL);
}
