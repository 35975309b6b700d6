#ifndef SPV_SCRIPT_H
#define SPV_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <spv/err.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Scripts are looked at, never run: an SPV client needs to know to whom an
 * output pays, and leaves its validity to the proof of work above it.
 */

/** The standard output scripts, and SPV_SCRIPT_OTHER for the rest. */
typedef enum spv_script_kind {
    SPV_SCRIPT_OTHER,
    SPV_SCRIPT_P2PK,
    SPV_SCRIPT_P2PKH,
    SPV_SCRIPT_P2SH,
    SPV_SCRIPT_MULTISIG, /**< bare m-of-n */
    SPV_SCRIPT_P2WPKH,
    SPV_SCRIPT_P2WSH,
    SPV_SCRIPT_P2TR,
    SPV_SCRIPT_WITNESS,  /**< witness version 1 to 16, none of the above */
    SPV_SCRIPT_NULLDATA, /**< OP_RETURN and nothing but pushes */
    SPV_SCRIPT_ANCHOR    /**< pay to anchor: version 1, program 4e73 */
} spv_script_kind;

/** Longest output script spv_address_parse makes: OP_n and 40 bytes. */
#define SPV_ADDRESS_SCRIPT_MAX 42

/** One operation of a script; `data` is borrowed, NULL unless a push. */
typedef struct spv_script_op {
    uint8_t opcode;
    const uint8_t *data;
    size_t len;
} spv_script_op;

/**
 * Walk a script: `*at` (start with 0) moves behind the operation read.
 *
 * False at the end, and at a push that runs past it; `*at` is then
 * `script_len + 1` in the second case, so the two can be told apart. An
 * OP_0 is a push of nothing: data is not NULL and len is 0.
 */
SPV_API bool spv_script_next(spv_script_op *op, const uint8_t *script,
                             size_t script_len, size_t *at);

/** Which standard form an output script has, by the node's own rules. */
SPV_API spv_script_kind spv_script_classify(const uint8_t *script,
                                            size_t script_len);

/**
 * "pubkeyhash", "witness_v0_keyhash", ...: the node's word for a kind, as in
 * the RPC's scriptPubKey.type; "nonstandard" for SPV_SCRIPT_OTHER. Static.
 */
SPV_API const char *spv_script_kind_name(spv_script_kind kind);

/**
 * The element a BIP 37 filter needs for payments to a script: a borrowed piece
 * of it (a hash, a witness program, a public key). NULL when there is none.
 * Bare multisig has several: this gives the first, walk the pushes for all.
 */
SPV_API const uint8_t *spv_script_element(const uint8_t *script,
                                          size_t script_len, size_t *len);

#ifdef __cplusplus
}
#endif

#endif
