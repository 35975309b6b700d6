#ifndef SPV_WALLET_ACCOUNT_H
#define SPV_WALLET_ACCOUNT_H

#include <stdint.h>

#include <spv/network.h>

#include "base/buf.h"
#include "wallet/hd.h"
#include "wallet/mnemonic.h"

/** Kinds of account that a mnemonic can have, each with its BIP. */
typedef enum spv_account_type {
    SPV_ACCOUNT_PKH,     /**< BIP 44 */
    SPV_ACCOUNT_SH_WPKH, /**< BIP 49 */
    SPV_ACCOUNT_WPKH,    /**< BIP 84 */
    SPV_ACCOUNT_TR       /**< BIP 86 */
} spv_account_type;

#define SPV__ACCOUNT_TYPES 4

/** The type called "pkh", "sh-wpkh", "wpkh" or "tr"; SPV_NOT_FOUND. */
spv_err spv__account_type_find(spv_account_type *out, const char *name);

/** Its name, as above. Static. */
const char *spv__account_type_name(spv_account_type type);

/** m / purpose' / coin' / account'. `account` is below 2^31. */
spv_path spv__account_path(spv_account_type type, uint32_t account,
                           const spv_network *network);

/**
 * Append the account's descriptor: its key with its origin, both paths below
 * it (receiving and change), a range, and the checksum.
 *
 * With `as_private` its key is an xprv: keep the text secret. Without, the
 * text holds nothing that spends. SPV_INVAL for an account over 2^31 - 1;
 * SPV_NOMEM; SPV_CRYPTO, once in 2^127, when the seed has no such account.
 */
spv_err spv__account_descriptor(spv_buf *out, const uint8_t seed[SPV__SEED_LEN],
                                spv_account_type type, uint32_t account,
                                bool as_private, const spv_network *network);

#endif
