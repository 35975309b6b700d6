#ifndef SPV_BASE_RIPEMD160_H
#define SPV_BASE_RIPEMD160_H

#include <stddef.h>
#include <stdint.h>

/**
 * RIPEMD-160 in plain C, for an OpenSSL that leaves it out.
 *
 * Callers want spv__ripemd160 (base/digest.h), which picks one. Workload: a
 * few dozen bytes a call (public keys and script hashes), so it is short
 * rather than fast.
 */
void spv__ripemd160_plain(uint8_t out[20], const void *bytes, size_t len);

#endif
