#ifndef TESTS_UNIT_BLOOM_SAVED_H
#define TESTS_UNIT_BLOOM_SAVED_H

#include <stdlib.h>
#include <string.h>

#include "bloom/saved.h"

/* Saved filters in memory: as they were written, spoilt, and forged. */

typedef struct saved_bytes {
    uint8_t *bytes;
    size_t len;
} saved_bytes;

/** What a file would hold: the header, then the payload. */
static inline saved_bytes saved_join(const uint8_t header[SPV_SAVED_HEADER],
                                     const uint8_t *payload, size_t n)
{
    saved_bytes s = {malloc(SPV_SAVED_HEADER + n), SPV_SAVED_HEADER + n};

    assert_non_null(s.bytes);
    memcpy(s.bytes, header, SPV_SAVED_HEADER);
    memcpy(s.bytes + SPV_SAVED_HEADER, payload, n);
    return s;
}

/** Read into a filter that is thrown away; must leave it zeroed on failure. */
typedef spv_err saved_load(const uint8_t *bytes, size_t len);

/** The file of another parameter, with `cut` bytes of the payload's end gone,
 * both checksums made right again: what a forger hands over. */
static inline spv_err load_forged(saved_load *load, saved_bytes s,
                                  spv_saved_kind kind, size_t param,
                                  uint64_t value, size_t cut)
{
    uint8_t header[SPV_SAVED_HEADER];
    spv_saved forged;
    saved_bytes file;
    spv_err err = spv__saved_open(&forged, kind, s.bytes, s.len);

    assert_int_equal(err, SPV_OK);
    forged.params[param] = value;
    forged.payload_len -= cut;
    spv__saved_header(header, &forged);
    file = saved_join(header, forged.payload, (size_t)forged.payload_len);
    err = load(file.bytes, file.len);
    free(file.bytes);
    return err;
}

/** No file with a byte missing, too many, or changed is taken for this one. */
static inline void assert_accidents_are_found(saved_load *load, saved_bytes s)
{
    uint8_t *longer = calloc(s.len + 1, 1);

    assert_non_null(longer);
    memcpy(longer, s.bytes, s.len);
    assert_int_equal(load(s.bytes, s.len), SPV_OK);
    assert_int_not_equal(load(longer, s.len + 1), SPV_OK);
    free(longer);
    for (size_t i = 0; i < s.len; i++) {
        assert_int_not_equal(load(s.bytes, i), SPV_OK);
        s.bytes[i] ^= 0x10;
        assert_int_not_equal(load(s.bytes, s.len), SPV_OK);
        s.bytes[i] ^= 0x10;
    }
}

#endif
