#include <spv/hash.h>

#include <string.h>

#include "base/hex.h"

static spv_hash reversed(const uint8_t bytes[32])
{
    spv_hash back;

    for (size_t i = 0; i < sizeof(back.bytes); i++)
        back.bytes[i] = bytes[sizeof(back.bytes) - 1 - i];
    return back;
}

void spv_hash_format(char out[SPV_HASH_TEXT], const spv_hash *hash)
{
    spv_hash display = reversed(hash->bytes);

    spv__hex_format(out, display.bytes, sizeof(display.bytes));
}

spv_err spv_hash_parse(spv_hash *out, const char *text)
{
    spv_hash display;
    spv_err err = SPV_MALFORMED;

    if (strlen(text) == SPV_HASH_TEXT - 1)
        err = spv__hex_parse_to(display.bytes, text, SPV_HASH_TEXT - 1);
    if (err == SPV_OK)
        *out = reversed(display.bytes);
    return err;
}

bool spv_hash_equal(const spv_hash *a, const spv_hash *b)
{
    return memcmp(a->bytes, b->bytes, sizeof(a->bytes)) == 0;
}

bool spv_hash_is_zero(const spv_hash *hash)
{
    static const spv_hash zero;

    return spv_hash_equal(hash, &zero);
}
