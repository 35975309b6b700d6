#include "wallet/descriptor_key.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/digest.h"
#include "base/hex.h"
#include "wallet/descriptor.h"
#include "wallet/text_error.h"

spv_err spv__cursor_fail(spv_cursor *c, spv_err code, const char *format, ...)
{
    char text[sizeof(c->error->text)];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    return spv__text_fail(c->error, code, (size_t)(c->at - c->start), "%s",
                          text);
}

bool spv__cursor_take(spv_cursor *c, char ch)
{
    if (c->at == c->end || *c->at != ch)
        return false;
    c->at++;
    return true;
}

void spv__key_expr_clear(spv_key_expr *key)
{
    spv__cleanse(key, sizeof(*key));
}

bool spv__key_expr_has_private(const spv_key_expr *key)
{
    return key->extended ? key->root.has_secret : key->has_secret;
}

/* How many characters up to one of `stops`, or to the end. */
static size_t span(const spv_cursor *c, const char *stops)
{
    const char *at = c->at;

    while (at < c->end && !strchr(stops, *at))
        at++;
    return (size_t)(at - c->at);
}

static bool take_hardened(spv_cursor *c)
{
    return spv__cursor_take(c, 'h') || spv__cursor_take(c, '\'');
}

/* NUM, NUMh or NUM'. */
static spv_err parse_number(uint32_t *out, spv_cursor *c)
{
    const char *start = c->at;
    uint64_t v = 0;

    while (c->at < c->end && *c->at >= '0' && *c->at <= '9') {
        v = v * 10 + (uint64_t)(*c->at - '0');
        if (v >= SPV__HARDENED)
            return spv__cursor_fail(c, SPV_MALFORMED,
                                    "a derivation index is at most 2147483647");
        c->at++;
    }
    if (c->at == start)
        return spv__cursor_fail(c, SPV_MALFORMED,
                                "a derivation index is missing here");
    *out = (uint32_t)v | (take_hardened(c) ? SPV__HARDENED : 0);
    return SPV_OK;
}

static spv_err add_step(spv_path *path, uint32_t step, spv_cursor *c)
{
    if (path->n == SPV__PATH_MAX)
        return spv__cursor_fail(c, SPV_LIMIT, "a path has at most %d steps",
                                SPV__PATH_MAX);
    path->step[path->n++] = step;
    return SPV_OK;
}

static spv_err parse_fingerprint(uint8_t out[4], spv_cursor *c)
{
    if (span(c, "/]") != 8 || spv__hex_parse_to(out, c->at, 8) != SPV_OK)
        return spv__cursor_fail(c, SPV_MALFORMED,
                                "a key origin begins with a fingerprint of 8 "
                                "hex digits");
    c->at += 8;
    return SPV_OK;
}

/* [fingerprint/NUM/NUMh...] */
static spv_err parse_origin(spv_key_expr *key, spv_cursor *c)
{
    spv_err err = SPV_OK;

    if (!spv__cursor_take(c, '['))
        return SPV_OK;
    key->has_origin = true;
    err = parse_fingerprint(key->fingerprint, c);
    while (err == SPV_OK && spv__cursor_take(c, '/')) {
        uint32_t step = 0;

        err = parse_number(&step, c);
        if (err == SPV_OK)
            err = add_step(&key->origin, step, c);
    }
    if (err == SPV_OK && !spv__cursor_take(c, ']'))
        err = spv__cursor_fail(c, SPV_MALFORMED,
                               "the key origin is not closed by ']' here");
    return err;
}

static bool is_public_key(const uint8_t *bytes, size_t len)
{
    spv_point point;

    return len == 32 ? spv__xonly_is_valid(bytes)
                     : spv__point_parse(&point, bytes, len) == SPV_OK;
}

static bool is_hex_len(size_t len)
{
    return len == 64 || len == 66 || len == 130;
}

static spv_err parse_hex(spv_key_expr *key, spv_cursor *c, size_t len)
{
    key->public_len = len / 2;
    if (spv__hex_parse_to(key->public, c->at, len) != SPV_OK ||
        !is_public_key(key->public, key->public_len))
        return spv__cursor_fail(c, SPV_MALFORMED, "this is not a public key");
    return SPV_OK;
}

static bool is_wif(const char *text, size_t len)
{
    return (len == 51 || len == 52) && strchr("5KL9c", text[0]);
}

static spv_err parse_wif(spv_key_expr *key, spv_cursor *c, size_t len,
                         const spv_network *network)
{
    spv_err err = spv__key_parse(&key->secret, c->at, len, network);

    if (err == SPV_NETWORK)
        return spv__cursor_fail(c, err,
                                "this private key is of another "
                                "network than %s",
                                network->name);
    if (err == SPV_NOMEM)
        return err;
    if (err != SPV_OK)
        return spv__cursor_fail(c, err, "this private key has a typing error");
    key->has_secret = true;
    return spv__key_public(key->public, &key->public_len, &key->secret);
}

static spv_err parse_extended(spv_key_expr *key, spv_cursor *c, size_t len,
                              unsigned rules, const spv_network *network)
{
    spv_err err = spv__hd_parse(&key->root, &key->kind, c->at, len, network);

    key->extended = true;
    if (err == SPV_NOMEM)
        return err;
    if (err == SPV_NETWORK)
        return spv__cursor_fail(c, err,
                                "this extended key is of another network than "
                                "%s",
                                network->name);
    if (err == SPV_CHECKSUM)
        return spv__cursor_fail(c, err,
                                "this extended key has a typing error: its "
                                "checksum does not match");
    if (err != SPV_OK)
        return spv__cursor_fail(c, SPV_MALFORMED, "this is not a key");
    /* BIP 380 knows only BIP 32's own versions; SLIP 132's would say the kind
     * of script twice. */
    if (key->kind != SPV_HD_PLAIN && !(rules & SPV__KEY_SLIP132))
        return spv__cursor_fail(c, SPV_MALFORMED,
                                "within a descriptor an extended key begins "
                                "with xpub, tpub, xprv or tprv");
    return SPV_OK;
}

static spv_err add_to_tuple(spv_key_expr *key, spv_cursor *c)
{
    uint32_t step = 0;
    spv_err err = SPV_OK;

    if (key->n_tuple == SPV__TUPLE_MAX)
        return spv__cursor_fail(c, SPV_LIMIT, "at most %d paths in <...>",
                                SPV__TUPLE_MAX);
    err = parse_number(&step, c);
    for (size_t i = 0; err == SPV_OK && i < key->n_tuple; i++)
        if (key->tuple[i] == step)
            err = spv__cursor_fail(c, SPV_MALFORMED,
                                   "the same path stands twice in <...>");
    if (err == SPV_OK)
        key->tuple[key->n_tuple++] = step;
    return err;
}

/* <NUM;NUM;...> behind its '<' */
static spv_err parse_tuple(spv_key_expr *key, spv_cursor *c)
{
    size_t start = (size_t)(c->at - 1 - c->start);
    spv_err err = SPV_OK;

    if (key->n_tuple)
        return spv__cursor_fail(c, SPV_MALFORMED,
                                "a key has at most one <...>");
    do
        err = add_to_tuple(key, c);
    while (err == SPV_OK && spv__cursor_take(c, ';'));
    if (err == SPV_OK && key->n_tuple < 2)
        err = spv__cursor_fail(c, SPV_MALFORMED,
                               "<...> holds at least two paths");
    if (err == SPV_OK && !spv__cursor_take(c, '>'))
        err = spv__cursor_fail(c, SPV_MALFORMED,
                               "<...> is not closed by '>' here");
    if (err != SPV_OK)
        return err;
    key->tuple_at = key->path.n;
    key->tuple_text = start;
    return add_step(&key->path, key->tuple[0], c);
}

/* Everything behind the extended key: steps, one tuple, one asterisk. */
static spv_err parse_path(spv_key_expr *key, spv_cursor *c)
{
    spv_err err = SPV_OK;

    while (err == SPV_OK && key->wildcard == SPV_WILDCARD_NONE &&
           spv__cursor_take(c, '/')) {
        uint32_t step = 0;

        if (spv__cursor_take(c, '*')) {
            key->wildcard =
                take_hardened(c) ? SPV_WILDCARD_HARDENED : SPV_WILDCARD_NORMAL;
        } else if (spv__cursor_take(c, '<')) {
            err = parse_tuple(key, c);
        } else {
            err = parse_number(&step, c);
            if (err == SPV_OK)
                err = add_step(&key->path, step, c);
        }
    }
    return err;
}

static bool asks_for_hardened(const spv_key_expr *key)
{
    uint32_t bits = key->wildcard == SPV_WILDCARD_HARDENED ? SPV__HARDENED : 0;

    for (size_t i = 0; i < key->path.n; i++)
        bits |= key->path.step[i];
    for (size_t i = 0; i < key->n_tuple; i++)
        bits |= key->tuple[i];
    return bits & SPV__HARDENED;
}

static spv_err check_rules(const spv_key_expr *key, spv_cursor *c,
                           unsigned rules)
{
    if (key->extended)
        return SPV_OK;
    if (key->public_len == 32 && !(rules & SPV__KEY_XONLY))
        return spv__cursor_fail(c, SPV_MALFORMED,
                                "a key of 32 bytes can stand only in tr()");
    if (key->public_len == 65 && rules & SPV__KEY_COMPRESSED)
        return spv__cursor_fail(c, SPV_MALFORMED,
                                "an uncompressed key cannot be used in segwit "
                                "scripts");
    return SPV_OK;
}

static spv_err parse_key(spv_key_expr *key, spv_cursor *c, unsigned rules,
                         const spv_network *network)
{
    size_t len = span(c, "/,)");
    spv_err err = SPV_OK;

    if (len == 0)
        return spv__cursor_fail(c, SPV_MALFORMED, "a key is missing here");
    if (memchr(c->at, '(', len))
        return spv__cursor_fail(c, SPV_MALFORMED,
                                "a key must stand here, not a script");
    if (is_hex_len(len))
        err = parse_hex(key, c, len);
    else if (is_wif(c->at, len))
        err = parse_wif(key, c, len, network);
    else
        err = parse_extended(key, c, len, rules, network);
    if (err == SPV_OK)
        err = check_rules(key, c, rules);
    if (err == SPV_OK)
        c->at += len;
    return err;
}

static spv_err parse(spv_key_expr *key, spv_cursor *c, unsigned rules,
                     const spv_network *network)
{
    const char *start = c->at;
    spv_err err = parse_origin(key, c);

    if (err == SPV_OK)
        err = parse_key(key, c, rules, network);
    if (err == SPV_OK && key->extended)
        err = parse_path(key, c);
    if (err != SPV_OK)
        return err;
    if (c->at < c->end && *c->at != ',' && *c->at != ')')
        return spv__cursor_fail(c, SPV_MALFORMED, "%s",
                                key->extended
                                    ? "the path of this key is wrong here"
                                    : "nothing may follow a single key");
    if (key->extended && !key->root.has_secret && asks_for_hardened(key)) {
        c->at = start;
        return spv__cursor_fail(c, SPV_MALFORMED,
                                "hardened steps need the private key; give "
                                "the public key that stands below them");
    }
    return SPV_OK;
}

spv_err spv__key_expr_parse(spv_key_expr *out, spv_cursor *c, unsigned rules,
                            const spv_network *network)
{
    spv_err err = SPV_OK;

    *out = (spv_key_expr){0};
    err = parse(out, c, rules, network);
    if (err != SPV_OK)
        spv__key_expr_clear(out);
    return err;
}

spv_err spv__key_expr_select(spv_key_expr *key, size_t branch)
{
    if (!key->extended)
        return SPV_OK;
    if (key->n_tuple)
        key->path.step[key->tuple_at] = key->tuple[branch];
    key->parent = key->root;
    return spv__hd_descend(&key->parent, key->path.step, key->path.n);
}

static uint32_t child_number(const spv_key_expr *key, uint32_t index)
{
    return key->wildcard == SPV_WILDCARD_HARDENED ? index | SPV__HARDENED
                                                  : index;
}

spv_err spv__key_expr_public(uint8_t out[65], size_t *len,
                             const spv_key_expr *key, uint32_t index)
{
    spv_hd child;
    spv_err err = SPV_OK;

    *len = key->extended ? 33 : key->public_len;
    if (!key->extended) {
        memcpy(out, key->public, key->public_len);
        return SPV_OK;
    }
    switch (key->wildcard) {
    case SPV_WILDCARD_NONE:
        memcpy(out, key->parent.public, 33);
        break;
    case SPV_WILDCARD_NORMAL:
        err = spv__hd_child_public(out, &key->parent, index);
        break;
    case SPV_WILDCARD_HARDENED:
        err = spv__hd_child(&child, &key->parent, child_number(key, index));
        memcpy(out, child.public, 33);
        spv__hd_clear(&child);
        break;
    }
    return err;
}

spv_err spv__key_expr_private(uint8_t out[32], const spv_key_expr *key,
                              uint32_t index)
{
    spv_hd child;
    spv_err err = SPV_OK;

    if (!spv__key_expr_has_private(key))
        return SPV_NOT_FOUND;
    if (!key->extended) {
        memcpy(out, key->secret.secret, 32);
        return SPV_OK;
    }
    child = key->parent;
    if (key->wildcard != SPV_WILDCARD_NONE)
        err = spv__hd_child(&child, &child, child_number(key, index));
    memcpy(out, child.secret, 32);
    spv__hd_clear(&child);
    return err;
}
