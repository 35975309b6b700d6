#ifndef SPV_BASE_BYTES_H
#define SPV_BASE_BYTES_H

#include <stddef.h>
#include <stdint.h>

#include <spv/err.h>

/*
 * A reader walks bytes it does not own.
 *
 * The first failure sticks: every later read yields zero and moves nothing.
 * A decoder is therefore a straight list of reads, in wire order, followed by
 * one question at the end (`spv__read_end`), and reads like the message's
 * specification.
 */
typedef struct spv_reader {
    const uint8_t *at;
    const uint8_t *end;
    spv_err err;
} spv_reader;

spv_reader spv__reader(const uint8_t *bytes, size_t len);

uint8_t spv__read_u8(spv_reader *r);
uint16_t spv__read_u16(spv_reader *r);
uint16_t spv__read_u16be(spv_reader *r); /* ports are the exception */
uint32_t spv__read_u32(spv_reader *r);
uint64_t spv__read_u64(spv_reader *r);

/** Borrow `n` bytes from the input; NULL after a failure. */
const uint8_t *spv__read_bytes(spv_reader *r, size_t n);

/** Copy 32 bytes to `out`; zeros after a failure. */
struct spv_hash;
void spv__read_hash(spv_reader *r, struct spv_hash *out);

/** Read a canonical CompactSize of any value; a longer form is MALFORMED. */
uint64_t spv__read_compact(spv_reader *r);

/**
 * Read a CompactSize that counts items of at least `item_min` bytes each.
 *
 * Fails with SPV_LIMIT when the rest of the input could not hold that many,
 * so that a nine-byte message can never make us allocate gigabytes. A value
 * in a longer form than needed is SPV_MALFORMED.
 */
size_t spv__read_count(spv_reader *r, size_t item_min);

/** Read a CompactSize length and borrow that many bytes; length to `n`. */
const uint8_t *spv__read_var_bytes(spv_reader *r, size_t *n);

/** Make the reader fail with `err`, unless it has failed before. */
void spv__read_fail(spv_reader *r, spv_err err);

/** How many bytes are left. */
size_t spv__read_left(const spv_reader *r);

/** SPV_OK when nothing failed and nothing is left over. */
spv_err spv__read_end(const spv_reader *r);

#endif
