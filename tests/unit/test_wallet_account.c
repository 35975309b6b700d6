#include "cmocka_all.h"

#include <string.h>

#include "wallet/account.h"
#include "wallet/descriptor.h"

static const char mnemonic[] =
    "abandon abandon abandon abandon abandon abandon abandon abandon abandon "
    "abandon abandon about";

static void descriptor_of(char out[512], spv_account_type type,
                          uint32_t account, bool as_private, spv_chain chain)
{
    uint8_t seed[SPV__SEED_LEN];
    spv_buf b = SPV_BUF_EMPTY;

    assert_int_equal(spv__mnemonic_seed(seed, mnemonic, "", NULL), SPV_OK);
    assert_int_equal(spv__account_descriptor(&b, seed, type, account,
                                             as_private,
                                             spv_network_get(chain)),
                     SPV_OK);
    assert_in_range(b.len, 1, 511);
    memcpy(out, b.bytes, b.len);
    out[b.len] = '\0';
    spv__buf_clear(&b);
}

/* The account keys are those of BIP 84's and 86's own examples. */
static void an_account_s_descriptor_has_origin_paths_and_checksum(void **state)
{
    char text[512];

    (void)state;
    descriptor_of(text, SPV_ACCOUNT_WPKH, 0, false, SPV_MAIN);
    assert_string_equal(
        text, "wpkh([73c5da0a/84h/0h/0h]"
              "xpub6CatWdiZiodmUeTDp8LT5or8nmbKNcuyvz7WyksVFkKB4RHwCD3XyuvPEbv"
              "qAQY3rAPshWcMLoP2fMFMKHPJ4ZeZXYVUhLv1VMrjPC7PW6V/<0;1>/*)"
              "#qf45pmyh");
    descriptor_of(text, SPV_ACCOUNT_TR, 0, false, SPV_MAIN);
    assert_string_equal(
        text, "tr([73c5da0a/86h/0h/0h]"
              "xpub6BgBgsespWvERF3LHQu6CnqdvfEvtMcQjYrcRzx53QJjSxarj2afYWcLteo"
              "GVky7D3UKDP9QyrLprQ3VCECoY49yfdDEHGCtMMj92pReUsQ/<0;1>/*)"
              "#xf07c0qd");
}

static void private_and_public_forms_give_the_same_scripts(void **state)
{
    (void)state;
    for (int t = 0; t < SPV__ACCOUNT_TYPES; t++) {
        char texts[2][512];
        spv_descriptors lists[2];
        spv_derived scripts[2];

        for (int p = 0; p < 2; p++) {
            descriptor_of(texts[p], (spv_account_type)t, 3, p, SPV_REGTEST);
            assert_int_equal(
                spv__descriptors_parse(&lists[p], texts[p],
                                       spv_network_get(SPV_REGTEST), NULL),
                SPV_OK);
            assert_int_equal(lists[p].n, 2);
            assert_int_equal(spv__descriptor_has_private(lists[p].item[0]), p);
            assert_int_equal(
                spv__descriptor_derive(lists[p].item[1], 5, &scripts[p]),
                SPV_OK);
        }
        assert_int_equal(scripts[0].script_len, scripts[1].script_len);
        assert_memory_equal(scripts[0].script, scripts[1].script,
                            scripts[0].script_len);
        spv__descriptors_clear(&lists[0]);
        spv__descriptors_clear(&lists[1]);
    }
}

/* What the watch-only file gets is what the public side would write. */
static void the_private_form_is_written_publicly_as_the_public_form(
    void **state)
{
    char private_text[512];
    char public_text[512];
    char expanded[512];

    (void)state;
    descriptor_of(private_text, SPV_ACCOUNT_SH_WPKH, 1, true, SPV_MAIN);
    descriptor_of(public_text, SPV_ACCOUNT_SH_WPKH, 1, false, SPV_MAIN);
    assert_non_null(strstr(private_text, "xprv"));
    assert_null(strstr(public_text, "prv"));
    assert_int_equal(spv_descriptor_expand(expanded, sizeof(expanded),
                                           private_text,
                                           spv_network_get(SPV_MAIN), NULL),
                     SPV_OK);
    assert_string_equal(expanded, public_text);
}

static void types_are_found_by_the_names_of_the_command_line(void **state)
{
    static const char *const names[] = {"pkh", "sh-wpkh", "wpkh", "tr"};
    spv_account_type type;

    (void)state;
    for (int t = 0; t < SPV__ACCOUNT_TYPES; t++) {
        assert_int_equal(spv__account_type_find(&type, names[t]), SPV_OK);
        assert_int_equal(type, t);
        assert_string_equal(spv__account_type_name(type), names[t]);
    }
    assert_int_equal(spv__account_type_find(&type, "p2pkh"), SPV_NOT_FOUND);
}

static void the_coin_type_is_the_network_s(void **state)
{
    spv_path path =
        spv__account_path(SPV_ACCOUNT_WPKH, 7, spv_network_get(SPV_TESTNET4));

    (void)state;
    assert_int_equal(path.n, 3);
    assert_int_equal(path.step[0], SPV__HARDENED | 84);
    assert_int_equal(path.step[1], SPV__HARDENED | 1);
    assert_int_equal(path.step[2], SPV__HARDENED | 7);
}

static void an_account_number_has_no_hardened_bit(void **state)
{
    static const uint8_t seed[SPV__SEED_LEN];
    spv_buf b = SPV_BUF_EMPTY;

    (void)state;
    assert_int_equal(spv__account_descriptor(&b, seed, SPV_ACCOUNT_PKH,
                                             SPV__HARDENED, false,
                                             spv_network_get(SPV_MAIN)),
                     SPV_INVAL);
    assert_null(b.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_account_s_descriptor_has_origin_paths_and_checksum),
        cmocka_unit_test(private_and_public_forms_give_the_same_scripts),
        cmocka_unit_test(
            the_private_form_is_written_publicly_as_the_public_form),
        cmocka_unit_test(types_are_found_by_the_names_of_the_command_line),
        cmocka_unit_test(the_coin_type_is_the_network_s),
        cmocka_unit_test(an_account_number_has_no_hardened_bit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
