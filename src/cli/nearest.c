#include "cli/nearest.h"

#include <stdint.h>
#include <string.h>

/*
 * Edit distance: letters put in, left out, changed, or two that changed
 * places (what fingers do most).
 */
enum { WORD_MAX = 32, SLIPS = 2 };

static size_t least(size_t a, size_t b, size_t c)
{
    size_t ab = a < b ? a : b;

    return ab < c ? ab : c;
}

static size_t capped_length(const char *word)
{
    size_t len = strlen(word);

    return len < WORD_MAX ? len : WORD_MAX;
}

static size_t distance(const char *a, const char *b)
{
    size_t d[WORD_MAX + 1][WORD_MAX + 1];
    size_t n = capped_length(a);
    size_t m = capped_length(b);

    for (size_t i = 0; i <= n; i++)
        d[i][0] = i;
    for (size_t j = 0; j <= m; j++)
        d[0][j] = j;
    for (size_t i = 1; i <= n; i++)
        for (size_t j = 1; j <= m; j++) {
            size_t change = a[i - 1] == b[j - 1] ? 0 : 1;

            d[i][j] = least(d[i - 1][j] + 1, d[i][j - 1] + 1,
                            d[i - 1][j - 1] + change);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1, SIZE_MAX);
        }
    return d[n][m];
}

void cli_nearest_init(cli_nearest *n, const char *word)
{
    size_t len = capped_length(word);
    size_t most = len / 3 > SLIPS ? len / 3 : SLIPS;

    /* What shares no letter with the word is not near it. */
    *n = (cli_nearest){.word = word, .distance = most < len ? most + 1 : len};
}

void cli_nearest_try(cli_nearest *n, const char *candidate)
{
    size_t d = distance(n->word, candidate);

    if (d >= n->distance)
        return;
    n->best = candidate;
    n->distance = d;
}

spv_err cli_nearest_hint(const cli_nearest *n, spv_trouble *trouble,
                         const char *before, const char *after,
                         const char *otherwise)
{
    if (!n->best)
        return cli_hint(trouble, "%s", otherwise);
    return cli_hint(trouble, "did you mean %s%s%s?", before, n->best, after);
}
