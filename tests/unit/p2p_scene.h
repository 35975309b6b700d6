#ifndef TESTS_UNIT_P2P_SCENE_H
#define TESTS_UNIT_P2P_SCENE_H

#include "p2p_world.h"

#include "p2p/stream.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

enum { BLOCKS = 6, NOW = 5000, PINGS_FROM = 1000 };

/* A stream, and the remote side that a test speaks for. */
typedef struct scene {
    world_block block[BLOCKS + 1]; /* by height; 0 is genesis */
    spv_filter filter;             /* what we load: matches stranger 1 */
    spv_filter theirs;             /* what the remote side makes of it */
    spv_stream s;
    spv_buf said; /* by the remote side, not yet received */
    spv_time now;
} scene;

static const uint8_t *knows_none(void *self, const spv_hash *txid, size_t *len)
{
    (void)self;
    (void)txid;
    (void)len;
    return NULL;
}

/* Of the last block it knows the first transaction. */
static const uint8_t *knows_one(void *self, const spv_hash *txid, size_t *len)
{
    const world_block *b = &((const scene *)self)->block[BLOCKS];

    if (!spv_hash_equal(txid, &b->tx[0].txid))
        return NULL;
    *len = b->tx[0].bytes.len;
    return b->tx[0].bytes.bytes;
}

static inline bool next_known(scene *c, spv_stream_event *e, bool knows)
{
    spv_tx_source known = {.self = c, .find = knows ? knows_one : knows_none};
    spv_err err = SPV_OK;
    bool any = spv__stream_next(&c->s, e, &known, c->now, &err);

    assert_int_equal(err, SPV_OK);
    return any;
}

static inline bool next(scene *c, spv_stream_event *e)
{
    return next_known(c, e, false);
}

static inline void receive(scene *c)
{
    assert_int_equal(spv__peer_received(&c->s.peer, c->said.bytes, c->said.len),
                     SPV_OK);
    spv__buf_clear(&c->said);
}

static inline void assert_next(scene *c, spv_stream_event_kind kind,
                               int32_t height)
{
    spv_stream_event e;

    assert_true(next(c, &e));
    assert_int_equal(e.kind, kind);
    if (kind == SPV_STREAM_REFUSED)
        assert_int_equal(e.request.height, height);
    if (kind == SPV_STREAM_BLOCK) {
        assert_int_equal(c->s.answer.height, height);
        assert_int_equal(c->s.answer.missing, 0);
        spv__answer_clear(&c->s.answer);
    }
}

static inline void assert_silent(scene *c)
{
    spv_stream_event e;

    assert_false(next(c, &e));
    assert_null(c->s.peer.fault);
}

static inline void assert_fault(scene *c)
{
    spv_stream_event e;

    assert_next(c, SPV_STREAM_FAULT, 0);
    assert_non_null(c->s.peer.fault);
    assert_false(next(c, &e)); /* that was its last word */
}

/** What the remote side was told is taken as heard. */
static inline void hush(scene *c)
{
    spv__buf_reset(&c->s.peer.out);
}

/* The nonce of the last ping it was sent. */
static inline uint64_t last_ping(const scene *c)
{
    spv_message m = {0};

    assert_true(heard(&c->s.peer.out, SPV_MSG_PING, &m) > 0);
    return m.as.nonce;
}

static inline void pong_last(scene *c)
{
    say_nonce(&c->said, SPV_MSG_PONG, last_ping(c));
}

static inline void load(scene *c, size_t coverage)
{
    assert_int_equal(spv__stream_load(&c->s, &c->filter, coverage, NOW),
                     SPV_OK);
}

/* A peer that shook hands, has our filter and let us past the fence. */
static inline scene ready_scene(void)
{
    scene c = {.said = SPV_BUF_EMPTY, .now = NOW};
    uint8_t program[20];

    c.block[0] = world_genesis();
    for (size_t h = 1; h <= BLOCKS; h++)
        c.block[h] = world_next(&c.block[h - 1], (uint32_t)h, 3);
    memset(program, 1, sizeof(program));
    assert_int_equal(
        spv_filter_init(&c.filter, 512, 7, 3, SPV_FILTER_UPDATE_ALL), SPV_OK);
    spv_filter_insert(&c.filter, program, sizeof(program));
    spv__stream_init(&c.s, 3, PINGS_FROM);
    spv__peer_init(&c.s.peer, world_network(), 3, &(spv_netaddr){0}, 77, NOW);
    spv__peer_opened(&c.s.peer, 0, NOW);
    say_hello(&c.said);
    receive(&c);
    assert_next(&c, SPV_STREAM_READY, 0);
    return c;
}

static inline scene fenced_scene(void)
{
    scene c = ready_scene();

    load(&c, 10);
    assert_int_equal(spv_filter_copy(&c.theirs, &c.filter), SPV_OK);
    pong_last(&c);
    receive(&c);
    assert_silent(&c);
    hush(&c);
    return c;
}

static inline void ask(scene *c, int32_t from, int32_t to)
{
    spv_request requests[BLOCKS];
    size_t n = 0;

    for (int32_t h = from; h <= to; h++)
        requests[n++] = (spv_request){.hash = c->block[h].hash, .height = h};
    assert_int_equal(spv__stream_ask(&c->s, requests, n, NOW), SPV_OK);
}

/* A fenced peer that owes the blocks from 1 to `to`. */
static inline scene asked_scene(int32_t to)
{
    scene c = fenced_scene();

    ask(&c, 1, to);
    return c;
}

static inline void end(scene *c)
{
    spv__stream_clear(&c->s);
    spv_filter_clear(&c->filter);
    spv_filter_clear(&c->theirs);
    spv__buf_clear(&c->said);
    for (size_t h = 0; h <= BLOCKS; h++)
        world_block_clear(&c->block[h]);
}

#endif
