#ifndef SPV_CONFORM_SERVE_WATCH_H
#define SPV_CONFORM_SERVE_WATCH_H

#include <spv/serve.h>

#include "conform/script_node.h"
#include "conform/serve_history.h"
#include "conform/serve_scenarios.h"

/*
 * What the nodes of a serve see of the client: a watch for each node, which
 * keeps the facts of all its sessions, and a session for each connection.
 */

/** What became of a block at one node. */
typedef struct spv_serve_block {
    uint32_t asked; /* times, filtered */
    bool served;    /* as it should be, filtered or whole */
    bool omitted;
    bool lied;
} spv_serve_block;

typedef struct spv_serve_watch {
    const spv_serve_row *row;
    const spv_serve_history *history;
    spv_time now;            /* kept by whoever passes the bytes on */
    spv_serve_block *blocks; /* by height; owned */
    spv_serve_report facts;  /* its first part: no checks, no verdict */
    size_t received[SPV_MSG_REJECT + 1];
    size_t asked_while_busy;
    size_t unfenced; /* filtered blocks asked for without a fence */
    spv_time lied_at;
    spv_time known_at; /* when the client answered the ping behind the lie */
    spv_time left_at;
} spv_serve_watch;

/** One connection of the client to a node. */
typedef struct spv_serve_session {
    spv_serve_watch *watch;
    bool has_filter;
    bool unfenced; /* no ping has come since the filter */
    bool knows;    /* the client has read a lie of this node */
    bool lied;
    uint64_t nonce; /* of the ping behind the first lie */
} spv_serve_session;

/** SPV_NOMEM; then there is nothing to clear. */
spv_err spv__serve_watch_init(spv_serve_watch *w, const spv_serve_row *row,
                              const spv_serve_history *history);
void spv__serve_watch_clear(spv_serve_watch *w);

/** A connection begins. */
void spv__serve_session_begin(spv_serve_session *s, spv_serve_watch *w);

/** It has ended; `left`: the client ended it. */
void spv__serve_session_end(spv_serve_session *s, bool left);

/** The spv_script_observer of a session. */
void spv__serve_session_notice(void *session, const spv_script_notice *notice);

/** Fill in the checks and the verdict on node `at` of all that were there. */
void spv__serve_judge(spv_serve_report *out, const spv_serve_watch *watches,
                      size_t n, size_t at);

#endif
