#include "store/detail.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void spv__detail_set(spv_detail *why, const char *format, ...)
{
    va_list args;

    if (!why)
        return;
    va_start(args, format);
    (void)vsnprintf(why->text, sizeof(why->text), format, args);
    va_end(args);
}

void spv__detail_errno(spv_detail *why, const char *verb, const char *path)
{
    int kept = errno;

    spv__detail_set(why, "cannot %s %s: %s", verb, path, strerror(kept));
    errno = kept;
}
