#ifndef SPV_P2P_DEBTS_H
#define SPV_P2P_DEBTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <spv/machine.h>

#include "p2p/answer.h"

/*
 * Blocks that were applied although their filter lacked an outpoint.
 *
 * With several peers the coin that one of them showed is missing from what the
 * others were asked meanwhile. Fetching each such block again at once costs
 * most of what a second peer brings; writing it down and looking later costs
 * little, because a debt is void as soon as the coin's spend is found anyway.
 * What is left is fetched in one pass with everything owed in the filter. That
 * pass can find spends, but no new coin that lay within the gap window, so one
 * is enough; should it find one that lay beyond, the position goes back to it.
 *
 * Until it is paid, a debt keeps the position on disk below its block.
 */
typedef enum spv_debt_state {
    SPV_DEBT_OPEN,
    SPV_DEBT_ASKED, /**< of `stream`, as number `sequence` */
    SPV_DEBT_HELD   /**< `answer` is here, to be applied */
} spv_debt_state;

typedef struct spv_debt {
    int32_t height;
    spv_grant grant; /**< what the block was first matched under */
    spv_debt_state state;
    uint32_t stream;
    uint64_t sequence;
    spv_time asked_at;
    spv_answer *answer; /**< owned */
} spv_debt;

/** Rising heights; zero it to begin. */
typedef struct spv_debts {
    spv_debt *item; /**< owned */
    size_t n;
    size_t cap;
} spv_debts;

void spv__debts_clear(spv_debts *d);

/** One more, above all others. SPV_NOMEM. */
spv_err spv__debts_add(spv_debts *d, int32_t height, const spv_grant *grant);

/** Forget those above `height`: their blocks left the chain. */
void spv__debts_cut(spv_debts *d, int32_t height);

/** Forget those that the ledger no longer finds anything missing in. */
void spv__debts_void(spv_debts *d, const spv_coverage *coverage);

/** Forget debt `i` (< n): it is paid. */
void spv__debts_remove(spv_debts *d, size_t i);

/** Whether any is asked for, or its answer here. */
bool spv__debts_are_under_way(const spv_debts *d);

/** The lowest height that is owed; INT32_MAX when there is none. */
int32_t spv__debts_lowest(const spv_debts *d);

/** What was asked of `stream` is open again. */
void spv__debts_release(spv_debts *d, uint32_t stream);

/** An answer came that a debt waits for: it is taken (and zeroed), and true
 * returned. It need not be to the last request for it, if its filter lacked
 * nothing. */
bool spv__debts_hold(spv_debts *d, spv_answer *answer,
                     const spv_coverage *coverage, spv_err *err);

/** The lowest debt whose answer is here; n when there is none. */
size_t spv__debts_held(const spv_debts *d);

#endif
