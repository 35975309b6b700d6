#include "wire_bytes.h"

#include "wire/netaddr.h"

#define TORV3 "79bcc625184b05194975c28b66b66b0469f7f6556fb1ac3189a79b40dda32f1f"
#define I2P   "a2894dabaec08c0051a481a6dac88b64f98232ae42d4b6fd2fa81952dfe36a87"

/* A BIP 155 entry with port 8333, its text, and its 16 bytes where it has any.
 */
static const struct {
    const char *v2;
    const char *text;
    const char *v1;
} addresses[] = {
    {"010401020304", "1.2.3.4:8333", "00000000000000000000ffff01020304"},
    {"021020010db8000000000000000000000001", "[2001:db8::1]:8333",
     "20010db8000000000000000000000001"},
    {"030af1f2f3f4f5f6f7f8f9fa", "6hzph5hv6337r6p2.onion:8333",
     "fd87d87eeb43f1f2f3f4f5f6f7f8f9fa"},
    {"0420" TORV3,
     "pg6mmjiyjmcrsslvykfwnntlaru7p5svn6y2ymmju6nubxndf4pscryd.onion:8333",
     NULL},
    {"0520" I2P,
     "ukeu3k5oycgaauneqgtnvselmt4yemvoilkln7jpvamvfx7dnkdq.b32.i2p:8333", NULL},
    {"0610fc000001000200030004000500060007", "[fc00:1:2:3:4:5:6:7]:8333", NULL},
};

static bool read_v2(spv_netaddr *out, const char *hex, spv_err *err)
{
    spv_buf b = bytes_of(hex);
    spv_reader r = spv__reader(b.bytes, b.len);
    bool known = spv__netaddr_read_v2(out, &r);

    *err = spv__read_end(&r);
    spv__buf_clear(&b);
    return known;
}

static void every_network_has_its_text_and_its_bytes(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(addresses); i++) {
        spv_buf entry = bytes_of(addresses[i].v2);
        spv_buf again = SPV_BUF_EMPTY;
        char text[SPV__NETADDR_TEXT];
        spv_netaddr addr;
        spv_reader r;

        spv__put_u16be(&entry, 8333);
        r = spv__reader(entry.bytes, entry.len);
        assert_true(spv__netaddr_read_v2(&addr, &r));
        assert_int_equal(spv__read_end(&r), SPV_OK);
        spv__netaddr_format(text, &addr);
        assert_string_equal(text, addresses[i].text);
        spv__netaddr_put_v2(&again, &addr);
        assert_int_equal(again.len, entry.len);
        assert_memory_equal(again.bytes, entry.bytes, entry.len);
        spv__buf_clear(&entry);
        spv__buf_clear(&again);
    }
}

static void the_old_form_holds_what_fits_in_16_bytes(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(addresses); i++) {
        spv_buf entry = bytes_of(addresses[i].v2);
        spv_buf old = SPV_BUF_EMPTY;
        spv_netaddr addr;
        spv_netaddr back;
        spv_reader r;

        spv__put_u16be(&entry, 8333);
        r = spv__reader(entry.bytes, entry.len);
        assert_true(spv__netaddr_read_v2(&addr, &r));
        spv__netaddr_put(&old, &addr);
        r = spv__reader(old.bytes, old.len);
        spv__netaddr_read(&back, &r);
        assert_int_equal(spv__read_end(&r), SPV_OK);
        assert_int_equal(back.port, 8333);
        old.len -= 2;
        assert_hex_equal(&old, addresses[i].v1
                                   ? addresses[i].v1
                                   : "00000000000000000000000000000000");
        assert_true(spv__netaddr_equal(&addr, &back) ==
                    (addresses[i].v1 != NULL));
        spv__buf_clear(&entry);
        spv__buf_clear(&old);
    }
}

static void entries_are_refused_ignored_or_known(void **state)
{
    static const struct {
        const char *hex;
        bool known;
        spv_err want;
    } cases[] = {
        {"010401020304208d", true, SPV_OK},
        {"01050102030405208d", false, SPV_MALFORMED},
        {"0103010203208d", false, SPV_MALFORMED},
        {"01fd0400010203040001", false, SPV_MALFORMED},
        {"010401020304", false, SPV_TRUNCATED},
        {"99fd0102", false, SPV_LIMIT},
        {"9902abab208d", false, SPV_OK},
        {"0000208d", false, SPV_OK},
        {"021000000000000000000000ffff01020304208d", false, SPV_OK},
        {"0210fd87d87eeb4301020304050607080900208d", false, SPV_OK},
        {"0610fd000001000200030004000500060007208d", false, SPV_OK},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        spv_netaddr addr;
        spv_err err = SPV_OK;

        if (read_v2(&addr, cases[i].hex, &err) != cases[i].known ||
            err != cases[i].want)
            fail_msg("%s: %s", cases[i].hex, spv_err_name(err));
    }
}

static void a_long_address_of_another_network_is_read_past(void **state)
{
    spv_buf b = SPV_BUF_EMPTY;
    uint8_t bytes[SPV__NETADDR_MAX] = {0};
    char text[SPV__NETADDR_TEXT];
    spv_netaddr addr;
    spv_reader r;

    (void)state;
    spv__put_u8(&b, 0x99);
    spv__put_var_bytes(&b, bytes, sizeof(bytes));
    spv__put_u16be(&b, 1);
    r = spv__reader(b.bytes, b.len);
    assert_false(spv__netaddr_read_v2(&addr, &r));
    assert_int_equal(spv__read_end(&r), SPV_OK);
    assert_int_equal(addr.net, 0x99);
    assert_int_equal(addr.len, 0);
    spv__netaddr_format(text, &addr);
    assert_string_equal(text, "unknown:1");
    spv__buf_clear(&b);
}

static void numeric_addresses_are_parsed(void **state)
{
    static const struct {
        const char *text;
        const char *want; /* NULL when refused */
        spv_err err;
    } cases[] = {
        {"1.2.3.4", "1.2.3.4:18444", SPV_OK},
        {"1.2.3.4:8333", "1.2.3.4:8333", SPV_OK},
        {"::1", "[::1]:18444", SPV_OK},
        {"[::1]", "[::1]:18444", SPV_OK},
        {"[::1]:65535", "[::1]:65535", SPV_OK},
        {"::ffff:1.2.3.4", "1.2.3.4:18444", SPV_OK},
        {"localhost", NULL, SPV_NOT_FOUND},
        {"seed.example.org:8333", NULL, SPV_NOT_FOUND},
        {"a-name-that-is-longer-than-any-number-could-be.example", NULL,
         SPV_NOT_FOUND},
        {"1.2.3", NULL, SPV_NOT_FOUND},
        {"", NULL, SPV_MALFORMED},
        {":8333", NULL, SPV_MALFORMED},
        {"1.2.3.4:", NULL, SPV_MALFORMED},
        {"1.2.3.4:0", NULL, SPV_MALFORMED},
        {"1.2.3.4:65536", NULL, SPV_MALFORMED},
        {"1.2.3.4:123456", NULL, SPV_MALFORMED},
        {"1.2.3.4:8a", NULL, SPV_MALFORMED},
        {"[::1", NULL, SPV_MALFORMED},
        {"[::1]8333", NULL, SPV_MALFORMED},
        {"[::1]:", NULL, SPV_MALFORMED},
        {"[1.2.3.4]", NULL, SPV_MALFORMED},
        {"[]", NULL, SPV_MALFORMED},
        {"[localhost]:1", NULL, SPV_MALFORMED},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[SPV__NETADDR_TEXT];
        spv_netaddr addr;
        spv_err err = spv__netaddr_parse(&addr, cases[i].text, 18444);

        if (err != cases[i].err)
            fail_msg("%s: %s", cases[i].text, spv_err_name(err));
        spv__netaddr_format(text, &addr);
        if (err == SPV_OK)
            assert_string_equal(text, cases[i].want);
    }
}

static void a_name_is_kept_for_whoever_looks_it_up(void **state)
{
    static const struct {
        const char *text;
        const char *name;
        uint16_t port;
        spv_err err;
    } cases[] = {
        {"1.2.3.4", "", 18444, SPV_OK},     {"[::1]:1", "", 1, SPV_OK},
        {"node", "node", 18444, SPV_OK},    {"node:1", "node", 1, SPV_OK},
        {"twelve-chars", "", 0, SPV_INVAL}, {"node:", "", 0, SPV_INVAL},
        {"node:0", "", 0, SPV_INVAL},       {"node:65536", "", 0, SPV_INVAL},
        {"a:b:c", "", 0, SPV_INVAL},        {"", "", 0, SPV_INVAL},
        {":1", "", 0, SPV_INVAL},           {"1.2.3.4:0", "", 0, SPV_INVAL},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char name[12];
        spv_netaddr addr;

        assert_int_equal(spv__netaddr_parse_name(&addr, name, sizeof(name),
                                                 cases[i].text, 18444),
                         cases[i].err);
        assert_string_equal(name, cases[i].name);
        if (cases[i].err == SPV_OK)
            assert_int_equal(addr.port, cases[i].port);
    }
}

static void equal_means_network_address_and_port(void **state)
{
    spv_netaddr a;
    spv_netaddr b;

    (void)state;
    assert_int_equal(spv__netaddr_parse(&a, "1.2.3.4", 1), SPV_OK);
    assert_int_equal(spv__netaddr_parse(&b, "1.2.3.4:1", 2), SPV_OK);
    assert_true(spv__netaddr_equal(&a, &b));
    assert_int_equal(spv__netaddr_parse(&b, "1.2.3.4:2", 1), SPV_OK);
    assert_false(spv__netaddr_equal(&a, &b));
    assert_int_equal(spv__netaddr_parse(&b, "1.2.3.5", 1), SPV_OK);
    assert_false(spv__netaddr_equal(&a, &b));
    b = a;
    b.net = SPV__NET_IPV6;
    assert_false(spv__netaddr_equal(&a, &b));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_network_has_its_text_and_its_bytes),
        cmocka_unit_test(the_old_form_holds_what_fits_in_16_bytes),
        cmocka_unit_test(entries_are_refused_ignored_or_known),
        cmocka_unit_test(a_long_address_of_another_network_is_read_past),
        cmocka_unit_test(numeric_addresses_are_parsed),
        cmocka_unit_test(a_name_is_kept_for_whoever_looks_it_up),
        cmocka_unit_test(equal_means_network_address_and_port),
    };

    return cmocka_run_group_tests_name("wire.netaddr", tests, NULL, NULL);
}
