#include "base/select.h"

#include <string.h>

bool spv__selects(const char *pattern, size_t len, const char *name)
{
    if (len > 0 && pattern[len - 1] == '*')
        return strncmp(pattern, name, len - 1) == 0;
    return strncmp(pattern, name, len) == 0 &&
           (name[len] == '\0' || name[len] == '.') && len > 0;
}
