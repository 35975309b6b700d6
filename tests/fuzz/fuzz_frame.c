#include <stdlib.h>
#include <string.h>

#include "wire/frame.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What was opened is, framed again, byte for byte what came. */
static void write_again(const spv_frame *f, const uint8_t *data,
                        const spv_network *network)
{
    spv_buf b = SPV_BUF_EMPTY;
    size_t mark = spv__frame_begin(&b, f->command, network);

    spv__put_bytes(&b, f->payload, f->len);
    spv__frame_end(&b, mark);
    if (b.err != SPV_OK || b.len != f->size ||
        memcmp(b.bytes, data, b.len) != 0)
        abort();
    spv__buf_clear(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const spv_network *network = spv_network_get(SPV_REGTEST);
    spv_frame f;

    switch (spv__frame_decode(&f, data, size, network)) {
    case SPV_FRAME_WHOLE:
        write_again(&f, data, network);
        break;
    case SPV_FRAME_PART:
        if (f.size && f.size <= size)
            abort();
        break;
    case SPV_FRAME_IGNORE:
        if (f.size == 0 || f.size > size)
            abort();
        break;
    case SPV_FRAME_REFUSED:
        break;
    }
    return 0;
}
