#ifndef SPV_P2P_COVERAGE_H
#define SPV_P2P_COVERAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <spv/err.h>

/*
 * The coverage rule: which answers may be believed complete.
 *
 * A block is settled when a node matched it under a filter that covered
 * everything that matters for it: every key within the gap window as it
 * stands after that block, and every own coin created at or below it that is
 * not known to be spent. What is not settled is fetched again.
 *
 * An element is named by its place in the wallet's element log. Below a
 * request's coverage it was in the filter. Above it, an outpoint is still
 * covered if the node added it by itself: under UPDATE_ALL, on the same stream,
 * since the same filterload, in a block requested there no later than this
 * one, by a filter that held the key it pays. Under the other flags of BIP 37
 * nodes are taken to add nothing; that is slower, since every coin is then a
 * debt or a filterload, and no less right.
 *
 * Workload: one judgement a block, in height order. With one peer the newest
 * outpoints all come from its own stream, which is seen without looking at
 * each (the `run`), so a judgement costs the same however many coins there
 * are.
 */

/** What a request was sent under. TCP's order makes it exact. */
typedef struct spv_grant {
    uint32_t stream;     /**< the connection, never used twice */
    uint32_t generation; /**< how many filterloads it had been sent */
    uint64_t sequence;   /**< the request's number on that connection */
    size_t coverage;     /**< log prefix in its filter at that moment */
} spv_grant;

typedef enum spv_judgement {
    SPV_COVERED,
    SPV_LACKS_KEY,
    SPV_LACKS_OUTPOINT
} spv_judgement;

/** Where an own coin's outpoint was learned: the block that created it was
 * asked for under `origin`, which is nobody's (zero) if the filter lacked the
 * coin's key: one beyond the gap window may be paid beside another. */
typedef struct spv_learned {
    size_t element;
    spv_grant origin;
} spv_learned;

/**
 * Walks the coins that a filter must still hold to match a block at `height`:
 * `*at` moves to the first one in the log at or above it; false when there is
 * none.
 */
typedef bool (*spv_next_owed)(const void *self, int32_t height, size_t *at);

/** The ledger. Zero it and set the first two; it owns `learned`. */
typedef struct spv_coverage {
    spv_next_owed next_owed; /**< the wallet's */
    const void *self;        /**< the wallet */
    bool updates_all;        /**< the flags of its filters say UPDATE_ALL */
    size_t needed; /**< keys below this place in the log must be covered */
    spv_learned *learned; /**< in log order */
    size_t n;
    size_t cap;
    size_t run;        /**< learned[run..] share one stream and generation */
    uint64_t run_last; /**< highest sequence among them */
} spv_coverage;

/** Free what it owns; the ledger is empty then, for the same wallet. */
void spv__coverage_clear(spv_coverage *c);

/** Keys below `prefix` matter from here on; it never goes back. */
void spv__coverage_need(spv_coverage *c, size_t prefix);

/**
 * The outpoint at `element` was learned from a block asked for under `origin`.
 * Elements come in log order. What was in the log before the run began need
 * not be told: every filter of the run holds it. SPV_NOMEM.
 */
spv_err spv__coverage_learn(spv_coverage *c, size_t element,
                            const spv_grant *origin);

/** Does a coin that existed by `height`, and that nothing is known to spend,
 * lack in the filter that `grant` stands for? */
bool spv__coverage_owes(const spv_coverage *c, const spv_grant *grant,
                        int32_t height);

/** May an answer to a request sent under `grant` be believed complete? */
spv_judgement spv__coverage_judge(const spv_coverage *c,
                                  const spv_grant *grant);

#endif
