#ifndef SUPPORT_SIMCHAIN_H
#define SUPPORT_SIMCHAIN_H

#include <stddef.h>
#include <stdint.h>

#include <spv/hash.h>
#include <spv/header.h>

#include "support/chaingen.h"

/*
 * A chain of whole blocks in memory, for scripted nodes to serve from.
 *
 * Several nodes may share one. A reorganisation is a node's change from one
 * chain to another.
 */
typedef struct simblock {
    spv_hash hash;
    int32_t height;
    uint8_t header[SPV_HEADER_LEN];
    uint8_t *bytes; /* the whole block; NULL for the genesis block */
    size_t len;
} simblock;

typedef struct simchain simchain;

/** The genesis block of regtest alone. Owned. */
simchain *simchain_new(void);
void simchain_free(simchain *c);

/** Every block that a generator still has to give. */
void simchain_take(simchain *c, chaingen *g);

/** Add a block on top; its bytes are copied. */
void simchain_add(simchain *c, const uint8_t *bytes, size_t len);

int32_t simchain_tip(const simchain *c);

/** The block at a height from 0 to the tip. Borrowed until one is added. */
const simblock *simchain_at(const simchain *c, int32_t height);

/** The block with this hash, or NULL. */
const simblock *simchain_find(const simchain *c, const spv_hash *hash);

#endif
