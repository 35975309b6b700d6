#ifndef SPV_CLI_NEAREST_H
#define SPV_CLI_NEAREST_H

#include <stddef.h>

#include "cli/trouble.h"

/** What is nearest to a mistyped word, of the candidates seen so far. */
typedef struct cli_nearest {
    const char *word;
    const char *best; /**< borrowed; NULL while none is near */
    size_t distance;  /**< of the best; at first one too far */
} cli_nearest;

/** Begin looking for what `word` (borrowed) may have meant. */
void cli_nearest_init(cli_nearest *n, const char *word);

/** Consider a candidate: near is one within two slips, or within a third of
 * the word. Of equally near ones the first is kept. */
void cli_nearest_try(cli_nearest *n, const char *candidate);

/** Hint "did you mean ...?", the word between `before` and `after`; or
 * `otherwise` when none is near. Returns the trouble's code. */
spv_err cli_nearest_hint(const cli_nearest *n, spv_trouble *trouble,
                         const char *before, const char *after,
                         const char *otherwise);

#endif
