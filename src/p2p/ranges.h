#ifndef SPV_P2P_RANGES_H
#define SPV_P2P_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <spv/machine.h>

#include "chain/tree.h"
#include "wire/message.h"

/*
 * Headers up to the last checkpoint, from many peers at a time.
 *
 * The checkpoints above the tip cut what is missing into ranges. A range is
 * asked for by its ends, a locator of the lower checkpoint alone and the upper
 * one as the hash to stop at, so many can be under way at once, several at
 * every peer. Each header must follow from the one before it as soon as it
 * comes, and a range must end in its checkpoint: then all of it is proved. A
 * whole range waits for those below it and leaves in order, into the tree,
 * which applies every other rule.
 *
 * A peer shows first that it has the last checkpoint in its chain. One that
 * has not (it is still syncing itself, or is on another chain) cannot serve
 * us, but is no liar; what one that has answers to a range wrongly is a lie.
 *
 * Bound: SPV__RANGES_MAX ranges and SPV__RANGES_AHEAD headers above the tip,
 * which is 5 MB, or one range alone if that is longer. Without checkpoints, or
 * with the tip above the last of them, there are no ranges.
 */
enum {
    SPV__RANGES_MAX = 32,
    SPV__RANGES_AHEAD = 65536,
    SPV__RANGE_QUEUE_MAX = 8, /* requests under way at one peer */
    SPV__RANGE_QUEUE_FIRST = 4
};

/** One request. */
typedef struct spv_range_asked {
    int32_t to; /**< name of the range; SPV__RANGE_SHOW */
    spv_time at;
} spv_range_asked;

/** In place of a range: the last checkpoint is to be shown. */
enum { SPV__RANGE_SHOW = -1 };

/**
 * What one peer was asked, oldest first. Its answers come in that order; one
 * to a range that was given to another meanwhile is passed over.
 */
typedef struct spv_range_queue {
    spv_range_asked item[SPV__RANGE_QUEUE_MAX];
    size_t n;
    size_t depth;  /**< most of them, by how fast they are answered */
    bool begun;    /**< it was asked to show the last checkpoint */
    bool shown;    /**< and did */
    bool relieved; /**< others do its work until it has answered all */
} spv_range_queue;

typedef struct spv_range {
    int32_t to;       /**< height of the upper checkpoint */
    size_t span;      /**< headers in it */
    spv_hash start;   /**< the lower checkpoint */
    spv_hash last;    /**< where the next header must follow */
    spv_hash stop;    /**< the upper checkpoint */
    uint8_t *headers; /**< room for all, once one came */
    size_t n;
    const spv_range_queue *asked; /**< who fetches it; NULL: nobody, or whole */
    bool waiting;                 /**< for an answer: a request is under way */
} spv_range;

typedef struct spv_ranges {
    const spv_checkpoint_list *list; /**< borrowed */
    size_t next;                     /**< in it: where the next range ends */
    int32_t top;                     /**< where the last range ends */
    spv_hash top_hash;
    spv_range item[SPV__RANGES_MAX]; /**< lowest first */
    size_t n;
} spv_ranges;

/** What to send: getheaders with this locator of one, and this stop. */
typedef struct spv_range_request {
    spv_hash locator;
    spv_hash stop;
} spv_range_request;

/** What an answer was. */
typedef struct spv_range_heard {
    spv_err err; /**< SPV_OK, SPV_NOT_FOUND (it has not that chain, or not
                    yet), SPV_PROTOCOL (it lies), SPV_NOMEM */
    const char *reason; /**< of the middle two: "<peer> <reason>", static */
    size_t taken;       /**< headers kept */
} spv_range_heard;

/** From the tip of the tree, whose checkpoints are borrowed, to the last. */
void spv__ranges_init(spv_ranges *r, const spv_header_tree *tree);
void spv__ranges_clear(spv_ranges *r);

/** Nothing is missing below the last checkpoint. */
bool spv__ranges_done(const spv_ranges *r);

/** The next thing to ask of a peer, entered into its queue; false when it has
 * enough to do, or there is nothing. */
bool spv__ranges_ask(spv_ranges *r, spv_range_queue *q, spv_time now,
                     spv_range_request *request);

/** The peer's oldest request is answered; there must be one. */
spv_range_heard spv__ranges_hear(spv_ranges *r, spv_range_queue *q,
                                 const spv_items *headers, spv_time now);

/** The peer is fetching something that nobody else is. */
bool spv__ranges_rest_on(const spv_ranges *r, const spv_range_queue *q);

/** It can be given more to do. */
bool spv__ranges_has_room(const spv_range_queue *q);

/** The peer is gone, or late: others fetch its ranges, from their start, for
 * what was here of them is proved by nothing. */
void spv__ranges_release(spv_ranges *r, spv_range_queue *q);

/** Headers of the lowest range, if it is whole, else NULL: `n` in a row.
 * Borrowed until it is popped. */
const uint8_t *spv__ranges_front(const spv_ranges *r, size_t *n);
void spv__ranges_pop(spv_ranges *r);

/** The tree does not take them: headers are fetched another way. */
void spv__ranges_stop(spv_ranges *r);

#endif
