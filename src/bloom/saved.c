#include "bloom/saved.h"

#include <assert.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "bloom/murmur3.h"

static const uint8_t magic[8] = {0x89, 'S', 'P', 'V', 'F', '\r', '\n', 0x1a};

enum { VERSION = 1, SUMMED = SPV_SAVED_HEADER - 8 };

/** The header's fields that no kind of filter sees. */
typedef struct seals {
    uint64_t payload;
    uint64_t header;
} seals;

static uint64_t checksum(const uint8_t *bytes, size_t len)
{
    return spv__murmur3_128(0, bytes, len).a;
}

void spv__saved_header(uint8_t out[SPV_SAVED_HEADER], const spv_saved *saved)
{
    spv_buf b = {.bytes = out, .cap = SPV_SAVED_HEADER};

    spv__put_bytes(&b, magic, sizeof(magic));
    spv__put_u32(&b, VERSION);
    spv__put_u32(&b, saved->kind);
    spv__put_u64(&b, saved->payload_len);
    spv__put_u64(&b, checksum(saved->payload, (size_t)saved->payload_len));
    for (size_t i = 0; i < SPV_SAVED_PARAMS; i++)
        spv__put_u64(&b, saved->params[i]);
    spv__put_u64(&b, checksum(out, SUMMED));
    assert(b.len == SPV_SAVED_HEADER && b.bytes == out);
}

/** What is wrong with a header whose first bytes are these. */
static spv_err read_start(spv_reader *r)
{
    const uint8_t *begin = spv__read_bytes(r, sizeof(magic));
    uint32_t version = spv__read_u32(r);

    if (r->err)
        return r->err;
    if (memcmp(begin, magic, sizeof(magic)) != 0)
        return SPV_MALFORMED;
    return version == VERSION ? SPV_OK : SPV_UNSUPPORTED;
}

static spv_err read_header(spv_saved *saved, seals *seal, const uint8_t *bytes,
                           size_t len)
{
    spv_reader r = spv__reader(bytes, len);
    spv_err err = SPV_OK;

    if (len < SPV_SAVED_HEADER)
        return SPV_TRUNCATED;
    if ((err = read_start(&r)))
        return err;
    saved->kind = (spv_saved_kind)spv__read_u32(&r);
    saved->payload_len = spv__read_u64(&r);
    seal->payload = spv__read_u64(&r);
    for (size_t i = 0; i < SPV_SAVED_PARAMS; i++)
        saved->params[i] = spv__read_u64(&r);
    seal->header = spv__read_u64(&r);
    saved->payload = r.at;
    return seal->header == checksum(bytes, SUMMED) ? SPV_OK : SPV_CHECKSUM;
}

/** Header and payload, of any kind: the payload is all that follows. */
static spv_err read_file(spv_saved *saved, seals *seal, const uint8_t *bytes,
                         size_t len)
{
    spv_err err = read_header(saved, seal, bytes, len);

    if (err)
        return err;
    if (saved->payload_len > len - SPV_SAVED_HEADER)
        return SPV_TRUNCATED;
    return saved->payload_len == len - SPV_SAVED_HEADER ? SPV_OK
                                                        : SPV_MALFORMED;
}

spv_err spv__saved_open(spv_saved *saved, spv_saved_kind kind,
                        const uint8_t *bytes, size_t len)
{
    seals seal;
    spv_err err = read_file(saved, &seal, bytes, len);

    if (err)
        return err;
    return saved->kind == kind ? SPV_OK : SPV_INVAL;
}

spv_err spv__saved_load(spv_saved *saved, spv_saved_kind kind,
                        const uint8_t *bytes, size_t len)
{
    spv_err err = spv__saved_open(saved, kind, bytes, len);

    return err ? err : spv_saved_filter_verify(bytes, len);
}

spv_err spv_saved_filter_kind(spv_saved_kind *kind, const uint8_t *bytes,
                              size_t len)
{
    spv_saved saved;
    seals seal;
    spv_err err = read_header(&saved, &seal, bytes, len);

    if (!err)
        *kind = saved.kind;
    return err;
}

spv_err spv_saved_filter_verify(const uint8_t *bytes, size_t len)
{
    spv_saved saved;
    seals seal;
    spv_err err = read_file(&saved, &seal, bytes, len);

    if (err)
        return err;
    return checksum(saved.payload, (size_t)saved.payload_len) == seal.payload
               ? SPV_OK
               : SPV_CHECKSUM;
}
