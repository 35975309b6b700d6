#ifndef SPV_BASE_HEX_H
#define SPV_BASE_HEX_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/** Write 2 * len lower-case digits and a zero to `out`. */
void spv__hex_format(char *out, const uint8_t *bytes, size_t len);

/** Append the bytes that `len` hex digits stand for; odd length or another
 * character is SPV_MALFORMED and appends nothing. */
spv_err spv__hex_parse(spv_buf *out, const char *text, size_t len);

/** The same into `out`, which holds len / 2 bytes; those before a wrong
 * character may be written. */
spv_err spv__hex_parse_to(uint8_t *out, const char *text, size_t len);

#endif
