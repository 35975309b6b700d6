#ifndef SPV_CHAIN_ROW_H
#define SPV_CHAIN_ROW_H

#include <stddef.h>
#include <stdint.h>

#include <spv/header.h>

#include "base/u256.h"

/*
 * The active chain as a row of nodes, in pieces that never move.
 *
 * A node is a header without its parent's hash, which the node before it has.
 * Cumulative work is kept once a piece and added up from there.
 */
typedef struct spv_node {
    spv_hash hash;
    spv_hash merkle_root;
    int32_t version;
    uint32_t time;
    uint32_t bits;
    uint32_t nonce;
} spv_node;

enum { SPV__ROW_PIECE = 256 };

typedef struct spv_row {
    struct spv_row_piece **pieces;
    size_t n_pieces; /* allocated; may be more than the nodes need */
    size_t cap_pieces;
    size_t n;      /* nodes */
    spv_u256 work; /* of all nodes and what came before them */
    struct {
        uint32_t bits;
        spv_u256 work;
    } last; /* dividing is slow, and neighbours mostly agree */
} spv_row;

void spv__row_clear(spv_row *row);

/** Make room for `more` nodes; after SPV_NOMEM nothing has changed. */
spv_err spv__row_reserve(spv_row *row, size_t more);

/** Add a node behind the last; there must be room. */
void spv__row_push(spv_row *row, const spv_node *node);

/** Keep the first `n` > 0 nodes. Memory is kept too. */
void spv__row_cut(spv_row *row, size_t n);

/** Node `i` (< n); borrowed until it is cut off. */
const spv_node *spv__row_get(const spv_row *row, size_t i);

/** Work up to and including node `i` (< n). */
spv_u256 spv__row_work(spv_row *row, size_t i);

/** Work of one block with these bits. */
spv_u256 spv__row_work_of(spv_row *row, uint32_t bits);

size_t spv__row_bytes(const spv_row *row);

#endif
