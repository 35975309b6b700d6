#include "cmocka_all.h"

#include <string.h>

#include "base/hex.h"
#include "wallet/descriptor.h"

#define N(a) (sizeof(a) / sizeof((a)[0]))

/* Keys of BIP 381 to 386. */
#define WIF    "L4rK1yDtCWekvXuE6oXD9jCYfFNV2cWRpVuPLBcCU2z8TrisoyY1"
#define WIFU   "5KYZdUEo39z3FPrtuX2QbbwGnNP5zTd7yyr2SC1j299sBCnWjss"
#define X      "a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac1c540c5bd"
#define Y      "5b8dec5235a0fa8722476c7709c02559e3aa73aa03918ba2d492eea75abea235"
#define KEY    "03" X
#define KEYU   "04" X Y
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
    {"pkh(" ORIGIN WIF ")",
     {"76a9149a1c78a507689f6f54b847ad1cef1e614ee23f1e88ac"}},
    {"pkh(" ORIGIN KEY ")",
     {"76a9149a1c78a507689f6f54b847ad1cef1e614ee23f1e88ac"}},
    {"pk(" WIFU ")", {"4104" X Y "ac"}},
    {"pk(" KEYU ")", {"4104" X Y "ac"}},
    {"pkh(" WIFU ")", {"76a914b5bd079c4d57cc7fc28ecf8213a6b791625b818388ac"}},
    {"pkh(" KEYU ")", {"76a914b5bd079c4d57cc7fc28ecf8213a6b791625b818388ac"}},
    {"sh(pk(" WIF "))", {"a9141857af51a5e516552b3086430fd8ce55f7c1a52487"}},
    {"sh(pk(" KEY "))", {"a9141857af51a5e516552b3086430fd8ce55f7c1a52487"}},
    {"sh(pkh(" KEY "))", {"a9141a31ad23bf49c247dd531a623c2ef57da3c400c587"}},
    {"pkh(" XPRV1 "/2147483647'/0)",
     {"76a914ebdc90806a9c4356c1c88e42216611e1cb4c1c1788ac"}},
    {"pkh([bd16bee5/2147483647h]xpub69H7F5dQzmVd3vPuLKtcXJziMEQByuDidnX3YdwgtNsecY5HRGtAAQC5mXTt4dsv9RzyjgDjAQs9VGVV6ydYCHnprc9vvaA5YtqWyL6hyds/0)",
     {"76a914ebdc90806a9c4356c1c88e42216611e1cb4c1c1788ac"}},
    {"pk(" XPRV5 "/0)",
     {"210379e45b3cf75f9c5f9befd8e9506fb962f6a9d185ac87001ec44a8d3df8d4a9e3ac"}},
    {"pk(" XPUB5 "/0)",
     {"210379e45b3cf75f9c5f9befd8e9506fb962f6a9d185ac87001ec44a8d3df8d4a9e3ac"}},
    {"wpkh(" WIF ")", {"00149a1c78a507689f6f54b847ad1cef1e614ee23f1e"}},
    {"wpkh(" KEY ")", {"00149a1c78a507689f6f54b847ad1cef1e614ee23f1e"}},
    {"wpkh([ffffffff/13']" XPRV2 "/1/2/0)",
     {"0014326b2249e3a25d5dc60935f044ee835d090ba859"}},
    {"wpkh([ffffffff/13']" XPUB2 "/1/2/*)",
     {"0014326b2249e3a25d5dc60935f044ee835d090ba859",
      "0014af0bd98abc2f2cae66e36896a39ffe2d32984fb7",
      "00141fa798efd1cbf95cebf912c031b8a4a6e9fb9f27"}},
    {"sh(wpkh(" XPRV3 "/10/20/30/40/*'))",
     {"a9149a4d9901d6af519b2a23d4a2f51650fcba87ce7b87",
      "a914bed59fc0024fae941d6e20a3b44a109ae740129287",
      "a9148483aa1116eb9c05c482a72bada4b1db24af654387"}},
    {"sh(wpkh(" XPRV3 "/10/20/30/40/*h))",
     {"a9149a4d9901d6af519b2a23d4a2f51650fcba87ce7b87",
      "a914bed59fc0024fae941d6e20a3b44a109ae740129287",
      "a9148483aa1116eb9c05c482a72bada4b1db24af654387"}},
    {"wsh(pkh(" WIF "))",
     {"0020338e023079b91c58571b20e602d7805fb808c22473cbc391a41b1bd3a192e75b"}},
    {"wsh(pk(" KEY "))",
     {"00202e271faa2325c199d25d22e1ead982e45b64eeb4f31e73dbdf41bd4b5fec23fa"}},
    {"sh(wsh(pkh(" KEY ")))",
     {"a914b61b92e2ca21bac1e72a3ab859a742982bea960a87"}},
    {"multi(1," WIF "," WIFU ")", {MULTI_SCRIPT}},
    {"multi(1," KEY "," KEYU ")", {MULTI_SCRIPT}},
    {"sortedmulti(1," KEYU "," KEY ")", {MULTI_SCRIPT}},
    {"sh(multi(2,[00000000/111'/222]" XPRV4 "," XPRV5 "/0))",
     {"a91445a9a622a8b0a1269944be477640eedc447bbd8487"}},
    {"sortedmulti(2," XPUB4 "/*," XPUB5 "/0/0/*)",
     {"5221025d5fc65ebb8d44a5274b53bac21ff8307fec2334a32df05553459f8b1f7fe1b62102fbd47cc8034098f0e6a94c6aeee8528abf0a2153a5d8e46d325b7284c046784652ae",
      "52210264fd4d1f5dea8ded94c61e9641309349b62f27fbffe807291f664e286bfbe6472103f4ece6dfccfa37b211eb3d0af4d0c61dba9ef698622dc17eecdf764beeb005a652ae",
      "5221022ccabda84c30bad578b13c89eb3b9544ce149787e5b538175b1d1ba259cbb83321024d902e1a2fc7a8755ab5b694c575fce742c48d9ff192e63df5193e4c7afe1f9c52ae"}},
    {"wsh(multi(2," XPRV1 "/2147483647'/0," XPRV2 "/1/2/*," XPRV3
     "/10/20/30/40/*'))",
     {"0020b92623201f3bb7c3771d45b2ad1d0351ea8fbf8cfe0a0e570264e1075fa1948f",
      "002036a08bbe4923af41cf4316817c93b8d37e2f635dd25cfff06bd50df6ae7ea203",
      "0020a96e7ab4607ca6b261bfe3245ffda9c746b28d3f59e83d34820ec0e2b36c139c"}},
    {"wsh(multi(20,KzoAz5CanayRKex3fSLQ2BwJpN7U52gZvxMyk78nDMHuqrUxuSJy,KwGNz6YCCQtYvFzMtrC6D3tKTKdBBboMrLTsjr2NYVBwapCkn7Mr,KxogYhiNfwxuswvXV66eFyKcCpm7dZ7TqHVqujHAVUjJxyivxQ9X,L2BUNduTSyZwZjwNHynQTF14mv2uz2NRq5n5sYWTb4FkkmqgEE9f,L1okJGHGn1kFjdXHKxXjwVVtmCMR2JA5QsbKCSpSb7ReQjezKeoD,KxDCNSST75HFPaW5QKpzHtAyaCQC7p9Vo3FYfi2u4dXD1vgMiboK,L5edQjFtnkcf5UWURn6UuuoFrabgDQUHdheKCziwN42aLwS3KizU,KzF8UWFcEC7BYTq8Go1xVimMkDmyNYVmXV5PV7RuDicvAocoPB8i,L3nHUboKG2w4VSJ5jYZ5CBM97oeK6YuKvfZxrefdShECcjEYKMWZ,KyjHo36dWkYhimKmVVmQTq3gERv3pnqA4xFCpvUgbGDJad7eS8WE,KwsfyHKRUTZPQtysN7M3tZ4GXTnuov5XRgjdF2XCG8faAPmFruRF,KzCUbGhN9LJhdeFfL9zQgTJMjqxdBKEekRGZX24hXdgCNCijkkap,KzgpMBwwsDLwkaC5UrmBgCYaBD2WgZ7PBoGYXR8KT7gCA9UTN5a3,KyBXTPy4T7YG4q9tcAM3LkvfRpD1ybHMvcJ2ehaWXaSqeGUxEdkP,KzJDe9iwJRPtKP2F2AoN6zBgzS7uiuAwhWCfGdNeYJ3PC1HNJ8M8,L1xbHrxynrqLKkoYc4qtoQPx6uy5qYXR5ZDYVYBSRmCV5piU3JG9,KzRedjSwMggebB3VufhbzpYJnvHfHe9kPJSjCU5QpJdAW3NSZxYS,Kyjtp5858xL7JfeV4PNRCKy2t6XvgqNNepArGY9F9F1SSPqNEMs3,L2D4RLHPiHBidkHS8ftx11jJk1hGFELvxh8LoxNQheaGT58dKenW,KyLPZdwY4td98bKkXqEXTEBX3vwEYTQo1yyLjX2jKXA63GBpmSjv))",
     {"0020376bd8344b8b6ebe504ff85ef743eaa1aa9272178223bcb6887e9378efb341ac"}},
    {"tr(" X ")",
     {"512077aab6e066f8a7419c5ab714c12c67d25007ed55a43cadcacb4d7a970a093f11"}},
    {"tr(" WIF ")",
     {"512077aab6e066f8a7419c5ab714c12c67d25007ed55a43cadcacb4d7a970a093f11"}},
    {"tr(" KEY ")",
     {"512077aab6e066f8a7419c5ab714c12c67d25007ed55a43cadcacb4d7a970a093f11"}},
    {"raw(deadbeef)#89f8spxm", {"deadbeef"}},
    {"addr(3PUNyaW7M55oKWJ3kDukwk9bsKvryra15j)",
     {"a914eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee87"}},
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

/* ---- What is refused, and what is said ---- */

static const struct {
    const char *text;
    spv_err code;
    size_t at;
    const char *says; /* a piece of the sentence */
} refused[] = {
    /* BIP 380: checksums and characters */
    {"raw(deadbeef)#", SPV_CHECKSUM, 13, "8 characters"},
    {"raw(deadbeef)#89f8spxmx", SPV_CHECKSUM, 13, "8 characters"},
    {"raw(deadbeef)#89f8spx", SPV_CHECKSUM, 13, "8 characters"},
    {"raw(deedbeef)#89f8spxm", SPV_CHECKSUM, 14, "does not match"},
    {"raw(deedbeef)##9f8spxm", SPV_CHECKSUM, 14, "does not match"},
    {"raw(\xc3\x9c)#00000000", SPV_MALFORMED, 4, "character"},
    /* BIP 380: keys */
    {"pk([deadbeef/0h/0h/0h/*]" KEY ")", SPV_MALFORMED, 22, "index"},
    {"pk([deadbeef/0h/0h/0h/]" KEY ")", SPV_MALFORMED, 22, "index"},
    {"pk([deadbef/0h/0h/0h]" KEY ")", SPV_MALFORMED, 4, "fingerprint"},
    {"pk([deadbeeef/0h/0h/0h]" KEY ")", SPV_MALFORMED, 4, "fingerprint"},
    {"pk([deadbeef/0f/0f/0f]" KEY ")", SPV_MALFORMED, 14, "']'"},
    {"pk([deadbeef/0H/0H/0H]" KEY ")", SPV_MALFORMED, 14, "']'"},
    {"pk([deadbeef/-0/-0/-0]" KEY ")", SPV_MALFORMED, 13, "index"},
    {"pk(" WIF "/0)", SPV_MALFORMED, 55, "single key"},
    {"pk(" WIF "/*)", SPV_MALFORMED, 55, "single key"},
    {"pk(" XPRV1 "/2147483648)", SPV_MALFORMED, 124, "2147483647"},
    {"pk(" XPRV1 "/1aa)", SPV_MALFORMED, 116, "path"},
    {"pk([aaaaaaaa][aaaaaaaa]" XPRV1 "/0)", SPV_MALFORMED, 13, "not a key"},
    {"pk(aaaaaaaa]" XPRV1 "/0)", SPV_MALFORMED, 3, "not a key"},
    {"pk([gaaaaaaa]" XPRV1 "/0)", SPV_MALFORMED, 4, "fingerprint"},
    {"pk([deadbeef])", SPV_MALFORMED, 13, "missing"},
    {"pk(" XPUB4 "/3h/*)", SPV_MALFORMED, 3, "private key"},
    {"pk(" XPUB4 "/*h)", SPV_MALFORMED, 3, "private key"},
    {"pk(05" X ")", SPV_MALFORMED, 3, "public key"},
    {"pk(" X ")", SPV_MALFORMED, 3, "tr()"},
    /* BIP 381 */
    {"pk(pk(" KEY "))", SPV_MALFORMED, 3, "not a script"},
    {"pkh(pk(" KEY "))", SPV_MALFORMED, 4, "not a script"},
    {"sh(" KEY ")", SPV_MALFORMED, 3, "script"},
    {"sh(sh(pkh(" KEY ")))", SPV_MALFORMED, 3, "sh() cannot"},
    /* BIP 382 */
    {"wpkh(" WIFU ")", SPV_MALFORMED, 5, "uncompressed"},
    {"sh(wpkh(" KEYU "))", SPV_MALFORMED, 8, "uncompressed"},
    {"wsh(pk(" WIFU "))", SPV_MALFORMED, 7, "uncompressed"},
    {"wsh(wpkh(" KEY "))", SPV_MALFORMED, 4, "wpkh() cannot stand in wsh()"},
    {"wsh(wsh(pkh(" KEY ")))", SPV_MALFORMED, 4, "wsh() cannot"},
    {"sh(wsh(wsh(pkh(" KEY "))))", SPV_MALFORMED, 7, "wsh() cannot"},
    {"wpkh(wsh(pkh(" KEY ")))", SPV_MALFORMED, 5, "not a script"},
    {"wsh(" KEY ")", SPV_MALFORMED, 4, "script"},
    /* BIP 383 */
    {"multi(a," KEY ")", SPV_MALFORMED, 6, "number of signatures"},
    {"multi(0," KEY ")", SPV_MALFORMED, 6, "number of signatures"},
    {"multi(21," KEY ")", SPV_MALFORMED, 6, "number of signatures"},
    {"multi(3," WIF "," WIFU ")", SPV_MALFORMED, 112, "3 signatures"},
    {"multi(1," KEY "," KEY "," KEY "," KEY ")", SPV_LIMIT, 275, "3 keys"},
    {"sh(multi(1," KEYU "," KEYU "," KEYU "," KEYU "," KEYU "," KEYU "," KEYU
     "," KEYU "))",
     SPV_LIMIT, 1058, "520"},
    {"multi(1)", SPV_MALFORMED, 7, "key must follow"},
    /* BIP 386 */
    {"tr(" WIFU ")", SPV_MALFORMED, 3, "uncompressed"},
    {"tr(" KEYU ")", SPV_MALFORMED, 3, "uncompressed"},
    {"wsh(tr(" X "))", SPV_MALFORMED, 4, "tr() cannot stand in wsh()"},
    {"sh(tr(" X "))", SPV_MALFORMED, 3, "tr() cannot stand in sh()"},
    {"tr(" X ",pk(" X "))", SPV_UNSUPPORTED, 67, "tr(KEY)"},
    /* BIP 389 */
    {"pkh(" XPRV1 "/<0;1>/<2;3>)", SPV_MALFORMED, 123, "at most one"},
    {"pkh([deadbeef/<0;1>]" XPUB6 "/0)", SPV_MALFORMED, 14, "index"},
    {"sh(multi(2," XPUB4 "/<1;2;3>/0/*," XPUB5 "/0/*," XPUB6 "/0/0/<3;4>/*))",
     SPV_MALFORMED, 367, "same number"},
    {"wpkh(" XPUB6 "/<>/*)", SPV_MALFORMED, 118, "missing"},
    {"wpkh(" XPUB6 "/0>/*)", SPV_MALFORMED, 118, "path"},
    {"wpkh(" XPUB6 "/<0/*)", SPV_MALFORMED, 119, "at least two"},
    {"wpkh(" XPUB6 "/<0;>/*)", SPV_MALFORMED, 120, "missing"},
    {"wpkh(" XPUB6 "/<0;0>/*)", SPV_MALFORMED, 121, "twice"},
    /* BIP 385, and the rest */
    {"sh(addr(3PUNyaW7M55oKWJ3kDukwk9bsKvryra15j))", SPV_MALFORMED, 3,
     "addr() cannot stand in sh()"},
    {"addr(3PUNyaW7M55oKWJ3kDukwk9bsKvryra15k)", SPV_CHECKSUM, 5, "typing"},
    {"addr(tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx)", SPV_NETWORK, 5,
     "another network than main"},
    {"raw()", SPV_LIMIT, 4, "520"},
    {"raw(abc)", SPV_MALFORMED, 4, "hex"},
    {"wpkh(cMceqPhHedrhbcR9eXgzmfWy7kRqLyAxMYwFT6ABDWsiwUp9Nsq9)", SPV_NETWORK,
     5, "another network"},
    {"combo(" KEY ")", SPV_UNSUPPORTED, 0, "combo() is not supported"},
    {"wpk(" KEY ")", SPV_MALFORMED, 0, "no function wpk()"},
    {"wpkh(" KEY, SPV_MALFORMED, 71, "')' is missing"},
    {"wpkh(" KEY "))", SPV_MALFORMED, 72, "nothing may follow"},
    {"", SPV_MALFORMED, 0, "address"},
    {"hello", SPV_MALFORMED, 0, "address"},
    {XPUB6 "/0/*", SPV_MALFORMED, 0, "needs its script"},
    {"wpkh(zpub6jftahH18ngZxLmXaKw3GSZzZsszmt9WqedkyZdezFtWRFBZqsQH5hyUmb4pC"
     "EeZGmVfQuP5bedXTB8is6fTv19U1GQRyQUKQGUTzyHACMF)",
     SPV_MALFORMED, 5, "xpub"},
};

static void what_is_wrong_is_said_with_its_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < N(refused); i++) {
        spv_descriptors list;
        spv_text_error error;
        spv_err got =
            spv__descriptors_parse(&list, refused[i].text, mainnet(), &error);

        if (got != refused[i].code || error.code != got ||
            error.at != refused[i].at || !strstr(error.text, refused[i].says))
            fail_msg("%s: got %s at %zu: %s", refused[i].text,
                     spv_err_name(got), error.at, error.text);
        assert_int_equal(list.n, 0);
        assert_null(list.item);
        assert_int_equal(
            spv__descriptors_parse(&list, refused[i].text, mainnet(), NULL),
            got);
    }
}

/* ---- BIP 389 ---- */

static const struct {
    const char *text;
    const char *single[3];
} tuples[] = {
    {"pk(" XPUB5 "/<0;1>)", {"pk(" XPUB5 "/0)", "pk(" XPUB5 "/1)"}},
    {"pkh(" XPRV1 "/<2147483647h;0>/0)",
     {"pkh(" XPRV1 "/2147483647h/0)", "pkh(" XPRV1 "/0/0)"}},
    {"wpkh([ffffffff/13h]" XPUB2 "/<1;3>/2/*)",
     {"wpkh([ffffffff/13h]" XPUB2 "/1/2/*)",
      "wpkh([ffffffff/13h]" XPUB2 "/3/2/*)"}},
    {"multi(2," XPUB4 "/<1;2>/*," XPUB5 "/<3;4>/0/*)",
     {"multi(2," XPUB4 "/1/*," XPUB5 "/3/0/*)",
      "multi(2," XPUB4 "/2/*," XPUB5 "/4/0/*)"}},
    {"pkh(" XPUB6 "/<0;1;2>)",
     {"pkh(" XPUB6 "/0)", "pkh(" XPUB6 "/1)", "pkh(" XPUB6 "/2)"}},
    {"sh(multi(2," XPUB4 "/<1;2;3>/0/*," XPUB5 "/0/*," XPUB6 "/0/0/<3;4;5>/*))",
     {"sh(multi(2," XPUB4 "/1/0/*," XPUB5 "/0/*," XPUB6 "/0/0/3/*))",
      "sh(multi(2," XPUB4 "/2/0/*," XPUB5 "/0/*," XPUB6 "/0/0/4/*))",
      "sh(multi(2," XPUB4 "/3/0/*," XPUB5 "/0/*," XPUB6 "/0/0/5/*))"}},
};

static void assert_text(const spv_descriptor *d, unsigned format,
                        const char *want)
{
    spv_buf got = SPV_BUF_EMPTY;

    assert_int_equal(spv__descriptor_format(&got, d, format), SPV_OK);
    spv__put_u8(&got, 0);
    assert_string_equal((const char *)got.bytes, want);
    spv__buf_clear(&got);
}

static void assert_same_script(const spv_descriptor *a, const spv_descriptor *b,
                               uint32_t index)
{
    spv_derived x;
    spv_derived y;

    assert_int_equal(spv__descriptor_derive(a, index, &x), SPV_OK);
    assert_int_equal(spv__descriptor_derive(b, index, &y), SPV_OK);
    assert_int_equal(x.script_len, y.script_len);
    assert_memory_equal(x.script, y.script, x.script_len);
}

static void a_tuple_stands_for_one_descriptor_a_path(void **state)
{
    (void)state;
    for (size_t i = 0; i < N(tuples); i++) {
        spv_descriptors list;
        size_t n = 0;

        assert_int_equal(
            spv__descriptors_parse(&list, tuples[i].text, mainnet(), NULL),
            SPV_OK);
        for (; n < 3 && tuples[i].single[n]; n++) {
            spv_descriptor *single = parse(tuples[i].single[n]);

            assert_in_range(n, 0, list.n - 1);
            assert_int_equal(spv__descriptor_branch(list.item[n]), n);
            assert_text(list.item[n],
                        SPV__DESCRIPTOR_PRIVATE | SPV__DESCRIPTOR_NO_CHECKSUM,
                        tuples[i].single[n]);
            assert_text(list.item[n],
                        SPV__DESCRIPTOR_PRIVATE | SPV__DESCRIPTOR_MULTIPATH |
                            SPV__DESCRIPTOR_NO_CHECKSUM,
                        tuples[i].text);
            assert_same_script(single, list.item[n], 7);
            spv__descriptor_free(single);
        }
        assert_int_equal(list.n, n);
        spv__descriptors_clear(&list);
    }
}

static void one_descriptor_is_asked_for_and_two_are_refused(void **state)
{
    spv_descriptor *d = NULL;

    (void)state;
    assert_int_equal(
        spv__descriptor_parse(&d, "pk(" XPUB5 "/<0;1>)", mainnet(), NULL),
        SPV_MALFORMED);
    assert_null(d);
}

/* ---- Public forms ---- */

static const struct {
    const char *given;
    const char *public; /* NULL when there is none */
} publics[] = {
    {"pkh(" WIF ")", "pkh(" KEY ")#wf36a0pg"},
    {"pkh(" XPRV1 "/2147483647'/0)",
     "pkh([bd16bee5/2147483647h]xpub69H7F5dQzmVd3vPuLKtcXJziMEQByuDidnX3YdwgtNs"
     "ecY5HRGtAAQC5mXTt4dsv9RzyjgDjAQs9VGVV6ydYCHnprc9vvaA5YtqWyL6hyds/0)"
     "#rpx6y4g4"},
    {"wpkh([ffffffff/13']" XPRV2 "/1/2/*)",
     "wpkh([ffffffff/13h]" XPUB2 "/1/2/*)#0htvdtvj"},
    {"sh(wpkh(" XPRV3 "/10/20/30/40/*h))", NULL},
    {"tr(" X ")", "tr(" X ")#dh4fyxrd"},
};

static void a_public_form_holds_no_private_key_and_gives_the_same_scripts(
    void **state)
{
    (void)state;
    for (size_t i = 0; i < N(publics); i++) {
        spv_descriptor *given = parse(publics[i].given);
        spv_descriptor *again = NULL;
        spv_buf text = SPV_BUF_EMPTY;

        if (!publics[i].public) {
            assert_int_equal(
                spv__descriptor_format(&text, given, SPV__DESCRIPTOR_PUBLIC),
                SPV_INVAL);
            assert_int_equal(text.len, 0);
            spv__descriptor_free(given);
            spv__buf_clear(&text);
            continue;
        }
        assert_text(given, SPV__DESCRIPTOR_PUBLIC, publics[i].public);
        again = parse(publics[i].public);
        assert_false(spv__descriptor_has_private(again));
        for (uint32_t k = 0; k < 3; k++)
            assert_same_script(given, again, k);
        spv__descriptor_free(given);
        spv__descriptor_free(again);
    }
}

static void a_tuple_above_hardened_steps_has_no_public_form_in_one(void **state)
{
    spv_descriptors list;
    spv_buf text = SPV_BUF_EMPTY;

    (void)state;
    assert_int_equal(spv__descriptors_parse(&list, "pkh(" XPRV1 "/<0;1>/5h/*)",
                                            mainnet(), NULL),
                     SPV_OK);
    assert_int_equal(
        spv__descriptor_format(&text, list.item[0], SPV__DESCRIPTOR_MULTIPATH),
        SPV_INVAL);
    assert_int_equal(
        spv__descriptor_format(&text, list.item[1], SPV__DESCRIPTOR_PUBLIC),
        SPV_OK);
    spv__buf_clear(&text);
    spv__descriptors_clear(&list);
}

/* ---- Shorthand ---- */

#define ACCOUNT_ZPUB                                                          \
    "zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSd" \
    "VCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs"
#define ACCOUNT_XPUB                                                          \
    "xpub6CatWdiZiodmUeTDp8LT5or8nmbKNcuyvz7WyksVFkKB4RHwCD3XyuvPEbvqAQY3rAP" \
    "shWcMLoP2fMFMKHPJ4ZeZXYVUhLv1VMrjPC7PW6V"

static const struct {
    spv_chain chain;
    const char *given;
    const char *stands_for;
    const char *type;
} shorthands[] = {
    {SPV_MAIN, ACCOUNT_ZPUB, "wpkh(" ACCOUNT_XPUB "/<0;1>/*)", "wpkh"},
    {SPV_MAIN, ACCOUNT_XPUB, "pkh(" ACCOUNT_XPUB "/<0;1>/*)", "pkh"},
    {SPV_MAIN, "[73c5da0a/84h/0h/0h]" ACCOUNT_XPUB,
     "wpkh([73c5da0a/84h/0h/0h]" ACCOUNT_XPUB "/<0;1>/*)", "wpkh"},
    {SPV_MAIN, "[73c5da0a/49'/0'/0']" ACCOUNT_XPUB,
     "sh(wpkh([73c5da0a/49h/0h/0h]" ACCOUNT_XPUB "/<0;1>/*))", "sh(wpkh)"},
    {SPV_MAIN, "[73c5da0a/86h/0h/0h]" ACCOUNT_XPUB,
     "tr([73c5da0a/86h/0h/0h]" ACCOUNT_XPUB "/<0;1>/*)", "tr"},
    {SPV_TESTNET3,
     "upub5EFU65HtV5TeiSHmZZm7FUffBGy8UKeqp7vw43jYbvZPpoVsgU93oac7Wk3u6moKegAEW"
     "tGNF8DehrnHtv21XXEMYRUocHqguyjknFHYfgY",
     "sh(wpkh(tpubDD7tXK8KeQ3YY83yWq755fHY2JW8Ha8Q765tknUM5rSvjPcGWfUppDFMpQ1Sc"
     "ziKfW3ZNtZvAD7M3u7bSs7HofjTD3KP3YxPK7X6hwV8Rk2/<0;1>/*))",
     "sh(wpkh)"},
    {SPV_MAIN, "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4",
     "addr(bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4)", "addr"},
};

static void a_bare_key_or_address_stands_for_the_usual_descriptor(void **state)
{
    (void)state;
    for (size_t i = 0; i < N(shorthands); i++) {
        spv_descriptors list;
        spv_text_error error;

        if (spv__descriptors_parse(&list, shorthands[i].given,
                                   spv_network_get(shorthands[i].chain),
                                   &error) != SPV_OK)
            fail_msg("%s: %s", shorthands[i].given, error.text);
        assert_text(list.item[0],
                    SPV__DESCRIPTOR_MULTIPATH | SPV__DESCRIPTOR_NO_CHECKSUM,
                    shorthands[i].stands_for);
        assert_string_equal(spv__descriptor_type(list.item[0]),
                            shorthands[i].type);
        spv__descriptors_clear(&list);
    }
}

/* ---- Elements ---- */

static const struct {
    const char *text;
    const char *element[3];
} elements[] = {
    {"pk(" KEY ")", {KEY}},
    {"pk(" KEYU ")", {KEYU}},
    {"pkh(" KEY ")", {"9a1c78a507689f6f54b847ad1cef1e614ee23f1e"}},
    {"wpkh(" KEY ")", {"9a1c78a507689f6f54b847ad1cef1e614ee23f1e"}},
    {"sh(wpkh(" KEY "))", {"84ab21b1b2fd065d4504ff693d832434b6108d7b"}},
    {"wsh(pk(" KEY "))",
     {"2e271faa2325c199d25d22e1ead982e45b64eeb4f31e73dbdf41bd4b5fec23fa"}},
    {"tr(" X ")",
     {"77aab6e066f8a7419c5ab714c12c67d25007ed55a43cadcacb4d7a970a093f11"}},
    {"multi(1," KEY "," KEYU ")", {KEY, KEYU}},
    {"addr(3PUNyaW7M55oKWJ3kDukwk9bsKvryra15j)",
     {"eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"}},
    {"raw(6a04deadbeef)", {"deadbeef"}},
    {"raw(02cafe7503010203)", {"010203"}},
    {"raw(51)", {NULL}},
};

static void a_script_has_one_element_a_key(void **state)
{
    (void)state;
    for (size_t i = 0; i < N(elements); i++) {
        spv_descriptor *d = parse(elements[i].text);
        spv_derived got;
        size_t n = 0;

        assert_int_equal(spv__descriptor_derive(d, 0, &got), SPV_OK);
        for (; n < 3 && elements[i].element[n]; n++) {
            char hex[2 * SPV__DERIVED_SCRIPT_MAX + 1];

            assert_in_range(n, 0, got.n_elements - 1);
            spv__hex_format(hex, got.script + got.element[n].at,
                            got.element[n].len);
            assert_string_equal(hex, elements[i].element[n]);
        }
        assert_int_equal(got.n_elements, n);
        spv__descriptor_free(d);
    }
}

static void an_index_with_the_hardened_bit_is_refused(void **state)
{
    spv_descriptor *d = parse("wpkh(" XPUB2 "/*)");
    spv_derived got;
    uint8_t secret[32];

    (void)state;
    assert_int_equal(spv__descriptor_derive(d, UINT32_C(1) << 31, &got),
                     SPV_INVAL);
    assert_int_equal(spv__descriptor_derive(d, INT32_MAX, &got), SPV_OK);
    assert_int_equal(spv__descriptor_private_key(d, 0, 0, secret),
                     SPV_NOT_FOUND);
    assert_int_equal(spv__descriptor_private_key(d, 1, 0, secret), SPV_INVAL);
    spv__descriptor_free(d);
}

/* ---- The public face ---- */

static void inspecting_tells_what_a_descriptor_is(void **state)
{
    spv_descriptor_info info;

    (void)state;
    assert_int_equal(spv_descriptor_inspect(&info, "raw(deadbeef)#89f8spxm",
                                            mainnet(), NULL),
                     SPV_OK);
    assert_string_equal(info.checksum, "89f8spxm");
    assert_true(info.has_checksum);
    assert_false(info.ranged);
    assert_int_equal(spv_descriptor_inspect(&info, "pkh(" XPRV1 "/<0;1>/*)",
                                            mainnet(), NULL),
                     SPV_OK);
    assert_false(info.has_checksum);
    assert_true(info.ranged);
    assert_true(info.has_private);
    assert_int_equal(info.branches, 2);
}

static void expanding_makes_keys_public_and_says_when_it_cannot(void **state)
{
    char text[SPV_DESCRIPTOR_TEXT_MAX];
    spv_text_error error;

    (void)state;
    assert_int_equal(spv_descriptor_expand(text, sizeof(text), "pkh(" WIF ")",
                                           mainnet(), &error),
                     SPV_OK);
    assert_string_equal(text, "pkh(" KEY ")#wf36a0pg");
    assert_int_equal(
        spv_descriptor_expand(text, 10, "pkh(" WIF ")", mainnet(), &error),
        SPV_LIMIT);
    assert_int_equal(spv_descriptor_expand(text, sizeof(text),
                                           "pkh(" XPRV1 "/*h)", mainnet(),
                                           &error),
                     SPV_UNSUPPORTED);
    assert_non_null(strstr(error.text, "no public form"));
}

static void a_script_is_found_by_branch_and_index(void **state)
{
    static const struct {
        size_t cap;
        size_t branch;
        uint32_t index;
        spv_err want;
    } cases[] = {
        {SPV_DESCRIPTOR_SCRIPT_MAX, 0, 0, SPV_OK},
        {22, 1, INT32_MAX, SPV_OK},
        {21, 1, 0, SPV_LIMIT},
        {22, 2, 0, SPV_INVAL},
        {22, 0, UINT32_MAX, SPV_INVAL},
    };

    (void)state;
    for (size_t i = 0; i < N(cases); i++) {
        uint8_t script[SPV_DESCRIPTOR_SCRIPT_MAX];
        size_t len = 0;

        assert_int_equal(spv_descriptor_script(script, cases[i].cap, &len,
                                               "wpkh(" XPUB2 "/<1;3>/2/*)",
                                               cases[i].branch, cases[i].index,
                                               mainnet(), NULL),
                         cases[i].want);
        assert_int_equal(len, cases[i].want == SPV_OK ? 22 : 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bips_descriptors_give_the_bips_scripts),
        cmocka_unit_test(what_is_wrong_is_said_with_its_place),
        cmocka_unit_test(a_tuple_stands_for_one_descriptor_a_path),
        cmocka_unit_test(one_descriptor_is_asked_for_and_two_are_refused),
        cmocka_unit_test(
            a_public_form_holds_no_private_key_and_gives_the_same_scripts),
        cmocka_unit_test(
            a_tuple_above_hardened_steps_has_no_public_form_in_one),
        cmocka_unit_test(a_bare_key_or_address_stands_for_the_usual_descriptor),
        cmocka_unit_test(a_script_has_one_element_a_key),
        cmocka_unit_test(an_index_with_the_hardened_bit_is_refused),
        cmocka_unit_test(inspecting_tells_what_a_descriptor_is),
        cmocka_unit_test(expanding_makes_keys_public_and_says_when_it_cannot),
        cmocka_unit_test(a_script_is_found_by_branch_and_index),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
