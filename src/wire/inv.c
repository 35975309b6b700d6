#include "wire/payload.h"

enum { INV_LEN = 4 + 32 };

void spv__read_inv(spv_message *m, spv_reader *r)
{
    m->as.inv = spv__read_items(r, INV_LEN, SPV__INV_MAX);
}

spv_inv spv__inv_get(const spv_items *items, size_t i)
{
    spv_reader r = spv__reader(items->bytes + i * INV_LEN, INV_LEN);
    spv_inv inv;

    inv.type = spv__read_u32(&r);
    spv__read_hash(&r, &inv.hash);
    return inv;
}

void spv__put_inv(spv_buf *b, const spv_inv *items, size_t n)
{
    spv__put_count_to(b, n, SPV__INV_MAX);
    for (size_t i = 0; i < n && b->err == SPV_OK; i++) {
        spv__put_u32(b, items[i].type);
        spv__put_hash(b, &items[i].hash);
    }
}
