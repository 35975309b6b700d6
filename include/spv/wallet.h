#ifndef SPV_WALLET_H
#define SPV_WALLET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <spv/address.h>
#include <spv/hash.h>
#include <spv/tx.h>

/*
 * What a wallet shows: plain values, amounts in satoshi, heights -1 where
 * there is none.
 */

#ifdef __cplusplus
extern "C" {
#endif

/** No height: unconfirmed, unknown. */
#define SPV_NO_HEIGHT (-1)

/** A fee that cannot be known, since not all inputs are the wallet's. */
#define SPV_NO_FEE INT64_MIN

typedef struct spv_balance {
    int64_t confirmed;   /**< spendable coins in blocks */
    int64_t unconfirmed; /**< net change of transactions not in a block */
    int64_t immature;    /**< coinbase under the network's maturity */
    int64_t total;       /**< the sum of the three */
} spv_balance;

/** An unspent output of the wallet's. `script` is borrowed from the wallet. */
typedef struct spv_coin {
    spv_outpoint outpoint;
    int64_t amount;
    int32_t height;
    bool coinbase;
    bool spendable; /**< in a block and mature */
    const uint8_t *script;
    size_t script_len;
} spv_coin;

typedef enum spv_tx_state {
    SPV_TX_CONFIRMED,
    SPV_TX_UNCONFIRMED,
    SPV_TX_REPLACED,   /**< an unconfirmed one took its place */
    SPV_TX_CONFLICTED, /**< a block spent its inputs otherwise */
    SPV_TX_ABANDONED
} spv_tx_state;

/** "confirmed", "unconfirmed", ...: static. */
SPV_API const char *spv_tx_state_name(spv_tx_state state);

/** A transaction of the wallet's. Pointers are borrowed from the wallet. */
typedef struct spv_wallet_tx {
    spv_hash txid;
    int32_t height;
    spv_hash block_hash; /**< zero when unconfirmed */
    int64_t block_time;  /**< Unix seconds; 0 when unconfirmed */
    int64_t net;         /**< what it changed for the wallet */
    int64_t fee;         /**< SPV_NO_FEE when unknown */
    spv_tx_state state;
    uint32_t seen_by; /**< peers that announced it, in the present or last run,
                           while it was unconfirmed */
    const uint8_t *bytes;
    size_t len;
} spv_wallet_tx;

/** An address that the wallet handed out or watches. */
typedef struct spv_wallet_address {
    char address[SPV_ADDRESS_TEXT]; /**< empty: the script has none */
    size_t descriptor;              /**< which of the wallet's descriptors */
    uint32_t index;
    bool change;
    bool used; /**< some transaction paid it */
} spv_wallet_address;

#ifdef __cplusplus
}
#endif

#endif
