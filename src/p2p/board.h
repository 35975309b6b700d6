#ifndef SPV_P2P_BOARD_H
#define SPV_P2P_BOARD_H

#include <stddef.h>
#include <stdint.h>

#include <spv/machine.h>

#include "p2p/answer.h"

/*
 * The heights just above the position, and how far each has come.
 *
 * Blocks are asked for in many places and answered in any order, but leave the
 * board strictly by height. What a request was for is looked up here when its
 * answer comes: if the cell has moved on meanwhile (it has an answer, or a
 * reorganisation changed the block), the answer is nobody's. One that comes
 * late, when another stream was asked already, is as good as any: where lines
 * are long, streams that take over from each other would throw away each
 * other's.
 */
enum { SPV__BOARD_CELLS = 4096 };

typedef enum spv_cell_state {
    SPV_CELL_FREE,
    SPV_CELL_ASKED,
    SPV_CELL_HELD
} spv_cell_state;

typedef struct spv_cell {
    spv_cell_state state;
    uint32_t stream;    /**< asked of */
    uint64_t sequence;  /**< under this number */
    spv_time asked_at;  /**< at this time */
    bool again;         /**< it was asked for before */
    spv_answer *answer; /**< held: owned */
} spv_cell;

typedef struct spv_board {
    int32_t base;      /**< the position: heights base + 1 .. base + CELLS */
    int32_t free_from; /**< no free cell lies below this height */
    spv_cell *cells;   /**< a ring, by height */
    size_t held;       /**< bytes of the transactions in what is held */
} spv_board;

/** SPV_NOMEM. The board begins above `base`, all free. */
spv_err spv__board_init(spv_board *b, int32_t base);
void spv__board_clear(spv_board *b);

/** Begin anew above `base`. */
void spv__board_reset(spv_board *b, int32_t base);

/** The cell of `height`; NULL when it is not on the board. */
spv_cell *spv__board_at(const spv_board *b, int32_t height);

/** The lowest free height, at most `top`; 0 when there is none. */
int32_t spv__board_next_free(spv_board *b, int32_t top);

/** Mark `height` as asked of a stream. */
void spv__board_ask(spv_board *b, int32_t height, uint32_t stream,
                    uint64_t sequence);

/** An answer came: the board takes what it owns, zeroes it, and returns true,
 * if its cell waits for just this request; or for any, if it is `welcome`
 * whoever was asked: it is of the block that is wanted, and may be believed. */
bool spv__board_hold(spv_board *b, spv_answer *answer, bool welcome,
                     spv_err *err);

/** Make `height` free again, dropping what it held. */
void spv__board_release(spv_board *b, int32_t height);

/** All that was asked of `stream` becomes free. */
void spv__board_release_stream(spv_board *b, uint32_t stream);

/** The answer for base + 1, or NULL; borrowed. */
const spv_answer *spv__board_front(const spv_board *b);

/** The front is settled: the board moves up by one. */
void spv__board_pop(spv_board *b);

#endif
