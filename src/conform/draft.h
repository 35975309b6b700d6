#ifndef SPV_CONFORM_DRAFT_H
#define SPV_CONFORM_DRAFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <spv/tx.h>

#include "base/buf.h"

/*
 * A transaction being made: inputs and outputs are encoded as they come.
 *
 * A failure of its buffers sticks, as theirs do, and shows in what they are
 * put into.
 */
typedef struct spv_draft {
    spv_buf in;
    spv_buf out;
    spv_buf witness; /* of each input, in their order */
    size_t n_in;
    size_t n_out;
    bool has_witness;
    int64_t fee; /* inputs less outputs */
} spv_draft;

/** What is the same in every draft. */
enum { SPV__DRAFT_VERSION = 2, SPV__DRAFT_LOCK_TIME = 0 };
#define SPV__DRAFT_SEQUENCE UINT32_MAX

/** An output that may be spent. */
typedef struct spv_coin {
    spv_outpoint at;
    int64_t value;
} spv_coin;

/** Forget all inputs and outputs, keep the memory; a zeroed one is empty. */
void spv__draft_reset(spv_draft *d);
void spv__draft_clear(spv_draft *d);

/** Add an input. `witness` is its item count and items; empty: none. */
void spv__draft_spend(spv_draft *d, const spv_coin *coin, const spv_buf *script,
                      const spv_buf *witness);
void spv__draft_pay(spv_draft *d, int64_t value, const uint8_t *script,
                    size_t len);

/** Append the whole transaction and say what it is called: zeros where a buffer
 * has failed, which then is `b` too. `wtxid` may be NULL. */
void spv__draft_finish(spv_buf *b, const spv_draft *d, spv_hash *txid,
                       spv_hash *wtxid);

#endif
