#include <string.h>

#include <spv/address.h>
#include <spv/tx.h>

#include "base/digest.h"
#include "vectors/kind.h"
#include "wallet/secp.h"
#include "wallet/sighash.h"

/** Most inputs of a vector with outputs spent, and most leaves of a tree. */
#define MAX_SPENT  16
#define MAX_LEAVES 8
/** Most inputs of a transaction, and deepest tree of scripts (BIP 341). */
#define INPUTS_MAX 100000
#define DEPTH_MAX  128

/* 32 bytes of a hex field; zeros, and a failure, when it has another length. */
static void get_32(spv_case *c, const char *field, uint8_t out[32])
{
    spv_view v = spv__case_hex(c, field);

    memset(out, 0, 32);
    spv__expect_int(c, field, (int64_t)v.len, 32);
    if (v.len == 32)
        memcpy(out, v.bytes, 32);
}

static void expect_hex(spv_case *c, const char *field, const uint8_t *got,
                       size_t len)
{
    spv__expect_bytes(c, field, got, len, spv__case_hex(c, field));
}

static void expect_buf(spv_case *c, const char *field, spv_buf *got)
{
    expect_hex(c, field, got->bytes, got->len);
    spv__buf_clear(got);
}

static bool decode(spv_case *c, spv_tx *tx, const char *field)
{
    spv_view bytes = spv__case_hex(c, field);
    spv_err err = spv_tx_decode(tx, bytes.bytes, bytes.len, NULL);

    spv__expect_ok(c, field, err);
    return err == SPV_OK;
}

/* ---- Signature hashes ---- */

static void run_sighash_legacy(spv_case *c)
{
    spv_view script = spv__case_hex(c, "script");
    size_t in = spv__case_count(c, "input_index", INPUTS_MAX);
    uint32_t hash_type = (uint32_t)spv__case_int(c, "hash_type");
    spv_hash want = spv__case_hash(c, "sighash");
    spv_buf message = SPV_BUF_EMPTY;
    spv_hash got = {{0}};
    spv_tx tx;

    if (!decode(c, &tx, "tx"))
        return;
    spv__expect_ok(c, "sighash",
                   spv__sighash_legacy(got.bytes, &tx, in, script.bytes,
                                       script.len, hash_type));
    spv__expect_hash(c, "sighash", &got, &want);
    spv__expect_true(
        c, "single_out_of_range",
        (spv__sighash_legacy_message(&message, &tx, in, script.bytes,
                                     script.len, hash_type) == SPV_INVAL) ==
            spv__case_bool(c, "single_out_of_range"));
    spv__buf_clear(&message);
    spv_tx_clear(&tx);
}

static void check_ecdsa(spv_case *c, const char *field,
                        const uint8_t digest[32], bool with_type)
{
    uint8_t der[SPV__ECDSA_MAX + 1] = {0};
    uint8_t secret[32];
    spv_view want = spv__case_hex(c, field);
    spv_point point;
    size_t len = 0;

    get_32(c, "private_key", secret);
    if (!spv__expect_ok(c, field, spv__ecdsa_sign(der, &len, digest, secret)) ||
        !spv__expect_ok(c, "public key", spv__point_of_secret(&point, secret)))
        return;
    spv__expect_true(c, "own signature verifies",
                     spv__ecdsa_verify(der, len, digest, &point));
    if (with_type)
        der[len++] = (uint8_t)spv__case_int(c, "hash_type");
    spv__expect_bytes(c, field, der, len, want);
    der[len / 2] ^= 1;
    spv__expect_false(
        c, "changed signature verifies",
        spv__ecdsa_verify(der, with_type ? len - 1 : len, digest, &point));
}

static void check_public_key(spv_case *c)
{
    uint8_t secret[32];
    uint8_t public[33] = {0};
    spv_point point = {{0}};

    get_32(c, "private_key", secret);
    if (spv__point_of_secret(&point, secret) == SPV_OK)
        spv__point_encode(public, &point);
    expect_hex(c, "public_key", public, sizeof(public));
}

/* The three hashes stand in the message at fixed places. */
static void check_v0_message(spv_case *c, const spv_buf *message)
{
    if (message->len < 100) {
        spv__expect_true(c, "length of the preimage", false);
        return;
    }
    expect_hex(c, "hash_prevouts", message->bytes + 4, 32);
    expect_hex(c, "hash_sequence", message->bytes + 36, 32);
    expect_hex(c, "hash_outputs", message->bytes + message->len - 40, 32);
    expect_hex(c, "preimage", message->bytes, message->len);
}

static void run_sighash_v0(spv_case *c)
{
    spv_view code = spv__case_hex(c, "script_code");
    size_t in = spv__case_count(c, "input_index", INPUTS_MAX);
    spv_txout spent = {spv__case_int(c, "amount"), code.bytes, code.len};
    uint32_t hash_type = (uint32_t)spv__case_int(c, "hash_type");
    spv_buf message = SPV_BUF_EMPTY;
    uint8_t digest[32] = {0};
    spv_sighash_parts parts;
    spv_tx tx;

    if (!decode(c, &tx, "unsigned_tx"))
        return;
    if (in >= tx.n_in || spv__sighash_parts(&parts, &tx, NULL) != SPV_OK) {
        spv__expect_true(c, "input_index is of an input", false);
        spv_tx_clear(&tx);
        return;
    }
    spv__expect_ok(
        c, "preimage",
        spv__sighash_v0_message(&message, &tx, &parts, in, &spent, hash_type));
    check_v0_message(c, &message);
    spv__expect_ok(c, "sighash",
                   spv__sighash_v0(digest, &tx, &parts, in, &spent, hash_type));
    expect_hex(c, "sighash", digest, sizeof(digest));
    check_public_key(c);
    spv__expect_true(c, "signature_is_rfc6979_low_s",
                     spv__case_bool(c, "signature_is_rfc6979_low_s"));
    check_ecdsa(c, "signature_der_with_type", digest, true);
    spv__buf_clear(&message);
    spv_tx_clear(&tx);
}

static void run_ecdsa_sign(spv_case *c)
{
    uint8_t digest[32];

    get_32(c, "digest", digest);
    check_ecdsa(c, "signature_der", digest, false);
}

static void run_schnorr(spv_case *c)
{
    spv_view message = spv__case_hex(c, "message");
    spv_view want = spv__case_hex(c, "signature");
    uint8_t public[32];
    uint8_t secret[32];
    uint8_t aux[32];
    uint8_t signature[64] = {0};

    get_32(c, "public_key", public);
    spv__expect_int(c, "length of the signature", (int64_t)want.len, 64);
    if (want.len == 64)
        spv__expect_true(c, "valid",
                         spv__schnorr_verify(want.bytes, message.bytes,
                                             message.len, public) ==
                             spv__case_bool(c, "valid"));
    if (!spv__case_has(c, "secret_key"))
        return;
    get_32(c, "secret_key", secret);
    get_32(c, "aux_rand", aux);
    spv__expect_ok(
        c, "signature",
        spv__schnorr_sign(signature, message.bytes, message.len, secret, aux));
    spv__expect_bytes(c, "signature", signature, sizeof(signature), want);
}

/* ---- Taproot ---- */

/** A leaf on its way up: its hash, its control block's first byte and the
 * hashes of the branches that it is not in. */
typedef struct leaf {
    uint8_t version;
    uint8_t path[32 * MAX_LEAVES];
    size_t path_len;
} leaf;

typedef struct tree {
    leaf leaf[MAX_LEAVES];
    size_t n;
} tree;

static void hash_leaf(spv_case *c, tree *t, const json_t *node, uint8_t out[32])
{
    spv_view script = spv__case_hex_of(c, json_object_get(node, "script"));
    spv_buf b = SPV_BUF_EMPTY;
    spv_slice slice = {0};
    uint8_t version =
        (uint8_t)json_integer_value(json_object_get(node, "leafVersion"));

    spv__put_u8(&b, version);
    spv__put_var_bytes(&b, script.bytes, script.len);
    slice = (spv_slice){b.bytes, b.len};
    spv__tagged_hash(out, "TapLeaf", &slice, 1);
    spv__buf_clear(&b);
    spv__expect_true(c, "room for a leaf", t->n < MAX_LEAVES);
    if (t->n < MAX_LEAVES)
        t->leaf[t->n++] = (leaf){.version = version};
}

static void add_to_paths(tree *t, size_t from, size_t to,
                         const uint8_t hash[32])
{
    for (size_t i = from; i < to; i++) {
        leaf *l = &t->leaf[i];

        if (l->path_len + 32 > sizeof(l->path))
            continue;
        memcpy(l->path + l->path_len, hash, 32);
        l->path_len += 32;
    }
}

/* Recursion is bounded: a control block has no room for more. */
static void hash_tree(spv_case *c, tree *t, const json_t *node, uint8_t out[32],
                      int depth)
{
    uint8_t left[32] = {0};
    uint8_t right[32] = {0};
    bool swap = false;
    size_t from = t->n;
    size_t middle = 0;
    spv_slice slices[2];

    if (!json_is_array(node)) {
        hash_leaf(c, t, node, out);
        return;
    }
    spv__expect_true(c, "two branches, and 128 above each other at most",
                     json_array_size(node) == 2 && depth < DEPTH_MAX);
    if (depth >= DEPTH_MAX)
        return;
    hash_tree(c, t, json_array_get(node, 0), left, depth + 1);
    middle = t->n;
    hash_tree(c, t, json_array_get(node, 1), right, depth + 1);
    add_to_paths(t, from, middle, right);
    add_to_paths(t, middle, t->n, left);
    swap = memcmp(left, right, 32) > 0;
    slices[swap ? 1 : 0] = (spv_slice){left, 32};
    slices[swap ? 0 : 1] = (spv_slice){right, 32};
    spv__tagged_hash(out, "TapBranch", slices, 2);
}

static void check_control_blocks(spv_case *c, const tree *t,
                                 const uint8_t internal[32], bool odd)
{
    const json_t *want = spv__case_list(c, "control_blocks");

    spv__expect_int(c, "control blocks", (int64_t)json_array_size(want),
                    (int64_t)t->n);
    for (size_t i = 0; i < t->n; i++) {
        spv_buf b = SPV_BUF_EMPTY;

        spv__put_u8(&b, (uint8_t)(t->leaf[i].version | odd));
        spv__put_bytes(&b, internal, 32);
        spv__put_bytes(&b, t->leaf[i].path, t->leaf[i].path_len);
        spv__expect_buf(c, "control block", &b,
                        spv__case_hex_of(c, json_array_get(want, i)));
        spv__buf_clear(&b);
    }
}

static void check_output(spv_case *c, const uint8_t output[32])
{
    uint8_t script[34] = {0x51, 32};
    char address[SPV_ADDRESS_TEXT] = "";

    memcpy(script + 2, output, 32);
    expect_hex(c, "output_key", output, 32);
    expect_hex(c, "script_pubkey", script, sizeof(script));
    spv__expect_ok(c, "address",
                   spv_address_format(address, script, sizeof(script),
                                      spv_network_get(SPV_MAIN)));
    spv__expect_text(c, "address", address, spv__case_text(c, "address"));
}

static void run_taproot_script_pubkey(spv_case *c)
{
    bool has_tree = spv__case_has(c, "script_tree");
    uint8_t internal[32];
    uint8_t root[32] = {0};
    uint8_t tweak[32];
    uint8_t output[32] = {0};
    tree t = {.n = 0};
    bool odd = false;

    get_32(c, "internal_key", internal);
    if (has_tree) {
        hash_tree(c, &t, spv__case_json(c, "script_tree"), root, 0);
        expect_hex(c, "merkle_root", root, sizeof(root));
    }
    spv__taproot_tweak(tweak, internal, has_tree ? root : NULL);
    expect_hex(c, "tweak", tweak, sizeof(tweak));
    spv__expect_ok(
        c, "output_key",
        spv__taproot_output(output, &odd, internal, has_tree ? root : NULL));
    check_output(c, output);
    if (has_tree)
        check_control_blocks(c, &t, internal, odd);
}

/** The transaction of bip341-keypath-tx and what it spends. */
typedef struct keypath_tx {
    spv_tx tx;
    spv_txout spent[MAX_SPENT];
    spv_sighash_parts parts;
} keypath_tx;

static bool load_keypath_tx(spv_case *c, keypath_tx *k, const json_t *vector)
{
    spv_view bytes =
        spv__case_hex_of(c, json_object_get(vector, "unsigned_tx"));
    const json_t *spent = json_object_get(vector, "spent_outputs");

    if (spv_tx_decode(&k->tx, bytes.bytes, bytes.len, NULL) != SPV_OK ||
        json_array_size(spent) != k->tx.n_in || k->tx.n_in > MAX_SPENT) {
        spv__expect_true(c, "the transaction and what it spends", false);
        spv_tx_clear(&k->tx);
        return false;
    }
    for (size_t i = 0; i < k->tx.n_in; i++) {
        const json_t *output = json_array_get(spent, i);
        spv_view script =
            spv__case_hex_of(c, json_object_get(output, "script_pubkey"));

        k->spent[i] = (spv_txout){
            .value = json_integer_value(json_object_get(output, "amount")),
            .script = script.bytes,
            .script_len = script.len};
    }
    if (spv__sighash_parts(&k->parts, &k->tx, k->spent) == SPV_OK)
        return true;
    spv__expect_true(c, "the parts", false);
    spv_tx_clear(&k->tx);
    return false;
}

static void run_taproot_keypath_tx(spv_case *c)
{
    keypath_tx k;

    if (!load_keypath_tx(c, &k, spv__case_vector(c)))
        return;
    expect_hex(c, "hash_amounts", k.parts.amounts, 32);
    expect_hex(c, "hash_outputs", k.parts.outputs, 32);
    expect_hex(c, "hash_prevouts", k.parts.prevouts, 32);
    expect_hex(c, "hash_scriptpubkeys", k.parts.scripts, 32);
    expect_hex(c, "hash_sequences", k.parts.sequences, 32);
    spv_tx_clear(&k.tx);
}

static const json_t *find_keypath_tx(const spv_case *c)
{
    const json_t *vector = NULL;
    size_t i = 0;

    json_array_foreach(spv__case_file(c), i, vector)
    {
        const char *kind = json_string_value(json_object_get(vector, "kind"));

        if (kind && strcmp(kind, "taproot_keypath_tx") == 0)
            return vector;
    }
    return NULL;
}

/* The internal key and its tweaked private key. */
static void check_tweaked(spv_case *c, uint8_t secret[32])
{
    bool has_root = spv__case_has(c, "merkle_root");
    uint8_t root[32] = {0};
    uint8_t tweak[32];
    uint8_t public[33] = {0};
    spv_point point = {{0}};

    get_32(c, "internal_private_key", secret);
    if (has_root)
        get_32(c, "merkle_root", root);
    if (!spv__expect_ok(c, "a private key",
                        spv__point_of_secret(&point, secret)))
        return;
    spv__point_encode(public, &point);
    expect_hex(c, "internal_key", public + 1, 32);
    spv__taproot_tweak(tweak, public + 1, has_root ? root : NULL);
    expect_hex(c, "tweak", tweak, sizeof(tweak));
    spv__expect_ok(c, "tweaked_private_key",
                   spv__taproot_secret(secret, has_root ? root : NULL));
    expect_hex(c, "tweaked_private_key", secret, 32);
}

static void check_keypath(spv_case *c, const keypath_tx *k)
{
    static const uint8_t no_entropy[32];
    size_t in = spv__case_count(c, "input_index", INPUTS_MAX);
    uint8_t hash_type = (uint8_t)spv__case_int(c, "hash_type");
    const json_t *witness = spv__case_list(c, "witness");
    uint8_t secret[32];
    uint8_t digest[32] = {0};
    uint8_t signature[65] = {0};
    spv_buf message = SPV_BUF_EMPTY;

    check_tweaked(c, secret);
    spv__expect_true(c, "input_index is of an input", in < k->tx.n_in);
    if (in >= k->tx.n_in)
        return;
    spv__expect_ok(c, "sig_msg",
                   spv__sighash_taproot_message(&message, &k->tx, &k->parts, in,
                                                k->spent, hash_type));
    expect_buf(c, "sig_msg", &message);
    spv__expect_ok(c, "sighash",
                   spv__sighash_taproot(digest, &k->tx, &k->parts, in, k->spent,
                                        hash_type));
    expect_hex(c, "sighash", digest, sizeof(digest));
    spv__expect_ok(
        c, "witness",
        spv__schnorr_sign(signature, digest, 32, secret, no_entropy));
    signature[64] = hash_type;
    spv__expect_int(c, "items of the witness",
                    (int64_t)json_array_size(witness), 1);
    spv__expect_bytes(c, "witness", signature, hash_type ? 65 : 64,
                      spv__case_hex_of(c, json_array_get(witness, 0)));
}

static void run_taproot_keypath(spv_case *c)
{
    const json_t *vector = find_keypath_tx(c);
    keypath_tx k;

    spv__expect_true(c, "the transaction is in the same file", vector != NULL);
    if (!vector || !load_keypath_tx(c, &k, vector))
        return;
    check_keypath(c, &k);
    spv_tx_clear(&k.tx);
}

const spv_kind spv__kinds_sign[] = {
    {{"sighash_legacy", "what a legacy signature signs"}, run_sighash_legacy},
    {{"sighash_v0", "what a witness v0 signature signs (BIP 143)"},
     run_sighash_v0},
    {{"ecdsa_sign", "a deterministic ECDSA signature (RFC 6979)"},
     run_ecdsa_sign},
    {{"schnorr", "Schnorr signatures, made and verified (BIP 340)"},
     run_schnorr},
    {{"taproot_script_pubkey",
      "a taproot output and its control blocks (BIP 341)"},
     run_taproot_script_pubkey},
    {{"taproot_keypath_tx", "the hashes that its signatures have in common"},
     run_taproot_keypath_tx},
    {{"taproot_keypath", "a key path spend: tweak, message and signature"},
     run_taproot_keypath},
    {{NULL, NULL}, NULL},
};
