#include "wallet/hd.h"

#include <assert.h>
#include <string.h>

#include "base/base58.h"
#include "base/bytes.h"
#include "base/digest.h"
#include "wallet/key.h"

void spv__hd_clear(spv_hd *key)
{
    spv__cleanse(key, sizeof(*key));
}

static spv_err fill_public(spv_hd *key)
{
    spv_err err = spv__point_of_secret(&key->point, key->secret);

    if (err == SPV_OK)
        spv__point_encode(key->public, &key->point);
    return err;
}

spv_err spv__hd_of_seed(spv_hd *out, const uint8_t *seed, size_t len)
{
    static const char salt[] = "Bitcoin seed";
    uint8_t i[64];
    spv_err err = SPV_OK;

    *out = (spv_hd){.has_secret = true};
    if (len < 16 || len > 64)
        return SPV_INVAL;
    spv__hmac_sha512(i, salt, sizeof(salt) - 1, seed, len);
    memcpy(out->secret, i, 32);
    memcpy(out->chain, i + 32, 32);
    spv__cleanse(i, sizeof(i));
    err = fill_public(out);
    if (err != SPV_OK)
        spv__hd_clear(out);
    return err;
}

static void put_number(uint8_t out[4], uint32_t number)
{
    for (int i = 0; i < 4; i++)
        out[i] = (uint8_t)(number >> (24 - 8 * i));
}

/* I of BIP 32: the left half tweaks the key, the right is the chain code. */
static void child_hmac(uint8_t i[64], const spv_hd *parent, uint32_t number)
{
    uint8_t data[37] = {0};

    if (number & SPV__HARDENED)
        memcpy(data + 1, parent->secret, 32);
    else
        memcpy(data, parent->public, 33);
    put_number(data + 33, number);
    spv__hmac_sha512(i, parent->chain, sizeof(parent->chain), data,
                     sizeof(data));
    spv__cleanse(data, sizeof(data));
}

static spv_err tweak(spv_hd *child, const uint8_t by[32])
{
    spv_err err = SPV_OK;

    if (child->has_secret) {
        err = spv__secret_add(child->secret, by);
        return err == SPV_OK ? fill_public(child) : err;
    }
    err = spv__point_add(&child->point, by);
    if (err == SPV_OK)
        spv__point_encode(child->public, &child->point);
    return err;
}

spv_err spv__hd_child(spv_hd *out, const spv_hd *parent, uint32_t number)
{
    spv_hd child = *parent;
    uint8_t i[64];
    spv_err err = SPV_OK;

    if (number & SPV__HARDENED && !parent->has_secret)
        err = SPV_INVAL;
    if (parent->depth == UINT8_MAX)
        err = SPV_LIMIT;
    if (err != SPV_OK)
        goto out;
    child_hmac(i, parent, number);
    child.depth++;
    child.child = number;
    spv__hd_fingerprint(child.parent, parent);
    memcpy(child.chain, i + 32, 32);
    err = tweak(&child, i);
    spv__cleanse(i, sizeof(i));
out:
    if (err != SPV_OK)
        spv__hd_clear(&child);
    *out = child;
    spv__hd_clear(&child);
    return err;
}

spv_err spv__hd_descend(spv_hd *key, const uint32_t *path, size_t n)
{
    spv_err err = SPV_OK;

    for (size_t i = 0; i < n && err == SPV_OK; i++)
        err = spv__hd_child(key, key, path[i]);
    return err;
}

spv_err spv__hd_child_public(uint8_t out[33], const spv_hd *parent,
                             uint32_t number)
{
    spv_point point = parent->point;
    uint8_t i[64];
    spv_err err = SPV_OK;

    if (number & SPV__HARDENED)
        return SPV_INVAL;
    child_hmac(i, parent, number);
    err = spv__point_add(&point, i);
    if (err == SPV_OK)
        spv__point_encode(out, &point);
    return err;
}

void spv__hd_neuter(spv_hd *key)
{
    spv__cleanse(key->secret, sizeof(key->secret));
    key->has_secret = false;
}

void spv__hd_fingerprint(uint8_t out[4], const spv_hd *key)
{
    uint8_t id[20];

    spv__hash160(id, key->public, sizeof(key->public));
    memcpy(out, id, 4);
}

/* SLIP 132's version bytes for single-signature scripts. BIP 32's own are the
 * network's. */
static const struct {
    spv_hd_kind kind;
    bool main;
    uint8_t public[4];
    uint8_t private[4];
} versions[] = {
    {SPV_HD_SH_WPKH, true, {0x04, 0x9d, 0x7c, 0xb2}, {0x04, 0x9d, 0x78, 0x78}},
    {SPV_HD_SH_WPKH, false, {0x04, 0x4a, 0x52, 0x62}, {0x04, 0x4a, 0x4e, 0x28}},
    {SPV_HD_WPKH, true, {0x04, 0xb2, 0x47, 0x46}, {0x04, 0xb2, 0x43, 0x0c}},
    {SPV_HD_WPKH, false, {0x04, 0x5f, 0x1c, 0xf6}, {0x04, 0x5f, 0x18, 0xbc}},
};

#define N_VERSIONS (sizeof(versions) / sizeof(versions[0]))

static const uint8_t *version_of(spv_hd_kind kind, bool as_private,
                                 const spv_network *network)
{
    bool main = network->chain == SPV_MAIN;

    for (size_t i = 0; i < N_VERSIONS; i++)
        if (versions[i].kind == kind && versions[i].main == main)
            return as_private ? versions[i].private : versions[i].public;
    return as_private ? network->xprv : network->xpub;
}

static bool find_version(spv_hd_kind *kind, bool *is_private,
                         const uint8_t bytes[4], const spv_network *network)
{
    for (int k = SPV_HD_PLAIN; k <= SPV_HD_WPKH; k++)
        for (int p = 0; p < 2; p++)
            if (memcmp(version_of((spv_hd_kind)k, p, network), bytes, 4) == 0) {
                *kind = (spv_hd_kind)k;
                *is_private = p;
                return true;
            }
    return false;
}

static bool is_another_networks(const uint8_t version[4])
{
    spv_hd_kind kind;
    bool is_private;

    return find_version(&kind, &is_private, version,
                        spv_network_get(SPV_MAIN)) ||
           find_version(&kind, &is_private, version,
                        spv_network_get(SPV_TESTNET3));
}

static spv_err decode_key(spv_hd *out, bool is_private, const uint8_t bytes[33])
{
    if (!is_private) {
        memcpy(out->public, bytes, 33);
        return spv__point_parse(&out->point, bytes, 33);
    }
    if (bytes[0] != 0 || !spv__secret_is_valid(bytes + 1))
        return SPV_MALFORMED;
    memcpy(out->secret, bytes + 1, 32);
    out->has_secret = true;
    return fill_public(out);
}

/* version, depth, parent fingerprint, child number, chain code, key */
static spv_err decode(spv_hd *out, spv_hd_kind *kind, const uint8_t *bytes,
                      const spv_network *network)
{
    static const uint8_t no_parent[4];
    spv_reader r = spv__reader(bytes, SPV__HD_LEN);
    const uint8_t *version = spv__read_bytes(&r, 4);
    bool is_private = false;

    out->depth = spv__read_u8(&r);
    memcpy(out->parent, spv__read_bytes(&r, 4), 4);
    for (int i = 0; i < 4; i++)
        out->child = out->child << 8 | spv__read_u8(&r);
    memcpy(out->chain, spv__read_bytes(&r, 32), 32);
    if (out->depth == 0 &&
        (out->child || memcmp(out->parent, no_parent, 4) != 0))
        return SPV_MALFORMED;
    if (!find_version(kind, &is_private, version, network))
        return is_another_networks(version) ? SPV_NETWORK : SPV_MALFORMED;
    return decode_key(out, is_private, spv__read_bytes(&r, 33));
}

spv_err spv__hd_parse(spv_hd *out, spv_hd_kind *kind, const char *text,
                      size_t len, const spv_network *network)
{
    spv_buf bytes = spv__secret_buf(128);
    spv_hd_kind ignored;
    spv_err err = len < SPV__HD_TEXT ? spv__base58check_parse(&bytes, text, len)
                                     : SPV_MALFORMED;

    *out = (spv_hd){0};
    if (err == SPV_OK && bytes.len != SPV__HD_LEN)
        err = SPV_MALFORMED;
    if (err == SPV_OK)
        err = decode(out, kind ? kind : &ignored, bytes.bytes, network);
    if (err != SPV_OK)
        spv__hd_clear(out);
    spv__secret_buf_clear(&bytes);
    return err;
}

static void encode(uint8_t out[SPV__HD_LEN], const spv_hd *key,
                   const uint8_t version[4], bool as_private)
{
    memcpy(out, version, 4);
    out[4] = key->depth;
    memcpy(out + 5, key->parent, 4);
    put_number(out + 9, key->child);
    memcpy(out + 13, key->chain, 32);
    out[45] = 0;
    if (as_private)
        memcpy(out + 46, key->secret, 32);
    else
        memcpy(out + 45, key->public, 33);
}

spv_err spv__hd_format(char out[SPV__HD_TEXT], const spv_hd *key,
                       spv_hd_kind kind, bool as_private,
                       const spv_network *network)
{
    uint8_t bytes[SPV__HD_LEN];
    spv_buf text = spv__secret_buf(128);
    spv_err err = SPV_OK;

    out[0] = '\0';
    if (as_private && !key->has_secret)
        err = SPV_INVAL;
    if (err != SPV_OK)
        goto out;
    encode(bytes, key, version_of(kind, as_private, network), as_private);
    err = spv__base58check_format(&text, bytes, sizeof(bytes));
    spv__cleanse(bytes, sizeof(bytes));
    if (err != SPV_OK)
        goto out;
    assert(text.len < SPV__HD_TEXT);
    memcpy(out, text.bytes, text.len);
    out[text.len] = '\0';
out:
    spv__secret_buf_clear(&text);
    return err;
}

/* One step, NUM or NUM with a mark; where it ends, or NULL. */
static const char *parse_step(uint32_t *step, const char *at)
{
    uint64_t v = 0;
    const char *start = at;

    while (*at >= '0' && *at <= '9' && v < SPV__HARDENED)
        v = v * 10 + (uint64_t)(*at++ - '0');
    if (at == start || v >= SPV__HARDENED)
        return NULL;
    *step = (uint32_t)v;
    if (*at == 'h' || *at == '\'') {
        *step |= SPV__HARDENED;
        at++;
    }
    return *at == '/' || *at == '\0' ? at : NULL;
}

spv_err spv__path_parse(spv_path *out, const char *text)
{
    const char *at = text;

    out->n = 0;
    if (*at == 'm')
        at++;
    while (*at) {
        if (*at == '/')
            at++;
        else if (at != text)
            return SPV_MALFORMED;
        if (out->n == SPV__PATH_MAX)
            return SPV_LIMIT;
        at = parse_step(&out->step[out->n], at);
        if (!at)
            return SPV_MALFORMED;
        out->n++;
    }
    return SPV_OK;
}
