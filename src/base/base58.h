#ifndef SPV_BASE_BASE58_H
#define SPV_BASE_BASE58_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/** Longest text these functions read or write, without its zero. */
#define SPV__BASE58_MAX 512

/** Append the base58 text of `bytes` (at most 360), without a zero. */
spv_err spv__base58_format(spv_buf *out, const uint8_t *bytes, size_t len);

/** Append the bytes of a base58 text; SPV_MALFORMED for another character. */
spv_err spv__base58_parse(spv_buf *out, const char *text, size_t len);

/** The same with the four checksum bytes added, or checked and removed
 * (SPV_CHECKSUM when they differ). */
spv_err spv__base58check_format(spv_buf *out, const uint8_t *bytes, size_t len);
spv_err spv__base58check_parse(spv_buf *out, const char *text, size_t len);

#endif
