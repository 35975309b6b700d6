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
    bool asked_whole;
    bool served; /* with no lie and, for all it knows, nothing left out */
    bool omitted;
    bool lied;
} spv_serve_block;

typedef struct spv_serve_watch {
    const spv_serve_row *row;
    const spv_serve_history *history;
    spv_time now;            /* kept by whoever passes the bytes on */
    spv_serve_block *blocks; /* by height; owned */
    bool *had;               /* by transaction of the history; owned */
    bool is_alone;           /* there is no node beside it */
    spv_serve_report facts;  /* its first part: no checks, no verdict */
    size_t received[SPV_MSG_REJECT + 1];
    size_t asked_while_busy;
    size_t unfenced; /* filtered blocks asked for without a fence */
    spv_time lied_at;
    spv_time known_at; /* when the client answered the ping behind the lie */
    spv_time left_at;
    bool left_early; /* when answers were still to come */
    bool had_asked;  /* all, or something that crossed the lie */
} spv_serve_watch;

/** What a block's answer is to the client, once it is sent: at so many bytes
 * of the session; 0: there is none. */
typedef struct spv_serve_due {
    size_t served;
    size_t omitted;
    size_t lied;
} spv_serve_due;

/** One connection of the client to a node. */
typedef struct spv_serve_session {
    spv_serve_watch *watch;
    size_t said;        /* bytes that the node has said so far */
    spv_serve_due *due; /* by height; owned */
    size_t *had_due;    /* the same by transaction; owned */
    bool has_filter;
    bool unfenced; /* no ping has come since the filter */
    bool knows;    /* the client has read a lie of this node */
    bool lied;
    bool crossed;    /* it asked since, and may not have read the lie */
    bool in_whole;   /* the first lie was in a whole block */
    bool in_headers; /* one of the lies was */
    int32_t beyond;  /* headers above are known by that lie alone */
    uint64_t nonce;  /* of the ping behind the first lie */
} spv_serve_session;

/** SPV_NOMEM; then there is nothing to clear. */
spv_err spv__serve_watch_init(spv_serve_watch *w, const spv_serve_row *row,
                              const spv_serve_history *history);
void spv__serve_watch_clear(spv_serve_watch *w);

/** A connection begins. SPV_NOMEM; then there is nothing to end. */
spv_err spv__serve_session_begin(spv_serve_session *s, spv_serve_watch *w);

/** So many bytes of what the node has said are sent. */
void spv__serve_session_sent(spv_serve_session *s, size_t bytes);

/** How it has ended. */
typedef enum spv_serve_ending {
    SPV_SERVE_ENDED,      /* by the node, or with the run */
    SPV_SERVE_LEFT,       /* by the client, when it had all that it asked for */
    SPV_SERVE_LEFT_EARLY, /* by the client, when there was more to come */
} spv_serve_ending;

void spv__serve_session_end(spv_serve_session *s, spv_serve_ending ending);

/** The spv_script_observer of a session. */
void spv__serve_session_notice(void *session, const spv_script_notice *notice);

/** What all nodes make of the client. */
spv_serve_result spv__serve_verdict(const spv_serve_watch *watches, size_t n);

/** Fill in the checks and the verdict on node `at` of all that were there. */
void spv__serve_judge(spv_serve_report *out, const spv_serve_watch *watches,
                      size_t n, size_t at);

#endif
