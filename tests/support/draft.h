#ifndef SUPPORT_DRAFT_H
#define SUPPORT_DRAFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <spv/tx.h>

#include "base/buf.h"
#include "base/rng.h"

/*
 * A transaction being made: what is spent and what is paid, then its bytes.
 *
 * Two kinds of output can be spent here. Anyone can spend P2WSH(OP_TRUE): that
 * is the strangers' money, and needs no signature. The rest is signed by
 * whoever made the draft, who then sets `script` and `witness` of that input.
 */
enum { DRAFT_IN_MAX = 8, DRAFT_OUT_MAX = 40, DRAFT_SCRIPT_MAX = 110 };

typedef struct draft_out {
    int64_t value;
    bool ours; /* pays the generator's wallet, at this key: */
    uint32_t branch;
    uint32_t index;
    size_t len;
    uint8_t script[DRAFT_SCRIPT_MAX];
} draft_out;

typedef struct draft_in {
    spv_outpoint prev;
    draft_out spent; /* the output that `prev` names */
    uint32_t sequence;
    size_t script_len;
    uint8_t script[DRAFT_SCRIPT_MAX];
    size_t witness_len; /* item count and items; 0: none */
    uint8_t witness[DRAFT_SCRIPT_MAX];
} draft_in;

typedef struct draft {
    draft_in in[DRAFT_IN_MAX];
    size_t n_in;
    draft_out out[DRAFT_OUT_MAX];
    size_t n_out;
} draft;

/** Where a finished draft is, and who it is. */
typedef struct draft_made {
    spv_hash txid;
    spv_hash wtxid;
} draft_made;

/** The output that anyone can spend, with `value`. */
draft_out draft_anyone(int64_t value);

/** A standard output to nobody: a random kind and a random hash. */
draft_out draft_stranger(spv_rng *r, int64_t value);

/** Add an input; it gets its witness at once if anyone can spend it. */
void draft_spend(draft *d, const spv_outpoint *prev, const draft_out *spent);
void draft_pay(draft *d, draft_out out);

/** Append the bytes, with witness (if there is any) or without. */
void draft_put(spv_buf *b, const draft *d, bool with_witness);

/** Append the whole transaction and say what it is called. */
draft_made draft_finish(spv_buf *b, const draft *d);

/** Inputs less outputs. */
int64_t draft_fee(const draft *d);

#endif
