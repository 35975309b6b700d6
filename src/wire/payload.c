#include "wire/payload.h"

size_t spv__read_count_to(spv_reader *r, size_t item_min, size_t max)
{
    size_t n = spv__read_count(r, item_min);

    if (n <= max)
        return n;
    spv__read_fail(r, SPV_LIMIT);
    return 0;
}

void spv__put_count_to(spv_buf *b, size_t n, size_t max)
{
    if (n > max && b->err == SPV_OK)
        b->err = SPV_LIMIT;
    spv__put_compact(b, n);
}

spv_items spv__read_items(spv_reader *r, size_t item_len, size_t max)
{
    size_t n = spv__read_count_to(r, item_len, max);

    return (spv_items){.bytes = spv__read_bytes(r, n * item_len), .n = n};
}

const uint8_t *spv__read_var_to(spv_reader *r, size_t *len, size_t max)
{
    *len = spv__read_count_to(r, 1, max);
    return spv__read_bytes(r, *len);
}

void spv__put_var_to(spv_buf *b, const void *bytes, size_t len, size_t max)
{
    spv__put_count_to(b, len, max);
    spv__put_bytes(b, bytes, len);
}
