#include <spv/header.h>

#include <string.h>

#include "base/bytes.h"
#include "base/digest.h"

void spv_header_decode(spv_header *out, const uint8_t bytes[SPV_HEADER_LEN])
{
    spv_reader r = spv__reader(bytes, SPV_HEADER_LEN);

    out->version = (int32_t)spv__read_u32(&r);
    spv__read_hash(&r, &out->prev);
    spv__read_hash(&r, &out->merkle_root);
    out->time = spv__read_u32(&r);
    out->bits = spv__read_u32(&r);
    out->nonce = spv__read_u32(&r);
}

static uint8_t *put(uint8_t *at, const void *bytes, size_t n)
{
    memcpy(at, bytes, n);
    return at + n;
}

static uint8_t *put_u32(uint8_t *at, uint32_t v)
{
    const uint8_t le[4] = {(uint8_t)v, (uint8_t)(v >> 8), (uint8_t)(v >> 16),
                           (uint8_t)(v >> 24)};

    return put(at, le, sizeof(le));
}

void spv_header_encode(uint8_t out[SPV_HEADER_LEN], const spv_header *header)
{
    uint8_t *at = out;

    at = put_u32(at, (uint32_t)header->version);
    at = put(at, header->prev.bytes, sizeof(header->prev.bytes));
    at = put(at, header->merkle_root.bytes, sizeof(header->merkle_root.bytes));
    at = put_u32(at, header->time);
    at = put_u32(at, header->bits);
    (void)put_u32(at, header->nonce);
}

void spv_header_hash(spv_hash *out, const uint8_t bytes[SPV_HEADER_LEN])
{
    spv__sha256d(out, bytes, SPV_HEADER_LEN);
}
