#include "conform/one_keys.h"

#include <string.h>

void spv__one_key_short(uint8_t out[SPV__ONE_KEY_SHORT], size_t n)
{
    const uint8_t *key = spv__one_keys[n].key;

    memcpy(out, key, SPV__ONE_KEY_SHORT);
    out[0] = (uint8_t)(2 | (key[SPV__ONE_KEY_LEN - 1] & 1));
}
