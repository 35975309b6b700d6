#include "cli/only.h"

#include <string.h>

#include "cli/nearest.h"

enum { GROUPS_MAX = 32, GROUP_SIZE = 32 };

/* Groups, as "match" of "match.txid", are near as well. */
static void try_groups(cli_nearest *near, char groups[][GROUP_SIZE],
                       cli_only_name *name_at)
{
    const char *name = NULL;
    size_t n = 0;

    for (size_t i = 0; n < GROUPS_MAX && (name = name_at(i)); i++) {
        int len = (int)strcspn(name, ".");

        if (!name[len] || len >= GROUP_SIZE)
            continue;
        (void)snprintf(groups[n], GROUP_SIZE, "%.*s", len, name);
        if (n == 0 || strcmp(groups[n - 1], groups[n]) != 0)
            cli_nearest_try(near, groups[n++]);
    }
}

spv_err cli_only_hint(cli *c, const char *pattern, cli_only_name *name_at,
                      const char *otherwise)
{
    char groups[GROUPS_MAX][GROUP_SIZE];
    const char *name = NULL;
    cli_nearest near;

    for (size_t i = 0; (name = name_at(i)); i++)
        if (*pattern && strncmp(name, pattern, strlen(pattern)) == 0)
            return cli_hint(&c->trouble, "'%s*' is all that begins so",
                            pattern);
    cli_nearest_init(&near, pattern);
    for (size_t i = 0; (name = name_at(i)); i++)
        cli_nearest_try(&near, name);
    try_groups(&near, groups, name_at);
    return cli_nearest_hint(&near, &c->trouble, "'", "'", otherwise);
}
