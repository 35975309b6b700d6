#include <spv/network.h>

#include <assert.h>
#include <string.h>

/* Values as they lie on the wire: numbers little-endian, hashes unreversed. */
#define LE32(v)                                      \
    (uint8_t)((v)&0xff), (uint8_t)((v) >> 8 & 0xff), \
        (uint8_t)((v) >> 16 & 0xff), (uint8_t)((v) >> 24 & 0xff)
#define ZERO_HASH                                                              \
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, \
        0, 0, 0, 0, 0, 0, 0

/* "The Times 03/Jan/2009": four networks share the first coinbase. */
#define TIMES_ROOT                                                          \
    0x3b, 0xa3, 0xed, 0xfd, 0x7a, 0x7b, 0x12, 0xb2, 0x7a, 0xc7, 0x2c, 0x3e, \
        0x67, 0x76, 0x8f, 0x61, 0x7f, 0xc8, 0x1b, 0xc3, 0x88, 0x8a, 0x51,   \
        0x32, 0x3a, 0x9f, 0xb8, 0xaa, 0x4b, 0x1e, 0x5e, 0x4a
#define TESTNET4_ROOT                                                       \
    0x4e, 0x7b, 0x2b, 0x91, 0x28, 0xfe, 0x02, 0x91, 0xdb, 0x06, 0x93, 0xaf, \
        0x2a, 0xe4, 0x18, 0xb7, 0x67, 0xe6, 0x57, 0xcd, 0x40, 0x7e, 0x80,   \
        0xcb, 0x14, 0x34, 0x22, 0x1e, 0xae, 0xa7, 0xa0, 0x7a

/* A block 0: version 1, no parent. */
#define GENESIS(root, time, bits, nonce)                               \
    {                                                                  \
        LE32(1u), ZERO_HASH, root, LE32(time), LE32(bits), LE32(nonce) \
    }

/* Everything that only tells real money from test money. */
#define MAIN_KEYS                                                       \
    .p2pkh = 0x00, .p2sh = 0x05, .wif = 0x80,                           \
    .xpub = {0x04, 0x88, 0xb2, 0x1e}, .xprv = {0x04, 0x88, 0xad, 0xe4}, \
    .coin_type = 0
#define TEST_KEYS                                                       \
    .p2pkh = 0x6f, .p2sh = 0xc4, .wif = 0xef,                           \
    .xpub = {0x04, 0x35, 0x87, 0xcf}, .xprv = {0x04, 0x35, 0x83, 0x94}, \
    .coin_type = 1

enum { COINBASE_MATURITY = 100 };

static const spv_network networks[SPV_CHAIN_COUNT] = {
    [SPV_MAIN] =
        {
            .chain = SPV_MAIN,
            .name = "main",
            .magic = {0xf9, 0xbe, 0xb4, 0xd9},
            .port = 8333,
            .genesis =
                GENESIS(TIMES_ROOT, 1231006505u, 0x1d00ffffu, 2083236893u),
            .genesis_hash = {{0x6f, 0xe2, 0x8c, 0x0a, 0xb6, 0xf1, 0xb3, 0x72,
                              0xc1, 0xa6, 0xa2, 0x46, 0xae, 0x63, 0xf7, 0x4f,
                              0x93, 0x1e, 0x83, 0x65, 0xe1, 0x5a, 0x08, 0x9c,
                              0x68, 0xd6, 0x19, 0x00, 0x00, 0x00, 0x00, 0x00}},
            .pow_limit_bits = 0x1d00ffff,
            .hrp = "bc",
            MAIN_KEYS,
            .coinbase_maturity = COINBASE_MATURITY,
        },
    [SPV_TESTNET3] =
        {
            .chain = SPV_TESTNET3,
            .name = "testnet3",
            .magic = {0x0b, 0x11, 0x09, 0x07},
            .port = 18333,
            .genesis =
                GENESIS(TIMES_ROOT, 1296688602u, 0x1d00ffffu, 414098458u),
            .genesis_hash = {{0x43, 0x49, 0x7f, 0xd7, 0xf8, 0x26, 0x95, 0x71,
                              0x08, 0xf4, 0xa3, 0x0f, 0xd9, 0xce, 0xc3, 0xae,
                              0xba, 0x79, 0x97, 0x20, 0x84, 0xe9, 0x0e, 0xad,
                              0x01, 0xea, 0x33, 0x09, 0x00, 0x00, 0x00, 0x00}},
            .pow_limit_bits = 0x1d00ffff,
            .min_difficulty = true,
            .hrp = "tb",
            TEST_KEYS,
            .coinbase_maturity = COINBASE_MATURITY,
        },
    [SPV_TESTNET4] =
        {
            .chain = SPV_TESTNET4,
            .name = "testnet4",
            .magic = {0x1c, 0x16, 0x3f, 0x28},
            .port = 48333,
            .genesis =
                GENESIS(TESTNET4_ROOT, 1714777860u, 0x1d00ffffu, 393743547u),
            .genesis_hash = {{0x43, 0xf0, 0x8b, 0xda, 0xb0, 0x50, 0xe3, 0x5b,
                              0x56, 0x7c, 0x86, 0x4b, 0x91, 0xf4, 0x7f, 0x50,
                              0xae, 0x72, 0x5a, 0xe2, 0xde, 0x53, 0xbc, 0xfb,
                              0xba, 0xf2, 0x84, 0xda, 0x00, 0x00, 0x00, 0x00}},
            .pow_limit_bits = 0x1d00ffff,
            .min_difficulty = true,
            .bip94 = true,
            .hrp = "tb",
            TEST_KEYS,
            .coinbase_maturity = COINBASE_MATURITY,
        },
    [SPV_SIGNET] =
        {
            .chain = SPV_SIGNET,
            .name = "signet",
            .magic = {0x0a, 0x03, 0xcf, 0x40},
            .port = 38333,
            .genesis = GENESIS(TIMES_ROOT, 1598918400u, 0x1e0377aeu, 52613770u),
            .genesis_hash = {{0xf6, 0x1e, 0xee, 0x3b, 0x63, 0xa3, 0x80, 0xa4,
                              0x77, 0xa0, 0x63, 0xaf, 0x32, 0xb2, 0xbb, 0xc9,
                              0x7c, 0x9f, 0xf9, 0xf0, 0x1f, 0x2c, 0x42, 0x25,
                              0xe9, 0x73, 0x98, 0x81, 0x08, 0x00, 0x00, 0x00}},
            .pow_limit_bits = 0x1e0377ae,
            .hrp = "tb",
            TEST_KEYS,
            .coinbase_maturity = COINBASE_MATURITY,
        },
    [SPV_REGTEST] =
        {
            .chain = SPV_REGTEST,
            .name = "regtest",
            .magic = {0xfa, 0xbf, 0xb5, 0xda},
            .port = 18444,
            .genesis = GENESIS(TIMES_ROOT, 1296688602u, 0x207fffffu, 2u),
            .genesis_hash = {{0x06, 0x22, 0x6e, 0x46, 0x11, 0x1a, 0x0b, 0x59,
                              0xca, 0xaf, 0x12, 0x60, 0x43, 0xeb, 0x5b, 0xbf,
                              0x28, 0xc3, 0x4f, 0x3a, 0x5e, 0x33, 0x2a, 0x1f,
                              0xc7, 0xb2, 0xb7, 0x3c, 0xf1, 0x88, 0x91, 0x0f}},
            .pow_limit_bits = 0x207fffff,
            .min_difficulty = true,
            .no_retarget = true,
            .hrp = "bcrt",
            TEST_KEYS,
            .coinbase_maturity = COINBASE_MATURITY,
        },
};

const spv_network *spv_network_get(spv_chain chain)
{
    assert((size_t)chain < SPV_CHAIN_COUNT);
    return &networks[chain];
}

const spv_network *spv_network_find(const char *name)
{
    if (strcmp(name, "mainnet") == 0)
        return &networks[SPV_MAIN];
    if (strcmp(name, "test") == 0)
        return &networks[SPV_TESTNET3];
    for (size_t i = 0; i < SPV_CHAIN_COUNT; i++)
        if (strcmp(name, networks[i].name) == 0)
            return &networks[i];
    return NULL;
}
