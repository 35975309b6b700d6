/*
 * Print the filterload payload that a wallet would send, in hex.
 *
 *     wallet_filter DATADIR NETWORK WALLET
 */
#include <stdio.h>
#include <stdlib.h>

#include <spv/client.h>

int main(int argc, char **argv)
{
    const spv_network *network = argc == 4 ? spv_network_find(argv[2]) : NULL;
    uint8_t payload[SPV_FILTER_PAYLOAD_MAX];
    spv_client *client = NULL;
    spv_trouble trouble = {0};
    spv_filter filter = {0};
    size_t len = 0;
    int failed = 1;

    if (!network) {
        fprintf(stderr, "usage: wallet_filter DATADIR NETWORK WALLET\n");
        return 2;
    }
    if (spv_client_open(&client, &(spv_place){argv[1], network, argv[3]},
                        &trouble) == SPV_OK &&
        spv_client_filter(client, &filter) == SPV_OK) {
        len = spv_filter_encode(payload, &filter);
        for (size_t i = 0; i < len; i++)
            printf("%02x", payload[i]);
        printf("\n");
        failed = 0;
    } else {
        fprintf(stderr, "%s\n", trouble.text);
    }
    spv_filter_clear(&filter);
    spv_client_free(client);
    return failed;
}
