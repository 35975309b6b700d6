#ifndef SPV_HEX_H
#define SPV_HEX_H

#include <stddef.h>
#include <stdint.h>

#include <spv/err.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Write `2 * len` lower-case digits and a zero to `out`, first byte first. */
SPV_API void spv_hex_format(char *out, const uint8_t *bytes, size_t len);

/**
 * Read `len` hex digits of either case into `out`, which takes `len / 2` bytes.
 *
 * SPV_MALFORMED for an odd number or for any other character; what `out` then
 * holds is unspecified. Hashes are read by spv_hash_parse, which turns them.
 */
SPV_API SPV_MUST_USE spv_err spv_hex_parse(uint8_t *out, const char *text,
                                           size_t len);

#ifdef __cplusplus
}
#endif

#endif
