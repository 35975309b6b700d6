/*
 * null_client: the least a BIP 37 client can do, as fast as a node lets it.
 *
 *   null_client --connect 127.0.0.1:18444 --filter wallet.hex
 *
 * Handshake, all headers, one filter (a filterload payload in hex), then every
 * filtered block asked for in batches of 2,000 without waiting; the answers are
 * counted and thrown away. Nothing is checked. What remains is the time that
 * the node itself needs, and so the yardstick for a client that does check.
 *
 * Prints one JSON line. `--headers N` stops after N headers. `--share K/N` asks
 * for the K-th of N equal runs of blocks: N of these at once, each at a node of
 * its own, are the least that a client of N nodes can do.
 */
#include <errno.h>
#include <inttypes.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <spv/network.h>

#include "base/hex.h"
#include "wire/frame.h"
#include "wire/message.h"

enum { BATCH = 2000, READ_MAX = 1 << 18, IDLE_MS = 30000, NO_LIMIT = -1 };

typedef struct null_client {
    const spv_network *network;
    const char *host;
    const char *port;
    spv_buf filter; /* filterload payload; empty: headers only */
    long headers_max;
    size_t share; /* which run of blocks, of how many; the first is 0 */
    size_t shares;
    size_t wanted; /* blocks in that run */
    int fd;
    spv_buf in;
    size_t in_at; /* messages before this were looked at */
    spv_buf out;
    spv_hash *hashes; /* of the chain above genesis */
    size_t n_hashes;
    size_t blocks;
    size_t txs;
    uint64_t bytes;
    bool done;
} null_client;

static int fail(const char *what)
{
    (void)fprintf(stderr, "null_client: %s\n", what);
    return 1;
}

static double seconds(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- What it says ---- */

static void say(null_client *c, const char *command, const void *payload,
                size_t len)
{
    size_t mark = spv__frame_begin(&c->out, command, c->network);

    spv__put_bytes(&c->out, payload, len);
    spv__frame_end(&c->out, mark);
}

static void say_version(null_client *c)
{
    const char agent[] = "/null:1.0/";
    size_t mark = spv__frame_begin(&c->out, "version", c->network);
    spv_version v = {.version = SPV__PROTOCOL_VERSION,
                     .time = (int64_t)time(NULL),
                     .nonce = 1,
                     .user_agent = agent,
                     .user_agent_len = sizeof(agent) - 1,
                     .relay_present = true};

    v.to.net = v.from.net = 1; /* IPv4, and no address */
    v.to.len = v.from.len = 4;
    spv__put_version(&c->out, &v);
    spv__frame_end(&c->out, mark);
}

static void say_getheaders(null_client *c)
{
    size_t mark = spv__frame_begin(&c->out, "getheaders", c->network);
    const spv_hash stop = {{0}};
    const spv_hash *tip = c->n_hashes > 0 ? &c->hashes[c->n_hashes - 1]
                                          : &c->network->genesis_hash;

    spv__put_locator(&c->out, SPV__PROTOCOL_VERSION, tip, 1, &stop);
    spv__frame_end(&c->out, mark);
}

static void say_getdata(null_client *c, size_t first, size_t n)
{
    static spv_inv items[BATCH];
    size_t mark = spv__frame_begin(&c->out, "getdata", c->network);

    for (size_t i = 0; i < n; i++)
        items[i] = (spv_inv){SPV_INV_FILTERED_BLOCK, c->hashes[first + i]};
    spv__put_inv(&c->out, items, n);
    spv__frame_end(&c->out, mark);
}

/** The filter, then every block of our share at once, in batches. */
static void ask_for_share(null_client *c)
{
    size_t from = c->n_hashes * c->share / c->shares;
    size_t to = c->n_hashes * (c->share + 1) / c->shares;

    c->wanted = to - from;
    say(c, "filterload", c->filter.bytes, c->filter.len);
    for (size_t at = from; at < to; at += BATCH)
        say_getdata(c, at, to - at < BATCH ? to - at : BATCH);
}

/* ---- What it hears ---- */

static bool keep_hashes(null_client *c, const spv_items *headers)
{
    spv_hash *grown =
        realloc(c->hashes, (c->n_hashes + headers->n + 1) * sizeof(*grown));

    if (!grown)
        return false;
    c->hashes = grown;
    for (size_t i = 0; i < headers->n; i++)
        spv_header_hash(&c->hashes[c->n_hashes++],
                        spv__headers_get(headers, i));
    return true;
}

static bool hear_headers(null_client *c, const spv_frame *f)
{
    spv_message m;

    if (spv__message_decode(&m, SPV_MSG_HEADERS, f->payload, f->len) !=
            SPV_OK ||
        !keep_hashes(c, &m.as.headers))
        return false;
    if (c->headers_max != NO_LIMIT && c->n_hashes >= (size_t)c->headers_max) {
        c->done = true;
        return true;
    }
    if (m.as.headers.n == SPV__HEADERS_MAX) {
        say_getheaders(c);
        return true;
    }
    if (c->filter.len > 0)
        ask_for_share(c);
    c->done = c->wanted == 0;
    return true;
}

static bool hear_version(null_client *c, const spv_frame *f)
{
    (void)f;
    say(c, "verack", "", 0);
    return true;
}

static bool hear_verack(null_client *c, const spv_frame *f)
{
    (void)f;
    say_getheaders(c);
    return true;
}

static bool hear_ping(null_client *c, const spv_frame *f)
{
    say(c, "pong", f->payload, f->len);
    return true;
}

/* The transactions of the last block follow it: a pong tells their end. */
static bool hear_merkleblock(null_client *c, const spv_frame *f)
{
    (void)f;
    if (++c->blocks == c->wanted)
        say(c, "ping", "the end", 8);
    return true;
}

static bool hear_tx(null_client *c, const spv_frame *f)
{
    (void)f;
    c->txs++;
    return true;
}

static bool hear_pong(null_client *c, const spv_frame *f)
{
    (void)f;
    c->done = true;
    return true;
}

/** False when the node's words cannot be used. */
static bool hear(null_client *c, const spv_frame *f)
{
    static bool (*const handlers[])(null_client *, const spv_frame *) = {
        [SPV_MSG_VERSION] = hear_version,
        [SPV_MSG_VERACK] = hear_verack,
        [SPV_MSG_PING] = hear_ping,
        [SPV_MSG_PONG] = hear_pong,
        [SPV_MSG_HEADERS] = hear_headers,
        [SPV_MSG_TX] = hear_tx,
        [SPV_MSG_MERKLEBLOCK] = hear_merkleblock,
        [SPV_MSG_REJECT] = NULL, /* the last kind: the table covers all */
    };
    spv_message_kind kind = spv__message_find(f->command);

    return !handlers[kind] || handlers[kind](c, f);
}

/** Hear every whole message in the input. */
static bool hear_all(null_client *c)
{
    spv_frame f;

    while (!c->done) {
        spv_frame_state state = spv__frame_decode(
            &f, c->in.bytes + c->in_at, c->in.len - c->in_at, c->network);

        if (state == SPV_FRAME_PART)
            break;
        if (state != SPV_FRAME_WHOLE || !hear(c, &f))
            return false;
        c->in_at += f.size;
    }
    spv__buf_drop(&c->in, c->in_at);
    c->in_at = 0;
    return true;
}

/* ---- The socket ---- */

static int dial(const char *host, const char *port)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    int fd = -1;

    if (getaddrinfo(host, port, &hints, &found) != 0)
        return -1;
    for (struct addrinfo *a = found; a && fd < 0; a = a->ai_next) {
        fd = socket(a->ai_family, a->ai_socktype, a->ai_protocol);
        if (fd >= 0 && connect(fd, a->ai_addr, a->ai_addrlen) != 0) {
            (void)close(fd);
            fd = -1;
        }
    }
    freeaddrinfo(found);
    return fd;
}

/** Write and read what can be without waiting; false when the node is gone. */
static bool exchange(null_client *c, const struct pollfd *p)
{
    ssize_t n = 0;

    if (p->revents & POLLOUT) {
        n = send(c->fd, c->out.bytes, c->out.len, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n > 0)
            spv__buf_drop(&c->out, (size_t)n);
    }
    if (p->revents & (POLLIN | POLLHUP | POLLERR)) {
        uint8_t *room = spv__buf_room(&c->in, READ_MAX);

        n = room ? recv(c->fd, room, READ_MAX, MSG_DONTWAIT) : 0;
        if (n <= 0)
            return n < 0 && errno == EAGAIN;
        c->in.len += (size_t)n;
        c->bytes += (uint64_t)n;
    }
    return true;
}

static int run(null_client *c)
{
    say_version(c);
    while (!c->done) {
        struct pollfd p = {.fd = c->fd, .events = POLLIN};

        if (c->out.len > 0)
            p.events |= POLLOUT;
        if (poll(&p, 1, IDLE_MS) == 0)
            return fail("the node says nothing");
        if (!exchange(c, &p))
            return fail("the node hung up");
        if (!hear_all(c))
            return fail("the node's words make no sense");
        if (c->in.err != SPV_OK || c->out.err != SPV_OK)
            return fail("out of memory");
    }
    return 0;
}

/* ---- Arguments ---- */

static int usage(void)
{
    (void)fail("usage: null_client --connect HOST:PORT [--filter FILE] "
               "[--headers N] [--share K/N] [--chain NAME]");
    return 2;
}

/** Cut "HOST:PORT" in two, in place. */
static bool parse_place(null_client *c, char *text)
{
    char *colon = strrchr(text, ':');

    if (!colon)
        return false;
    *colon = '\0';
    c->host = text;
    c->port = colon + 1;
    return true;
}

/** Read a payload written in hex, a line end allowed. */
static bool read_filter(spv_buf *out, const char *name)
{
    static char text[2 * (SPV__FILTER_BYTES_MAX + 64)];
    FILE *f = fopen(name, "r");
    size_t n = 0;

    if (!f)
        return false;
    n = fread(text, 1, sizeof(text), f);
    (void)fclose(f);
    while (n > 0 && (text[n - 1] == '\n' || text[n - 1] == '\r'))
        n--;
    return n > 0 && spv__hex_parse(out, text, n) == SPV_OK;
}

static bool parse_count(long *out, const char *text)
{
    char *end = NULL;

    *out = strtol(text, &end, 10);
    return end != text && *end == '\0' && *out > 0;
}

/** "2/3": the second of three. */
static bool parse_share(null_client *c, const char *text)
{
    char *slash = NULL;
    long k = strtol(text, &slash, 10);
    long n = 0;

    if (slash == text || *slash != '/' || !parse_count(&n, slash + 1) ||
        k < 1 || k > n)
        return false;
    c->share = (size_t)(k - 1);
    c->shares = (size_t)n;
    return true;
}

static bool parse_option(null_client *c, const char *name, char *value)
{
    if (strcmp(name, "--connect") == 0)
        return parse_place(c, value);
    if (strcmp(name, "--filter") == 0)
        return read_filter(&c->filter, value);
    if (strcmp(name, "--headers") == 0)
        return parse_count(&c->headers_max, value);
    if (strcmp(name, "--share") == 0)
        return parse_share(c, value);
    if (strcmp(name, "--chain") == 0)
        return (c->network = spv_network_find(value)) != NULL;
    return false;
}

static void clear(null_client *c)
{
    if (c->fd >= 0)
        (void)close(c->fd);
    spv__buf_clear(&c->filter);
    spv__buf_clear(&c->in);
    spv__buf_clear(&c->out);
    free(c->hashes);
}

int main(int argc, char **argv)
{
    null_client c = {.network = spv_network_get(SPV_REGTEST),
                     .headers_max = NO_LIMIT,
                     .shares = 1,
                     .fd = -1};
    double begun = seconds();
    bool understood = true;
    int code = 0;

    for (int i = 1; i < argc && understood; i += 2)
        understood = i + 1 < argc && parse_option(&c, argv[i], argv[i + 1]);
    if (!understood || !c.host) {
        clear(&c);
        return usage();
    }
    c.fd = dial(c.host, c.port);
    code = c.fd < 0 ? fail("cannot connect") : run(&c);
    if (code == 0)
        (void)printf("{\"bench\":\"null_client\",\"seconds\":%.3f,"
                     "\"headers\":%zu,\"blocks\":%zu,\"txs\":%zu,"
                     "\"bytes\":%" PRIu64 "}\n",
                     seconds() - begun, c.n_hashes, c.blocks, c.txs, c.bytes);
    clear(&c);
    return code;
}
