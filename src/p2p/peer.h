#ifndef SPV_P2P_PEER_H
#define SPV_P2P_PEER_H

#include <stdbool.h>
#include <stdint.h>

#include <spv/machine.h>

#include "wire/frame.h"
#include "wire/message.h"

/*
 * One remote node: its handshake, its bytes in and out.
 *
 * Bytes become frames, frames messages, and a message at most one event. What
 * concerns the connection alone (version, verack, ping) is answered here;
 * what the peer says about the world goes up. Anything that breaks the
 * protocol is a fault: it closes the connection, never the program.
 */

enum {
    SPV__PEER_AGENT_MAX = 63,
    SPV__PEER_CONNECT_MS = 10000,
    SPV__PEER_HANDSHAKE_MS = 20000
};

typedef enum spv_peer_state {
    SPV_PEER_CONNECTING, /**< no connection yet */
    SPV_PEER_GREETING,   /**< our version is sent, theirs is not here */
    SPV_PEER_AGREEING,   /**< their version is here, their verack is not */
    SPV_PEER_READY,
    SPV_PEER_CLOSED
} spv_peer_state;

#define SPV__PEER_STATES 5

typedef enum spv_peer_event_kind {
    SPV_PEER_EVENT_READY,   /**< the handshake is done */
    SPV_PEER_EVENT_MESSAGE, /**< see `frame` and `kind` */
    SPV_PEER_EVENT_FAULT    /**< see the peer's `fault`; it is closed */
} spv_peer_event_kind;

/** The payload is borrowed until the next call with this peer. */
typedef struct spv_peer_event {
    spv_peer_event_kind kind;
    spv_message_kind message;
    const uint8_t *payload;
    size_t len;
} spv_peer_event;

typedef struct spv_peer {
    const spv_network *network;
    spv_conn conn;
    spv_netaddr addr;
    spv_peer_state state;
    spv_time since;   /**< when it entered this state */
    spv_time trip;    /**< from our version to theirs */
    uint64_t nonce;   /**< ours, to know ourselves by */
    bool wants_addrs; /**< of others; before it is opened (BIP 155) */
    spv_buf in;       /**< received, not yet looked at from `in_at` on */
    size_t in_at;
    spv_buf out; /**< to be sent; whoever sends it resets it */
    uint64_t bytes_received;
    uint64_t bytes_sent;
    int32_t version; /**< the protocol both speak */
    uint64_t services;
    int32_t claimed_height; /**< what it says; decides nothing */
    char user_agent[SPV__PEER_AGENT_MAX + 1]; /**< printable only */
    const char *fault; /**< static sentence, NULL while all is well */
} spv_peer;

/** Ready a peer for the connection `conn` to `addr`, opened later. */
void spv__peer_init(spv_peer *p, const spv_network *network, spv_conn conn,
                    const spv_netaddr *addr, uint64_t nonce, spv_time now);
void spv__peer_clear(spv_peer *p);

/** The connection is open: our version goes out. `unix_time` in seconds. */
void spv__peer_opened(spv_peer *p, int64_t unix_time, spv_time now);

/** Bytes came. They are copied; SPV_NOMEM. */
spv_err spv__peer_received(spv_peer *p, const uint8_t *bytes, size_t len);

/** The next event in what was received; false when there is none. */
bool spv__peer_next(spv_peer *p, spv_peer_event *event, spv_time now);

/** What the message is that is here only in part; SPV_MSG_UNKNOWN when there
 * is none, or not enough of it to tell. */
spv_message_kind spv__peer_incoming(const spv_peer *p);

/** Find fault with a peer from above: it is closed, for `why` (static). */
void spv__peer_fault(spv_peer *p, const char *why);

/** When a state that must not last runs out; SPV_NEVER otherwise. */
spv_time spv__peer_deadline(const spv_peer *p);

/** Whether it says it answers BIP 37 messages (BIP 111, or an old node). */
bool spv__peer_serves_filters(const spv_peer *p);

/* What we say; all but the last carry no payload or a fixed one. */
void spv__peer_say(spv_peer *p, spv_message_kind kind);
void spv__peer_ping(spv_peer *p, uint64_t nonce);
void spv__peer_getheaders(spv_peer *p, const spv_hash *locator, size_t n,
                          const spv_hash *stop);
void spv__peer_getdata(spv_peer *p, const spv_inv *items, size_t n);
void spv__peer_filterload(spv_peer *p, const spv_filterload *filter);

#endif
