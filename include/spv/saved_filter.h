#ifndef SPV_SAVED_FILTER_H
#define SPV_SAVED_FILTER_H

#include <stddef.h>
#include <stdint.h>

#include <spv/err.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A filter saved: a header of 128 bytes, then the filter's own bytes exactly as
 * they lie in memory. Nothing is parsed on the way back: map the file, and the
 * filter is there, 64-byte aligned, as large as it may be.
 *
 *     offset  bytes
 *          0      8  magic: 89 'S' 'P' 'V' 'F' 0d 0a 1a
 *          8      4  version of this layout: 1
 *         12      4  kind of filter
 *         16      8  length of the payload
 *         24      8  checksum of the payload
 *         32     88  eleven parameters, of eight bytes each, the kind's own
 *        120      8  checksum of the 120 bytes before
 *        128         payload
 *
 * Numbers are little-endian on every machine. The magic is PNG's idea: no text
 * begins so, and a transfer that mends line ends spoils it visibly. A checksum
 * is the first half of MurmurHash3 x64 128 with seed 0: it finds accidents, not
 * forgers. The header's is always looked at; the payload's only when asked,
 * since that reads every page of a file that may otherwise stay on disk.
 *
 * Here are bytes only. Opening, mapping and writing files is the caller's.
 */

enum { SPV_SAVED_HEADER = 128, SPV_SAVED_PARAMS = 11 };

/** These numbers are on disk: append, never reuse. */
typedef enum spv_saved_kind {
    SPV_SAVED_LOCAL = 1,
    SPV_SAVED_COUNTING = 2,
    SPV_SAVED_SCALABLE = 3,
    SPV_SAVED_ROLLING = 4,
    SPV_SAVED_CUCKOO = 5
} spv_saved_kind;

/**
 * What kind of filter a file's first bytes (128 or more of them) announce.
 * SPV_TRUNCATED below 128 bytes, SPV_MALFORMED when it is no saved filter,
 * SPV_UNSUPPORTED for a later version, SPV_CHECKSUM for a spoilt header. A
 * kind of which this program knows nothing is reported as it is.
 */
SPV_API SPV_MUST_USE spv_err spv_saved_filter_kind(spv_saved_kind *kind,
                                                   const uint8_t *bytes,
                                                   size_t len);

/** Whether a whole file is sound, payload included: the errors above, and
 * SPV_CHECKSUM for a spoilt payload. Reads every byte. */
SPV_API SPV_MUST_USE spv_err spv_saved_filter_verify(const uint8_t *bytes,
                                                     size_t len);

#ifdef __cplusplus
}
#endif

#endif
