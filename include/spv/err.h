#ifndef SPV_ERR_H
#define SPV_ERR_H

#include <spv/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Every fallible function returns one of these: SPV_OK, or a negative code.
 * One table makes the enum, the names and the messages, so they cannot drift.
 */
#define SPV_ERR_MAP(X)                                  \
    X(OK, 0, "success")                                 \
    X(NOMEM, -1, "out of memory")                       \
    X(INVAL, -2, "invalid argument")                    \
    X(TRUNCATED, -3, "ran out of bytes")                \
    X(MALFORMED, -4, "bytes do not form a valid value") \
    X(LIMIT, -5, "value is over a protocol limit")      \
    X(CHECKSUM, -6, "checksum does not match")          \
    X(NETWORK, -7, "belongs to another network")        \
    X(NOT_FOUND, -8, "not found")                       \
    X(EXISTS, -9, "exists already")                     \
    X(LOCKED, -10, "locked, or wrong password")         \
    X(NO_PEER, -11, "no usable peer")                   \
    X(TIMEOUT, -12, "timed out")                        \
    X(FUNDS, -13, "not enough funds")                   \
    X(NOT_RELAYED, -14, "not relayed")                  \
    X(BUSY, -15, "data folder is in use")               \
    X(DAMAGED, -16, "data is damaged")                  \
    X(PROTOCOL, -17, "peer broke the protocol")         \
    X(INTERRUPTED, -18, "interrupted")                  \
    X(IO, -19, "input or output failed")                \
    X(UNSUPPORTED, -20, "not supported")                \
    X(PROOF, -21, "proof does not hold")                \
    X(CRYPTO, -22, "the cryptographic library refused") \
    X(CLOSED, -23, "connection closed")

typedef enum spv_err {
#define X(name, code, text) SPV_##name = (code),
    SPV_ERR_MAP(X)
#undef X
} spv_err;

/** Message for `err`, in English, never NULL. The string is static. */
SPV_API const char *spv_err_text(spv_err err);

/** Name of `err` without its prefix ("NOT_FOUND"), never NULL. Static. */
SPV_API const char *spv_err_name(spv_err err);

#ifdef __cplusplus
}
#endif

#endif
