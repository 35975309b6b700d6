#ifndef SPV_ADDRESS_H
#define SPV_ADDRESS_H

#include <stddef.h>
#include <stdint.h>

#include <spv/err.h>
#include <spv/network.h>
#include <spv/script.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Longest address text with its zero: BIP 173's 90 characters. */
#define SPV_ADDRESS_TEXT 91

/**
 * Output script of an address of `network`: base58check P2PKH and P2SH,
 * bech32 (version 0) and bech32m (1 to 16) witness programs, BIP 173 and 350.
 *
 * `script` takes SPV_ADDRESS_SCRIPT_MAX bytes; its length goes to `len`.
 * SPV_NETWORK when the address is right but another network's,
 * SPV_CHECKSUM, SPV_MALFORMED.
 */
SPV_API SPV_MUST_USE spv_err spv_address_parse(uint8_t *script, size_t *len,
                                               const char *text,
                                               const spv_network *network);

/** Address of an output script, or SPV_NOT_FOUND when it has none. */
SPV_API SPV_MUST_USE spv_err spv_address_format(char out[SPV_ADDRESS_TEXT],
                                                const uint8_t *script,
                                                size_t script_len,
                                                const spv_network *network);

#ifdef __cplusplus
}
#endif

#endif
