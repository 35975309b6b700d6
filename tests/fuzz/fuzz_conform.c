#include <stdlib.h>
#include <string.h>

#include <spv/conform.h>
#include <spv/material.h>

#include "wire/frame.h"
#include "wire/message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/*
 * A node that the battery looks at says anything at all. The input is a list of
 * utterances: one byte for what is done, one for the connection, two for a
 * length, then so many bytes. Left alone, the node greets, and answers for its
 * chain of one block and for pings as it should, so that the battery comes to
 * its checks.
 */

enum { RAW = SPV_MSG_REJECT + 1, HANG_UP, WAIT, DONE_MAX, CONNS = 16 };

typedef struct node {
    spv_conform *battery;
    spv_conn conns[CONNS];
    size_t n;
    spv_time now;
    bool done;
} node;

static const spv_network *network(void)
{
    return spv_network_get(SPV_REGTEST);
}

static void must(bool what)
{
    if (!what)
        abort();
}

/* The one block, made once. */
static spv_material_block block(void)
{
    static spv_material *material;
    spv_material_options o = spv_material_defaults();

    if (!material)
        must(spv_material_new(&material, &o) == SPV_OK);
    return spv_material_block_at(material, 0);
}

/* ---- What the node says ---- */

static void say(node *n, spv_conn conn, const char *command,
                const uint8_t *payload, size_t len)
{
    spv_buf wire = SPV_BUF_EMPTY;
    size_t mark = spv__frame_begin(&wire, command, network());

    spv__put_bytes(&wire, payload, len);
    spv__frame_end(&wire, mark);
    must(wire.err == SPV_OK);
    spv_conform_machine()->received(n->battery, conn, wire.bytes, wire.len,
                                    n->now);
    spv__buf_clear(&wire);
}

static void greet(node *n, spv_conn conn)
{
    spv_buf payload = SPV_BUF_EMPTY;
    spv_version v = {.version = SPV__PROTOCOL_VERSION,
                     .services = SPV__NODE_NETWORK | SPV__NODE_BLOOM |
                                 SPV__NODE_WITNESS,
                     .relay_present = true};

    v.to.net = v.from.net = 1;
    v.to.len = v.from.len = 4;
    spv__put_version(&payload, &v);
    say(n, conn, "version", payload.bytes, payload.len);
    say(n, conn, "verack", NULL, 0);
    spv__buf_clear(&payload);
}

static void answer(node *n, spv_conn conn, const spv_frame *f)
{
    uint8_t headers[1 + SPV_HEADER_LEN + 1] = {1};

    memcpy(headers + 1, block().bytes, SPV_HEADER_LEN);
    if (strcmp(f->command, "getheaders") == 0)
        say(n, conn, "headers", headers, sizeof(headers));
    else if (strcmp(f->command, "getdata") == 0 && f->len > 4 &&
             f->payload[1] == SPV_INV_BLOCK)
        say(n, conn, "block", block().bytes, block().len);
    else if (strcmp(f->command, "ping") == 0)
        say(n, conn, "pong", f->payload, f->len);
}

/* ---- What the battery wants ---- */

static void answer_all(node *n, const spv_out *out)
{
    spv_buf bytes = SPV_BUF_EMPTY; /* what it sends is borrowed */
    spv_frame f = {0};
    size_t at = 0;

    spv__put_bytes(&bytes, out->bytes, out->len);
    while (spv__frame_decode(&f, bytes.bytes + at, bytes.len - at, network()) ==
           SPV_FRAME_WHOLE) {
        answer(n, out->conn, &f);
        at += f.size;
    }
    must(at == bytes.len); /* it sends whole frames */
    spv__buf_clear(&bytes);
}

static void obey(node *n)
{
    const spv_machine *face = spv_conform_machine();
    spv_out out;

    while (!n->done && face->next(n->battery, &out)) {
        n->done = out.kind == SPV_OUT_DONE;
        if (out.kind == SPV_OUT_SEND)
            answer_all(n, &out);
        if (out.kind != SPV_OUT_CONNECT)
            continue;
        n->conns[n->n++ % CONNS] = out.conn;
        face->opened(n->battery, out.conn, n->now);
        greet(n, out.conn);
    }
}

/* ---- The input ---- */

static void do_utterance(node *n, const uint8_t *head, const uint8_t *bytes,
                         size_t len)
{
    const spv_machine *face = spv_conform_machine();
    unsigned what = head[0] % DONE_MAX;
    spv_conn conn =
        n->conns[n->n ? head[1] % (n->n < CONNS ? n->n : CONNS) : 0];

    if (what == WAIT) {
        spv_time due = face->deadline(n->battery);

        n->now = due != SPV_NEVER && due > n->now ? due : n->now + 1;
        face->elapsed(n->battery, n->now);
    } else if (what == HANG_UP) {
        face->closed(n->battery, conn, SPV_CLOSED, n->now);
    } else if (what == RAW) {
        if (len > 0)
            face->received(n->battery, conn, bytes, len, n->now);
    } else {
        say(n, conn, spv__message_command((spv_message_kind)what), bytes, len);
    }
}

static void begin(node *n)
{
    static const char *const only[] = {
        "match.txid", "load.replaces", "order.mixed-types",
        "limit.filteradd-521-bytes", "mempool"}; /* a kind each */
    spv_conform_options o = {.network = network(),
                             .connect = "127.0.0.1:18444",
                             .only = only,
                             .n_only = sizeof(only) / sizeof(only[0]),
                             .unix_time = 1735689600};

    must(spv_conform_new(&n->battery, &o) == SPV_OK);
    spv_conform_machine()->elapsed(n->battery, n->now);
    obey(n);
}

/* Nothing is pending, and each result has its words. */
static void check_results(const node *n)
{
    size_t count = 0;
    const spv_conform_check *checks = spv_conform_checks(n->battery, &count);

    for (size_t i = 0; i < count; i++)
        must(checks[i].result != SPV_CONFORM_PENDING && checks[i].detail);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    node n = {.now = 1000};

    begin(&n);
    while (size >= 4 && !n.done) {
        size_t len = data[2] | (size_t)data[3] << 8;

        if (len > size - 4)
            len = size - 4;
        do_utterance(&n, data, data + 4, len);
        obey(&n);
        data += 4 + len;
        size -= 4 + len;
    }
    for (int i = 0; i < 10000 && !n.done; i++) {
        do_utterance(&n, (const uint8_t[]){WAIT, 0}, NULL, 0);
        obey(&n);
    }
    must(n.done); /* whatever was said, it ends */
    check_results(&n);
    spv_conform_free(n.battery);
    return 0;
}
