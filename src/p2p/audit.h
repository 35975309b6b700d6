#ifndef SPV_P2P_AUDIT_H
#define SPV_P2P_AUDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <spv/filter.h>
#include <spv/machine.h>

#include "p2p/answer.h"
#include "p2p/pool.h"

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
 *
 * A block is asked of every other peer before it is asked of any twice, and of
 * one more when it does not come soon: whoever sends it first is heard.
 */
enum {
    SPV__AUDITS_MAX = 32,
    SPV__AUDITS_FLIGHT = 8, /* whole blocks asked of one peer at a time */
    SPV__AUDIT_TRIES = 3    /* at least so often a block is asked for */
};

/** What one peer was asked of one audit. */
typedef struct spv_audit_ask {
    uint32_t stream; /**< that owes the whole block; 0: none */
    uint32_t times;  /**< it was asked for it */
    uint64_t sequence;
} spv_audit_ask;

typedef struct spv_audit {
    spv_request block;  /**< which one */
    size_t place;       /**< who filtered it, among the candidates */
    spv_filter before;  /**< that peer's filter before the block; owned */
    spv_hash *answered; /**< what it said matched, in block order; owned */
    size_t n;
    spv_audit_ask asks[SPV__POOL_MAX]; /**< by place among the candidates */
    unsigned tries;                    /**< sum of their `times` */
    spv_time ask_at; /**< not again before: it may be on its way, or not have
                          come to all yet */
    uint64_t heard;  /**< bytes from whoever owes it, when last looked at */
    spv_time since;  /**< pending since */
} spv_audit;

/** Zero it to begin. */
typedef struct spv_audits {
    spv_audit item[SPV__AUDITS_MAX];
    size_t n;
    bool missed[SPV__POOL_MAX]; /**< places that sent no block, or not soon */
    uint32_t done;              /**< ever */
    uint32_t omissions;         /**< found */
} spv_audits;

typedef enum spv_audit_verdict {
    SPV_AUDIT_CLEAN,
    SPV_AUDIT_OMISSION, /**< the peer that filtered the block left one out */
    SPV_AUDIT_UNPROVED, /**< the auditor sent what is not that block */
    SPV_AUDIT_UNFIT,    /**< it is that block, but no proof vouches for it */
    SPV_AUDIT_NOMEM
} spv_audit_verdict;

void spv__audits_clear(spv_audits *a);

/** Audit a whole answer of the peer at `place`; `before` is taken over, and
 * zeroed. There must be room. SPV_NOMEM. */
spv_err spv__audits_add(spv_audits *a, const spv_answer *answer,
                        spv_filter *before, size_t place, spv_time now);

/** Forget audit `i` (< n). */
void spv__audits_remove(spv_audits *a, size_t i);

/** Whether the peer at `place` filtered a block that is being audited. */
bool spv__audits_concern(const spv_audits *a, size_t place);

/** Another peer has that place: it was asked for nothing, and missed nothing.
 */
void spv__audits_renew(spv_audits *a, size_t place);

/** Forget all audits of the peer at `place`. */
void spv__audits_remove_of(spv_audits *a, size_t place);

/** The peer at `place` was asked, by `stream` as number `sequence`. */
void spv__audit_note_ask(spv_audit *audit, size_t place, uint32_t stream,
                         uint64_t sequence);

/** Whether any peer owes the whole block. */
bool spv__audit_is_asked(const spv_audit *audit);

/** `stream` does not owe this one any more. */
void spv__audit_release(spv_audit *audit, uint32_t stream);

/** What `stream` owes it owes no more. */
void spv__audits_release(spv_audits *a, uint32_t stream);

/** The audit for which `stream` was asked this; n when there is none. */
size_t spv__audits_find(const spv_audits *a, uint32_t stream,
                        uint64_t sequence);

/** The lowest height in question; INT32_MAX when there is none. */
int32_t spv__audits_lowest(const spv_audits *a);

/** Judge by a whole block's payload, which begins with the header that was
 * asked for. The kept filter stays as it is, whatever was sent. */
spv_audit_verdict spv__audit_judge(const spv_audit *audit, const uint8_t *block,
                                   size_t len);

#endif
