#include <stdarg.h>
#include <stdio.h>

#include "client/client.h"

spv_err spv__trouble_set(spv_trouble *trouble, spv_err code, const char *format,
                         ...)
{
    va_list args;

    if (!trouble)
        return code;
    trouble->code = code;
    trouble->hint[0] = '\0';
    va_start(args, format);
    (void)vsnprintf(trouble->text, sizeof(trouble->text), format, args);
    va_end(args);
    return code;
}

void spv__trouble_hint(spv_trouble *trouble, const char *hint)
{
    if (trouble)
        (void)snprintf(trouble->hint, sizeof(trouble->hint), "%s", hint);
}
