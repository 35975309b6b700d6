#include <stdlib.h>
#include <string.h>

#include "wire/message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void put_inv(spv_buf *b, const spv_items *items)
{
    spv_inv *copies = calloc(items->n + 1, sizeof(*copies));

    if (!copies)
        abort();
    for (size_t i = 0; i < items->n; i++)
        copies[i] = spv__inv_get(items, i);
    spv__put_inv(b, copies, items->n);
    free(copies);
}

static void put_headers(spv_buf *b, const spv_items *items)
{
    uint8_t(*copies)[SPV_HEADER_LEN] = calloc(items->n + 1, sizeof(*copies));

    if (!copies)
        abort();
    for (size_t i = 0; i < items->n; i++)
        memcpy(copies[i], spv__headers_get(items, i), SPV_HEADER_LEN);
    spv__put_headers(b, (const uint8_t(*)[SPV_HEADER_LEN])copies, items->n);
    free(copies);
}

static void put_locator(spv_buf *b, const spv_locator *l)
{
    spv_hash hashes[SPV__LOCATOR_MAX];

    memcpy(hashes, l->hashes.bytes, l->hashes.n * sizeof(*hashes));
    spv__put_locator(b, l->version, hashes, l->hashes.n, &l->stop);
}

/* Every entry that decoding let through can be read. */
static void walk_addrs(spv_addrs addrs)
{
    size_t n = addrs.n;
    spv_addr_entry e;

    while (spv__addr_next(&e, &addrs))
        n--;
    if (n != 0)
        abort();
}

/* Write what was decoded, where one meaning has one encoding. */
static bool write_again(spv_buf *b, const spv_message *m)
{
    switch (m->kind) {
    case SPV_MSG_INV:
    case SPV_MSG_GETDATA:
    case SPV_MSG_NOTFOUND:
        put_inv(b, &m->as.inv);
        return true;
    case SPV_MSG_GETHEADERS:
    case SPV_MSG_GETBLOCKS:
        put_locator(b, &m->as.locator);
        return true;
    case SPV_MSG_HEADERS:
        put_headers(b, &m->as.headers);
        return true;
    case SPV_MSG_FILTERLOAD:
        spv__put_filterload(b, &m->as.filterload);
        return true;
    case SPV_MSG_FILTERADD:
        spv__put_filteradd(b, m->as.filteradd.data, m->as.filteradd.len);
        return true;
    case SPV_MSG_MERKLEBLOCK:
        spv__put_merkleblock(b, &m->as.merkleblock);
        return true;
    case SPV_MSG_REJECT:
        spv__put_reject(b, &m->as.reject);
        return true;
    case SPV_MSG_ADDR:
    case SPV_MSG_ADDRV2:
        walk_addrs(m->as.addrs);
        return false;
    case SPV_MSG_UNKNOWN:
    case SPV_MSG_VERSION:
    case SPV_MSG_VERACK:
    case SPV_MSG_PING:
    case SPV_MSG_PONG:
    case SPV_MSG_WTXIDRELAY:
    case SPV_MSG_SENDADDRV2:
    case SPV_MSG_SENDHEADERS:
    case SPV_MSG_SENDCMPCT:
    case SPV_MSG_FEEFILTER:
    case SPV_MSG_GETADDR:
    case SPV_MSG_BLOCK:
    case SPV_MSG_TX:
    case SPV_MSG_MEMPOOL:
    case SPV_MSG_FILTERCLEAR:
        break;
    }
    return false;
}

/* The first byte chooses the kind. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    spv_buf b = SPV_BUF_EMPTY;
    spv_message m;
    int kind = size ? data[0] % (SPV_MSG_REJECT + 1) : 0;

    if (size == 0 || spv__message_decode(&m, (spv_message_kind)kind, data + 1,
                                         size - 1) != SPV_OK)
        return 0;
    if (write_again(&b, &m) &&
        (b.len != size - 1 || memcmp(b.bytes, data + 1, b.len) != 0))
        abort();
    spv__buf_clear(&b);
    spv__message_clear(&m);
    return 0;
}
