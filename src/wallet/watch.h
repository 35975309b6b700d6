#ifndef SPV_WALLET_WATCH_H
#define SPV_WALLET_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "wallet/descriptor.h"
#include "wallet/elements.h"
#include "wallet/table.h"

/*
 * The watched set: the scripts of every branch, and how far each was paid.
 *
 * The *window* of a branch is its indices below used + gap (a branch without a
 * range has the one index 0). A script inside it is *open*: what pays it is
 * ours. Scripts are derived `lookahead` further, in steps of about half of
 * that, so that most receipts leave the element log alone.
 *
 * Two branches may share a script (an address beside the descriptor that it
 * comes from): such scripts are *twins*, and paid together.
 */

/** Indices of a ranged branch: BIP 32's unhardened children. */
#define SPV__INDEX_END (UINT32_C(1) << 31)

typedef struct spv_watch_script {
    uint32_t branch;
    uint32_t index;
    uint32_t offset; /* in `bytes` */
    uint32_t reach;  /* log length that covers it and all below it */
    uint32_t twin;   /* next script with the same bytes, or none */
    uint16_t len;
    bool used;
} spv_watch_script;

typedef struct spv_watch_branch {
    spv_descriptor *descriptor; /* owned */
    size_t group;
    uint32_t *script; /* by index */
    uint32_t derived;
    uint32_t cap;
    uint32_t used;
    uint32_t given;
    bool ranged;
    bool is_changed; /* since the last save */
} spv_watch_branch;

typedef struct spv_watch {
    spv_buf bytes; /* all scripts, end to end */
    spv_watch_script *script;
    uint32_t n_scripts;
    uint32_t cap_scripts;
    spv_watch_branch *branch;
    uint32_t n_branches;
    uint32_t cap_branches;
    spv_table index; /* from a script's bytes to the first of its twins */
    uint32_t gap;
    uint32_t lookahead;
    uint32_t needed; /* log length that covers every open script */
} spv_watch;

void spv__watch_clear(spv_watch *s);

/** Add a branch; `d` is taken over on success. */
spv_err spv__watch_add(spv_watch *s, spv_descriptor *d, size_t group);

/** Set gap and lookahead; derive afterwards. SPV_INVAL. */
spv_err spv__watch_set_gap(spv_watch *s, uint32_t gap, uint32_t lookahead);

/** Derive what windows and lookahead ask for; new elements go to the log. */
spv_err spv__watch_derive(spv_watch *s, spv_elements *log);

/** Set a branch's counters as they were. SPV_DAMAGED when they cannot be. */
spv_err spv__watch_restore_branch(spv_watch *s, size_t branch, uint32_t used,
                                  uint32_t given);

/** Add the next script of `branch` as it was derived once. SPV_DAMAGED when
 * it is not the next or cannot be. */
spv_err spv__watch_restore_script(spv_watch *s, size_t branch, uint32_t index,
                                  const uint8_t *script, size_t len,
                                  size_t reach);

/** How many indices of the branch are in its window. */
uint32_t spv__watch_window(const spv_watch *s, uint32_t branch);

/** Number of the script with these bytes, or SPV__TABLE_NONE. */
uint32_t spv__watch_find(const spv_watch *s, const uint8_t *script, size_t len);

/** Whether script `id`, or a twin of it, is inside a window. */
bool spv__watch_is_open(const spv_watch *s, uint32_t id);

/** Mark a script and its twins as used; whether a window moved. */
bool spv__watch_pay(spv_watch *s, uint32_t id);

/** The bytes of script `id`; borrowed until more is derived. */
const uint8_t *spv__watch_bytes(const spv_watch *s, uint32_t id);

/**
 * Index to give out of a ranged branch, see spv__wallet_give. SPV_LIMIT
 * outside the window.
 */
spv_err spv__watch_give(spv_watch *s, uint32_t branch, bool fresh,
                        uint32_t *index);

#endif
