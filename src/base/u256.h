#ifndef SPV_BASE_U256_H
#define SPV_BASE_U256_H

#include <stdbool.h>
#include <stdint.h>

#include <spv/hash.h>

/*
 * 256-bit unsigned numbers: proof-of-work targets and cumulative work.
 *
 * Limbs are least significant first, so a hash in wire order converts limb by
 * limb. Arithmetic wraps at 2^256 like any unsigned type.
 */
typedef struct spv_u256 {
    uint64_t limb[4];
} spv_u256;

spv_u256 spv__u256(uint64_t v);
spv_u256 spv__u256_of_hash(const spv_hash *hash);
void spv__u256_to_hash(spv_hash *out, spv_u256 v);

int spv__u256_compare(spv_u256 a, spv_u256 b); /* <0, 0, >0 */
bool spv__u256_is_zero(spv_u256 v);
unsigned spv__u256_bits(spv_u256 v); /* position of the highest set bit + 1 */

spv_u256 spv__u256_add(spv_u256 a, spv_u256 b);
spv_u256 spv__u256_sub(spv_u256 a, spv_u256 b);
spv_u256 spv__u256_not(spv_u256 v);
spv_u256 spv__u256_shl(spv_u256 v, unsigned by);
spv_u256 spv__u256_shr(spv_u256 v, unsigned by);
spv_u256 spv__u256_mul_u32(spv_u256 a, uint32_t b);
spv_u256 spv__u256_div(spv_u256 a, spv_u256 b); /* b is not zero */

#endif
