#include <stdlib.h>
#include <string.h>

#include "p2p/uv/reactor.h"

/*
 * One look-up of a host name, in libuv's thread pool.
 *
 * It cannot be broken off once a thread has taken it; so an answer that comes
 * after the machine is done is thrown away.
 */
struct spv_lookup {
    uv_getaddrinfo_t request;
    spv_reactor *reactor;
    spv_conn conn;
    uint16_t port;
    spv_lookup *next;
};

static void lookup_end(spv_lookup *l)
{
    spv_lookup **at = &l->reactor->lookups;

    while (*at != l)
        at = &(*at)->next;
    *at = l->next;
    free(l);
}

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

static void on_looked_up(uv_getaddrinfo_t *request, int status,
                         struct addrinfo *found)
{
    spv_lookup *l = request->data;
    spv_reactor *r = l->reactor;
    spv_conn conn = l->conn;
    size_t n = 0;
    spv_netaddr *addrs = answers(&n, status == 0 ? found : NULL, l->port);

    lookup_end(l);
    if (!r->over) {
        r->face->resolved(r->self, conn, addrs, n, spv__reactor_now(r));
        spv__reactor_pump(r);
    }
    free(addrs);
    uv_freeaddrinfo(found);
}

/** False when the name is no name or the pool does not take it. */
static bool lookup_start(spv_reactor *r, const spv_out *want)
{
    const struct addrinfo hints = {.ai_family = AF_UNSPEC,
                                   .ai_socktype = SOCK_STREAM};
    char host[SPV__HOST_MAX + 1] = {0};
    spv_lookup *l;

    if (want->len == 0 || want->len > SPV__HOST_MAX ||
        memchr(want->bytes, 0, want->len))
        return false;
    memcpy(host, want->bytes, want->len);
    l = calloc(1, sizeof(*l));
    if (!l)
        return false;
    *l = (spv_lookup){.reactor = r,
                      .conn = want->conn,
                      .port = want->addr.port,
                      .next = r->lookups};
    l->request.data = l;
    r->lookups = l;
    if (uv_getaddrinfo(&r->loop, &l->request, on_looked_up, host, NULL,
                       &hints) == 0)
        return true;
    lookup_end(l);
    return false;
}

void spv__lookup_begin(spv_reactor *r, const spv_out *want)
{
    spv_conn conn = want->conn;

    if (!lookup_start(r, want))
        r->face->resolved(r->self, conn, NULL, 0, spv__reactor_now(r));
}

void spv__lookup_cancel_all(spv_reactor *r)
{
    for (spv_lookup *l = r->lookups; l; l = l->next)
        (void)uv_cancel((uv_req_t *)&l->request);
}
