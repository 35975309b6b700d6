#ifndef SPV_WIRE_SCRIPT_WALK_H
#define SPV_WIRE_SCRIPT_WALK_H

#include <spv/script.h>

#include "wire/opcode.h"

/*
 * spv_script_next, open to the compiler of a loop over all scripts of a block:
 * most operations are one byte, and a call costs more than looking at them.
 */

/* Of the pushes, those up to this opcode hold their length in the opcode. */
enum { SPV__PUSH_DIRECT_MAX = 75 };

/* How long a push's data is; *at moves behind the length. False: cut short. */
static inline bool spv__push_len(size_t *len, uint8_t opcode,
                                 const uint8_t *script, size_t script_len,
                                 size_t *at)
{
    size_t width = opcode <= SPV__PUSH_DIRECT_MAX
                       ? 0
                       : (size_t)1 << (opcode - SPV__OP_PUSHDATA1);

    *len = width ? 0 : opcode;
    if (script_len - *at < width)
        return false;
    for (size_t i = 0; i < width; i++)
        *len |= (size_t)script[*at + i] << 8 * i;
    *at += width;
    return script_len - *at >= *len;
}

static inline bool spv__script_next(spv_script_op *op, const uint8_t *script,
                                    size_t script_len, size_t *at)
{
    *op = (spv_script_op){0};
    if (*at >= script_len)
        return false;
    op->opcode = script[(*at)++];
    if (op->opcode > SPV__OP_PUSHDATA4)
        return true;
    if (!spv__push_len(&op->len, op->opcode, script, script_len, at)) {
        *op = (spv_script_op){0};
        *at = script_len + 1;
        return false;
    }
    op->data = script + *at;
    *at += op->len;
    return true;
}

#endif
