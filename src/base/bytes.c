#include "base/bytes.h"

#include <string.h>

#include <spv/hash.h>

spv_reader spv__reader(const uint8_t *bytes, size_t len)
{
    static const uint8_t nothing[1];
    const uint8_t *at = bytes ? bytes : nothing;

    return (spv_reader){.at = at, .end = at + len, .err = SPV_OK};
}

void spv__read_fail(spv_reader *r, spv_err err)
{
    r->at = r->end;
    if (r->err == SPV_OK)
        r->err = err;
}

size_t spv__read_left(const spv_reader *r)
{
    return (size_t)(r->end - r->at);
}

const uint8_t *spv__read_bytes(spv_reader *r, size_t n)
{
    const uint8_t *p = r->at;

    if (r->err != SPV_OK || spv__read_left(r) < n) {
        spv__read_fail(r, SPV_TRUNCATED);
        return NULL;
    }
    r->at += n;
    return p;
}

static uint64_t read_le(spv_reader *r, size_t n)
{
    const uint8_t *p = spv__read_bytes(r, n);
    uint64_t v = 0;

    for (size_t i = p ? n : 0; i-- > 0;)
        v = v << 8 | p[i];
    return v;
}

uint8_t spv__read_u8(spv_reader *r)
{
    return (uint8_t)read_le(r, 1);
}

uint16_t spv__read_u16(spv_reader *r)
{
    return (uint16_t)read_le(r, 2);
}

uint16_t spv__read_u16be(spv_reader *r)
{
    uint16_t v = spv__read_u16(r);

    return (uint16_t)(v << 8 | v >> 8);
}

uint32_t spv__read_u32(spv_reader *r)
{
    return (uint32_t)read_le(r, 4);
}

uint64_t spv__read_u64(spv_reader *r)
{
    return read_le(r, 8);
}

void spv__read_hash(spv_reader *r, spv_hash *out)
{
    const uint8_t *p = spv__read_bytes(r, sizeof(out->bytes));

    if (p)
        memcpy(out->bytes, p, sizeof(out->bytes));
    else
        memset(out->bytes, 0, sizeof(out->bytes));
}

uint64_t spv__read_compact(spv_reader *r)
{
    uint8_t lead = spv__read_u8(r);
    size_t width = lead < 0xfd ? 0 : (size_t)2 << (lead - 0xfd);
    uint64_t floor = lead < 0xfe ? 0xfd : lead == 0xfe ? 1 << 16 : 1ULL << 32;
    uint64_t v = width ? read_le(r, width) : lead;

    if (width && r->err == SPV_OK && v < floor)
        spv__read_fail(r, SPV_MALFORMED);
    return r->err == SPV_OK ? v : 0;
}

size_t spv__read_count(spv_reader *r, size_t item_min)
{
    uint64_t n = spv__read_compact(r);

    if (n > spv__read_left(r) / item_min) {
        spv__read_fail(r, SPV_LIMIT);
        return 0;
    }
    return (size_t)n;
}

const uint8_t *spv__read_var_bytes(spv_reader *r, size_t *n)
{
    *n = spv__read_count(r, 1);
    return spv__read_bytes(r, *n);
}

spv_err spv__read_end(const spv_reader *r)
{
    if (r->err != SPV_OK)
        return r->err;
    return r->at == r->end ? SPV_OK : SPV_MALFORMED;
}
