#ifndef SPV_STORE_SECRET_H
#define SPV_STORE_SECRET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <spv/err.h>

#include "base/seal.h"
#include "store/detail.h"

/*
 * A wallet's secret, in a file of its own: the only thing on disk that can
 * spend, and the only thing that can never be fetched or worked out again.
 *
 *     8   "spvseed" and a zero
 *     2   version, 1
 *     2   cipher: 0, the payload is plain; 1, it is sealed with a password
 *     var parameters of the cipher; of 0 none, of 1
 *             1   log2 of scrypt's N
 *             4   scrypt's r
 *             4   scrypt's p
 *             32  salt
 *             12  nonce
 *     var payload; of 1 that of ChaCha20-Poly1305, all before it the header,
 *         under the key that scrypt makes of password and salt, of
 *             2     length of the secret
 *             1024  the secret, then zeros: its length does not show
 *     32  SHA-256d of all of the above, in every version
 *
 * The checksum covers the file as it lies on disk, so damage is known before
 * any password is asked for, and the two are never mistaken for each other.
 */

/** Most bytes a secret may have; 24 words are at most 215. */
#define SPV__SECRET_MAX 1024

/** Holds its bytes in place: no copy is left behind by a growing buffer. */
typedef struct spv_secret {
    uint8_t bytes[SPV__SECRET_MAX];
    size_t len;
} spv_secret;

/** A password as bytes, borrowed, and what trying one costs in a new seal. */
typedef struct spv_password {
    const void *bytes;
    size_t len;
    spv_scrypt_cost cost;
} spv_password;

/** 128 MiB, and near half a second of a computer of 2020. */
#define SPV__SECRET_COST ((spv_scrypt_cost){.log2_n = 17, .r = 8, .p = 1})

enum { SPV__SECRET_SALT = 32 };
enum { SPV__SECRET_ENTROPY = SPV__SECRET_SALT + SPV__SEAL_NONCE };

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
 * SPV_LOCKED (nothing is wrong, but it is sealed), SPV_UNSUPPORTED (a version
 * or cipher of the future), SPV_IO. `out` is cleared on failure.
 */
spv_err spv__secret_read(spv_secret *out, const char *path, spv_detail *why);

/** The same with a password, which a plain file does not need. SPV_LOCKED when
 * it is not the one; also SPV_NOMEM, SPV_CRYPTO. */
spv_err spv__secret_open(spv_secret *out, const char *path,
                         const spv_password *password, spv_detail *why);

/**
 * Seal `secret` in the place of the file that is there, plain or sealed: whole
 * under another name, synced, read back, opened and compared, then moved into
 * place; so a crash leaves the one or the other. What was replaced is then
 * overwritten; `*wiped` (may be NULL) tells whether that was done.
 *
 * `entropy` has SPV__SECRET_ENTROPY bytes that were never used before.
 * SPV_INVAL as spv__secret_create, SPV_NOMEM, SPV_CRYPTO, SPV_IO; on failure
 * the file is as it was, unless its folder could not be synced.
 */
spv_err spv__secret_seal(const char *path, const spv_secret *secret,
                         const spv_password *password, const uint8_t *entropy,
                         bool *wiped, spv_detail *why);

#endif
