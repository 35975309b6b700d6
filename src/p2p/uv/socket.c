#include <stdlib.h>
#include <string.h>

#include "p2p/uv/reactor.h"

/*
 * One TCP connection, from CONNECT or `accepted` to `closed`.
 *
 * It leaves the reactor's list the moment either side ends it: from then on
 * the machine's words about it find nothing, and it only waits for libuv to
 * let go of its handle.
 */
struct spv_socket {
    uv_tcp_t tcp;
    uv_connect_t connect;
    spv_reactor *reactor;
    spv_conn conn;
    spv_socket *next;
};

/** A write under way owns its copy of the bytes. */
typedef struct pending {
    uv_write_t request;
    uint8_t bytes[];
} pending;

/** What a machine is told for an error of libuv. */
static spv_err error_of(int status)
{
    switch (status) {
    case UV_EOF:
    case UV_ECONNRESET:
    case UV_ECONNREFUSED:
    case UV_EPIPE:
        return SPV_CLOSED;
    case UV_ETIMEDOUT:
        return SPV_TIMEOUT;
    case UV_EAFNOSUPPORT:
        return SPV_UNSUPPORTED;
    case UV_ENOBUFS:
        return SPV_LIMIT;
    case UV_ENOMEM:
        return SPV_NOMEM;
    default:
        return SPV_IO;
    }
}

static spv_socket *socket_find(const spv_reactor *r, spv_conn conn)
{
    spv_socket *s = r->sockets;

    while (s && s->conn != conn)
        s = s->next;
    return s;
}

static void on_released(uv_handle_t *handle)
{
    free(handle->data);
}

static void socket_end(spv_socket *s)
{
    spv_socket **at = &s->reactor->sockets;

    while (*at != s)
        at = &(*at)->next;
    *at = s->next;
    uv_close((uv_handle_t *)&s->tcp, on_released);
}

/** The world ended a connection that the machine still believes in. */
static void socket_fail(spv_socket *s, int status)
{
    spv_reactor *r = s->reactor;
    spv_conn conn = s->conn;

    socket_end(s);
    r->face->closed(r->self, conn, error_of(status), spv__reactor_now(r));
}

static void on_allocate(uv_handle_t *handle, size_t hint, uv_buf_t *buf)
{
    spv_socket *s = handle->data;

    (void)hint;
    *buf = uv_buf_init(s->reactor->input, SPV__READ_MAX);
}

static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
    spv_socket *s = stream->data;
    spv_reactor *r = s->reactor;

    if (n == 0) /* nothing to read yet */
        return;
    if (n < 0)
        socket_fail(s, (int)n);
    else
        r->face->received(r->self, s->conn, (const uint8_t *)buf->base,
                          (size_t)n, spv__reactor_now(r));
    spv__reactor_pump(r);
}

static void on_connected(uv_connect_t *request, int status)
{
    spv_socket *s = request->data;
    spv_reactor *r = s->reactor;

    if (status == UV_ECANCELED) /* we closed it meanwhile */
        return;
    if (status == 0)
        status = uv_read_start((uv_stream_t *)&s->tcp, on_allocate, on_read);
    if (status < 0) {
        socket_fail(s, status);
    } else {
        (void)uv_tcp_nodelay(&s->tcp, 1); /* slower without, but right */
        r->face->opened(r->self, s->conn, spv__reactor_now(r));
    }
    spv__reactor_pump(r);
}

bool spv__sockaddr_of(struct sockaddr_storage *out, const spv_netaddr *addr)
{
    struct sockaddr_in *v4 = (struct sockaddr_in *)out;
    struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)out;

    memset(out, 0, sizeof(*out));
    if (addr->net == SPV__REACH_IPV4 && addr->len == sizeof(v4->sin_addr)) {
        v4->sin_family = AF_INET;
        v4->sin_port = htons(addr->port);
        memcpy(&v4->sin_addr, addr->addr, sizeof(v4->sin_addr));
        return true;
    }
    if (addr->net == SPV__REACH_IPV6 && addr->len == sizeof(v6->sin6_addr)) {
        v6->sin6_family = AF_INET6;
        v6->sin6_port = htons(addr->port);
        memcpy(&v6->sin6_addr, addr->addr, sizeof(v6->sin6_addr));
        return true;
    }
    return false;
}

/** A listed socket with a handle, or NULL and the reason in `status`. */
static spv_socket *socket_new(spv_reactor *r, spv_conn conn, int *status)
{
    spv_socket *s = calloc(1, sizeof(*s));

    *status = s ? uv_tcp_init(&r->loop, &s->tcp) : UV_ENOMEM;
    if (*status < 0) {
        free(s);
        return NULL;
    }
    s->tcp.data = s;
    s->connect.data = s;
    s->reactor = r;
    s->conn = conn;
    s->next = r->sockets;
    r->sockets = s;
    return s;
}

void spv__socket_open(spv_reactor *r, spv_conn conn, const spv_netaddr *addr)
{
    struct sockaddr_storage to;
    int status = 0;
    spv_socket *s = socket_new(r, conn, &status);

    if (!s) {
        r->face->closed(r->self, conn, error_of(status), spv__reactor_now(r));
        return;
    }
    status = UV_EAFNOSUPPORT;
    if (spv__sockaddr_of(&to, addr))
        status = uv_tcp_connect(&s->connect, &s->tcp,
                                (const struct sockaddr *)&to, on_connected);
    if (status < 0)
        socket_fail(s, status);
}

/* A connection that cannot be taken is nobody's yet, so nobody is told: to the
 * other side it is refused. */
void spv__socket_accept(spv_reactor *r, uv_stream_t *server, uint16_t port)
{
    int status = 0;
    spv_socket *s = socket_new(r, 0, &status);

    if (!s)
        return;
    status = uv_accept(server, (uv_stream_t *)&s->tcp);
    if (status == 0)
        status = uv_read_start((uv_stream_t *)&s->tcp, on_allocate, on_read);
    if (status == 0)
        s->conn = r->face->accepted(r->self, port, spv__reactor_now(r));
    if (s->conn == 0)
        socket_end(s);
    else
        (void)uv_tcp_nodelay(&s->tcp, 1);
}

static void on_written(uv_write_t *request, int status)
{
    /* A failure needs no word here: the read side fails as well. */
    (void)status;
    free(request->data);
}

void spv__socket_send(spv_reactor *r, spv_conn conn, const uint8_t *bytes,
                      size_t len)
{
    spv_socket *s = socket_find(r, conn);
    uv_stream_t *stream = s ? (uv_stream_t *)&s->tcp : NULL;
    pending *w = NULL;
    int status = UV_ENOBUFS;

    if (!s)
        return;
    if (len <= SPV__WRITE_MAX - uv_stream_get_write_queue_size(stream)) {
        w = malloc(sizeof(*w) + len);
        status = UV_ENOMEM;
    }
    if (w) {
        uv_buf_t buf = uv_buf_init((char *)w->bytes, (unsigned)len);

        w->request.data = w;
        memcpy(w->bytes, bytes, len);
        status = uv_write(&w->request, stream, &buf, 1, on_written);
    }
    if (status < 0) {
        free(w);
        socket_fail(s, status);
    }
}

void spv__socket_close(spv_reactor *r, spv_conn conn)
{
    spv_socket *s = socket_find(r, conn);

    if (s)
        socket_end(s);
}

void spv__socket_close_all(spv_reactor *r)
{
    while (r->sockets)
        socket_end(r->sockets);
}
