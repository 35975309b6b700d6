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
 *  - before the first input, and after every input, call `next` until it
 *    returns false, and do what it says in that order;
 *  - call `elapsed` as soon after `deadline` as can be, never before it; ask
 *    for `deadline` again after every round of outputs;
 *  - inputs come from one thread, never from inside another call of the
 *    machine; `now` never goes back;
 *  - every CONNECT is answered by `opened` or by `closed`, every opened or
 *    accepted connection ends with one `closed` unless the machine closed it,
 * every RESOLVE is answered by one `resolved`;
 *  - after DONE the machine is not called again.
 */

#ifdef __cplusplus
extern "C" {
#endif

/** Milliseconds on a clock that only goes forward. Its zero means nothing. */
typedef int64_t spv_time;

/** Never: no deadline. */
#define SPV_NEVER INT64_MAX

/**
 * A connection or a look-up, named by the machine when it asks for it. A
 * machine never uses a name twice.
 */
typedef uint64_t spv_conn;

/** A place on some network. The reactors here reach IPv4 (1) and IPv6 (2). */
typedef struct spv_netaddr {
    uint8_t net;      /**< BIP 155 network id */
    uint8_t len;      /**< bytes used in `addr` */
    uint8_t addr[32]; /**< in network order */
    uint16_t port;    /**< in host order */
} spv_netaddr;

typedef enum spv_out_kind {
    SPV_OUT_CONNECT, /**< open `conn` to `addr` */
    SPV_OUT_SEND,    /**< write `bytes` to `conn`, after what went before */
    SPV_OUT_CLOSE,   /**< close `conn` at once; `closed` is not called */
    SPV_OUT_RESOLVE, /**< look up the host named in `bytes`; its answers carry
                          the name `conn` and the port in `addr` */
    SPV_OUT_DONE     /**< nothing more is wanted; `why` is the outcome */
} spv_out_kind;

/**
 * What the machine wants done. `bytes` are borrowed until the next call of the
 * machine; a host name in them ends at `len`, with no NUL.
 */
typedef struct spv_out {
    spv_out_kind kind;
    spv_conn conn;
    spv_netaddr addr;
    const uint8_t *bytes;
    size_t len;
    spv_err why;
} spv_out;

/** The face every machine shows to a reactor. `self` comes first everywhere. */
typedef struct spv_machine {
    /** `conn` is open: it may be written to. */
    void (*opened)(void *self, spv_conn conn, spv_time now);

    /** Bytes came, in order; at least one, borrowed for the call. */
    void (*received)(void *self, spv_conn conn, const uint8_t *bytes,
                     size_t len, spv_time now);

    /**
     * `conn` could not be opened, or is gone. `why`: SPV_CLOSED if the other
     * side refused or ended it, SPV_TIMEOUT, SPV_UNSUPPORTED for an address
     * this reactor cannot reach, SPV_LIMIT if too much was waiting to be
     * written, SPV_NOMEM, SPV_IO for all else. What is said of `conn` later is
     * ignored.
     */
    void (*closed)(void *self, spv_conn conn, spv_err why, spv_time now);

    /** The look-up `conn` found `n` addresses; none if it failed. */
    void (*resolved)(void *self, spv_conn conn, const spv_netaddr *addrs,
                     size_t n, spv_time now);

    /** It is `now`, at or after the last `deadline`. */
    void (*elapsed)(void *self, spv_time now);

    /** Fills `out` with the next thing to do; false: nothing more for now. */
    bool (*next)(void *self, spv_out *out);

    /** When `elapsed` is wanted, or SPV_NEVER. */
    spv_time (*deadline)(const void *self);

    /**
     * Somebody has come to the place with this port, where the reactor listens
     * (spv_reactor_listen): the new connection is open. Its name, which the
     * machine gives it as it would to one that it asks for; 0 turns it away.
     * NULL in machines that wait for nobody.
     */
    spv_conn (*accepted)(void *self, uint16_t port, spv_time now);
} spv_machine;

#ifdef __cplusplus
}
#endif

#endif
