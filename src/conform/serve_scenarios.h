#ifndef SPV_CONFORM_SERVE_SCENARIOS_H
#define SPV_CONFORM_SERVE_SCENARIOS_H

#include <spv/serve.h>

#include "conform/script_node.h"

/*
 * The table of scenarios: what each node does, and what is asked of a client.
 */

/** What a right client does; serve_verdict.c has the sentences. */
typedef enum spv_serve_rule {
    SPV_SERVE_FILTER_FIRST = 1 << 0,
    SPV_SERVE_COMPLETE = 1 << 1,
    SPV_SERVE_LEAVES = 1 << 2,
    SPV_SERVE_ASKS_NO_MORE = 1 << 3,
    SPV_SERVE_ASKS_ELSEWHERE = 1 << 4,
    SPV_SERVE_COMPARES = 1 << 5,
    SPV_SERVE_NO_FILTER = 1 << 6,
    SPV_SERVE_WAITS = 1 << 7
} spv_serve_rule;

/** A sort of node. */
typedef struct spv_serve_sort {
    unsigned rules;
    unsigned decisive; /* which of them must have been put to the test */
    bool dependable;   /* a right client stays, and is given every block */
} spv_serve_sort;

/** The habits of a scenario are those of its name (script_habits.c). */
typedef struct spv_serve_row {
    spv_serve_scenario scenario;
    const spv_serve_sort *sort;
} spv_serve_row;

/** Row `i`, or NULL; the row of that name, or NULL. Static. */
const spv_serve_row *spv__serve_row_at(size_t i);
const spv_serve_row *spv__serve_row_find(const char *name);

#endif
