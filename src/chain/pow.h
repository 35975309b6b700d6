#ifndef SPV_CHAIN_POW_H
#define SPV_CHAIN_POW_H

#include <stdbool.h>
#include <stdint.h>

#include <spv/chain.h>

#include "base/u256.h"

/*
 * Compact targets ("bits"): one byte of exponent, a sign bit, 23 of mantissa.
 */
typedef struct spv_target {
    spv_u256 value;
    bool negative;
    bool overflow;
} spv_target;

spv_target spv__bits_decode(uint32_t bits);

/** The compact form; low bits of the target are lost. */
uint32_t spv__bits_encode(spv_u256 target);

/** Expected hashes, 2^256 / (target + 1); zero for an impossible target. */
spv_u256 spv__bits_work(uint32_t bits);

#endif
