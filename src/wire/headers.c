/* Asking for headers (or blocks, the old way), and getting them. */
#include "wire/payload.h"

/* Each header is followed by a transaction count, which is always zero. */
enum { ITEM_LEN = SPV_HEADER_LEN + 1, HASH_LEN = 32 };

void spv__read_locator(spv_message *m, spv_reader *r)
{
    spv_locator *l = &m->as.locator;

    l->version = spv__read_u32(r);
    l->hashes = spv__read_items(r, HASH_LEN, SPV__LOCATOR_MAX);
    spv__read_hash(r, &l->stop);
}

void spv__put_locator(spv_buf *b, uint32_t version, const spv_hash *hashes,
                      size_t n, const spv_hash *stop)
{
    spv__put_u32(b, version);
    spv__put_count_to(b, n, SPV__LOCATOR_MAX);
    for (size_t i = 0; i < n && b->err == SPV_OK; i++)
        spv__put_hash(b, &hashes[i]);
    spv__put_hash(b, stop);
}

void spv__read_headers(spv_message *m, spv_reader *r)
{
    spv_items *items = &m->as.headers;

    *items = spv__read_items(r, ITEM_LEN, SPV__HEADERS_MAX);
    for (size_t i = 0; r->err == SPV_OK && i < items->n; i++)
        if (spv__headers_get(items, i)[SPV_HEADER_LEN] != 0)
            spv__read_fail(r, SPV_MALFORMED);
}

const uint8_t *spv__headers_get(const spv_items *items, size_t i)
{
    return items->bytes + i * ITEM_LEN;
}

void spv__put_headers(spv_buf *b, const uint8_t (*headers)[SPV_HEADER_LEN],
                      size_t n)
{
    spv__put_count_to(b, n, SPV__HEADERS_MAX);
    for (size_t i = 0; i < n && b->err == SPV_OK; i++) {
        spv__put_bytes(b, headers[i], SPV_HEADER_LEN);
        spv__put_compact(b, 0);
    }
}
