#ifndef SPV_CLIENT_PRIVACY_H
#define SPV_CLIENT_PRIVACY_H

#include <spv/privacy.h>

/** Keep the bits that both filters have; they are of one length. */
void spv__privacy_intersect(spv_filter *into, const spv_filter *with);

/**
 * Try strangers made from `seed`; the same seed makes the same. matched[0] is
 * how many match the first filter, matched[1 + i] how many of those match
 * others[i] too, of which there are `n`.
 */
void spv__privacy_try(const spv_filter *first, const spv_filter *others,
                      size_t n, uint64_t seed, uint32_t strangers,
                      uint32_t *matched);

#endif
