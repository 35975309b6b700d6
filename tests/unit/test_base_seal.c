#include "cmocka_all.h"

#include <string.h>

#include "base/hex.h"
#include "base/seal.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static size_t parsed(uint8_t *out, const char *hex)
{
    size_t len = strlen(hex);

    assert_int_equal(spv__hex_parse_to(out, hex, len), SPV_OK);
    return len / 2;
}

/* ---- scrypt ---- */

/* RFC 7914, section 12; the last of its four wants a gigabyte. */
static void scrypt_agrees_with_its_rfc(void **state)
{
    static const struct {
        const char *password;
        const char *salt;
        spv_scrypt_cost cost;
        const char *want;
    } cases[] = {
        {"",
         "",
         {4, 1, 1},
         "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442"
         "fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906"},
        {"password",
         "NaCl",
         {10, 8, 16},
         "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162"
         "2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640"},
        {"pleaseletmein",
         "SodiumChloride",
         {14, 8, 1},
         "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2"
         "d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        uint8_t out[64];
        char text[129];

        assert_int_equal(spv__scrypt(out, sizeof(out), cases[i].password,
                                     strlen(cases[i].password), cases[i].salt,
                                     strlen(cases[i].salt), &cases[i].cost),
                         SPV_OK);
        spv__hex_format(text, out, sizeof(out));
        assert_string_equal(text, cases[i].want);
    }
}

static void no_cost_asks_for_more_than_there_may_be(void **state)
{
    static const struct {
        spv_scrypt_cost cost;
        bool bounded;
    } cases[] = {
        {{1, 1, 1}, true},
        {{17, 8, 1}, true},  /* 128 MiB */
        {{20, 8, 1}, true},  /* a gigabyte */
        {{20, 8, 2}, true},  /* twice the work in the same memory */
        {{20, 8, 3}, false}, /* too much work */
        {{20, 9, 1}, false}, /* too much memory */
        {{21, 8, 1}, false}, /* likewise */
        {{15, 1, 1}, true},
        {{16, 1, 1}, false},          /* N is below 2^(16 r) */
        {{0, 8, 1}, false},           /* N is at least 2 */
        {{14, 0, 1}, false},          /* no block */
        {{14, 8, 0}, false},          /* nothing to do */
        {{63, 1, 1}, false},          /* N alone */
        {{255, 8, 1}, false},         /* beyond any number */
        {{14, UINT32_MAX, 1}, false}, /* terabytes */
        {{14, 8, UINT32_MAX}, false}, /* days */
        {{30, UINT32_MAX, UINT32_MAX}, false},
    };
    uint8_t out[32];

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_int_equal(spv__scrypt_is_bounded(&cases[i].cost),
                         cases[i].bounded);
        if (!cases[i].bounded)
            assert_int_equal(
                spv__scrypt(out, sizeof(out), "p", 1, "s", 1, &cases[i].cost),
                SPV_LIMIT);
    }
}

/* ---- ChaCha20-Poly1305 ---- */

/* RFC 8439, section 2.8.2 and appendix A.5. */
static const struct {
    const char *key;
    const char *nonce;
    const char *header;
    const char *plain;
    const char *sealed;
} vectors[] = {
    {"808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f",
     "070000004041424344454647", "50515253c0c1c2c3c4c5c6c7",
     "Ladies and Gentlemen of the class of '99: If I could offer you only one "
     "tip for the future, sunscreen would be it.",
     "d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d6"
     "3dbea45e8ca9671282fafb69da92728b1a71de0a9e060b2905d6a5b67ecd3b36"
     "92ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc"
     "3ff4def08e4b7a9de576d26586cec64b61161ae10b594f09e26a7e902ecbd060"
     "0691"},
    {"1c9240a5eb55d38af333888604f6b5f0473917c1402b80099dca5cbc207075c0",
     "000000000102030405060708", "f33388860000000000004e91",
     "Internet-Drafts are draft documents valid for a maximum of six months "
     "and may be updated, replaced, or obsoleted by other documents at any "
     "time. It is inappropriate to use Internet-Drafts as reference material "
     "or to cite them other than as /\xe2\x80\x9cwork in "
     "progress./\xe2\x80\x9d",
     "64a0861575861af460f062c79be643bd5e805cfd345cf389f108670ac76c8cb2"
     "4c6cfc18755d43eea09ee94e382d26b0bdb7b73c321b0100d4f03b7f355894cf"
     "332f830e710b97ce98c8a84abd0b948114ad176e008d33bd60f982b1ff37c855"
     "9797a06ef4f0ef61c186324e2b3506383606907b6a7c02b0f9f6157b53c867e4"
     "b9166c767b804d46a59b5216cde7a4e99040c5a40433225ee282a1b0a06c523e"
     "af4534d7f83fa1155b0047718cbc546a0d072b04b3564eea1b422273f548271a"
     "0bb2316053fa76991955ebd63159434ecebb4e466dae5a1073a6727627097a10"
     "49e617d91d361094fa68f0ff77987130305beaba2eda04df997b714d6c6f2c29"
     "a6ad5cb4022b02709beead9d67890cbb22392336fea1851f38"},
};

/** A vector's parts, as bytes. */
typedef struct parts {
    uint8_t key[SPV__SEAL_KEY];
    uint8_t nonce[SPV__SEAL_NONCE];
    uint8_t header[12];
    uint8_t sealed[300];
    size_t len; /* of the sealed message */
    spv_seal seal;
} parts;

static void parts_of(parts *p, size_t i)
{
    assert_int_equal(parsed(p->key, vectors[i].key), sizeof(p->key));
    assert_int_equal(parsed(p->nonce, vectors[i].nonce), sizeof(p->nonce));
    assert_int_equal(parsed(p->header, vectors[i].header), sizeof(p->header));
    p->len = parsed(p->sealed, vectors[i].sealed);
    p->seal = (spv_seal){.key = p->key,
                         .nonce = p->nonce,
                         .header = p->header,
                         .header_len = sizeof(p->header)};
}

static void seals_are_those_of_the_rfc(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(vectors); i++) {
        const char *plain = vectors[i].plain;
        size_t len = strlen(plain);
        uint8_t out[300];
        parts p;

        parts_of(&p, i);
        assert_int_equal(p.len, len + SPV__SEAL_TAG);
        assert_int_equal(spv__seal(&p.seal, out, (const uint8_t *)plain, len),
                         SPV_OK);
        assert_memory_equal(out, p.sealed, p.len);
        memset(out, 0, sizeof(out));
        assert_int_equal(spv__unseal(&p.seal, out, p.sealed, p.len), SPV_OK);
        assert_memory_equal(out, plain, len);
    }
}

/** Not to be opened, and nothing of the plain text comes out. */
static void assert_stays_closed(const parts *p, size_t len)
{
    static const uint8_t zeros[300];
    uint8_t out[300] = {0};

    assert_int_equal(spv__unseal(&p->seal, out, p->sealed, len), SPV_CHECKSUM);
    assert_memory_equal(out, zeros, sizeof(out));
}

static void whatever_is_changed_a_seal_stays_closed(void **state)
{
    parts p;

    (void)state;
    parts_of(&p, 0);
    for (size_t at = 0; at < p.len; at++) {
        p.sealed[at] ^= 1;
        assert_stays_closed(&p, p.len);
        p.sealed[at] ^= 1;
        assert_stays_closed(&p, at);
    }
    for (size_t at = 0; at < sizeof(p.key); at++) {
        p.key[at] ^= 1;
        assert_stays_closed(&p, p.len);
        p.key[at] ^= 1;
    }
    for (size_t at = 0; at < sizeof(p.nonce); at++) {
        p.nonce[at] ^= 1;
        p.header[at] ^= 1;
        assert_stays_closed(&p, p.len);
        p.nonce[at] ^= 1;
        assert_stays_closed(&p, p.len);
        p.header[at] ^= 1;
    }
    p.seal.header_len--;
    assert_stays_closed(&p, p.len);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scrypt_agrees_with_its_rfc),
        cmocka_unit_test(no_cost_asks_for_more_than_there_may_be),
        cmocka_unit_test(seals_are_those_of_the_rfc),
        cmocka_unit_test(whatever_is_changed_a_seal_stays_closed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
