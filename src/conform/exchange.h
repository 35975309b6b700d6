#ifndef SPV_CONFORM_EXCHANGE_H
#define SPV_CONFORM_EXCHANGE_H

#include <stdbool.h>

#include <spv/conform.h>

/*
 * The messages of a check that failed, to do it again by hand.
 *
 * Workload: a few messages each way; a node that sends without end is cut off
 * at SPV__MESSAGES_MAX, and what is longer than any filter at
 * SPV_CONFORM_PAYLOAD_MAX bytes.
 */
enum { SPV__MESSAGES_MAX = 200 };

/** Messages in their order; payloads are owned. */
typedef struct spv_messages {
    spv_conform_message *item;
    size_t n;
    size_t cap;
} spv_messages;

typedef struct spv_exchange {
    spv_messages of[SPV_CONFORM_PARTS];
} spv_exchange;

/** Copy a message behind the others. SPV_NOMEM. */
spv_err spv__messages_add(spv_messages *m, const char *command,
                          const uint8_t *payload, size_t len, bool optional);

/** The same for every whole frame in `frames`, however long. */
spv_err spv__messages_add_frames(spv_messages *m, const uint8_t *frames,
                                 size_t len);

void spv__messages_clear(spv_messages *m);
void spv__exchange_clear(spv_exchange *e);

#endif
