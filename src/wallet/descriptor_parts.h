#ifndef SPV_WALLET_DESCRIPTOR_PARTS_H
#define SPV_WALLET_DESCRIPTOR_PARTS_H

#include "wallet/descriptor.h"
#include "wallet/descriptor_key.h"

/*
 * The inside of a descriptor, shared by the files that parse it, write it and
 * derive from it. Nobody else includes this.
 */

/** The functions that wrap a script. */
typedef enum spv_wrap {
    SPV_WRAP_NONE,
    SPV_WRAP_SH,
    SPV_WRAP_WSH,
    SPV_WRAP_SH_WSH
} spv_wrap;

/** The innermost function. */
typedef enum spv_leaf {
    SPV_LEAF_PK,
    SPV_LEAF_PKH,
    SPV_LEAF_WPKH,
    SPV_LEAF_TR,
    SPV_LEAF_MULTI,
    SPV_LEAF_SORTEDMULTI,
    SPV_LEAF_ADDR,
    SPV_LEAF_RAW
} spv_leaf;

/** Keys a multi() may have. */
#define SPV__MULTI_MAX 20

struct spv_descriptor {
    const spv_network *network;
    spv_wrap wrap;
    spv_leaf leaf;
    size_t branch;
    uint32_t threshold; /**< of multi and sortedmulti */
    size_t n_keys;
    spv_key_expr *key; /**< owned; n_keys of them */
    char *argument;    /**< of addr and raw, as it stood; owned */
    uint8_t script[SPV__DERIVED_SCRIPT_MAX]; /**< of addr and raw */
    size_t script_len;
};

/** A script under construction: the largest is multi() with 20 keys. */
typedef struct spv_script_text {
    uint8_t bytes[1024];
    size_t len;
} spv_script_text;

/** The innermost script at `index`. */
spv_err spv__descriptor_leaf_script(spv_script_text *out,
                                    const spv_descriptor *d, uint32_t index);

#endif
