#include "cmocka_all.h"

#include <string.h>

#include "base/digest.h"
#include "base/hex.h"
#include "wallet/secp.h"
#include "wallet/sign.h"

/** Bytes of a hex text; whoever asks frees them. */
static spv_buf bytes_of(const char *hex)
{
    spv_buf b = SPV_BUF_EMPTY;

    assert_int_equal(spv__hex_parse(&b, hex, strlen(hex)), SPV_OK);
    return b;
}

static void assert_hex(const spv_buf *got, const char *want)
{
    char hex[1024];

    assert_in_range(got->len, 0, sizeof(hex) / 2 - 1);
    spv__hex_format(hex, got->bytes, got->len);
    assert_string_equal(hex, want);
}

static spv_key key_of(const char *hex)
{
    spv_buf b = bytes_of(hex);
    spv_key key = {.compressed = true};

    memcpy(key.secret, b.bytes, 32);
    spv__buf_clear(&b);
    return key;
}

/* BIP 143, "Native P2WPKH": the first input is P2PK, the second P2WPKH. */
static void the_native_example_of_bip_143_is_signed(void **state)
{
    spv_buf bytes = bytes_of(
        "0100000002fff7f7881a8099afa6940d42d1e7f6362bec38171ea3edf433541db4e4ad"
        "969f0000000000eeffffffef51e1b804cc89d182d279655c3aa89e815b1b309fe287d9"
        "b2b55d57b90ec68a0100000000ffffffff02202cb206000000001976a9148280b37df3"
        "78db99f66f85c95a783a76ac7a6d5988ac9093510d000000001976a9143bde42dbee7e"
        "4dbe6a21b2d50ce2f0167faa815988ac11000000");
    spv_buf first = bytes_of("2103c9f4836b9a4f77fc0d81f7bcb01b7f1b35916864b947"
                             "6c241ce9fc198bd25432ac");
    spv_buf second = bytes_of("00141d0f172a0ecb48aee1be1f2687d2963ae33f71a1");
    spv_key key[2] = {
        key_of("bbc27228ddcb9209d7fd6f36b02f7dfa6252af40bb2f1cbc7a557da8027ff8"
               "66"),
        key_of("619c335025c7f4012e556c2a58b2506e30b8511b53ade95ea316fd8c3286fe"
               "b9")};
    spv_txout spent[2] = {{.value = 625000000, first.bytes, first.len},
                          {.value = 600000000, second.bytes, second.len}};
    spv_signing s;
    spv_unlock unlock;
    spv_tx tx;

    (void)state;
    assert_int_equal(spv_tx_decode(&tx, bytes.bytes, bytes.len, NULL), SPV_OK);
    assert_int_equal(spv__signing_init(&s, &tx, spent), SPV_OK);
    assert_int_equal(
        spv__sign_input(&unlock, &s, 0, &key[0], SPV__SIGHASH_ALL, NULL),
        SPV_OK);
    assert_hex(&unlock.script,
               "4830450221008b9d1dc26ba6a9cb62127b02742fa9d754cd3bebf337f7a55d"
               "114c8e5cdd30be022040529b194ba3f9281a99f2b1c0a19c0489bc22ede944"
               "ccf4ecbab4cc618ef3ed01");
    assert_int_equal(unlock.witness.len, 0);
    spv__unlock_clear(&unlock);
    assert_int_equal(
        spv__sign_input(&unlock, &s, 1, &key[1], SPV__SIGHASH_ALL, NULL),
        SPV_OK);
    assert_int_equal(unlock.script.len, 0);
    assert_hex(&unlock.witness,
               "0247304402203609e17b84f6a7d30c80bfa610b5b4542f32a8a0d5447a12fb"
               "1366d7f01cc44a0220573a954c4518331561406f90300e8f3358f51928d43c"
               "212a8caed02de67eebee0121025476c2e83188368da1ff3e292e7acafcdb35"
               "66bb0ad253f62fc70f07aeee6357");
    spv__unlock_clear(&unlock);
    spv_tx_clear(&tx);
    spv__buf_clear(&first);
    spv__buf_clear(&second);
    spv__buf_clear(&bytes);
}

/* BIP 143, "P2SH-P2WPKH". */
static void the_nested_example_of_bip_143_is_signed(void **state)
{
    spv_buf bytes = bytes_of(
        "0100000001db6b1b20aa0fd7b23880be2ecbd4a98130974cf4748fb66092ac4d3ceb1a"
        "54770100000000feffffff02b8b4eb0b000000001976a914a457b684d7f0d539a46a45"
        "bbc043f35b59d0d96388ac0008af2f000000001976a914fd270b1ee6abcaea97fea7ad"
        "0402e8bd8ad6d77c88ac92040000");
    spv_buf script = bytes_of("a9144733f37cf4db86fbc2efed2500b4f4e49f31202387");
    spv_key key = key_of(
        "eb696a065ef48a2192da5b28b694f87544b30fae8327c4510137a922f32c6dcf");
    spv_txout spent = {
        .value = 1000000000, .script = script.bytes, .script_len = script.len};
    spv_signing s;
    spv_unlock unlock;
    spv_tx tx;

    (void)state;
    assert_int_equal(spv_tx_decode(&tx, bytes.bytes, bytes.len, NULL), SPV_OK);
    assert_int_equal(spv__signing_init(&s, &tx, &spent), SPV_OK);
    assert_int_equal(
        spv__sign_input(&unlock, &s, 0, &key, SPV__SIGHASH_ALL, NULL), SPV_OK);
    assert_hex(&unlock.script,
               "16001479091972186c449eb1ded22b78e40d009bdf0089");
    assert_hex(&unlock.witness,
               "02473044022047ac8e878352d3ebbde1c94ce3a10d057c24175747116f8288"
               "e5d794d12d482f0220217f36a485cae903c713331d877c1f64677e3622ad40"
               "10726870540656fe9dcb012103ad1d8e89212f0b92c74d23bb710c00662ad1"
               "470198ac48c43f7d6f93a2a26873");
    spv__unlock_clear(&unlock);
    spv_tx_clear(&tx);
    spv__buf_clear(&script);
    spv__buf_clear(&bytes);
}

/** One input and one output, filled in by hand: no bytes behind it. */
typedef struct draft {
    spv_txin in;
    spv_txout out;
    spv_tx tx;
    spv_txout spent;
    uint8_t script[64];
} draft;

static void draft_init(draft *d, const uint8_t *script, size_t len)
{
    *d = (draft){.in = {.sequence = 0xfffffffd, .prev = {.vout = 3}}};
    memcpy(d->script, script, len);
    d->out = (spv_txout){1000, (const uint8_t *)"\x51", 1};
    d->spent = (spv_txout){2000, d->script, len};
    d->tx = (spv_tx){
        .version = 2, .in = &d->in, .n_in = 1, .out = &d->out, .n_out = 1};
}

static spv_err sign(draft *d, spv_unlock *unlock, const spv_key *key,
                    uint8_t hash_type)
{
    spv_signing s;

    assert_int_equal(spv__signing_init(&s, &d->tx, &d->spent), SPV_OK);
    return spv__sign_input(unlock, &s, 0, key, hash_type, NULL);
}

static const uint8_t digest_of_nothing[32];

/* PUSH(signature, hash type) PUSH(key), as nodes read it. */
static void assert_p2pkh_is_signed(draft *d, const spv_key *key)
{
    uint8_t public[65];
    uint8_t digest[32];
    size_t len = 0;
    spv_point point;
    spv_unlock u;
    size_t sig_len = 0;

    assert_int_equal(spv__key_public(public, &len, key), SPV_OK);
    assert_int_equal(sign(d, &u, key, SPV__SIGHASH_ALL), SPV_OK);
    sig_len = u.script.bytes[0];
    assert_int_equal(u.script.len, 1 + sig_len + 1 + len);
    assert_int_equal(u.script.bytes[sig_len], SPV__SIGHASH_ALL);
    assert_memory_equal(u.script.bytes + 1 + sig_len + 1, public, len);
    assert_int_equal(
        spv__sighash_legacy(digest, &d->tx, 0, d->script, 25, SPV__SIGHASH_ALL),
        SPV_OK);
    assert_int_equal(spv__point_parse(&point, public, len), SPV_OK);
    assert_true(
        spv__ecdsa_verify(u.script.bytes + 1, sig_len - 1, digest, &point));
    assert_false(spv__ecdsa_verify(u.script.bytes + 1, sig_len - 1,
                                   digest_of_nothing, &point));
    spv__unlock_clear(&u);
}

static void p2pkh_is_signed_with_either_form_of_key(void **state)
{
    (void)state;
    for (int compressed = 0; compressed < 2; compressed++) {
        uint8_t script[25] = {0x76, 0xa9, 20, [23] = 0x88, 0xac};
        spv_key key = {.secret = {[31] = 5}, .compressed = compressed};
        uint8_t public[65];
        size_t len = 0;
        draft d;

        assert_int_equal(spv__key_public(public, &len, &key), SPV_OK);
        spv__hash160(script + 3, public, len);
        draft_init(&d, script, sizeof(script));
        assert_p2pkh_is_signed(&d, &key);
    }
}

static void make_p2tr(uint8_t script[34], const spv_key *key)
{
    uint8_t public[65];
    size_t len = 0;

    script[0] = 0x51;
    script[1] = 32;
    assert_int_equal(spv__key_public(public, &len, key), SPV_OK);
    assert_int_equal(spv__taproot_output(script + 2, NULL, public + 1, NULL),
                     SPV_OK);
}

static void p2tr_is_signed_with_and_without_a_hash_type(void **state)
{
    static const uint8_t types[] = {
        SPV__SIGHASH_DEFAULT, SPV__SIGHASH_ALL, SPV__SIGHASH_NONE,
        SPV__SIGHASH_SINGLE, SPV__SIGHASH_SINGLE | SPV__SIGHASH_ANYONECANPAY};
    spv_key key = {.secret = {[31] = 6}, .compressed = true};
    uint8_t script[34];

    (void)state;
    make_p2tr(script, &key);
    for (size_t i = 0; i < sizeof(types); i++) {
        uint8_t digest[32];
        spv_signing s;
        spv_unlock u;
        draft d;

        draft_init(&d, script, sizeof(script));
        assert_int_equal(sign(&d, &u, &key, types[i]), SPV_OK);
        assert_int_equal(u.script.len, 0);
        assert_int_equal(u.witness.len, types[i] ? 67 : 66);
        assert_int_equal(u.witness.bytes[0], 1);
        assert_int_equal(u.witness.bytes[1], u.witness.len - 2);
        assert_int_equal(spv__signing_init(&s, &d.tx, &d.spent), SPV_OK);
        assert_int_equal(spv__sighash_taproot(digest, &d.tx, &s.parts, 0,
                                              &d.spent, types[i]),
                         SPV_OK);
        assert_true(
            spv__schnorr_verify(u.witness.bytes + 2, digest, 32, script + 2));
        spv__unlock_clear(&u);
    }
}

static void hash_types_that_taproot_does_not_define_are_refused(void **state)
{
    static const uint8_t types[] = {4, 0x80, 0x84, 0xff};
    spv_key key = {.secret = {[31] = 6}, .compressed = true};
    uint8_t script[34];

    (void)state;
    make_p2tr(script, &key);
    for (size_t i = 0; i < sizeof(types); i++) {
        spv_unlock u;
        draft d;

        draft_init(&d, script, sizeof(script));
        assert_int_equal(sign(&d, &u, &key, types[i]), SPV_INVAL);
        assert_null(u.witness.bytes);
    }
}

static void taproot_single_needs_its_output(void **state)
{
    spv_key key = {.secret = {[31] = 6}, .compressed = true};
    uint8_t script[34];
    spv_unlock u;
    draft d;

    (void)state;
    make_p2tr(script, &key);
    draft_init(&d, script, sizeof(script));
    d.tx.n_out = 0;
    assert_int_equal(sign(&d, &u, &key, SPV__SIGHASH_SINGLE), SPV_INVAL);
}

static const struct {
    const char *script;
    bool compressed;
} strangers[] = {
    {"2103c9f4836b9a4f77fc0d81f7bcb01b7f1b35916864b9476c241ce9fc198bd25432ac",
     true},
    {"76a9143bde42dbee7e4dbe6a21b2d50ce2f0167faa815988ac", true},
    {"a9144733f37cf4db86fbc2efed2500b4f4e49f31202387", true},
    {"00141d0f172a0ecb48aee1be1f2687d2963ae33f71a1", true},
    {"512053a1f6e454df1aa2776a2814a721372d6258050de330b3c6d10ee8f4e0dda343",
     true},
    {"0020701a8d401c84fb13e6baf169d59684e17abd9fa216c8cc5b9fc63d622ff8c58d",
     true},
    {"6a04deadbeef", true},
    {"51", true},
    /* the key's own hash, but of its long form: segwit takes only the short */
    {"001491b24bf9f5288532960ac687abb035127b1d28a5", false},
};

static void what_is_not_the_key_s_is_not_signed(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(strangers) / sizeof(strangers[0]); i++) {
        spv_key key = {.secret = {[31] = 1},
                       .compressed = strangers[i].compressed};
        spv_buf script = bytes_of(strangers[i].script);
        spv_unlock u;
        draft d;

        draft_init(&d, script.bytes, script.len);
        assert_int_equal(sign(&d, &u, &key, SPV__SIGHASH_ALL), SPV_NOT_FOUND);
        assert_null(u.script.bytes);
        assert_null(u.witness.bytes);
        spv__buf_clear(&script);
    }
}

static void an_input_that_is_not_there_is_refused(void **state)
{
    spv_key key = {.secret = {[31] = 1}, .compressed = true};
    spv_signing s;
    spv_unlock u;
    draft d;

    (void)state;
    draft_init(&d, (const uint8_t *)"\x51", 1);
    assert_int_equal(spv__signing_init(&s, &d.tx, &d.spent), SPV_OK);
    assert_int_equal(spv__sign_input(&u, &s, 1, &key, SPV__SIGHASH_ALL, NULL),
                     SPV_INVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_native_example_of_bip_143_is_signed),
        cmocka_unit_test(the_nested_example_of_bip_143_is_signed),
        cmocka_unit_test(p2pkh_is_signed_with_either_form_of_key),
        cmocka_unit_test(p2tr_is_signed_with_and_without_a_hash_type),
        cmocka_unit_test(hash_types_that_taproot_does_not_define_are_refused),
        cmocka_unit_test(taproot_single_needs_its_output),
        cmocka_unit_test(what_is_not_the_key_s_is_not_signed),
        cmocka_unit_test(an_input_that_is_not_there_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
