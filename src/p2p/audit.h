#ifndef SPV_P2P_AUDIT_H
#define SPV_P2P_AUDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <spv/filter.h>
#include <spv/machine.h>

#include "p2p/answer.h"

/*
 * Audits: is what a peer filtered all that there was?
 *
 * A proof shows that transactions are in a block, but nothing shows that no
 * other matched. So a filtered block is picked at random, the filter kept as
 * it was just before it, and the whole block asked of another peer. It is
 * proved against its header, so that nobody can be framed, and matched here
 * with the same updates in the same order: what matches and was not answered
 * was left out by a liar.
 *
 * Workload: one block in a thousand, or every block. Each pending audit holds
 * a filter (36,000 bytes at most) and the ids of what was answered, so their
 * number is fixed: 1.2 MB in all.
 */
enum {
    SPV__AUDITS_MAX = 32,
    SPV__AUDITS_FLIGHT = 8, /* whole blocks asked of one peer at a time */
    SPV__AUDIT_TRIES = 3    /* peers that a block is asked of */
};

typedef struct spv_audit {
    spv_request block;  /**< its `sequence` is the auditor's */
    size_t place;       /**< who filtered it, among the candidates */
    spv_filter before;  /**< that peer's filter before the block; owned */
    spv_hash *answered; /**< what it said matched, in block order; owned */
    size_t n;
    uint32_t stream; /**< whom the whole block is asked of; 0: nobody */
    unsigned tries;
    spv_time ask_at; /**< not again before: it may not have come to all yet */
    spv_time since;  /**< pending since */
} spv_audit;

/** Zero it to begin. */
typedef struct spv_audits {
    spv_audit item[SPV__AUDITS_MAX];
    size_t n;
    uint32_t done;      /**< ever */
    uint32_t omissions; /**< found */
} spv_audits;

typedef enum spv_audit_verdict {
    SPV_AUDIT_CLEAN,
    SPV_AUDIT_OMISSION, /**< the peer that filtered the block left one out */
    SPV_AUDIT_UNPROVED, /**< the auditor sent what is not that block */
    SPV_AUDIT_NOMEM
} spv_audit_verdict;

void spv__audits_clear(spv_audits *a);

/** Audit a whole answer of the peer at `place`; `before` is taken over, and
 * zeroed. There must be room. SPV_NOMEM. */
spv_err spv__audits_add(spv_audits *a, const spv_answer *answer,
                        spv_filter *before, size_t place, spv_time now);

/** Forget audit `i` (< n). */
void spv__audits_remove(spv_audits *a, size_t i);

/** Forget all audits of the peer at `place`. */
void spv__audits_remove_of(spv_audits *a, size_t place);

/** What was asked of `stream` is asked of nobody. */
void spv__audits_release(spv_audits *a, uint32_t stream);

/** The audit for which `stream` was asked this; n when there is none. */
size_t spv__audits_find(const spv_audits *a, uint32_t stream,
                        uint64_t sequence);

/** The lowest height in question; INT32_MAX when there is none. */
int32_t spv__audits_lowest(const spv_audits *a);

/** Judge by a whole block's payload, which begins with the header that was
 * asked for. The kept filter is used up. */
spv_audit_verdict spv__audit_judge(spv_audit *audit, const uint8_t *block,
                                   size_t len);

#endif
