#include <stdio.h>
#include <string.h>

#include "base/digest.h"
#include "base/hex.h"
#include "wallet/descriptor.h"
#include "wallet/descriptor_key.h"

static void put_text(spv_buf *out, const char *text)
{
    spv__put_bytes(out, text, strlen(text));
}

static void put_hex(spv_buf *out, const uint8_t *bytes, size_t len)
{
    char text[131];

    spv__hex_format(text, bytes, len);
    put_text(out, text);
}

static void put_number(spv_buf *out, uint32_t step)
{
    char text[16];

    (void)snprintf(text, sizeof(text), "%lu%s",
                   (unsigned long)(step & ~SPV__HARDENED),
                   step & SPV__HARDENED ? "h" : "");
    put_text(out, text);
}

static void put_steps(spv_buf *out, const uint32_t *step, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        put_text(out, "/");
        put_number(out, step[i]);
    }
}

static void put_tuple(spv_buf *out, const spv_key_expr *key)
{
    for (size_t i = 0; i < key->n_tuple; i++) {
        put_text(out, i ? ";" : "/<");
        put_number(out, key->tuple[i]);
    }
    put_text(out, ">");
}

/* The path from step `from` on, with the tuple as a whole if asked. */
static void put_path(spv_buf *out, const spv_key_expr *key, size_t from,
                     unsigned format)
{
    for (size_t i = from; i < key->path.n; i++)
        if (key->n_tuple && i == key->tuple_at &&
            format & SPV__DESCRIPTOR_MULTIPATH)
            put_tuple(out, key);
        else
            put_steps(out, &key->path.step[i], 1);
    switch (key->wildcard) {
    case SPV_WILDCARD_NONE:
        break;
    case SPV_WILDCARD_NORMAL:
        put_text(out, "/*");
        break;
    case SPV_WILDCARD_HARDENED:
        put_text(out, "/*h");
        break;
    }
}

static bool tuple_has_hardened(const spv_key_expr *key)
{
    uint32_t bits = 0;

    for (size_t i = 0; i < key->n_tuple; i++)
        bits |= key->tuple[i];
    return bits & SPV__HARDENED;
}

/* How many steps the public key must stand below the root: behind the last
 * hardened one. */
static spv_err hardened_steps(size_t *n, const spv_key_expr *key,
                              unsigned format)
{
    bool whole = key->n_tuple && format & SPV__DESCRIPTOR_MULTIPATH;

    *n = 0;
    if (key->wildcard == SPV_WILDCARD_HARDENED ||
        (whole && tuple_has_hardened(key)))
        return SPV_INVAL;
    for (size_t i = 0; i < key->path.n; i++)
        if (key->path.step[i] & SPV__HARDENED)
            *n = i + 1;
    /* One public key cannot serve several paths that part above it. */
    return whole && *n > key->tuple_at ? SPV_INVAL : SPV_OK;
}

static void put_origin(spv_buf *out, const spv_key_expr *key, size_t moved)
{
    uint8_t fingerprint[4];

    if (!key->has_origin && moved == 0)
        return;
    memcpy(fingerprint, key->fingerprint, 4);
    if (!key->has_origin)
        spv__hd_fingerprint(fingerprint, &key->root);
    put_text(out, "[");
    put_hex(out, fingerprint, 4);
    put_steps(out, key->origin.step, key->origin.n);
    put_steps(out, key->path.step, moved);
    put_text(out, "]");
}

static spv_err put_extended(spv_buf *out, const spv_key_expr *key,
                            unsigned format, const spv_network *network)
{
    bool as_private = format & SPV__DESCRIPTOR_PRIVATE && key->root.has_secret;
    char text[SPV__HD_TEXT];
    spv_hd top = key->root;
    size_t moved = 0;
    spv_err err = SPV_OK;

    if (!as_private)
        err = hardened_steps(&moved, key, format);
    if (err == SPV_OK)
        err = spv__hd_descend(&top, key->path.step, moved);
    if (err == SPV_OK)
        err = spv__hd_format(text, &top, SPV_HD_PLAIN, as_private, network);
    spv__hd_clear(&top);
    if (err != SPV_OK)
        return err;
    put_origin(out, key, moved);
    put_text(out, text);
    put_path(out, key, moved, format);
    spv__cleanse(text, sizeof(text));
    return out->err;
}

static spv_err put_single(spv_buf *out, const spv_key_expr *key,
                          unsigned format, const spv_network *network)
{
    char text[SPV__WIF_TEXT];
    spv_err err = SPV_OK;

    put_origin(out, key, 0);
    if (!(format & SPV__DESCRIPTOR_PRIVATE) || !key->has_secret) {
        put_hex(out, key->public, key->public_len);
        return out->err;
    }
    err = spv__key_format(text, &key->secret, network);
    if (err == SPV_OK)
        put_text(out, text);
    spv__cleanse(text, sizeof(text));
    return err == SPV_OK ? out->err : err;
}

spv_err spv__key_expr_format(spv_buf *out, const spv_key_expr *key,
                             unsigned format, const spv_network *network)
{
    return key->extended ? put_extended(out, key, format, network)
                         : put_single(out, key, format, network);
}
