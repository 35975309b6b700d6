#ifndef SPV_STORE_SECRET_H
#define SPV_STORE_SECRET_H

#include <stddef.h>
#include <stdint.h>

#include <spv/err.h>

#include "store/detail.h"

/*
 * A wallet's secret, in a file of its own: the only thing on disk that can
 * spend, and the only thing that can never be fetched or worked out again.
 *
 *     8   "spvseed" and a zero
 *     2   version, 1
 *     2   cipher: 0, the payload is plain
 *     var parameters of the cipher (salt, rounds, nonce); empty for 0
 *     var payload
 *     32  SHA-256d of all of the above, in every version
 *
 * The checksum covers the file as it lies on disk, so damage is known before
 * any passphrase is asked for, and the two are never mistaken for each other.
 */

/** Most bytes a secret may have; 24 words are at most 215. */
#define SPV__SECRET_MAX 1024

/** Holds its bytes in place: no copy is left behind by a growing buffer. */
typedef struct spv_secret {
    uint8_t bytes[SPV__SECRET_MAX];
    size_t len;
} spv_secret;

/** Overwrite a secret in memory. */
void spv__secret_clear(spv_secret *s);

/**
 * Write a new secret file: mode 0600, whole under another name, synced,
 * moved into place, read back and compared.
 *
 * Never replaces one: SPV_EXISTS. SPV_INVAL when empty or too long, SPV_IO;
 * on failure there is no file called `path`, unless one was there before.
 */
spv_err spv__secret_create(const char *path, const spv_secret *secret,
                           spv_detail *why);

/**
 * Read it; clear `out` after use. SPV_NOT_FOUND, SPV_DAMAGED (bytes are wrong),
 * SPV_UNSUPPORTED (a version or cipher of the future), SPV_IO. `out` is
 * cleared on failure.
 */
spv_err spv__secret_read(spv_secret *out, const char *path, spv_detail *why);

#endif
