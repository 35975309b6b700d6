#ifndef SPV_CONFORM_DIALOGUE_H
#define SPV_CONFORM_DIALOGUE_H

#include <stdbool.h>

#include <spv/filter.h>

#include "base/rng.h"
#include "conform/exchange.h"
#include "conform/samples.h"
#include "conform/session.h"

/*
 * What a check says to a node, and what must come back.
 *
 * Everything that a node replies to a filter follows from the block and the
 * filter, so a check does no I/O: it writes a dialogue beforehand, a list of
 * turns, and the battery plays it. Each turn is closed by a ping, whose pong
 * is the fence: what has not come before it, or a moment later where no BIP
 * says so, does not come.
 *
 * While it is written a dialogue keeps a mirror of the node's filter, with the
 * node's own updates, and works out the replies from that (oracle.h).
 */

/** How a turn ends when the node does right. */
typedef enum spv_ending {
    SPV_ENDS_WITH_PONG,
    SPV_ENDS_WITH_CLOSE, /**< the node hangs up */
    SPV_ENDS_EITHER_WAY
} spv_ending;

/** A message that must come. Its bytes are in the dialogue's `payloads`. */
typedef struct spv_reply {
    spv_message_kind kind;
    size_t at;
    size_t len;
    size_t other_at; /**< another form that is as right; `other_len` 0: none */
    size_t other_len;
    bool optional; /**< may also be left out */
} spv_reply;

typedef struct spv_turn {
    size_t frames_end;  /**< what is sent ends here in `frames` */
    size_t replies_end; /**< what must come ends here in `replies` */
    size_t words_end;   /**< what is said of it ends here in `words` */
    uint64_t fence;     /**< the ping's nonce */
    spv_ending ending;
    bool afresh; /**< on a new connection, if the one before was closed */
    bool allows_notfound;
} spv_turn;

enum { SPV__TURNS_MAX = 12 };

typedef struct spv_dialogue {
    const spv_network *network;
    spv_rng *rng;
    spv_turn turns[SPV__TURNS_MAX];
    size_t n_turns;
    spv_ending ending; /**< of the turn being written, as the next two */
    bool afresh;
    bool allows_notfound;
    spv_buf frames;
    spv_buf payloads;
    spv_buf words; /**< text: what is sent, for people */
    spv_reply *replies;
    size_t n_replies;
    size_t replies_cap;
    spv_filter mirror; /**< of the node's filter */
    bool has_filter;
    bool strict; /**< as the reference implementation does it, to the letter;
                      else as any BIP allows: transactions in any order behind
                      the merkleblock that proves them, with or without
                      witness, and the pong early */
    spv_hash *given; /**< transactions that this connection had */
    size_t n_given;
    size_t given_cap;
    const char *lack; /**< static: why it could not be written */
    spv_err err;      /**< sticks: no memory */
} spv_dialogue;

void spv__dialogue_init(spv_dialogue *d, const spv_network *network,
                        spv_rng *rng);
void spv__dialogue_clear(spv_dialogue *d);

/* Writing: what is sent. -------------------------------------------------- */

/** Load a filter; the mirror is a copy of it. */
void spv__say_filterload(spv_dialogue *d, const spv_filter *f);
void spv__say_filteradd(spv_dialogue *d, const uint8_t *data, size_t len);
void spv__say_filterclear(spv_dialogue *d);

/** Ask for filtered blocks in one getdata; the replies are worked out. */
void spv__ask_filtered(spv_dialogue *d, const spv_sample *const *blocks,
                       size_t n);
static inline void spv__ask_one(spv_dialogue *d, const spv_sample *block)
{
    spv__ask_filtered(d, &block, 1);
}

/** Any message; nothing is expected of it. `words` say what it is. */
void spv__say(spv_dialogue *d, const char *command, const uint8_t *payload,
              size_t len, const char *words);

/** Ask for `items` with getdata; nothing is expected of it. */
void spv__say_getdata(spv_dialogue *d, const spv_inv *items, size_t n,
                      const char *words);

/** End a turn: a ping goes out, and its pong must come last. */
void spv__end_turn(spv_dialogue *d);

/** The same, but the node must or may hang up. */
void spv__end_turn_closed(spv_dialogue *d);
void spv__end_turn_either_way(spv_dialogue *d);

/** It cannot be written, for want of something; `why` is static. */
void spv__dialogue_lacks(spv_dialogue *d, const char *why);

/* Writing: what must come. ------------------------------------------------ */

/** Begin and end an answer's payload, to be put into `d->payloads`. */
size_t spv__reply_begin(const spv_dialogue *d);
void spv__reply_end(spv_dialogue *d, spv_message_kind kind, size_t mark);

/** Give the last answer another right form, that lies behind `mark`. */
void spv__reply_or(spv_dialogue *d, size_t mark);

/** Whether this connection had the transaction already; if not, it now has. */
bool spv__dialogue_gave(spv_dialogue *d, const spv_hash *txid);

/* Playing. ---------------------------------------------------------------- */

/** How far a turn has come. */
typedef struct spv_hearing {
    const spv_dialogue *dialogue;
    size_t turn;
    size_t reply; /**< the block that was answered last, or the first reply;
                       of a strict dialogue */
    spv_buf seen; /**< a byte for each reply of the turn: it came */
    bool fenced;  /**< the pong came, and not all before it */
    bool wrong;
    spv_buf came; /**< text: what came, for people */
    size_t n_came;
    spv_messages got; /**< the same, whole */
    spv_err err;      /**< sticks: no memory */
} spv_hearing;

typedef enum spv_heard_end {
    SPV_HEARD_ON,    /**< the turn goes on */
    SPV_HEARD_RIGHT, /**< it ended as it must */
    SPV_HEARD_WRONG  /**< it ended otherwise */
} spv_heard_end;

void spv__hearing_begin(spv_hearing *h, const spv_dialogue *d, size_t turn);
void spv__hearing_clear(spv_hearing *h);

/** The frames to send for this turn. */
const uint8_t *spv__hearing_frames(const spv_hearing *h, size_t *len);

/** A message came. */
spv_heard_end spv__hearing_message(spv_hearing *h, const spv_heard *heard);

/** The node hung up, or time ran out. */
spv_heard_end spv__hearing_closed(spv_hearing *h);
spv_heard_end spv__hearing_timeout(spv_hearing *h);

/** Say for people what was sent, what came, what should have come. */
void spv__hearing_tell(const spv_hearing *h, spv_buf *out);

/** Say the same in messages, into an empty exchange; what came is moved there.
 * SPV_NOMEM. */
spv_err spv__hearing_recount(spv_hearing *h, spv_exchange *out);

#endif
