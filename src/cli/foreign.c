#include "cli/foreign.h"

#include <string.h>

void cli_foreign_text(char out[CLI_FOREIGN_SIZE], const char *words)
{
    static const char more[] = "...";
    size_t len = 0;

    for (; len < CLI_FOREIGN_MAX && words[len]; len++)
        out[len] = words[len] >= ' ' && words[len] <= '~' ? words[len] : '?';
    out[len] = '\0';
    if (words[len])
        memcpy(out + len, more, sizeof(more));
}
