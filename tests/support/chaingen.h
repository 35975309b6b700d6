#ifndef SUPPORT_CHAINGEN_H
#define SUPPORT_CHAINGEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <spv/hash.h>

#include "support/genwallet.h"

/*
 * Regtest chains from a seed, valid under full consensus.
 *
 * A real node accepts every block: subsidies, BIP 34 heights, witness
 * commitments, maturity and signatures are right. Strangers trade among
 * themselves money that anyone can spend, so their transactions need no
 * signature; one wallet, made from a mnemonic, receives and spends as people
 * do. The generator knows the truth about that wallet (genwallet.h).
 *
 * Equal options give equal chains. With `fork_at` two chains are equal below
 * that height and differ from it on: that is how a reorganisation is made.
 */
typedef struct chaingen_options {
    uint64_t seed;
    int32_t blocks;        /* above the genesis block */
    size_t txs;            /* of strangers, coinbases not counted */
    size_t wallet_txs;     /* 0: no wallet */
    int32_t wallet_blocks; /* that hold them */
    size_t burst;          /* this many payments to fresh addresses in one of
                              those blocks; 0: none */
    bool hasty;            /* the wallet often spends its newest coin whole */
    uint32_t ahead;        /* now and then a payment is to a key up to so many
                              beyond the next one, which fills in later; 0:
                              never */
    genwallet_type type;
    const char *mnemonic; /* BIP 39, no passphrase */
    uint32_t end_time;    /* of the last block, Unix seconds */
    int32_t fork_at;      /* 0: none */
    uint64_t fork_seed;   /* what comes after; 0: the same transactions, as
                             far as they do not rest on new coinbases */
} chaingen_options;

/** A chain to begin from: 300 blocks, 2,000 transactions, 40 of a wallet. */
chaingen_options chaingen_defaults(void);

typedef struct chaingen chaingen;

/** A block; `bytes` are borrowed until the next one is made. */
typedef struct chaingen_block {
    int32_t height;
    spv_hash hash;
    const uint8_t *bytes;
    size_t len;
    size_t n_tx;
} chaingen_block;

/** Owned; `options` are copied, the mnemonic is not kept. */
chaingen *chaingen_new(const chaingen_options *options);
void chaingen_free(chaingen *g);

/** Make the next block; false after the last. */
bool chaingen_next(chaingen *g, chaingen_block *out);

/** The wallet's truth up to the last block made; borrowed. NULL: no wallet. */
genwallet *chaingen_wallet(const chaingen *g);

#endif
