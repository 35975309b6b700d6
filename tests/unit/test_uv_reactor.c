/* For RTLD_NEXT. */
#define _GNU_SOURCE

#include "cmocka_all.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <netdb.h>
#include <netinet/in.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <spv/uv.h>

/*
 * A small machine against real sockets on the loopback.
 *
 * The other end of its connection is a socket that the test itself accepts,
 * reads and writes from inside the machine's callbacks, on the same thread: the
 * kernel holds the bytes meanwhile, so nothing here sleeps or races.
 */
enum { CONN = 7, OUTS_MAX = 8, TICK_MS = 2 };
enum { MEGABYTE = 1024 * 1024, A_LOT = 4 * MEGABYTE, TOO_MUCH = 9 * MEGABYTE };

typedef struct probe probe;

struct probe {
    void (*on_opened)(probe *p);
    void (*on_tick)(probe *p); /* each TICK_MS while set */
    spv_out outs[OUTS_MAX];    /* wanted, in order */
    size_t n_outs;
    spv_time due;
    spv_reactor *reactor;
    int listener;
    int other; /* the other end of the connection, once accepted */
    size_t ticks;
    size_t opened;
    size_t closed;
    spv_err why;
    char got[64];
    size_t got_len;
    size_t got_total;
    bool early; /* elapsed before the deadline */
    size_t answers;
    spv_netaddr answer;
    spv_conn answer_conn;
    size_t resolved;
    uint16_t came_to; /* where one was accepted */
    bool turns_away;
};

static void want(probe *p, spv_out out)
{
    assert_true(p->n_outs < OUTS_MAX);
    p->outs[p->n_outs++] = out;
}

static void want_send(probe *p, const void *bytes, size_t len)
{
    want(p,
         (spv_out){
             .kind = SPV_OUT_SEND, .conn = CONN, .bytes = bytes, .len = len});
}

static void want_done(probe *p, spv_err why)
{
    want(p, (spv_out){.kind = SPV_OUT_DONE, .why = why});
}

/* The machine's face. */

static void opened(void *self, spv_conn conn, spv_time now)
{
    probe *p = self;

    assert_int_equal(conn, CONN);
    p->opened++;
    p->due = now + TICK_MS;
    p->other = accept(p->listener, NULL, NULL);
    assert_true(p->other >= 0);
    if (p->on_opened)
        p->on_opened(p);
}

static void received(void *self, spv_conn conn, const uint8_t *bytes,
                     size_t len, spv_time now)
{
    probe *p = self;
    size_t room = sizeof(p->got) - 1 - p->got_len;
    size_t kept = len < room ? len : room;

    (void)now;
    assert_int_equal(conn, CONN);
    assert_true(len > 0);
    memcpy(p->got + p->got_len, bytes, kept);
    p->got_len += kept;
    p->got_total += len;
}

static void closed(void *self, spv_conn conn, spv_err why, spv_time now)
{
    probe *p = self;

    (void)now;
    assert_int_equal(conn, CONN);
    p->closed++;
    p->why = why;
    want_done(p, SPV_NO_PEER);
}

static void resolved(void *self, spv_conn conn, const spv_netaddr *addrs,
                     size_t n, spv_time now)
{
    probe *p = self;

    (void)now;
    p->resolved++;
    p->answers = n;
    p->answer_conn = conn;
    if (n > 0)
        p->answer = addrs[0];
    want_done(p, SPV_OK);
}

static void elapsed(void *self, spv_time now)
{
    probe *p = self;

    p->early |= now < p->due;
    p->due = now + TICK_MS;
    p->ticks++;
    p->on_tick(p);
}

static bool next(void *self, spv_out *out)
{
    probe *p = self;

    if (p->n_outs == 0)
        return false;
    *out = p->outs[0];
    memmove(p->outs, p->outs + 1, --p->n_outs * sizeof(p->outs[0]));
    return true;
}

static spv_time deadline(const void *self)
{
    const probe *p = self;

    return p->on_tick ? p->due : SPV_NEVER;
}

static const spv_machine face = {
    .opened = opened,
    .received = received,
    .closed = closed,
    .resolved = resolved,
    .elapsed = elapsed,
    .next = next,
    .deadline = deadline,
};

/* The other end. */

static int listen_on(struct sockaddr *at, socklen_t len)
{
    int fd = socket(at->sa_family, SOCK_STREAM, 0);

    assert_true(fd >= 0);
    if (bind(fd, at, len) != 0 || listen(fd, 1) != 0) {
        (void)close(fd);
        return -1;
    }
    assert_int_equal(getsockname(fd, at, &len), 0);
    return fd;
}

static spv_netaddr listen_v4(probe *p)
{
    struct sockaddr_in at = {.sin_family = AF_INET};
    spv_netaddr addr = {.net = 1, .len = 4, .addr = {127, 0, 0, 1}};

    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    p->listener = listen_on((struct sockaddr *)&at, sizeof(at));
    assert_true(p->listener >= 0);
    addr.port = ntohs(at.sin_port);
    return addr;
}

static void want_connection(probe *p)
{
    want(p, (spv_out){
                .kind = SPV_OUT_CONNECT, .conn = CONN, .addr = listen_v4(p)});
}

/** Hang up so that the client's next write meets a reset. */
static void hang_up(probe *p, bool hard)
{
    struct linger none = {.l_onoff = 1, .l_linger = 0};

    if (hard)
        (void)setsockopt(p->other, SOL_SOCKET, SO_LINGER, &none, sizeof(none));
    (void)close(p->other);
    p->other = -1;
}

static spv_err run(probe *p)
{
    spv_err err;

    assert_int_equal(spv_reactor_new(&p->reactor, &face, p), SPV_OK);
    err = spv_reactor_run(p->reactor);
    spv_reactor_free(p->reactor);
    return err;
}

static int new_probe(void **state)
{
    probe *p = calloc(1, sizeof(*p));

    assert_non_null(p);
    p->listener = -1;
    p->other = -1;
    *state = p;
    return 0;
}

static int free_probe(void **state)
{
    probe *p = *state;

    if (p->listener >= 0)
        (void)close(p->listener);
    if (p->other >= 0)
        (void)close(p->other);
    free(p);
    return 0;
}

/* Connections. */

static void greet(probe *p)
{
    want_send(p, "hello", 5);
}

/* Ticks may come faster than bytes: the other end never waits for them. */
static void echo_then_done(probe *p)
{
    char bytes[64];
    ssize_t n = recv(p->other, bytes, sizeof(bytes), MSG_DONTWAIT);

    if (n > 0)
        assert_int_equal(send(p->other, bytes, (size_t)n, 0), n);
    if (p->got_len > 0)
        want_done(p, SPV_OK);
}

static void bytes_go_out_and_come_back(void **state)
{
    probe *p = *state;

    p->on_opened = greet;
    p->on_tick = echo_then_done;
    p->due = SPV_NEVER; /* `opened` sets it */
    want_connection(p);
    assert_int_equal(run(p), SPV_OK);
    assert_string_equal(p->got, "hello");
    assert_int_equal(p->opened, 1);
    assert_int_equal(p->closed, 0);
}

static void ipv6_is_reached_too(void **state)
{
    probe *p = *state;
    struct sockaddr_in6 at = {.sin6_family = AF_INET6,
                              .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    spv_out out = {.kind = SPV_OUT_CONNECT, .conn = CONN};

    p->listener = listen_on((struct sockaddr *)&at, sizeof(at));
    if (p->listener < 0)
        skip(); /* this machine has no IPv6 */
    out.addr = (spv_netaddr){.net = 2, .len = 16, .addr = {[15] = 1}};
    out.addr.port = ntohs(at.sin6_port);
    p->on_opened = greet;
    p->on_tick = echo_then_done;
    p->due = SPV_NEVER;
    want(p, out);
    assert_int_equal(run(p), SPV_OK);
    assert_string_equal(p->got, "hello");
}

static void hang_up_softly(probe *p)
{
    hang_up(p, false);
}

static void the_other_side_s_end_is_told(void **state)
{
    probe *p = *state;

    p->on_opened = hang_up_softly;
    want_connection(p);
    assert_int_equal(run(p), SPV_NO_PEER);
    assert_int_equal(p->closed, 1);
    assert_int_equal(p->why, SPV_CLOSED);
}

static void refused_connection_is_told(void **state)
{
    probe *p = *state;

    want_connection(p);
    (void)close(p->listener);
    p->listener = -1;
    assert_int_equal(run(p), SPV_NO_PEER);
    assert_int_equal(p->opened, 0);
    assert_int_equal(p->closed, 1);
    assert_int_equal(p->why, SPV_CLOSED);
}

static void other_networks_are_told_apart(void **state)
{
    static const spv_netaddr cases[] = {
        {.net = 4, .len = 32, .port = 8333}, /* Tor v3 */
        {.net = 1, .len = 16, .port = 8333}, /* IPv4 of a wrong length */
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        probe p = {.listener = -1, .other = -1};

        want(&p, (spv_out){
                     .kind = SPV_OUT_CONNECT, .conn = CONN, .addr = cases[i]});
        assert_int_equal(run(&p), SPV_NO_PEER);
        assert_int_equal(p.closed, 1);
        assert_int_equal(p.why, SPV_UNSUPPORTED);
    }
}

static void leave(probe *p)
{
    want(p, (spv_out){.kind = SPV_OUT_CLOSE, .conn = CONN});
    want_send(p, "late", 4);
    want(p, (spv_out){.kind = SPV_OUT_CLOSE, .conn = CONN});
}

static void see_the_end(probe *p)
{
    char byte;
    ssize_t n = recv(p->other, &byte, 1, MSG_DONTWAIT);

    assert_true(n <= 0);
    if (n == 0)
        want_done(p, SPV_OK);
}

static void own_close_is_not_told_and_ends_all_writing(void **state)
{
    probe *p = *state;

    p->on_opened = leave;
    p->on_tick = see_the_end;
    p->due = SPV_NEVER;
    want_connection(p);
    assert_int_equal(run(p), SPV_OK);
    assert_int_equal(p->closed, 0);
}

/* Writing. */

static const uint8_t big[TOO_MUCH];

static void send_a_lot(probe *p)
{
    want_send(p, big, A_LOT);
}

static void drain(probe *p)
{
    static uint8_t sink[MEGABYTE];
    ssize_t n;

    while ((n = recv(p->other, sink, sizeof(sink), MSG_DONTWAIT)) > 0)
        p->got_total += (size_t)n;
    if (p->got_total == A_LOT)
        want_done(p, SPV_OK);
}

static void more_than_the_kernel_holds_arrives_whole(void **state)
{
    probe *p = *state;

    p->on_opened = send_a_lot;
    p->on_tick = drain;
    p->due = SPV_NEVER;
    want_connection(p);
    assert_int_equal(run(p), SPV_OK);
}

static void send_too_much(probe *p)
{
    want_send(p, big, sizeof(big));
}

static void what_waits_to_be_written_is_bounded(void **state)
{
    probe *p = *state;

    p->on_opened = send_too_much;
    want_connection(p);
    assert_int_equal(run(p), SPV_NO_PEER);
    assert_int_equal(p->why, SPV_LIMIT);
}

static void write_after_reset(probe *p)
{
    hang_up(p, true);
    want_send(p, "one", 3);
    want_send(p, "two", 3);
}

static void peer_that_vanishes_raises_no_signal(void **state)
{
    probe *p = *state;
    sigset_t waiting;

    p->on_opened = write_after_reset;
    want_connection(p);
    assert_int_equal(run(p), SPV_NO_PEER);
    assert_int_equal(p->why, SPV_CLOSED);
    assert_int_equal(sigpending(&waiting), 0);
    assert_false(sigismember(&waiting, SIGPIPE));
}

/* Names. */

static sem_t server_answers;

/** The system's resolver, but for names whose server says nothing for long. */
int getaddrinfo(const char *host, const char *service,
                const struct addrinfo *hints, struct addrinfo **found)
{
    int (*real)(const char *, const char *, const struct addrinfo *,
                struct addrinfo **) = NULL;
    void *symbol = dlsym(RTLD_NEXT, "getaddrinfo");

    if (strncmp(host, "silent.", 7) == 0) {
        while (sem_wait(&server_answers) != 0)
            ;
        return EAI_AGAIN;
    }
    memcpy(&real, &symbol, sizeof(real));
    return real(host, service, hints, found);
}

/** More of them than libuv's pool has threads; and nobody waits for them. */
static void names_without_an_answer_hold_up_no_other(void **state)
{
    static const char silent[] = "silent.example";
    static const char good[] = "127.0.0.3";
    probe *p = *state;

    assert_int_equal(sem_init(&server_answers, 0, 0), 0);
    for (spv_conn i = 1; i <= OUTS_MAX; i++)
        want(p,
             (spv_out){.kind = SPV_OUT_RESOLVE,
                       .conn = i,
                       .bytes = (const uint8_t *)(i < OUTS_MAX ? silent : good),
                       .len = strlen(i < OUTS_MAX ? silent : good)});
    assert_int_equal(run(p), SPV_OK);
    assert_int_equal(p->resolved, 1);
    assert_int_equal(p->answer_conn, OUTS_MAX);
    assert_int_equal(p->answer.addr[3], 3);
    for (int i = 1; i < OUTS_MAX; i++)
        assert_int_equal(sem_post(&server_answers), 0);
}

static void names_are_looked_up(void **state)
{
    char longest[300];
    const struct {
        const char *name;
        size_t len;
        uint8_t net; /* of the first answer; 0: none at all */
        uint8_t last_byte;
    } cases[] = {
        {"127.0.0.1", 9, 1, 1},
        {"127.0.0.12 is cut", 10, 1, 12},
        {"::1", 3, 2, 1},
        {"", 0, 0, 0},
        {"127.0.0.1\0.evil", 15, 0, 0},
        {longest, sizeof(longest), 0, 0},
    };

    (void)state;
    memset(longest, 'a', sizeof(longest));
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        probe p = {.listener = -1, .other = -1};

        want(&p, (spv_out){.kind = SPV_OUT_RESOLVE,
                           .conn = CONN,
                           .addr.port = 18444,
                           .bytes = (const uint8_t *)cases[i].name,
                           .len = cases[i].len});
        assert_int_equal(run(&p), SPV_OK);
        assert_int_equal(p.resolved, 1);
        assert_int_equal(p.answer_conn, CONN);
        assert_int_equal(p.answer.net, cases[i].net);
        assert_int_equal(p.answers > 0, cases[i].net != 0);
        if (p.answers > 0) {
            assert_int_equal(p.answer.port, 18444);
            assert_int_equal(p.answer.addr[p.answer.len - 1],
                             cases[i].last_byte);
        }
    }
}

/* Time and the end. */

static void count_to_five(probe *p)
{
    if (p->ticks == 5)
        want_done(p, SPV_TIMEOUT);
}

static void time_is_told_when_wanted_and_never_early(void **state)
{
    probe *p = *state;

    p->on_tick = count_to_five;
    assert_int_equal(run(p), SPV_TIMEOUT);
    assert_int_equal(p->ticks, 5);
    assert_false(p->early);
}

static void end_at_once(probe *p)
{
    want_done(p, SPV_NO_PEER);
}

/** Its first deadline is now, and then nothing is left to wait for. */
static void it_ends_at_a_deadline_that_is_now(void **state)
{
    probe *p = *state;

    p->on_tick = end_at_once;
    (void)alarm(20); /* the end, if it sleeps */
    assert_int_equal(run(p), SPV_NO_PEER);
    (void)alarm(0);
    assert_int_equal(p->ticks, 1);
}

static spv_reactor *to_stop;

static void on_signal(int number)
{
    (void)number;
    spv_reactor_stop(to_stop);
}

static void raise_signal(probe *p)
{
    if (p->ticks == 3)
        assert_int_equal(raise(SIGUSR1), 0);
}

static void signal_handler_may_stop_it(void **state)
{
    probe *p = *state;
    struct sigaction ours = {.sa_handler = on_signal};
    struct sigaction before;

    assert_int_equal(sigaction(SIGUSR1, &ours, &before), 0);
    p->on_tick = raise_signal;
    want_connection(p);
    assert_int_equal(spv_reactor_new(&p->reactor, &face, p), SPV_OK);
    to_stop = p->reactor;
    assert_int_equal(spv_reactor_run(p->reactor), SPV_INTERRUPTED);
    spv_reactor_free(p->reactor);
    assert_int_equal(sigaction(SIGUSR1, &before, NULL), 0);
    assert_int_equal(p->closed, 0);
}

static void stop_before_run_is_not_lost(void **state)
{
    probe *p = *state;

    assert_int_equal(spv_reactor_new(&p->reactor, &face, p), SPV_OK);
    spv_reactor_stop(p->reactor);
    assert_int_equal(spv_reactor_run(p->reactor), SPV_INTERRUPTED);
    spv_reactor_free(p->reactor);
}

static void reactor_that_never_ran_is_freed(void **state)
{
    probe *p = *state;

    want_connection(p);
    assert_int_equal(spv_reactor_new(&p->reactor, &face, p), SPV_OK);
    spv_reactor_free(p->reactor);
    spv_reactor_free(NULL);
    assert_int_equal(p->opened + p->closed, 0);
}

/* Listening. The other end is the test's own socket again, which connects while
 * nobody has accepted yet: the kernel lets it. */

static spv_conn accept_one(void *self, uint16_t port, spv_time now)
{
    probe *p = self;

    p->came_to = port;
    p->due = now + TICK_MS;
    if (p->turns_away)
        return 0;
    greet(p);
    return CONN;
}

static spv_machine listening_face(void)
{
    spv_machine m = face;

    m.accepted = accept_one;
    return m;
}

static int connect_to(uint16_t port)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(port)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&at, sizeof(at)), 0);
    return fd;
}

static const spv_netaddr any_loopback = {
    .net = 1, .len = 4, .addr = {127, 0, 0, 1}};

static void who_comes_is_accepted_and_answered(void **state)
{
    probe *p = *state;
    const spv_machine m = listening_face();
    uint16_t ports[2] = {0};

    assert_int_equal(spv_reactor_new(&p->reactor, &m, p), SPV_OK);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(
            spv_reactor_listen(p->reactor, &any_loopback, &ports[i]), SPV_OK);
    assert_true(ports[0] != 0 && ports[1] != 0 && ports[0] != ports[1]);
    p->other = connect_to(ports[1]);
    p->on_tick = echo_then_done;
    assert_int_equal(spv_reactor_run(p->reactor), SPV_OK);
    spv_reactor_free(p->reactor);
    assert_int_equal(p->came_to, ports[1]);
    assert_string_equal(p->got, "hello");
}

static void who_is_turned_away_sees_the_end(void **state)
{
    probe *p = *state;
    const spv_machine m = listening_face();
    uint16_t port = 0;

    assert_int_equal(spv_reactor_new(&p->reactor, &m, p), SPV_OK);
    assert_int_equal(spv_reactor_listen(p->reactor, &any_loopback, &port),
                     SPV_OK);
    p->turns_away = true;
    p->other = connect_to(port);
    p->on_tick = see_the_end;
    assert_int_equal(spv_reactor_run(p->reactor), SPV_OK);
    spv_reactor_free(p->reactor);
    assert_int_equal(p->came_to, port);
    assert_int_equal(p->opened + p->closed, 0);
}

static void places_that_cannot_be_had_are_told_apart(void **state)
{
    probe *p = *state;
    const spv_machine m = listening_face();
    spv_netaddr taken = listen_v4(p);
    spv_netaddr onion = {.net = 4, .len = 32};
    spv_netaddr elsewhere = {.net = 1, .len = 4, .addr = {192, 0, 2, 1}};
    uint16_t port = 0;

    assert_int_equal(spv_reactor_new(&p->reactor, &face, p), SPV_OK);
    assert_int_equal(spv_reactor_listen(p->reactor, &any_loopback, &port),
                     SPV_INVAL);
    spv_reactor_free(p->reactor);
    assert_int_equal(spv_reactor_new(&p->reactor, &m, p), SPV_OK);
    assert_int_equal(spv_reactor_listen(p->reactor, &taken, &port), SPV_EXISTS);
    assert_int_equal(spv_reactor_listen(p->reactor, &onion, &port),
                     SPV_UNSUPPORTED);
    assert_int_equal(spv_reactor_listen(p->reactor, &elsewhere, &port),
                     SPV_NOT_FOUND);
    spv_reactor_free(p->reactor);
}

#define PROBE_TEST(f) cmocka_unit_test_setup_teardown(f, new_probe, free_probe)

int main(void)
{
    const struct CMUnitTest tests[] = {
        PROBE_TEST(bytes_go_out_and_come_back),
        PROBE_TEST(ipv6_is_reached_too),
        PROBE_TEST(the_other_side_s_end_is_told),
        PROBE_TEST(refused_connection_is_told),
        PROBE_TEST(other_networks_are_told_apart),
        PROBE_TEST(own_close_is_not_told_and_ends_all_writing),
        PROBE_TEST(more_than_the_kernel_holds_arrives_whole),
        PROBE_TEST(what_waits_to_be_written_is_bounded),
        PROBE_TEST(peer_that_vanishes_raises_no_signal),
        PROBE_TEST(names_are_looked_up),
        PROBE_TEST(names_without_an_answer_hold_up_no_other),
        PROBE_TEST(time_is_told_when_wanted_and_never_early),
        PROBE_TEST(it_ends_at_a_deadline_that_is_now),
        PROBE_TEST(signal_handler_may_stop_it),
        PROBE_TEST(stop_before_run_is_not_lost),
        PROBE_TEST(reactor_that_never_ran_is_freed),
        PROBE_TEST(who_comes_is_accepted_and_answered),
        PROBE_TEST(who_is_turned_away_sees_the_end),
        PROBE_TEST(places_that_cannot_be_had_are_told_apart),
    };

    return cmocka_run_group_tests_name("uv.reactor", tests, NULL, NULL);
}
