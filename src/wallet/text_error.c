#include "wallet/text_error.h"

#include <stdarg.h>
#include <stdio.h>

spv_err spv__text_fail(spv_text_error *error, spv_err code, size_t at,
                       const char *format, ...)
{
    va_list args;

    if (!error)
        return code;
    error->code = code;
    error->at = at;
    va_start(args, format);
    (void)vsnprintf(error->text, sizeof(error->text), format, args);
    va_end(args);
    return code;
}
