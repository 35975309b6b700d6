#ifndef SPV_CONFORM_PUSHES_H
#define SPV_CONFORM_PUSHES_H

#include <spv/script.h>
#include <spv/tx.h>

/*
 * The data elements of scripts, which are what a filter is asked about.
 */

/** A borrowed piece of a script. */
typedef struct spv_push {
    const uint8_t *data; /**< NULL: there is none */
    size_t len;
} spv_push;

/** The push at index `at` of those that are not empty. */
spv_push spv__push_get(const uint8_t *script, size_t len, size_t at);

/** The last of them. */
spv_push spv__push_last(const uint8_t *script, size_t len);

size_t spv__push_count(const uint8_t *script, size_t len);

/** Whether one of the pushes is this element. */
bool spv__script_holds(const uint8_t *script, size_t script_len,
                       const uint8_t *element, size_t len);

/** Whether a transaction matches a filter of this element alone: its txid, an
 * output's push, an input's outpoint or push. */
bool spv__tx_holds(const spv_tx *tx, const uint8_t *element, size_t len);

#endif
