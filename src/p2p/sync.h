#ifndef SPV_P2P_SYNC_H
#define SPV_P2P_SYNC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <spv/filter.h>
#include <spv/machine.h>
#include <spv/rolling_filter.h>

#include "base/buf.h"
#include "chain/tree.h"
#include "p2p/audit.h"
#include "p2p/board.h"
#include "p2p/coverage.h"
#include "p2p/debts.h"
#include "p2p/pool.h"
#include "p2p/search.h"
#include "p2p/spacing.h"
#include "p2p/stream.h"

/*
 * The sync: headers first, then filtered blocks from all peers, handed out
 * strictly by height, each whole and each settled by the coverage rule.
 *
 * It is driven like any machine (opened, received, ...); what it found out is
 * pulled with spv__sync_next_event, and every event is answered before the
 * next one is pulled:
 *
 *     HEADERS   the chain is known: say where blocks begin (set_position)
 *     BLOCK     look at it, grow the log and the ledger; then settle it, owe
 *               it, or refetch it
 *     DEBT      a block that was owed came again, complete: apply it, then pay
 *     REWIND    the block at the position left the chain: undo, set_position
 *     DISTRUST  a peer that served blocks was found to lie: set_position to
 *               `height` or below it; nothing need be undone
 *     SYNCED    the position is the goal and every peer was heard; a sync that
 *               stays goes on, and says it again after each change
 *     RELAYED   a transaction that a peer announced: look at it, grow the log
 *               and the ledger
 *     FAILED    nobody is left to ask
 *
 * The sync knows nothing of wallets. Of the element log it has the length, the
 * filter that holds all of it, and the ledger.
 */
typedef enum spv_sync_event_kind {
    SPV_SYNC_HEADERS,
    SPV_SYNC_BLOCK,
    SPV_SYNC_DEBT,
    SPV_SYNC_REWIND,
    SPV_SYNC_SYNCED,
    SPV_SYNC_FAILED,
    SPV_SYNC_RELAYED,    /**< a transaction outside blocks: see `relayed` */
    SPV_SYNC_DISTRUST,   /**< a liar served blocks above `height` */
    SPV_SYNC_PEER_READY, /**< needs no answer: see `peer` */
    SPV_SYNC_PEER_LOST,  /**< nor does this: see its `why` */
    SPV_SYNC_WARNING     /**< nor this: `reason`, of `peer` unless NULL */
} spv_sync_event_kind;

/** A transaction outside blocks. */
typedef struct spv_relayed {
    spv_tx tx;
    uint8_t *bytes; /**< what it borrows, owned */
    size_t place;   /**< of the peer that announced it, in the pool */
} spv_relayed;

typedef struct spv_sync_event {
    spv_sync_event_kind kind;
    const spv_answer *block;    /**< borrowed until settled or refetched */
    const spv_candidate *peer;  /**< borrowed until the next call */
    const spv_relayed *relayed; /**< likewise */
    spv_err err;                /**< of FAILED */
    const char *reason; /**< of FAILED, static; NULL: ask the pool. Of SYNCED:
                             a doubt about it, or NULL */
    int32_t height;     /**< of DISTRUST */
} spv_sync_event;

/** Connects, closes and look-ups that can wait to be handed out. New ones are
 * begun only when none waits, so that is one beginning and one end a peer,
 * whatever happens and however seldom outputs are pulled; and the names of DNS
 * seeds. */
enum { SPV__SYNC_COMMANDS = 2 * SPV__POOL_MAX + SPV__SEEDS_MAX };

/** Peers that are found, when none was named: so many that serve are wanted.
 * Beside the nearest, others share, audit, and take over. */
enum { SPV__SYNC_FOUND = 4 };

/** At the goal, peers that might know more are waited for while something was
 * learned so short a time ago. */
enum { SPV__SYNC_GRACE_MS = 3000 };

/** A peer that was asked for headers so long ago holds up no other. */
enum { SPV__HEADERS_LATE_MS = 2000 };

/** A peer whose additions made its filter match so many times as often by
 * chance as ours is given a fresh one. That one matches as often as ours, so
 * it is not due again before as much was added anew. */
enum { SPV__MIRROR_BAND = 2 };

/** But not while that is less than once in a million comparisons of a node's,
 * which are those of a day. */
#define SPV__MIRROR_LEAST 1e-6

/** A peer that is on its way is counted on for so long. */
enum { SPV__COMING_MS = 1000 };

/** A peer that was behind is forgiven that once in so long a time. */
enum { SPV__FORGIVEN_AGAIN_MS = 60000 };

/** Between filterloads to a peer that is asked for nothing. */
enum { SPV__IDLE_LOAD_MS = 5000 };

/** How far ahead requests go, in blocks. */
enum {
    SPV__WINDOW_ALONE_MIN = 512, /* one peer: grows with every full window */
    SPV__WINDOW_ALONE_MAX = 2000,
    SPV__WINDOW_FIRST_MIN = 64,    /* others wait to join it */
    SPV__WINDOW_SHARED_MIN = 8,    /* several: as small as the round trip */
    SPV__WINDOW_SHARED_MAX = 1000, /* allows, and close together in height */
    SPV__DEBTS_MAX = 1024, /* then some are paid before the tip is reached */
    SPV__DEBTS_BATCH = 128,
    SPV__DEBTS_LOOK = 64, /* blocks from one look through them to the next */
    SPV__OVERDUE_MS = 500 /* a block that all wait for is asked of another */
};

/** What may wait on the board, in bytes of transactions, before nothing but
 * the lowest block is asked for: what is held is bounded by this and by what
 * is in flight. */
enum { SPV__HELD_BYTES_MAX = 32 << 20 };

/** How long every block waits for a second peer, where all are to be audited.
 */
enum { SPV__AUDIT_WAIT_MS = 60000 };

/** Headers in a row that show no better chain, after which a peer is left. */
enum { SPV__SIDE_HEADERS_MAX = SPV__TREE_SIDE_MAX };

/** A newest block so old (seconds) is told: 18 are due in that time. */
enum { SPV__STALE_S = 3 * 3600 };

/** The filter that holds the whole log, and how long that is. */
typedef struct spv_log_state {
    const spv_filter *filter; /**< the owner adds elements as the log grows */
    size_t length;            /**< of the log */
    size_t wanted; /**< a filter that holds less is replaced before it hurts */
} spv_log_state;

typedef struct spv_sync_config {
    const spv_network *network;
    spv_header_tree *tree; /**< borrowed, grown here */
    spv_tx_source known;
    uint64_t seed;     /**< nonces and jitter */
    int64_t unix_time; /**< wall clock at the first call, seconds */
    int32_t until;     /**< goal height, or 0 for the tip */
    double audit_rate; /**< share of the answers that is audited; 1: each one,
                            and no more are asked for than can be */
    bool stay; /**< follow the chain for ever, and never give up a peer that
                    merely fails */
    spv_book *book; /**< peers are found, by this; borrowed. NULL: they are
                         named */
    const spv_seeds *seeds; /**< where to look when the book knows none */
} spv_sync_config;

typedef struct spv_sync_count {
    uint32_t filtered_blocks; /**< settled */
    uint32_t matched;         /**< transactions in them */
    uint32_t refetched;       /**< asked for more than once */
    uint64_t transactions;    /**< in those blocks, as the nodes claim */
    uint32_t filterloads;
    uint64_t bytes_received; /**< on connections closed since */
    uint64_t bytes_sent;
} spv_sync_count;

typedef struct spv_sync {
    spv_sync_config config;
    spv_log_state log;     /**< kept up to date by the owner */
    spv_coverage coverage; /**< likewise */
    spv_pool pool;
    spv_search search;
    spv_stream
        *streams[SPV__POOL_MAX]; /**< by candidate; NULL: no connection */
    spv_ranges ranges;
    spv_buf later; /**< a headers message to be looked at when all is sent */
    uint32_t later_of; /**< whose */
    spv_board board;
    spv_debts debts;
    int32_t voided_at; /**< the position when debts were last looked through, */
    size_t voided_n;   /**< and how many were left */
    spv_audits audits;
    int32_t distrusted;  /**< a liar served this and higher ones; 0: none */
    const char *warning; /**< of no peer, not yet told; static */
    bool tips_told;      /**< the peers' tips were looked at */
    bool unaudited_told; /**< there was nobody to audit a block */
    spv_hash position;   /**< hash of the block at board.base */
    bool positioned;     /**< HEADERS was answered */
    bool headers_told;
    size_t first;         /**< place of the peer that others join */
    size_t taught;        /**< coins in the ledger at the last settled block */
    spv_spacing spacing;  /**< of blocks that bring coins */
    bool ended;           /**< SYNCED or FAILED was told */
    bool listens;         /**< what is relayed goes up: the tip was reached */
    spv_relayed *relayed; /**< to go up; owned */
    size_t n_relayed;
    size_t cap_relayed;
    size_t relayed_told; /**< of these, went up; the last is still borrowed */
    spv_rolling_filter strangers; /**< relayed of late and not matched */
    bool synced_told;             /**< SYNCED was the last that was told */
    spv_err err;                  /**< sticky: out of memory */
    uint64_t random;              /**< state of the generator */
    uint64_t next_conn;           /**< names of connections and streams */
    spv_time now;
    spv_time began;
    spv_time first_ready; /**< when the first handshake was done, or 0 */
    spv_time news_at; /**< when something was last learned: headers, a block */
    spv_out commands[SPV__SYNC_COMMANDS]; /**< to be handed out, in order */
    size_t n_commands;
    size_t command_at;
    spv_buf sending; /**< borrowed by the last SPV_OUT_SEND */
    spv_sync_count count;
} spv_sync;

/** Ready to be driven. SPV_NOMEM. */
spv_err spv__sync_init(spv_sync *s, const spv_sync_config *config);
void spv__sync_clear(spv_sync *s);

/** One more peer to keep a connection to: an address, or a name to look up.
 * SPV_LIMIT when there are too many. Before the first input only. */
spv_err spv__sync_add_peer(spv_sync *s, const char *text,
                           uint16_t default_port);

/* ---- The machine's inputs and outputs; spv/machine.h says how ---- */

void spv__sync_opened(spv_sync *s, spv_conn conn, spv_time now);
void spv__sync_received(spv_sync *s, spv_conn conn, const uint8_t *bytes,
                        size_t len, spv_time now);
void spv__sync_closed(spv_sync *s, spv_conn conn, spv_err why, spv_time now);
void spv__sync_resolved(spv_sync *s, spv_conn conn, const spv_netaddr *addrs,
                        size_t n, spv_time now);
void spv__sync_elapsed(spv_sync *s, spv_time now);
spv_time spv__sync_deadline(const spv_sync *s);

/** Everything but SPV_OUT_DONE, which is the owner's to say. */
bool spv__sync_next_out(spv_sync *s, spv_out *out);

/* ---- What it found out ---- */

/** Unix seconds, by the clock that drives it. */
int64_t spv__sync_unix_time(const spv_sync *s);

bool spv__sync_next_event(spv_sync *s, spv_sync_event *event);

/** Blocks begin above `height`, whose block is `hash`. */
void spv__sync_set_position(spv_sync *s, int32_t height, const spv_hash *hash);

/** The verdict on a block, by the ledger as it stands. */
spv_judgement spv__sync_judge(const spv_sync *s, const spv_answer *block);

/** The front block was applied: the position moves onto it. */
void spv__sync_settle(spv_sync *s);

/** The same for a block whose filter lacked an outpoint, no key: a debt. */
void spv__sync_owe(spv_sync *s);

/** The block of the last DEBT event was applied. */
void spv__sync_pay(spv_sync *s);

/** How far nothing is owed; the position, when there is no debt at all. */
int32_t spv__sync_sure_height(spv_sync *s);

/** The front block lacks something, and so may others: all that the ledger no
 * longer covers is asked for again. */
void spv__sync_refetch(spv_sync *s);

#endif
