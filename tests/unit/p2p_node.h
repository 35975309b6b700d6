#ifndef TESTS_UNIT_P2P_NODE_H
#define TESTS_UNIT_P2P_NODE_H

#include "p2p_world.h"

/*
 * A node that answers by itself: as an honest one does, but for one habit.
 */

typedef enum node_habit {
    NODE_HONEST,
    NODE_NO_BLOOM,      /* does not say that it serves filters */
    NODE_ABSENT,        /* cannot be connected to */
    NODE_MUTE,          /* accepts, and says nothing */
    NODE_HANGS_UP,      /* as soon as it is connected */
    NODE_HANGS_UP_LATE, /* when asked for blocks */
    NODE_REFUSES,       /* pongs, but has no block for anybody */
    NODE_REFUSES_ONE,   /* the second that it is ever asked for */
    NODE_GOES_SILENT,   /* after two blocks */
    NODE_CHATTERS,      /* the same, but it pings every ten seconds */
    NODE_KEEPS_TXS,     /* the last block asked for lacks its transactions */
    NODE_LIES,          /* proves what does not match */
    NODE_ANNOUNCES,     /* a block that it never shows, after each headers */
    NODE_REPEATS        /* a full message of the same headers, every time */
} node_habit;

typedef struct world_node {
    node_habit habit;
    const world_block *chain; /* by height, 0 is genesis */
    size_t height;
    spv_filter filter;
    spv_buf said;
    size_t served;
    size_t asked;       /* filtered blocks */
    size_t filterloads; /* and how many other filter messages */
    bool hung_up;
} world_node;

static inline void node_clear(world_node *n)
{
    spv_filter_clear(&n->filter);
    spv__buf_clear(&n->said);
}

/** A new connection: what the old one held is forgotten. */
static inline void node_open(world_node *n)
{
    node_clear(n);
    n->hung_up = n->habit == NODE_HANGS_UP;
    n->served = 0;
}

static inline const world_block *node_find(const world_node *n,
                                           const spv_hash *hash)
{
    for (size_t h = 0; h <= n->height; h++)
        if (spv_hash_equal(&n->chain[h].hash, hash))
            return &n->chain[h];
    return NULL;
}

/* What comes after the first block of the locator that it knows. */
static inline void node_headers(world_node *n, const spv_locator *l)
{
    size_t from = 1;
    size_t rest = 0;

    for (size_t i = 0; i < l->hashes.n; i++) {
        spv_hash hash;
        const world_block *b = NULL;

        memcpy(&hash, l->hashes.bytes + 32 * i, sizeof(hash));
        b = node_find(n, &hash);
        if (!b)
            continue;
        from = (size_t)b->height + 1;
        break;
    }
    if (n->habit == NODE_REPEATS)
        from = 1;
    rest = n->height + 1 - from;
    say_headers(&n->said, n->chain + from,
                rest < SPV__HEADERS_MAX ? rest : SPV__HEADERS_MAX);
    if (n->habit == NODE_ANNOUNCES)
        say_inv(&n->said, &(spv_inv){.type = SPV_INV_BLOCK, .hash = {{0xee}}},
                1);
}

static inline void node_block(world_node *n, const world_block *b, bool last)
{
    static const bool all[WORLD_TXS_MAX] = {true, true, true, true,
                                            true, true, true, true};

    n->asked++;
    if (n->habit == NODE_REFUSES || !b || n->filter.len == 0)
        return;
    if (n->habit == NODE_REFUSES_ONE && n->asked == 2)
        return;
    if ((n->habit == NODE_GOES_SILENT || n->habit == NODE_CHATTERS) &&
        n->served == 2)
        return;
    if (n->habit == NODE_LIES) {
        say_merkleblock(&n->said, b, all);
        for (size_t i = 0; i < b->n_tx; i++)
            say_tx(&n->said, &b->tx[i]);
    } else if (n->habit == NODE_KEEPS_TXS && last) {
        say_merkleblock(&n->said, b, all);
    } else {
        say_filtered(&n->said, b, &n->filter);
    }
    n->served++;
}

static inline void node_data(world_node *n, const spv_items *inv)
{
    n->hung_up = n->habit == NODE_HANGS_UP_LATE;
    for (size_t i = 0; i < inv->n && !n->hung_up; i++) {
        spv_inv item = spv__inv_get(inv, i);

        assert_int_equal(item.type, SPV_INV_FILTERED_BLOCK);
        node_block(n, node_find(n, &item.hash), i + 1 == inv->n);
    }
}

/* Whether it has stopped answering. */
static inline bool node_is_silent(const world_node *n)
{
    switch (n->habit) {
    case NODE_MUTE:
        return true;
    case NODE_GOES_SILENT:
    case NODE_CHATTERS:
        return n->served == 2;
    case NODE_KEEPS_TXS:
        return n->served > 0;
    default:
        return false;
    }
}

static inline void node_filterload(world_node *n, const spv_filterload *m)
{
    n->filterloads++;
    assert_int_not_equal(n->habit, NODE_NO_BLOOM);
    spv_filter_clear(&n->filter);
    assert_int_equal(spv__filter_of_message(&n->filter, m), SPV_OK);
    assert_true(spv_filter_wire_ok(&n->filter));
}

/** It hears bytes; what it says to them is in `said`. */
static inline void node_hear(world_node *n, const spv_buf *heard_bytes)
{
    spv_message m;

    for (size_t at = 0; !n->hung_up && hear_next(heard_bytes, &at, &m);) {
        if (node_is_silent(n))
            return;
        if (m.kind == SPV_MSG_VERSION)
            say_version(&n->said, SPV__PROTOCOL_VERSION,
                        n->habit == NODE_NO_BLOOM ? 0 : SPV__NODE_BLOOM, 1);
        else if (m.kind == SPV_MSG_VERACK)
            say(&n->said, SPV_MSG_VERACK);
        else if (m.kind == SPV_MSG_PING)
            say_nonce(&n->said, SPV_MSG_PONG, m.as.nonce);
        else if (m.kind == SPV_MSG_GETHEADERS)
            node_headers(n, &m.as.locator);
        else if (m.kind == SPV_MSG_FILTERLOAD)
            node_filterload(n, &m.as.filterload);
        else if (m.kind == SPV_MSG_GETDATA)
            node_data(n, &m.as.inv);
        else
            assert_int_equal(m.kind, SPV_MSG_PONG);
    }
}

#endif
