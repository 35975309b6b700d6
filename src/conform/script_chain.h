#ifndef SPV_CONFORM_SCRIPT_CHAIN_H
#define SPV_CONFORM_SCRIPT_CHAIN_H

#include <stddef.h>
#include <stdint.h>

#include <spv/err.h>
#include <spv/hash.h>
#include <spv/header.h>

/*
 * A chain of whole blocks in memory, for scripted nodes to serve from.
 *
 * Several nodes may share one. A reorganisation is a node's change from one
 * chain to another.
 */
typedef struct spv_script_block {
    spv_hash hash;
    int32_t height;
    uint8_t header[SPV_HEADER_LEN];
    uint8_t *bytes; /* the whole block; NULL for the genesis block */
    size_t len;
} spv_script_block;

typedef struct spv_script_chain spv_script_chain;

/** The genesis block of regtest alone. Owned; NULL: no memory. */
spv_script_chain *spv__script_chain_new(void);
void spv__script_chain_free(spv_script_chain *c);

/** Add a block on top; its bytes are copied. SPV_NOMEM. */
spv_err spv__script_chain_add(spv_script_chain *c, const uint8_t *bytes,
                              size_t len);

int32_t spv__script_chain_tip(const spv_script_chain *c);

/** The block at a height from 0 to the tip. Borrowed until one is added. */
const spv_script_block *spv__script_chain_at(const spv_script_chain *c,
                                             int32_t height);

/** The block with this hash, or NULL. */
const spv_script_block *spv__script_chain_find(const spv_script_chain *c,
                                               const spv_hash *hash);

#endif
