#ifndef SIM_TRUTH_H
#define SIM_TRUTH_H

#include <stdint.h>

#include <spv/client.h>

#include "conform/script_chain.h"
#include "support/genwallet.h"

/*
 * What a client found against the book of the generator, which saw every
 * block: coins, history and balance, to the last field.
 *
 * Only what is in blocks counts. After a reorganisation a wallet rightly keeps
 * what the lost side had as unconfirmed; the book does not know of it.
 *
 * A payment to a key beyond the gap window is not the client's before its
 * window reaches the key; from then on it is, at its own height, and so is
 * what spends it. The window is the client's own, which the lost side of a
 * reorganisation may have moved, but no less than the book's. Addresses that
 * are watched one by one have none.
 */

/** NULL when all is equal at the tip of `chain`; else what differs, in a
 * static buffer. */
const char *truth_differs(const spv_client *client, genwallet *book,
                          const spv_script_chain *chain);

/** The same where filters may have lacked keys beyond the window, so that what
 * was paid to these may be missing: no coin is listed that is spent, and none
 * is missing that was paid inside the window. */
const char *truth_is_broken(const spv_client *client, genwallet *book);

#endif
