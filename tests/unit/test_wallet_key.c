#include "cmocka_all.h"

#include <string.h>

#include "wallet/key.h"
#include "wallet/secp.h"

#define N(a) (sizeof(a) / sizeof((a)[0]))

static const uint8_t one[32] = {[31] = 1};

/* The group's order, from SEC 2. */
static const uint8_t order[32] = {
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    0xff, 0xff, 0xff, 0xff, 0xfe, 0xba, 0xae, 0xdc, 0xe6, 0xaf, 0x48,
    0xa0, 0x3b, 0xbf, 0xd2, 0x5e, 0x8c, 0xd0, 0x36, 0x41, 0x41};

static void a_private_key_is_from_one_to_the_order_less_one(void **state)
{
    uint8_t secret[32] = {0};

    (void)state;
    assert_false(spv__secret_is_valid(secret));
    assert_true(spv__secret_is_valid(one));
    assert_false(spv__secret_is_valid(order));
    memcpy(secret, order, 32);
    secret[31]--;
    assert_true(spv__secret_is_valid(secret));
}

static void a_sum_of_zero_is_no_private_key(void **state)
{
    uint8_t secret[32];
    static const uint8_t zero[32];

    (void)state;
    memcpy(secret, order, 32);
    secret[31]--;
    assert_int_equal(spv__secret_add(secret, one), SPV_CRYPTO);
    assert_memory_equal(secret, zero, 32);
}

static void private_and_public_tweaks_agree(void **state)
{
    uint8_t secret[32] = {[0] = 7, [31] = 9};
    uint8_t tweak[32] = {[5] = 3};
    uint8_t a[33];
    uint8_t b[33];
    spv_point point;
    spv_point sum;

    (void)state;
    assert_int_equal(spv__point_of_secret(&sum, secret), SPV_OK);
    assert_int_equal(spv__point_add(&sum, tweak), SPV_OK);
    assert_int_equal(spv__secret_add(secret, tweak), SPV_OK);
    assert_int_equal(spv__point_of_secret(&point, secret), SPV_OK);
    spv__point_encode(a, &sum);
    spv__point_encode(b, &point);
    assert_memory_equal(a, b, 33);
}

static void both_forms_of_a_point_are_read_and_hybrids_are_not(void **state)
{
    uint8_t full[65];
    uint8_t short_form[33];
    spv_point point;
    spv_point again;

    (void)state;
    assert_int_equal(spv__point_of_secret(&point, one), SPV_OK);
    spv__point_encode_full(full, &point);
    assert_int_equal(spv__point_parse(&again, full, 65), SPV_OK);
    spv__point_encode(short_form, &again);
    assert_int_equal(spv__point_parse(&again, short_form, 33), SPV_OK);
    assert_int_equal(spv__point_parse(&again, short_form, 32), SPV_MALFORMED);
    full[0] = full[64] & 1 ? 0x07 : 0x06; /* the hybrid of the same point */
    assert_int_equal(spv__point_parse(&again, full, 65), SPV_MALFORMED);
    full[0] = 0x04;
    full[64] ^= 1;
    assert_int_equal(spv__point_parse(&again, full, 65), SPV_MALFORMED);
}

static void blinding_does_not_change_signatures(void **state)
{
    static const uint8_t entropy[32] = {42};
    uint8_t before[SPV__ECDSA_MAX];
    uint8_t after[SPV__ECDSA_MAX];
    size_t n = 0;
    size_t m = 0;

    (void)state;
    assert_int_equal(spv__ecdsa_sign(before, &n, order, one), SPV_OK);
    spv__secp_blind(entropy);
    assert_int_equal(spv__ecdsa_sign(after, &m, order, one), SPV_OK);
    assert_int_equal(n, m);
    assert_memory_equal(before, after, n);
}

static void a_high_s_is_no_signature(void **state)
{
    /* The signature of digest 0 by key 1, and with s replaced by order - s. */
    uint8_t digest[32] = {0};
    uint8_t der[SPV__ECDSA_MAX];
    uint8_t high[80] = {0};
    spv_point point;
    size_t len = 0;
    size_t s_at = 0;
    int borrow = 0;

    (void)state;
    assert_int_equal(spv__point_of_secret(&point, one), SPV_OK);
    do { /* until s has all 32 bytes */
        digest[31]++;
        assert_int_equal(spv__ecdsa_sign(der, &len, digest, one), SPV_OK);
        s_at = 4u + der[3] + 2u;
    } while (der[s_at - 1] != 32);
    assert_true(spv__ecdsa_verify(der, len, digest, &point));
    memcpy(high, der, s_at);
    high[1]++;
    high[s_at - 1] = 33; /* order - s has its top bit set: a zero before it */
    for (size_t i = 32; i-- > 0;) {
        int d = order[i] - der[s_at + i] - borrow;

        borrow = d < 0;
        high[s_at + 1 + i] = (uint8_t)d;
    }
    assert_false(spv__ecdsa_verify(high, len + 1, digest, &point));
}

static void a_key_that_is_not_valid_signs_nothing(void **state)
{
    uint8_t out[SPV__ECDSA_MAX];
    uint8_t secret[32] = {0};
    size_t len = 0;
    spv_point point;

    (void)state;
    assert_int_equal(spv__ecdsa_sign(out, &len, one, secret), SPV_CRYPTO);
    assert_int_equal(spv__schnorr_sign(out, one, 32, secret, NULL), SPV_CRYPTO);
    assert_int_equal(spv__point_of_secret(&point, secret), SPV_CRYPTO);
    assert_int_equal(spv__taproot_secret(secret, NULL), SPV_CRYPTO);
}

static void a_taproot_secret_is_that_of_the_output_key(void **state)
{
    (void)state;
    for (uint8_t i = 1; i < 20; i++) { /* both parities of both keys occur */
        uint8_t secret[32] = {[31] = i};
        uint8_t public[33];
        uint8_t output[32];
        uint8_t signature[64];
        spv_point point;

        assert_int_equal(spv__point_of_secret(&point, secret), SPV_OK);
        spv__point_encode(public, &point);
        assert_int_equal(
            spv__taproot_output(output, NULL, public + 1, i % 2 ? one : NULL),
            SPV_OK);
        assert_int_equal(spv__taproot_secret(secret, i % 2 ? one : NULL),
                         SPV_OK);
        assert_int_equal(spv__schnorr_sign(signature, one, 32, secret, NULL),
                         SPV_OK);
        assert_true(spv__schnorr_verify(signature, one, 32, output));
        signature[40] ^= 1;
        assert_false(spv__schnorr_verify(signature, one, 32, output));
    }
}

static void what_is_no_x_coordinate_is_no_internal_key(void **state)
{
    uint8_t output[32];
    uint8_t all[32];

    (void)state;
    memset(all, 0xff, sizeof(all));
    assert_false(spv__xonly_is_valid(all));
    assert_int_equal(spv__taproot_output(output, NULL, all, NULL),
                     SPV_MALFORMED);
}

/* ---- WIF ---- */

static const struct {
    spv_chain chain;
    const char *text;
    spv_err want;
} wifs[] = {
    {SPV_MAIN, "KwDiBf89QgGbjEhKnhXJuH7LrciVrZi3qYjgd9M7rFU73sVHnoWn", SPV_OK},
    {SPV_MAIN, "5HpHagT65TZzG1PH3CSu63k8DbpvD8s5ip4nEB3kEsreAnchuDf", SPV_OK},
    {SPV_TESTNET3, "KwDiBf89QgGbjEhKnhXJuH7LrciVrZi3qYjgd9M7rFU73sVHnoWn",
     SPV_NETWORK},
    {SPV_REGTEST, "cMahea7zqjxrtgAbB7LSGbcQUr1uX1ojuat9jZodMN87JcbXMTcA",
     SPV_OK},
    {SPV_MAIN, "cMahea7zqjxrtgAbB7LSGbcQUr1uX1ojuat9jZodMN87JcbXMTcA",
     SPV_NETWORK},
    {SPV_MAIN, "KwDiBf89QgGbjEhKnhXJuH7LrciVrZi3qYjgd9M7rFU73sVHnoWm",
     SPV_CHECKSUM},
    {SPV_MAIN, "KwDiBf89QgGbjEhKnhXJuH7LrciVrZi3qYjgd9M7rFU73sVHnoW0",
     SPV_MALFORMED},
    {SPV_MAIN, "", SPV_MALFORMED},
    {SPV_MAIN, "KwDiBf89QgGbjEhKnhXJuH7LrciVrZi3qYjgd9M7rFU73sVHnoWnn",
     SPV_MALFORMED},
};

static void a_private_key_s_text_is_read_and_written_back(void **state)
{
    (void)state;
    for (size_t i = 0; i < N(wifs); i++) {
        const spv_network *network = spv_network_get(wifs[i].chain);
        spv_key key;
        char text[SPV__WIF_TEXT];

        assert_int_equal(
            spv__key_parse(&key, wifs[i].text, strlen(wifs[i].text), network),
            wifs[i].want);
        if (wifs[i].want != SPV_OK)
            continue;
        assert_memory_equal(key.secret, one, 32);
        assert_int_equal(spv__key_format(text, &key, network), SPV_OK);
        assert_string_equal(text, wifs[i].text);
        spv__key_clear(&key);
        assert_false(spv__secret_is_valid(key.secret));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_private_key_is_from_one_to_the_order_less_one),
        cmocka_unit_test(a_sum_of_zero_is_no_private_key),
        cmocka_unit_test(private_and_public_tweaks_agree),
        cmocka_unit_test(both_forms_of_a_point_are_read_and_hybrids_are_not),
        cmocka_unit_test(blinding_does_not_change_signatures),
        cmocka_unit_test(a_high_s_is_no_signature),
        cmocka_unit_test(a_key_that_is_not_valid_signs_nothing),
        cmocka_unit_test(a_taproot_secret_is_that_of_the_output_key),
        cmocka_unit_test(what_is_no_x_coordinate_is_no_internal_key),
        cmocka_unit_test(a_private_key_s_text_is_read_and_written_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
