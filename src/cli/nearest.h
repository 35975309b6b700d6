#ifndef SPV_CLI_NEAREST_H
#define SPV_CLI_NEAREST_H

#include <stddef.h>

/** What is nearest to a mistyped word, of the candidates seen so far. */
typedef struct cli_nearest {
    const char *word;
    const char *best; /**< borrowed; NULL before the first candidate */
    size_t distance;
} cli_nearest;

/** Begin looking for what `word` (borrowed) may have meant. */
void cli_nearest_init(cli_nearest *n, const char *word);

/** Consider a candidate; of equally near ones the first is kept. */
void cli_nearest_try(cli_nearest *n, const char *candidate);

#endif
