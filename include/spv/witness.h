#ifndef SPV_WITNESS_H
#define SPV_WITNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <spv/tx.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The items of an input's witness (BIP 144), first to last. */
typedef struct spv_witness_reader {
    size_t n;      /**< items in all */
    size_t n_read; /**< items read so far */
    const uint8_t *at;
    size_t left;
} spv_witness_reader;

/** Begin the witness of a decoded input; an input without one has no items. */
SPV_API void spv_witness_open(spv_witness_reader *reader, const spv_txin *in);

/** The next item, borrowed from the transaction's bytes and never NULL, its
 * length (0 is common) in `len`; false when there are no more. */
SPV_API bool spv_witness_next(spv_witness_reader *reader, const uint8_t **item,
                              size_t *len);

#ifdef __cplusplus
}
#endif

#endif
