#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "p2p/uv/reactor.h"

/*
 * Look-ups of host names, each in a thread of its own: the system's resolver
 * may wait half a minute for a server that says nothing, and libuv's pool has
 * four threads, so four such names would hold up all others.
 *
 * A look-up cannot be broken off. Its thread leaves the answer at the desk,
 * where the reactor takes it; once nobody sits there any more, the thread
 * throws it away. Whoever leaves the desk last frees it.
 */
struct spv_desk {
    uv_mutex_t lock;
    uv_async_t *bell; /**< NULL once the reactor is over */
    spv_lookup *answered;
    size_t holders; /**< the reactor, and every thread */
};

struct spv_lookup {
    spv_desk *desk;
    spv_conn conn;
    uint16_t port;
    char host[SPV__HOST_MAX + 1];
    struct addrinfo *found; /**< NULL: nothing */
    spv_lookup *next;
};

/* ---- The desk ---- */

static void lookup_free(spv_lookup *l)
{
    if (l->found)
        freeaddrinfo(l->found);
    free(l);
}

/** Let go of the desk, which is locked. */
static void leave(spv_desk *desk)
{
    bool last = --desk->holders == 0;

    uv_mutex_unlock(&desk->lock);
    if (!last)
        return;
    uv_mutex_destroy(&desk->lock);
    free(desk);
}

/* ---- In the thread ---- */

static void *look_up(void *arg)
{
    const struct addrinfo hints = {.ai_family = AF_UNSPEC,
                                   .ai_socktype = SOCK_STREAM};
    spv_lookup *l = arg;
    spv_desk *desk = l->desk;

    if (getaddrinfo(l->host, NULL, &hints, &l->found) != 0)
        l->found = NULL;
    uv_mutex_lock(&desk->lock);
    if (desk->bell) {
        l->next = desk->answered;
        desk->answered = l;
        (void)uv_async_send(desk->bell);
    } else {
        lookup_free(l);
    }
    leave(desk);
    return NULL;
}

/** Begin the thread; it takes no signals, which are the program's. */
static bool start_thread(spv_lookup *l)
{
    pthread_attr_t attr;
    pthread_t thread;
    sigset_t all;
    sigset_t before;
    bool started = false;

    if (pthread_attr_init(&attr) != 0)
        return false;
    (void)sigfillset(&all);
    (void)pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    (void)pthread_sigmask(SIG_BLOCK, &all, &before);
    started = pthread_create(&thread, &attr, look_up, l) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    (void)pthread_attr_destroy(&attr);
    return started;
}

/* ---- In the reactor ---- */

/** False for an answer of another family. */
static bool netaddr_of(spv_netaddr *out, const struct addrinfo *info)
{
    if (info->ai_family == AF_INET) {
        const struct sockaddr_in *v4 = (const void *)info->ai_addr;

        out->net = SPV__REACH_IPV4;
        out->len = sizeof(v4->sin_addr);
        memcpy(out->addr, &v4->sin_addr, sizeof(v4->sin_addr));
        return true;
    }
    if (info->ai_family == AF_INET6) {
        const struct sockaddr_in6 *v6 = (const void *)info->ai_addr;

        out->net = SPV__REACH_IPV6;
        out->len = sizeof(v6->sin6_addr);
        memcpy(out->addr, &v6->sin6_addr, sizeof(v6->sin6_addr));
        return true;
    }
    return false;
}

/** The answers as the machine wants them, owned; their number goes to `n`. */
static spv_netaddr *answers(size_t *n, const struct addrinfo *first,
                            uint16_t port)
{
    spv_netaddr *addrs = NULL;
    size_t most = 0;

    for (const struct addrinfo *i = first; i; i = i->ai_next)
        most++;
    *n = 0;
    if (most > 0)
        addrs = calloc(most, sizeof(*addrs));
    for (const struct addrinfo *i = first; addrs && i; i = i->ai_next)
        if (netaddr_of(&addrs[*n], i))
            addrs[(*n)++].port = port;
    return addrs;
}

static void tell(spv_reactor *r, const spv_lookup *l)
{
    size_t n = 0;
    spv_netaddr *addrs = answers(&n, l->found, l->port);

    r->face->resolved(r->self, l->conn, addrs, n, spv__reactor_now(r));
    free(addrs);
    spv__reactor_pump(r);
}

static void on_bell(uv_async_t *bell)
{
    spv_reactor *r = bell->data;
    spv_lookup *l = NULL;
    spv_lookup *next = NULL;

    if (r->over)
        return;
    uv_mutex_lock(&r->desk->lock);
    l = r->desk->answered;
    r->desk->answered = NULL;
    uv_mutex_unlock(&r->desk->lock);
    for (; l; l = next) {
        next = l->next;
        if (!r->over)
            tell(r, l);
        lookup_free(l);
    }
}

int spv__lookup_open(spv_reactor *r)
{
    spv_desk *desk = calloc(1, sizeof(*desk));
    int status = desk ? uv_mutex_init(&desk->lock) : UV_ENOMEM;

    if (status == 0) {
        status = uv_async_init(&r->loop, &r->bell, on_bell);
        if (status < 0)
            uv_mutex_destroy(&desk->lock);
    }
    if (status < 0) {
        free(desk);
        return status;
    }
    desk->bell = &r->bell;
    desk->holders = 1;
    r->bell.data = r;
    r->desk = desk;
    return 0;
}

/** False when the name is no name or no thread is to be had. */
static bool lookup_start(spv_reactor *r, const spv_out *want)
{
    spv_lookup *l = NULL;

    if (want->len == 0 || want->len > SPV__HOST_MAX ||
        memchr(want->bytes, 0, want->len))
        return false;
    l = calloc(1, sizeof(*l));
    if (!l)
        return false;
    l->desk = r->desk;
    l->conn = want->conn;
    l->port = want->addr.port;
    memcpy(l->host, want->bytes, want->len);
    uv_mutex_lock(&r->desk->lock);
    r->desk->holders++;
    uv_mutex_unlock(&r->desk->lock);
    if (start_thread(l))
        return true;
    free(l);
    uv_mutex_lock(&r->desk->lock);
    leave(r->desk);
    return false;
}

void spv__lookup_begin(spv_reactor *r, const spv_out *want)
{
    spv_conn conn = want->conn;

    if (!lookup_start(r, want))
        r->face->resolved(r->self, conn, NULL, 0, spv__reactor_now(r));
}

void spv__lookup_close(spv_reactor *r)
{
    spv_lookup *l = NULL;
    spv_lookup *next = NULL;

    uv_mutex_lock(&r->desk->lock);
    r->desk->bell = NULL;
    l = r->desk->answered;
    r->desk->answered = NULL;
    for (; l; l = next) {
        next = l->next;
        lookup_free(l);
    }
    leave(r->desk);
    r->desk = NULL;
}
