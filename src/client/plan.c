#include "client/plan.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include <spv/client.h>
#include <spv/filter_maths.h>

#include "base/digest.h"

/* Independent numbers from the one entropy of the wallet. */
static void expand(uint8_t out[32], const uint8_t entropy[32],
                   const char *purpose)
{
    spv__hmac_sha256(out, entropy, 32, purpose, strlen(purpose));
}

/* With more elements than the design holds, fewer functions do better. */
static uint32_t fewer_funcs(size_t elements)
{
    double best = 0.6931471805599453 * 8 * SPV__PLAN_BYTES / (double)elements;

    return best < 1 ? 1 : (uint32_t)best;
}

/* A rate of 2^-k wants k functions, which leave half of the bits free. Decoys
 * are what is missing to the elements that a filter begins with. */
void spv__plan_set_rate(spv_plan *plan, double rate, size_t elements)
{
    spv_filter_shape shape = {.bits = 8 * SPV__PLAN_BYTES,
                              .hash_funcs = (uint32_t)lround(-log2(rate))};
    double begin = spv_filter_shape_capacity(shape, rate * SPV__PLAN_BEGIN);
    double most = spv_filter_shape_capacity(shape, rate);
    double n = (double)elements;

    assert(rate >= SPV_FP_RATE_LEAST && rate <= SPV_FP_RATE_MOST);
    plan->hash_funcs = n <= most ? shape.hash_funcs : fewer_funcs(elements);
    plan->decoys = n < begin ? (uint32_t)(begin - n) : 0;
}

void spv__plan_choose(spv_plan *plan, const uint8_t entropy[32],
                      size_t elements)
{
    uint8_t bits[32];

    expand(bits, entropy, "filter tweak");
    *plan =
        (spv_plan){.bytes = SPV__PLAN_BYTES, .flags = SPV_FILTER_UPDATE_ALL};
    spv__plan_set_rate(plan, SPV__PLAN_RATE, elements);
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
