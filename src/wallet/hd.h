#ifndef SPV_WALLET_HD_H
#define SPV_WALLET_HD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <spv/err.h>
#include <spv/network.h>

#include "wallet/secp.h"

/*
 * Extended keys: BIP 32.
 *
 * Workload: one public child after another of the same parent, thousands of
 * times, so a key keeps its point both parsed and encoded.
 */
typedef struct spv_hd {
    uint8_t depth;
    uint8_t parent[4]; /**< fingerprint of the parent; zeros for a master */
    uint32_t child;    /**< number below the parent, hardened bit included */
    uint8_t chain[32];
    bool has_secret;
    uint8_t secret[32]; /**< zeros unless has_secret */
    uint8_t public[33];
    spv_point point;
} spv_hd;

/** Bit that makes a child number hardened. */
#define SPV__HARDENED UINT32_C(0x80000000)

/** Bytes of an extended key behind its base58check, and its longest text. */
#define SPV__HD_LEN  78
#define SPV__HD_TEXT 113

/** Most steps of a path that are read. */
#define SPV__PATH_MAX 64

/** What the version bytes say of the scripts: SLIP 132. */
typedef enum spv_hd_kind {
    SPV_HD_PLAIN,   /**< xpub, tpub: BIP 32 itself */
    SPV_HD_SH_WPKH, /**< ypub, upub */
    SPV_HD_WPKH     /**< zpub, vpub */
} spv_hd_kind;

/** A path: child numbers from the top, hardened bits included. */
typedef struct spv_path {
    uint32_t step[SPV__PATH_MAX];
    size_t n;
} spv_path;

/** Overwrite a key. */
void spv__hd_clear(spv_hd *key);

/** Master key of a seed of 16 to 64 bytes. SPV_INVAL for another length;
 * SPV_CRYPTO, once in 2^127, when the seed has none. */
spv_err spv__hd_of_seed(spv_hd *out, const uint8_t *seed, size_t len);

/**
 * Child `number` of `parent`: private when the parent is (CKDpriv), else
 * public (CKDpub). `out` may be `parent`.
 *
 * SPV_INVAL for a hardened child of a public key; SPV_LIMIT below depth 255;
 * SPV_CRYPTO, once in 2^127, when there is no such child.
 */
spv_err spv__hd_child(spv_hd *out, const spv_hd *parent, uint32_t number);

/** Go down a path from `key`, in place; on failure `key` is cleared. */
spv_err spv__hd_descend(spv_hd *key, const uint32_t *path, size_t n);

/** Only the public key of an unhardened child: what a range asks for. */
spv_err spv__hd_child_public(uint8_t out[33], const spv_hd *parent,
                             uint32_t number);

/** Forget the private key: N() of BIP 32. */
void spv__hd_neuter(spv_hd *key);

/** First four bytes of the public key's HASH160. */
void spv__hd_fingerprint(uint8_t out[4], const spv_hd *key);

/**
 * Read an extended key's text of any kind; `kind` may be NULL.
 *
 * SPV_CHECKSUM; SPV_NETWORK for a key of another network; SPV_MALFORMED for
 * all that BIP 32's test vector 5 calls invalid.
 */
spv_err spv__hd_parse(spv_hd *out, spv_hd_kind *kind, const char *text,
                      size_t len, const spv_network *network);

/** Write the private or the public text; SPV_INVAL when the private one is
 * asked of a public key. */
spv_err spv__hd_format(char out[SPV__HD_TEXT], const spv_hd *key,
                       spv_hd_kind kind, bool as_private,
                       const spv_network *network);

/** Read "m/44h/0'/7" or the same without "m"; both marks are hardened.
 * SPV_MALFORMED, or SPV_LIMIT for too many steps. */
spv_err spv__path_parse(spv_path *out, const char *text);

#endif
