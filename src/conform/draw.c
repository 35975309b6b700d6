#include "conform/draw.h"

#include <string.h>

#include "base/digest.h"

static void put_le64(uint8_t out[8], uint64_t v)
{
    for (size_t i = 0; i < 8; i++)
        out[i] = (uint8_t)(v >> (8 * i));
}

void spv__draw(spv_draw *d, uint8_t *out, size_t len)
{
    uint8_t named[16];
    uint8_t drawn[32];

    put_le64(named, d->seed);
    while (len > 0) {
        size_t n = len < sizeof(drawn) ? len : sizeof(drawn);

        put_le64(named + 8, d->n++);
        spv__sha256(drawn, named, sizeof(named));
        memcpy(out, drawn, n);
        out += n;
        len -= n;
    }
}
