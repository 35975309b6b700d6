#include "wire_message.h"

#include "wire/netaddr.h"

static const spv_addr_entry entries[] = {
    {.time = 1700000000,
     .services = 0x0102030405060708,
     .addr = {SPV__NET_IPV4, 4, {1, 2, 3, 4}, 8333},
     .known = true},
    {.time = 0xffffffff,
     .services = SPV__NODE_BLOOM,
     .addr = {SPV__NET_IPV6, 16, {0x20, 1, [15] = 1}, 1},
     .known = true},
};

static void assert_entries(spv_addrs addrs)
{
    spv_addr_entry e;

    assert_int_equal(addrs.n, COUNT(entries));
    for (size_t i = 0; i < COUNT(entries); i++) {
        assert_true(spv__addr_next(&e, &addrs));
        assert_int_equal(e.time, entries[i].time);
        assert_int_equal(e.services, entries[i].services);
        assert_true(spv__netaddr_equal(&e.addr, &entries[i].addr));
        assert_true(e.known);
    }
    assert_false(spv__addr_next(&e, &addrs));
}

static void S50_entries_come_back_in_both_forms(void **state)
{
    static const struct {
        spv_message_kind kind;
        void (*put)(spv_buf *b, const spv_addr_entry *entries, size_t n);
    } forms[] = {{SPV_MSG_ADDR, spv__put_addr},
                 {SPV_MSG_ADDRV2, spv__put_addrv2}};

    (void)state;
    for (size_t i = 0; i < COUNT(forms); i++) {
        spv_buf b = SPV_BUF_EMPTY;
        spv_message m;

        forms[i].put(&b, entries, COUNT(entries));
        assert_int_equal(decode(&m, forms[i].kind, &b), SPV_OK);
        assert_entries(m.as.addrs);
        assert_only_whole(forms[i].kind, &b);
        spv__buf_clear(&b);
    }
}

static void one_wrong_entry_refuses_them_all(void **state)
{
    static const struct {
        const char *hex;
        spv_err want;
    } cases[] = {
        /* a sound IPv4 entry, and then: nothing, a wrong length, a short one */
        {"01"
         "61bc6649"
         "01"
         "010401020304"
         "208d",
         SPV_OK},
        {"02"
         "61bc6649"
         "01"
         "010401020304"
         "208d",
         SPV_LIMIT},
        {"02"
         "61bc6649"
         "01"
         "010401020304"
         "208d"
         "61bc6649"
         "01"
         "0105010203040506"
         "208d",
         SPV_MALFORMED},
        {"02"
         "61bc6649"
         "01"
         "010401020304"
         "208d"
         "61bc6649"
         "01"
         "01040102"
         "208d",
         SPV_TRUNCATED},
        {"01"
         "61bc6649"
         "fd0100"
         "010401020304"
         "208d",
         SPV_MALFORMED},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_int_equal(decode_hex(SPV_MSG_ADDRV2, cases[i].hex),
                         cases[i].want);
}

static void S50_an_unknown_network_does_not_stop_the_next_entry(void **state)
{
    spv_buf b = bytes_of("02"
                         "61bc6649"
                         "01"
                         "9902abab"
                         "208d"
                         "61bc6649"
                         "01"
                         "010409090909"
                         "208d");
    spv_addr_entry e;
    spv_message m;

    (void)state;
    assert_int_equal(decode(&m, SPV_MSG_ADDRV2, &b), SPV_OK);
    assert_true(spv__addr_next(&e, &m.as.addrs));
    assert_false(e.known);
    assert_true(spv__addr_next(&e, &m.as.addrs));
    assert_true(e.known);
    assert_int_equal(e.addr.addr[3], 9);
    spv__buf_clear(&b);
}

static void S50_there_are_never_more_than_a_thousand(void **state)
{
    static spv_addr_entry many[SPV__ADDR_MAX + 1];
    spv_buf b = SPV_BUF_EMPTY;
    spv_message m;

    (void)state;
    spv__put_addr(&b, many, SPV__ADDR_MAX);
    assert_int_equal(decode(&m, SPV_MSG_ADDR, &b), SPV_OK);
    assert_int_equal(m.as.addrs.n, SPV__ADDR_MAX);
    spv__buf_clear(&b);
    spv__put_addr(&b, many, SPV__ADDR_MAX + 1);
    assert_int_equal(b.err, SPV_LIMIT);
    spv__buf_clear(&b);
    spv__put_addrv2(&b, many, SPV__ADDR_MAX + 1);
    assert_int_equal(b.err, SPV_LIMIT);
    spv__buf_clear(&b);
}

/** A thousand entries and, if there is one `more`, that one. */
static spv_buf too_many(spv_message_kind kind, size_t more)
{
    static spv_addr_entry many[SPV__ADDR_MAX];
    spv_buf all = SPV_BUF_EMPTY;
    spv_buf b = SPV_BUF_EMPTY;
    size_t len = 0;

    if (kind == SPV_MSG_ADDR)
        spv__put_addr(&all, many, SPV__ADDR_MAX);
    else
        spv__put_addrv2(&all, many, SPV__ADDR_MAX);
    len = (all.len - 3) / SPV__ADDR_MAX;
    spv__put_compact(&b, SPV__ADDR_MAX + more);
    spv__put_bytes(&b, all.bytes + 3, all.len - 3);
    spv__put_bytes(&b, all.bytes + 3, more * len);
    spv__buf_clear(&all);
    return b;
}

static void S50_one_more_than_a_thousand_refuses_them_all(void **state)
{
    static const spv_message_kind kinds[] = {SPV_MSG_ADDR, SPV_MSG_ADDRV2};

    (void)state;
    for (size_t i = 0; i < COUNT(kinds); i++)
        for (size_t more = 0; more < 2; more++) {
            spv_buf b = too_many(kinds[i], more);
            spv_message m;

            assert_int_equal(decode(&m, kinds[i], &b),
                             more ? SPV_LIMIT : SPV_OK);
            spv__buf_clear(&b);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(S50_entries_come_back_in_both_forms),
        cmocka_unit_test(one_wrong_entry_refuses_them_all),
        cmocka_unit_test(S50_an_unknown_network_does_not_stop_the_next_entry),
        cmocka_unit_test(S50_there_are_never_more_than_a_thousand),
        cmocka_unit_test(S50_one_more_than_a_thousand_refuses_them_all),
    };

    return cmocka_run_group_tests_name("wire.addr", tests, NULL, NULL);
}
