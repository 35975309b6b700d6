#ifndef SPV_MACHINE_H
#define SPV_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <spv/err.h>

/*
 * A machine is protocol without I/O.
 *
 * It is told what happened (a connection opened, bytes came, time passed) and
 * is then asked, until it has nothing more to say, what should be done. It
 * never calls out, blocks, reads a clock or draws entropy of its own, so a
 * test replays any run from its inputs and a seed. Whoever drives it is a
 * reactor: spv/uv.h has one over libuv, tests/support/sim.c one over nothing.
 *
 * Rules for the reactor:
 *  - after every input, call `next` until it returns false;
 *  - call `elapsed` no later than `deadline`, and not before it is needed;
 *  - inputs come from one thread; `now` never goes back.
 */

#ifdef __cplusplus
extern "C" {
#endif

/** Milliseconds on a clock that only goes forward. */
typedef int64_t spv_time;

/** Never: no deadline. */
#define SPV_NEVER INT64_MAX

/** A connection, named by the machine when it asks for it. Never reused. */
typedef uint64_t spv_conn;

typedef struct spv_netaddr {
    uint8_t net; /**< BIP 155 network id */
    uint8_t len; /**< bytes used in `addr` */
    uint8_t addr[32];
    uint16_t port;
} spv_netaddr;

typedef enum spv_out_kind {
    SPV_OUT_CONNECT, /**< open `conn` to `addr` */
    SPV_OUT_SEND,    /**< write `bytes` to `conn` */
    SPV_OUT_CLOSE,   /**< close `conn`; `closed` will not be called */
    SPV_OUT_RESOLVE  /**< look up the seed named in `bytes` */
} spv_out_kind;

/** What the machine wants done. `bytes` are borrowed until the next call. */
typedef struct spv_out {
    spv_out_kind kind;
    spv_conn conn;
    spv_netaddr addr;
    const uint8_t *bytes;
    size_t len;
} spv_out;

/** The face every machine shows to a reactor. `self` comes first everywhere. */
typedef struct spv_machine {
    void (*opened)(void *self, spv_conn conn, spv_time now);
    void (*received)(void *self, spv_conn conn, const uint8_t *bytes,
                     size_t len, spv_time now);
    void (*closed)(void *self, spv_conn conn, spv_err why, spv_time now);
    void (*resolved)(void *self, const spv_netaddr *addrs, size_t n,
                     spv_time now);
    void (*elapsed)(void *self, spv_time now);
    bool (*next)(void *self, spv_out *out);
    spv_time (*deadline)(const void *self);
} spv_machine;

#ifdef __cplusplus
}
#endif

#endif
