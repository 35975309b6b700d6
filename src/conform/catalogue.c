#include "conform/checks.h"

#include <assert.h>
#include <string.h>

#include "base/select.h"

/* All checks, as one list. */

static const spv_check *const tables[] = {
    spv__checks_match,  spv__checks_nomatch, spv__checks_filter,
    spv__checks_update, spv__checks_load,    spv__checks_proof,
    spv__checks_order,  spv__checks_limit,   spv__checks_relay,
};

enum { TABLES = sizeof(tables) / sizeof(tables[0]), CHECKS_MAX = 200 };

const spv_check *spv__check_get(size_t i)
{
    for (size_t t = 0; t < TABLES; t++)
        for (const spv_check *c = tables[t]; c->id; c++)
            if (i-- == 0)
                return c;
    return NULL;
}

const spv_conform_check *spv_conform_list(size_t *n)
{
    static spv_conform_check list[CHECKS_MAX];
    const spv_check *c = NULL;

    for (*n = 0; *n < CHECKS_MAX && (c = spv__check_get(*n)); ++*n)
        list[*n] = (spv_conform_check){
            c->id, c->title, c->basis, c->severity, SPV_CONFORM_PENDING, ""};
    assert(!spv__check_get(*n)); /* all of them have their place */
    return list;
}

bool spv_conform_selects(const char *pattern, const char *id)
{
    return spv__selects(pattern, strlen(pattern), id);
}

const char *spv_conform_severity_name(spv_conform_severity severity)
{
    static const char *const names[] = {"must", "should", "informational"};

    return names[severity];
}

const char *spv_conform_result_name(spv_conform_result result)
{
    static const char *const names[] = {"pending", "pass", "fail", "skipped"};

    return names[result];
}
