#ifndef SPV_DESCRIPTOR_H
#define SPV_DESCRIPTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <spv/err.h>
#include <spv/network.h>
#include <spv/text_error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Length of a descriptor's checksum with its zero. */
#define SPV_DESCRIPTOR_CHECKSUM 9

/** Longest descriptor text that is read. */
#define SPV_DESCRIPTOR_TEXT_MAX 8192

/** Longest output script that a descriptor gives. */
#define SPV_DESCRIPTOR_SCRIPT_MAX 520

/** What a descriptor says of itself. */
typedef struct spv_descriptor_info {
    char checksum[SPV_DESCRIPTOR_CHECKSUM]; /**< of the text, without its '#' */
    bool has_checksum;                      /**< the text carried it */
    bool ranged;                            /**< ends in an asterisk */
    bool has_private;                       /**< holds a private key */
    size_t branches; /**< 1, or the number of paths in <0;1>, BIP 389 */
} spv_descriptor_info;

/**
 * Check an output descriptor (BIP 380 to 386, 389) of `network`.
 *
 * `text` may also be a bare extended public key (xpub, ypub, zpub and their
 * testnet forms) or an address, which stand for the descriptors that
 * spv_descriptor_expand writes. On failure `error` (may be NULL) says what is
 * wrong and where, and its code is returned: SPV_MALFORMED, SPV_CHECKSUM,
 * SPV_NETWORK, SPV_LIMIT, SPV_UNSUPPORTED, SPV_NOMEM.
 */
SPV_API SPV_MUST_USE spv_err spv_descriptor_inspect(spv_descriptor_info *info,
                                                    const char *text,
                                                    const spv_network *network,
                                                    spv_text_error *error);

/**
 * The descriptor that `text` stands for, public and with its checksum.
 *
 * Private keys become public ones. `out` takes `cap` bytes with the zero;
 * SPV_LIMIT when it does not fit. Other errors as spv_descriptor_inspect.
 */
SPV_API SPV_MUST_USE spv_err spv_descriptor_expand(char *out, size_t cap,
                                                   const char *text,
                                                   const spv_network *network,
                                                   spv_text_error *error);

/**
 * Output script at `index` of path `branch` (from 0) of a descriptor.
 *
 * `script` takes `cap` bytes (SPV_DESCRIPTOR_SCRIPT_MAX is always enough), its
 * length goes to `len`; SPV_LIMIT when it does not fit. SPV_INVAL when `branch`
 * or `index` (2^31 - 1) is out of range; other errors as
 * spv_descriptor_inspect.
 */
SPV_API SPV_MUST_USE spv_err spv_descriptor_script(
    uint8_t *script, size_t cap, size_t *len, const char *text, size_t branch,
    uint32_t index, const spv_network *network, spv_text_error *error);

#ifdef __cplusplus
}
#endif

#endif
