#include "cmocka_all.h"

#include <string.h>

#include "base/hex.h"
#include "wallet/descriptor.h"

#define N(a) (sizeof(a) / sizeof((a)[0]))

/* Keys of BIP 381 to 386. */
#define WIF  "L4rK1yDtCWekvXuE6oXD9jCYfFNV2cWRpVuPLBcCU2z8TrisoyY1"
#define WIFU "5KYZdUEo39z3FPrtuX2QbbwGnNP5zTd7yyr2SC1j299sBCnWjss"
#define X    "a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac1c540c5bd"
#define Y    "5b8dec5235a0fa8722476c7709c02559e3aa73aa03918ba2d492eea75abea235"
#define KEY  "03" X
#define KEYU "04" X Y
#define ORIGIN "[deadbeef/1/2'/3/4']"
#define XPRV1                                                                 \
    "xprv9s21ZrQH143K31xYSDQpPDxsXRTUcvj2iNHm5NUtrGiGG5e2DtALGdso3pGz6ssrdK4" \
    "PFmM8NSpSBHNqPqm55Qn3LqFtT2emdEXVYsCzC2U"
#define XPRV2                                                                 \
    "xprv9vHkqa6EV4sPZHYqZznhT2NPtPCjKuDKGY38FBWLvgaDx45zo9WQRUT3dKYnjwih2yJ" \
    "D9mkrocEZXo1ex8G81dwSM1fwqWpWkeS3v86pgKt"
#define XPUB2                                                                 \
    "xpub69H7F5d8KSRgmmdJg2KhpAK8SR3DjMwAdkxj3ZuxV27CprR9LgpeyGmXUbC6wb7ERfv" \
    "rnKZjXoUmmDznezpbZb7ap6r1D3tgFxHmwMkQTPH"
#define XPRV3                                                                 \
    "xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJ" \
    "xWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi"
#define XPRV4                                                                 \
    "xprvA1RpRA33e1JQ7ifknakTFpgNXPmW2YvmhqLQYMmrj4xJXXWYpDPS3xz7iAxn8L39njG" \
    "VyuoseXzU6rcxFLJ8HFsTjSyQbLYnMpCqE2VbFWc"
#define XPUB4                                                                 \
    "xpub6ERApfZwUNrhLCkDtcHTcxd75RbzS1ed54G1LkBUHQVHQKqhMkhgbmJbZRkrgZw4kox" \
    "b5JaHWkY4ALHY2grBGRjaDMzQLcgJvLJuZZvRcEL"
#define XPRV5                                                                 \
    "xprv9uPDJpEQgRQfDcW7BkF7eTya6RPxXeJCqCJGHuCJ4GiRVLzkTXBAJMu2qaMWPrS7AAN" \
    "Yqdq6vcBcBUdJCVVFceUvJFjaPdGZ2y9WACViL4L"
#define XPUB5                                                                 \
    "xpub68NZiKmJWnxxS6aaHmn81bvJeTESw724CRDs6HbuccFQN9Ku14VQrADWgqbhhTHBaoh" \
    "PX4CjNLf9fq9MYo6oDaPPLPxSb7gwQN3ih19Zm4Y"
#define XPUB6                                                                 \
    "xpub661MyMwAqRbcFW31YEwpkMuc5THy2PSt5bDMsktWQcFF8syAmRUapSCGu8ED9W6oDMS" \
    "gv6Zz8idoc4a6mr8BDzTJY47LJhkJ8UB7WEGuduB"
#define MULTI_SCRIPT "512103" X "4104" X Y "52ae"

/* BIP 381, 382, 383 and 386: the scripts at 0, 1 and 2. */
static const struct {
    const char *text;
    const char *script[3];
} scripts[] = {
    {"pk(" WIF ")", {"2103" X "ac"}},
    {"pk(" KEY ")", {"2103" X "ac"}},
    {"pkh(" ORIGIN WIF ")", {"76a9149a1c78a507689f6f54b847ad1cef1e614ee23f1e88ac"}},
    {"pkh(" ORIGIN KEY ")", {"76a9149a1c78a507689f6f54b847ad1cef1e614ee23f1e88ac"}},
    {"pk(" WIFU ")", {"4104" X Y "ac"}},
    {"pk(" KEYU ")", {"4104" X Y "ac"}},
    {"pkh(" WIFU ")", {"76a914b5bd079c4d57cc7fc28ecf8213a6b791625b818388ac"}},
    {"pkh(" KEYU ")", {"76a914b5bd079c4d57cc7fc28ecf8213a6b791625b818388ac"}},
    {"sh(pk(" WIF "))", {"a9141857af51a5e516552b3086430fd8ce55f7c1a52487"}},
    {"sh(pk(" KEY "))", {"a9141857af51a5e516552b3086430fd8ce55f7c1a52487"}},
    {"sh(pkh(" KEY "))", {"a9141a31ad23bf49c247dd531a623c2ef57da3c400c587"}},
    {"pkh(" XPRV1 "/2147483647'/0)", {"76a914ebdc90806a9c4356c1c88e42216611e1cb4c1c1788ac"}},
    {"pkh([bd16bee5/2147483647h]xpub69H7F5dQzmVd3vPuLKtcXJziMEQByuDidnX3YdwgtNsecY5HRGtAAQC5mXTt4dsv9RzyjgDjAQs9VGVV6ydYCHnprc9vvaA5YtqWyL6hyds/0)",
     {"76a914ebdc90806a9c4356c1c88e42216611e1cb4c1c1788ac"}},
    {"pk(" XPRV5 "/0)", {"210379e45b3cf75f9c5f9befd8e9506fb962f6a9d185ac87001ec44a8d3df8d4a9e3ac"}},
    {"pk(" XPUB5 "/0)", {"210379e45b3cf75f9c5f9befd8e9506fb962f6a9d185ac87001ec44a8d3df8d4a9e3ac"}},
    {"wpkh(" WIF ")", {"00149a1c78a507689f6f54b847ad1cef1e614ee23f1e"}},
    {"wpkh(" KEY ")", {"00149a1c78a507689f6f54b847ad1cef1e614ee23f1e"}},
    {"wpkh([ffffffff/13']" XPRV2 "/1/2/0)", {"0014326b2249e3a25d5dc60935f044ee835d090ba859"}},
    {"wpkh([ffffffff/13']" XPUB2 "/1/2/*)",
     {"0014326b2249e3a25d5dc60935f044ee835d090ba859", "0014af0bd98abc2f2cae66e36896a39ffe2d32984fb7",
      "00141fa798efd1cbf95cebf912c031b8a4a6e9fb9f27"}},
    {"sh(wpkh(" XPRV3 "/10/20/30/40/*'))",
     {"a9149a4d9901d6af519b2a23d4a2f51650fcba87ce7b87", "a914bed59fc0024fae941d6e20a3b44a109ae740129287",
      "a9148483aa1116eb9c05c482a72bada4b1db24af654387"}},
    {"sh(wpkh(" XPRV3 "/10/20/30/40/*h))",
     {"a9149a4d9901d6af519b2a23d4a2f51650fcba87ce7b87", "a914bed59fc0024fae941d6e20a3b44a109ae740129287",
      "a9148483aa1116eb9c05c482a72bada4b1db24af654387"}},
    {"wsh(pkh(" WIF "))", {"0020338e023079b91c58571b20e602d7805fb808c22473cbc391a41b1bd3a192e75b"}},
    {"wsh(pk(" KEY "))", {"00202e271faa2325c199d25d22e1ead982e45b64eeb4f31e73dbdf41bd4b5fec23fa"}},
    {"sh(wsh(pkh(" KEY ")))", {"a914b61b92e2ca21bac1e72a3ab859a742982bea960a87"}},
    {"multi(1," WIF "," WIFU ")", {MULTI_SCRIPT}},
    {"multi(1," KEY "," KEYU ")", {MULTI_SCRIPT}},
    {"sortedmulti(1," KEYU "," KEY ")", {MULTI_SCRIPT}},
    {"sh(multi(2,[00000000/111'/222]" XPRV4 "," XPRV5 "/0))", {"a91445a9a622a8b0a1269944be477640eedc447bbd8487"}},
    {"sortedmulti(2," XPUB4 "/*," XPUB5 "/0/0/*)",
     {"5221025d5fc65ebb8d44a5274b53bac21ff8307fec2334a32df05553459f8b1f7fe1b62102fbd47cc8034098f0e6a94c6aeee8528abf0a2153a5d8e46d325b7284c046784652ae",
      "52210264fd4d1f5dea8ded94c61e9641309349b62f27fbffe807291f664e286bfbe6472103f4ece6dfccfa37b211eb3d0af4d0c61dba9ef698622dc17eecdf764beeb005a652ae",
      "5221022ccabda84c30bad578b13c89eb3b9544ce149787e5b538175b1d1ba259cbb83321024d902e1a2fc7a8755ab5b694c575fce742c48d9ff192e63df5193e4c7afe1f9c52ae"}},
    {"wsh(multi(2," XPRV1 "/2147483647'/0," XPRV2 "/1/2/*," XPRV3 "/10/20/30/40/*'))",
     {"0020b92623201f3bb7c3771d45b2ad1d0351ea8fbf8cfe0a0e570264e1075fa1948f",
      "002036a08bbe4923af41cf4316817c93b8d37e2f635dd25cfff06bd50df6ae7ea203",
      "0020a96e7ab4607ca6b261bfe3245ffda9c746b28d3f59e83d34820ec0e2b36c139c"}},
    {"wsh(multi(20,KzoAz5CanayRKex3fSLQ2BwJpN7U52gZvxMyk78nDMHuqrUxuSJy,KwGNz6YCCQtYvFzMtrC6D3tKTKdBBboMrLTsjr2NYVBwapCkn7Mr,KxogYhiNfwxuswvXV66eFyKcCpm7dZ7TqHVqujHAVUjJxyivxQ9X,L2BUNduTSyZwZjwNHynQTF14mv2uz2NRq5n5sYWTb4FkkmqgEE9f,L1okJGHGn1kFjdXHKxXjwVVtmCMR2JA5QsbKCSpSb7ReQjezKeoD,KxDCNSST75HFPaW5QKpzHtAyaCQC7p9Vo3FYfi2u4dXD1vgMiboK,L5edQjFtnkcf5UWURn6UuuoFrabgDQUHdheKCziwN42aLwS3KizU,KzF8UWFcEC7BYTq8Go1xVimMkDmyNYVmXV5PV7RuDicvAocoPB8i,L3nHUboKG2w4VSJ5jYZ5CBM97oeK6YuKvfZxrefdShECcjEYKMWZ,KyjHo36dWkYhimKmVVmQTq3gERv3pnqA4xFCpvUgbGDJad7eS8WE,KwsfyHKRUTZPQtysN7M3tZ4GXTnuov5XRgjdF2XCG8faAPmFruRF,KzCUbGhN9LJhdeFfL9zQgTJMjqxdBKEekRGZX24hXdgCNCijkkap,KzgpMBwwsDLwkaC5UrmBgCYaBD2WgZ7PBoGYXR8KT7gCA9UTN5a3,KyBXTPy4T7YG4q9tcAM3LkvfRpD1ybHMvcJ2ehaWXaSqeGUxEdkP,KzJDe9iwJRPtKP2F2AoN6zBgzS7uiuAwhWCfGdNeYJ3PC1HNJ8M8,L1xbHrxynrqLKkoYc4qtoQPx6uy5qYXR5ZDYVYBSRmCV5piU3JG9,KzRedjSwMggebB3VufhbzpYJnvHfHe9kPJSjCU5QpJdAW3NSZxYS,Kyjtp5858xL7JfeV4PNRCKy2t6XvgqNNepArGY9F9F1SSPqNEMs3,L2D4RLHPiHBidkHS8ftx11jJk1hGFELvxh8LoxNQheaGT58dKenW,KyLPZdwY4td98bKkXqEXTEBX3vwEYTQo1yyLjX2jKXA63GBpmSjv))",
     {"0020376bd8344b8b6ebe504ff85ef743eaa1aa9272178223bcb6887e9378efb341ac"}},
    {"tr(" X ")", {"512077aab6e066f8a7419c5ab714c12c67d25007ed55a43cadcacb4d7a970a093f11"}},
    {"tr(" WIF ")", {"512077aab6e066f8a7419c5ab714c12c67d25007ed55a43cadcacb4d7a970a093f11"}},
    {"tr(" KEY ")", {"512077aab6e066f8a7419c5ab714c12c67d25007ed55a43cadcacb4d7a970a093f11"}},
    {"raw(deadbeef)#89f8spxm", {"deadbeef"}},
    {"addr(3PUNyaW7M55oKWJ3kDukwk9bsKvryra15j)", {"a914eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee87"}},
};

static const spv_network *mainnet(void)
{
    return spv_network_get(SPV_MAIN);
}

static spv_descriptor *parse(const char *text)
{
    spv_descriptor *d = NULL;
    spv_text_error error;

    if (spv__descriptor_parse(&d, text, mainnet(), &error) != SPV_OK)
        fail_msg("%s: %s at %zu", text, error.text, error.at);
    return d;
}

static void the_bips_descriptors_give_the_bips_scripts(void **state)
{
    (void)state;
    for (size_t i = 0; i < N(scripts); i++) {
        spv_descriptor *d = parse(scripts[i].text);

        for (uint32_t k = 0; k < 3 && scripts[i].script[k]; k++) {
            spv_derived got;
            char hex[2 * SPV__DERIVED_SCRIPT_MAX + 1];

            assert_int_equal(spv__descriptor_derive(d, k, &got), SPV_OK);
            spv__hex_format(hex, got.script, got.script_len);
            assert_string_equal(hex, scripts[i].script[k]);
        }
        spv__descriptor_free(d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bips_descriptors_give_the_bips_scripts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
