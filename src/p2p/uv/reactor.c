#include "p2p/uv/reactor.h"

#include <signal.h>
#include <stdlib.h>
#include <time.h>

/** Whether a SIGPIPE is waiting to be delivered to this thread. */
static bool sigpipe_waits(void)
{
    sigset_t waiting;

    return sigpending(&waiting) == 0 && sigismember(&waiting, SIGPIPE) == 1;
}

spv_time spv__reactor_now(const spv_reactor *r)
{
    return (spv_time)uv_now(&r->loop);
}

/** The reactor is over: all that hangs in the world is let go. The loop, which
 * looks at timers before it waits, may have nothing left to wake it. */
static void finish(spv_reactor *r, spv_err why)
{
    if (r->over)
        return;
    r->over = true;
    r->why = why;
    (void)uv_timer_stop(&r->timer);
    spv__listeners_close(r);
    spv__socket_close_all(r);
    spv__lookup_close(r);
    (void)uv_async_send(&r->stop);
}

static void perform(spv_reactor *r, const spv_out *out)
{
    switch (out->kind) {
    case SPV_OUT_CONNECT:
        spv__socket_open(r, out->conn, &out->addr);
        break;
    case SPV_OUT_SEND:
        spv__socket_send(r, out->conn, out->bytes, out->len);
        break;
    case SPV_OUT_CLOSE:
        spv__socket_close(r, out->conn);
        break;
    case SPV_OUT_RESOLVE:
        spv__lookup_begin(r, out);
        break;
    case SPV_OUT_DONE:
        finish(r, out->why);
        break;
    }
}

static void on_time(uv_timer_t *timer)
{
    spv_reactor *r = timer->data;

    r->face->elapsed(r->self, spv__reactor_now(r));
    spv__reactor_pump(r);
}

static void set_timer(spv_reactor *r)
{
    spv_time at = r->face->deadline(r->self);
    spv_time now = spv__reactor_now(r);

    if (at == SPV_NEVER)
        (void)uv_timer_stop(&r->timer);
    else
        (void)uv_timer_start(&r->timer, on_time,
                             at > now ? (uint64_t)(at - now) : 0, 0);
}

void spv__reactor_pump(spv_reactor *r)
{
    spv_out out = {0};

    while (!r->over && r->face->next(r->self, &out)) {
        perform(r, &out);
        out = (spv_out){0};
    }
    if (!r->over)
        set_timer(r);
}

static void on_stop(uv_async_t *stop)
{
    finish(stop->data, SPV_INTERRUPTED);
}

static spv_err error_of(int status)
{
    return status == UV_ENOMEM ? SPV_NOMEM : SPV_IO;
}

static int open_handles(spv_reactor *r)
{
    int status = uv_async_init(&r->loop, &r->stop, on_stop);

    if (status < 0)
        return status;
    r->stop.data = r;
    status = spv__lookup_open(r);
    if (status < 0) {
        uv_close((uv_handle_t *)&r->stop, NULL);
        (void)uv_run(&r->loop, UV_RUN_DEFAULT);
        return status;
    }
    (void)uv_timer_init(&r->loop, &r->timer); /* cannot fail */
    r->timer.data = r;
    return 0;
}

spv_err spv_reactor_new(spv_reactor **out, const spv_machine *face, void *self)
{
    spv_reactor *r = calloc(1, sizeof(*r));
    int status = r ? uv_loop_init(&r->loop) : UV_ENOMEM;

    *out = NULL;
    if (status < 0) {
        free(r);
        return error_of(status);
    }
    status = open_handles(r);
    if (status < 0) {
        (void)uv_loop_close(&r->loop);
        free(r);
        return error_of(status);
    }
    r->face = face;
    r->self = self;
    *out = r;
    return SPV_OK;
}

/*
 * libuv writes to sockets with write(2), which raises SIGPIPE when the other
 * side is gone. It is blocked here rather than ignored, because a library has
 * no say over its process's handlers; one that was raised meanwhile is eaten.
 */
spv_err spv_reactor_run(spv_reactor *r)
{
    const struct timespec at_once = {0};
    sigset_t pipe;
    sigset_t before;
    bool waited = sigpipe_waits();

    (void)sigemptyset(&pipe);
    (void)sigaddset(&pipe, SIGPIPE);
    (void)pthread_sigmask(SIG_BLOCK, &pipe, &before);
    uv_update_time(&r->loop);
    spv__reactor_pump(r);
    while (!r->over)
        (void)uv_run(&r->loop, UV_RUN_ONCE);
    if (!waited && sigpipe_waits())
        (void)sigtimedwait(&pipe, NULL, &at_once);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return r->why;
}

void spv_reactor_stop(spv_reactor *r)
{
    (void)uv_async_send(&r->stop);
}

void spv_reactor_free(spv_reactor *r)
{
    if (!r)
        return;
    finish(r, SPV_INTERRUPTED);
    uv_close((uv_handle_t *)&r->timer, NULL);
    uv_close((uv_handle_t *)&r->stop, NULL);
    uv_close((uv_handle_t *)&r->bell, NULL);
    (void)uv_run(&r->loop, UV_RUN_DEFAULT); /* until every handle has closed */
    (void)uv_loop_close(&r->loop);
    free(r);
}
