#include "wire_message.h"

#include "wire/netaddr.h"

/* What must be there, and then what may be, piece by piece. */
#define NEEDED                         \
    "80110100"                         \
    "0d04000000000000"                 \
    "00f1536500000000"                 \
    "0000000000000000"                 \
    "00000000000000000000ffff7f000001" \
    "208d"
#define FROM                           \
    "0900000000000000"                 \
    "00000000000000000000000000000000" \
    "0000"                             \
    "8877665544332211"
#define AGENT \
    "09"      \
    "2f7370763a302e312f"
#define HEIGHT "60ae0a00"

static void fields_are_read_in_wire_order(void **state)
{
    spv_buf b = bytes_of(NEEDED FROM AGENT HEIGHT "00");
    spv_message m;
    const spv_version *v = &m.as.version;

    (void)state;
    assert_int_equal(decode(&m, SPV_MSG_VERSION, &b), SPV_OK);
    assert_int_equal(v->version, 70016);
    assert_int_equal(v->services, SPV__NODE_NETWORK | SPV__NODE_BLOOM |
                                      SPV__NODE_WITNESS |
                                      SPV__NODE_NETWORK_LIMITED);
    assert_int_equal(v->time, 1700000000);
    assert_int_equal(v->to.net, SPV__NET_IPV4);
    assert_int_equal(v->to.port, 8333);
    assert_int_equal(v->from_services, 9);
    assert_int_equal(v->nonce, 0x1122334455667788);
    assert_int_equal(v->user_agent_len, 9);
    assert_memory_equal(v->user_agent, "/spv:0.1/", 9);
    assert_int_equal(v->start_height, 700000);
    assert_false(v->relay);
    assert_true(v->relay_present);
    spv__buf_clear(&b);
}

static void a_version_may_end_after_any_optional_field(void **state)
{
    static const struct {
        const char *hex;
        spv_err want;
    } cases[] = {
        {NEEDED, SPV_OK},
        {NEEDED FROM, SPV_OK},
        {NEEDED FROM AGENT, SPV_OK},
        {NEEDED FROM AGENT HEIGHT, SPV_OK},
        {NEEDED FROM AGENT HEIGHT "01", SPV_OK},
        {NEEDED FROM AGENT HEIGHT "01"
                                  "c0ffee",
         SPV_OK},
        {NEEDED FROM "00", SPV_OK},
        {NEEDED "09", SPV_TRUNCATED},
        {NEEDED FROM "09"
                     "2f73",
         SPV_LIMIT},
        {NEEDED FROM AGENT "60ae", SPV_TRUNCATED},
        {"80110100", SPV_TRUNCATED},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_int_equal(decode_hex(SPV_MSG_VERSION, cases[i].hex),
                         cases[i].want);
}

/* BIP 37: "If missing or true, no change in protocol behaviour occurs." */
static void S51_a_missing_relay_means_relay(void **state)
{
    spv_buf b = bytes_of(NEEDED FROM AGENT HEIGHT);
    spv_message m;

    (void)state;
    assert_int_equal(decode(&m, SPV_MSG_VERSION, &b), SPV_OK);
    assert_true(m.as.version.relay);
    assert_false(m.as.version.relay_present);
    spv__buf_clear(&b);
}

static void the_writer_always_says_whether_to_relay(void **state)
{
    spv_buf b = bytes_of(NEEDED FROM AGENT HEIGHT);
    spv_buf again = SPV_BUF_EMPTY;
    spv_message m;

    (void)state;
    assert_int_equal(decode(&m, SPV_MSG_VERSION, &b), SPV_OK);
    m.as.version.relay = false;
    spv__put_version(&again, &m.as.version);
    assert_hex_equal(&again, NEEDED FROM AGENT HEIGHT "00");
    spv__buf_clear(&again);
    spv__buf_clear(&b);
}

static void a_user_agent_is_bounded_on_both_sides(void **state)
{
    char agent[SPV__USER_AGENT_MAX + 1];
    spv_version v = {.user_agent = agent,
                     .user_agent_len = SPV__USER_AGENT_MAX};
    spv_buf b = SPV_BUF_EMPTY;
    spv_message m;

    (void)state;
    memset(agent, 'a', sizeof(agent));
    spv__put_version(&b, &v);
    assert_int_equal(decode(&m, SPV_MSG_VERSION, &b), SPV_OK);
    assert_int_equal(m.as.version.user_agent_len, SPV__USER_AGENT_MAX);
    spv__buf_clear(&b);

    v.user_agent_len++;
    spv__put_version(&b, &v);
    assert_int_equal(b.err, SPV_LIMIT);
    spv__buf_clear(&b);
    b = bytes_of(NEEDED FROM "fd0101");
    assert_non_null(spv__buf_room(&b, sizeof(agent)));
    spv__put_bytes(&b, agent, sizeof(agent));
    assert_int_equal(decode(&m, SPV_MSG_VERSION, &b), SPV_LIMIT);
    spv__buf_clear(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_are_read_in_wire_order),
        cmocka_unit_test(a_version_may_end_after_any_optional_field),
        cmocka_unit_test(S51_a_missing_relay_means_relay),
        cmocka_unit_test(the_writer_always_says_whether_to_relay),
        cmocka_unit_test(a_user_agent_is_bounded_on_both_sides),
    };

    return cmocka_run_group_tests_name("wire.version", tests, NULL, NULL);
}
