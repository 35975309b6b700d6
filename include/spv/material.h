#ifndef SPV_MATERIAL_H
#define SPV_MATERIAL_H

#include <stddef.h>
#include <stdint.h>

#include <spv/err.h>
#include <spv/export.h>
#include <spv/hash.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Something to match: regtest blocks whose transactions show whatever BIP 37
 * matching tells apart, and transactions that wait for a block.
 *
 * A node's regtest chain is empty at first, and a node that has nothing cannot
 * be asked much. These blocks go on top of any regtest chain and are valid by
 * consensus: proof of work, subsidies, heights (BIP 34), witness commitments,
 * maturity, and every spend. First come plain ones, until coinbases are mature
 * and until the height from which there may be witness data. Then each kind of
 * output script is paid, and spent where that needs no secret: in the next
 * block, in the same block, in chains of three, three blocks later. Blocks of
 * 1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 31 and 257 transactions are among them, and
 * blocks in which several transactions show the same push.
 *
 * The same options give the same bytes.
 */

/** The height from which bcoin's regtest allows witness data: two windows of
 * 144 blocks that signal for it, as these do, and one of grace. */
#define SPV_MATERIAL_WITNESS_FROM 432

/** Satoshi of each payment to a script of spv_material_options. */
#define SPV_MATERIAL_PAID INT64_C(100000)

/** An output script. */
typedef struct spv_material_script {
    const uint8_t *bytes;
    size_t len;
} spv_material_script;

typedef struct spv_material_options {
    uint64_t seed;
    int32_t height; /**< of the tip to build on */
    spv_hash tip;
    uint32_t tip_time;    /**< of its header */
    uint32_t end_time;    /**< of the last block; later where there are more
                               blocks than seconds since the tip */
    int32_t witness_from; /**< no witness data below this height */
    /**
     * Output scripts to pay, borrowed during the call: four payments of
     * SPV_MATERIAL_PAID each, the last two together in one transaction. The
     * first is spent two blocks later, the second in its own block; the last
     * two stay. Nobody can sign for them here: these spends only look like
     * spends. A full node refuses their blocks, while whoever sees them through
     * BIP 37 cannot tell.
     */
    const spv_material_script *scripts;
    size_t n_scripts;
} spv_material_options;

/** On top of regtest's genesis block, seed 1, no scripts, and ending in the
 * first hour of 2025. */
SPV_API spv_material_options spv_material_defaults(void);

/** A block; its bytes are borrowed from the material. */
typedef struct spv_material_block {
    int32_t height;
    spv_hash hash;
    const uint8_t *bytes;
    size_t len;
    size_t n_tx;
} spv_material_block;

typedef struct spv_material spv_material;

/**
 * Make all of it. Owned: free with spv_material_free. SPV_INVAL for a negative
 * height, or one so high that no block could follow it; SPV_FUNDS for scripts
 * on a chain so long that its coinbases cannot pay them; SPV_NOMEM.
 */
SPV_API SPV_MUST_USE spv_err
spv_material_new(spv_material **out, const spv_material_options *options);

/** Free a material; NULL is allowed. */
SPV_API void spv_material_free(spv_material *m);

/** How many blocks there are. */
SPV_API size_t spv_material_blocks(const spv_material *m);

/** Block `i` of them (below spv_material_blocks), the lowest first. */
SPV_API spv_material_block spv_material_block_at(const spv_material *m,
                                                 size_t i);

/**
 * How many transactions wait for a block.
 *
 * Nodes accept them by policy, on top of the last block: they spend P2SH and
 * P2WSH of a script that anyone can satisfy and pay standard outputs and a
 * fee. Each with an odd number spends an output of the one before it; apart
 * from these pairs none depends on another. There are none on a chain so long
 * that its coinbases are worth next to nothing (1,950 blocks).
 */
SPV_API size_t spv_material_txs(const spv_material *m);

/** Transaction `i` of them (below spv_material_txs), with witness; `len` gets
 * its bytes. Borrowed from the material. */
SPV_API const uint8_t *spv_material_tx_at(const spv_material *m, size_t i,
                                          size_t *len);

#ifdef __cplusplus
}
#endif

#endif
