#include "p2p/drag.h"

bool spv__drag_look(spv_drag *d, bool owes, uint64_t bytes, spv_time now)
{
    uint64_t got = bytes - d->bytes;
    bool due = owes && d->since && now - d->since >= SPV__DRAG_MS;

    if (!owes)
        d->since = 0;
    if (owes && (due || !d->since))
        *d = (spv_drag){.since = now, .bytes = bytes};
    return due && got > 0 && got < SPV__DRAG_BYTES;
}
