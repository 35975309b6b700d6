#ifndef SPV_CONFORM_ORACLE_H
#define SPV_CONFORM_ORACLE_H

#include "conform/dialogue.h"

/*
 * What a node must answer, worked out here.
 *
 * The matcher, the merkle trees and the wire code are those of the client:
 * tests/vectors holds them to the reference implementation, byte for byte.
 */

/** Match a block: `matched` (room for b->n, or NULL) says which, their number
 * is returned. The filter is updated as the node's is. */
size_t spv__oracle_match(spv_filter *f, const spv_sample *b, bool *matched);

/** Put down the merkleblock of a block under the mirror's filter and its
 * transactions, in block order; the mirror is updated. */
void spv__oracle_answer(spv_dialogue *d, const spv_sample *b);

#endif
