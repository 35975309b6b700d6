#ifndef TESTS_UNIT_CHEAP_SCRYPT_H
#define TESTS_UNIT_CHEAP_SCRYPT_H

#include "base/seal.h"

/*
 * A password costs next to nothing to try, whatever cost is kept with it: a
 * test tries a hundred. The build links a test that includes this with --wrap,
 * so each key that the rooms make of a password comes from here.
 */
#define SCRYPT(name)                                                     \
    spv_err name(uint8_t *out, size_t out_len, const void *password,     \
                 size_t password_len, const void *salt, size_t salt_len, \
                 const spv_scrypt_cost *cost)

SCRYPT(__real_spv__scrypt);
SCRYPT(__wrap_spv__scrypt);
SCRYPT(__wrap_spv__scrypt)
{
    spv_scrypt_cost cheap = *cost;

    if (spv__scrypt_is_bounded(cost))
        cheap.log2_n = 4;
    return __real_spv__scrypt(out, out_len, password, password_len, salt,
                              salt_len, &cheap);
}

#undef SCRYPT

#endif
