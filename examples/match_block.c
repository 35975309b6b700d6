/*
 * What a node does for a client: match transactions with a BIP 37 filter.
 *
 *     cc match_block.c $(pkg-config --cflags --libs libspv)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spv/address.h>
#include <spv/filter.h>
#include <spv/network.h>
#include <spv/script.h>

static const char ADDRESS[] = "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080";

int main(void)
{
    const spv_network *regtest = spv_network_get(SPV_REGTEST);
    uint8_t script[SPV_ADDRESS_SCRIPT_MAX];
    uint8_t payload[SPV_FILTER_PAYLOAD_MAX];
    const uint8_t *element = NULL;
    spv_filter filter;
    size_t len = 0;
    size_t script_len = 0;

    if (spv_address_parse(script, &script_len, ADDRESS, regtest) != SPV_OK ||
        spv_filter_init_for(&filter, 10, 0.0001, 5, SPV_FILTER_UPDATE_ALL) !=
            SPV_OK)
        return EXIT_FAILURE;
    element = spv_script_element(script, script_len, &len);
    spv_filter_insert(&filter, element, len);
    printf("%s is in the filter: %s\n", ADDRESS,
           spv_filter_contains(&filter, element, len) ? "yes" : "no");
    printf("filterload payload of %zu bytes, false-positive rate %.2g\n",
           spv_filter_encode(payload, &filter), spv_filter_rate(&filter));
    spv_filter_clear(&filter);
    return EXIT_SUCCESS;
}
