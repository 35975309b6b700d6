#ifndef TESTS_UNIT_CONFORM_WORLD_H
#define TESTS_UNIT_CONFORM_WORLD_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spv/conform.h>
#include <spv/material.h>

#include "cmocka_all.h"
#include "conform/script_node.h"

/*
 * A battery and the node it looks at, without I/O: every connection is a
 * session with a scripted node of its own, and all of them have one chain and
 * hear of the same transactions, as if they were one.
 */
enum { WORLD_CONNS = 400, WORLD_STEPS = 2000000, WORLD_TXS = 64 };

typedef struct world_conn {
    spv_conn name;
    spv_script_node *node;
    bool is_open;
} world_conn;

typedef struct world {
    const spv_script_habits *habits;
    spv_material *material; /* of all worlds, as the next */
    const spv_script_chain *chain;
    spv_conform *battery;
    world_conn conns[WORLD_CONNS];
    size_t n_conns;
    size_t conns_max; /* the node accepts no more than these; 0: any number */
    bool refuses;     /* nobody listens */
    bool deaf;        /* connecting is never answered */
    size_t piece;     /* bytes that come together; 0: any number */
    spv_time pace;    /* milliseconds that each piece takes */
    bool (*answers)(struct world *w, const spv_out *out); /* for the node */
    spv_time now;
    bool known[WORLD_TXS]; /* of the material's transactions, by the node */
    void (*battery_runs)(bool does); /* told before and after its calls */
    bool done;
    spv_err outcome;
} world;

/* One chain does for all worlds: it is made once, and nobody changes it. */
static inline const spv_script_chain *world_chain(spv_material **material)
{
    static spv_material *made;
    static spv_script_chain *chain;
    spv_material_options o = spv_material_defaults();

    if (!chain) {
        assert_int_equal(spv_material_new(&made, &o), SPV_OK);
        chain = spv__script_chain_new();
        assert_non_null(chain);
        for (size_t i = 0; i < spv_material_blocks(made); i++) {
            spv_material_block b = spv_material_block_at(made, i);

            assert_int_equal(spv__script_chain_add(chain, b.bytes, b.len),
                             SPV_OK);
        }
    }
    *material = made;
    return chain;
}

static inline void world_init(world *w, const char *habits)
{
    *w = (world){.habits = spv__script_habits_find(habits), .now = 1000};
    assert_non_null(w->habits);
    w->chain = world_chain(&w->material);
}

static inline void world_clear(world *w)
{
    for (size_t i = 0; i < w->n_conns; i++)
        spv__script_node_free(w->conns[i].node);
    spv_conform_free(w->battery);
}

static inline spv_conform_options world_options(void)
{
    return (spv_conform_options){.network = spv_network_get(SPV_REGTEST),
                                 .connect = "127.0.0.1:18444",
                                 .seed = 7,
                                 .unix_time = 1735689600};
}

/* ---- Calls of the battery ---- */

static inline void world_tell(const world *w, bool does)
{
    if (w->battery_runs)
        w->battery_runs(does);
}

/* Call the battery's face. */
#define WORLD_CALL(w, method, ...)                                \
    do {                                                          \
        world_tell(w, true);                                      \
        spv_conform_machine()->method((w)->battery, __VA_ARGS__); \
        world_tell(w, false);                                     \
    } while (0)

/* ---- The node's side ---- */

static inline world_conn *world_find(world *w, spv_conn name)
{
    for (size_t i = 0; i < w->n_conns; i++)
        if (w->conns[i].name == name)
            return &w->conns[i];
    return NULL;
}

static inline void world_give_tx(world *w, world_conn *c, size_t i)
{
    size_t len = 0;
    const uint8_t *bytes = spv_material_tx_at(w->material, i, &len);

    (void)spv__script_node_add_tx(c->node, bytes, len);
}

/* Of what one session was sent, all others hear. */
static inline void world_spread(world *w, const world_conn *from)
{
    for (size_t i = 0; i < spv_material_txs(w->material) && i < WORLD_TXS;
         i++) {
        size_t len = 0;
        const uint8_t *bytes = spv_material_tx_at(w->material, i, &len);
        spv_tx tx;
        bool has = false;

        if (w->known[i] || spv_tx_decode(&tx, bytes, len, NULL) != SPV_OK)
            continue;
        has = spv__script_node_has_tx(from->node, &tx.txid);
        spv_tx_clear(&tx);
        if (!has)
            continue;
        w->known[i] = true;
        for (size_t k = 0; k < w->n_conns; k++)
            if (w->conns[k].is_open && &w->conns[k] != from)
                world_give_tx(w, &w->conns[k], i);
    }
}

static inline bool world_is_full(const world *w)
{
    return w->refuses || w->n_conns == WORLD_CONNS ||
           (w->conns_max > 0 && w->n_conns >= w->conns_max);
}

static inline void world_connect(world *w, spv_conn name)
{
    world_conn *c = &w->conns[w->n_conns];

    if (w->deaf)
        return;
    if (world_is_full(w)) {
        WORLD_CALL(w, closed, name, SPV_CLOSED, w->now);
        return;
    }
    *c = (world_conn){name,
                      spv__script_node_new(w->chain,
                                           spv__script_chain_tip(w->chain),
                                           w->habits, w->n_conns),
                      true};
    assert_non_null(c->node);
    w->n_conns++;
    for (size_t i = 0; i < spv_material_txs(w->material) && i < WORLD_TXS; i++)
        if (w->known[i])
            world_give_tx(w, c, i);
    spv__script_node_open(c->node);
    WORLD_CALL(w, opened, name, w->now);
}

/* Deliver what a session has to say; true: it said something. */
static inline bool world_deliver(world *w, world_conn *c)
{
    spv_buf *out = spv__script_node_output(c->node);
    bool hangs_up = spv__script_node_has_hung_up(c->node);
    uint8_t *bytes = NULL;
    size_t len = out->len;

    if (w->piece > 0 && len > w->piece) {
        len = w->piece;
        hangs_up = false; /* not yet */
    }
    if (len > 0) {
        bytes = malloc(len);
        assert_non_null(bytes);
        memcpy(bytes, out->bytes, len);
        spv__buf_drop(out, len);
        w->now += w->pace;
        WORLD_CALL(w, received, c->name, bytes, len, w->now);
        free(bytes);
    }
    if (hangs_up && c->is_open) {
        c->is_open = false;
        WORLD_CALL(w, closed, c->name, SPV_CLOSED, w->now);
    }
    return len > 0 || hangs_up;
}

/* ---- The battery's side ---- */

static inline void world_obey(world *w, const spv_out *out)
{
    world_conn *c = world_find(w, out->conn);

    switch (out->kind) {
    case SPV_OUT_CONNECT:
        world_connect(w, out->conn);
        break;
    case SPV_OUT_SEND:
        if (w->answers && w->answers(w, out))
            break;
        if (c && c->is_open) {
            spv__script_node_receive(c->node, out->bytes, out->len, w->now);
            world_spread(w, c);
        }
        break;
    case SPV_OUT_CLOSE:
        if (c)
            c->is_open = false;
        break;
    case SPV_OUT_RESOLVE:
        WORLD_CALL(w, resolved, out->conn, NULL, 0, w->now);
        break;
    case SPV_OUT_DONE:
        w->done = true;
        w->outcome = out->why;
        break;
    }
}

static inline bool world_step(world *w)
{
    const spv_machine *face = spv_conform_machine();
    bool moved = false;
    spv_out out;

    while (!w->done && face->next(w->battery, &out)) { /* allocates nothing */
        world_obey(w, &out);
        moved = true;
    }
    for (size_t i = 0; i < w->n_conns && !w->done && !moved; i++)
        if (w->conns[i].is_open)
            moved = world_deliver(w, &w->conns[i]);
    return moved;
}

/* Nothing happens by itself: on to the next deadline. */
static inline void world_wait(world *w)
{
    const spv_machine *face = spv_conform_machine();
    spv_time due = face->deadline(w->battery);

    for (size_t i = 0; i < w->n_conns; i++)
        if (w->conns[i].is_open) {
            spv_time at = spv__script_node_deadline(w->conns[i].node);

            due = at < due ? at : due;
        }
    assert_true(due != SPV_NEVER);
    w->now = due > w->now ? due : w->now + 1;
    for (size_t i = 0; i < w->n_conns; i++)
        if (w->conns[i].is_open)
            spv__script_node_elapsed(w->conns[i].node, w->now);
    if (face->deadline(w->battery) <= w->now)
        WORLD_CALL(w, elapsed, w->now);
}

static inline void world_begin(world *w, const spv_conform_options *o)
{
    assert_int_equal(spv_conform_new(&w->battery, o), SPV_OK);
}

/* Give the battery the material's transactions to send. */
static inline void world_take_txs(const world *w, spv_conform_options *o,
                                  spv_conform_tx txs[WORLD_TXS])
{
    o->txs = txs;
    for (size_t i = 0; i < spv_material_txs(w->material) && i < WORLD_TXS;
         i++) {
        txs[i].bytes = spv_material_tx_at(w->material, i, &txs[i].len);
        o->n_txs++;
    }
}

static inline void world_run(world *w)
{
    for (size_t steps = 0; !w->done; steps++) {
        assert_true(steps < WORLD_STEPS);
        if (!world_step(w) && !w->done)
            world_wait(w);
    }
}

/* ---- Results ---- */

static inline const spv_conform_check *world_check(const world *w,
                                                   const char *id)
{
    size_t n = 0;
    const spv_conform_check *checks = spv_conform_checks(w->battery, &n);

    for (size_t i = 0; i < n; i++)
        if (strcmp(checks[i].id, id) == 0)
            return &checks[i];
    return NULL;
}

static inline size_t world_count(const world *w, spv_conform_result result)
{
    size_t n = 0;
    const spv_conform_check *checks = spv_conform_checks(w->battery, &n);
    size_t count = 0;

    for (size_t i = 0; i < n; i++)
        count += checks[i].result == result;
    return count;
}

static inline void world_print(const world *w, spv_conform_result result)
{
    size_t n = 0;
    const spv_conform_check *checks = spv_conform_checks(w->battery, &n);

    for (size_t i = 0; i < n; i++)
        if (checks[i].result == result)
            print_message("%s %s: %s\n", spv_conform_result_name(result),
                          checks[i].id, checks[i].detail);
}

#endif
