#include "cmocka_all.h"

#include <string.h>

#include "base/digest.h"
#include "base/hex.h"
#include "base/ripemd160.h"

/* The examples of its authors (Dobbertin, Bosselaers, Preneel). */
static void plain_c_agrees_with_its_authors(void **state)
{
    static const struct {
        const char *text;
        const char *want;
    } cases[] = {
        {"", "9c1185a5c5e9fc54612808977ee8f548b2258d31"},
        {"a", "0bdc9d2d256b3ee9daae347be6f4dc835a467ffe"},
        {"abc", "8eb208f7e05d987a9b044a8e98c6b087f15a0bfc"},
        {"message digest", "5d0689ef49d2fae572b881b123a85ffa21595f36"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "12a053384a9c0c88e405a06c27dcf49ada62eb2b"},
        {"1234567890123456789012345678901234567890"
         "1234567890123456789012345678901234567890",
         "9b752e45573d4b39f4dbd3323cab82bf63326bfb"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint8_t out[20];
        char text[41];

        spv__ripemd160_plain(out, cases[i].text, strlen(cases[i].text));
        spv__hex_format(text, out, sizeof(out));
        assert_string_equal(text, cases[i].want);
    }
}

/* Every length around the places where padding needs one block more. */
static void plain_c_and_the_door_agree_at_every_length(void **state)
{
    uint8_t bytes[300];

    (void)state;
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (uint8_t)(i * 151 + 7);
    for (size_t len = 0; len <= sizeof(bytes); len++) {
        uint8_t plain[20];
        uint8_t door[20];

        spv__ripemd160_plain(plain, bytes, len);
        spv__ripemd160(door, bytes, len);
        assert_memory_equal(plain, door, sizeof(plain));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_c_agrees_with_its_authors),
        cmocka_unit_test(plain_c_and_the_door_agree_at_every_length),
    };

    return cmocka_run_group_tests_name("base.ripemd160", tests, NULL, NULL);
}
