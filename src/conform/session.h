#ifndef SPV_CONFORM_SESSION_H
#define SPV_CONFORM_SESSION_H

#include <stdbool.h>

#include <spv/machine.h>

#include "wire/frame.h"
#include "wire/message.h"

/*
 * One connection to the node that is looked at: the handshake and frames.
 *
 * Unlike the client's peer it finds no fault: what a node says is handed up as
 * it is, whole and undecoded, for checks to compare. Only what cannot be a
 * frame of this network ends the session, and pings are answered.
 */
enum { SPV__SESSION_AGENT_MAX = 255 };

typedef enum spv_session_state {
    SPV_SESSION_IDLE,       /**< not begun */
    SPV_SESSION_CONNECTING, /**< asked for, not open yet */
    SPV_SESSION_GREETING,   /**< open; its version is not here yet */
    SPV_SESSION_AGREEING,   /**< its verack is not here yet */
    SPV_SESSION_READY,
    SPV_SESSION_CLOSED
} spv_session_state;

typedef struct spv_session {
    const spv_network *network;
    spv_conn conn;
    spv_netaddr addr;
    spv_session_state state;
    bool opened;    /**< it was, whatever became of it */
    bool asked;     /**< CONNECT has gone out */
    bool wants_end; /**< CLOSE is to go out */
    uint64_t nonce; /**< of our version */
    int64_t unix_time;
    bool relay; /**< what our version says */
    spv_buf in;
    size_t in_at;
    spv_buf out;
    spv_err err;     /**< ours: no memory */
    const char *why; /**< static: how it ended, NULL while it has not */
    const spv_network *theirs; /**< that its bytes are of, if not `network` */

    /* What its version said. */
    int32_t version;
    uint64_t services;
    int32_t height;
    bool node_relay;
    char user_agent[SPV__SESSION_AGENT_MAX + 1]; /**< printable only */
} spv_session;

/** A message as it came; the payload is borrowed until the next call. */
typedef struct spv_heard {
    spv_message_kind kind;
    const uint8_t *payload;
    size_t len;
} spv_heard;

/** How far an answer had come when it was last looked at, and how long it may
 * take in all. */
typedef struct spv_patience {
    size_t n;     /**< whole messages of it */
    size_t part;  /**< bytes of one that was not whole */
    spv_time end; /**< a trickle is waited for no longer */
} spv_patience;

/** Whether more of an answer has come since it was last looked at; `n` of its
 * messages are here. What comes in pieces may be something else: it is given
 * the benefit of the doubt. */
bool spv__session_moves(const spv_session *s, spv_patience *p, size_t n);

/** Begin a session under a new name. What it held before is freed. */
void spv__session_begin(spv_session *s, const spv_network *network,
                        spv_conn conn, const spv_netaddr *addr, bool relay,
                        uint64_t nonce, int64_t unix_time);
void spv__session_clear(spv_session *s);

/** It is to be closed from our side, and is closed from now on. */
void spv__session_end(spv_session *s);

void spv__session_opened(spv_session *s);
void spv__session_received(spv_session *s, const uint8_t *bytes, size_t len);
void spv__session_closed(spv_session *s, const char *why);

/** The next message after the handshake; false when there is none. */
bool spv__session_next(spv_session *s, spv_heard *heard);

/** Whoever has put frames into `out` by himself: note if that failed. */
void spv__session_note(spv_session *s);

/** Send bytes, which are whole frames. */
void spv__session_say(spv_session *s, const uint8_t *frames, size_t len);

/** Whether it says it answers BIP 37 messages (BIP 111, or an old node). */
bool spv__session_serves_filters(const spv_session *s);

#endif
