#ifndef SPV_BASE_SELECT_H
#define SPV_BASE_SELECT_H

#include <stdbool.h>
#include <stddef.h>

/**
 * Whether a pattern of `len` characters selects a name: it is the name; or its
 * beginning up to a dot ("match" selects "match.txid"); or ends with a *, and
 * the name begins with what is before that. An empty one selects nothing.
 */
bool spv__selects(const char *pattern, size_t len, const char *name);

#endif
