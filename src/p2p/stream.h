#ifndef SPV_P2P_STREAM_H
#define SPV_P2P_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "p2p/answer.h"
#include "p2p/drag.h"
#include "p2p/pace.h"
#include "p2p/peer.h"
#include "p2p/ranges.h"
#include "p2p/relay.h"

/*
 * What we ask of one peer, and what it answers: its filter, its filtered
 * blocks, its headers.
 *
 * Answers on a connection come in the order of the requests, and the filter
 * that the peer uses is known exactly: our mirror of it gets the same updates
 * from the same matches. A filterload may be sent while requests are in
 * flight, which are still answered by the filter before; it takes force with
 * the pong to the ping behind it, its fence, and nothing is asked until then.
 * Pings take numbers in the same row as requests, so a pong tells which
 * requests will not be answered any more.
 *
 * Memory of one stream, whatever the peer sends: a message on its way in (at
 * most SPV__PAYLOAD_MAX), an answer in the making (SPV__ANSWER_BYTES_MAX and
 * the ids of its proof), the filter three times, and what is to be sent. The
 * answers that wait their turn are the board's to bound.
 */

/** Longest silence of a peer that owes an answer; chatter is silence too. */
enum { SPV__STREAM_STALL_MS = 30000 };

typedef enum spv_stream_event_kind {
    SPV_STREAM_READY,     /**< the handshake is done */
    SPV_STREAM_HEADERS,   /**< `payload`: a headers message */
    SPV_STREAM_BLOCK,     /**< `answer` is whole, proved and matched */
    SPV_STREAM_REFUSED,   /**< `request` will not be answered by this peer */
    SPV_STREAM_WHOLE,     /**< `payload`: the whole block of `request` */
    SPV_STREAM_NO_WHOLE,  /**< it will not send the whole block of `request` */
    SPV_STREAM_ANNOUNCED, /**< it has a block that we may not know */
    SPV_STREAM_TX, /**< `payload`: a transaction that was asked for, and is in
                        the mirror now; and what it was announced under */
    SPV_STREAM_ADDRS, /**< `addrs`, which were asked for */
    SPV_STREAM_FAULT  /**< the peer's `fault` says what */
} spv_stream_event_kind;

typedef struct spv_stream_event {
    spv_stream_event_kind kind;
    const uint8_t *payload; /**< borrowed until the next call */
    size_t len;
    spv_request request;
    spv_addrs addrs;
    bool is_stranger; /**< of TX, whose txid is `request.hash`: it did not match
                           and is not in the mirror */
    spv_grant grant;  /**< of TX: later requests are matched by its outpoints;
                           zero when that is not sure */
} spv_stream_event;

/** Requests in flight, oldest first: a ring. */
typedef struct spv_flight {
    spv_request *ring;
    size_t cap; /**< a power of two */
    size_t head;
    size_t n;
} spv_flight;

/** Transactions that are known already need not come again (BIP 37). */
typedef struct spv_tx_source {
    void *self;
    const uint8_t *(*find)(void *self, const spv_hash *txid, size_t *len);
} spv_tx_source;

typedef struct spv_stream {
    spv_peer peer;
    uint32_t id;             /**< never used twice in a run */
    uint32_t generation;     /**< filterloads in force by now */
    size_t coverage;         /**< log prefix in the filter it has */
    uint64_t nonce;          /**< pings carry this plus their number */
    uint64_t sequence;       /**< number of the last request or ping */
    spv_filter mirror;       /**< the filter as the peer has it by now */
    uint64_t fence;          /**< the ping behind a filterload; 0: passed */
    spv_filter loading;      /**< the filter behind the fence, */
    size_t loading_coverage; /**< and the log prefix in it */
    spv_time loaded_at;      /**< when the last filterload was sent */
    bool load_wanted;        /**< its filter is worn: load before asking */
    double rate;             /**< of the mirror when it was loaded, at least */
    spv_flight flight;       /**< filtered blocks */
    spv_flight whole;        /**< whole blocks */
    spv_relay relay;         /**< what it announced outside blocks */
    spv_answer answer;       /**< in the making */
    bool answering;
    bool keep_before;     /**< the next answer may be audited */
    spv_filter before;    /**< the mirror before `answer`, if it was kept */
    spv_peer_event heard; /**< the message looked at */
    bool again;           /**< it is to be looked at once more */
    bool shares;          /**< in the blocks: it is asked for some */
    spv_pace pace;        /**< how far away it is, and how fast */
    spv_time progress;    /**< when it last answered, if only in part */
    /** Asked before its own chain is, and answered before it. */
    spv_range_queue ranges;
    uint64_t ponged;      /**< number of the last ping it answered */
    bool headers_asked;   /**< and not yet answered */
    int32_t headers_top;  /**< where its last full message of them ended */
    spv_hash tip;         /**< the last header it showed; zero: none */
    size_t side_headers;  /**< in a row that were of no better chain */
    bool headers_done;    /**< it has shown us its chain */
    bool headers_future;  /**< up to a header that is ahead of our clock */
    spv_time headers_at;  /**< when it was asked for them, or sent some */
    unsigned in_vain;     /**< announcements in a row that showed nothing new */
    uint64_t heard_bytes; /**< received when it last made progress */
    spv_drag drag;        /**< whether it drags its feet */
    bool refusing;        /**< blocks were refused: to be asked for its chain */
    unsigned refusals;    /**< rounds in a row that ended without the blocks */
    spv_time forgiven_at; /**< when these were last forgotten; 0: never */
    spv_time rests_until; /**< it has not got them yet: not asked before */
    spv_hash denied;      /**< the lowest block that was missing when it last
                               refused that, */
    unsigned denials;     /**< and how often it did */
    uint32_t served;      /**< blocks of its that were used */
    size_t addrs_wanted;  /**< addresses of others that it may still tell */
    bool guide;           /**< it is asked for these and for nothing else */
} spv_stream;

void spv__stream_init(spv_stream *s, uint32_t id, uint64_t nonce);
void spv__stream_clear(spv_stream *s);

/**
 * The next event in what the peer sent; false when there is none, and only
 * then may more be received. `*err` is set to SPV_NOMEM, and nothing else, when
 * memory ran out.
 */
bool spv__stream_next(spv_stream *s, spv_stream_event *event,
                      const spv_tx_source *known, spv_time now, spv_err *err);

/** What a request sent now would be granted. */
spv_grant spv__stream_grant(const spv_stream *s);

/** Give the peer `filter`, which holds the log up to `coverage`. Only when no
 * other is behind a fence. SPV_NOMEM. */
spv_err spv__stream_load(spv_stream *s, const spv_filter *filter,
                         size_t coverage, spv_time now);

/** Ask for `n` filtered blocks, filling in their numbers; a ping follows.
 * SPV_NOMEM. */
spv_err spv__stream_ask(spv_stream *s, spv_request *requests, size_t n,
                        spv_time now);

/** The same for whole blocks, in the order of requests of all kinds. */
spv_err spv__stream_ask_whole(spv_stream *s, spv_request *requests, size_t n,
                              spv_time now);

/** Whether it owes an answer of any kind. */
bool spv__stream_owes(const spv_stream *s);

/** Put a transaction that the peer announced, and that was open, into the
 * mirror, as the peer did; false when it does not match. */
bool spv__stream_mirror(spv_stream *s, const spv_tx *tx,
                        const spv_open_tx *open);

/** Ask for those announced transactions that have not been, SPV__RELAY_BATCH at
 * most; a ping follows. */
void spv__stream_ask_txs(spv_stream *s, spv_time now);

void spv__stream_ask_headers(spv_stream *s, const spv_hash *locator, size_t n,
                             spv_time now);

/** Ask for a range, which is in its queue already. */
void spv__stream_ask_range(spv_stream *s, const spv_range_request *request,
                           spv_time now);

/** Ready, fenced, and with nothing to load first. */
bool spv__stream_may_ask(const spv_stream *s);

/** When it must have said something; SPV_NEVER when nothing is owed. */
spv_time spv__stream_deadline(const spv_stream *s);

#endif
