#include <stdlib.h>
#include <string.h>

#include <spv/address.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void walk(const uint8_t *script, size_t len)
{
    spv_script_op op;
    size_t at = 0;
    size_t before = 0;

    while (spv_script_next(&op, script, len, &at)) {
        if (at <= before || at > len || op.len > at)
            abort();
        before = at;
    }
    if (at != len && at != len + 1)
        abort();
}

static void check_element(const uint8_t *script, size_t len)
{
    size_t n = 0;
    const uint8_t *element = spv_script_element(script, len, &n);

    if (element && (element < script || n == 0 || n > len ||
                    (size_t)(element - script) > len - n))
        abort();
}

/* A script with an address is the script of that address. */
static void check_address(const uint8_t *script, size_t len)
{
    const spv_network *network = spv_network_get(SPV_MAIN);
    uint8_t again[SPV_ADDRESS_SCRIPT_MAX];
    char text[SPV_ADDRESS_TEXT];
    size_t n = 0;

    if (spv_address_format(text, script, len, network) != SPV_OK)
        return;
    if (spv_address_parse(again, &n, text, network) != SPV_OK || n != len ||
        memcmp(again, script, n) != 0)
        abort();
}

/* The same bytes as an address: what is accepted is a script of ours. */
static void parse_text(const uint8_t *data, size_t size)
{
    uint8_t script[SPV_ADDRESS_SCRIPT_MAX];
    char text[SPV_ADDRESS_TEXT + 8] = {0};
    size_t n = 0;

    memcpy(text, data, size < sizeof(text) ? size : sizeof(text) - 1);
    if (spv_address_parse(script, &n, text, spv_network_get(SPV_MAIN)) ==
        SPV_OK)
        check_address(script, n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint8_t nothing[1];
    const uint8_t *script = size ? data : nothing;

    walk(script, size);
    check_element(script, size);
    check_address(script, size);
    parse_text(script, size);
    return 0;
}
