#ifndef TESTS_UNIT_CLIENT_WORLD_H
#define TESTS_UNIT_CLIENT_WORLD_H

#include "p2p_node.h"

#include <spv/client.h>

/*
 * A client and one node, and the reactor between them.
 */

/* The script that is paid by the first transaction of world_next. */
#define WORLD_RAW "raw(00140101010101010101010101010101010101010101)"

static const uint8_t WORLD_ENTROPY[32] = {7};

/** A wallet in memory that watches `descriptor`. */
static inline spv_client *client_watching(const char *descriptor,
                                          int32_t birthday)
{
    spv_wallet_spec spec = {.descriptors = &descriptor,
                            .n_descriptors = 1,
                            .birthday = birthday,
                            .birthday_time = -1,
                            .entropy = WORLD_ENTROPY};
    spv_client *c = NULL;

    assert_int_equal(spv_client_new(&c, world_network(), &spec, NULL), SPV_OK);
    return c;
}

/** One peer, and a clock that stands at the chain's end. */
static inline spv_sync_options options_for(const world_node *node)
{
    static const char *const connect[] = {"127.0.0.1:1"};

    return (spv_sync_options){.connect = connect,
                              .n_connect = 1,
                              .unix_time = node->chain[node->height].time,
                              .seed = 3};
}

/** A run in progress. */
typedef struct client_run {
    spv_client *client;
    world_node *node;
    spv_conn conn; /* 0: none */
    bool opening;
    spv_time now;
    bool done;
    spv_err why;
} client_run;

static inline void run_pull(client_run *r)
{
    spv_out out;

    while (spv_client_machine()->next(r->client, &out)) {
        spv_buf bytes = {.bytes = (uint8_t *)out.bytes, .len = out.len};

        switch (out.kind) {
        case SPV_OUT_CONNECT:
            r->conn = out.conn;
            r->opening = true;
            break;
        case SPV_OUT_SEND:
            node_hear(r->node, &bytes);
            break;
        case SPV_OUT_CLOSE:
            r->conn = 0;
            break;
        case SPV_OUT_RESOLVE:
            fail_msg("a numeric address was looked up");
            break;
        case SPV_OUT_DONE:
            r->done = true;
            r->why = out.why;
            break;
        }
    }
}

static inline void run_hang_up(client_run *r)
{
    spv_conn conn = r->conn;

    r->conn = 0;
    spv_client_machine()->closed(r->client, conn, SPV_CLOSED, r->now);
}

static inline void run_wait(client_run *r)
{
    spv_time until = spv_client_machine()->deadline(r->client);

    assert_true(until != SPV_NEVER);
    assert_true(until > r->now); /* nothing spins */
    r->now = until;
    spv_client_machine()->elapsed(r->client, r->now);
}

/** One input, and all outputs after it. */
static inline void run_step(client_run *r)
{
    spv_buf said = r->node->said;

    if (r->conn && r->opening && r->node->habit == NODE_ABSENT) {
        run_hang_up(r);
    } else if (r->conn && r->opening) {
        r->opening = false;
        node_open(r->node);
        spv_client_machine()->opened(r->client, r->conn, r->now);
    } else if (r->conn && said.len) {
        r->node->said = (spv_buf)SPV_BUF_EMPTY;
        spv_client_machine()->received(r->client, r->conn, said.bytes, said.len,
                                       r->now);
        spv__buf_clear(&said);
    } else if (r->conn && r->node->hung_up) {
        run_hang_up(r);
    } else {
        run_wait(r);
    }
    run_pull(r);
}

/** Ready to take steps. */
static inline client_run run_begin(spv_client *c, world_node *node,
                                   const spv_sync_options *options)
{
    client_run r = {.client = c, .node = node, .now = 1000};

    assert_int_equal(spv_client_prepare(c, options, NULL), SPV_OK);
    run_pull(&r);
    spv_client_machine()->elapsed(c, r.now);
    run_pull(&r);
    return r;
}

/** A whole run; its outcome. */
static inline spv_err run_whole(spv_client *c, world_node *node,
                                const spv_sync_options *options)
{
    client_run r = run_begin(c, node, options);

    for (int steps = 0; !r.done; steps++) {
        assert_true(steps < 3000);
        run_step(&r);
    }
    assert_true(spv_client_machine()->deadline(c) == SPV_NEVER);
    return r.why;
}

#endif
