#ifndef SIM_FETCHER_H
#define SIM_FETCHER_H

#include "conform/script_chain.h"
#include "p2p/sync.h"

/*
 * A client that wants headers and nothing else, on a chain with checkpoints of
 * its own: a sync whose position is always the tip.
 */
enum { FETCHER_LINES = 16 };

typedef struct fetcher {
    spv_checkpoint *checkpoints; /* owned */
    spv_checkpoint_list list;
    spv_header_tree *tree;
    spv_sync sync;
    spv_time now;
    spv_time headers_at; /* when the first peer had shown its chain; 0 */
    size_t ahead;        /* most headers held above the tip */
    bool over;
    bool told;
    spv_err outcome;
    const char *reason;
    const char *line[FETCHER_LINES]; /* why peers were lost */
    size_t n_lines;
} fetcher;

/** A checkpoint of `chain` every `spacing` blocks up to `last`; none when
 * `spacing` is 0. The clock stands at the end of the chain. */
void fetcher_begin(fetcher *f, const spv_script_chain *chain, int32_t spacing,
                   int32_t last, uint64_t seed);

/** Without checkpoints, at a time of the world's. */
void fetcher_begin_at(fetcher *f, int64_t unix_time);
void fetcher_end(fetcher *f);

/** Connect to "HOST:PORT", or to the first `n` nodes of a simulator. */
void fetcher_connect(fetcher *f, const char *text);
void fetcher_connect_all(fetcher *f, size_t n);

/** As a machine whose `self` is the fetcher. It is done when the sync is. */
const spv_machine *fetcher_machine(void);

bool fetcher_was_told(const fetcher *f, const char *text);

/** Take the first `n` headers of a chain as from an earlier run. */
void fetcher_load(fetcher *f, const spv_script_chain *chain, int32_t n);

#endif
