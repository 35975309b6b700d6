#include "wire/frame.h"

#include <assert.h>
#include <string.h>

#include "base/bytes.h"
#include "base/digest.h"

enum { MAGIC_LEN = 4, CHECKSUM_LEN = 4 };

/* Printable characters, then zeros to the end of the field. */
static bool read_command(char out[SPV__COMMAND_LEN + 1], spv_reader *r)
{
    const uint8_t *field = spv__read_bytes(r, SPV__COMMAND_LEN);
    size_t len = 0;

    while (len < SPV__COMMAND_LEN && field[len])
        len++;
    memset(out, 0, SPV__COMMAND_LEN + 1);
    memcpy(out, field, len);
    for (size_t i = 0; i < SPV__COMMAND_LEN; i++)
        if (i < len ? field[i] < 0x20 || field[i] > 0x7e : field[i] != 0)
            return false;
    return true;
}

static bool has_checksum(const spv_frame *f, const uint8_t *checksum)
{
    spv_hash hash;

    spv__sha256d(&hash, f->payload, f->len);
    return memcmp(hash.bytes, checksum, CHECKSUM_LEN) == 0;
}

spv_frame_state spv__frame_decode(spv_frame *out, const uint8_t *bytes,
                                  size_t len, const spv_network *network)
{
    spv_reader r = spv__reader(bytes, len);
    const uint8_t *checksum = NULL;
    bool sound = true;

    memset(out, 0, sizeof(*out));
    if (memcmp(r.at, network->magic, len < MAGIC_LEN ? len : MAGIC_LEN) != 0)
        return SPV_FRAME_REFUSED;
    if (len < SPV__FRAME_HEADER_LEN)
        return SPV_FRAME_PART;

    (void)spv__read_bytes(&r, MAGIC_LEN);
    sound = read_command(out->command, &r);
    out->len = spv__read_u32(&r);
    checksum = spv__read_bytes(&r, CHECKSUM_LEN);
    if (out->len > SPV__PAYLOAD_MAX)
        return SPV_FRAME_REFUSED;
    out->size = SPV__FRAME_HEADER_LEN + out->len;
    if (len < out->size)
        return SPV_FRAME_PART;

    out->payload = spv__read_bytes(&r, out->len);
    sound = sound && has_checksum(out, checksum);
    return sound ? SPV_FRAME_WHOLE : SPV_FRAME_IGNORE;
}

size_t spv__frame_begin(spv_buf *b, const char *command,
                        const spv_network *network)
{
    size_t mark = b->len;
    char field[SPV__COMMAND_LEN] = {0};

    assert(strlen(command) <= SPV__COMMAND_LEN);
    memcpy(field, command, strlen(command));
    spv__put_bytes(b, network->magic, MAGIC_LEN);
    spv__put_bytes(b, field, sizeof(field));
    spv__put_u32(b, 0); /* length and checksum: spv__frame_end knows them */
    spv__put_u32(b, 0);
    return mark;
}

void spv__frame_end(spv_buf *b, size_t mark)
{
    uint8_t *header = NULL;
    uint8_t *payload = NULL;
    size_t len = 0;
    spv_hash hash;

    if (b->err != SPV_OK)
        return;
    header = b->bytes + mark;
    payload = header + SPV__FRAME_HEADER_LEN;
    len = b->len - mark - SPV__FRAME_HEADER_LEN;
    if (len > SPV__PAYLOAD_MAX) {
        b->err = SPV_LIMIT;
        return;
    }
    for (size_t i = 0; i < 4; i++)
        header[MAGIC_LEN + SPV__COMMAND_LEN + i] = (uint8_t)(len >> 8 * i);
    spv__sha256d(&hash, payload, len);
    memcpy(payload - CHECKSUM_LEN, hash.bytes, CHECKSUM_LEN);
}
