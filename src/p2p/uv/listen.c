#include <stdlib.h>

#include "p2p/uv/reactor.h"

/** A place where connections are waited for. */
struct spv_listener {
    uv_tcp_t tcp;
    spv_reactor *reactor;
    uint16_t port;
    spv_listener *next;
};

/** As many may wait to be accepted. */
enum { BACKLOG = 64 };

static spv_err error_of(int status)
{
    switch (status) {
    case 0:
        return SPV_OK;
    case UV_EADDRINUSE:
        return SPV_EXISTS;
    case UV_EADDRNOTAVAIL:
        return SPV_NOT_FOUND;
    case UV_EAFNOSUPPORT:
        return SPV_UNSUPPORTED;
    case UV_ENOMEM:
        return SPV_NOMEM;
    default:
        return SPV_IO;
    }
}

static void on_released(uv_handle_t *handle)
{
    free(handle->data);
}

void spv__listeners_close(spv_reactor *r)
{
    while (r->listeners) {
        spv_listener *l = r->listeners;

        r->listeners = l->next;
        uv_close((uv_handle_t *)&l->tcp, on_released);
    }
}

static void on_connection(uv_stream_t *server, int status)
{
    spv_listener *l = server->data;

    if (status < 0) /* that one is lost; others may come */
        return;
    spv__socket_accept(l->reactor, server, l->port);
    spv__reactor_pump(l->reactor);
}

/** The port in an IPv4 or IPv6 address: both have it in the same place. */
static int port_of(const uv_tcp_t *tcp, uint16_t *port)
{
    struct sockaddr_storage at = {0};
    int len = sizeof(at);
    int status = uv_tcp_getsockname(tcp, (struct sockaddr *)&at, &len);

    *port = ntohs(((const struct sockaddr_in *)&at)->sin_port);
    return status;
}

static int begin(spv_listener *l, const struct sockaddr_storage *at)
{
    int status = uv_tcp_bind(&l->tcp, (const struct sockaddr *)at, 0);

    if (status == 0)
        status = uv_listen((uv_stream_t *)&l->tcp, BACKLOG, on_connection);
    if (status == 0)
        status = port_of(&l->tcp, &l->port);
    return status;
}

spv_err spv_reactor_listen(spv_reactor *r, const spv_netaddr *addr,
                           uint16_t *port)
{
    struct sockaddr_storage at;
    spv_listener *l;
    int status;

    if (!r->face->accepted)
        return SPV_INVAL;
    if (!spv__sockaddr_of(&at, addr))
        return SPV_UNSUPPORTED;
    l = calloc(1, sizeof(*l));
    status = l ? uv_tcp_init(&r->loop, &l->tcp) : UV_ENOMEM;
    if (status < 0) {
        free(l);
        return error_of(status);
    }
    l->tcp.data = l;
    l->reactor = r;
    status = begin(l, &at);
    if (status < 0) {
        uv_close((uv_handle_t *)&l->tcp, on_released);
        return error_of(status);
    }
    l->next = r->listeners;
    r->listeners = l;
    *port = l->port;
    return SPV_OK;
}
