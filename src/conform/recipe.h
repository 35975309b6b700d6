#ifndef SPV_CONFORM_RECIPE_H
#define SPV_CONFORM_RECIPE_H

#include "conform/checks.h"

/* What writers of checks do again and again. */

/** Why a check cannot be written, in the cases that are common. */
#define SPV__LACKS_BLOCKS "no block of the node could be sampled"
#define SPV__LACKS_SIZE   "no sampled block has this number of transactions"
#define SPV__LACKS_WITNESS \
    "no sampled block ends with a transaction that has a witness"
#define SPV__LACKS_SPEND                                                     \
    "no sampled block has a spend of this form whose coin is sampled, too, " \
    "and which shows no other way"

/** One of the blocks that pass a test (NULL: all do), by chance. If there is
 * none NULL, and the dialogue lacks `lack`. */
const spv_sample *spv__recipe_pick(spv_dialogue *d, const spv_samples *s,
                                   spv_sample_test *test, const void *ctx,
                                   const char *lack);

/** Any block, in the same way. */
const spv_sample *spv__recipe_any(spv_dialogue *d, const spv_samples *s);

/** A filter large enough that chance plays no part: false, and the dialogue
 * has failed, without memory. The tweak is drawn. */
bool spv__recipe_filter(spv_dialogue *d, spv_filter *f, uint8_t flags);

/** Load the filter, which is freed, and ask for one block; a turn. */
void spv__recipe_ask(spv_dialogue *d, spv_filter *f, const spv_sample *block);

/** A filter of one element, asked about one block; a turn. */
void spv__recipe_element(spv_dialogue *d, const uint8_t *element, size_t len,
                         uint8_t flags, const spv_sample *block);

/** An ordinary question with an ordinary answer: a filter with a transaction
 * of some block in it. Shows that a connection still serves; a turn. */
void spv__recipe_ordinary(spv_dialogue *d, const spv_samples *s);

#endif
