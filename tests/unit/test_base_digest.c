#include "cmocka_all.h"

#include <pthread.h>
#include <string.h>

#include "base/digest.h"
#include "base/hex.h"

static const char fox[] = "The quick brown fox jumps over the lazy dog";

static void assert_hex(const uint8_t *bytes, size_t len, const char *want)
{
    char text[129];

    spv__hex_format(text, bytes, len);
    assert_string_equal(text, want);
}

/* FIPS 180-4 examples. */
static void sha256_agrees_with_the_standard(void **state)
{
    static const struct {
        const char *text;
        const char *want;
    } cases[] = {
        {"",
         "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc",
         "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint8_t out[32];

        spv__sha256(out, cases[i].text, strlen(cases[i].text));
        assert_hex(out, sizeof(out), cases[i].want);
    }
}

static void sha512_agrees_with_the_standard(void **state)
{
    uint8_t out[64];

    (void)state;
    spv__sha512(out, "abc", 3);
    assert_hex(
        out, sizeof(out),
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
        "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f");
}

static void the_genesis_header_hashes_to_its_name(void **state)
{
    static const char header[] =
        "0100000000000000000000000000000000000000000000000000000000000000"
        "000000003ba3edfd7a7b12b27ac72c3e67768f617fc81bc3888a51323a9fb8aa"
        "4b1e5e4a29ab5f49ffff001d1dac2b7c";
    char text[SPV_HASH_TEXT];
    uint8_t bytes[80];
    spv_hash hash;

    (void)state;
    assert_int_equal(spv__hex_parse_to(bytes, header, 160), SPV_OK);
    spv__sha256d(&hash, bytes, sizeof(bytes));
    spv_hash_format(text, &hash);
    assert_string_equal(
        text,
        "000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f");
}

static void slices_hash_as_if_they_were_joined(void **state)
{
    const spv_slice slices[] = {{fox, 4}, {NULL, 0}, {fox + 4, 39}};
    spv_hash joined;
    spv_hash sliced;

    (void)state;
    spv__sha256d(&joined, fox, 43);
    spv__sha256d_slices(&sliced, slices, 3);
    assert_true(spv_hash_equal(&joined, &sliced));
    spv__sha256d(&joined, NULL, 0);
    spv__sha256d_slices(&sliced, NULL, 0);
    assert_true(spv_hash_equal(&joined, &sliced));
}

/* Block 100000's merkle tree: two of its leaves and the node above them. */
static void a_pair_is_hashed_left_then_right(void **state)
{
    spv_hash left;
    spv_hash right;
    spv_hash node;
    char text[SPV_HASH_TEXT];

    (void)state;
    assert_int_equal(
        spv_hash_parse(&left, "8c14f0db3df150123e6f3dbbf30f8b955a8249b62ac1d1ff"
                              "16284aefa3d06d87"),
        SPV_OK);
    assert_int_equal(
        spv_hash_parse(&right, "fff2525b8931402dd09222c50775608f75787bd2b87e56"
                               "995a7bdd30f79702c4"),
        SPV_OK);
    spv__sha256d_pair(&node, &left, &right);
    spv_hash_format(text, &node);
    assert_string_equal(
        text,
        "ccdafb73d8dcd0173d5d5c3c9a0770d0b3953db889dab99ef05b1907518cb815");
    spv__sha256d_pair(&left, &left, &right);
    assert_true(spv_hash_equal(&left, &node));
}

static void hash160_is_ripemd160_of_sha256(void **state)
{
    static const char key[] =
        "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d"
        "959f2815b16f81798";
    uint8_t bytes[33];
    uint8_t out[20];

    (void)state;
    assert_int_equal(spv__hex_parse_to(bytes, key, 66), SPV_OK);
    spv__hash160(out, bytes, sizeof(bytes));
    assert_hex(out, sizeof(out), "751e76e8199196d454941c45d1b3a323f1433bd6");
}

/* BIP 340: "SHA256(SHA256(tag) || SHA256(tag) || x)". */
static void tagged_hash_prefixes_its_tag_twice(void **state)
{
    const spv_slice slices[] = {{fox, 10}, {fox + 10, 33}};
    uint8_t joined[64 + 43];
    uint8_t want[32];
    uint8_t got[32];

    (void)state;
    spv__sha256(joined, "TapTweak", 8);
    memcpy(joined + 32, joined, 32);
    memcpy(joined + 64, fox, 43);
    spv__sha256(want, joined, sizeof(joined));
    spv__tagged_hash(got, "TapTweak", slices, 2);
    assert_memory_equal(got, want, sizeof(got));
}

/* RFC 4231, test cases 1 and 6 (a key longer than a block). */
static void hmac_agrees_with_rfc_4231(void **state)
{
    static const char large[] =
        "Test Using Larger Than Block-Size Key - Hash Key First";
    uint8_t key[131];
    uint8_t out[64];

    (void)state;
    memset(key, 0x0b, sizeof(key));
    spv__hmac_sha256(out, key, 20, "Hi There", 8);
    assert_hex(
        out, 32,
        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    spv__hmac_sha512(out, key, 20, "Hi There", 8);
    assert_hex(
        out, 64,
        "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cde"
        "daa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854");
    memset(key, 0xaa, sizeof(key));
    spv__hmac_sha256(out, key, sizeof(key), large, strlen(large));
    assert_hex(
        out, 32,
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

static void hmac_takes_an_empty_key_and_message(void **state)
{
    uint8_t out[32];

    (void)state;
    spv__hmac_sha256(out, NULL, 0, NULL, 0);
    assert_hex(
        out, 32,
        "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad");
}

/* The first English vector of BIP 39 (passphrase "TREZOR"). */
static void pbkdf2_makes_a_bip39_seed(void **state)
{
    static const char words[] =
        "abandon abandon abandon abandon abandon abandon abandon abandon "
        "abandon abandon abandon about";
    uint8_t out[64];

    (void)state;
    spv__pbkdf2_sha512(out, words, strlen(words), "mnemonicTREZOR", 14, 2048);
    assert_hex(
        out, 64,
        "c55257c360c07c72029aebc1b53c05ed0362ada38ead3e3e9efa3708e5349553"
        "1f09a6987599d18264c1e1c92f2cf141630c7a3c4ab7c81b2f001698e7463b04");
}

static void cleanse_leaves_nothing(void **state)
{
    static const uint8_t zeros[16];
    uint8_t secret[16];

    (void)state;
    memset(secret, 0x5a, sizeof(secret));
    spv__cleanse(secret, sizeof(secret));
    assert_memory_equal(secret, zeros, sizeof(secret));
}

/* A chain of hashes, each of the one before. */
static void *hash_chain(void *at)
{
    spv_hash *hash = at;

    for (unsigned i = 0; i < 2000; i++) {
        spv__sha256d_pair(hash, hash, hash);
        spv__ripemd160(hash->bytes, hash->bytes, sizeof(hash->bytes));
    }
    return NULL;
}

static void threads_do_not_disturb_each_other(void **state)
{
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    spv_hash got[THREADS];
    spv_hash want;

    (void)state;
    memset(got, 0, sizeof(got));
    memset(&want, 0, sizeof(want));
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, hash_chain, &got[i]),
                         0);
    hash_chain(&want);
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_true(spv_hash_equal(&got[i], &want));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sha256_agrees_with_the_standard),
        cmocka_unit_test(sha512_agrees_with_the_standard),
        cmocka_unit_test(the_genesis_header_hashes_to_its_name),
        cmocka_unit_test(slices_hash_as_if_they_were_joined),
        cmocka_unit_test(a_pair_is_hashed_left_then_right),
        cmocka_unit_test(hash160_is_ripemd160_of_sha256),
        cmocka_unit_test(tagged_hash_prefixes_its_tag_twice),
        cmocka_unit_test(hmac_agrees_with_rfc_4231),
        cmocka_unit_test(hmac_takes_an_empty_key_and_message),
        cmocka_unit_test(pbkdf2_makes_a_bip39_seed),
        cmocka_unit_test(cleanse_leaves_nothing),
        cmocka_unit_test(threads_do_not_disturb_each_other),
    };

    return cmocka_run_group_tests_name("base.digest", tests, NULL, NULL);
}
