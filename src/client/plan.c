#include "client/plan.h"

#include <string.h>

#include "base/digest.h"

/* Independent numbers from the one entropy of the wallet. */
static void expand(uint8_t out[32], const uint8_t entropy[32],
                   const char *purpose)
{
    spv__hmac_sha256(out, entropy, 32, purpose, strlen(purpose));
}

/* With more elements than the design holds, fewer functions do better. */
static uint32_t choose_funcs(size_t elements)
{
    double best = 0.6931471805599453 * 8 * SPV__PLAN_BYTES / (double)elements;

    if (elements <= SPV__PLAN_ELEMENTS)
        return SPV__PLAN_FUNCS;
    return best < 1 ? 1 : (uint32_t)best;
}

void spv__plan_choose(spv_plan *plan, const uint8_t entropy[32],
                      size_t elements)
{
    size_t room = SPV__PLAN_ELEMENTS - SPV__PLAN_HEADROOM;
    uint8_t bits[32];

    expand(bits, entropy, "filter tweak");
    *plan =
        (spv_plan){.bytes = SPV__PLAN_BYTES,
                   .hash_funcs = choose_funcs(elements),
                   .decoys = elements < room ? (uint32_t)(room - elements) : 0,
                   .flags = SPV_FILTER_UPDATE_ALL};
    for (size_t i = 0; i < 4; i++)
        plan->tweak |= (uint32_t)bits[i] << 8 * i;
    expand(plan->secret, entropy, "filter decoys");
}

/* A decoy has the length of a key hash: what most elements are. */
static void insert_decoy(const spv_plan *plan, uint32_t i, spv_filter *f)
{
    uint8_t input[36];
    uint8_t decoy[32];

    memcpy(input, plan->secret, 32);
    for (size_t b = 0; b < 4; b++)
        input[32 + b] = (uint8_t)(i >> 8 * b);
    spv__sha256(decoy, input, sizeof(input));
    spv_filter_insert(f, decoy, 20);
}

spv_err spv__plan_begin(const spv_plan *plan, spv_filter *out)
{
    spv_err err = spv_filter_init(out, plan->bytes, plan->hash_funcs,
                                  plan->tweak, plan->flags);

    for (uint32_t i = 0; err == SPV_OK && i < plan->decoys; i++)
        insert_decoy(plan, i, out);
    return err;
}
