#ifndef SPV_UV_H
#define SPV_UV_H

#include <spv/err.h>
#include <spv/export.h>
#include <spv/machine.h>

/*
 * The reactor over libuv: what lets a machine (spv/machine.h) reach the world.
 *
 * It opens, accepts and closes TCP connections over IPv4 and IPv6, reads,
 * writes, looks names up, and tells the machine the time. Nothing in it knows
 * Bitcoin, and nothing of libuv shows through this header.
 */

#ifdef __cplusplus
extern "C" {
#endif

typedef struct spv_reactor spv_reactor;

/**
 * A reactor for one machine, to be freed with spv_reactor_free.
 *
 * `face` and `self` are borrowed until then. SPV_NOMEM, or SPV_IO when the
 * system has no descriptors left.
 */
SPV_API SPV_MUST_USE spv_err spv_reactor_new(spv_reactor **out,
                                             const spv_machine *face,
                                             void *self);

/**
 * Listen for connections, which the machine is then told of (`accepted`), until
 * the reactor is over. Before or between runs; for as many places as wanted.
 *
 * `addr` is a place of this computer, whose port may be 0: any that is free.
 * The one that it came to is told in `port`. SPV_INVAL if the machine accepts
 * nobody; SPV_UNSUPPORTED for an address that is neither IPv4 nor IPv6,
 * SPV_EXISTS if the port is taken, SPV_NOT_FOUND if this computer has no such
 * address, SPV_NOMEM, SPV_IO.
 */
SPV_API SPV_MUST_USE spv_err spv_reactor_listen(spv_reactor *reactor,
                                                const spv_netaddr *addr,
                                                uint16_t *port);

/**
 * Drive the machine until it is done or the reactor is stopped, then close
 * every connection. Once only.
 *
 * Returns the machine's own outcome (SPV_OUT_DONE), or SPV_INTERRUPTED after
 * spv_reactor_stop. The machine is called from this thread and only before
 * this returns. SIGPIPE is blocked in this thread meanwhile, so that a peer
 * that vanishes cannot end the program; a broken standard output then shows
 * as EPIPE.
 */
SPV_API SPV_MUST_USE spv_err spv_reactor_run(spv_reactor *reactor);

/**
 * Make spv_reactor_run return soon, even if it has not begun.
 *
 * Safe in a signal handler and from any thread, until spv_reactor_free.
 */
SPV_API void spv_reactor_stop(spv_reactor *reactor);

/**
 * Free a reactor that is not running; NULL is allowed.
 *
 * A look-up under way cannot be broken off: its thread ends later by itself,
 * and touches nothing of the reactor or the machine.
 */
SPV_API void spv_reactor_free(spv_reactor *reactor);

#ifdef __cplusplus
}
#endif

#endif
