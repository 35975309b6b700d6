#ifndef SUPPORT_SIM_H
#define SUPPORT_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <spv/machine.h>

#include "conform/script_node.h"

/*
 * A world for one machine, and a clock that jumps from event to event.
 *
 * The machine, as client, meets scripted nodes over links with latency, jitter
 * and a bandwidth, which cut the bytes into pieces and may break. It may be
 * killed and started again. Everything follows from the seed: the same seed
 * gives the same run, and so the same digest.
 */
typedef struct sim_link {
    spv_time latency; /* one way, milliseconds */
    spv_time jitter;  /* up to this much more, each piece */
    size_t rate;      /* bytes a second towards the client; 0: no limit */
    bool split;       /* cut what is sent into random pieces */
    unsigned breaks;  /* in 10,000: chance of a piece to break the connection */
    bool refuses;     /* nobody listens there */
    bool black_hole;  /* connecting is never answered */
} sim_link;

typedef struct sim sim;

/** A world with nobody in it. Owned. */
sim *sim_new(uint64_t seed);
void sim_free(sim *s);

/** The machine that is driven from now on; both are borrowed. Connections of
 * an earlier one are gone. */
void sim_set_client(sim *s, const spv_machine *face, void *self);

/** Add a node (borrowed); returns its number, from 0. */
size_t sim_add_node(sim *s, spv_script_node *node, sim_link link);

/** Where to connect to, for the node of that number. Each has a /16 of its
 * own. */
spv_netaddr sim_node_addr(size_t number);

/** What to say to a machine that wants text: "5.0.0.1:18444". */
void sim_node_text(char out[32], size_t number);

/** How a name is answered. Any that is not known resolves to nothing. */
typedef struct sim_name {
    const char *text; /* borrowed */
    bool silent;      /* it is never answered */
    size_t first;     /* else with these nodes */
    size_t n;
} sim_name;

/** One more name that somebody knows. */
void sim_add_name(sim *s, sim_name name);

/** Change a link; connections that are open feel it from now on. */
void sim_set_link(sim *s, size_t number, sim_link link);

/** Have something happen at `at`: the chain grows, a transaction appears. */
void sim_at(sim *s, spv_time at, void (*event)(sim *s, void *arg), void *arg);

/**
 * Kill the client at `at`, between two of its calls: its connections are gone
 * and nothing more is said to it. `restart` gets the killed machine's `self`,
 * frees it without any farewell, and returns a new one.
 */
void sim_kill_at(sim *s, spv_time at, void *(*restart)(void *arg, void *self),
                 void *arg);

/**
 * Run until the client is done (its outcome is returned) or the clock reaches
 * `until` (SPV_TIMEOUT). May be called again after a timeout.
 *
 * A client that asks for the time again and again without time passing fails
 * the test: it would burn a processor.
 */
spv_err sim_run(sim *s, spv_time until);

spv_time sim_now(const sim *s);

/** Let a node send what it has to say now: after it was told something from
 * outside, as in an event. */
void sim_flush_node(sim *s, size_t number);

/** The client as it is now: another one after a kill. */
void *sim_client(const sim *s);

typedef struct sim_counts {
    uint64_t to_client; /* bytes */
    uint64_t to_nodes;
    size_t connects;
    size_t resolves;
    size_t breaks;
    size_t kills;
    size_t wakes; /* calls of elapsed */
    size_t steps; /* events and calls of elapsed */
} sim_counts;

const sim_counts *sim_count(const sim *s);

/** Print a line for everything that happens; NULL stops it. */
void sim_set_trace(sim *s, FILE *to);

/** A number that depends on everything that has happened. */
uint64_t sim_digest(const sim *s);

#endif
