#include "wallet/descriptor.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <spv/address.h>

#include "base/hex.h"
#include "wallet/descriptor_parts.h"
#include "wallet/text_error.h"

/** Where a function may stand; joined with '|'. */
typedef enum place { TOP = 1, IN_SH = 2, IN_WSH = 4 } place;

typedef spv_err parse_arguments(spv_descriptor *d, spv_cursor *c);

static parse_arguments parse_key, parse_multi, parse_address, parse_raw;

/** The innermost functions. Those that wrap one are in parse_script. */
static const struct function {
    const char *name;
    unsigned places;
    parse_arguments *parse;
} functions[] = {
    [SPV_LEAF_PK] = {"pk", TOP | IN_SH | IN_WSH, parse_key},
    [SPV_LEAF_PKH] = {"pkh", TOP | IN_SH | IN_WSH, parse_key},
    [SPV_LEAF_WPKH] = {"wpkh", TOP | IN_SH, parse_key},
    [SPV_LEAF_TR] = {"tr", TOP, parse_key},
    [SPV_LEAF_MULTI] = {"multi", TOP | IN_SH | IN_WSH, parse_multi},
    [SPV_LEAF_SORTEDMULTI] = {"sortedmulti", TOP | IN_SH | IN_WSH, parse_multi},
    [SPV_LEAF_ADDR] = {"addr", TOP, parse_address},
    [SPV_LEAF_RAW] = {"raw", TOP, parse_raw},
};

#define N_FUNCTIONS (sizeof(functions) / sizeof(functions[0]))

void spv__descriptor_free(spv_descriptor *d)
{
    if (!d)
        return;
    for (size_t i = 0; i < d->n_keys; i++)
        spv__key_expr_clear(&d->key[i]);
    free(d->key);
    free(d->argument);
    free(d);
}

void spv__descriptors_clear(spv_descriptors *list)
{
    for (size_t i = 0; i < list->n; i++)
        spv__descriptor_free(list->item[i]);
    free(list->item);
    *list = (spv_descriptors){0};
}

static unsigned key_rules(const spv_descriptor *d)
{
    if (d->leaf == SPV_LEAF_TR)
        return SPV__KEY_COMPRESSED | SPV__KEY_XONLY;
    if (d->leaf == SPV_LEAF_WPKH || d->wrap == SPV_WRAP_WSH ||
        d->wrap == SPV_WRAP_SH_WSH)
        return SPV__KEY_COMPRESSED;
    return 0;
}

static spv_err add_key(spv_descriptor *d, spv_cursor *c)
{
    spv_err err = SPV_OK;

    if (d->n_keys == SPV__MULTI_MAX)
        return spv__cursor_fail(c, SPV_LIMIT,
                                "a multisig script has at most %d keys",
                                SPV__MULTI_MAX);
    err = spv__key_expr_parse(&d->key[d->n_keys], c, key_rules(d), d->network);
    if (err == SPV_OK)
        d->n_keys++;
    return err;
}

/* Keys do not move: a copy left behind would keep its secret. */
static spv_err make_room_for_keys(spv_descriptor *d, size_t n)
{
    d->key = calloc(n, sizeof(*d->key));
    return d->key ? SPV_OK : SPV_NOMEM;
}

static spv_err parse_key(spv_descriptor *d, spv_cursor *c)
{
    spv_err err = make_room_for_keys(d, 1);

    if (err == SPV_OK)
        err = add_key(d, c);
    if (err == SPV_OK && d->leaf == SPV_LEAF_TR && c->at < c->end &&
        *c->at == ',')
        return spv__cursor_fail(c, SPV_UNSUPPORTED,
                                "tr() with scripts is not supported, only "
                                "tr(KEY)");
    return err;
}

static spv_err parse_threshold(spv_descriptor *d, spv_cursor *c)
{
    const char *start = c->at;

    while (c->at < c->end && *c->at >= '0' && *c->at <= '9' &&
           d->threshold <= SPV__MULTI_MAX)
        d->threshold = d->threshold * 10 + (uint32_t)(*c->at++ - '0');
    if (c->at > start && d->threshold >= 1 && d->threshold <= SPV__MULTI_MAX)
        return SPV_OK;
    c->at = start;
    return spv__cursor_fail(c, SPV_MALFORMED,
                            "the number of signatures must stand here, from 1 "
                            "to %d",
                            SPV__MULTI_MAX);
}

static spv_err check_multi(const spv_descriptor *d, spv_cursor *c)
{
    spv_script_text script;
    spv_err err = SPV_OK;

    if (d->threshold > d->n_keys)
        return spv__cursor_fail(c, SPV_MALFORMED,
                                "%lu signatures are asked of %zu keys",
                                (unsigned long)d->threshold, d->n_keys);
    if (d->wrap == SPV_WRAP_NONE && d->n_keys > 3)
        return spv__cursor_fail(c, SPV_LIMIT,
                                "a bare multisig script has at most 3 keys");
    if (d->wrap != SPV_WRAP_SH)
        return SPV_OK;
    for (size_t i = 0; i < d->n_keys && err == SPV_OK; i++)
        err = spv__key_expr_select(&d->key[i], 0);
    if (err == SPV_OK)
        err = spv__descriptor_leaf_script(&script, d, 0);
    if (err == SPV_OK && script.len > SPV__DERIVED_SCRIPT_MAX)
        return spv__cursor_fail(c, SPV_LIMIT,
                                "the script in sh() would have %zu bytes; 520 "
                                "are allowed",
                                script.len);
    return err;
}

static spv_err parse_multi(spv_descriptor *d, spv_cursor *c)
{
    spv_err err = make_room_for_keys(d, SPV__MULTI_MAX);

    if (err == SPV_OK)
        err = parse_threshold(d, c);
    if (err == SPV_OK && (c->at == c->end || *c->at != ','))
        return spv__cursor_fail(c, SPV_MALFORMED, "a key must follow here");
    while (err == SPV_OK && spv__cursor_take(c, ','))
        err = add_key(d, c);
    return err == SPV_OK ? check_multi(d, c) : err;
}

/* Keep the text up to the closing parenthesis as it stands. */
static spv_err take_argument(spv_descriptor *d, spv_cursor *c)
{
    const char *start = c->at;
    size_t len = 0;

    while (start + len < c->end && start[len] != ')')
        len++;
    d->argument = malloc(len + 1);
    if (!d->argument)
        return SPV_NOMEM;
    memcpy(d->argument, start, len);
    d->argument[len] = '\0';
    return SPV_OK;
}

static spv_err parse_address(spv_descriptor *d, spv_cursor *c)
{
    spv_err err = take_argument(d, c);

    if (err == SPV_OK)
        err = spv_address_parse(d->script, &d->script_len, d->argument,
                                d->network);
    if (err == SPV_NOMEM)
        return err;
    if (err == SPV_NETWORK)
        return spv__cursor_fail(c, err,
                                "this address is of another network than %s",
                                d->network->name);
    if (err == SPV_CHECKSUM)
        return spv__cursor_fail(c, err,
                                "this address has a typing error: its checksum "
                                "does not match");
    if (err != SPV_OK)
        return spv__cursor_fail(c, err, "this is not an address");
    c->at += strlen(d->argument);
    return SPV_OK;
}

static spv_err parse_raw(spv_descriptor *d, spv_cursor *c)
{
    spv_err err = take_argument(d, c);
    size_t len = err == SPV_OK ? strlen(d->argument) : 0;

    if (err != SPV_OK)
        return err;
    if (len == 0 || len > 2 * sizeof(d->script))
        return spv__cursor_fail(c, SPV_LIMIT,
                                "a raw script has from 1 to %zu bytes",
                                sizeof(d->script));
    if (spv__hex_parse_to(d->script, d->argument, len) != SPV_OK)
        return spv__cursor_fail(c, SPV_MALFORMED,
                                "a raw script is an even number of hex digits");
    d->script_len = len / 2;
    c->at += len;
    return SPV_OK;
}

/* Step over "name(" if that is next. */
static bool take_function(spv_cursor *c, const char *name)
{
    size_t len = strlen(name);

    if ((size_t)(c->end - c->at) <= len || memcmp(c->at, name, len) != 0 ||
        c->at[len] != '(')
        return false;
    c->at += len + 1;
    return true;
}

static unsigned place_of(const spv_descriptor *d)
{
    static const unsigned places[] = {
        [SPV_WRAP_NONE] = TOP,
        [SPV_WRAP_SH] = IN_SH,
        [SPV_WRAP_WSH] = IN_WSH,
        [SPV_WRAP_SH_WSH] = IN_WSH,
    };

    return places[d->wrap];
}

/* Functions of the language that this program does not know yet. */
static bool is_of_the_language(const char *at, size_t len)
{
    static const char *const others[] = {"combo", "musig", "multi_a",
                                         "sortedmulti_a", "rawtr"};

    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (strlen(others[i]) == len && memcmp(at, others[i], len) == 0)
            return true;
    return false;
}

static spv_err fail_at_function(spv_cursor *c)
{
    const char *start = c->at;
    size_t len = 0;

    while (c->at + len < c->end && !strchr("(),[]/#", c->at[len]))
        len++;
    if (take_function(c, "sh") || take_function(c, "wsh")) {
        c->at = start;
        return spv__cursor_fail(c, SPV_MALFORMED, "%.*s() cannot stand here",
                                (int)len, start);
    }
    if (c->at + len == c->end || c->at[len] != '(' || len > 20)
        return spv__cursor_fail(c, SPV_MALFORMED,
                                "a script such as wpkh(...) must stand here");
    if (is_of_the_language(c->at, len))
        return spv__cursor_fail(c, SPV_UNSUPPORTED, "%.*s() is not supported",
                                (int)len, c->at);
    return spv__cursor_fail(c, SPV_MALFORMED, "there is no function %.*s()",
                            (int)len, c->at);
}

static spv_err parse_leaf(spv_descriptor *d, spv_cursor *c)
{
    const char *start = c->at;

    for (size_t i = 0; i < N_FUNCTIONS; i++) {
        if (!take_function(c, functions[i].name))
            continue;
        d->leaf = (spv_leaf)i;
        if (functions[i].places & place_of(d))
            return functions[i].parse(d, c);
        c->at = start;
        return spv__cursor_fail(c, SPV_MALFORMED, "%s() cannot stand in %s()",
                                functions[i].name,
                                place_of(d) == IN_SH ? "sh" : "wsh");
    }
    return fail_at_function(c);
}

static spv_err parse_script(spv_descriptor *d, spv_cursor *c)
{
    int open = 1;
    spv_err err = SPV_OK;

    if (take_function(c, "sh"))
        d->wrap = SPV_WRAP_SH;
    if (take_function(c, "wsh"))
        d->wrap = d->wrap == SPV_WRAP_SH ? SPV_WRAP_SH_WSH : SPV_WRAP_WSH;
    if (d->wrap != SPV_WRAP_NONE)
        open += d->wrap == SPV_WRAP_SH_WSH ? 2 : 1;
    err = parse_leaf(d, c);
    for (int i = 0; i < open && err == SPV_OK; i++)
        if (!spv__cursor_take(c, ')'))
            err = spv__cursor_fail(c, SPV_MALFORMED, "a ')' is missing here");
    if (err == SPV_OK && c->at != c->end)
        err = spv__cursor_fail(c, SPV_MALFORMED,
                               "nothing may follow the descriptor");
    return err;
}

/* What the purpose in a key's origin says of its scripts: BIP 43. */
static spv_hd_kind kind_of(const spv_key_expr *key, bool *is_taproot)
{
    uint32_t purpose = key->origin.n ? key->origin.step[0] : 0;

    *is_taproot = purpose == (86 | SPV__HARDENED);
    if (purpose == (49 | SPV__HARDENED))
        return SPV_HD_SH_WPKH;
    return purpose == (84 | SPV__HARDENED) ? SPV_HD_WPKH : key->kind;
}

/* A bare extended key stands for the usual account below it: paths 0 for
 * receiving, 1 for change. */
static spv_err parse_bare_key(spv_descriptor *d, spv_cursor *c)
{
    spv_err err = make_room_for_keys(d, 1);
    spv_key_expr *key = d->key;
    bool is_taproot = false;

    if (err == SPV_OK)
        err = spv__key_expr_parse(key, c, SPV__KEY_SLIP132, d->network);
    if (err != SPV_OK)
        return err;
    d->n_keys = 1;
    if (!key->extended || key->path.n || key->wildcard || c->at != c->end)
        return spv__text_fail(c->error, SPV_MALFORMED, 0,
                              "a key with a path needs its script around it, "
                              "such as wpkh(KEY/0/*)");
    key->tuple[1] = 1;
    key->n_tuple = 2;
    key->path.n = 1;
    key->wildcard = SPV_WILDCARD_NORMAL;
    d->leaf = SPV_LEAF_PKH;
    if (kind_of(key, &is_taproot) != SPV_HD_PLAIN)
        d->leaf = SPV_LEAF_WPKH;
    if (is_taproot)
        d->leaf = SPV_LEAF_TR;
    if (kind_of(key, &is_taproot) == SPV_HD_SH_WPKH)
        d->wrap = SPV_WRAP_SH;
    return SPV_OK;
}

static bool looks_like_a_key(const spv_cursor *c)
{
    size_t len = (size_t)(c->end - c->at);

    return len > 4 && (*c->at == '[' || memcmp(c->at + 1, "pub", 3) == 0 ||
                       memcmp(c->at + 1, "prv", 3) == 0);
}

/* What people paste instead of a descriptor. */
static spv_err parse_shorthand(spv_descriptor *d, spv_cursor *c)
{
    if (looks_like_a_key(c))
        return parse_bare_key(d, c);
    d->leaf = SPV_LEAF_ADDR;
    return parse_address(d, c);
}

/* How many descriptors the tuples make: all must have the same length. */
static spv_err count_branches(size_t *n, const spv_descriptor *d, spv_cursor *c)
{
    *n = 1;
    for (size_t i = 0; i < d->n_keys; i++) {
        size_t mine = d->key[i].n_tuple;

        if (mine && *n > 1 && mine != *n)
            return spv__text_fail(c->error, SPV_MALFORMED, d->key[i].tuple_text,
                                  "every <...> must hold the same number of "
                                  "paths");
        if (mine)
            *n = mine;
    }
    return SPV_OK;
}

static spv_descriptor *copy(const spv_descriptor *d)
{
    spv_descriptor *made = malloc(sizeof(*made));
    size_t size = d->n_keys * sizeof(*d->key);

    if (!made)
        return NULL;
    *made = *d;
    made->argument = NULL; /* only what has keys has branches */
    made->key = malloc(size);
    if (!made->key) {
        free(made);
        return NULL;
    }
    memcpy(made->key, d->key, size);
    return made;
}

static spv_err select_branch(spv_descriptor *d, size_t branch)
{
    spv_err err = SPV_OK;

    d->branch = branch;
    for (size_t i = 0; i < d->n_keys && err == SPV_OK; i++)
        err = spv__key_expr_select(&d->key[i], branch);
    return err;
}

/* `first` becomes the list's, whatever the outcome. */
static spv_err expand(spv_descriptors *out, spv_descriptor *first, size_t n)
{
    spv_err err = SPV_OK;

    out->item = calloc(n, sizeof(spv_descriptor *));
    if (!out->item) {
        spv__descriptor_free(first);
        return SPV_NOMEM;
    }
    out->item[0] = first;
    out->n = n;
    for (size_t i = 0; i < n && err == SPV_OK; i++) {
        if (i)
            out->item[i] = copy(first);
        err = out->item[i] ? select_branch(out->item[i], i) : SPV_NOMEM;
    }
    return err;
}

/* "#" and eight characters, if there is a '#'; takes them off the end. */
static spv_err check_checksum(spv_cursor *c)
{
    const char *hash = memchr(c->start, '#', (size_t)(c->end - c->start));
    const char *end = hash ? hash : c->end;
    char right[SPV_DESCRIPTOR_CHECKSUM];
    size_t at = 0;

    if (spv__descriptor_checksum(right, c->start, (size_t)(end - c->start),
                                 &at) != SPV_OK)
        return spv__text_fail(c->error, SPV_MALFORMED, at,
                              "this character cannot stand in a descriptor");
    if (!hash)
        return SPV_OK;
    if (c->end - hash != SPV_DESCRIPTOR_CHECKSUM)
        return spv__text_fail(c->error, SPV_CHECKSUM, (size_t)(hash - c->start),
                              "a checksum is '#' and 8 characters");
    if (memcmp(hash + 1, right, 8) != 0)
        return spv__text_fail(c->error, SPV_CHECKSUM,
                              (size_t)(hash + 1 - c->start),
                              "the checksum does not match: there is a typing "
                              "error somewhere in the descriptor");
    c->end = hash;
    return SPV_OK;
}

static spv_err parse_whole(spv_descriptors *out, spv_cursor *c,
                           const spv_network *network)
{
    spv_descriptor *d = calloc(1, sizeof(*d));
    size_t n = 1;
    spv_err err = d ? SPV_OK : SPV_NOMEM;

    if (err != SPV_OK)
        return err;
    d->network = network;
    err = check_checksum(c);
    if (err == SPV_OK)
        err = memchr(c->at, '(', (size_t)(c->end - c->at))
                  ? parse_script(d, c)
                  : parse_shorthand(d, c);
    if (err == SPV_OK)
        err = count_branches(&n, d, c);
    if (err == SPV_OK)
        return expand(out, d, n);
    spv__descriptor_free(d);
    return err;
}

/* Say something of failures that have no place in the text. */
static spv_err finish(spv_err err, spv_text_error *error)
{
    if (err != SPV_OK && error && error->code == SPV_OK)
        return spv__text_fail(error, err, 0, "%s", spv_err_text(err));
    return err;
}

spv_err spv__descriptors_parse(spv_descriptors *out, const char *text,
                               const spv_network *network,
                               spv_text_error *error)
{
    size_t len = strlen(text);
    spv_cursor c = {
        .start = text, .at = text, .end = text + len, .error = error};
    spv_err err = SPV_OK;

    *out = (spv_descriptors){0};
    if (error)
        *error = (spv_text_error){.code = SPV_OK};
    if (len > SPV_DESCRIPTOR_TEXT_MAX)
        return spv__text_fail(error, SPV_LIMIT, SPV_DESCRIPTOR_TEXT_MAX,
                              "a descriptor has at most %d characters",
                              SPV_DESCRIPTOR_TEXT_MAX);
    err = parse_whole(out, &c, network);
    if (err != SPV_OK)
        spv__descriptors_clear(out);
    return finish(err, error);
}

spv_err spv__descriptor_parse(spv_descriptor **out, const char *text,
                              const spv_network *network, spv_text_error *error)
{
    spv_descriptors list;
    spv_err err = spv__descriptors_parse(&list, text, network, error);

    *out = NULL;
    if (err == SPV_OK && list.n != 1)
        err =
            spv__text_fail(error, SPV_MALFORMED, 0,
                           "this descriptor stands for %zu; give one", list.n);
    if (err == SPV_OK) {
        assert(list.item);
        *out = list.item[0];
        list.item[0] = NULL;
    }
    spv__descriptors_clear(&list);
    return err;
}

bool spv__descriptor_is_ranged(const spv_descriptor *d)
{
    for (size_t i = 0; i < d->n_keys; i++)
        if (d->key[i].wildcard != SPV_WILDCARD_NONE)
            return true;
    return false;
}

bool spv__descriptor_has_private(const spv_descriptor *d)
{
    for (size_t i = 0; i < d->n_keys; i++)
        if (spv__key_expr_has_private(&d->key[i]))
            return true;
    return false;
}

size_t spv__descriptor_branch(const spv_descriptor *d)
{
    return d->branch;
}

size_t spv__descriptor_key_count(const spv_descriptor *d)
{
    return d->n_keys;
}

spv_err spv__descriptor_private_key(const spv_descriptor *d, size_t i,
                                    uint32_t index, uint8_t out[32])
{
    if (i >= d->n_keys || index & SPV__HARDENED)
        return SPV_INVAL;
    return spv__key_expr_private(out, &d->key[i], index);
}
