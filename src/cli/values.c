#include "cli/values.h"

#include <math.h>
#include <stdlib.h>

#include <spv/hex.h>

json_t *cli_json_hash(const spv_hash *hash)
{
    char text[SPV_HASH_TEXT];

    spv_hash_format(text, hash);
    return json_string(text);
}

json_t *cli_json_hex(const uint8_t *bytes, size_t len)
{
    char *text = malloc(2 * len + 1);
    json_t *value = NULL;

    if (!text)
        return NULL;
    spv_hex_format(text, bytes, len);
    value = json_stringn(text, 2 * len);
    free(text);
    return value;
}

json_t *cli_json_height(int32_t height)
{
    return height < 0 ? json_null() : json_integer(height);
}

json_t *cli_json_amount(int64_t satoshi)
{
    return json_integer(satoshi);
}

json_t *cli_json_date(int64_t seconds)
{
    return seconds < 0 ? json_null() : json_integer(seconds);
}

json_t *cli_json_time(int64_t seconds)
{
    return seconds == 0 ? json_null() : json_integer(seconds);
}

json_t *cli_json_count(uint64_t n)
{
    return json_integer((json_int_t)n);
}

json_t *cli_json_real(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

const char *cli_flags_word(uint64_t flags)
{
    static const char *const words[] = {[SPV_FILTER_UPDATE_NONE] = "none",
                                        [SPV_FILTER_UPDATE_ALL] = "all",
                                        [SPV_FILTER_UPDATE_P2PUBKEY_ONLY] =
                                            "p2pubkey"};

    return flags < sizeof(words) / sizeof(words[0]) ? words[flags] : NULL;
}

json_t *cli_json_text(const char *text)
{
    return text ? json_string(text) : json_null();
}

json_t *cli_json_address(const uint8_t *script, size_t len,
                         const spv_network *network)
{
    char text[SPV_ADDRESS_TEXT];

    if (spv_address_format(text, script, len, network) != SPV_OK)
        return json_null();
    return json_string(text);
}

json_t *cli_json_confirmations(int32_t height, int32_t tip)
{
    return json_integer(height < 0 || tip < height ? 0 : tip - height + 1);
}
