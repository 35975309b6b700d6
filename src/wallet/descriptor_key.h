#ifndef SPV_WALLET_DESCRIPTOR_KEY_H
#define SPV_WALLET_DESCRIPTOR_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <spv/network.h>
#include <spv/text_error.h>

#include "base/buf.h"
#include "wallet/hd.h"
#include "wallet/key.h"

/*
 * Key expressions: the KEY of BIP 380, with the tuples of BIP 389.
 */

/** Where in the text the parser is, and where it reports to. */
typedef struct spv_cursor {
    const char *start;
    const char *at;
    const char *end;
    spv_text_error *error; /**< may be NULL */
} spv_cursor;

/** Most paths in a <0;1;...>. */
#define SPV__TUPLE_MAX 16

/** What the scripts around a key allow it to be; joined with '|'. */
typedef enum spv_key_rule {
    SPV__KEY_COMPRESSED = 1, /**< no uncompressed keys (segwit) */
    SPV__KEY_XONLY = 2,      /**< 32-byte keys as well (taproot) */
    SPV__KEY_SLIP132 = 4     /**< ypub and zpub as well (shorthand) */
} spv_key_rule;

typedef enum spv_wildcard {
    SPV_WILDCARD_NONE,
    SPV_WILDCARD_NORMAL,  /**< ends in an asterisk */
    SPV_WILDCARD_HARDENED /**< ends in an asterisk and h */
} spv_wildcard;

/** A plain value: copies are independent. Clear each after use. */
typedef struct spv_key_expr {
    bool has_origin;
    uint8_t fingerprint[4];
    spv_path origin;

    bool extended;
    /* A single key: hex, or WIF when it has a secret. */
    bool has_secret;
    spv_key secret;
    uint8_t public[65];
    size_t public_len; /**< 32, 33 or 65 */
    /* An extended key and what follows it. */
    spv_hd root;
    spv_hd_kind kind; /**< plain, but for SPV__KEY_SLIP132 */
    spv_path path;    /**< with the branch chosen */
    uint32_t tuple[SPV__TUPLE_MAX];
    size_t n_tuple;    /**< 0 without <0;1> */
    size_t tuple_at;   /**< which step of the path it is */
    size_t tuple_text; /**< where its '<' is in the text */
    spv_wildcard wildcard;
    spv_hd parent; /**< root, brought down the path */
} spv_key_expr;

/** Read the key expression at the cursor, up to a ',', a ')' or the end. */
spv_err spv__key_expr_parse(spv_key_expr *out, spv_cursor *c, unsigned rules,
                            const spv_network *network);

/** Choose number `branch` of the tuple, if there is one, and derive up to
 * the wildcard. */
spv_err spv__key_expr_select(spv_key_expr *key, size_t branch);

/** Append the text: public (normalised) or private, see descriptor.h. */
spv_err spv__key_expr_format(spv_buf *out, const spv_key_expr *key,
                             unsigned format, const spv_network *network);

/** Public key at `index`; 32, 33 or 65 bytes. */
spv_err spv__key_expr_public(uint8_t out[65], size_t *len,
                             const spv_key_expr *key, uint32_t index);

/** Private key at `index`, or SPV_NOT_FOUND. */
spv_err spv__key_expr_private(uint8_t out[32], const spv_key_expr *key,
                              uint32_t index);

bool spv__key_expr_has_private(const spv_key_expr *key);

void spv__key_expr_clear(spv_key_expr *key);

/** Fail at the cursor; the sentence as spv__text_fail. */
__attribute__((format(printf, 3, 4))) spv_err spv__cursor_fail(
    spv_cursor *c, spv_err code, const char *format, ...);

/** Step over `ch` if it is next. */
bool spv__cursor_take(spv_cursor *c, char ch);

#endif
