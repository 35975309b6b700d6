#ifndef SPV_WALLET_TEXT_ERROR_H
#define SPV_WALLET_TEXT_ERROR_H

#include <spv/text_error.h>

/** Fill `error` (NULL is allowed) and return `code`. The sentence begins in
 * lower case and has no full stop, so that it can follow "error: ". */
__attribute__((format(printf, 4, 5))) spv_err spv__text_fail(
    spv_text_error *error, spv_err code, size_t at, const char *format, ...);

#endif
