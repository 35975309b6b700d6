#ifndef SPV_WALLET_ELEMENTS_H
#define SPV_WALLET_ELEMENTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "wallet/table.h"

/*
 * The element log: everything a filter must contain, in the order learned.
 *
 * It only grows. A filter built from a prefix of it covers exactly that
 * prefix, so one integer says what a filter knows. An element is in it once,
 * however many scripts share it.
 */

typedef enum spv_element_kind {
    SPV__ELEMENT_KEY,     /**< hash, program or public key of a script */
    SPV__ELEMENT_OUTPOINT /**< 36 bytes: a coin of ours, or one that something
                               unconfirmed of ours spends */
} spv_element_kind;

/** Longest element: the largest push that a script may hold. */
#define SPV__ELEMENT_MAX 520

typedef struct spv_element {
    spv_element_kind kind;
    const uint8_t *bytes;
    size_t len;
} spv_element;

typedef struct spv_element_at {
    uint32_t offset;
    uint16_t len;
    uint8_t kind;
} spv_element_at;

typedef struct spv_elements {
    spv_buf bytes; /* all elements, end to end */
    spv_element_at *at;
    uint32_t n;
    uint32_t cap;
    spv_table index; /* from an element's bytes to its position */
} spv_elements;

/** A zeroed log is empty. */
void spv__elements_clear(spv_elements *log);

/** Append unless known already; its position goes to `at` (may be NULL).
 * SPV_NOMEM, SPV_LIMIT. */
spv_err spv__elements_learn(spv_elements *log, const spv_element *element,
                            uint32_t *at);

/** The element at `at`, below `n`; borrowed until the log grows. */
void spv__elements_get(const spv_elements *log, uint32_t at, spv_element *out);

/** Position of these bytes, or SPV__TABLE_NONE. */
uint32_t spv__elements_find(const spv_elements *log, const uint8_t *bytes,
                            size_t len);

#endif
