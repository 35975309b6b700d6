#include <stdio.h>
#include <string.h>

#include <spv/address.h>
#include <spv/mnemonic.h>

#include "base/digest.h"
#include "vectors/kind.h"
#include "wallet/account.h"
#include "wallet/descriptor.h"
#include "wallet/hd.h"
#include "wallet/key.h"
#include "wallet/mnemonic.h"
#include "wallet/wordlist.h"

/* Main unless the vector names another network. */
static const spv_network *network_of(spv_case *c, const char *field)
{
    const spv_network *network = NULL;

    if (!spv__case_has(c, field))
        return spv_network_get(SPV_MAIN);
    network = spv_network_find(spv__case_text(c, field));
    spv__expect_true(c, "a network that is known", network != NULL);
    return network ? network : spv_network_get(SPV_MAIN);
}

static void expect_hd(spv_case *c, const char *field, const spv_hd *key,
                      spv_hd_kind kind, bool as_private)
{
    char text[SPV__HD_TEXT] = "";

    spv__expect_ok(
        c, field,
        spv__hd_format(text, key, kind, as_private, network_of(c, "network")));
    spv__expect_text(c, field, text, spv__case_text(c, field));
}

static void expect_hex(spv_case *c, const char *field, const uint8_t *got,
                       size_t len)
{
    spv__expect_bytes(c, field, got, len, spv__case_hex(c, field));
}

/* ---- BIP 32 ---- */

static bool parse_key(spv_case *c, const char *what, spv_hd *key,
                      const char *text)
{
    return spv__expect_ok(c, what,
                          spv__hd_parse(key, NULL, text, strlen(text),
                                        spv_network_get(SPV_MAIN)));
}

static void check_parsed_again(spv_case *c, const char *field,
                               const spv_hd *want)
{
    const char *text = spv__case_text(c, field);
    spv_hd key;

    if (!parse_key(c, "parse", &key, text))
        return;
    spv__expect_bytes(c, "public key read", key.public, 33,
                      (spv_view){want->public, 33});
    spv__expect_bytes(c, "chain code read", key.chain, 32,
                      (spv_view){want->chain, 32});
    spv__expect_int(c, "depth read", key.depth, want->depth);
    spv__expect_int(c, "child number read", key.child, want->child);
}

/* The key at the vector's path; false, and a failure, when there is none. */
static bool descend(spv_case *c, spv_hd *key, const spv_hd *master)
{
    spv_path path;

    *key = *master;
    return spv__expect_ok(c, "path",
                          spv__path_parse(&path, spv__case_text(c, "path"))) &&
           spv__expect_ok(c, "key", spv__hd_descend(key, path.step, path.n));
}

static bool is_master(spv_case *c, spv_hd *master, const uint8_t *seed,
                      size_t len)
{
    return spv__expect_ok(c, "seed", spv__hd_of_seed(master, seed, len));
}

static void run_bip32(spv_case *c)
{
    spv_view seed = spv__case_hex(c, "seed");
    spv_hd master;
    spv_hd key;
    uint8_t fingerprint[4];

    if (!is_master(c, &master, seed.bytes, seed.len) ||
        !descend(c, &key, &master))
        return;
    expect_hd(c, "xprv", &key, SPV_HD_PLAIN, true);
    expect_hd(c, "xpub", &key, SPV_HD_PLAIN, false);
    spv__expect_int(c, "depth", key.depth, spv__case_int(c, "depth"));
    spv__expect_int(c, "child_number", key.child,
                    spv__case_int(c, "child_number"));
    expect_hex(c, "parent_fingerprint", key.parent, sizeof(key.parent));
    expect_hex(c, "chain_code", key.chain, sizeof(key.chain));
    expect_hex(c, "private_key", key.secret, sizeof(key.secret));
    expect_hex(c, "public_key", key.public, sizeof(key.public));
    spv__hd_fingerprint(fingerprint, &key);
    expect_hex(c, "fingerprint", fingerprint, sizeof(fingerprint));
    check_parsed_again(c, "xprv", &key);
    check_parsed_again(c, "xpub", &key);
}

static void run_bip32_invalid(spv_case *c)
{
    const char *text = spv__case_text(c, "extended_key");
    bool is_typo = strcmp(spv__case_text(c, "reason"), "checksum") == 0;
    spv_hd key;

    spv__expect_text(c, "error",
                     spv_err_name(spv__hd_parse(&key, NULL, text, strlen(text),
                                                spv_network_get(SPV_MAIN))),
                     is_typo ? "CHECKSUM" : "MALFORMED");
}

static void run_bip32_ckdpub(spv_case *c)
{
    const char *text = spv__case_text(c, "parent_xpub");
    uint32_t index = (uint32_t)spv__case_u64(c, "index");
    uint8_t public[33] = {0};
    spv_hd parent;
    spv_hd child;

    if (!parse_key(c, "parent", &parent, text))
        return;
    if (!spv__expect_ok(c, "a child", spv__hd_child(&child, &parent, index)))
        return;
    expect_hd(c, "child_xpub", &child, SPV_HD_PLAIN, false);
    spv__expect_ok(c, "public child",
                   spv__hd_child_public(public, &parent, index));
    spv__expect_bytes(c, "public child", public, 33,
                      (spv_view){child.public, 33});
}

static void run_bip32_ckdpub_invalid(spv_case *c)
{
    const char *text = spv__case_text(c, "parent_xpub");
    uint32_t index = (uint32_t)spv__case_u64(c, "index");
    uint8_t public[33];
    spv_hd parent;
    spv_hd child;

    if (!parse_key(c, "parent", &parent, text))
        return;
    spv__expect_int(c, "child", spv__hd_child(&child, &parent, index),
                    SPV_INVAL);
    spv__expect_int(c, "public child",
                    spv__hd_child_public(public, &parent, index), SPV_INVAL);
}

/* ---- BIP 39 ---- */

static void run_bip39_wordlist(spv_case *c)
{
    spv_buf file = SPV_BUF_EMPTY;
    uint8_t hash[32];

    for (int i = 0; i < SPV__WORDLIST_LEN; i++) {
        size_t len = strlen(spv__wordlist[i]);

        spv__put_bytes(&file, spv__wordlist[i], len);
        spv__put_bytes(&file, "\n", 1);
        spv__expect_int(c, "place of a word",
                        spv__wordlist_find(spv__wordlist[i], len), i);
    }
    spv__sha256(hash, file.bytes, file.len);
    expect_hex(c, "sha256", hash, sizeof(hash));
    spv__expect_int(c, "word_count", SPV__WORDLIST_LEN,
                    spv__case_int(c, "word_count"));
    spv__expect_text(c, "first", spv__wordlist[0], spv__case_text(c, "first"));
    spv__expect_text(c, "last", spv__wordlist[SPV__WORDLIST_LEN - 1],
                     spv__case_text(c, "last"));
    spv__buf_clear(&file);
}

static void check_entropy(spv_case *c, const char *mnemonic)
{
    spv_view want = spv__case_hex(c, "entropy");
    char text[SPV_MNEMONIC_TEXT] = "";
    uint8_t entropy[32] = {0};
    size_t len = 0;

    spv__expect_ok(c, "mnemonic",
                   spv_mnemonic_of_entropy(text, want.bytes, want.len));
    spv__expect_text(c, "mnemonic", text, mnemonic);
    spv__expect_ok(c, "entropy",
                   spv__mnemonic_entropy(entropy, &len, mnemonic, NULL));
    spv__expect_bytes(c, "entropy", entropy, len, want);
}

static void run_bip39(spv_case *c)
{
    const char *mnemonic = spv__case_text(c, "mnemonic");
    uint8_t seed[SPV__SEED_LEN] = {0};
    spv_hd key;

    if (spv__case_has(c, "entropy"))
        check_entropy(c, mnemonic);
    spv__expect_ok(c, "seed",
                   spv__mnemonic_seed(seed, mnemonic,
                                      spv__case_text(c, "passphrase"), NULL));
    expect_hex(c, "seed", seed, sizeof(seed));
    if (is_master(c, &key, seed, sizeof(seed)))
        expect_hd(c, "xprv", &key, SPV_HD_PLAIN, true);
}

static void run_bip39_invalid(spv_case *c)
{
    bool is_typo = strcmp(spv__case_text(c, "reason"), "checksum") == 0;
    char text[SPV_MNEMONIC_TEXT];

    spv__expect_text(c, "error",
                     spv_err_name(spv_mnemonic_parse(
                         text, spv__case_text(c, "mnemonic"), NULL)),
                     is_typo ? "CHECKSUM" : "MALFORMED");
}

/* ---- Accounts ---- */

static void seed_of(spv_case *c, uint8_t seed[SPV__SEED_LEN])
{
    memset(seed, 0, SPV__SEED_LEN);
    spv__expect_ok(c, "seed",
                   spv__mnemonic_seed(seed, spv__case_text(c, "mnemonic"),
                                      spv__case_text(c, "passphrase"), NULL));
}

/* The key at the vector's path. */
static bool key_of(spv_case *c, spv_hd *master, spv_hd *key)
{
    uint8_t seed[SPV__SEED_LEN];

    seed_of(c, seed);
    return is_master(c, master, seed, sizeof(seed)) && descend(c, key, master);
}

/* Where the path of an address ends: account, branch and index. */
static bool check_path(spv_case *c, spv_path *path, spv_account_type type)
{
    spv_path account;

    if (spv__path_parse(path, spv__case_text(c, "path")) != SPV_OK ||
        path->n != 5) {
        spv__expect_true(c, "a path of five steps", false);
        return false;
    }
    account = spv__account_path(type, path->step[2] & ~SPV__HARDENED,
                                network_of(c, "network"));
    for (size_t i = 0; i < account.n; i++)
        spv__expect_int(c, "step of the account's path", account.step[i],
                        path->step[i]);
    return true;
}

/* The wallet's own road: mnemonic to descriptor to script to address. */
static void check_account(spv_case *c, spv_account_type type)
{
    const spv_network *network = network_of(c, "network");
    uint8_t seed[SPV__SEED_LEN];
    char address[SPV_ADDRESS_TEXT] = "";
    spv_descriptors list = {0};
    spv_derived derived = {0};
    spv_buf text = SPV_BUF_EMPTY;
    spv_path path;
    uint32_t branch = 0;

    seed_of(c, seed);
    if (!check_path(c, &path, type))
        return;
    branch = path.step[3];
    spv__expect_ok(c, "descriptor",
                   spv__account_descriptor(&text, seed, type,
                                           path.step[2] & ~SPV__HARDENED, false,
                                           network));
    spv__put_bytes(&text, "", 1);
    if (text.err == SPV_OK)
        spv__expect_ok(c, "parse",
                       spv__descriptors_parse(&list, (const char *)text.bytes,
                                              network, NULL));
    spv__expect_int(c, "branches", (int64_t)list.n, 2);
    if (branch < list.n)
        spv__expect_ok(
            c, "derive",
            spv__descriptor_derive(list.item[branch], path.step[4], &derived));
    expect_hex(c, "script_pubkey", derived.script, derived.script_len);
    spv__expect_ok(c, "address",
                   spv_address_format(address, derived.script,
                                      derived.script_len, network));
    spv__expect_text(c, "address", address, spv__case_text(c, "address"));
    spv__descriptors_clear(&list);
    spv__buf_clear(&text);
}

static void check_wif(spv_case *c, const spv_hd *key)
{
    spv_key single = {.compressed = true};
    char text[SPV__WIF_TEXT] = "";

    memcpy(single.secret, key->secret, sizeof(single.secret));
    spv__expect_ok(c, "wif",
                   spv__key_format(text, &single, network_of(c, "network")));
    spv__expect_text(c, "wif", text, spv__case_text(c, "wif"));
    expect_hex(c, "private_key", key->secret, sizeof(key->secret));
    expect_hex(c, "public_key", key->public, sizeof(key->public));
}

static void run_bip44(spv_case *c)
{
    spv_hd master;
    spv_hd key;

    if (!key_of(c, &master, &key))
        return;
    check_wif(c, &key);
    check_account(c, SPV_ACCOUNT_PKH);
}

static void check_nested(spv_case *c, const spv_hd *key)
{
    uint8_t redeem[22] = {0x00, 20};
    uint8_t hash[20];

    spv__hash160(redeem + 2, key->public, sizeof(key->public));
    expect_hex(c, "key_hash", redeem + 2, 20);
    expect_hex(c, "redeem_script", redeem, sizeof(redeem));
    spv__hash160(hash, redeem, sizeof(redeem));
    expect_hex(c, "script_hash", hash, sizeof(hash));
}

static void run_bip49(spv_case *c)
{
    spv_path path =
        spv__account_path(SPV_ACCOUNT_SH_WPKH, 0, network_of(c, "network"));
    spv_hd master;
    spv_hd account;
    spv_hd key;

    if (!key_of(c, &master, &key))
        return;
    expect_hd(c, "master_uprv", &master, SPV_HD_SH_WPKH, true);
    account = master;
    spv__expect_ok(c, "account", spv__hd_descend(&account, path.step, path.n));
    expect_hd(c, "account_uprv", &account, SPV_HD_SH_WPKH, true);
    expect_hd(c, "account_upub", &account, SPV_HD_SH_WPKH, false);
    check_wif(c, &key);
    check_nested(c, &key);
    check_account(c, SPV_ACCOUNT_SH_WPKH);
}

static void run_bip84_account(spv_case *c)
{
    spv_hd master;
    spv_hd account;

    if (!key_of(c, &master, &account))
        return;
    expect_hd(c, "master_zprv", &master, SPV_HD_WPKH, true);
    expect_hd(c, "master_zpub", &master, SPV_HD_WPKH, false);
    expect_hd(c, "account_zprv", &account, SPV_HD_WPKH, true);
    expect_hd(c, "account_zpub", &account, SPV_HD_WPKH, false);
}

static void run_bip84(spv_case *c)
{
    spv_hd master;
    spv_hd key;

    if (!key_of(c, &master, &key))
        return;
    check_wif(c, &key);
    check_account(c, SPV_ACCOUNT_WPKH);
}

static void run_bip86_account(spv_case *c)
{
    spv_hd master;
    spv_hd account;

    if (!key_of(c, &master, &account))
        return;
    expect_hd(c, "master_xprv", &master, SPV_HD_PLAIN, true);
    expect_hd(c, "master_xpub", &master, SPV_HD_PLAIN, false);
    expect_hd(c, "account_xprv", &account, SPV_HD_PLAIN, true);
    expect_hd(c, "account_xpub", &account, SPV_HD_PLAIN, false);
}

static void run_bip86(spv_case *c)
{
    uint8_t output[32] = {0};
    spv_hd master;
    spv_hd key;

    if (!key_of(c, &master, &key))
        return;
    expect_hd(c, "xprv", &key, SPV_HD_PLAIN, true);
    expect_hd(c, "xpub", &key, SPV_HD_PLAIN, false);
    expect_hex(c, "internal_key", key.public + 1, 32);
    spv__expect_ok(c, "output_key",
                   spv__taproot_output(output, NULL, key.public + 1, NULL));
    expect_hex(c, "output_key", output, sizeof(output));
    check_account(c, SPV_ACCOUNT_TR);
}

/* ---- WIF ---- */

static void check_key(spv_case *c, spv_key *key, const spv_network *network)
{
    const char *text = spv__case_text(c, "wif");
    char again[SPV__WIF_TEXT] = "";
    uint8_t public[65] = {0};
    size_t len = 0;

    if (!spv__expect_ok(c, "parse",
                        spv__key_parse(key, text, strlen(text), network)))
        return;
    expect_hex(c, "private_key", key->secret, sizeof(key->secret));
    spv__expect_true(c, "compressed",
                     key->compressed == spv__case_bool(c, "compressed"));
    spv__expect_ok(c, "public_key", spv__key_public(public, &len, key));
    expect_hex(c, "public_key", public, len);
    spv__expect_ok(c, "format", spv__key_format(again, key, network));
    spv__expect_text(c, "wif", again, text);
}

static void run_wif(spv_case *c)
{
    spv_key key;

    check_key(c, &key, network_of(c, "chain"));
}

static void run_wif_address(spv_case *c)
{
    const spv_network *network = spv_network_get(SPV_MAIN);
    char address[SPV_ADDRESS_TEXT] = "";
    char text[SPV__WIF_TEXT + 8];
    spv_descriptor *d = NULL;
    spv_derived derived = {0};
    spv_key key;

    check_key(c, &key, network);
    (void)snprintf(text, sizeof(text), "pkh(%s)", spv__case_text(c, "wif"));
    spv__expect_ok(c, "descriptor",
                   spv__descriptor_parse(&d, text, network, NULL));
    if (d)
        spv__expect_ok(c, "derive", spv__descriptor_derive(d, 0, &derived));
    spv__expect_ok(c, "address",
                   spv_address_format(address, derived.script,
                                      derived.script_len, network));
    spv__expect_text(c, "address", address, spv__case_text(c, "address"));
    spv__descriptor_free(d);
}

static void run_wif_invalid(spv_case *c)
{
    const char *text = spv__case_text(c, "string");
    spv_key key;

    spv__expect_true(c, "refused",
                     spv__key_parse(&key, text, strlen(text),
                                    network_of(c, "network")) != SPV_OK);
}

static void run_address_or_wif_invalid(spv_case *c)
{
    const char *text = spv__case_text(c, "string");

    for (int n = 0; n < SPV_CHAIN_COUNT; n++) {
        const spv_network *network = spv_network_get((spv_chain)n);
        uint8_t script[SPV_ADDRESS_SCRIPT_MAX];
        size_t len = 0;
        spv_key key;

        spv__expect_true(c, "refused as an address",
                         spv_address_parse(script, &len, text, network) !=
                             SPV_OK);
        spv__expect_true(c, "refused as a private key",
                         spv__key_parse(&key, text, strlen(text), network) !=
                             SPV_OK);
    }
}

const spv_kind spv__kinds_keys[] = {
    {{"bip32", "a key at a path below a seed"}, run_bip32},
    {{"bip32_invalid", "extended keys that are refused"}, run_bip32_invalid},
    {{"bip32_ckdpub", "public children of a public key"}, run_bip32_ckdpub},
    {{"bip32_ckdpub_invalid", "children that a public key cannot have"},
     run_bip32_ckdpub_invalid},
    {{"bip39_wordlist", "the English word list"}, run_bip39_wordlist},
    {{"bip39", "a mnemonic, its entropy and its seed"}, run_bip39},
    {{"bip39_invalid", "mnemonics that are refused"}, run_bip39_invalid},
    {{"bip44", "legacy addresses of a mnemonic"}, run_bip44},
    {{"bip49", "nested witness addresses of a mnemonic"}, run_bip49},
    {{"bip84", "witness addresses of a mnemonic"}, run_bip84},
    {{"bip84_account", "extended keys of such an account"}, run_bip84_account},
    {{"bip86", "taproot addresses of a mnemonic"}, run_bip86},
    {{"bip86_account", "extended keys of such an account"}, run_bip86_account},
    {{"wif", "a private key in wallet import format"}, run_wif},
    {{"wif_address", "the same, and its address"}, run_wif_address},
    {{"wif_invalid", "private keys that are refused"}, run_wif_invalid},
    {{"address_or_wif_invalid",
      "texts that are neither address nor private key"},
     run_address_or_wif_invalid},
    {{NULL, NULL}, NULL},
};
