#include "wire_bytes.h"

#include "wire/frame.h"

#define PING "fabfb5da70696e67000000000000000008000000"

static const spv_network *regtest(void)
{
    return spv_network_get(SPV_REGTEST);
}

static void what_was_framed_is_opened_again(void **state)
{
    spv_buf b = SPV_BUF_EMPTY;
    size_t mark = 0;
    spv_frame f;

    (void)state;
    spv__put_u8(&b, 0x99); /* a frame may begin anywhere in a buffer */
    mark = spv__frame_begin(&b, "filterload", regtest());
    spv__put_bytes(&b, "abc", 3);
    spv__frame_end(&b, mark);
    assert_int_equal(b.err, SPV_OK);
    assert_int_equal(spv__frame_decode(&f, b.bytes + 1, b.len - 1, regtest()),
                     SPV_FRAME_WHOLE);
    assert_string_equal(f.command, "filterload");
    assert_int_equal(f.len, 3);
    assert_memory_equal(f.payload, "abc", 3);
    assert_int_equal(f.size, b.len - 1);
    spv__buf_clear(&b);
}

static void two_frames_in_one_buffer_keep_apart(void **state)
{
    spv_buf b = SPV_BUF_EMPTY;
    spv_frame f;

    (void)state;
    spv__frame_end(&b, spv__frame_begin(&b, "verack", regtest()));
    spv__frame_end(&b, spv__frame_begin(&b, "sendaddrv2", regtest()));
    assert_int_equal(spv__frame_decode(&f, b.bytes, b.len, regtest()),
                     SPV_FRAME_WHOLE);
    assert_string_equal(f.command, "verack");
    spv__buf_drop(&b, f.size);
    assert_int_equal(spv__frame_decode(&f, b.bytes, b.len, regtest()),
                     SPV_FRAME_WHOLE);
    assert_string_equal(f.command, "sendaddrv2");
    assert_int_equal(f.size, b.len);
    spv__buf_clear(&b);
}

static void S49_a_frame_is_judged_as_early_as_it_can_be(void **state)
{
    static const struct {
        const char *why;
        const char *hex;
        spv_frame_state want;
        size_t size;
    } cases[] = {
        {"nothing yet", "", SPV_FRAME_PART, 0},
        {"half a magic", "fabf", SPV_FRAME_PART, 0},
        {"wrong first byte", "fb", SPV_FRAME_REFUSED, 0},
        {"wrong last byte of the magic", "fabfb5d9", SPV_FRAME_REFUSED, 0},
        {"header without its end", PING "2501b9", SPV_FRAME_PART, 0},
        {"header alone", PING "2501b9b9", SPV_FRAME_PART, 32},
        {"a byte short",
         PING "2501b9b9"
              "39300000000000",
         SPV_FRAME_PART, 32},
        {"whole",
         PING "2501b9b9"
              "3930000000000000",
         SPV_FRAME_WHOLE, 32},
        {"and more",
         PING "2501b9b9"
              "3930000000000000fa",
         SPV_FRAME_WHOLE, 32},
        {"wrong checksum",
         PING "2501b9b8"
              "3930000000000000",
         SPV_FRAME_IGNORE, 32},
        {"wrong payload",
         PING "2501b9b9"
              "3930000000000001",
         SPV_FRAME_IGNORE, 32},
        {"largest", "fabfb5da70696e67000000000000000000093d002501b9b9",
         SPV_FRAME_PART, 4000024},
        {"one more", "fabfb5da70696e67000000000000000001093d002501b9b9",
         SPV_FRAME_REFUSED, 0},
        {"empty command", "fabfb5da000000000000000000000000000000005df6e0e2",
         SPV_FRAME_WHOLE, 24},
        {"a control character",
         "fabfb5da701f6e670000000000000000000000005df6e0e2", SPV_FRAME_IGNORE,
         24},
        {"a letter behind the zeros",
         "fabfb5da70000000000000000000006e000000005df6e0e2", SPV_FRAME_IGNORE,
         24},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        spv_buf b = bytes_of(cases[i].hex);
        spv_frame f;
        spv_frame_state got = spv__frame_decode(&f, b.bytes, b.len, regtest());

        if (got != cases[i].want || f.size != cases[i].size)
            fail_msg("%s: state %d, size %zu", cases[i].why, got, f.size);
        spv__buf_clear(&b);
    }
}

static void another_network_s_frame_is_refused(void **state)
{
    spv_buf b = SPV_BUF_EMPTY;
    spv_frame f;

    (void)state;
    spv__frame_end(&b, spv__frame_begin(&b, "verack", regtest()));
    for (int i = 0; i < SPV_REGTEST; i++)
        assert_int_equal(spv__frame_decode(&f, b.bytes, b.len,
                                           spv_network_get((spv_chain)i)),
                         SPV_FRAME_REFUSED);
    spv__buf_clear(&b);
}

static void a_payload_over_the_limit_is_not_written(void **state)
{
    spv_buf b = SPV_BUF_EMPTY;
    size_t mark = spv__frame_begin(&b, "block", regtest());
    uint8_t *room = spv__buf_room(&b, SPV__PAYLOAD_MAX + 1);

    (void)state;
    assert_non_null(room);
    memset(room, 0, SPV__PAYLOAD_MAX + 1);
    b.len += SPV__PAYLOAD_MAX;
    spv__frame_end(&b, mark);
    assert_int_equal(b.err, SPV_OK);
    b.len++;
    spv__frame_end(&b, mark);
    assert_int_equal(b.err, SPV_LIMIT);
    spv__buf_clear(&b);
}

static void a_failed_buffer_is_left_alone(void **state)
{
    spv_buf b = {.err = SPV_NOMEM};

    (void)state;
    spv__frame_end(&b, spv__frame_begin(&b, "verack", regtest()));
    assert_int_equal(b.err, SPV_NOMEM);
    assert_int_equal(b.len, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_framed_is_opened_again),
        cmocka_unit_test(two_frames_in_one_buffer_keep_apart),
        cmocka_unit_test(S49_a_frame_is_judged_as_early_as_it_can_be),
        cmocka_unit_test(another_network_s_frame_is_refused),
        cmocka_unit_test(a_payload_over_the_limit_is_not_written),
        cmocka_unit_test(a_failed_buffer_is_left_alone),
    };

    return cmocka_run_group_tests_name("wire.frame", tests, NULL, NULL);
}
