#ifndef SPV_NETWORK_H
#define SPV_NETWORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <spv/hash.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The five networks, in the order of the table behind spv_network_get. */
typedef enum spv_chain {
    SPV_MAIN,
    SPV_TESTNET3,
    SPV_TESTNET4,
    SPV_SIGNET,
    SPV_REGTEST
} spv_chain;

#define SPV_CHAIN_COUNT 5

/** What differs between networks. All of it is static and constant. */
typedef struct spv_network {
    spv_chain chain;
    const char *name;    /**< "main", "testnet3", ... as in --chain */
    uint8_t magic[4];    /**< first bytes of every frame */
    uint16_t port;       /**< default P2P port */
    uint8_t genesis[80]; /**< header of block 0 */
    spv_hash genesis_hash;
    uint32_t pow_limit_bits; /**< easiest target, compact form */
    bool min_difficulty;     /**< 20-minute blocks allowed (testnet3/4) */
    bool no_retarget;        /**< regtest: bits never change */
    bool bip94;              /**< testnet4's retarget base and time-warp rule */
    const char *hrp;         /**< bech32 prefix of segwit addresses */
    uint8_t p2pkh;           /**< base58 version bytes */
    uint8_t p2sh;
    uint8_t wif;
    uint8_t xpub[4]; /**< BIP 32 version bytes */
    uint8_t xprv[4];
    uint32_t coin_type; /**< BIP 44: 0 on main, 1 elsewhere */
    int32_t coinbase_maturity;
} spv_network;

/** The parameters of `chain`; never NULL, static. */
SPV_API const spv_network *spv_network_get(spv_chain chain);

/**
 * The network called `name` ("main" and "mainnet", "testnet3" and "test",
 * "testnet4", "signet", "regtest"); NULL when there is none.
 */
SPV_API const spv_network *spv_network_find(const char *name);

#ifdef __cplusplus
}
#endif

#endif
