/*
 * How often is the filter of a wallet with one address wrong?
 *
 * For each level a wallet that watches one address is made as the program
 * makes it, and strangers are counted that its filter matches: as many as make
 * five thousand of them expected, but at most two hundred million. One JSON
 * line a level: the rate asked for, what the bits say, what was counted.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <spv/privacy.h>

#include "client/client.h"
#include "client/privacy.h"

enum { EXPECTED = 5000, STRANGERS_MOST = 200000000 };

/** The filter belongs to the client. */
static spv_client *wallet_at(double rate)
{
    static const char *const descriptor =
        "addr(bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080)";
    static const uint8_t entropy[32] = {1};
    spv_wallet_spec spec = {.descriptors = &descriptor,
                            .n_descriptors = 1,
                            .birthday = -1,
                            .birthday_time = -1,
                            .fp_rate = rate,
                            .entropy = entropy};
    spv_client *c = NULL;

    if (spv_client_new(&c, spv_network_get(SPV_REGTEST), &spec, NULL) == SPV_OK)
        return c;
    (void)fprintf(stderr, "bench_plan: no wallet could be made\n");
    exit(1);
}

static void measure(const spv_privacy_choice *choice)
{
    spv_client *c = wallet_at(choice->rate);
    uint32_t strangers =
        (uint32_t)fmin(EXPECTED / choice->rate, STRANGERS_MOST);
    uint32_t matched = 0;

    spv__privacy_try(&c->filter, NULL, 0, 1, strangers, &matched);

    printf("{\"bench\": \"plan\", \"level\": \"%s\", \"asked_rate\": %g, "
           "\"rate_of_bits\": %.4g, \"measured_rate\": %.4g, "
           "\"strangers\": %u, \"matched\": %u}\n",
           choice->name, choice->rate, spv_filter_rate(&c->filter),
           (double)matched / (double)strangers, (unsigned)strangers,
           (unsigned)matched);
    (void)fflush(stdout);
    spv_client_free(c);
}

int main(void)
{
    for (size_t i = 0; spv_privacy_choice_get(i); i++)
        measure(spv_privacy_choice_get(i));
    return 0;
}
