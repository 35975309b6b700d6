#ifndef SIM_TRUTH_H
#define SIM_TRUTH_H

#include <stdint.h>

#include <spv/client.h>

#include "support/genwallet.h"
#include "support/simchain.h"

/*
 * What a client found against the book of the generator, which saw every
 * block: coins, history and balance, to the last field.
 *
 * Only what is in blocks counts. After a reorganisation a wallet rightly keeps
 * what the lost side had as unconfirmed; the book does not know of it.
 */

/** NULL when all is equal at the tip of `chain`; else what differs, in a
 * static buffer. */
const char *truth_differs(const spv_client *client, genwallet *book,
                          const simchain *chain);

#endif
