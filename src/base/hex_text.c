#include <spv/hex.h>

#include "base/hex.h"

/* The public door to hex.c. */

void spv_hex_format(char *out, const uint8_t *bytes, size_t len)
{
    spv__hex_format(out, bytes, len);
}

spv_err spv_hex_parse(uint8_t *out, const char *text, size_t len)
{
    return spv__hex_parse_to(out, text, len);
}
