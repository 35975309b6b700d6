#ifndef SPV_CLI_PRIVACY_WORDS_H
#define SPV_CLI_PRIVACY_WORDS_H

#include <jansson.h>

/* What `privacy` found, in sentences: for the terminal and for the page. */
/** Fewer strangers than this are nobody. */
#define CLI_NOBODY 0.001

typedef struct cli_privacy_words {
    char line[8][240];
    size_t n;
} cli_privacy_words;

void cli_privacy_say(cli_privacy_words *out, const json_t *doc);

#endif
