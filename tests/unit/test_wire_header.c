#include "wire_bytes.h"

#include <spv/header.h>

/* Block 1 of the main chain. */
static const char block_1[] =
    "010000006fe28c0ab6f1b372c1a6a246ae63f74f931e8365e15a089c68d6190000000000"
    "982051fd1e4ba744bbbe680e1fee14677ba1a3c3540bf7b1cdb606e857233e0e"
    "61bc6649ffff001d01e36299";

static void a_header_comes_apart_in_wire_order(void **state)
{
    spv_buf bytes = bytes_of(block_1);
    char text[SPV_HASH_TEXT];
    spv_header h;

    (void)state;
    spv_header_decode(&h, bytes.bytes);
    assert_int_equal(h.version, 1);
    assert_int_equal(h.time, 1231469665);
    assert_int_equal(h.bits, 0x1d00ffff);
    assert_int_equal(h.nonce, 2573394689u);
    spv_hash_format(text, &h.prev);
    assert_string_equal(text, "000000000019d6689c085ae165831e934ff763ae46a2a6c1"
                              "72b3f1b60a8ce26f");
    spv_hash_format(text, &h.merkle_root);
    assert_string_equal(text, "0e3e2357e806b6cdb1f70b54c3a3a17b6714ee1f0e68bebb"
                              "44a74b1efd512098");
    spv__buf_clear(&bytes);
}

static void encoding_gives_back_the_bytes(void **state)
{
    spv_buf bytes = bytes_of(block_1);
    uint8_t again[SPV_HEADER_LEN];
    spv_header h;

    (void)state;
    spv_header_decode(&h, bytes.bytes);
    spv_header_encode(again, &h);
    assert_memory_equal(again, bytes.bytes, sizeof(again));

    memset(bytes.bytes, 0xff, SPV_HEADER_LEN);
    spv_header_decode(&h, bytes.bytes);
    assert_int_equal(h.version, -1);
    spv_header_encode(again, &h);
    assert_memory_equal(again, bytes.bytes, sizeof(again));
    spv__buf_clear(&bytes);
}

static void the_hash_is_the_block_s_name(void **state)
{
    spv_buf bytes = bytes_of(block_1);
    char text[SPV_HASH_TEXT];
    spv_hash hash;

    (void)state;
    spv_header_hash(&hash, bytes.bytes);
    spv_hash_format(text, &hash);
    assert_string_equal(text, "00000000839a8e6886ab5951d76f411475428afc90947ee3"
                              "20161bbf18eb6048");
    spv__buf_clear(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_header_comes_apart_in_wire_order),
        cmocka_unit_test(encoding_gives_back_the_bytes),
        cmocka_unit_test(the_hash_is_the_block_s_name),
    };

    return cmocka_run_group_tests_name("wire.header", tests, NULL, NULL);
}
