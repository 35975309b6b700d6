#ifndef SPV_WALLET_DESCRIPTOR_H
#define SPV_WALLET_DESCRIPTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <spv/descriptor.h>
#include <spv/network.h>

#include "base/buf.h"

/*
 * Output descriptors: which scripts are ours, and how to find the n-th.
 *
 * Known: pk, pkh, wpkh, multi, sortedmulti, each bare or within sh, wsh and
 * sh(wsh) where BIP 381 to 383 allow it; tr(key) (BIP 386); addr and raw (BIP
 * 385). Key expressions follow BIP 380; <0;1> BIP 389.
 *
 * Workload: a wallet parses a few descriptors once and then derives thousands
 * of scripts in index order. Everything before the asterisk is derived at
 * parse time, so each script costs one public child derivation a key.
 */

/** One chain of scripts: a descriptor with its <0;1> decided. Owned. */
typedef struct spv_descriptor spv_descriptor;

/** Largest output script a descriptor gives. */
#define SPV__DERIVED_SCRIPT_MAX SPV_DESCRIPTOR_SCRIPT_MAX

/** Most filter elements a script has: the keys of a bare multisig. */
#define SPV__DERIVED_ELEMENTS_MAX 20

/** A filter element, as a piece of the script that it belongs to. */
typedef struct spv_derived_element {
    uint16_t at;
    uint16_t len;
} spv_derived_element;

/** What a descriptor gives at an index. A plain value: copy it freely. */
typedef struct spv_derived {
    size_t script_len;
    size_t n_elements; /**< 0 when no filter can match the script */
    spv_derived_element element[SPV__DERIVED_ELEMENTS_MAX];
    uint8_t script[SPV__DERIVED_SCRIPT_MAX];
} spv_derived;

/** The descriptors that one text stands for: one for each of <0;1;...>. */
typedef struct spv_descriptors {
    spv_descriptor **item; /**< owned: take one out by setting it to NULL */
    size_t n;
} spv_descriptors;

/** Free a descriptor; its keys are overwritten. NULL is allowed. */
void spv__descriptor_free(spv_descriptor *d);

/** Free what the list still holds and make it empty. */
void spv__descriptors_clear(spv_descriptors *list);

/**
 * Read a descriptor, with or without "#checksum"; `error` may be NULL.
 *
 * The text may also be a bare extended public key or an address. Errors as
 * spv_descriptor_inspect; `out` is then empty.
 */
spv_err spv__descriptors_parse(spv_descriptors *out, const char *text,
                               const spv_network *network,
                               spv_text_error *error);

/** The same for a text without <0;1>: one descriptor, or SPV_MALFORMED. */
spv_err spv__descriptor_parse(spv_descriptor **out, const char *text,
                              const spv_network *network,
                              spv_text_error *error);

/** How to write a descriptor; may be joined with '|'. */
typedef enum spv_descriptor_format {
    SPV__DESCRIPTOR_PUBLIC = 0,      /**< no private key ever, normalised:
                                      * hardened steps move into the origin */
    SPV__DESCRIPTOR_PRIVATE = 1,     /**< private keys as they were given */
    SPV__DESCRIPTOR_MULTIPATH = 2,   /**< with <0;1> as it was given */
    SPV__DESCRIPTOR_NO_CHECKSUM = 4, /**< without '#' and checksum */
} spv_descriptor_format;

/**
 * Append the text of `d`, without a zero.
 *
 * SPV_INVAL when a public form does not exist: hardened steps at the range.
 */
spv_err spv__descriptor_format(spv_buf *out, const spv_descriptor *d,
                               unsigned format);

/** Script and filter elements at `index` (ignored unless ranged).
 *
 * SPV_INVAL over 2^31 - 1; SPV_CRYPTO, once in 2^127, where BIP 32 says that
 * an index has no key: skip it. */
spv_err spv__descriptor_derive(const spv_descriptor *d, uint32_t index,
                               spv_derived *out);

bool spv__descriptor_is_ranged(const spv_descriptor *d);
bool spv__descriptor_has_private(const spv_descriptor *d);

/** Which of <0;1;...> this one is, from 0; by custom 1 is change. */
size_t spv__descriptor_branch(const spv_descriptor *d);

/** "wpkh", "sh(wpkh)", "tr", ...: the functions around the keys. Static. */
const char *spv__descriptor_type(const spv_descriptor *d);

/** How many keys the descriptor names. */
size_t spv__descriptor_key_count(const spv_descriptor *d);

/** Private key of key expression `i` at `index`, SPV_NOT_FOUND when only its
 * public key is known. Cleanse `out` after use. */
spv_err spv__descriptor_private_key(const spv_descriptor *d, size_t i,
                                    uint32_t index, uint8_t out[32]);

/** Append what lies behind the hash at `index`: the redeem script of sh, the
 * witness script of wsh and sh(wsh); nothing for the rest. */
spv_err spv__descriptor_inner_script(const spv_descriptor *d, uint32_t index,
                                     spv_buf *out);

/** BIP 380 checksum of the `len` characters before a '#'; SPV_MALFORMED when
 * one of them is outside its alphabet (its offset goes to `at`, if given). */
spv_err spv__descriptor_checksum(char out[SPV_DESCRIPTOR_CHECKSUM],
                                 const char *text, size_t len, size_t *at);

#endif
