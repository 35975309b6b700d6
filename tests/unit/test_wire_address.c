#include "wire_bytes.h"

#include <spv/address.h>

#define P2PK \
    "21020102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20ac"

static const struct {
    spv_chain chain;
    const char *text;
    const char *script;
} addresses[] = {
    {SPV_MAIN, "1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2",
     "76a91477bff20c60e522dfaa3350c39b030a5d004e839a88ac"},
    {SPV_MAIN, "3L1YkZjdeNSqaZcNKZFXQfyokx3zVYm7r6",
     "a914c8f37c3cc21561296ad81f4bec6b5de10ebc185187"},
    {SPV_MAIN, "bc1q5cuatynjmk4szh40mmunszfzh7zrc5xm9w8ccy",
     "0014a639d59272ddab015eafdef9380922bf843c50db"},
    {SPV_MAIN, "bc1pfeessrawgf", "51024e73"},
    {SPV_MAIN, "bc1zr4pq63udck", "52021d42"},
    {SPV_TESTNET3, "mhJuoGLgnJC8gdBgBzEigsoyG4omQXejPT",
     "76a91413a92d1998e081354d36c13ce0c9dc04b865d40a88ac"},
    {SPV_TESTNET4, "2N5VpzKEuYvZJbmg6eUNGnfrrD1ir92FWGu",
     "a91486648cc2faaf05660e72c04c7a837bcc3e986f1787"},
    {SPV_SIGNET, "tb1q74fxwnvhsue0l8wremgq66xzvn48jlc5zthsvz",
     "0014f552674d978732ff9dc3ced00d68c264ea797f14"},
    {SPV_TESTNET3,
     "tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sl5k7",
     "00201863143c14c5166804bd19203356da136c985678cd4d27a1b8c6329604903262"},
};

static void an_address_and_its_script_are_each_other_s(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(addresses); i++) {
        const spv_network *network = spv_network_get(addresses[i].chain);
        spv_buf want = bytes_of(addresses[i].script);
        uint8_t script[SPV_ADDRESS_SCRIPT_MAX];
        char text[SPV_ADDRESS_TEXT];
        size_t len = 0;

        assert_int_equal(
            spv_address_parse(script, &len, addresses[i].text, network),
            SPV_OK);
        assert_int_equal(len, want.len);
        assert_memory_equal(script, want.bytes, len);
        assert_int_equal(spv_address_format(text, script, len, network),
                         SPV_OK);
        assert_string_equal(text, addresses[i].text);
        spv__buf_clear(&want);
    }
}

static void wrong_addresses_are_named_by_what_is_wrong(void **state)
{
    static const struct {
        const char *text;
        spv_err want;
    } cases[] = {
        {"", SPV_MALFORMED},
        {"hello", SPV_MALFORMED},
        {"1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN3", SPV_CHECKSUM},
        {"1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN0", SPV_MALFORMED},
        {"mhJuoGLgnJC8gdBgBzEigsoyG4omQXejPT", SPV_NETWORK},
        {"2N5VpzKEuYvZJbmg6eUNGnfrrD1ir92FWGu", SPV_NETWORK},
        {"tb1q74fxwnvhsue0l8wremgq66xzvn48jlc5zthsvz", SPV_NETWORK},
        {"BC1Q5CUATYNJMK4SZH40MMUNSZFZH7ZRC5XM9W8CCY", SPV_OK},
        {"bc1q5cuatynjmk4szh40mmunszfzh7zrc5xm9w8ccz", SPV_CHECKSUM},
        {"bc1Q5cuatynjmk4szh40mmunszfzh7zrc5xm9w8ccy", SPV_MALFORMED},
        /* version 1 with the checksum of version 0, and the reverse */
        {"bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd",
         SPV_CHECKSUM},
        {"bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kemeawh", SPV_CHECKSUM},
        /* a private key, not an address */
        {"5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ", SPV_MALFORMED},
        {"bc1gmk9yu", SPV_MALFORMED},
        {"tc1qw508d6qejxtdg4y5r3zarvary0c5xw7kg3g4ty", SPV_MALFORMED},
        {"1111111111111111111111111111111111111111111111111111111111111111111"
         "111111111111111111111111111111",
         SPV_MALFORMED},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        uint8_t script[SPV_ADDRESS_SCRIPT_MAX];
        size_t len = 0;
        spv_err err = spv_address_parse(script, &len, cases[i].text,
                                        spv_network_get(SPV_MAIN));

        if (err != cases[i].want)
            fail_msg("%s: %s", cases[i].text, spv_err_name(err));
    }
}

static void scripts_without_an_address_say_so(void **state)
{
    static const char *const scripts[] = {"", "6a04deadbeef", P2PK, "0002aabb"};

    (void)state;
    for (size_t i = 0; i < COUNT(scripts); i++) {
        spv_buf s = bytes_of(scripts[i]);
        char text[SPV_ADDRESS_TEXT];

        assert_int_equal(
            spv_address_format(text, s.bytes, s.len, spv_network_get(SPV_MAIN)),
            SPV_NOT_FOUND);
        spv__buf_clear(&s);
    }
}

static void the_longest_program_fits_the_text(void **state)
{
    uint8_t script[SPV_ADDRESS_SCRIPT_MAX] = {0x60, 40};
    uint8_t again[SPV_ADDRESS_SCRIPT_MAX];
    const spv_network *network = spv_network_get(SPV_REGTEST);
    char text[SPV_ADDRESS_TEXT];
    size_t len = 0;

    (void)state;
    memset(script + 2, 0xff, 40);
    assert_int_equal(spv_address_format(text, script, sizeof(script), network),
                     SPV_OK);
    assert_memory_equal(text, "bcrt1s", 6);
    assert_int_equal(spv_address_parse(again, &len, text, network), SPV_OK);
    assert_int_equal(len, sizeof(script));
    assert_memory_equal(again, script, len);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_address_and_its_script_are_each_other_s),
        cmocka_unit_test(wrong_addresses_are_named_by_what_is_wrong),
        cmocka_unit_test(scripts_without_an_address_say_so),
        cmocka_unit_test(the_longest_program_fits_the_text),
    };

    return cmocka_run_group_tests_name("wire.address", tests, NULL, NULL);
}
