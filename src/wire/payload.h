#ifndef SPV_WIRE_PAYLOAD_H
#define SPV_WIRE_PAYLOAD_H

#include "wire/message.h"

/*
 * What the files of readers and writers share with the table in message.c.
 *
 * A reader fills `m->as` from a cursor whose first failure sticks; the table
 * asks for the failure, and for bytes left over, when it has returned.
 */
typedef void spv_payload_reader(spv_message *m, spv_reader *r);

spv_payload_reader spv__read_version;
spv_payload_reader spv__read_nothing;
spv_payload_reader spv__read_ping;
spv_payload_reader spv__read_pong;
spv_payload_reader spv__read_sendcmpct;
spv_payload_reader spv__read_feefilter;
spv_payload_reader spv__read_reject;
spv_payload_reader spv__read_addr;
spv_payload_reader spv__read_addrv2;
spv_payload_reader spv__read_inv;
spv_payload_reader spv__read_locator;
spv_payload_reader spv__read_headers;
spv_payload_reader spv__read_block;
spv_payload_reader spv__read_tx;
spv_payload_reader spv__read_merkleblock;
spv_payload_reader spv__read_filterload;
spv_payload_reader spv__read_filteradd;

/** A count of items of at least `item_min` bytes, at most `max`: SPV_LIMIT. */
size_t spv__read_count_to(spv_reader *r, size_t item_min, size_t max);
void spv__put_count_to(spv_buf *b, size_t n, size_t max);

/** Counted items of exactly `item_len` bytes, left where they are. */
spv_items spv__read_items(spv_reader *r, size_t item_len, size_t max);

/** Counted bytes, at most `max`. */
const uint8_t *spv__read_var_to(spv_reader *r, size_t *len, size_t max);
void spv__put_var_to(spv_buf *b, const void *bytes, size_t len, size_t max);

#endif
