#ifndef SPV_UV_REACTOR_H
#define SPV_UV_REACTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <uv.h>

#include <spv/uv.h>

/*
 * What the files of the reactor share. A machine is called in three places
 * only: with a connection's news (socket.c; those that come by themselves pass
 * through listen.c first), with a look-up's (lookup.c), and
 * with the time (reactor.c); each is followed by spv__reactor_pump.
 */
enum {
    /* One read; shared, because the machine keeps what it wants. A node that
     * serves filtered blocks fills it many times a second. */
    SPV__READ_MAX = 256 * 1024,
    /* What may wait to be written to one connection. The largest message of
     * an SPV client is 36 kB, so this much waits only for a peer that has
     * stopped reading. */
    SPV__WRITE_MAX = 8 * 1024 * 1024,
    /* RFC 1035: the longest host name. */
    SPV__HOST_MAX = 253,
    /* BIP 155's ids of the networks that plain TCP reaches. */
    SPV__REACH_IPV4 = 1,
    SPV__REACH_IPV6 = 2
};

typedef struct spv_socket spv_socket;
typedef struct spv_lookup spv_lookup;
typedef struct spv_desk spv_desk;
typedef struct spv_listener spv_listener;

struct spv_reactor {
    uv_loop_t loop;
    uv_timer_t timer;
    uv_async_t stop;
    uv_async_t bell; /* rung when a look-up has an answer */
    const spv_machine *face;
    void *self;
    spv_socket *sockets; /* open or opening; closing ones are not listed */
    spv_desk *desk;      /* NULL once it is over */
    spv_listener *listeners;
    spv_err why; /* what run returns, once `over` */
    bool over;   /* the machine is not to be called any more */
    char input[SPV__READ_MAX];
};

/** Do what the machine wants now and set the timer to its next deadline. */
void spv__reactor_pump(spv_reactor *r);

/** The time as machines count it: the loop's, taken once a turn. */
spv_time spv__reactor_now(const spv_reactor *r);

/** Begin to open a connection; a failure is told to the machine. */
void spv__socket_open(spv_reactor *r, spv_conn conn, const spv_netaddr *addr);

/** Take the connection that waits at `server`; the machine names it. */
void spv__socket_accept(spv_reactor *r, uv_stream_t *server, uint16_t port);

/** False for an address that is neither IPv4 nor IPv6. */
bool spv__sockaddr_of(struct sockaddr_storage *out, const spv_netaddr *addr);

/** Write to an open connection; the bytes are copied. */
void spv__socket_send(spv_reactor *r, spv_conn conn, const uint8_t *bytes,
                      size_t len);

/** Close a connection; the machine is not told. Unknown ones are ignored. */
void spv__socket_close(spv_reactor *r, spv_conn conn);

/** Close all of them. */
void spv__socket_close_all(spv_reactor *r);

/** Listen no more. */
void spv__listeners_close(spv_reactor *r);

/** Ready to look names up; libuv's status. */
int spv__lookup_open(spv_reactor *r);

/** Begin a look-up; a failure is told to the machine as no addresses. */
void spv__lookup_begin(spv_reactor *r, const spv_out *want);

/** What is under way ends by itself, and nobody is told. */
void spv__lookup_close(spv_reactor *r);

#endif
