#ifndef SPV_BLOOM_SAVED_H
#define SPV_BLOOM_SAVED_H

#include <spv/saved_filter.h>

/*
 * The container that every kind of filter is saved in; its layout is told in
 * spv/saved_filter.h. A kind brings its parameters and its bytes, writes the
 * header with spv__saved_header, and gets both back from spv__saved_open.
 *
 * The payload is used where it lies, so its bytes must mean the same on every
 * machine: single bytes do; wider cells are kept little-endian.
 */
typedef struct spv_saved {
    spv_saved_kind kind;
    uint64_t params[SPV_SAVED_PARAMS]; /**< unused ones are zero */
    const uint8_t *payload;            /**< borrowed */
    uint64_t payload_len;
} spv_saved;

/** The 128 bytes to write before the payload. Reads the payload once, for its
 * checksum; so it must not change before it is written as well. */
void spv__saved_header(uint8_t out[SPV_SAVED_HEADER], const spv_saved *saved);

/**
 * Find parameters and payload in a file's bytes, which are borrowed. The kind
 * has still to check that its parameters make sense together and fit
 * `payload_len`: the checksum tells of accidents only.
 *
 * As spv_saved_filter_kind; also SPV_INVAL for another kind than `kind`, and
 * SPV_TRUNCATED or SPV_MALFORMED when the payload is shorter or longer than
 * the header says. The payload's own checksum is spv_saved_filter_verify's.
 */
SPV_MUST_USE spv_err spv__saved_open(spv_saved *saved, spv_saved_kind kind,
                                     const uint8_t *bytes, size_t len);

/** The same with the payload's checksum looked at: for a copy that will be
 * changed. SPV_CHECKSUM when it is spoilt. */
SPV_MUST_USE spv_err spv__saved_load(spv_saved *saved, spv_saved_kind kind,
                                     const uint8_t *bytes, size_t len);

#endif
