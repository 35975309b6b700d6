#ifndef SUPPORT_SIMQUEUE_H
#define SUPPORT_SIMQUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <spv/machine.h>

/*
 * Events in the order of their time; those of one time in the order in which
 * they were put in. A binary heap.
 */
typedef enum simevent_kind {
    SIMEVENT_ARRIVES,   /* a connection request reaches a node */
    SIMEVENT_OPENED,    /* ... and its answer the client */
    SIMEVENT_TO_NODE,   /* bytes reach a node */
    SIMEVENT_TO_CLIENT, /* bytes reach the client */
    SIMEVENT_LEFT,      /* a node learns that the client has closed */
    SIMEVENT_CLOSED,    /* the client learns that a connection has ended */
    SIMEVENT_RESOLVED,
    SIMEVENT_NODE_TIME, /* a node wanted to be told the time */
    SIMEVENT_WORLD,     /* something the test arranged */
    SIMEVENT_KILL
} simevent_kind;

struct sim;

typedef struct simevent {
    spv_time at;
    uint64_t order; /* set by simqueue_put */
    simevent_kind kind;
    size_t life; /* which life of the client it belongs to */
    spv_conn conn;
    size_t node; /* for RESOLVED: the first of `len` answers */
    uint16_t port;
    spv_err why;
    uint8_t *bytes; /* owned by the event */
    size_t len;
    void (*event)(struct sim *s, void *arg);
    void *(*restart)(void *arg, void *self);
    void *arg;
} simevent;

typedef struct simqueue {
    simevent *heap;
    size_t n;
    size_t cap;
    uint64_t order;
} simqueue;

void simqueue_put(simqueue *q, simevent e);

/** Time of the next event; SPV_NEVER when there is none. */
spv_time simqueue_next(const simqueue *q);

/** Take the next event out (there is one); its bytes are then the caller's. */
simevent simqueue_take(simqueue *q);

void simqueue_clear(simqueue *q);

#endif
