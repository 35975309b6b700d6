#ifndef SPV_UV_H
#define SPV_UV_H

#include <spv/err.h>
#include <spv/export.h>
#include <spv/machine.h>

/*
 * The reactor over libuv: what lets a machine (spv/machine.h) reach the world.
 *
 * It opens and closes TCP connections over IPv4 and IPv6, reads, writes, looks
 * names up, and tells the machine the time. Nothing in it knows Bitcoin, and
 * nothing of libuv shows through this header.
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
 * A look-up under way cannot be broken off: this waits for it.
 */
SPV_API void spv_reactor_free(spv_reactor *reactor);

#ifdef __cplusplus
}
#endif

#endif
