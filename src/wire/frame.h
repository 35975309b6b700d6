#ifndef SPV_WIRE_FRAME_H
#define SPV_WIRE_FRAME_H

#include <stddef.h>
#include <stdint.h>

#include <spv/network.h>

#include "base/buf.h"

/*
 * A frame is one message on the wire: magic, command, length, checksum,
 * payload. Frames arrive in any number of pieces.
 */
enum {
    SPV__FRAME_HEADER_LEN = 24,
    SPV__COMMAND_LEN = 12,
    SPV__PAYLOAD_MAX = 4000000 /* what Core accepts; no SPV message is longer */
};

/** A whole frame; everything in it is borrowed from the input. */
typedef struct spv_frame {
    char command[SPV__COMMAND_LEN + 1]; /**< zero ended */
    const uint8_t *payload;
    size_t len;
    size_t size; /**< header and payload: what to drop from the input */
} spv_frame;

typedef enum spv_frame_state {
    SPV_FRAME_WHOLE, /**< `out` is filled */
    SPV_FRAME_PART,  /**< more bytes are needed: `out->size` in all, if known */
    SPV_FRAME_IGNORE, /**< whole, but its checksum or command is wrong */
    SPV_FRAME_REFUSED /**< wrong magic or a length over the limit: close */
} spv_frame_state;

/**
 * Look at the frame that begins `bytes`. A wrong magic is refused as soon as
 * its first wrong byte is here, a length with the header; `out->size` is zero
 * while unknown.
 */
spv_frame_state spv__frame_decode(spv_frame *out, const uint8_t *bytes,
                                  size_t len, const spv_network *network);

/**
 * Begin a frame at the end of `b`, to be closed by spv__frame_end once the
 * payload has been put there (over SPV__PAYLOAD_MAX the buffer then fails with
 * SPV_LIMIT). Returns the mark to hand to it.
 */
size_t spv__frame_begin(spv_buf *b, const char *command,
                        const spv_network *network);
void spv__frame_end(spv_buf *b, size_t mark);

#endif
